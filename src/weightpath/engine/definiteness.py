"""Whether a kernel matrix is positive semidefinite, and what to say where it is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine.saving import SavedProblem
from weightpath.engine.trace import Options
from weightpath.errors import Advice, KernelNotPSDError
from weightpath.kernels import Columns
from weightpath.problems import Staircase

__all__ = ["IndefiniteMarginError", "check_psd", "is_indefinite", "not_psd", "smallest_eigenvalue"]

# Of a larger matrix so many rows are checked.
_MOST_ROWS = 1500


class IndefiniteMarginError(Exception):
    """Some rows have a kernel matrix with a negative eigenvalue."""


def is_indefinite(columns: Columns, rows: Sequence[int] | NDArray[np.intp], ridge: float) -> bool:
    """Whether the kernel matrix of some rows has a clearly negative eigenvalue."""
    values = np.linalg.eigvalsh(columns.submatrix(np.asarray(rows, dtype=np.intp))) + ridge
    largest = max(float(np.abs(values).max()), 1e-300)
    return bool(values[0] < -_allowed(columns, largest, len(rows)))


def _allowed(columns: Columns, largest: float, n: int) -> float:
    """Return how far below zero rounding can put an eigenvalue of n rows.

    Entries of pairs are differences of kernel values of documents, and have their roundings.
    """
    documents = getattr(columns, "documents", None)
    diagonal = columns.diagonal if documents is None else documents.diagonal
    entry = float(np.abs(diagonal).max(initial=0.0))
    rounding = tolerances.FLOOR_ROUNDINGS * np.finfo(np.float64).eps * n * entry
    return max(tolerances.NEGATIVE_EIGENVALUE * largest, rounding)


def smallest_eigenvalue(
    columns: Columns, ridge: float = 0.0, most: int = _MOST_ROWS
) -> tuple[float, float]:
    """Return the extreme eigenvalues of the kernel matrix (of some of its rows if it is large)."""
    n = columns.n
    index = np.arange(n) if n <= most else np.random.default_rng(0).choice(n, most, replace=False)
    values = np.linalg.eigvalsh(columns.submatrix(np.sort(index)))
    return float(values[0] + ridge), float(values[-1] + ridge)


def check_psd(columns: Columns, stair: Staircase, options: Options) -> None:
    """Raise if a kernel matrix is clearly indefinite; only small ones are checked."""
    low, high = smallest_eigenvalue(columns, options.ridge)
    if low < -_allowed(columns, max(high, -low, 1e-300), min(columns.n, _MOST_ROWS)):
        raise not_psd(columns, stair, options)


def not_psd(columns: Columns, stair: Staircase, options: Options) -> KernelNotPSDError:
    """Return the error for an indefinite kernel matrix."""
    low, high = smallest_eigenvalue(columns, options.ridge)
    return KernelNotPSDError(
        "The kernel matrix is not positive semidefinite on this data (smallest eigenvalue "
        f"{low:.3g}, largest {high:.3g}), so there is no convex problem to follow.",
        SavedProblem.of(columns, stair, stair, None, options),
        advice=Advice(
            'Use "rbf", "linear" or "poly" with coef0 >= 0 instead of "sigmoid", repair a '
            f"precomputed or callable kernel, or add {{ridge}} >= {max(-low, 0.0):.2g}.",
            {"ridge": None},
        ),
    )
