r"""Rows removed from one solved problem, each time along a path from the shared solution.

Where the coefficient of a row is zero, nothing moves except perhaps the bias, whose interval loses
a constraint. Otherwise its knots go to zero on a branch of the shared solution
(:mod:`weightpath.engine.branches`), of which only the end is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import STOPPED_AT_CAP
from weightpath.engine.branch_goals import BranchEnds, BranchGoals, Outcome
from weightpath.engine.branches import Branches
from weightpath.errors import PathError
from weightpath.problems import Staircase
from weightpath.record.bias import BiasInterval

__all__ = ["Removal", "SubproblemRemovals"]

_NO_ROWS = np.empty(0, dtype=np.intp)
_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False, slots=True)
class Removal:
    """What the removal of some rows does to one problem.

    Attributes
    ----------
    rows : ndarray of int
        The rows of the problem whose coefficients change.
    change : ndarray
        By how much.
    bias : float
        The bias afterwards.
    own : ndarray
        The function's values afterwards at the rows that were removed, in the order asked for.
    n_events : int or None
        The events on the path; ``None`` where none was needed.
    """

    rows: NDArray[np.intp]
    change: NDArray[np.float64]
    bias: float
    own: NDArray[np.float64]
    n_events: int | None = None


class SubproblemRemovals:
    """Removals of rows from one solved problem.

    Parameters
    ----------
    branches : Branches
        Paths from its solution.
    """

    def __init__(self, branches: Branches) -> None:
        self.branches, self.stair, self.state = branches, branches.stair, branches.state
        self._bias = BiasInterval.of(self.stair, self.state, branches.kappa)

    # Without a path ------------------------------------------------------------------------

    def matters(self) -> NDArray[np.bool_]:
        """Return which rows may change the solution by their removal."""
        has_bias = self.stair.has_bias
        if has_bias and not self._bias.between.any():
            return np.ones(len(self.stair), dtype=bool)
        # A row between its knots may have no coefficient and yet be what fixes the bias.
        matters: NDArray[np.bool_] = (self.state.beta != 0.0) | (self._bias.between & has_bias)
        return matters

    def is_idle(self, sets: Sequence[NDArray[np.intp]]) -> list[bool]:
        """Return which sets of rows have no coefficient: none changes without them."""
        row = np.concatenate(sets)
        if row.size == len(sets) and min(map(len, sets)) == 1:
            idle: list[bool] = (self.state.beta[row] == 0.0).tolist()
            return idle
        return [not self.state.beta[rows].any() for rows in sets]

    def unmoved(self, rows: NDArray[np.intp]) -> Removal:
        """Return the removal of rows that have no coefficient."""
        free = rows.size > 0 and self.stair.has_bias
        move = (self._bias.move(without=rows) if free else None) or 0.0
        own = self.stair.target[rows] - self.state.residual[rows] + move
        return Removal(_NO_ROWS, _NOTHING, self.state.bias + move, own)

    # With a path ---------------------------------------------------------------------------

    def without_each(
        self, sets: Sequence[NDArray[np.intp]], totals: Sequence[float] | None = None
    ) -> list[Removal]:
        """Return the removals of sets of rows; no other rows change their staircases.

        Parameters
        ----------
        sets : sequence of ndarray of int
            The rows of each removal.
        totals : sequence of float or None, default=None
            The total of the coefficients after each; as before if not given.
        """
        row = np.concatenate(sets)
        knots = np.zeros((row.size, self.stair.n_knots))
        total = np.full(len(sets), self.stair.total) if totals is None else np.array(totals)
        goals = BranchGoals(_offset(sets), row, knots, total)
        ends = self.branches.follow(goals, 0, len(sets))
        return _removals(ends, _split(self.stair.target[row] - ends.residual, goals.offset))

    def along_each(
        self, sets: Sequence[NDArray[np.intp]], ends: Sequence[Staircase]
    ) -> list[Removal]:
        """Return the removals of sets of rows along paths on which others change, too.

        Parameters
        ----------
        sets : sequence of ndarray of int
            The rows of each removal.
        ends : sequence of Staircase
            The problems without them; only knots differ from those of the shared one.
        """
        moves = []
        for rows, end in zip(sets, ends, strict=True):
            differs = (end.knots != self.stair.knots).any(axis=1)
            differs[rows] = True
            moves.append(np.flatnonzero(differs))
        knots = np.concatenate([end.knots[move] for end, move in zip(ends, moves, strict=True)])
        total = np.array([end.total for end in ends])
        goals = BranchGoals(_offset(moves), np.concatenate(moves), knots, total)
        found = self.branches.follow(goals, 0, len(sets))
        residual = _split(found.residual, goals.offset)
        own = [
            self.stair.target[rows] - residual[k][np.searchsorted(moves[k], rows)]
            for k, rows in enumerate(sets)
        ]
        return _removals(found, own)


def _offset(sets: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    return np.cumsum([0, *map(len, sets)], dtype=np.intp)


def _split(values: NDArray[np.float64], offset: NDArray[np.intp]) -> list[NDArray[np.float64]]:
    """Return the values from each offset to the next; faster than ``np.split`` for many."""
    return [values[first:last] for first, last in pairwise(offset.tolist())]


def _removals(ends: BranchEnds, own: Sequence[NDArray[np.float64]]) -> list[Removal]:
    if (ends.outcome == Outcome.CAPPED).any():
        raise PathError(STOPPED_AT_CAP.message)
    offset = ends.offset.tolist()
    numbers = zip(ends.bias.tolist(), own, ends.n_events.tolist(), strict=True)
    return [
        Removal(ends.row[first:last], ends.change[first:last], *one)
        for first, last, one in zip(offset, offset[1:], numbers, strict=False)
    ]
