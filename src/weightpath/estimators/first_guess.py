"""Approximate solutions to start from, by scikit-learn's LIBSVM; the engine makes them exact."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

__all__ = ["guess_classifier"]

# LIBSVM may take very long on linear kernels and large weights; what is left, the path does.
_ITERATIONS = 100_000
_ITERATIONS_PER_ROW = 50


def guess_classifier(kernel, X, sign, weight, tol: float, cache_mb: float):
    """Return approximate ``beta`` and bias of a weighted support vector classifier.

    Instances of zero weight take no part.
    """
    used = np.flatnonzero(weight > 0)
    beta = np.zeros(len(sign))
    rows = X[used]
    name = kernel.name
    if name == "precomputed":
        rows = rows[:, used]
    elif name == "callable":
        rows, name = kernel.between(rows, rows), "precomputed"
    model = svm.SVC(
        C=1.0,
        kernel=name,
        gamma=max(kernel.gamma, np.finfo(float).tiny),
        degree=kernel.degree,
        coef0=kernel.coef0,
        tol=tol,
        cache_size=cache_mb,
        max_iter=_ITERATIONS + _ITERATIONS_PER_ROW * len(used),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, sign[used], sample_weight=weight[used])
    coef = model.dual_coef_
    beta[used[model.support_]] = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef)[0]
    return beta, float(model.intercept_[0])
