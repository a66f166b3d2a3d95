r"""How a linear functional of a solution moves with targets, knots, levels and the total.

Let :math:`J = c'\beta + c_0 b`. With the sets fixed, the free rows M solve

.. math::

    K_M \beta_M + b 1 = t_M - s_M - K_{MN} k_N, \qquad 1'\beta_M = e - 1'k_N ,

where the rows N at knots have :math:`\beta_N = k_N`. One more solve with the same, symmetric
matrix, :math:`K_M \lambda + \mu 1 = c_M` and :math:`1'\lambda = c_0`, gives all derivatives:

.. math::

    \frac{\partial J}{\partial t_i} = \lambda_i, \quad
    \frac{\partial J}{\partial s_i} = -\lambda_i \quad (i \in M), \qquad
    \frac{\partial J}{\partial k_i} = c_i - (K_{NM} \lambda)_i - \mu \quad (i \in N), \qquad
    \frac{\partial J}{\partial e} = \mu .

Where every row is at a knot the bias is the middle of its interval, between the bounds
:math:`t_i - s_i - (K\beta)_i` of two rows: the same formulas hold with :math:`\lambda = c_0 / 2` at
those two rows and :math:`\mu = 0`, for all changes that leave the sum of the knots at the total. A
change that does not makes the bias jump to an end of its interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.margin_system import MarginSystem
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import (
    Positions,
    interval_of,
    is_free,
    knot_of,
    lower_level,
    sort_out_equal_knots,
    upper_level,
)
from weightpath.problems.scales import nearest_knots, reach_of, residual_tolerance
from weightpath.record.bias import BiasInterval, center_bias
from weightpath.record.state import State

__all__ = ["Adjoint", "Slopes"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# A row whose pivot against the margin is a smaller fraction of its diagonal depends on the margin:
# its residual does not move unless its own target or level does.
_DEPENDENT = 1e-9

# A residual of the adjoint system below so many roundings of its terms is rounding; how often it is
# corrected otherwise.
_ROUNDINGS = 16.0
_CORRECTIONS = 2

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives of a functional with respect to everything that a staircase problem consists of.

    Attributes
    ----------
    target : ndarray of shape (n,)
    knots, levels : ndarray of shape (n, m) and (n, m + 1)
    total : float
    """

    target: Reals
    knots: Reals
    levels: Reals
    total: float


