r"""The region around a model on which its solution is affine in several parameters.

With the position of every row on its staircase given, one margin system for each parameter gives
bias and coefficients of the margin as affine functions of z, and one product with the kernel matrix
all residuals. The region is where free coefficients are between their knots and the residuals of
all others between their levels: at most two half-spaces for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lu_factor, lu_solve

from weightpath import tolerances
from weightpath.estimators.base import PathEstimator
from weightpath.path import Solution
from weightpath.problems.position import (
    interval_of,
    is_free,
    knot_below,
    lower_level,
    upper_level,
)
from weightpath.regions.half_spaces import irredundant, polygon_of
from weightpath.regions.parameters import Axis, ParametricProblem, checked_model
from weightpath.regions.solutions import solution_of, state_at
from weightpath.small_tables import html_table

__all__ = ["CriticalRegion", "Exit", "critical_region"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# Slacks of shape (k, 1 + n_axes), their rows and the sides of these: -1 falling, 1 rising.
HalfSpaces = tuple[Reals, Index, NDArray[np.int_]]

_EPS = float(np.finfo(np.float64).eps)

# The sum of the knots stays what it must be where it changes by no more than this fraction.
_BALANCE = tolerances.BALANCE_NOISE


@dataclass(frozen=True, eq=False)
class Exit:
    """Where a direction leaves a region, and what changes there.

    Attributes
    ----------
    length : float
        How far: the region ends at ``length * direction``; infinite if it never ends.
    z : ndarray of shape (n_axes,) or None
        That point; ``None`` if the region never ends in this direction.
    index : int
        The training row that changes, -1 if none does.
    set_before, set_after : str
        Its set inside the region and behind its border: "outside", "margin" or "inside". They are
        the same where all rows are at their bounds and the row only takes over as one of the two
        that bound the bias.
    """

    length: float
    z: Reals | None
    index: int
    set_before: str
    set_after: str


def critical_region(model: PathEstimator, axes: Sequence[Axis]) -> CriticalRegion:
    """Return the region of a fitted model; see ``critical_region`` of the estimators."""
    last, _ = checked_model(model, "critical_region")
    return CriticalRegion(ParametricProblem.of(last, axes))


class CriticalRegion:
    """The polyhedron of z on which every training row stays in its set.

    Made by ``model.critical_region(axes)``; z = 0 is where the model is.

    Parameters
    ----------
    problem : ParametricProblem
        The problem of the model along the axes.
    """

    def __init__(self, problem: ParametricProblem):
        self.problem = problem
        self.position = problem.subproblem.state.position
        self._free = np.flatnonzero(is_free(self.position))
        self._beta, bias, gap = _affine_solution(problem, self.position, self._free)
        loose = problem.has_bias and self._free.size == 0
        found = self._loose_half_spaces(gap) if loose else self._half_spaces(gap - bias)
        slack, self._row, self._side = (np.concatenate(part) for part in zip(*found, strict=True))
        # At the solution itself nothing is violated but by rounding.
        self._slack = np.column_stack([np.maximum(slack[:, 0], 0.0), slack[:, 1:]])

    def __repr__(self) -> str:
        n, d = len(self.problem), self.n_axes
        axes = "axis" if d == 1 else "axes"
        return f"<CriticalRegion: {n} rows, {self.margin.size} at the margin, {d} {axes}>"

    def _repr_html_(self) -> str:
        rows = [("training rows", len(self.problem)), ("axes", self.n_axes)]
        sizes = [("outside", self.outside), ("margin", self.margin), ("inside", self.inside)]
        return html_table("CriticalRegion", rows + [(name, own.size) for name, own in sizes])

    @property
    def n_axes(self) -> int:
        """The number of parameters."""
        return self.problem.n_axes

    def _rows_in(self, name: str) -> Index:
        subproblem = self.problem.subproblem
        return np.asarray(subproblem.rows[subproblem.reading.words(self.position) == name])

    @property
    def outside(self) -> Index:
        """The training rows outside."""
        return self._rows_in("outside")

    @property
    def margin(self) -> Index:
        """The training rows at the margin."""
        return self._rows_in("margin")

    @property
    def inside(self) -> Index:
        """The training rows inside."""
        return self._rows_in("inside")

    # The polyhedron ------------------------------------------------------------------------

    def _half_spaces(self, residual: Reals) -> list[HalfSpaces]:
        """Return where all rows keep their positions: slacks, affine in z, rows and sides."""
        problem, position, free = self.problem, self.position, self._free
        at = np.flatnonzero(~is_free(position) & ~problem.idle)
        found = []
        for side, level_of in ((-1, lower_level), (1, upper_level)):
            knot = interval_of(position[free]) - (side < 0)
            has = (knot >= 0) & (knot < problem.knots.shape[1])
            room = side * (problem.knots[free[has], knot[has]] - self._beta[has])
            found.append((room, free[has], np.full(len(room), side)))
            level = problem.levels[at, level_of(position[at])]
            has = np.isfinite(level[:, 0])
            room = side * (level[has] - residual[at[has]])
            found.append((room, at[has], np.full(len(room), side)))
        return found

    def _loose_half_spaces(self, gap: Reals) -> list[HalfSpaces]:
        """Return where all rows keep their positions and the same two bound the bias."""
        problem, position = self.problem, self.position
        at = np.flatnonzero(~problem.idle)
        found, bounds = [], {}
        for side, level_of in ((-1, lower_level), (1, upper_level)):
            level = problem.levels[at, level_of(position[at])]
            has = np.isfinite(level[:, 0])
            bound, rows = gap[at[has]] - level[has], at[has]
            if rows.size == 0:
                continue
            # From below the greatest bound counts, from above the least.
            nearest = int((side * bound[:, 0]).argmax())
            bounds[side] = bound[nearest], int(rows[nearest])
            others = np.arange(rows.size) != nearest
            room = side * (bound[nearest] - bound[others])
            # They take over as bounds and stay at their knots.
            found.append((room, rows[others], np.zeros(len(room), dtype=np.int_)))
        if len(bounds) == 2:
            room = (bounds[-1][0] - bounds[1][0])[None]
            found.append((room, np.array([bounds[1][1]]), np.array([1])))
        row = np.arange(len(problem))
        knots = problem.knots[row, knot_below(position, problem.knots.shape[1])]
        balance = problem.total - knots.sum(axis=0)
        if (np.abs(balance[1:]) > _BALANCE * np.abs(knots).sum(axis=0)[1:]).any():
            # The sum of the coefficients allows only some directions.
            balance[0] = 0.0
            found.append((np.stack([balance, -balance]), np.full(2, -1), np.array([-1, 1])))
        return found

    @property
    def _is_felt(self) -> NDArray[np.bool_]:
        """Which half-spaces any direction can leave."""
        size = np.abs(self._slack).max(axis=1, initial=0.0)
        felt = np.abs(self._slack[:, 1:]).max(axis=1, initial=0.0)
        return np.asarray(felt > np.maximum(64.0 * _EPS * size, np.finfo(np.float64).tiny))

    @cached_property
    def _kept(self) -> Index:
        """The half-spaces that are not redundant; beyond two axes, all that are felt."""
        felt = np.flatnonzero(self._is_felt)
        if self.n_axes > 2:
            return felt
        return felt[irredundant(-self._slack[felt, 1:], self._slack[felt, 0])]

    @property
    def halfspaces(self) -> tuple[Reals, Reals]:
        """``(A, b)``: the region is where ``A z <= b``.

        Rows have length one. With one or two axes none is redundant; for more see
        :meth:`minimal_halfspaces`.
        """
        return self._scaled(self._kept)

    def minimal_halfspaces(self) -> tuple[Reals, Reals]:
        """Return ``(A, b)`` without redundant rows, by a linear program for each.

        The same as :attr:`halfspaces` for one or two axes.
        """
        felt = np.flatnonzero(self._is_felt)
        return self._scaled(felt[irredundant(-self._slack[felt, 1:], self._slack[felt, 0])])

    def _scaled(self, which: Index) -> tuple[Reals, Reals]:
        A, b = -self._slack[which, 1:], self._slack[which, 0]
        length = np.linalg.norm(A, axis=1)
        return A / length[:, None], b / length

    @property
    def vertices(self) -> Reals:
        """The vertices, of shape (n_vertices, n_axes), for one or two axes.

        Of one axis the ends of the interval, increasing; of two axes the corners of the polygon,
        counter-clockwise. An unbounded region has fewer corners than sides.
        """
        if self.n_axes > 2:
            raise ValueError(
                f"Vertices are there for one or two axes; this region has {self.n_axes}."
            )
        A, b = self.halfspaces
        if self.n_axes == 1:
            return np.sort(b / A[:, 0])[:, None]
        return polygon_of(A, b)

    def contains(self, z: ArrayLike) -> bool:
        """Return whether a point is in the region; its border belongs to it."""
        one_and_z = np.append(1.0, self._checked(z))
        size = np.abs(self._slack) @ np.abs(one_and_z)
        return bool((self._slack @ one_and_z >= -8.0 * _EPS * size).all())

    def exit(self, direction: ArrayLike) -> Exit:
        """Return how far the region goes in a direction, and which row changes there.

        Parameters
        ----------
        direction : array-like of shape (n_axes,)
            From z = 0, where the model is. With one axis, 1 or -1.

        Returns
        -------
        Exit
        """
        toward = self._checked(direction)
        if not toward.any():
            raise ValueError("A direction needs a number that is not zero.")
        speed = -(self._slack[:, 1:] @ toward)
        noise = 64.0 * _EPS * (np.abs(self._slack[:, 1:]) @ np.abs(toward))
        speed = np.where(speed > noise, speed, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.where(speed > 0.0, self._slack[:, 0] / speed, np.inf)
        first = float(length.min(initial=np.inf))
        if not np.isfinite(first):
            return Exit(np.inf, None, -1, "", "")
        # Of several at once, the fastest.
        which = int(np.where(length == first, speed, 0.0).argmax())
        return self._leaving(first, first * toward, which)

    def _leaving(self, length: float, z: Reals, which: int) -> Exit:
        """Return the exit through a half-space."""
        row, side = int(self._row[which]), int(self._side[which])
        if row < 0:
            row, side = self._balancing(side)
        if row < 0:
            return Exit(length, z, -1, "", "")
        subproblem, position = self.problem.subproblem, int(self.position[row])
        index = np.array([row])
        before, after = (
            str(subproblem.reading.words(np.array([at]), index)[0])
            for at in (position, position + side)
        )
        return Exit(length, z, int(subproblem.rows[row]), before, after)

    def _balancing(self, side: int) -> tuple[int, int]:
        """Return the row that enters the margin when the sum of coefficients must rise or fall."""
        state, stair = self.problem.subproblem.state, self.problem.subproblem.stair
        row = np.arange(len(stair))
        rises = side < 0
        level = stair.levels[row, (upper_level if rises else lower_level)(self.position)]
        room = np.where(self.problem.idle, np.inf, np.abs(level - state.residual))
        nearest = int(room.argmin())
        return (nearest, 1 if rises else -1) if np.isfinite(room[nearest]) else (-1, 0)

    def solution(self, z: ArrayLike) -> Solution:
        """Return the exact solution at a point of the region.

        Parameters
        ----------
        z : array-like of shape (n_axes,)

        Returns
        -------
        Solution
            As :meth:`weightpath.SolutionPath.at` returns it, with ``z`` in place of theta.
        """
        point = self._checked(z)
        if not self.contains(point):
            raise ValueError(
                f"z={point.tolist()} is outside this region. Follow a path there (path_to), or see "
                "region_map for a whole plane."
            )
        return solution_of(self.problem, point, state_at(self.problem, point, self.position))

    def _checked(self, z: Any) -> Reals:
        """Return a point or direction as an array."""
        point = np.atleast_1d(np.asarray(z, dtype=np.float64))
        if point.shape != (self.n_axes,) or not np.isfinite(point).all():
            raise ValueError(f"This region has {self.n_axes} axes; got {z!r}.")
        return point


def _affine_solution(
    problem: ParametricProblem, position: Any, free: Index
) -> tuple[Reals, Reals, Reals]:
    """Return coefficients of the margin, the bias, and residuals before the bias, affine in z.

    Shapes (n_margin, 1 + n_axes), (1 + n_axes,) and (n, 1 + n_axes).
    """
    row = np.arange(len(problem))
    fixed = problem.knots[row, knot_below(position, problem.knots.shape[1])]
    fixed[free] = 0.0
    product = np.column_stack([problem.columns.product(own) for own in fixed.T.copy()])
    gap = problem.target - product - problem.ridge * fixed
    if free.size == 0:
        return np.empty((0, gap.shape[1])), np.zeros(gap.shape[1]), gap
    own = problem.columns.submatrix(free) + problem.ridge * np.eye(free.size)
    right = gap[free] - problem.levels[free, interval_of(position[free])]
    beta, bias = solve_margin(own, right, problem.total - fixed.sum(axis=0), problem.has_bias)
    # Column by column, as a kernel matrix of many rows does not fit into memory.
    for k, i in enumerate(free):
        gap -= np.outer(problem.columns.column(int(i)), beta[k])
        gap[i] -= problem.ridge * beta[k]
    return beta, bias, gap


def solve_margin(K: Reals, right: Reals, total: Reals, has_bias: bool) -> tuple[Reals, Reals]:
    """Return coefficients and biases of the margin system for several right-hand sides.

    One factor serves all, with one step of refinement.
    """
    m = len(K)
    system, rhs = K, right
    if has_bias:
        system = np.zeros((m + 1, m + 1))
        system[1:, 1:], system[0, 1:], system[1:, 0] = K, 1.0, 1.0
        rhs = np.vstack([total, right])
    factor = lu_factor(system)
    found = lu_solve(factor, rhs)
    found += lu_solve(factor, rhs - system @ found)
    return (found[1:], found[0]) if has_bias else (found, np.zeros(rhs.shape[1]))
