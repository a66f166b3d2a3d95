r"""Rows removed from one solved problem, each time along a path from the shared solution.

Where the coefficient of a row is zero, nothing moves except perhaps the bias, whose interval loses
a constraint. Otherwise its knots go to zero on a path from the shared solution, of which only the
end is kept and verified. Where that fails, or where a removal changes the problem for other
rows too, the path is followed by :func:`weightpath.engine.follow`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine import COMPLETE, Options, State, center_bias, follow, kappa_of
from weightpath.engine._removal import Removals
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.results import Result
from weightpath.errors import PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import is_free, sort_out_equal_knots
from weightpath.record.bias import BiasInterval

__all__ = ["Removal", "SubproblemRemovals"]

_NO_ROWS = np.empty(0, dtype=np.intp)
_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
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
    stair : Staircase
        The problem.
    state : State
        Its solution.
    make_columns : callable
        Returns columns of the kernel matrix for one thread.
    options : Options
        How paths are followed.
    """

    def __init__(
        self, stair: Staircase, state: State, make_columns: Callable[[], Columns], options: Options
    ) -> None:
        self.stair, self.options = stair, options
        position = sort_out_equal_knots(stair, state.position, state.residual)
        self.state = replace(state, position=position)
        self._make_columns = make_columns
        self._thread = threading.local()
        self._kappa = kappa_of(self._columns(), options.ridge)
        self._size = np.abs(stair.knots).max(axis=1, initial=0.0)
        self._bias = BiasInterval.of(stair, self.state, self._kappa)

    # Without a path ------------------------------------------------------------------------

    def matters(self) -> NDArray[np.bool_]:
        """Return which rows may change the solution by their removal."""
        has_bias = self.stair.has_bias
        if has_bias and not self._bias.between.any():
            return np.ones(len(self.stair), dtype=bool)
        # A row between its knots may have no coefficient and yet be what fixes the bias.
        matters: NDArray[np.bool_] = (self.state.beta != 0.0) | (self._bias.between & has_bias)
        return matters

    def is_idle(self, rows: NDArray[np.intp]) -> bool:
        """Whether these rows have no coefficient, so that no coefficient changes without them."""
        return not self.state.beta[rows].any()

    def unmoved(self, rows: NDArray[np.intp]) -> Removal:
        """Return the removal of rows that have no coefficient."""
        free = rows.size > 0 and self.stair.has_bias
        move = (self._bias.move(without=rows) if free else None) or 0.0
        own = self.stair.target[rows] - self.state.residual[rows] + move
        return Removal(_NO_ROWS, _NOTHING, self.state.bias + move, own)

    # With a path ---------------------------------------------------------------------------

    def without(self, rows: NDArray[np.intp], total: float | None = None) -> Removal:
        """Return the removal of rows along a path on which no others change their staircases.

        Parameters
        ----------
        rows : ndarray of int
            The rows.
        total : float or None, default=None
            The total of the coefficients afterwards; as before if not given.
        """
        total = self.stair.total if total is None else total
        before, after = self._size.max(), np.delete(self._size, rows).max(initial=0.0)
        removals = self._removals() if before <= tolerances.LEG_GROWTH * after else None
        if removals is None or removals.without(rows, total) is not Result.END:
            return self.along(rows, self._end(rows, total))
        own = self.stair.target[rows] - removals.residuals_at(rows)
        if removals.has_free_member:
            changed, change = removals.changes()
            return Removal(changed, change, removals.bias, own, removals.n_events)
        state = self._state_of(removals)
        return self._arrived(rows, self._end(rows, total), state, removals.n_events)

    def along(self, rows: NDArray[np.intp], end: Staircase) -> Removal:
        """Return the removal of rows along the path to a problem in which they have no weight."""
        trace = follow(self._columns(), self.stair, end, self.state, self.options)
        if trace.status != COMPLETE:
            raise PathError(trace.status.message)
        return self._arrived(rows, end, trace.state, trace.record.n_events)

    def _arrived(
        self, rows: NDArray[np.intp], end: Staircase, state: State, n_events: int
    ) -> Removal:
        state = center_bias(end, state, self._kappa)
        changed = np.flatnonzero(state.beta != self.state.beta)
        change = state.beta[changed] - self.state.beta[changed]
        own = end.target[rows] - state.residual[rows]
        return Removal(changed, change, state.bias, own, n_events)

    def _end(self, rows: NDArray[np.intp], total: float | None = None) -> Staircase:
        knots = self.stair.knots.copy()
        knots[rows] = 0.0
        return replace(self.stair, knots=knots, total=self.stair.total if total is None else total)

    def _state_of(self, removals: Removals) -> State:
        beta, residual = removals.arrived
        margin = np.flatnonzero(is_free(removals.position))
        return State(beta, removals.bias, removals.position, residual, margin)

    def _columns(self) -> Columns:
        if not hasattr(self._thread, "columns"):
            self._thread.columns = self._make_columns()
        columns: Columns = self._thread.columns
        return columns

    def _removals(self) -> Removals | None:
        """Return this thread's removals; ``None`` where the margin does not allow for them."""
        if not hasattr(self._thread, "removals"):
            try:
                removals = Removals(self._columns(), self.stair, self.state, self.options.ridge)
                removals.limit_events(self.options.max_events)
            except (ValueError, IndefiniteMarginError):
                removals = None
            self._thread.removals = removals
        found: Removals | None = self._thread.removals
        return found
