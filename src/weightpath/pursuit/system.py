r"""The equations of basis pursuit, scaled and without dependent rows.

The coefficients :math:`x` are among the least-squares solutions of :math:`\Phi x = y`; where
:math:`y` is consistent these solve the equations. Both are written as :math:`G z = h` with rows
that do not depend on one another:

- columns are scaled, :math:`z_j = c_j x_j`, to a largest entry near one;
- of consistent equations some independent ones are kept, and scaled likewise;
- inconsistent ones are replaced by :math:`Q'\Phi x = Q'y`, with :math:`Q` an orthonormal basis of
  the range, which has no consistency to lose.

With :math:`G = T \Phi C^{-1}` a dual vector :math:`v` of the reduced equations is :math:`u = T'v`
for the given ones, and :math:`\phi_j'u = c_j g_j'v`. All factors are powers of two: they round
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

__all__ = ["Equations", "reduced_equations"]

Reals = NDArray[np.float64]

# A row counts as dependent on others where a pivoted factor leaves this many roundings of it.
_DEPENDENT_ROUNDINGS = 16.0

# Targets count as consistent where no more than this of them is outside the range, relative to
# the terms of their equation. What is decided here changes the solution by no more than that.
_CONSISTENT = 1e-12

# Rounds of scaling rows and columns in turn.
_ROUNDS = 3

# The logarithm of a ratio between the largest entries of two rows, or of two columns, up to which
# no median is needed.
_EVEN = 6.0

# Roundings of a product with an orthonormal basis.
_ROUNDINGS = 4.0

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Equations:
    """Reduced equations ``G z = h``; see the module's text.

    Attributes
    ----------
    matrix : ndarray of shape (rank, n_kept)
        ``G``, without columns of zeros.
    target : ndarray of shape (rank,)
        ``h``.
    kept : ndarray of int of shape (n_kept,)
        Which columns of the given matrix these are.
    scale : ndarray of shape (n_kept,)
        The factors ``c``: a coefficient is ``z / scale``.
    transform : ndarray of shape (rank, n_rows)
        ``T``.
    noise : ndarray of shape (rank,)
        How far roundings may have moved the target.
    matrix_noise : ndarray of shape (rank, n_kept) or None
        How far they may have moved the matrix; ``None`` where its entries are those given.
    consistent : bool
        Whether the given equations are consistent.
    """

    matrix: Reals
    target: Reals
    kept: NDArray[np.intp]
    scale: Reals
    transform: Reals
    noise: Reals
    matrix_noise: Reals | None
    consistent: bool

    def coefficients(self, z: Reals, n: int) -> Reals:
        """Return the coefficients of all ``n`` columns."""
        x = np.zeros(n)
        x[self.kept] = z / self.scale
        return x

    def weights(self, penalty_weight: Reals) -> Reals:
        """Return the weights of the scaled coefficients."""
        weights: Reals = penalty_weight[self.kept] / self.scale
        return weights

    def dual(self, v: Reals) -> Reals:
        """Return a dual vector of the given equations."""
        u: Reals = self.transform.T @ v
        return u


def reduced_equations(matrix: Reals, y: Reals) -> Equations:
    """Return equations without dependent rows for the least-squares solutions of ``matrix x = y``.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)
    """
    kept = np.flatnonzero(np.abs(matrix).max(axis=0, initial=0.0) > 0)
    used = matrix[:, kept]
    rows, columns = _equilibrated(used)
    even = rows[:, None] * used * columns
    order, rank = _independent_rows(even)
    if _is_consistent(even, rows * y, order[:rank]):
        chosen = np.sort(order[:rank])
        transform = np.zeros((rank, len(y)))
        transform[np.arange(rank), chosen] = rows[chosen]
        target, noise = (rows * y)[chosen], np.zeros(rank)
        scale = 1.0 / columns
        return Equations(even[chosen], target, kept, scale, transform, noise, None, True)
    scale = _power_of_two(np.abs(used).max(axis=0, initial=0.0))
    transform = _range_basis(used / scale, rank).T
    reduced = transform @ (used / scale)
    factor = 1.0 / _power_of_two(np.abs(reduced).max(axis=1, initial=0.0))
    reduced, transform = factor[:, None] * reduced, factor[:, None] * transform
    size = _ROUNDINGS * _EPS * np.abs(transform)
    blur = size @ np.abs(used / scale)
    # So that what is zero stays zero.
    reduced[np.abs(reduced) <= blur] = 0.0
    target, noise = transform @ y, size @ np.abs(y)
    return Equations(reduced, target, kept, scale, transform, noise, blur, False)


def _power_of_two(size: Reals) -> Reals:
    """Return the nearest powers of two; one for zero."""
    powers: Reals = np.exp2(np.round(np.log2(np.where(size > 0, size, 1.0))))
    return powers


def _equilibrated(matrix: Reals) -> tuple[Reals, Reals]:
    """Return factors of rows and columns, powers of two, that bring the entries near one.

    First their medians, in turns, so that a few large or tiny entries decide nothing; then the
    largest of each row and each column. Rows of zeros keep the factor one.
    """
    m, n = matrix.shape
    rows, columns = np.zeros(m), np.zeros(n)
    present = np.abs(matrix).max(axis=1, initial=0.0) > 0
    if present.any():
        size = np.full((int(present.sum()), n), np.nan)
        np.log2(np.abs(matrix[present]), out=size, where=matrix[present] != 0)
        shift = np.zeros(len(size))
        if not _is_even(size):
            for _ in range(_ROUNDS):
                columns = -np.nanmedian(size + shift[:, None], axis=0)
                shift = -np.nanmedian(size + columns, axis=1)
        shift -= np.nanmax(size + shift[:, None] + columns, axis=1)
        columns = -np.nanmax(size + shift[:, None], axis=0)
        rows[present] = shift
    return np.exp2(np.round(rows)), np.exp2(np.round(columns))


def _is_even(size: Reals) -> bool:
    """Whether the largest entries of rows, and those of columns, are of similar size."""
    spreads = [np.ptp(np.nanmax(size, axis=axis)) for axis in (0, 1)]
    return bool(max(spreads) <= _EVEN)


def _independent_rows(matrix: Reals) -> tuple[NDArray[np.intp], int]:
    """Return the rows, the most independent first, and how many are independent."""
    if not matrix.size:
        return np.arange(matrix.shape[0]), 0
    factor, order = qr(matrix.T, mode="r", pivoting=True)
    pivots = np.abs(np.diagonal(factor))
    least = _DEPENDENT_ROUNDINGS * max(matrix.shape) * _EPS * pivots.max(initial=0.0)
    return order, int((pivots > least).sum())


def _is_consistent(matrix: Reals, y: Reals, chosen: NDArray[np.intp]) -> bool:
    """Whether the equations that are not chosen follow from those that are."""
    if not len(y):
        return True
    solution = np.linalg.lstsq(matrix[chosen], y[chosen], rcond=None)[0]
    left = np.abs(matrix @ solution - y)
    terms = np.abs(matrix).sum(axis=1) * np.abs(solution).max(initial=0.0) + np.abs(y)
    return bool((left <= _CONSISTENT * terms).all())


def _range_basis(matrix: Reals, rank: int) -> Reals:
    """Return an orthonormal basis of the range, as columns.

    Rows are sorted by size: then a factor with pivoted columns is accurate row by row.
    """
    order = np.argsort(-np.abs(matrix).max(axis=1, initial=0.0), kind="stable")
    basis = qr(matrix[order], mode="economic", pivoting=True)[0][:, :rank]
    unsorted: Reals = np.empty_like(basis)
    unsorted[order] = basis
    return unsorted
