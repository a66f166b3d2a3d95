r"""A vertex of a linear program on a line: its basis, its values and speeds, its tolerances.

With the basis fixed, coefficients of rows :math:`\beta_M` and sums of columns :math:`g` are linear
in knots and penalties; coefficients of columns :math:`w_A`, the bias and residuals :math:`r` are
linear in targets and levels. Of each the value and its change per unit of theta are kept, solved
for where the vertex is: extrapolated to the ends of the line they may be far larger, and inexact.
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

# A basis so ill-conditioned that the coefficients of rows have roundings of more than this fraction
# of their units is no basis.
ILL_CONDITIONED = 1e-6


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
    closeness : float, default=tolerances.RESIDUAL
        How close to a bound, in units, a variable counts as being at it.
    """

    def __init__(
        self,
        line: Line,
        core: Core,
        position: NDArray[np.int64],
        sign: NDArray[np.int64],
        closeness: float = tolerances.RESIDUAL,
    ):
        self.line, self.core = line, core
        self.position, self.sign = position, sign
        self.closeness = closeness
        # Where on the line.
        self.theta, self.rest = 0.0, 1.0
        self._all_rows = np.arange(len(position))
        self._nothing = np.zeros(len(position))
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
        """Whether sums may carry the roundings of far larger numbers."""
        return bool((self.peak > tolerances.FRESH_AFTER_FALL * self.size).any())

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
        self._find_bounds()
        along = self._along()
        found = self.core.solve_transposed(self._row_sides() @ along)
        sums = self.sums @ along + self.core.row_values.T @ found
        self.beta, self.beta_speed = found[:, 0], found[:, 1]
        self.g, self.g_speed = sums[:, 0], sums[:, 1]

    def _along(self) -> Reals:
        """Return what makes values and speeds of values at both ends, (2, 2)."""
        return np.array([[self.rest, -1.0], [self.theta, 1.0]])

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
        level = self.position[rows] // 2
        if line.moves_values:
            along = self._along()
            found = self.core.solve(right @ along)
            self.w, self.w_speed = found[:, 0], found[:, 1]
            values = np.column_stack(line.target) @ along - self.core.columns @ found
            levels = np.column_stack([levels[rows, level] for levels in line.levels])
            values[rows] = levels @ along
            self.r, self.r_speed = values[:, 0].copy(), values[:, 1].copy()
        else:
            self.w = self.core.solve(right[:, 0])
            self.w_speed = np.zeros(self.core.k)
            if residual is None:
                residual = line.target[0] - self.core.columns @ self.w
            residual[rows] = line.levels[0][rows, level]
            self.r, self.r_speed = residual, self._nothing

    def advance(self, theta: float, rest: float) -> None:
        """Go on along the line."""
        # Whichever has more digits.
        step = theta - self.theta if theta <= 0.5 else self.rest - rest
        self.theta, self.rest = theta, rest
        self.beta = self.beta + step * self.beta_speed
        self.g = self.g + step * self.g_speed
        if self.line.moves_values:
            self.w = self.w + step * self.w_speed
            self.r = self.r + step * self.r_speed

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
            w = np.repeat(self.w[:, None], len(thetas), axis=1)
        return w, self.core.solve_transposed(self._row_sides() @ along)

    def _find_levels(self) -> None:
        """Find the levels between which the residuals of all rows may be; no bounds in the core."""
        rows, line = self._all_rows, self.line
        below, above = lower_level(self.position), upper_level(self.position)
        free = is_free(self.position) | line.weightless
        ends = []
        # Levels that stand still are kept once.
        for levels in line.levels[: 1 + line.moves_values]:
            low, high = levels[rows, below], levels[rows, above]
            low[free], high[free] = -FAR, FAR
            ends.append((low, high))
        self.low: Pair = (ends[0][0], ends[-1][0])
        self.high: Pair = (ends[0][1], ends[-1][1])

    def set_position(self, row: int, position: int) -> None:
        """Put a row at a position, with the levels that bound its residual there."""
        self.position[row] = position
        free = position % 2 == 0 or bool(self.line.weightless[row])
        for low, high, levels in zip(self.low, self.high, self.line.levels, strict=True):
            low[row] = -FAR if free else levels[row, position // 2]
            high[row] = FAR if free else levels[row, (position + 1) // 2]

    def core_signs(self) -> Reals:
        """Return the signs of the core's coefficients of columns; zero for the bias."""
        sign = np.zeros(self.core.k)
        sign[1:] = self.sign[self.core.features]
        return sign

    def free_bias(self, beta: Reals, thetas: Reals, rests: Reals) -> float:
        """Return how far the bias is from the middle of its interval; mostly zero.

        It is not unique on a stretch of theta where no column has a coefficient and the only row at
        a level stays at a knot, as with balanced classes. ``beta``: its coefficient at some theta.
        """
        if self.core.k > 1 or self.line.moves_values:
            return 0.0
        tolerance, row = self.row_tolerance()[0], int(self.core.rows[0])
        for side, (first, last) in ((-1, self.knots_below()), (1, self.knots_above())):
            if (np.abs(beta - (rests * first[0] + thetas * last[0])) <= tolerance).all():
                level = int(self.position[row]) // 2
                own = side * (self.line.levels[0][row, level + side] - self.r[row])
                room = np.where(side > 0, self.high[0] - self.r, self.r - self.low[0])
                room[row] = own
                # As the residual rises the bias falls.
                step = float(np.maximum(room, 0.0).min())
                return -0.5 * side * step if step < FAR / 2 else 0.0
        return 0.0

    # Bounds of the core's rows -----------------------------------------------------------------

    def _find_bounds(self) -> None:
        """Find the knots on both sides of the core's rows, and what their units are made of."""
        rows = self.core.rows
        knot = self.position[rows] // 2
        first, last = (knots[rows] for knots in self.line.knots)
        index = self._all_rows[: self.core.k]
        self._below: Pair = (first[index, knot - 1], last[index, knot - 1])
        self._above: Pair = (first[index, knot], last[index, knot])
        self._width: Pair = (first[:, -1] - first[:, 0], last[:, -1] - last[:, 0])
        reach = self.line.reach[rows]
        self._felt = np.divide(1.0, reach, out=np.full(len(rows), np.inf), where=reach > 0.0)

    def knots_below(self) -> Pair:
        """Return the knots below the coefficients of the core's rows, at both ends."""
        return self._below

    def knots_above(self) -> Pair:
        """Return the knots above the coefficients of the core's rows, at both ends."""
        return self._above

    # Tolerances ----------------------------------------------------------------------------

    @property
    def residual_scale(self) -> float:
        """The largest target or level."""
        first, last = self.line.scales
        return self.rest * first + self.theta * last or 1.0

    def residual_tolerance(self) -> float:
        """Return how close to a level a residual can be told from it."""
        size = float(np.abs(self.w).sum())
        return self.closeness * self.residual_scale + tolerances.ROUNDINGS * _EPS * size

    def sum_tolerance(self) -> Reals:
        """Return how close to its penalty the sum of each column can be told from it."""
        held = max(self.rest * self.size[0] + self.theta * self.size[1], 0.0)
        size = float(np.abs(self.beta).sum() + held)
        floor = tolerances.ROUNDINGS * _EPS * size
        return self.closeness * self.now(self.line.penalty) + floor

    def column_tolerance(self) -> Reals:
        """Return how close to zero the coefficient of each column of the core is zero."""
        w = np.abs(self.w)
        floor = tolerances.KNOT_ROUNDINGS * _EPS * float(w.max())
        return np.full(self.core.k, self.closeness * self.residual_scale + floor)

    def row_tolerance(self) -> Reals:
        """Return how close to a knot the coefficient of each row of the core is at it."""
        size = np.maximum(np.abs(self.now(self._below)), np.abs(self.now(self._above)))
        # Solved for together, they have roundings of the largest of them.
        size = np.maximum(size, np.abs(self.beta).max())
        rounding = tolerances.KNOT_ROUNDINGS * _EPS * size
        return np.asarray(self.row_units() * self.closeness + rounding)

    def row_units(self) -> Reals:
        """Return the units of coefficients of the core's rows."""
        width = self.now(self._width)
        unit = np.where(width > 0.0, np.minimum(width, self._felt), self._felt)
        return np.where(np.isfinite(unit), unit, 1.0)

    def fastest(self) -> float:
        """Return how fast anything moves along theta, in units."""
        penalty = self.now(self.line.penalty)
        speeds = [
            np.abs(self.g_speed) / np.where(penalty > 0.0, penalty, 1.0),
            np.abs(self.beta_speed) / self.row_units(),
            np.abs(self.r_speed) / self.residual_scale,
        ]
        return max(float(speed.max(initial=0.0)) for speed in speeds)

    def violation(self) -> float:
        """Return how far the vertex is from optimal, in units, beyond what rounding does."""
        core, w = self.core, self.w
        r, rounding = self.r, tolerances.ROUNDINGS * _EPS * float(np.abs(w).sum())
        beyond = float(np.maximum(self.now(self.low) - r, r - self.now(self.high)).max())
        wrong = float((-self.sign[core.features] * w[1:]).max(initial=0.0))
        found = [(max(beyond, wrong) - rounding) / self.residual_scale]
        here = np.array([self.theta]), np.array([self.rest])
        found.append(self.beyond_knots(self.beta[:, None], *here))
        penalty = self.now(self.line.penalty)
        excess = np.abs(self.g) - penalty
        excess -= self.sum_tolerance() - self.closeness * penalty
        excess[core.features] = 0.0
        found.append(float((excess / np.where(penalty > 0.0, penalty, 1.0)).max(initial=0.0)))
        return max(found)

    def beyond_knots(self, beta: Reals, thetas: Reals, rests: Reals) -> float:
        """Return how far the core's rows are beyond their knots, in units, beyond rounding.

        Coefficients have the roundings of a solution with the core, however ill-conditioned: up to
        a limit, beyond which they mean nothing.

        Parameters
        ----------
        beta : ndarray of shape (k, n_theta)
        thetas, rests : ndarray of shape (n_theta,)
        """
        below, above = (
            np.outer(first, rests) + np.outer(last, thetas)
            for first, last in (self._below, self._above)
        )
        out = np.maximum(below - beta, beta - above)
        own = tolerances.FLOOR_ROUNDINGS * _EPS * float(np.abs(beta).max())
        # Where weights begin or end at zero, knots are as close together as rounding.
        unit = np.maximum(self.row_units(), own / ILL_CONDITIONED)[:, None]
        if not (out > own).any():
            # Most often: then the condition of the core need not be known.
            return float(((out - own) / unit).max())
        right = np.abs(self._row_sides() @ np.stack([rests, thetas]))
        size = np.abs(self.core.inverse.T) @ right
        rounding = np.maximum(tolerances.FLOOR_ROUNDINGS * _EPS * size, own)
        return float(((out - np.minimum(rounding, ILL_CONDITIONED * unit)) / unit).max())
