"""Windows whose ends are found without the way there; the way is as exact when it is read."""

from __future__ import annotations

import numpy as np
import pytest
from applications.test_online_batches import BATCH, WINDOW, batches, drifting, stream
from sklearn import svm
from sklearn.datasets import make_classification

import weightpath as wp
from weightpath.errors import PrecisionWarning


@pytest.mark.parametrize("size", [1, BATCH, 5 * BATCH])
def test_a_judge_of_its_own(size):
    X, y = stream(10, seed=5)
    model = wp.OnlineSVC(window=WINDOW)
    for is_leap in batches(model, X, y, size):
        assert is_leap
        judge = svm.SVC(gamma=model.gamma_, tol=1e-10)
        judge.fit(model.window_X_, model.window_y_, model.window_weight_)
        ours, theirs = model.decision_function(X), judge.decision_function(X)
        # It has kernel values in single precision.
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=5e-6)


@pytest.mark.parametrize("rows", [stream(), drifting()], ids=["plain", "drifting"])
def test_the_way_that_is_read_is_that_of_a_model_that_follows_it(rows):
    X, y = rows
    leaping = wp.OnlineSVC(window=WINDOW)
    following = wp.OnlineSVC(window=WINDOW, follow_paths=True)
    for is_leap, is_late in zip(batches(leaping, X, y), batches(following, X, y), strict=True):
        assert not is_late
        ours, theirs = leaping.path_, following.path_
        assert ours is leaping.path_ and ours.kkt_violation() < 1e-9
        if is_leap:
            assert ours.n_events == theirs.n_events
            np.testing.assert_allclose(ours.theta, theirs.theta, rtol=0, atol=1e-9)
        end = ours.model_at(1.0).decision_function(X)
        np.testing.assert_allclose(end, leaping.decision_function(X), rtol=0, atol=1e-9)
        np.testing.assert_allclose(end, following.decision_function(X), rtol=0, atol=1e-9)


def test_parameters_may_be_numbers_of_numpy():
    X, y = stream(2)
    assert all(batches(wp.OnlineSVC(window=np.int64(WINDOW), C=np.float64(2.0)), X, y))


def test_limited_paths_are_followed():
    X, y = stream(2)
    assert not any(batches(wp.OnlineSVC(window=WINDOW, max_events=10**5), X, y))


def test_after_a_leap_that_failed_paths_are_followed_for_a_while(monkeypatch):
    X, y = stream(10)
    model = wp.OnlineSVC(window=WINDOW)
    steps = batches(model, X, y)
    assert next(steps)
    with monkeypatch.context() as patch:
        patch.setattr("weightpath.engine.leap.leap", lambda _: False)
        assert not next(steps)
    assert [next(steps) for _ in range(8)] == [False] * 8
    assert next(steps, None) is None
    assert model.svc_.kkt_violation() < 1e-9
    model.partial_fit(X[:BATCH], y[:BATCH])
    assert model._slider._followed is None


def test_several_classes():
    X, y = make_classification(
        WINDOW + 60, 12, n_informative=6, n_classes=3, random_state=0, flip_y=0.1
    )
    model = wp.OnlineSVC(window=WINDOW, decision_function_shape="ovo")
    assert all(batches(model, X, y))
    assert model.svc_.kkt_violation() < 1e-9 and model.path_.kkt_violation() < 1e-9


@pytest.mark.parametrize("epsilon", [0.1, 0.0])
def test_regression(epsilon):
    X, _ = stream(seed=6)
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1]
    model = wp.OnlineSVR(window=WINDOW, epsilon=epsilon)
    assert any(batches(model, X, y))
    assert model.svr_.kkt_violation() < 1e-9
    assert model.path_.kkt_violation() < 1e-9


def test_one_class_models_follow_their_paths():
    """Nothing says what is large there but the values themselves."""
    X, _ = stream()
    model = wp.OnlineOneClassSVM(window=WINDOW, nu=0.2).partial_fit(X[:WINDOW])
    model.partial_fit(X[WINDOW:])
    assert model._slider._followed is not None
    assert model.one_class_svm_.kkt_violation() < 1e-9


def test_problems_beyond_double_precision_are_told_so():
    X, y = stream(1, scale=1e9)
    model = wp.OnlineSVC(window=WINDOW, kernel="linear", C=1e3)
    with pytest.warns(PrecisionWarning):
        model.fit(X[:WINDOW], y[:WINDOW])
    with pytest.warns(PrecisionWarning):
        model.partial_fit(X[WINDOW:], y[WINDOW:])
