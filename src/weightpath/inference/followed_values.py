"""The values of a statistic with the same selection, followed as far as the answers need it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath.inference._truncated_normal import TruncatedNormal, log_mass
from weightpath.inference.cross_validation import ChosenAlpha
from weightpath.inference.lines import StatisticLine
from weightpath.inference.selected_set import LineWalk
from weightpath.inference.unions import intersection

__all__ = ["answers_of", "first_reach"]

Reals = NDArray[np.float64]

# How far beyond zero and the statistic a line is followed at first, in standard deviations; by
# which factor that grows where more is needed; and where an end of an interval counts as infinite.
_FIRST_REACH = 20.0
_GROWTH = 4.0
_FARTHEST = 1e6

# What is not followed may hold this fraction of the mass at most, as a logarithm.
_NEGLIGIBLE = -40.0


def first_reach(line: StatisticLine) -> float:
    """Return how far from zero a line is followed at first."""
    return _distance(line, _FIRST_REACH)


def answers_of(
    walk: LineWalk, chosen: ChosenAlpha | None, level: float
) -> tuple[float, tuple[float, float], Reals]:
    """Return the p-value, the confidence interval and the truncation of one statistic."""
    region = _FollowedValues(walk, chosen)
    tail = 0.5 * (1.0 - level)
    p_value = region.settled(lambda normal: (0.0, normal.two_sided()))
    lower = region.settled(lambda normal: 2 * (normal.mean_at(1.0 - tail),))
    upper = region.settled(lambda normal: 2 * (normal.mean_at(tail),))
    return p_value, (lower, upper), region.normal.intervals


def _distance(line: StatisticLine, far: float) -> float:
    """Return how far from zero a line is followed, of so many standard deviations."""
    return abs(line.statistic) + far * line.scale


class _FollowedValues:
    """The values of a statistic with the same selection, followed as far as answers need it."""

    def __init__(self, walk: LineWalk, chosen: ChosenAlpha | None) -> None:
        self.line, self.walk, self.chosen = walk.line, walk, chosen
        self._far = dict.fromkeys((-1, 1), _FIRST_REACH)
        self._read()

    def _read(self) -> None:
        intervals = self.walk.intervals
        if self.chosen is not None:
            low, high = (side * _distance(self.line, self._far[side]) for side in (-1, 1))
            intervals = intersection(intervals, self.chosen.intervals(self.line, low, high))
        self.normal = TruncatedNormal(np.array(intervals), self.line.statistic, self.line.scale)

    def settled(self, answer: Callable[[TruncatedNormal], tuple[float, float]]) -> float:
        """Return an answer that what was not followed cannot change.

        Parameters
        ----------
        answer : callable
            Gives the mean of the normal distribution at which it was computed, and the answer.
        """
        while True:
            mean, found = answer(self.normal)
            lacking = self._lacking_sides(mean)
            if not lacking:
                return found
            if max(self._far[side] for side in lacking) >= _FARTHEST:
                # So far away that it makes no difference: the larger interval is the safe one.
                return lacking[0] * np.inf
            for side in lacking:
                self._far[side] *= _GROWTH
                far = side * _distance(self.line, self._far[side])
                if side * self.walk.edges[side] < abs(far):
                    self.walk.paths.go_on([(self.walk, side, far)])
            self._read()

    def _lacking_sides(self, mean: float) -> list[int]:
        """Return the sides on which what was not followed may hold a mass that matters."""
        if not np.isfinite(mean):
            side = int(np.sign(mean))
            return [side] if np.isfinite(self._edge(side)) else []
        total = self.normal.log_total(mean)
        return [
            side
            for side in (-1, 1)
            if log_mass(side * (self._edge(side) - mean) / self.line.scale, np.inf) - total
            > _NEGLIGIBLE
        ]

    def _edge(self, side: int) -> float:
        if self.chosen is None:
            return self.walk.edges[side]
        return side * _distance(self.line, self._far[side])
