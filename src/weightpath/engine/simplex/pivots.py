r"""The four pivots, each at a standing theta.

==================  =========================================================================
``leave_row``       :math:`\beta_i` of a row at a level has reached a knot: its residual leaves
                    the level, and :math:`(w_A, b)` move along an edge
``enter_column``    the sum :math:`g_j` of a column has reached its penalty: :math:`w_j` leaves zero
``enter_row``       the residual of a row at a knot has reached a level: its :math:`\beta_i` leaves
                    the knot, and :math:`\beta_M` moves along an edge of the dual
``leave_column``    a coefficient :math:`w_j` has reached zero: :math:`g_j` leaves its penalty
==================  =========================================================================

The first two move :math:`(w, b)` and the residuals until a coefficient reaches zero or a residual
a level; the last two move :math:`\beta` and the sums until a coefficient reaches a knot or a sum
its penalty. What stops the move takes part in the exchange. The variable that moves may reach its
own next bound first; then the core stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine.simplex.line import FAR
from weightpath.engine.simplex.ratio_test import Block, Movers, first_block
from weightpath.engine.simplex.vertex import Vertex

__all__ = ["COLUMN", "MEMBER", "ROW", "SUM", "Pivots", "UnboundedEdgeError"]

Reals = NDArray[np.float64]

# The kinds of variables that meet bounds.
MEMBER, SUM, ROW, COLUMN = "member", "sum", "row", "column"

_EPS = float(np.finfo(np.float64).eps)


class UnboundedEdgeError(ArithmeticError):
    """Nothing stops a move along an edge."""


class Pivots:
    """Pivots of a vertex.

    Parameters
    ----------
    vertex : Vertex
        What they change.
    event : callable
        ``event(is_column, index, before, after)`` is told every change of a position or sign.
    """

    def __init__(self, vertex: Vertex, event: Callable[[bool, int, int, int], None]):
        self.vertex, self._event = vertex, event
        n, p = vertex.core.design.shape
        self._columns_numbered, self._rows_numbered = np.arange(p), np.arange(p, p + n)
        # Whether Bland's rule breaks ties.
        self.least_number = False

    def numbers(self, kind: str) -> NDArray[np.intp]:
        """Return the numbers of all variables of a kind, for Bland's rule: first the columns."""
        core = self.vertex.core
        if kind == SUM:
            return self._columns_numbered
        if kind == ROW:
            return self._rows_numbered
        if kind == MEMBER:
            return self._rows_numbered[core.rows]
        return np.append(0, core.features)

    def make(self, block: Block) -> None:
        """Make the pivot that an event asks for."""
        kind, index, side, _ = block
        if kind == MEMBER:
            self._leave_row(index, side)
        elif kind == SUM:
            self._enter_column(index, side)
        elif kind == ROW:
            self._enter_row(index, side)
        else:
            self._leave_column(index)

    # Moves of coefficients and residuals -------------------------------------------------------

    def _leave_row(self, a: int, side: int) -> None:
        vertex, core = self.vertex, self.vertex.core
        row, unit = int(core.rows[a]), np.zeros(core.k)
        unit[a] = -side
        d = core.solve(unit)
        rate = -(core.columns @ d)
        rate[core.rows] = 0.0
        old, level = int(vertex.position[row]), int(vertex.position[row]) // 2
        first, last = vertex.line.levels
        levels = vertex.now((first[row], last[row]))
        gap = side * (levels[level + side] - levels[level])
        block = self._first_of_columns(d, rate)
        self._put_row(row, old + side)
        if gap < FAR / 2 and (block is None or gap <= block.step):
            # Free again beyond its knot, at the next level.
            rate[row] = side
            residual = self._moved(gap, rate)
            self._put_row(row, old + 2 * side)
            self._found_again(residual, residuals_too=True)
            return
        if block is None:
            raise UnboundedEdgeError
        rate[row] = side
        residual = self._moved(block.step, rate)
        vertex.hold(row, 1.0)
        if block.kind == COLUMN:
            self._drop_column(block.which)
            core.shrink(a, block.which)
        else:
            self._free_row(block.which, rate[block.which])
            core.exchange_row(a, block.which)
        self._found_again(residual, residuals_too=True)

    def _enter_column(self, feature: int, side: int) -> None:
        core = self.vertex.core
        d = core.solve(-side * core.row_values[:, feature])
        rate = -(core.columns @ d) - side * core.design.column(feature)
        rate[core.rows] = 0.0
        block = self._first_of_columns(d, rate)
        if block is None:
            raise UnboundedEdgeError
        residual = self._moved(block.step, rate)
        self._put_sign(feature, side)
        if block.kind == COLUMN:
            self._drop_column(block.which)
            core.exchange_column(block.which, feature)
        else:
            self._free_row(block.which, rate[block.which])
            core.grow(block.which, feature)
        self._found_again(residual, residuals_too=True)

    def _first_of_columns(self, d: Reals, rate: Reals) -> Block | None:
        """Return which coefficient first reaches zero, or which residual a level."""
        vertex = self.vertex
        sign, size = vertex.core_signs(), np.abs(d)
        r, low, high = vertex.r, vertex.now(vertex.low), vertex.now(vertex.high)
        groups = [
            Movers(
                COLUMN,
                sign * vertex.w,
                -sign * d,
                vertex.column_tolerance(),
                tolerances.SLOPE_NOISE * float(size.max()),
                self.numbers(COLUMN),
                0,
            ),
            Movers(
                ROW,
                np.where(rate > 0.0, high - r, r - low),
                np.abs(rate),
                vertex.residual_tolerance(),
                tolerances.ROUNDINGS * _EPS * (float(size.sum()) + 1.0),
                self.numbers(ROW),
                0,
            ),
        ]
        return _unless_far(first_block(groups, self.least_number))

    def _moved(self, step: float, rate: Reals) -> Reals | None:
        """Return the residuals after a step; ``None`` if they are found from the data."""
        vertex = self.vertex
        return None if vertex.line.moves_values else vertex.r + step * rate

    # Moves of the rows' coefficients and of sums -----------------------------------------------

    def _enter_row(self, row: int, side: int) -> None:
        vertex, core = self.vertex, self.vertex.core
        d = core.solve_transposed(-side * core.columns[row])
        rate = core.row_values.T @ d + side * core.design.row(row)
        rate[core.features] = 0.0
        old, knot = int(vertex.position[row]), int(vertex.position[row]) // 2
        first, last = vertex.line.knots
        knots = vertex.now((first[row], last[row]))
        width = side * (knots[knot + side] - knots[knot])
        block = self._first_of_rows(d, rate)
        vertex.hold(row, -1.0)
        self._put_row(row, old + side)
        if block is None or width <= block.step:
            # At the next knot without having been at the level for long.
            self._put_row(row, old + 2 * side)
            vertex.hold(row, 1.0)
            self._found_again(None, residuals_too=False)
            return
        if block.kind == MEMBER:
            self._fix_row(block.which, d[block.which])
            core.exchange_row(block.which, row)
        else:
            self._put_sign(block.which, 1 if rate[block.which] > 0.0 else -1)
            core.grow(row, block.which)
        self._found_again(None, residuals_too=True)

    def _leave_column(self, c: int) -> None:
        vertex, core = self.vertex, self.vertex.core
        feature, unit = int(core.features[c - 1]), np.zeros(core.k)
        side = int(vertex.sign[feature])
        unit[c] = -side
        d = core.solve_transposed(unit)
        rate = core.row_values.T @ d
        rate[core.features] = 0.0
        penalty = vertex.now(vertex.line.penalty)[feature]
        block = self._first_of_rows(d, rate)
        self._put_sign(feature, 0)
        if block is None or 2.0 * penalty <= block.step:
            # Through zero to the other sign.
            self._put_sign(feature, -side)
            self._found_again(None, residuals_too=False)
            return
        if block.kind == MEMBER:
            self._fix_row(block.which, d[block.which])
            core.shrink(block.which, c)
        else:
            self._put_sign(block.which, 1 if rate[block.which] > 0.0 else -1)
            core.exchange_column(c, block.which)
        self._found_again(None, residuals_too=True)

    def _first_of_rows(self, d: Reals, rate: Reals) -> Block | None:
        """Return which coefficient of a row first reaches a knot, or which sum its penalty."""
        vertex = self.vertex
        beta, size = vertex.beta, np.abs(d)
        below, above = vertex.now(vertex.knots_below()), vertex.now(vertex.knots_above())
        g, penalty = vertex.g, vertex.now(vertex.line.penalty)
        groups = [
            Movers(
                MEMBER,
                np.where(d > 0.0, above - beta, beta - below),
                size,
                vertex.row_tolerance(),
                tolerances.SLOPE_NOISE * max(float(size.max()), 1.0),
                self.numbers(MEMBER),
                0,
            ),
            Movers(
                SUM,
                penalty - np.where(rate > 0.0, g, -g),
                np.abs(rate),
                vertex.sum_tolerance(),
                tolerances.ROUNDINGS * _EPS * (float(size.sum()) + 1.0),
                self.numbers(SUM),
                0,
            ),
        ]
        return first_block(groups, self.least_number)

    # Changes of the basis ----------------------------------------------------------------------

    def _found_again(self, residual: Reals | None, residuals_too: bool) -> None:
        vertex = self.vertex
        vertex.find_rows()
        if residuals_too:
            vertex.find_columns(residual)

    def _put_row(self, row: int, position: int) -> None:
        self._event(False, row, int(self.vertex.position[row]), position)
        self.vertex.set_position(row, position)

    def _put_sign(self, feature: int, sign: int) -> None:
        self._event(True, feature, int(self.vertex.sign[feature]), sign)
        self.vertex.sign[feature] = sign

    def _free_row(self, row: int, rate: float) -> None:
        """Take a row at a knot to the level that its residual has reached."""
        self.vertex.hold(row, -1.0)
        self._put_row(row, int(self.vertex.position[row]) + (1 if rate > 0.0 else -1))

    def _fix_row(self, a: int, rate: float) -> None:
        """Take a row of the core to the knot that its coefficient has reached."""
        row = int(self.vertex.core.rows[a])
        self._put_row(row, int(self.vertex.position[row]) + (1 if rate > 0.0 else -1))
        self.vertex.hold(row, 1.0)

    def _drop_column(self, c: int) -> None:
        self._put_sign(int(self.vertex.core.features[c - 1]), 0)


def _unless_far(block: Block | None) -> Block | None:
    """Return a block unless it stands for a level that does not exist."""
    return None if block is not None and block.step >= FAR * 1e-50 else block
