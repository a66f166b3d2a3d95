"""Checks of what users hand in; each message says what is wrong and what is expected."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from functools import reduce
from reprlib import repr as shorten
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky

from weightpath.engine import smallest_eigenvalue
from weightpath.errors import Advice, KernelNotPSDError, KernelNotSymmetricError
from weightpath.estimators._row_weights import first_wrong
from weightpath.kernels import Kernel

__all__ = [
    "check_cotangent",
    "check_epsilon",
    "check_fraction",
    "check_indices",
    "check_kernel",
    "check_number",
    "check_some_weight",
    "check_symmetric",
    "check_weights",
    "check_whole_number",
    "encode_labels",
    "per_row",
    "products",
]

# Kernels whose matrix is positive semidefinite whatever the data.
_ALWAYS_PSD = ("linear", "rbf")

# A kernel matrix may miss being positive semidefinite by the rounding of its entries: this
# fraction of the largest, times the number of rows.
_PSD_FRACTION = 1e-10

# A kernel matrix may miss being symmetric by this fraction of its largest entry, the rounding of
# single precision; the mean of both halves is taken.
_SYMMETRIC_FRACTION = 1e-6

# The values of a kernel function are used as they come, column by column: beyond rounding they must
# be symmetric, or solutions would be off by as much.
_SYMMETRIC_FUNCTION = 1e-10

# A negative eigenvalue smaller than this fraction of the largest looks like single precision.
_SINGLE_PRECISION = 1e-6

_LARGEST_CHECK = 2000

_CURES = {
    "poly": "Use coef0 >= 0, which is always positive semidefinite",
    "sigmoid": "Use {kernel}, or another gamma and coef0 (a small gamma and coef0 >= 0 help)",
    "precomputed": "Repair the matrix, for instance by setting its negative eigenvalues to zero",
    "callable": "Repair the kernel function",
}


def check_number(name: str, value: Any, low: float = 0.0, strict: bool = True) -> float:
    """Return ``value`` as a float; it must be finite and above ``low``."""
    if type(value) in (float, int) and low < value < np.inf:
        return float(value)
    bound = "" if low == -np.inf else f" {'>' if strict else '>='} {low:g}"
    wrong = isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real)
    if wrong or not np.isfinite(value) or value < low or (strict and value == low):
        raise ValueError(f"{name} must be a finite number{bound}, got {shorten(value)}.")
    return float(value)


def check_fraction(name: str, value: Any, one: bool = False) -> float:
    """Return ``value`` as a float; it must be above 0 and below 1, or be 1 if ``one`` is set."""
    number = check_number(name, value)
    if number > 1.0 or (number == 1.0 and not one):
        bound = "<= 1" if one else "< 1"
        raise ValueError(f"{name} must be a number > 0 and {bound}, got {shorten(value)}.")
    return number


def check_whole_number(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return ``value`` as an int; it must be a whole number of at least ``low``."""
    if type(value) is int and low <= value and (high is None or value <= high):
        return value
    wrong = isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral)
    if wrong or value < low or (high is not None and value > high):
        bound = f">= {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {bound}, got {shorten(value)}.")
    return int(value)


def check_cotangent(value: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return what a change of each decision value costs: finite, of the shape of these values."""
    try:
        cotangent = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("cotangent must be numbers, one for each decision value.") from error
    if cotangent.shape != shape:
        raise ValueError(
            f"cotangent has shape {cotangent.shape}, expected {shape}: one number for each "
            "decision value of X."
        )
    if not np.isfinite(cotangent).all():
        raise ValueError("cotangent contains NaN or infinity.")
    return cotangent


def check_indices(indices: ArrayLike, n: int) -> NDArray[np.intp]:
    """Return row numbers of a training set of ``n`` instances, negative ones from its end."""
    index = np.atleast_1d(np.asarray(indices))
    if index.dtype == bool:
        raise ValueError("indices must be row numbers; of a mask take np.flatnonzero(mask).")
    if index.size == 0:
        raise ValueError("indices must be a list of whole numbers, with at least one index.")
    if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
        raise ValueError(f"indices must be a list of whole numbers, got {indices!r}.")
    outside = index[(index < -n) | (index >= n)]
    if outside.size:
        raise IndexError(f"There is no training instance {outside[0]}: the rows are 0 to {n - 1}.")
    return np.where(index < 0, index + n, index).astype(np.intp)


def per_row(name: str, value: Any, n: int) -> NDArray[np.float64]:
    """Return a number or an array with one entry for each row as a finite array."""
    return _per_row(name, value, n)[0]


def _per_row(name: str, value: Any, n: int) -> tuple[NDArray[np.float64], int]:
    """Return a finite array, as :func:`per_row`, and its first negative index, -1 for none."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a number, or a list of {n} numbers.") from error
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.shape != (n,):
        raise ValueError(
            f"{name} has shape {array.shape}, expected ({n},): one entry for each instance."
        )
    bad, negative = first_wrong(array)
    if bad >= 0:
        raise ValueError(
            f"{name} contains NaN or infinity, first at index {bad} (value {array[bad]})."
        )
    return array, negative


def check_weights(name: str, value: Any, n: int) -> NDArray[np.float64]:
    """Return instance weights: finite, not negative, one for each row; ones if not given."""
    if value is None:
        return np.ones(n)
    if not isinstance(value, np.ndarray) and isinstance(value, (Mapping, str)):
        raise ValueError(
            f"{name} must have one weight for each of the {n} instances, got {shorten(value)}. "
            "Factors of classes are class_weight, which a classifier takes when it is made, and "
            "which model.move(class_weight=...) changes."
        )
    array, negative = _per_row(name, value, n)
    if negative >= 0:
        raise ValueError(
            f"{name} must not be negative, but index {negative} is {array[negative]:g}. "
            "Zero takes an instance out."
        )
    return array


