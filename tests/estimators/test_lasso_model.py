"""The lasso as an estimator: checks, errors, paths that are saved and made into models."""

import doctest
import inspect
import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import weightpath as wp
from estimators.lasso_samples import regression
from estimators.samples import shown_by
from weightpath.estimators import lasso
from weightpath.path.storage import FORMAT

MODELS = [
    wp.Lasso(),
    wp.Lasso(0.01, fit_intercept=False, ridge=0.1),
    wp.Lasso(0.1, cache_size=0.01),
]


@parametrize_with_checks(MODELS)
def test_estimator_check(estimator, check):
    check(estimator)


def test_weight_two_equals_two_copies_is_among_the_checks():
    names = {
        getattr(check, "func", check).__name__
        for _, check in estimator_checks_generator(wp.Lasso())
    }
    assert "check_sample_weight_equivalence_on_dense_data" in names
    assert "check_sample_weight_equivalence_on_sparse_data" in names
    assert "check_regressors_train" in names and len(names) > 45


@pytest.fixture
def moved():
    """A model and the path of its last move."""
    X, y, weight = regression(30, 12)
    model = wp.Lasso(0.1).fit(X, y, weight)
    return model, model.move(alpha=0.3, penalty_weight=np.linspace(0.0, 2.0, 12), y=y**2), X, y


def test_reading_of_a_path(moved):
    model, path, X, _ = moved
    at = path.at(0.6)
    assert at.dual_coef.shape == at.weights.shape == (12,)
    assert (at.margin == np.flatnonzero(at.dual_coef)).all() and at.inside.size == 0
    assert sorted([*at.margin, *at.outside]) == list(range(12))
    values = path.decision_function(X, [0.0, 0.6, 1.0])
    assert values[1] == pytest.approx(X @ at.dual_coef + at.intercept, abs=1e-12)
    assert values[2] == pytest.approx(model.predict(X), abs=1e-11)
    assert "12 features" in repr(path)
    assert set(path.events["to"]) <= {"margin", "outside"}
    for left, right, value, slope in path.iter_segments(X[:7]):
        middle = 0.5 * (left + right)
        expected = path.decision_function(X[:7], middle)
        assert value + (middle - left)[:, None] * slope == pytest.approx(expected, abs=1e-11)
    with pytest.raises(ValueError, match="expecting 12 features"):
        path.decision_function(X[:, :5], 0.5)


def test_saved_path(moved, tmp_path):
    _, path, X, _ = moved
    path.save(tmp_path / "path")
    again = wp.load(tmp_path / "path")
    assert (again.decision_function(X, 0.3) == path.decision_function(X, 0.3)).all()
    assert again.kkt_violation() == path.kkt_violation() < 1e-11
    assert again.at(0.3).objective == path.at(0.3).objective
    one, other = again.model_at(0.3), path.model_at(0.3)
    assert (one.coef_ == other.coef_).all() and one.intercept_ == other.intercept_
    with np.load(tmp_path / "path") as stored:
        assert f'"format": {FORMAT}' in stored["about"].item()


def test_model_at(moved):
    model, path, X, y = moved
    weight = model.training_set_.per_row["sample_weight"]
    for theta in (0.0, 0.4, 1.0):
        at, solution = path.model_at(theta), path.at(theta)
        targets = (1 - theta) * y + theta * y**2
        assert at.alpha_ * at.penalty_weight_ == pytest.approx(at.penalty_)
        assert at.intercept_ == pytest.approx(solution.intercept, abs=1e-11)
        fresh = wp.Lasso(1.0, penalty_weight=at.penalty_).fit(X, targets, weight)
        assert at.coef_ == pytest.approx(fresh.coef_, abs=1e-9)
        at.move(alpha=0.05, penalty_weight=1.0, y=y)
        assert at.coef_ == pytest.approx(wp.Lasso(0.05).fit(X, y, weight).coef_, abs=1e-9)
        at.remove(0)
        fresh = wp.Lasso(0.05).fit(X[1:], y[1:], weight[1:])
        assert at.coef_ == pytest.approx(fresh.coef_, abs=1e-9)
    first = wp.Lasso(0.1).fit(X, y).path_.model_at(0.5)
    assert first.penalty_weight_ == pytest.approx(np.ones(12))


def test_model_at_of_exchanged_observations():
    X, y, _ = regression(30, 8)
    model = wp.Lasso(0.1).fit(X[:25], y[:25])
    path = model.add(X[25:], y[25:])
    end = path.model_at(1.0)
    assert end.coef_ == pytest.approx(model.coef_, abs=1e-12)
    assert end.intercept_ == pytest.approx(model.intercept_, abs=1e-11)
    end.move(alpha=0.2)
    assert end.coef_ == pytest.approx(wp.Lasso(0.2).fit(X, y).coef_, abs=1e-10)


