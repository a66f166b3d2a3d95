"""Leave-one-out by its definition: fit again without the instance."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

import weightpath as wp


def values(model, X):
    """Decision values, one column for each pair of classes; predictions of a regression."""
    if isinstance(model, wp.SVC):
        model = model.set_params(decision_function_shape="ovo", break_ties=False)
        found = model.decision_function(X)
    elif isinstance(model, wp.OneClassSVM):
        found = model.decision_function(X)
    else:
        found = model.predict(X)
    return found.reshape(X.shape[0], -1)


def refitted(model, X, y, gone, sample_weight=None):
    """Return a new model of the same kernel, fitted without some rows."""
    keep = np.setdiff1d(np.arange(X.shape[0]), gone)
    fresh = clone(model)
    if hasattr(fresh, "gamma"):
        fresh.set_params(gamma=model.gamma_)
    if hasattr(fresh, "epsilon") and np.ndim(fresh.epsilon):
        fresh.set_params(epsilon=np.asarray(fresh.epsilon)[keep])
    weight = None if sample_weight is None else sample_weight[keep]
    if hasattr(model, "kernel") and model.kernel == "precomputed":
        return fresh.fit(X[np.ix_(keep, keep)], y[keep], sample_weight=weight), keep
    return fresh.fit(X[keep], y[keep], sample_weight=weight), keep


def left_out_values(model, X, y, index, sample_weight=None):
    """Return the values at each instance of the model fitted without it."""
    found = []
    for i in index:
        fresh, keep = refitted(model, X, y, [i], sample_weight)
        precomputed = getattr(model, "kernel", "") == "precomputed"
        found.append(values(fresh, X[[i]][:, keep] if precomputed else X[[i]])[0])
    return np.array(found)


def assert_like_refits(model, X, y, sample_weight=None, index=None, tolerance=1e-9, result=None):
    """Assert that leave-one-out equals fitting again; return it."""
    index = np.arange(X.shape[0]) if index is None else index
    result = wp.leave_one_out(model, indices=index) if result is None else result
    expected = left_out_values(model, X, y, index, sample_weight)
    found = result.decision_values.reshape(len(index), -1)
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)
    return result
