r"""Certificates of optimality, from data and coefficients alone.

Nothing here knows how a solution was found. A ``response`` is always :math:`K\beta`, computed by
the caller from the training rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weightpath.problems import Staircase
from weightpath.problems.staircase import mix

__all__ = [
    "cut_to_bounds",
    "duality_gap",
    "kkt_violation",
    "kkt_violations",
    "objective",
    "relative_gap",
]

# A coefficient this close to a knot, relative to the largest coefficient or knot, counts as at it.
# The engine stops members at knots to 1e-12 of that, and a coefficient between two breakpoints
# carries the rounding errors of value + length * slope on top.
KNOT_TOL = 1e-11

# Where all weights vanish at an end of a path, closeness to a knot is measured against this part of
# the largest knot at either end.
VANISHING = 1e-4

# A residual beyond a finite outer level (a penalty without bounds) makes the loss infinite. So much
# of the largest target or level is taken as rounding and put back on the level.
LEVEL_TOL = 1e-10


@dataclass(frozen=True, eq=False)
class Stack:
    """Staircases at several theta: the arrays of a staircase with theta as leading axis."""

    target: np.ndarray
    knots: np.ndarray
    levels: np.ndarray
    total: np.ndarray
    has_bias: bool

    @classmethod
    def between(cls, start: Staircase, end: Staircase, theta: np.ndarray) -> Stack:
        """Return the staircases on the line from ``start`` to ``end`` at all ``theta``."""
        return cls(
            _along(start.target, end.target, theta),
            _along(start.knots, end.knots, theta),
            _along(start.levels, end.levels, theta),
            (1.0 - theta) * start.total + theta * end.total,
            start.has_bias,
        )


def kkt_violation(staircase: Staircase, beta, bias: float, response) -> float:
    """Return how far a point is from optimal, in units of the residual.

    The largest, over all rows, of the distance of the residual from the interval that the
    coefficient allows; and of how far coefficients are outside their bounds and their sum is off
    its total, both relative to the largest knot or coefficient and times the largest target or
    level.

    Parameters
    ----------
    staircase : Staircase
        The problem.
    beta : ndarray of shape (n,)
    bias : float
    response : ndarray of shape (n,)
        ``K @ beta``.

    Returns
    -------
    float
        Zero at the exact solution; NaN if a number is not a number.
    """
    theta = np.zeros(1)
    beta, response = np.asarray(beta)[None], np.asarray(response)[None]
    return float(kkt_violations(staircase, staircase, theta, beta, np.array([bias]), response)[0])


def kkt_violations(start: Staircase, end: Staircase, theta, beta, bias, response) -> np.ndarray:
    """Return :func:`kkt_violation` at many theta on the line from ``start`` to ``end``.

    Parameters
    ----------
    theta, bias : ndarray of shape (s,)
    beta, response : ndarray of shape (s, n)

    Returns
    -------
    ndarray of shape (s,)
    """
    stack = Stack.between(start, end, theta)
    bias = bias if stack.has_bias else np.zeros_like(bias)
    residual = stack.target - response - bias[:, None]
    size = np.maximum(np.abs(stack.knots).max(axis=(1, 2)), np.abs(beta).max(axis=1))
    size = np.maximum(size, VANISHING * max(start.knot_scale(), end.knot_scale()))
    lower, upper = _bounds(stack)
    low, high = _residual_range(stack, np.clip(beta, lower, upper), KNOT_TOL * size)
    worst = np.maximum(low - residual, residual - high).max(axis=1)
    box = np.maximum(lower - beta, beta - upper).max(axis=1)
    off = np.abs(beta.sum(axis=1) - stack.total) if stack.has_bias else 0.0
    scale = _residual_scale(stack, response) / np.where(size > 0, size, 1.0)
    return np.maximum(np.maximum(worst, 0.0), scale * np.maximum(np.maximum(box, off), 0.0))


def cut_to_bounds(start: Staircase, end: Staircase, theta, beta) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients at many theta put back into their bounds, and by how much each changed.

    Theta is a rounded number: where a coefficient moves very fast, its value at the rounded theta
    may be beyond a bound that it meets in between.
    """
    inside = np.clip(beta, *_bounds(Stack.between(start, end, theta)))
    return inside, inside - beta


