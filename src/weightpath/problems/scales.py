r"""What is large and what is small in a problem, in residual units.

Two invariances decide the form. A change of units, :math:`(K, \beta, C, r) \to (s^2 K, \beta / s^2,
C / s^2, r)`, changes nothing; and a bound that no coefficient reaches has no effect, however large
it is. With :math:`|K_{ij}| \le \sqrt{K_{ii} K_{jj}}` a change of :math:`\beta_i` by :math:`d`
changes no residual by more than :math:`\kappa_i d`, where :math:`\kappa_i = \sqrt{K_{ii} \max_j
K_{jj}}`. So, with the largest target or level :math:`R`, the *unit* of a coefficient is

.. math:: u_i = \min(\text{distance of its outermost knots}, \; R / \kappa_i) .

:math:`R / \kappa_i` alone would be too coarse where bounds are tiny, the distance of the knots
alone where they are huge. The one question that start, loop, bias, removals and tubes all ask,
whether a coefficient is *at a knot*, is answered here, by :func:`nearest_knots`; its rule is
``closeness_to`` in ``_knots.pyx``, which the native loop asks, too.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath import tolerances
from weightpath.problems._knots import rows_closeness, rows_nearest_knots

__all__ = [
    "bound_reach",
    "coefficient_units",
    "is_beyond_precision",
    "kappa_of",
    "knot_closeness",
    "nearest_knots",
    "reach_of",
    "residual_tolerance",
    "rounding_floor",
    "tolerance_of",
]

Reals = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


class HasDiagonal(Protocol):
    """Columns of a kernel matrix, as far as scales need them."""

    @property
    def diagonal(self) -> Reals:
        """The diagonal of the matrix."""


def reach_of(diagonal: ArrayLike) -> Reals:
    """Return ``kappa``: how far a coefficient's change by one may move any residual.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        The diagonal of the kernel matrix, with the ridge.
    """
    size = np.sqrt(np.maximum(np.asarray(diagonal, dtype=np.float64), 0.0))
    return size * float(size.max(initial=0.0))


def kappa_of(columns: HasDiagonal, ridge: float = 0.0) -> Reals:
    """Return :func:`reach_of` for columns of a kernel matrix, with a ridge on its diagonal."""
    return reach_of(np.asarray(columns.diagonal) + ridge)


def coefficient_units(knots: Reals, levels: Reals, kappa: Reals, scale: float | Reals) -> Reals:
    """Return the unit of each coefficient.

    Parameters
    ----------
    knots, levels : ndarray of shape (..., n, m) and (..., n, m + 1)
    kappa : ndarray of shape (n,)
    scale : float or ndarray of shape (...,)
        The largest target or level.

    Returns
    -------
    ndarray of shape (..., n)
        Infinite where nothing measures a coefficient: no bounds and no effect.
    """
    width = knots[..., -1] - knots[..., 0]
    bounded = np.isinf(levels[..., 0]) & np.isinf(levels[..., -1]) & (width > 0.0)
    own = np.where(bounded, width, np.inf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        felt = np.where(kappa > 0.0, np.asarray(scale)[..., None] / kappa, np.inf)
    return np.minimum(own, np.where(felt > 0.0, felt, np.inf))


def bound_reach(knots: Reals, levels: Reals, kappa: Reals) -> Reals:
    """Return the most that a coefficient between its bounds could do to a residual, (...,).

    Zero where coefficients have no bounds.
    """
    bounded = np.isinf(levels[..., 0]) & np.isinf(levels[..., -1])
    width = np.where(bounded, knots[..., -1] - knots[..., 0], 0.0)
    return np.asarray((width * kappa).max(axis=-1, initial=0.0))


def tolerance_of(scale: float, size: float) -> float:
    """Return how close to a level a residual can be told from it, by the size of its terms."""
    return tolerances.RESIDUAL * scale + tolerances.ROUNDINGS * _EPS * size


def residual_tolerance(scale: float, kappa: Reals, beta: Reals) -> float:
    """Return how close to a level a residual of this solution can be told from it.

    The rounding of ``K beta`` is bounded from the diagonal alone.
    """
    return tolerance_of(scale, float(np.dot(kappa, np.abs(beta))))


def rounding_floor(tolerance: float, scale: float) -> float:
    """Return how exact residuals can be, from the engine's tolerance of them."""
    rounding = max(tolerance - tolerances.RESIDUAL * scale, 0.0)
    return tolerances.FLOOR_ROUNDINGS / tolerances.ROUNDINGS * rounding


def is_beyond_precision(tolerance: float, scale: float) -> bool:
    """Whether the roundings of residuals exceed what double precision is good for."""
    return rounding_floor(tolerance, scale) > tolerances.BEYOND_PRECISION * scale


def knot_closeness(knots: Reals, beta: ArrayLike, kappa: Reals, tolerance: float) -> Reals:
    """Return how far from each knot a coefficient still counts as being at it, (n, m).

    Parameters
    ----------
    knots : ndarray of shape (n, m)
    beta : ndarray of shape (n,)
    kappa : ndarray of shape (n,)
    tolerance : float
        The tolerance of residuals.
    """
    return rows_closeness(*_rows(knots, beta, kappa), float(tolerance))


def nearest_knots(
    knots: Reals, beta: ArrayLike, kappa: Reals, tolerance: float
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return which coefficients are at a knot, and the nearest knot of each.

    Parameters
    ----------
    knots : ndarray of shape (n, m)
    beta : ndarray of shape (n,)
    kappa : ndarray of shape (n,)
        See :func:`reach_of`.
    tolerance : float
        The tolerance of residuals.
    """
    return rows_nearest_knots(*_rows(knots, beta, kappa), float(tolerance))


def _rows(knots: Reals, beta: ArrayLike, kappa: Reals) -> tuple[Reals, Reals, Reals]:
    """Return what native code takes."""
    rows = np.ascontiguousarray(knots), np.asarray(beta, dtype=np.float64)
    return rows[0], np.ascontiguousarray(rows[1]), np.ascontiguousarray(kappa)
