"""Checks of what users hand in; each message says what is wrong and what is expected."""

from __future__ import annotations

import numbers

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from weightpath.engine import smallest_eigenvalue
from weightpath.errors import KernelNotPSDError

__all__ = ["check_number", "check_precomputed", "check_psd", "check_weights", "per_row"]

# Kernels whose matrix is positive semidefinite whatever the data.
_ALWAYS_PSD = ("linear", "rbf")
_PSD_PART = 1e-10
_LARGEST_CHECK = 2000


def check_number(name: str, value, low: float = 0.0, strict: bool = True) -> float:
    """Return ``value`` as a float; it must be finite and above ``low``."""
    relation = ">" if strict else ">="
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} must be a number {relation} {low:g}, got {value!r}.")
    value = float(value)
    if not np.isfinite(value) or value < low or (strict and value == low):
        raise ValueError(f"{name} must be a finite number {relation} {low:g}, got {value!r}.")
    return value


def per_row(name: str, value, n: int) -> np.ndarray:
    """Return a number or an array with one entry for each row as a finite array."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, got {value!r}.") from error
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.shape != (n,):
        raise ValueError(
            f"{name} has shape {array.shape}, expected ({n},): one entry for each training instance."
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"{name} contains NaN or infinity, first at index {bad[0]} (value {array[bad[0]]})."
        )
    return np.array(array)


def check_weights(name: str, value, n: int) -> np.ndarray:
    """Return instance weights: finite, not negative, one for each row; ones if not given."""
    if value is None:
        return np.ones(n)
    array = per_row(name, value, n)
    negative = np.flatnonzero(array < 0)
    if negative.size:
        raise ValueError(
            f"{name} must not be negative; index {negative[0]} is {array[negative[0]]:g}. Use 0 to "
            "take an instance out."
        )
    return array


def check_precomputed(K) -> None:
    """Raise unless a precomputed kernel matrix is square and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"A precomputed kernel matrix must be square, got shape {K.shape}. "
            "Precomputed matrix must be a square matrix."
        )
    scale = float(np.abs(K).max(initial=0.0))
    if float(np.abs(K - K.T).max(initial=0.0)) > 1e-8 * scale:
        raise ValueError("A precomputed kernel matrix must be symmetric: K[i, j] == K[j, i].")


def check_psd(kernel, columns, ridge: float) -> None:
    """Raise if a kernel that need not be positive semidefinite is not so on the data.

    A matrix of more than 2,000 rows is looked at in part; the engine meets the rest.
    """
    if kernel.name in _ALWAYS_PSD or (kernel.name == "poly" and kernel.coef0 >= 0):
        return
    n = columns.n
    some = np.arange(n)
    if n > _LARGEST_CHECK:
        some = np.sort(np.random.default_rng(0).choice(n, _LARGEST_CHECK, replace=False))
    matrix = columns.submatrix(some)
    scale = max(float(np.abs(matrix).max(initial=0.0)), 1e-300)
    matrix[np.diag_indices_from(matrix)] += ridge + _PSD_PART * scale * len(some)
    try:
        cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        low, high = smallest_eigenvalue(columns, ridge, most=_LARGEST_CHECK)
        raise KernelNotPSDError(
            f"The {kernel.name} kernel matrix is not positive semidefinite on this data (smallest "
            f"eigenvalue {low:.3g}, largest {high:.3g}), so the problem is not convex. Use "
            'kernel="rbf", "linear" or "poly" with coef0 >= 0, other kernel parameters, or '
            f"ridge >= {max(-low, 0.0):.2g}."
        ) from None
