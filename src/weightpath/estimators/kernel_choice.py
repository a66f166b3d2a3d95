"""From an estimator's kernel parameters to a :class:`~weightpath.kernels.Kernel`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.kernels import Kernel

__all__ = ["KernelFunction", "choose_kernel"]

# A function of two matrices of rows that returns the matrix of their kernel values.
KernelFunction = Callable[[Any, Any], Any]

_NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def choose_kernel(estimator: Any, X: Any, sample_weight: NDArray[np.float64]) -> Kernel:
    """Return the kernel that the parameters of ``estimator`` name, on weighted data ``X``."""
    name = estimator.kernel
    if callable(name):
        return Kernel("callable", function=name)
    if not isinstance(name, str) or name not in _NAMES:
        raise ValueError(
            f"Unknown kernel {name!r}. Choose one of {', '.join(map(repr, _NAMES))}, or give a "
            "function of two matrices."
        )
    if name in ("linear", "precomputed"):
        return Kernel(name)
    degree = check_whole_number("degree", estimator.degree, 0)
    coef0 = check_number("coef0", estimator.coef0, -np.inf)
    return Kernel(name, _gamma(estimator.gamma, X, sample_weight), degree, coef0)


def _gamma(gamma: float | str, X: Any, sample_weight: NDArray[np.float64]) -> float:
    """Resolve gamma; "scale" uses the weighted variance, so that weight 2 equals two copies."""
    if isinstance(gamma, str):
        if gamma == "auto":
            return 1.0 / float(X.shape[1])
        if gamma == "scale":
            with np.errstate(over="ignore", invalid="ignore"):
                variance = _weighted_variance(X, sample_weight)
            if not np.isfinite(variance):
                raise ValueError(
                    'The variance of X, of which gamma="scale" is made, overflows. Scale the '
                    "features, for instance by sklearn.preprocessing.StandardScaler."
                )
            return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        raise ValueError(f'gamma must be "scale", "auto" or a number > 0, got {gamma!r}.')
    return check_number("gamma", gamma)


def _weighted_variance(X: Any, sample_weight: NDArray[np.float64]) -> float:
    total = float(sample_weight.sum() * X.shape[1])
    if issparse(X):
        mean = float(sample_weight @ np.asarray(X.sum(axis=1)).ravel()) / total
        square = float(sample_weight @ np.asarray(X.multiply(X).sum(axis=1)).ravel()) / total
        return square - mean**2
    mean = float(sample_weight @ X.sum(axis=1)) / total
    return float(sample_weight @ ((X - mean) ** 2).sum(axis=1)) / total
