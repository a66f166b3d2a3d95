"""Covariate shift: the chosen flattening is the best of all, the model that of a refit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import svm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, StratifiedKFold

import weightpath as wp
from weightpath.weights import ImportanceFit, importance


def shifted(n=120, n_test=90, seed=0):
    rng = np.random.default_rng(seed)
    X, X_test = rng.normal(0.0, 1.0, (n, 2)), rng.normal(0.8, 0.6, (n_test, 2))
    y, y_test = (np.where(Z[:, 0] ** 2 + Z[:, 1] > 1, "high", "low") for Z in (X, X_test))
    flip = rng.random(n) < 0.1
    y[flip] = np.where(y[flip] == "high", "low", "high")
    return X, y, X_test, y_test


@pytest.fixture(scope="module")
def fitted():
    X, y, X_test, _ = shifted()
    model = wp.CovariateShiftSVC(wp.SVC(C=2.0, gamma=0.5), cv=4).fit(X, y, X_test)
    return model, X, y, X_test


def validation_error(X, y, weight, theta, cv):
    """The importance-weighted error by scikit-learn: fits and predictions, nothing exact."""
    wrong = 0.0
    for train, test in StratifiedKFold(cv).split(X, y):
        judge = svm.SVC(C=2.0, gamma=0.5, tol=1e-9)
        judge.fit(X[train], y[train], sample_weight=1 - theta + theta * weight[train])
        wrong += weight[test] @ (judge.predict(X[test]) != y[test])
    return wrong / weight.sum()


def test_importance_is_that_of_the_weights_module(fitted):
    model, X, _, X_test = fitted
    np.testing.assert_array_equal(model.importance_, importance(X, X_test))
    assert isinstance(model.importance_fit_, ImportanceFit)
    np.testing.assert_array_equal(model.importance_fit_(X), model.importance_)


def test_curve_is_the_validation_error_of_refits(fitted):
    model, X, y, _ = fitted
    for theta in (0.0, 0.21, 0.5, 0.83, 1.0):
        expected = validation_error(X, y, model.importance_, theta, 4)
        assert model.curve_(theta) == pytest.approx(expected, abs=1e-9)


def test_no_flattening_is_better(fitted):
    model, X, y, _ = fitted
    best = model.curve_(model.flattening_)
    assert 0.0 <= model.flattening_ <= 1.0
    assert (model.curve_(np.linspace(0, 1, 501)) >= best - 1e-12).all()
    assert best == pytest.approx(
        validation_error(X, y, model.importance_, model.flattening_, 4), abs=1e-9
    )


def test_model_is_the_refit_at_the_chosen_weights(fitted):
    model, X, y, X_test = fitted
    np.testing.assert_allclose(
        model.weights_, 1 - model.flattening_ + model.flattening_ * model.importance_
    )
    fresh = wp.SVC(C=2.0, gamma=0.5).fit(X, y, sample_weight=model.weights_)
    np.testing.assert_allclose(
        model.decision_function(X_test), fresh.decision_function(X_test), atol=1e-6
    )
    np.testing.assert_array_equal(model.predict(X_test), model.best_estimator_.predict(X_test))


def test_every_place_of_the_path_is_a_refit(fitted):
    model, X, y, X_test = fitted
    assert model.path_.kkt_violation() < 1e-9
    for theta in (0.0, 0.33, 0.71, 1.0):
        weight = 1 - theta + theta * model.importance_
        fresh = wp.SVC(C=2.0, gamma=0.5).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(
            model.path_.decision_function(X_test, theta),
            fresh.decision_function(X_test),
            atol=1e-6,
        )


def test_estimator_is_not_changed_and_jobs_make_no_difference():
    X, y, X_test, _ = shifted(60, 50)
    svc = wp.SVC(C=1.0, gamma=0.5)
    one = wp.CovariateShiftSVC(svc, cv=KFold(3)).fit(X, y, X_test)
    assert not hasattr(svc, "classes_")
    with parallel_config("threading"):
        two = wp.CovariateShiftSVC(svc, cv=KFold(3), n_jobs=2).fit(X, y, X_test)
    np.testing.assert_array_equal(one.curve_.edges, two.curve_.edges)
    np.testing.assert_array_equal(one.curve_.values, two.curve_.values)


def test_three_classes_and_the_hinge():
    X, _, X_test, _ = shifted(90, 60)
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    several = wp.CovariateShiftSVC(wp.SVC(gamma=0.5), cv=3).fit(X, y, X_test)
    assert several.classes_.tolist() == [0, 1, 2]
    two = y > 0
    hinge = wp.CovariateShiftSVC(wp.SVC(gamma=0.5), cv=3, metric="hinge").fit(X, two, X_test)
    assert hinge.curve_.degree == 1


def test_without_a_shift_weights_hardly_matter():
    rng = np.random.default_rng(0)
    X, X_test = rng.normal(size=(150, 2)), rng.normal(size=(150, 2))
    y = X[:, 0] > 0
    model = wp.CovariateShiftSVC(cv=3).fit(X, y, X_test)
    assert model.importance_.mean() == pytest.approx(1.0, abs=0.2)


def test_a_fold_without_importance_does_not_count():
    X, y, X_test, _ = shifted(120, 60)
    weight = importance(X, X_test, sigma=0.3)
    order = np.argsort(weight)
    assert (weight[order[:6]] < 1e-6 * weight.max()).all()
    far = X.copy()
    far[order[:6]] += 100.0 * np.sign(far[order[:6]])
    folds = [(np.delete(np.arange(120), order[:6]), order[:6])]
    rest = order[6:]
    folds += [(np.concatenate([order[:6], rest[57:]]), rest[:57])]
    folds += [(np.concatenate([order[:6], rest[:57]]), rest[57:])]
    model = wp.CovariateShiftSVC(wp.SVC(gamma=0.5), cv=folds, sigma=0.3).fit(far, y, X_test)
    assert model.fold_curves_[0] is None
    assert all(curve is not None for curve in model.fold_curves_[1:])


def test_a_class_without_importance_is_an_error():
    X = np.concatenate([np.zeros((10, 1)) + np.arange(10)[:, None] / 10, np.full((10, 1), 1000.0)])
    y = np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match=r"class 1 .*larger"):
        wp.CovariateShiftSVC(sigma=1.0).fit(X, y, np.linspace(0, 1, 10)[:, None])


def test_wrong_input_is_refused():
    X, y, X_test, _ = shifted(60, 50)
    with pytest.raises(TypeError, match="reweight"):
        wp.CovariateShiftSVC(svm.SVC()).fit(X, y, X_test)
    with pytest.raises(ValueError, match="features"):
        wp.CovariateShiftSVC().fit(X, y, X_test[:, :1])
    with pytest.raises(NotFittedError):
        wp.CovariateShiftSVC().predict(X)


def test_copies_and_plot(fitted):
    model, X, _, _ = fitted
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params()["cv"] == 4
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    assert "flattening" in model.plot().ax_.get_xlabel()
    pyplot.close("all")


@pytest.mark.data("bci")
def test_a_task_of_brain_signals(request):
    home = request.config.getoption("--data")
    task = wp.datasets.load_bci(
        **wp.datasets.bci_tasks()[0], data_home=home, n_components=4, n_train=200, n_test=100
    )
    low, high = task.data.min(axis=0), task.data.max(axis=0)
    X, X_test = ((Z - low) / (high - low) for Z in (task.data, task.test_data))
    model = wp.CovariateShiftSVC(wp.SVC(C=10, gamma=0.25), cv=3).fit(X, task.target, X_test)
    assert model.path_.kkt_violation() < 1e-9
    assert model.curve_(model.flattening_) <= min(model.curve_(0.0), model.curve_(1.0))
