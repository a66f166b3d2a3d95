r"""A vertex of a linear program on a line: its basis, its values at both ends, its tolerances.

With the basis fixed, coefficients of rows :math:`\beta_M` and sums of columns :math:`g` are linear
in knots and penalties; coefficients of columns :math:`w_A`, the bias and residuals :math:`r` are
linear in targets and levels. So both are kept as their values at the two ends of the line, from
which those at any theta follow without accumulated rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine.simplex.core import Core
from weightpath.engine.simplex.line import FAR, Line
from weightpath.problems.position import is_free, knot_of, lower_level, upper_level

__all__ = ["Vertex"]

Reals = NDArray[np.float64]
Pair = tuple[Reals, Reals]

_EPS = float(np.finfo(np.float64).eps)


class Vertex:
    """The state of the simplex method; see the module's text.

    Parameters
    ----------
    line : Line
    core : Core
    position : ndarray of int, shape (n,)
        Positions of the rows on their staircases; those of the core are free.
    sign : ndarray of int, shape (p,)
        Signs of the coefficients of columns; zero for all that are not in the core.
    theta, rest : float
        Where on the line.
    """

    def __init__(
        self,
        line: Line,
        core: Core,
        position: NDArray[np.int64],
        sign: NDArray[np.int64],
        theta: float = 0.0,
        rest: float = 1.0,
    ):
        self.line, self.core = line, core
        self.position, self.sign = position, sign
        self.theta, self.rest = theta, rest
        self._all_rows = np.arange(len(position))
        self.refresh()

    def now(self, pair: Pair) -> Reals:
        """Return the value at the present theta of what has these values at the ends."""
        if pair[0] is pair[1]:
            return pair[0]
        return self.rest * pair[0] + self.theta * pair[1]

    # Values --------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Compute everything from the data: the inverse, the sums over rows at knots, residuals."""
        self.core.refactor()
        self.since = self.rest
        at_knot = np.flatnonzero(~is_free(self.position))
        knot = knot_of(self.position[at_knot])
        held = np.zeros((len(self.position), 2))
        for k, knots in enumerate(self.line.knots):
            held[at_knot, k] = knots[at_knot, knot]
        design = self.core.design
        # Of the rows at knots: sums, sums of columns, and sizes of both.
        self.total, self.size = held.sum(axis=0), np.abs(held).sum(axis=0)
        self.peak = self.size.copy()
        self.speed_size = float(np.abs(held[:, 1] - held[:, 0]).sum())
        self.sums = design.column_sums(held)
        self._find_levels()
        self.find_rows()
        self.find_columns()

    @property
    def is_worn(self) -> bool:
        """Whether sums or the inverse may carry the roundings of far larger numbers."""
        fallen = self.peak > tolerances.FRESH_AFTER_FALL * self.size
        return self.core.is_worn or bool(fallen.any())

    def hold(self, row: int, factor: float) -> None:
        """Add a row at its knot to the sums (factor 1), or take it out (factor -1)."""
        knot = int(self.position[row]) // 2
        held = np.array([knots[row, knot] for knots in self.line.knots])
        self.total += factor * held
        self.size += factor * np.abs(held)
        np.maximum(self.peak, self.size, out=self.peak)
        self.speed_size += factor * abs(held[1] - held[0])
        self.sums += np.outer(self.core.design.row(row), factor * held)

    def find_rows(self) -> None:
        """Find the coefficients of the rows of the core, and the sums of all columns."""
        beta = self.core.solve_transposed(self._row_sides())
        g = self.sums + self.core.row_values.T @ beta
        self.beta, self.g = (beta[:, 0], beta[:, 1]), (g[:, 0], g[:, 1])

    def _row_sides(self) -> Reals:
        """Return what the sums of the core's columns must be without the rows at knots, (k, 2)."""
        features = self.core.features
        right = np.empty((self.core.k, 2))
        right[0] = -self.total
        sign = self.sign[features]
        for k, penalty in enumerate(self.line.penalty):
            right[1:, k] = sign * penalty[features] - self.sums[features, k]
        return right

    def find_columns(self, residual: Reals | None = None) -> None:
        """Find bias and coefficients of the columns of the core, and the residuals of all rows.

        ``residual`` are the residuals where they are known already and nothing moves them.
        """
        rows, line, right = self.core.rows, self.line, self._column_sides()
        if line.moves_values:
            both = self.core.solve(right)
            found = self.core.columns @ both
            self.w: Pair = (both[:, 0], both[:, 1])
            self.r: Pair = (line.target[0] - found[:, 0], line.target[1] - found[:, 1])
        else:
            w = self.core.solve(right[:, 0])
            if residual is None:
                residual = line.target[0] - self.core.columns @ w
            self.w, self.r = (w, w), (residual, residual)
        level = self.position[rows] // 2
        for r, levels in zip(self.r, line.levels, strict=True):
            r[rows] = levels[rows, level]

    def _column_sides(self) -> Reals:
        """Return what the functions of the core's rows must be, (k, 2)."""
        rows = self.core.rows
        level = self.position[rows] // 2
        ends = zip(self.line.target, self.line.levels, strict=True)
        return np.column_stack([target[rows] - levels[rows, level] for target, levels in ends])

    def solution_at(self, thetas: Reals, rests: Reals) -> tuple[Reals, Reals]:
        """Return the core's coefficients of columns and rows at some theta, each (k, n_theta).

        They are solved for there: extrapolated to the ends of the line they may be far larger.
        """
        along = np.stack([rests, thetas])
        if self.line.moves_values:
            w = self.core.solve(self._column_sides() @ along)
        else:
            w = np.repeat(self.w[0][:, None], len(thetas), axis=1)
        return w, self.core.solve_transposed(self._row_sides() @ along)

    def _find_levels(self) -> None:
        """Find the levels between which the residuals of all rows may be; no bounds in the core."""
        rows, line = self._all_rows, self.line
        low, high = lower_level(self.position), upper_level(self.position)
        self.low = tuple(levels[rows, low] for levels in line.levels)
        self.high = tuple(levels[rows, high] for levels in line.levels)
        free = is_free(self.position) | line.weightless
        for low, high in zip(self.low, self.high, strict=True):
            low[free], high[free] = -FAR, FAR

    def set_position(self, row: int, position: int) -> None:
        """Put a row at a position, with the levels that bound its residual there."""
        self.position[row] = position
        free = position % 2 == 0 or bool(self.line.weightless[row])
        for low, high, levels in zip(self.low, self.high, self.line.levels, strict=True):
            low[row] = -FAR if free else levels[row, position // 2]
            high[row] = FAR if free else levels[row, (position + 1) // 2]

    # Bounds of the core's rows -----------------------------------------------------------------

    def knots_below(self) -> Pair:
        """Return the knots below the coefficients of the core's rows, at both ends."""
        rows = self.core.rows
        knot = self.position[rows] // 2 - 1
        first, last = self.line.knots
        return first[rows, knot], last[rows, knot]

    def knots_above(self) -> Pair:
        """Return the knots above the coefficients of the core's rows, at both ends."""
        rows = self.core.rows
        knot = self.position[rows] // 2
        first, last = self.line.knots
        return first[rows, knot], last[rows, knot]

    # Tolerances ----------------------------------------------------------------------------

    @property
    def residual_scale(self) -> float:
        """The largest target or level."""
        first, last = self.line.scales
        return self.rest * first + self.theta * last or 1.0

    def residual_tolerance(self) -> float:
        """Return how close to a level a residual can be told from it."""
        size = float(np.abs(self.now(self.w)).sum())
        return tolerances.RESIDUAL * self.residual_scale + tolerances.ROUNDINGS * _EPS * size

    def sum_tolerance(self) -> Reals:
        """Return how close to its penalty the sum of each column can be told from it."""
        held = max(self.rest * self.size[0] + self.theta * self.size[1], 0.0)
        size = float(np.abs(self.now(self.beta)).sum() + held)
        floor = tolerances.ROUNDINGS * _EPS * size
        return tolerances.RESIDUAL * self.now(self.line.penalty) + floor

    def column_tolerance(self) -> Reals:
        """Return how close to zero the coefficient of each column of the core is zero."""
        w = np.abs(self.now(self.w))
        floor = tolerances.KNOT_ROUNDINGS * _EPS * float(w.max())
        return np.full(self.core.k, tolerances.RESIDUAL * self.residual_scale + floor)

    def row_tolerance(self) -> Reals:
        """Return how close to a knot the coefficient of each row of the core is at it."""
        rows = self.core.rows
        below, above = self.now(self.knots_below()), self.now(self.knots_above())
        size = np.maximum(np.abs(below), np.abs(above))
        return self.row_units(rows) * tolerances.RESIDUAL + tolerances.KNOT_ROUNDINGS * _EPS * size

    def row_units(self, rows: NDArray[np.intp]) -> Reals:
        """Return the units of coefficients of some rows."""
        first, last = (knots[rows, -1] - knots[rows, 0] for knots in self.line.knots)
        width = self.rest * first + self.theta * last
        reach = self.line.reach[rows]
        felt = np.divide(1.0, reach, out=np.full(len(rows), np.inf), where=reach > 0.0)
        unit = np.where(width > 0.0, np.minimum(width, felt), felt)
        return np.where(np.isfinite(unit), unit, 1.0)

