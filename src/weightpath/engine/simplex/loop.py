"""Parametric simplex: from breakpoint to breakpoint along a line of linear programs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine.simplex.pivots import COLUMN, MEMBER, ROW, SUM, Pivots, UnboundedEdgeError
from weightpath.engine.simplex.ratio_test import Block, Movers, first_block
from weightpath.engine.simplex.recorder import Recorder
from weightpath.engine.simplex.vertex import Pair, Vertex

__all__ = ["Loop", "StrayedError"]

Reals = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)

# Pivots at one theta before Bland's rule breaks ties, besides one for each row of the core; and so
# many times as many before the path is given up.
PATIENCE, GIVE_UP = 50, 100


class StrayedError(ArithmeticError):
    """Rounding has led the path astray, or ties could not be resolved."""


class Loop:
    """Follows a vertex along its line.

    Parameters
    ----------
    vertex : Vertex
        Optimal where it is.
    recorder : Recorder or None
        Where the path is written down; ``None`` if only its end is wanted.
    max_events : int
    """

    def __init__(self, vertex: Vertex, recorder: Recorder | None, max_events: int):
        self.vertex, self.recorder, self.max_events = vertex, recorder, max_events
        self.n_pivots = 0
        self.pivots = Pivots(vertex, self._count if recorder is None else recorder.event)

    def _count(self, is_column: bool, index: int, before: int, after: int) -> None:
        pass

    def run(self) -> bool:
        """Go to the end of the line; return whether it was reached before the event cap."""
        vertex, still = self.vertex, 0
        while True:
            block = self.next_event()
            if block is None or block.step >= vertex.rest:
                self._go_to(1.0, 0.0)
                return True
            theta, rest = vertex.theta + block.step, max(vertex.rest - block.step, 0.0)
            moved = self._go_to(min(theta, 1.0), rest)
            if self.recorder is not None and self.recorder.n_events >= self.max_events:
                return False
            still = 0 if moved else still + 1
            self._make(block, still)
            if self._wants_refresh():
                vertex.refresh()

    def _make(self, block: Block, still: int) -> None:
        """Make a pivot; ``still`` others were made at the same theta."""
        patience = PATIENCE + self.vertex.core.k
        self.pivots.least_number = still > patience
        if still > GIVE_UP * patience:
            raise StrayedError("ties")
        self.n_pivots += 1
        try:
            self.pivots.make(block)
        except UnboundedEdgeError as error:
            raise StrayedError("an edge without an end") from error

    def _wants_refresh(self) -> bool:
        vertex = self.vertex
        return (
            vertex.core.n_updates >= tolerances.REFRESH_EVERY
            or vertex.is_worn
            or vertex.rest < vertex.since / tolerances.LEG_GROWTH
        )

    def _go_to(self, theta: float, rest: float) -> bool:
        """Go on to a theta; return whether it is another one."""
        vertex = self.vertex
        if theta == vertex.theta and rest == vertex.rest:
            return False
        if self.recorder is not None:
            self.recorder.segment(theta, rest)
        vertex.theta, vertex.rest = theta, rest
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
        value: Pair,
        bound: Pair,
        side: int,
        tolerance: Reals | float,
        noise: float,
        number: NDArray[np.intp],
    ) -> Movers:
        """Return variables that approach a bound on one side."""
        vertex = self.vertex
        slack = side * (vertex.now(bound) - vertex.now(value))
        speed = side * ((value[1] - value[0]) - (bound[1] - bound[0]))
        # What cannot use up its tolerance before the end of the line does not count.
        speed = np.where(speed * vertex.rest > tolerance, speed, 0.0)
        return Movers(kind, slack, speed, tolerance, noise, number, side)

    def _members(self) -> list[Movers]:
        vertex = self.vertex
        beta, tolerance = vertex.beta, vertex.row_tolerance()
        noise = tolerances.SLOPE_NOISE * float(np.abs(beta[1] - beta[0]).max())
        number = self.pivots.rows_numbered[vertex.core.rows]
        return [
            self._movers(MEMBER, beta, vertex.knots_below(), -1, tolerance, noise, number),
            self._movers(MEMBER, beta, vertex.knots_above(), 1, tolerance, noise, number),
        ]

    def _sums(self) -> list[Movers]:
        vertex = self.vertex
        g, tolerance, penalty = vertex.g, vertex.sum_tolerance(), vertex.line.penalty
        beta = vertex.beta
        size = float(np.abs(beta[1] - beta[0]).sum()) + max(vertex.speed_size, 0.0)
        noise, number = tolerances.ROUNDINGS * _EPS * size, self.pivots.columns_numbered
        minus = (-penalty[0], -penalty[1])
        groups = [
            self._movers(SUM, g, minus, -1, tolerance, noise, number),
            self._movers(SUM, g, penalty, 1, tolerance, noise, number),
        ]
        for group in groups:
            group.speed[vertex.core.features] = 0.0
        return groups

    def _columns(self) -> list[Movers]:
        vertex, core = self.vertex, self.vertex.core
        sign = np.zeros(core.k)
        sign[1:] = vertex.sign[core.features]
        number = np.zeros(core.k, np.intp)
        number[1:] = core.features
        w, zero = (sign * vertex.w[0], sign * vertex.w[1]), np.zeros(core.k)
        noise = tolerances.SLOPE_NOISE * float(np.abs(w[1] - w[0]).max())
        tolerance = vertex.column_tolerance()
        return [self._movers(COLUMN, w, (zero, zero), -1, tolerance, noise, number)]

    def _rows(self) -> list[Movers]:
        vertex = self.vertex
        r, tolerance = vertex.r, vertex.residual_tolerance()
        size = float(np.abs(vertex.w[1] - vertex.w[0]).sum())
        noise, number = tolerances.ROUNDINGS * _EPS * size, self.pivots.rows_numbered
        return [
            self._movers(ROW, r, vertex.low, -1, tolerance, noise, number),
            self._movers(ROW, r, vertex.high, 1, tolerance, noise, number),
        ]
