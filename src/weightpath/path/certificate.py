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

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath import tolerances
from weightpath.path._violations import relative_violations, residual_scales
from weightpath.problems import Staircase
from weightpath.problems.scales import bound_reach
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
    theta, bias = np.ascontiguousarray(theta), np.ascontiguousarray(bias)
    scale = residual_scales(start, end, theta)
    if not (scale > 0.0).all():
        reach = _reach(start, end, theta, beta, response, kappa)
        scale = np.where(scale > 0.0, scale, np.where(reach > 0.0, reach, 1.0))
    worst = relative_violations(start, end, theta, beta, bias, response, kappa, scale)
    return worst if relative else worst * scale


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


def _reach(
    start: Staircase, end: Staircase, theta: Reals, beta: Reals, response: Reals, kappa: Reals
) -> Reals:
    """Return the largest response at each theta: what is large without targets and inner levels.

    A response that is nothing but the rounding of its terms says nothing; and where zero solves the
    problem, what a coefficient at its bound could do is large.
    """
    along: Any = theta[:, None, None]
    knots = mix(start.knots, end.knots, along)
    levels = mix(start.levels, end.levels, along)
    largest = np.abs(response).max(axis=1, initial=0.0)
    sizes = tolerances.ROUNDED_AWAY * (np.abs(beta) @ np.asarray(kappa))
    total = (1.0 - theta) * start.total + theta * end.total
    at_bound = np.where(total == 0.0, bound_reach(knots, levels, kappa), 0.0)
    return np.asarray(np.maximum(np.maximum(largest, sizes), at_bound))
