r"""Certificates of optimality, from data and coefficients alone.

Nothing here knows how a solution was found. A ``response`` is always :math:`K\beta`, computed by
the caller from the training rows.

A row is optimal where :math:`(\beta_i, r_i)` is on its staircase. Its violation is the distance
from there, with residuals in units of the largest target or level :math:`R` and coefficients in
their units :math:`u_i` (:mod:`weightpath.problems.scales`):

.. math:: \min_{(k, s) \text{ on the staircase}} \; \max( |r_i - s| / R, \; |\beta_i - k| / u_i ) .

No tolerance enters and nothing is subtracted; :func:`rounding_floor` says separately what rounding
alone can do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath import tolerances
from weightpath.problems import Staircase
from weightpath.problems.scales import bound_reach, coefficient_units, largest_unit
from weightpath.problems.staircase import mix

__all__ = [
    "duality_gap",
    "kkt_violation",
    "kkt_violations",
    "objective",
    "relative_gap",
    "rounding_floor",
]

Reals = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Stack:
    """Staircases at several theta: the arrays of a staircase with theta as leading axis."""

    target: Reals
    knots: Reals
    levels: Reals
    total: Reals
    has_bias: bool

    @classmethod
    def between(cls, start: Staircase, end: Staircase, theta: Reals) -> Stack:
        """Return the staircases on the line from ``start`` to ``end`` at all ``theta``."""
        return cls(
            _along(start.target, end.target, theta),
            _along(start.knots, end.knots, theta),
            _along(start.levels, end.levels, theta),
            (1.0 - theta) * start.total + theta * end.total,
            start.has_bias,
        )


def kkt_violation(
    staircase: Staircase,
    beta: ArrayLike,
    bias: float,
    response: ArrayLike,
    kappa: Reals,
    relative: bool = True,
) -> float:
    """Return how far a point is from optimal.

    The largest, over all rows, of the distance of coefficient and residual from the staircase; and
    of how far the coefficients' sum is off its total, in the largest unit of a coefficient.

    Parameters
    ----------
    staircase : Staircase
        The problem.
    beta : ndarray of shape (n,)
    bias : float
    response : ndarray of shape (n,)
        ``K @ beta``.
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual; see
        :func:`weightpath.problems.scales.reach_of`.
    relative : bool, default=True
        Whether the largest target or level is the unit; otherwise the units are the target's.

    Returns
    -------
    float
        Zero at the exact solution; NaN if a number is not a number.
    """
    theta = np.zeros(1)
    points, sums = np.asarray(beta)[None], np.asarray(response)[None]
    biases = np.array([bias])
    found = kkt_violations(staircase, staircase, theta, points, biases, sums, kappa, relative)
    return float(found[0])


def kkt_violations(
    start: Staircase,
    end: Staircase,
    theta: Reals,
    beta: Reals,
    bias: Reals,
    response: Reals,
    kappa: Reals,
    relative: bool = True,
) -> Reals:
    """Return :func:`kkt_violation` at many theta on the line from ``start`` to ``end``.

    Parameters
    ----------
    theta, bias : ndarray of shape (s,)
    beta, response : ndarray of shape (s, n)
    kappa : ndarray of shape (n,)
    relative : bool, default=True

    Returns
    -------
    ndarray of shape (s,)
    """
    stack = Stack.between(start, end, theta)
    bias = bias if stack.has_bias else np.zeros_like(bias)
    residual = stack.target - response - bias[:, None]
    scale = _residual_scale(stack, response, beta, kappa)
    unit = coefficient_units(stack.knots, stack.levels, kappa, scale)
    worst = _distance(stack, beta, residual / scale[:, None], scale, unit).max(axis=1)
    if stack.has_bias:
        # The sum of n numbers is rounded, too.
        size = np.abs(beta).sum(axis=1)
        off = np.abs(beta.sum(axis=1) - stack.total) - tolerances.KNOT_ROUNDINGS * _EPS * size
        # np.maximum keeps NaN.
        largest = largest_unit(stack.knots, stack.levels, unit)
        worst = np.maximum(worst, np.maximum(off, 0.0) / largest)
    return np.asarray(worst if relative else worst * scale)


def rounding_floor(
    staircase: Staircase, beta: Reals, bias: float, sizes: Reals, relative: bool = True
) -> float:
    """Return what the rounding of kernel sums alone can do to the residuals.

    Parameters
    ----------
    sizes : ndarray of shape (n,)
        ``|K| @ |beta|``.
    """
    bias = bias if staircase.has_bias else 0.0
    floor = tolerances.FLOOR_ROUNDINGS * _EPS * (float(np.max(sizes, initial=0.0)) + abs(bias))
    scale = staircase.residual_scale or float(np.max(sizes, initial=0.0)) or 1.0
    return floor / scale if relative else floor


def _distance(stack: Stack, beta: Reals, residual: Reals, scale: Reals, unit: Reals) -> Reals:
    """Return the distance of every row from its staircase, (s, n); residuals come in units."""
    least = np.full(beta.shape, np.inf)
    m = stack.knots.shape[-1]
    levels = stack.levels / scale[:, None, None]
    for q in range(m + 1):
        if not np.isfinite(levels[..., q]).any():
            # No row has a piece here: an infinite level has none.
            continue
        # The piece between two knots.
        low = stack.knots[..., q - 1] - beta if q > 0 else -np.inf
        high = beta - stack.knots[..., q] if q < m else -np.inf
        off = np.maximum(np.maximum(low, high), 0.0) / unit
        least = np.minimum(least, np.maximum(off, np.abs(residual - levels[..., q])))
    for j in range(m):
        # The riser at a knot.
        away = np.maximum(levels[..., j] - residual, residual - levels[..., j + 1])
        off = np.abs(beta - stack.knots[..., j]) / unit
        least = np.minimum(least, np.maximum(off, np.maximum(away, 0.0)))
    return least


def duality_gap(staircase: Staircase, beta: Reals, bias: float, response: Reals) -> float:
    r"""Return the duality gap, as a sum of non-negative terms.

    .. math:: \sum_i \big( h_i(\beta_i) + h_i^*(r_i) - \beta_i r_i \big)

    It is the objective minus its dual bound wherever the sum of ``beta`` is its total, which
    :func:`kkt_violation` checks. Infinite if ``beta`` is outside its bounds by more than rounding.
    """
    beta, residual = _rounded(staircase, beta, bias, response)
    terms = staircase.penalty(beta) + staircase.loss(residual) - beta * residual
    return float(np.maximum(terms, 0.0).sum())


def relative_gap(staircase: Staircase, beta: Reals, bias: float, response: Reals) -> float:
    """Return the duality gap divided by the objective (plain where the objective is zero)."""
    gap = duality_gap(staircase, beta, bias, response)
    value = abs(objective(staircase, beta, bias, response))
    return gap / value if value > 0 else gap


def objective(staircase: Staircase, beta: Reals, bias: float, response: Reals) -> float:
    r"""Return the primal objective :math:`\frac12 \beta'K\beta + \sum_i h_i^*(r_i)`."""
    _, residual = _rounded(staircase, beta, bias, response)
    return float(0.5 * np.dot(beta, response) + staircase.loss(residual).sum())


def _rounded(
    staircase: Staircase, beta: Reals, bias: float, response: Reals
) -> tuple[Reals, Reals]:
    """Return coefficients and residuals, put back on bounds that only rounding has passed."""
    beta = np.asarray(beta, dtype=np.float64)
    residual = staircase.target - response - (bias if staircase.has_bias else 0.0)
    lower, upper = staircase.bounds()
    beta = _put_back(beta, lower, upper, tolerances.FLOOR_ROUNDINGS * _EPS * np.abs(beta))
    low, high = staircase.levels[:, 0], staircase.levels[:, -1]
    return beta, _put_back(residual, low, high, tolerances.LEVEL * staircase.residual_scale)


def _put_back(value: Reals, low: Reals, high: Reals, slack: float | Reals) -> Reals:
    near = np.clip(value, low, high)
    return np.where(np.abs(value - near) <= slack, near, value)


def _along(start: Reals, end: Reals, theta: Reals) -> Reals:
    """Return the arrays between ``start`` and ``end``; just one if nothing moves."""
    if np.array_equal(start, end):
        return np.asarray(start[None])
    along: Any = theta.reshape(-1, *[1] * start.ndim)
    return mix(start, end, along)


def _residual_scale(stack: Stack, response: Reals, beta: Reals, kappa: Reals) -> Reals:
    """Return the largest target or inner level; failing that the largest response, or one.

    A response that is nothing but the rounding of its terms says nothing.
    """
    inner = np.abs(stack.levels[..., 1:-1])
    levels = inner.max(axis=(1, 2), initial=0.0, where=np.isfinite(inner))
    scale = np.maximum(np.abs(stack.target).max(axis=1, initial=0.0), levels)
    if (scale > 0.0).all():
        return np.asarray(scale)
    reach = np.maximum(
        np.abs(response).max(axis=1, initial=0.0),
        tolerances.ROUNDED_AWAY * (np.abs(beta) @ np.asarray(kappa)),
    )
    # Where zero solves the problem, what a coefficient at its bound could do is large.
    at_bound = np.where(stack.total == 0.0, bound_reach(stack.knots, stack.levels, kappa), 0.0)
    reach = np.maximum(reach, at_bound)
    return np.where(scale > 0, scale, np.where(reach > 0, reach, 1.0))
