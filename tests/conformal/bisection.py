"""Conditional cutoffs by bisection with a conic solver, as the authors of the method find them.

Close to the cutoff an interior point method cannot tell which of two numbers is zero, the slack of
the coefficient or the residual: their product is its tolerance, so both are about its square root.
So the bisection is good to about 1e-6. A little away from the cutoff one of the two is zero to
all digits, and the other is a straight line that meets zero at the cutoff: above it the residual,
below it the slack. That gives the last digits.
"""

from __future__ import annotations

import numpy as np

from judges import conic
from weightpath.problems import Staircase, pinball_staircase

__all__ = ["bisected_cutoff"]

# In units of the scores: the width of the last bracket, how far from it the lines are read, and by
# how much they may correct it.
BRACKET = 1e-7
AWAY = 1e-3
CORRECTION = 2e-5


def bisected_cutoff(K, scores, C, alpha, level):
    """Return the least score at which the coefficient of the last row is not below a level.

    Parameters
    ----------
    K : ndarray of shape (n + 1, n + 1)
        The kernel matrix, the new row last.
    scores : ndarray of shape (n,)
        The scores of the others.
    C, alpha : float
        The weight of each row and the fraction that sets may miss.
    level : float
        The level of the coefficient, within its bounds.
    """
    problem = _Problem(K, scores, C, alpha, level)
    unit = problem.unit
    low, high = scores.min() - 4 * unit, scores.max() + 4 * unit
    while not problem.is_at_level(high):
        high += 4 * (high - low)
    while problem.is_at_level(low):
        low -= 4 * (high - low)
    width = BRACKET * max(unit, abs(low), abs(high))
    return _polished(problem, _bisected(problem.is_at_level, low, high, width))


def _polished(problem, cutoff):
    """Return the cutoff where the lines of a residual or of a slack meet zero."""
    size = max(problem.unit, abs(cutoff))
    near = CORRECTION * size
    above = cutoff + AWAY * size
    residual = problem.slack_and_residual(above)[1]
    if abs(above - residual - cutoff) <= near:
        return above - residual
    # The residual says nothing where the bias is not unique.
    for away in (AWAY, AWAY / 5, AWAY / 30):
        below = cutoff - away * size * np.array([1.0, 2.0, 3.0])
        slack = np.array([problem.slack_and_residual(score)[0] for score in below])
        slope = (slack[1] - slack[0]) / (below[1] - below[0])
        straight = abs(slack[2] - 2 * slack[1] + slack[0]) <= 1e-6 * abs(slack[0])
        if straight and slope < 0 and abs(below[0] - slack[0] / slope - cutoff) <= near:
            return below[0] - slack[0] / slope
    before = problem.slack_and_residual(cutoff - near)[0]
    if before > 1e3 * abs(problem.slack_and_residual(cutoff + near)[0]):
        # The slack jumps: which side a score is on is plain to see.
        return _bisected(
            lambda score: problem.slack_and_residual(score)[0] < 0.5 * before,
            cutoff - near,
            cutoff + near,
            1e-9 * size,
        )
    return cutoff


def _bisected(is_above, low, high, width):
    while high - low > width:
        middle = 0.5 * (low + high)
        if is_above(middle):
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


class _Problem:
    """The quantile regression with one row whose score is not known."""

    def __init__(self, K, scores, C, alpha, level):
        self.K, self.scores, self.C, self.alpha, self.level = K, scores, C, alpha, level
        self.unit = (np.ptp(scores) + np.abs(scores).max()) or 1.0

    def slack_and_residual(self, score):
        """Return how far the coefficient is below its level, by C, and the residual."""
        n = len(self.scores)
        stair = pinball_staircase(
            np.append(self.scores, score), np.full(n + 1, self.C), np.full(n + 1, 1 - self.alpha)
        )
        knots = stair.knots.copy()
        knots[-1, 1] = self.level
        # A level is a bound: beyond it the coefficient is not followed.
        stair = Staircase(stair.target, knots, stair.levels, stair.total, stair.has_bias)
        found = conic.solve(self.K, stair)
        return (self.level - found.beta[-1]) / self.C, score - found.values[-1] - found.bias

    def is_at_level(self, score):
        """Whether the coefficient is at its level: the residual, not the slack, is above zero."""
        slack, residual = self.slack_and_residual(score)
        return residual > slack * self.unit