def duality_gap(staircase: Staircase, beta, bias: float, response) -> float:
    r"""Return the duality gap, as a sum of non-negative terms.

    .. math:: \sum_i \big( h_i(\beta_i) + h_i^*(r_i) - \beta_i r_i \big)

    It is the objective minus its dual bound wherever the sum of ``beta`` is its total, which
    :func:`kkt_violation` checks. Infinite if ``beta`` is outside its bounds by more than rounding.
    """
    beta, residual = _rounded(staircase, beta, bias, response)
    terms = staircase.penalty(beta) + staircase.loss(residual) - beta * residual
    return float(np.maximum(terms, 0.0).sum())


def relative_gap(staircase: Staircase, beta, bias: float, response) -> float:
    """Return the duality gap divided by the objective (plain where the objective is zero)."""
    gap = duality_gap(staircase, beta, bias, response)
    value = abs(objective(staircase, beta, bias, response))
    return gap / value if value > 0 else gap


def objective(staircase: Staircase, beta, bias: float, response) -> float:
    r"""Return the primal objective :math:`\frac12 \beta'K\beta + \sum_i h_i^*(r_i)`."""
    _, residual = _rounded(staircase, beta, bias, response)
    return float(0.5 * np.dot(beta, response) + staircase.loss(residual).sum())


def _rounded(staircase, beta, bias, response) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients and residuals, put back on bounds that only rounding has passed."""
    beta = np.asarray(beta, dtype=np.float64)
    residual = staircase.target - response - (bias if staircase.has_bias else 0.0)
    size = max(staircase.knot_scale(), np.abs(beta).max(initial=0.0))
    lower, upper = staircase.bounds()
    beta = _put_back(beta, lower, upper, KNOT_TOL * size)
    low, high = staircase.levels[:, 0], staircase.levels[:, -1]
    return beta, _put_back(residual, low, high, LEVEL_TOL * staircase.residual_scale())


def _put_back(value, low, high, slack) -> np.ndarray:
    near = np.clip(value, low, high)
    return np.where(np.abs(value - near) <= slack, near, value)


def _along(start: np.ndarray, end: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return the arrays between ``start`` and ``end``; just one if nothing moves."""
    if np.array_equal(start, end):
        return start[None]
    along: Any = theta.reshape(-1, *[1] * start.ndim)
    return mix(start, end, along)


def _bounds(stack: Stack) -> tuple[np.ndarray, np.ndarray]:
    lower = np.where(np.isinf(stack.levels[..., 0]), stack.knots[..., 0], -np.inf)
    upper = np.where(np.isinf(stack.levels[..., -1]), stack.knots[..., -1], np.inf)
    return lower, upper


def _residual_range(stack: Stack, beta, slack) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of residuals that each ``beta`` allows, as Staircase does for one."""
    below = np.zeros(beta.shape, dtype=np.intp)
    above = np.zeros(beta.shape, dtype=np.intp)
    for j in range(stack.knots.shape[-1]):
        below += stack.knots[..., j] < beta - slack[:, None]
        above += stack.knots[..., j] <= beta + slack[:, None]
    return _pick(stack.levels, below), _pick(stack.levels, above)


def _pick(levels: np.ndarray, index: np.ndarray) -> np.ndarray:
    if levels.shape[0] == 1:
        return levels[0][np.arange(index.shape[1]), index]
    return np.take_along_axis(levels, index[..., None], axis=-1)[..., 0]


def _residual_scale(stack: Stack, response) -> np.ndarray:
    """Return the largest target or finite level; failing that the largest response, or one."""
    levels = np.where(np.isfinite(stack.levels), np.abs(stack.levels), 0.0).max(axis=(1, 2))
    scale = np.maximum(np.abs(stack.target).max(axis=1), levels)
    reach = np.abs(response).max(axis=1)
    return np.where(scale > 0, scale, np.where(reach > 0, reach, 1.0))