@pytest.mark.parametrize("copy", [deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_go_on_by_themselves(moved, copy):
    model, _, X, _ = moved
    twin = copy(model)
    before = model.coef_.copy()
    twin.move(alpha=0.01)
    assert (model.coef_ == before).all() and twin.kkt_violation() < 1e-11
    assert twin.path_.decision_function(X, 0.5) == pytest.approx(
        model.path_.decision_function(X, 0.5)
    )
    assert not hasattr(clone(model), "coef_")


def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y, _ = regression(20, 3)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = wp.Lasso(0.1).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert list(model.path_.model_at(0.5).feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c"]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
        ({"ridge": -1.0}, "ridge"),
        ({"penalty_weight": -1.0}, "negative"),
        ({"penalty_weight": [1.0, np.inf, 1.0]}, "feature 1"),
        ({"penalty_weight": [1.0, 1.0]}, "one entry for each feature"),
        ({"penalty_weight": "many"}, "list of 3 numbers"),
        ({"alpha": 1e300, "penalty_weight": 1e300}, "overflows"),
        ({"max_events": 0}, "max_events"),
        ({"cache_size": 0}, "cache_size"),
    ],
)
def test_bad_settings(settings, message):
    X, y, _ = regression(10, 3)
    with pytest.raises(ValueError, match=message):
        wp.Lasso(**settings).fit(X, y)


def test_bad_data():
    X, y, _ = regression(10, 3)
    with pytest.raises(ValueError, match="All sample weights are zero"):
        wp.Lasso().fit(X, y, np.zeros(10))
    with pytest.raises(ValueError, match="negative"):
        wp.Lasso().fit(X, y, -np.ones(10))
    with pytest.raises(ValueError, match="overflow"):
        wp.Lasso().fit(X * 1e200, y)
    with pytest.raises(NotFittedError):
        wp.Lasso().move(alpha=1.0)


def test_bad_changes_change_nothing():
    X, y, _ = regression(10, 3)
    model = wp.Lasso(0.1).fit(X, y)
    before = dict(model.__dict__)
    calls = [
        (TypeError, "something to move", lambda: model.move()),
        (ValueError, "alpha", lambda: model.move(alpha=-1.0)),
        (ValueError, "negative", lambda: model.reweight([1, -1, 1])),
        (ValueError, "is None", lambda: model.reweight(None)),
        (ValueError, "y has shape", lambda: model.move(y=y[:3])),
        (ValueError, "overflows", lambda: model.move(alpha=1e300, penalty_weight=1e300)),
        (ValueError, "2 features", lambda: model.add(X[:2, :2], y[:2])),
        (ValueError, "y has shape", lambda: model.add(X[:2], y[:3])),
        (IndexError, "training instance 10", lambda: model.remove(10)),
        (ValueError, "at least one index", lambda: model.remove([])),
        (ValueError, "flatnonzero", lambda: model.remove(y > 0)),
        (ValueError, "at least one must stay", lambda: model.remove(np.arange(10))),
        (ValueError, "drop", lambda: model.slide(X[:1], y[:1], drop=11)),
        (ValueError, "would be zero", lambda: model.slide(X[:1], y[:1], 9, [0, 0])),
        (ValueError, "gamma", lambda: model.adaptive(gamma=0.0)),
        (ValueError, "initial", lambda: model.adaptive(initial=[1.0])),
        (ValueError, "epsilon", lambda: model.reweighted_l1(epsilon=0.0)),
        (ValueError, "n_rounds", lambda: model.reweighted_l1(n_rounds=0)),
    ]
    for error, message, call in calls:
        with pytest.raises(error, match=message):
            call()
        assert model.__dict__ == before


def test_data_are_copied():
    X, y, _ = regression(10, 3)
    model = wp.Lasso(0.1).fit(X, y)
    coef = model.coef_.copy()
    X[:], y[:] = 0.0, 0.0
    model.move(alpha=1.0)
    model.move(alpha=0.1)
    assert model.coef_ == pytest.approx(coef, abs=1e-12)


def test_documentation():
    assert doctest.testmod(lasso).failed == 0
    text = inspect.getdoc(wp.Lasso)
    model = wp.Lasso().fit([[0.0], [1.0]], [0, 1])
    names = [name for name in shown_by(model) if name.endswith("_") and not name.startswith("_")]
    for name in [*inspect.signature(wp.Lasso).parameters, *names, "feature_names_in_"]:
        assert f"\n{name} : " in text
    for name, method in inspect.getmembers(wp.Lasso, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("weightpath"):
            assert "Returns\n-------\n" in inspect.getdoc(method)
