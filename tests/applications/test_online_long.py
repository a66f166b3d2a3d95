"""A window that slides for long: nothing piles up, and the model stays exact."""

import sys

import numpy as np
import pytest
from sklearn.datasets import make_classification

import weightpath as wp


def peak_mb():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def follow_stream(n_slides, window, n_features=20):
    """Slide a window; return the model, the rows and the peak of memory at a tenth of the way."""
    X, y = make_classification(
        n_slides + window,
        n_features,
        n_informative=min(8, n_features),
        n_redundant=0,
        random_state=0,
    )
    model = wp.OnlineSVC(window=window).partial_fit(X[:window], y[:window])
    early = 0.0
    for i in range(window, window + n_slides):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert model.path_ is not None
        if 10 * (i - window) <= n_slides and sys.platform == "linux":
            early = peak_mb()
    return model, X, early


def check(model, X):
    assert model.svc_.kkt_violation() < 1e-9
    assert np.array_equal(model.window_X_, X[-len(model.window_X_) :])
    fresh = wp.SVC(gamma=model.gamma_)
    fresh.fit(model.window_X_, model.window_y_, model.window_weight_)
    assert np.abs(model.decision_function(X) - fresh.decision_function(X)).max() < 1e-9


def test_hundreds_of_slides():
    """Long enough for rows, panels and columns to run out of room several times."""
    model, X, _ = follow_stream(n_slides=400, window=100, n_features=6)
    assert np.shares_memory(model.window_X_, model.svc_.training_set_.X), "there is one copy"
    check(model, X)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory as Linux counts it")
def test_ten_thousand_slides_take_no_more_memory():
    model, X, early = follow_stream(n_slides=10_000, window=1000)
    assert peak_mb() - early < 30.0
    check(model, X[-2000:])
