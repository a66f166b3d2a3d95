"""Parametric simplex: from breakpoint to breakpoint along a line of linear programs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine.simplex.pivots import COLUMN, MEMBER, ROW, SUM, Pivots, UnboundedEdgeError
from weightpath.engine.simplex.ratio_test import Block, Movers, first_block
from weightpath.engine.simplex.recorder import Recorder
from weightpath.engine.simplex.vertex import Pair, Vertex

__all__ = ["Loop", "StrayedError", "TiesError"]

Reals = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)

# Pivots at one theta before Bland's rule breaks ties, besides one for each row of the core; and so
# many times as many before they are left to a solution just beyond. (By Bland's rule a linear
# program has an end; where rows and columns move at once, ties of both kinds need not.)
PATIENCE, GIVE_UP = 30, 4

# A step in theta no longer than this is looked at: if nothing moves by more than its tolerance, it
# is none. Where weights begin at zero, bounds would be as close together as rounding.
SHORT_STEP = 1e-12

# An event that leaves no more than this fraction of the rest of the line is at its end.
NO_REST = 4.0 * _EPS


class StrayedError(ArithmeticError):
    """Rounding has led the path astray, or ties could not be resolved."""

    def __init__(self, reason: str, theta: float = 0.0):
        super().__init__(reason)
        self.theta = theta


class TiesError(StrayedError):
    """Ties could not be resolved by pivots."""


class Loop:
    """Follows a vertex along its line.

    Parameters
    ----------
    vertex : Vertex
        Optimal where it is.
    recorder : Recorder or None
        Where the path is written down; ``None`` if only its end is wanted.
    max_events : int
    refresh_every : int, default=tolerances.REFRESH_EVERY
        After so many pivots everything is computed afresh, and looked at.
    """

    def __init__(
        self,
        vertex: Vertex,
        recorder: Recorder | None,
        max_events: int,
        refresh_every: int = tolerances.REFRESH_EVERY,
    ):
        self.vertex, self.recorder, self.max_events = vertex, recorder, max_events
        self.refresh_every = refresh_every
        self.n_pivots = 0
        self.pivots = Pivots(vertex, self._count if recorder is None else recorder.event)

    def _count(self, is_column: bool, index: int, before: int, after: int) -> None:
        pass

    def run(self) -> bool:
        """Go to the end of the line; return whether it was reached before the event cap."""
        vertex, still = self.vertex, 0
        while True:
            block = self.next_event()
            if block is None or self._is_at_end(vertex.rest - block.step):
                self._go_to(1.0, 0.0)
                self._refresh()
                return True
            moved = self._is_step(block.step) and self._go_to(
                min(vertex.theta + block.step, 1.0), vertex.rest - block.step
            )
            if self.recorder is not None and self.recorder.n_events >= self.max_events:
                return False
            still = 0 if moved else still + 1
            self._make(block, still)
            if self._wants_refresh():
                self._refresh()

    def _is_at_end(self, rest: float) -> bool:
        """Whether what is left of the line is nothing."""
        return rest <= NO_REST * self.vertex.rest or not self._is_step(rest)

    def _is_step(self, step: float) -> bool:
        """Whether a step moves anything by more than its tolerance."""
        if step > SHORT_STEP:
            return True
        vertex = self.vertex
        moves = [
            (vertex.beta_speed, vertex.row_tolerance()),
            (vertex.g_speed, vertex.sum_tolerance()),
        ]
        if vertex.line.moves_values:
            moves.append((vertex.r_speed, np.asarray(vertex.residual_tolerance())))
        return any(bool((step * np.abs(speed) > tolerance).any()) for speed, tolerance in moves)

    def _make(self, block: Block, still: int) -> None:
        """Make a pivot; ``still`` others were made at the same theta."""
        patience = PATIENCE + self.vertex.core.k
        self.pivots.least_number = still > patience
        if still > GIVE_UP * patience:
            raise TiesError("ties")
        self.n_pivots += 1
        try:
            self.pivots.make(block)
        except UnboundedEdgeError as error:
            raise StrayedError("an edge without an end") from error
        except np.linalg.LinAlgError as error:
            raise StrayedError("a singular basis") from error

    def _refresh(self) -> None:
        """Compute everything from the data; raise unless the vertex is optimal."""
        try:
            self.vertex.refresh()
        except np.linalg.LinAlgError as error:
            raise StrayedError("a singular basis") from error
        # A number that is not a number is astray, too.
        if not self.vertex.violation() <= tolerances.ACCEPTED:
            raise StrayedError("rounding errors grew too large")

    def _wants_refresh(self) -> bool:
        vertex = self.vertex
        return (
            vertex.core.n_updates >= self.refresh_every
            or vertex.is_worn
            or vertex.rest < vertex.since / tolerances.LEG_GROWTH
        )

    def _go_to(self, theta: float, rest: float) -> bool:
        """Go on to a theta; return whether it is another one."""
        vertex = self.vertex
        if theta == vertex.theta and rest == vertex.rest:
            return False
        if self.recorder is not None:
            beyond = self.recorder.segment(theta, rest)
            # A number that is not a number is astray, too.
            if not beyond <= tolerances.ACCEPTED:
                raise StrayedError("an ill-conditioned basis")
        vertex.advance(theta, rest)
        return True

    # The next event ----------------------------------------------------------------------------

    def next_event(self) -> Block | None:
        """Return what reaches its bound first as theta grows; ``None`` if nothing does."""
        groups: list[Movers] = []
        if self.vertex.line.moves_weights:
            groups += self._members() + self._sums()
        if self.vertex.line.moves_values:
            groups += self._columns() + self._rows()
        return first_block(groups, self.pivots.least_number)

    def _movers(
        self,
        kind: str,
        value: Reals,
        speed: Reals,
        bound: Pair,
        side: int,
        tolerance: Reals | float,
        noise: float,
    ) -> Movers:
        """Return variables that approach a bound, which may move too, on one side."""
        vertex = self.vertex
        slack = side * (vertex.now(bound) - value)
        speed = side * (speed - (bound[1] - bound[0]))
        # What cannot use up its tolerance before the end of the line does not count.
        speed = np.where(speed * vertex.rest > tolerance, speed, 0.0)
        return Movers(kind, slack, speed, tolerance, noise, self.pivots.numbers(kind), side)

    def _members(self) -> list[Movers]:
        vertex = self.vertex
        beta, speed, tolerance = vertex.beta, vertex.beta_speed, vertex.row_tolerance()
        noise = tolerances.SLOPE_NOISE * float(np.abs(speed).max())
        return [
            self._movers(MEMBER, beta, speed, bound, side, tolerance, noise)
            for bound, side in ((vertex.knots_below(), -1), (vertex.knots_above(), 1))
        ]

    def _sums(self) -> list[Movers]:
        vertex = self.vertex
        speed, tolerance, penalty = vertex.g_speed, vertex.sum_tolerance(), vertex.line.penalty
        size = float(np.abs(vertex.beta_speed).sum()) + max(vertex.speed_size, 0.0)
        noise, minus = tolerances.ROUNDINGS * _EPS * size, (-penalty[0], -penalty[1])
        groups = [
            self._movers(SUM, vertex.g, speed, bound, side, tolerance, noise)
            for bound, side in ((minus, -1), (penalty, 1))
        ]
        for group in groups:
            group.speed[vertex.core.features] = 0.0
        return groups

    def _columns(self) -> list[Movers]:
        vertex, core = self.vertex, self.vertex.core
        sign = vertex.core_signs()
        speed, zero = sign * vertex.w_speed, np.zeros(core.k)
        noise = tolerances.SLOPE_NOISE * float(np.abs(speed).max())
        tolerance = vertex.column_tolerance()
        return [self._movers(COLUMN, sign * vertex.w, speed, (zero, zero), -1, tolerance, noise)]

    def _rows(self) -> list[Movers]:
        vertex = self.vertex
        speed, tolerance = vertex.r_speed, vertex.residual_tolerance()
        noise = tolerances.ROUNDINGS * _EPS * float(np.abs(vertex.w_speed).sum())
        return [
            self._movers(ROW, vertex.r, speed, bound, side, tolerance, noise)
            for bound, side in ((vertex.low, -1), (vertex.high, 1))
        ]