class Adjoint:
    """A solution, ready to say how functionals of it move; see the module's text.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    state : State
        Its solution.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix.
    bounds : (int, int) or None, default=None
        The rows that bound a free bias, where several could; found if not given.

    Attributes
    ----------
    position : ndarray of int, shape (n,)
        Positions, with rows of weight zero at the knot that their residual belongs to: their
        derivatives are those of a rising weight.
    felt : ndarray of int
        The rows whose entry of ``c`` matters: those that are free or whose knot moves with the
        weight. A knot at zero does not move, but for rows of weight zero.
    """

    def __init__(
        self,
        columns: Columns,
        stair: Staircase,
        state: State,
        ridge: float = 0.0,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        self.columns, self.stair, self.ridge = columns, stair, ridge
        self._diagonal: Reals = np.asarray(columns.diagonal) + ridge
        self._kappa: Reals = reach_of(self._diagonal)
        # A free row at a knot that only carries a free bias stands at the knot.
        self.state = state = center_bias(stair, state, self._kappa)
        self.position: Positions = sort_out_equal_knots(stair, state.position, state.residual)
        self.system = MarginSystem(columns, state, stair.has_bias, ridge)
        free, knots = is_free(self.position), stair.knots
        knot = np.minimum(knot_of(self.position), stair.n_knots - 1)
        is_felt = free | (_entries(knots, knot) != 0.0)
        if stair.n_knots > 1:
            is_felt |= knots[:, 0] == knots[:, -1]
        self.felt: Index = np.flatnonzero(is_felt)
        # The others than the free ones.
        self._felt_at_knots: Index = self.felt[~free[self.felt]]
        if bounds is not None:
            self.bounds = bounds

    @property
    def bias_is_free(self) -> bool:
        """Whether every row is at a knot and the bias the middle of its interval."""
        return self.stair.has_bias and self.system.rows.size == 0

    def slopes(self, cost: Reals, on_bias: float) -> Slopes:
        """Return the derivatives of ``cost @ beta + on_bias * bias``.

        Parameters
        ----------
        cost : ndarray of shape (n,)
            Only the entries of the rows ``felt`` count.
        on_bias : float
        """
        n, m = self.stair.knots.shape
        at = self._felt_at_knots
        target, levels, knots = np.zeros(n), np.zeros((n, m + 1)), np.zeros((n, m))
        if self.bias_is_free:
            rows, level, carried = self._carriers(on_bias)
            # The two rows that bound the bias may be one.
            np.add.at(target, rows, carried)
            np.subtract.at(levels, (rows, level), carried)
            mu, response = 0.0, None
        else:
            rows = self.system.rows
            carried, mu, response = self._solved(cost, on_bias, with_response=at.size > 0)
            target[rows] = carried
            levels[rows, interval_of(self.position[rows])] = -carried
        if at.size:
            pulled = self._response(target) if response is None else response
            knots[at, knot_of(self.position[at])] = cost[at] - pulled[at] - mu
        return Slopes(target, knots, levels, mu)

    def _response(self, carried: Reals) -> Reals:
        """Return the kernel matrix, with the ridge, times coefficients."""
        response = np.asarray(self.columns.product(carried))
        return response + self.ridge * carried if self.ridge else response

    def _solved(
        self, cost: Reals, on_bias: float, with_response: bool
    ) -> tuple[Reals, float, Reals | None]:
        """Return the solution of the adjoint system, and the kernel matrix times it if needed.

        That product has the residual of the system in it: where it is more than rounding, the
        solution is corrected.
        """
        rows, right = self.system.rows, np.ascontiguousarray(cost[self.system.rows])
        carried, mu = self.system.solve(right, on_bias, refined=not with_response)
        if not with_response or rows.size == 0:
            return carried, mu, None
        largest = float(self._diagonal.max(initial=0.0))
        everywhere = np.zeros(len(cost))
        for attempt in range(_CORRECTIONS + 1):
            everywhere[rows] = carried
            response = self._response(everywhere)
            left, missing = right - response[rows], 0.0
            if self.stair.has_bias:
                left, missing = left - mu, on_bias - float(carried.sum())
            size = float(np.abs(carried).sum())
            rounding = _ROUNDINGS * _EPS * (largest * size + abs(mu) + float(np.abs(right).max()))
            is_exact = float(np.abs(left).max()) <= rounding
            is_exact = is_exact and abs(missing) <= _ROUNDINGS * _EPS * (size + abs(on_bias))
            if is_exact or attempt == _CORRECTIONS:
                break
            more, shift = self.system.solve(left, missing, refined=False)
            carried, mu = carried + more, mu + shift
        return carried, mu, response

    def _carriers(self, on_bias: float) -> tuple[Index, Index, Reals]:
        """Return the rows that bound a free bias, their levels, and what each carries of it."""
        low, high = self.bounds
        interval = self._interval
        has = np.isfinite([interval.down[low], interval.up[high]])
        rows = np.array([low, high])
        level = np.array([upper_level(self.position[low]), lower_level(self.position[high])])
        share = np.full(2, on_bias / max(int(has.sum()), 1))
        return rows[has], level[has], share[has]

    @cached_property
    def _interval(self) -> BiasInterval:
        return BiasInterval.of(self.stair, self.state, self._kappa)

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The two rows that bound a free bias, from below and from above."""
        return int(self._interval.down.argmax()), int(self._interval.up.argmin())

    # Breakpoints ---------------------------------------------------------------------------

    def ties(self) -> tuple[Index, Index]:
        """Return the rows at which a piece of the solution ends, and those that only seem so.

        Returns
        -------
        breaking : ndarray of int
            Free rows at a knot, rows at a knot whose residual is at a level, and rows that bound a
            free bias as others do: with them the solution has several pieces here.
        dependent : ndarray of int
            Rows at a knot whose residual is at a level and stays there whatever moves, but for
            their own target and level: they depend on the free rows, as copies of them do.
        """
        stair, state, position = self.stair, self.state, self.position
        kappa, free = self._kappa, self.system.rows
        scale = stair.residual_scale or float(np.abs(state.residual).max(initial=0.0))
        tolerance = state.tolerance or residual_tolerance(scale, kappa, state.beta)
        if self.bias_is_free:
            return self._ties_of_bounds(tolerance)
        near, _ = nearest_knots(stair.knots[free], state.beta[free], kappa[free], tolerance)
        below = state.residual - _entries(stair.levels, lower_level(position))
        above = _entries(stair.levels, upper_level(position)) - state.residual
        at_level = np.minimum(below, above) <= tolerance
        at_level[free] = False
        tied = np.flatnonzero(at_level)
        depends = np.array([self._depends(int(i)) for i in tied], dtype=bool)
        return np.union1d(free[near], tied[~depends]), tied[depends]

    def _ties_of_bounds(self, tolerance: float) -> tuple[Index, Index]:
        """Return the rows that bound a free bias as much as others do; copies are dependent."""
        found: tuple[list[int], list[int]] = [], []
        diagonal = np.asarray(self.columns.diagonal)
        for values, chosen in ((self._interval.down, 0), (-self._interval.up, 1)):
            first = self.bounds[chosen]
            if not np.isfinite(values[first]):
                continue
            for i in np.flatnonzero(values >= values[first] - tolerance):
                if i != first:
                    across = float(self.columns.entries([first], [i])[0, 0])
                    apart = diagonal[i] + diagonal[first] - 2.0 * across
                    is_copy = apart <= _DEPENDENT * max(diagonal[i], diagonal[first])
                    found[int(is_copy)].append(int(i))
        low, high = self.bounds
        if self._interval.up[high] - self._interval.down[low] <= 2.0 * tolerance:
            # The interval ends here: both rows are about to be free.
            found[0].extend([low, high])
        breaking, dependent = (np.unique(np.array(rows, dtype=np.intp)) for rows in found)
        return breaking, dependent

    def _depends(self, i: int) -> bool:
        """Whether a row depends on the free ones."""
        rows = self.system.rows
        own = float(self._diagonal[i])
        if rows.size == 0:
            return not self.stair.has_bias and own == 0.0
        across = np.asarray(self.columns.entries(rows, np.array([i])), dtype=np.float64).ravel()
        x, b = self.system.solve(across, 1.0)
        pivot = own - float(across @ x) - (b if self.stair.has_bias else 0.0)
        largest = max(own, float(self._diagonal[rows].max()))
        return pivot <= _DEPENDENT * largest


def _entries(table: Reals, column: Positions) -> Reals:
    """Return one entry of each row of a table, whose rows lie one after the other."""
    first = np.arange(0, table.size, table.shape[1])
    return table.ravel().take(first + column)
