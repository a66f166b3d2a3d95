"""Approximate solutions to start from, by scikit-learn's LIBSVM; the engine makes them exact."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from weightpath.kernels import Kernel

__all__ = ["guess_classifier", "guess_one_class", "guess_regressor"]

# LIBSVM may take very long on linear kernels and large weights; what is left, the path does.
_ITERATIONS = 100_000
_ITERATIONS_PER_ROW = 50


def guess_classifier(
    kernel: Kernel,
    sign: NDArray[np.float64],
    weight: NDArray[np.float64],
    X: Any,
    tol: float,
    cache_mb: float,
) -> tuple[NDArray[np.float64], float]:
    """Return approximate ``beta`` and bias of a weighted support vector classifier.

    Instances of zero weight are left out, here as in the other guesses.
    """
    return _guess(svm.SVC(C=1.0, tol=tol, cache_size=cache_mb), kernel, X, sign, weight)


def guess_regressor(
    kernel: Kernel,
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    epsilon: float,
    X: Any,
    tol: float,
    cache_mb: float,
) -> tuple[NDArray[np.float64], float]:
    """Return approximate ``beta`` and bias of a weighted support vector regression."""
    used = target[weight > 0]
    # The tolerance is meant for targets of size one; the bias takes care of where they lie.
    middle, size = 0.5 * (used.min() + used.max()), 0.5 * float(np.ptp(used))
    tol = tol * size if size > 0 else tol
    model = svm.SVR(C=1.0, epsilon=epsilon, tol=tol, cache_size=cache_mb)
    beta, bias = _guess(model, kernel, X, target - middle, weight)
    return beta, float(bias + middle)


def guess_one_class(
    kernel: Kernel, weight: NDArray[np.float64], nu: float, X: Any, tol: float, cache_mb: float
) -> tuple[NDArray[np.float64], float]:
    """Return approximate ``beta`` and bias of a weighted one-class machine."""
    if nu == 1.0:
        # There is only one solution, and no finite bias that LIBSVM would find.
        return np.array(weight), 0.0
    model = svm.OneClassSVM(nu=nu, tol=tol, cache_size=cache_mb)
    # Any coefficients within their bounds that have the right sum will do instead.
    return _guess(model, kernel, X, None, weight, nu)


def _guess(
    model: Any,
    kernel: Kernel,
    X: Any,
    y: NDArray[np.float64] | None,
    weight: NDArray[np.float64],
    share: float = 0.0,
) -> tuple[NDArray[np.float64], float]:
    """Fit a model of scikit-learn to the instances that have a weight.

    Where LIBSVM fails, the coefficients are that ``share`` of their bounds and the bias is zero.
    """
    used = np.flatnonzero(weight > 0)
    rows, name = X[used], kernel.name
    if name == "precomputed":
        rows = rows[:, used]
    elif name == "callable":
        rows, name = kernel.between(rows, rows), "precomputed"
    model.set_params(
        kernel=name,
        gamma=max(kernel.gamma, np.finfo(float).tiny),
        degree=kernel.degree,
        coef0=kernel.coef0,
        max_iter=_ITERATIONS + _ITERATIONS_PER_ROW * len(used),
    )
    # On numbers of very different sizes LIBSVM overflows, which scikit-learn calls an error of the
    # caller. A guess is a convenience: the engine can start from anywhere.
    elsewhere = share * weight, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(rows, None if y is None else y[used], sample_weight=weight[used])
        except ValueError:
            return elsewhere
    coef = model.dual_coef_
    beta, bias = np.zeros(len(weight)), float(model.intercept_[0])
    beta[used[model.support_]] = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef)[0]
    return (beta, bias) if np.isfinite(beta).all() and np.isfinite(bias) else elsewhere
