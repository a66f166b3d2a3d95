"""Many rows that arrive at once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import make_classification

import weightpath as wp

WINDOW, BATCH = 400, 10


def stream(n_batches=8, seed=0, scale=1.0, **options):
    n = WINDOW + n_batches * BATCH
    X, y = make_classification(n, 12, n_informative=6, random_state=seed, **options)
    return scale * X, y


def drifting(n_batches=8):
    """The new rows contradict those in the window: values far from the margin come near it."""
    X, y = stream(n_batches, seed=3, class_sep=1.5)
    y[WINDOW:] = 1 - y[WINDOW:]
    X[WINDOW:] = X[: len(X) - WINDOW] + 0.05
    return X, y


def doubled(n_batches=8):
    """Every row of the window comes again, some with the other label."""
    X, y = stream(n_batches, seed=4, flip_y=0.1)
    X[WINDOW:] = X[: len(X) - WINDOW]
    return X, y


def batches(model, X, y, size=BATCH):
    """Learn all rows, the window first; yield after each batch whether it was reached by a leap."""
    model.partial_fit(X[:WINDOW], y[:WINDOW])
    for i in range(WINDOW, len(y), size):
        model.partial_fit(X[i : i + size], y[i : i + size])
        yield model._slider._followed is None


def halves(n):
    """Weights of nothing for the older half."""
    return (np.arange(n) >= n // 2).astype(float)


@pytest.mark.parametrize(
    "rows",
    [
        stream(),
        stream(seed=1, flip_y=0.2),
        stream(seed=2, scale=300.0),
        drifting(),
        doubled(),
    ],
    ids=["plain", "noisy", "unscaled", "drifting", "doubled"],
)
@pytest.mark.parametrize(
    "options",
    [{}, {"C": 50.0}, {"forgetting": halves}, {"class_weight": {0: 3.0}}, {"ridge": 1e-3}],
    ids=["default", "large C", "zero weights", "class weights", "ridge"],
)
@pytest.mark.parametrize("follows", [False, True], ids=["leaps", "paths"])
def test_windows_are_solved_exactly(rows, options, follows):
    X, y = rows
    model = wp.OnlineSVC(window=WINDOW, follow_paths=follows, **options)
    for _ in batches(model, X, y):
        pass
    assert model.svc_.kkt_violation() < 1e-9
    fresh = wp.SVC(**model.svc_.get_params() | {"gamma": model.gamma_})
    fresh.fit(model.window_X_, model.window_y_, model.window_weight_)
    np.testing.assert_allclose(
        model.decision_function(X), fresh.decision_function(X), rtol=0, atol=1e-8
    )


def test_a_judge_of_its_own():
    X, y = stream(seed=5)
    model = wp.OnlineSVC(window=WINDOW)
    for _ in batches(model, X, y):
        judge = svm.SVC(gamma=model.gamma_, tol=1e-10)
        judge.fit(model.window_X_, model.window_y_, model.window_weight_)
        ours, theirs = model.decision_function(X), judge.decision_function(X)
        # It has kernel values in single precision.
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=5e-6)


@pytest.mark.parametrize("rows", [stream(), drifting()], ids=["plain", "drifting"])
def test_the_way_is_that_of_a_model_that_slides(rows):
    """Event by event."""
    X, y = rows
    model = wp.OnlineSVC(window=WINDOW)
    other, weight = None, None
    for k, _ in enumerate(batches(model, X, y)):
        if other is not None:
            new = slice(WINDOW + k * BATCH, WINDOW + (k + 1) * BATCH)
            slid = other.slide(X[new], y[new], drop=BATCH, sample_weight=weight)
            assert model.path_.n_events == slid.n_events
            np.testing.assert_allclose(model.path_.theta, slid.theta, rtol=0, atol=1e-9)
            assert model.path_.kkt_violation() < 1e-9
            end = model.path_.model_at(1.0).decision_function(X)
            np.testing.assert_allclose(end, model.decision_function(X), rtol=0, atol=1e-9)
        other, weight = pickle.loads(pickle.dumps(model.svc_)), model.window_weight_


def test_the_way_is_exact_after_the_model_went_on():
    X, y = stream()
    model = wp.OnlineSVC(window=WINDOW)
    model.partial_fit(X[:WINDOW], y[:WINDOW])
    model.partial_fit(X[WINDOW : WINDOW + BATCH], y[WINDOW : WINDOW + BATCH])
    before = model._slider
    for i in range(WINDOW + BATCH, len(y), BATCH):
        model.partial_fit(X[i : i + BATCH], y[i : i + BATCH])
    assert before.path.kkt_violation() < 1e-9
    assert before.path.n_events > 0
    assert model.svc_.kkt_violation() < 1e-9


def test_regression():
    X, _ = stream(seed=6)
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1]
    model = wp.OnlineSVR(window=WINDOW, C=10.0)
    for _ in batches(model, X, y):
        pass
    assert model.svr_.kkt_violation() < 1e-9
    assert model.path_.kkt_violation() < 1e-9


def test_a_pickled_model_has_the_whole_path():
    model = wp.OnlineSVC(window=WINDOW)
    for _ in batches(model, *stream()):
        pass
    copied = pickle.loads(pickle.dumps(model))
    assert copied.path_.kkt_violation() < 1e-9
    assert copied.path_.n_events == model.path_.n_events
