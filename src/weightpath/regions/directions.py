"""Directions in which the weight of one row moves, many at once: what changes first in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.problems.position import (
    Positions,
    interval_of,
    is_free,
    knot_below,
    lower_level,
    upper_level,
)
from weightpath.regions.critical import solve_margin
from weightpath.regions.parameters import ParametricProblem

__all__ = ["Block", "Directions", "Event"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# How far, the row that changes (-1 for none) and its position behind the change.
Event = tuple[Reals, Index, Any]

_EPS = float(np.finfo(np.float64).eps)


class Directions:
    """All directions in which one weight moves, and what they share.

    Parameters
    ----------
    problem : ParametricProblem
        Its one axis moves the weights of all rows.
    position : ndarray of shape (n,)
        Positions, with rows of weight zero at the knot that their residual belongs to.
    """

    def __init__(self, problem: ParametricProblem, position: Positions):
        self.problem, self.position = problem, position
        n, n_knots = len(problem), problem.knots.shape[1]
        stair, state = problem.subproblem.stair, problem.subproblem.state
        row = np.arange(n)
        self.free = np.flatnonzero(is_free(position))
        # What one more unit of its own weight does: to the knots of a row and to the total.
        self.knot_speed = problem.knots[..., 1]
        own = self.knot_speed[row, knot_below(position, n_knots)]
        self.speed = np.where(is_free(position), 0.0, own)
        self.total_speed = float(problem.total[1]) / n
        # Room of residuals below and above; rows without weight, but for their own, have all.
        self.room = {}
        for side, level_of in ((-1, lower_level), (1, upper_level)):
            level = stair.levels[row, level_of(position)]
            room = np.where(
                is_free(position), np.inf, np.maximum(side * (level - state.residual), 0)
            )
            self.room[side] = room
        self.idle = (stair.knots == stair.knots[:, :1]).all(axis=1)
        self.beta, self.knots = state.beta, stair.knots
        self.K_margin = np.column_stack(
            [problem.columns.column(int(i)) for i in self.free] or [np.empty((n, 0))]
        )
        self.K_margin[self.free, np.arange(self.free.size)] += problem.ridge

    def block(self, rows: Index) -> Block:
        """Return the directions of some rows."""
        problem, speed = self.problem, self.speed[rows]
        K = np.zeros((len(problem), rows.size))
        for k in np.flatnonzero(speed):
            K[:, k] = problem.columns.column(int(rows[k]))
            K[rows[k], k] += problem.ridge
        total = self.total_speed - speed
        if self.free.size == 0:
            slope = -speed * K
            return Block(self, rows, np.empty((0, rows.size)), slope, total)
        own = self.K_margin[self.free]
        slope_beta, slope_bias = solve_margin(own, -speed * K[self.free], total, problem.has_bias)
        slope = -speed * K - self.K_margin @ slope_beta - slope_bias
        slope[self.free] = 0.0
        return Block(self, rows, slope_beta, slope, np.zeros(rows.size))


@dataclass(frozen=True, eq=False)
class Block:
    """Some directions, in columns.

    Attributes
    ----------
    directions : Directions
    rows : ndarray of shape (k,)
        Whose weight moves in each.
    slope_beta : ndarray of shape (n_margin, k)
        How fast the coefficients of the margin move.
    slope : ndarray of shape (n, k)
        How fast residuals move.
    missing : ndarray of shape (k,)
        Where all rows are at knots: what the sum of the coefficients has to gain at once.
    """

    directions: Directions
    rows: Index
    slope_beta: Reals
    slope: Reals
    missing: Reals

    def first_event(self, sign: int) -> Event:
        """Return what changes first when the weights fall (-1) or rise (1)."""
        own, k = self.directions, np.arange(self.rows.size)
        best = np.full(k.size, np.inf)
        row, after = np.full(k.size, -1, dtype=np.intp), np.zeros(k.size, dtype=np.int64)
        noise = 8.0 * _EPS * np.abs(self.slope).max(axis=0, initial=0.0)
        for side in (-1, 1):
            rate = side * sign * self.slope
            room = np.where(own.idle, np.inf, own.room[side])[:, None]
            length = _ratio(np.broadcast_to(room, rate.shape), rate, noise)
            # A row whose own weight comes from zero counts in its own direction.
            length[self.rows, k] = _ratio(own.room[side][self.rows], rate[self.rows, k], noise)
            which = length.argmin(axis=0)
            self._take(length[which, k], which, side, best, row, after)
            for length_of_margin in self._margin(sign, side):
                which = length_of_margin.argmin(axis=0)
                found = own.free[which]
                self._take(length_of_margin[which, k], found, side, best, row, after)
        if own.free.size == 0 and own.problem.has_bias:
            self._jump(sign, best, row, after)
        return best, row, after

    def _margin(self, sign: int, side: int) -> list[Reals]:
        """Return how far the margin is from its knots on a side, in every direction; or nothing."""
        own = self.directions
        if own.free.size == 0:
            return []
        knot = interval_of(own.position[own.free]) - (side < 0)
        has = (knot >= 0) & (knot < own.knots.shape[1])
        at = np.clip(knot, 0, own.knots.shape[1] - 1)
        room = np.where(has, side * (own.knots[own.free, at] - own.beta[own.free]), np.inf)
        rate = side * sign * self.slope_beta
        place = np.searchsorted(self.rows, own.free)
        mine = np.flatnonzero(np.isin(own.free, self.rows))
        # The knots of the row whose weight moves go with it.
        rate[mine, place[mine]] -= side * sign * own.knot_speed[own.free[mine], at[mine]]
        noise = tolerances.SLOPE_NOISE * np.abs(rate).max(axis=0, initial=0.0)
        return [_ratio(np.maximum(room, 0.0)[:, None] + np.zeros_like(rate), rate, noise)]

    def _take(
        self, length: Reals, found: Index, side: int, best: Reals, row: Index, after: Any
    ) -> None:
        """Keep what comes sooner than what was found before."""
        sooner = length < best
        best[sooner], row[sooner] = length[sooner], found[sooner]
        after[sooner] = self.directions.position[found[sooner]] + side

    def _jump(self, sign: int, best: Reals, row: Index, after: Any) -> None:
        """Where the sum of coefficients at knots changes, the bias jumps at once."""
        own = self.directions
        for side in (-1, 1):
            now = np.flatnonzero(side * sign * self.missing > 0.0)
            room = np.where(own.idle, np.inf, own.room[side])
            nearest = int(room.argmin())
            best[now], row[now] = 0.0, nearest if np.isfinite(room[nearest]) else -1
            after[now] = own.position[nearest] + side


def _ratio(room: Reals, rate: Reals, noise: Reals) -> Reals:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rate > noise, room / rate, np.inf)