def check_epsilon(value: Any, n: int) -> NDArray[np.float64]:
    """Return half the widths of the tubes: finite, not negative, one for each row."""
    array, negative = _per_row("epsilon", value, n)
    if negative >= 0:
        raise ValueError(
            f"epsilon must not be negative, but index {negative} is {array[negative]:g}."
        )
    return array


def check_some_weight(weight: NDArray[np.float64]) -> None:
    """Raise unless the weights are finite and some instance has one."""
    if not np.isfinite(weight).all():
        raise ValueError("C * sample_weight overflows. Use smaller numbers.")
    if weight.size == 0:
        raise ValueError("No instance is left: a model needs at least one.")
    if not (weight > 0).any():
        raise ValueError(
            "All weights are zero: a model needs an instance of positive weight. Keep one, if only "
            "with a small weight."
        )


def products(*factors: Any) -> NDArray[np.float64]:
    """Return the product of weights; one that overflows is infinite, for a later check to see."""
    with np.errstate(over="ignore"):
        product: NDArray[np.float64] = reduce(np.multiply, factors)
    return product


def encode_labels(y: Any, classes: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return the index of each label among the classes that a model knows."""
    y = np.asarray(y)
    if y.ndim == 0:
        y = y.reshape(1)
    if y.shape != (n,):
        raise ValueError(f"y has shape {y.shape}, expected ({n},): one label for each row of X.")
    index = {label: k for k, label in enumerate(classes.tolist())}
    try:
        return np.array([index[label] for label in y.tolist()], dtype=np.intp)
    except KeyError as unknown:
        raise ValueError(
            f"y contains the label {unknown.args[0]!r}, which the model does not know; its classes "
            f"are {classes.tolist()}. To add a class, fit again."
        ) from None


def check_symmetric(
    K: NDArray[np.float64],
    what: str = "A precomputed kernel matrix",
    allowed: float = _SYMMETRIC_FRACTION,
) -> NDArray[np.float64]:
    """Return a kernel matrix, exactly symmetric; raise unless it is square and almost so.

    A matrix that is symmetric already is returned itself. ``allowed`` is the largest difference
    of two entries that should be equal, as a fraction of the largest entry.
    """
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"{what} must be a square matrix, with the kernel values of all pairs of training "
            f"instances; got shape {K.shape}."
        )
    apart = np.abs(K - K.T)
    most = apart.max(initial=0.0)
    if most > allowed * np.abs(K).max(initial=0.0):
        i, j = np.unravel_index(apart.argmax(), apart.shape)
        raise KernelNotSymmetricError(
            f"The kernel is not symmetric. {what} must be symmetric, but entry ({i}, {j}) is "
            f"{K[i, j]:g} and entry ({j}, {i}) is {K[j, i]:g}."
        )
    return K if most == 0.0 else 0.5 * (K + K.T)


def check_kernel(kernel: Kernel, columns: Any, ridge: float, n_known: int = 0) -> None:
    """Raise if the kernel matrix on the data is not finite or not positive semidefinite.

    Of a larger matrix only 2,000 rows are checked; the engine reports a failure in the others. The
    diagonal of the first ``n_known`` rows is known to be finite.
    """
    if not columns.is_finite_from(n_known):
        raise ValueError(
            f"The {kernel.name} kernel overflows on this data. Scale the features, for instance by "
            "sklearn.preprocessing.StandardScaler."
        )
    if kernel.name in _ALWAYS_PSD or (kernel.name == "poly" and kernel.coef0 >= 0):
        return
    n = columns.n
    some = np.arange(n)
    if n > _LARGEST_CHECK:
        some = np.sort(np.random.default_rng(0).choice(n, _LARGEST_CHECK, replace=False))
    matrix = columns.submatrix(some)
    if kernel.name == "callable":
        matrix = check_symmetric(matrix, "The matrix of a kernel function", _SYMMETRIC_FUNCTION)
    scale = max(float(np.abs(matrix).max(initial=0.0)), 1e-300)
    matrix[np.diag_indices_from(matrix)] += ridge + _PSD_FRACTION * scale * len(some)
    try:
        cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        low, high = smallest_eigenvalue(columns, ridge, most=_LARGEST_CHECK)
        raise _not_psd(kernel, low, high, ridge) from None


def _not_psd(kernel: Kernel, low: float, high: float, ridge: float) -> KernelNotPSDError:
    name = kernel.name
    if name in ("poly", "sigmoid"):
        name += f" (gamma={kernel.gamma:.4g}, coef0={kernel.coef0:.4g})"
    cure = _CURES[kernel.name]
    if kernel.name == "precomputed" and -low <= _SINGLE_PRECISION * high:
        cure = "By so little it may be rounding: compute the kernel in double precision"
    # A tenth more than needed, so that the printed digits suffice.
    enough = ridge - 1.1 * low
    return KernelNotPSDError(
        f"The kernel {name} is not positive semidefinite on this data (smallest eigenvalue "
        f"{low:.3g}, largest {high:.3g}), so the problem is not convex.",
        advice=Advice(
            f"{cure}, or set {{ridge}}, which adds to the diagonal.",
            {"kernel": "rbf", "ridge": enough},
        ),
    )
