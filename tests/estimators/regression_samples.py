"""Data for regressions, and the same rbf by every kind of training matrix."""

from __future__ import annotations

import numpy as np

import weightpath as wp
from estimators.samples import GAMMA, plain_rbf

CLASSES = (wp.SVR, wp.QuantileSVR)


def noisy(n=60, n_features=3, seed=0):
    """A smooth function with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)


def machine(cls, kind, **params):
    """Return an unfitted model for a training matrix of some kind."""
    kernel = {"precomputed": "precomputed", "callable": plain_rbf}.get(kind.name, "rbf")
    own = {} if cls is wp.OneClassSVM else {"C": 2.0}
    return cls(**{"kernel": kernel, "gamma": GAMMA, **own, **params})


def values(model, X):
    """Return predictions, or decision values of a model of one class."""
    return model.decision_function(X) if isinstance(model, wp.OneClassSVM) else model.predict(X)


def assert_alike(model, other, X, tolerance=1e-7):
    """Assert that two models have the same values."""
    np.testing.assert_allclose(values(model, X), values(other, X), rtol=0, atol=tolerance)
