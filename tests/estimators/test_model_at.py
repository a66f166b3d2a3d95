"""Models taken from a path, and paths that went through a file."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import weightpath as wp
from estimators.samples import (
    KINDS,
    Kind,
    assert_same_model,
    fingerprint,
    overlapping,
    pairwise_values,
    random_weights,
)

N = 50


def traced(name="dense", n_classes=2, labels=None, **params):
    kind = Kind(name)
    X, y = overlapping(N, n_classes)
    y = y if labels is None else np.array(labels)[y]
    X = kind.training(X)
    model = kind.model(**params).fit(X, y)
    return model.move(sample_weight=random_weights(N, 1, zeros=0.1), C=5.0, margin=0.8), model, X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", KINDS)
def test_model_equals_a_fresh_fit_and_moves_on(name, n_classes):
    path, model, X, y = traced(name, n_classes)
    arrived = fingerprint(model)
    for theta in (0.0, 0.37, path.theta[len(path) // 2], 1.0):
        there = path.model_at(theta)
        np.testing.assert_allclose(
            pairwise_values(there, X), path.subproblem_values(X, theta), rtol=0, atol=1e-9
        )
        np.testing.assert_allclose(there.weights_, path.at(theta).weights, rtol=1e-13)
        fresh = Kind(name).model(C=1.0).fit(X, y, there.weights_, there.margin_)
        assert_same_model(there, fresh, X)
        assert there.kkt_violation() < 1e-9
        np.testing.assert_allclose(there.C_, 2.0 + 3.0 * theta)
        onward = there.reweight(np.ones(N))
        assert onward.kkt_violation() < 1e-9
        fresh = Kind(name).model(C=2.0 + 3.0 * theta).fit(X, y, margin=there.margin_)
        assert_same_model(there, fresh, X)
    assert fingerprint(model) == arrived


def test_models_from_every_breakpoint_can_move_on():
    path, _, X, y = traced()
    home = wp.SVC(C=1.0, gamma=0.4).fit(X, y)
    for theta in path.theta:
        there = path.model_at(theta)
        there.move(sample_weight=1.0 / there.C_, margin=1.0)
        assert_same_model(there, home, X)


def test_moving_a_model_leaves_its_path_alone():
    path, _, X, _ = traced()
    before = path.decision_function(X, 0.5)
    there = path.model_at(0.5)
    there.reweight(random_weights(N, 7))
    there.add(X[:2], [0, 1])
    there.remove(range(5))
    assert (path.decision_function(X, 0.5) == before).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_and_models_from_a_path(n_classes):
    _, model, X, y = traced(n_classes=n_classes)
    path = model.slide(X[:3] + 0.1, y[:3], drop=4)
    there = path.model_at(0.5)
    assert there.weights_.shape == (N + 3,)
    there.remove(range(4))
    there.slide(X[3:5] + 0.1, y[3:5], drop=2)
    labels = np.concatenate([y[6:], y[:5]])
    fresh = wp.SVC(C=1.0, gamma=0.4).fit(
        np.vstack([X[6:], X[:5] + 0.1]), labels, there.weights_, there.margin_
    )
    assert_same_model(there, fresh, X)


def test_a_model_from_a_path_is_an_ordinary_estimator():
    path, model, X, _ = traced(n_classes=3, labels=["a", "b", "c"])
    there = path.model_at(0.3)
    check_is_fitted(there)
    assert there.get_params() == model.get_params()
    assert set(vars(there)) == set(vars(model))
    copy = pickle.loads(pickle.dumps(there))
    assert (copy.predict(X) == there.predict(X)).all()
    with pytest.raises(NotFittedError):
        clone(there).predict(X)


def test_attributes_on_the_way():
    path, model, _, _ = traced(class_weight="balanced")
    start, middle, end = (path.model_at(theta) for theta in (0.0, 0.5, 1.0))
    assert (start.C_, middle.C_, end.C_) == (2.0, 3.5, 5.0)
    np.testing.assert_allclose(start.class_weight_, 1.0)
    np.testing.assert_array_equal(end.class_weight_, model.class_weight_)
    # C times the factors is on a straight line, as all C_i are.
    np.testing.assert_allclose(
        middle.class_weight_, (2.0 * start.class_weight_ + 5.0 * end.class_weight_) / 7.0
    )


@pytest.mark.parametrize("labels", [None, ["no", "maybe", "yes"], [2.0, -1.0, 7.0]], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["dense", "sparse", "precomputed"])
def test_a_path_goes_through_a_file(name, n_classes, labels, tmp_path):
    class_weight = None if labels is None else {labels[0]: 2.0}
    labels = None if labels is None else labels[:n_classes]
    path, _, X, _ = traced(name, n_classes, labels, class_weight=class_weight)
    path.save(tmp_path / "path.npz")
    loaded = wp.load(tmp_path / "path.npz")
    np.testing.assert_array_equal(loaded.theta, path.theta)
    for theta in (0.0, 0.4, 1.0):
        one, other = path.model_at(theta), loaded.model_at(theta)
        assert (one.predict(X) == other.predict(X)).all()
        assert one.classes_.dtype == other.classes_.dtype
        assert one.get_params() == other.get_params()
        assert set(vars(one)) == set(vars(other))
        assert_same_model(one, other, X, tolerance=1e-13)
        other.reweight(np.ones(N))
        other.remove([0, 1])
        one.reweight(np.ones(N))
        one.remove([0, 1])
        assert_same_model(one, other, X[:, 2:] if name == "precomputed" else X, tolerance=1e-11)


def test_object_labels_and_names_of_features_go_through_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = overlapping(N)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = wp.SVC().fit(frame, pandas.Series(np.array(["no", "yes"], dtype=object)[y]))
    path = model.reweight(random_weights(N))
    path.save(tmp_path / "path.npz")
    there = wp.load(tmp_path / "path.npz").model_at(1.0)
    assert there.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (there.predict(frame) == model.predict(frame)).all()


def test_a_function_cannot_go_through_a_file(tmp_path):
    path, _, _, _ = traced("callable")
    with pytest.raises(ValueError, match="callable kernel cannot be saved"):
        path.save(tmp_path / "path.npz")


def test_an_unknown_estimator_in_a_file():
    path, _, _, _ = traced()
    from weightpath.estimators import rebuild

    with pytest.raises(ValueError, match="not an estimator of weightpath"):
        rebuild({**path.params, "estimator": "rebuild"})


@pytest.mark.parametrize("theta", [-0.1, 1.1, np.nan, "half", [0.1, 0.2], None])
def test_a_place_beside_the_path(theta):
    path, _, _, _ = traced()
    with pytest.raises(ValueError, match="theta must be"):
        path.model_at(theta)
    with pytest.raises(ValueError, match="theta must be"):
        path.at(theta)
