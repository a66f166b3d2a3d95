"""Sums of kernel values over points, for many training rows: the transpose of an evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels._kernel_columns import kernel_sums
from weightpath.kernels.kernel import Kernel

__all__ = ["sums_over_points"]

Reals = NDArray[np.float64]

# So many kernel values are computed at a time, between which an interrupt is heard.
_AT_ONCE = 10_000_000


def sums_over_points(
    kernel: Kernel, X: Any, rows: NDArray[np.intp], points: Any, coef: Reals
) -> Reals:
    """Return ``K(X[rows], points) @ coef``.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : ndarray or CSR of shape (n, p)
        The training rows; not used by a precomputed kernel.
    rows : ndarray of int
        Those that are asked for.
    points : ndarray or CSR of shape (n_points, p)
        For a precomputed kernel their kernel values with all training rows, (n_points, n).
    coef : ndarray of shape (n_points,)
        Points whose coefficient is zero cost nothing.
    """
    used = np.flatnonzero(coef)
    if used.size < len(coef):
        points, coef = points[used], coef[used]
    if kernel.name == "precomputed":
        return np.asarray(coef @ points[:, rows])
    is_dense = isinstance(X, np.ndarray) and isinstance(points, np.ndarray)
    if kernel.name == "linear" or not kernel.is_native or not is_dense:
        return kernel.product(X[rows], points, coef)
    own, rows = np.ascontiguousarray(X), np.ascontiguousarray(rows, dtype=np.intp)
    coef = np.ascontiguousarray(coef)
    sums = np.zeros(len(rows))
    step = max(1, _AT_ONCE // max(1, len(rows)))
    for first in range(0, len(coef), step):
        some = slice(first, first + step)
        sums += kernel_sums(kernel, own, rows, np.ascontiguousarray(points[some]), coef[some])
    return sums
