r"""The bias where it is not unique: its interval, and the middle of it.

The only home of this decision; solutions, paths and removals of rows all ask here. With
:math:`g_i = t_i - (K\beta)_i` and residuals allowed in :math:`[lo_i, up_i]` at the knot of row i,
the bias may be anything in

.. math::

    \max_i (g_i - up_i) \;\le\; b \;\le\; \min_i (g_i - lo_i)

(Section 3.3 of the paper, where max and min are swapped). The interval has a length only where
every row is at a knot: a row between its knots has its residual at one level. The bias is then the
middle of the interval; of an unbounded one its finite end, and zero if it has none. Along a path
both bounds are envelopes of straight lines, see :mod:`weightpath.record.settled_bias`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.problems import Staircase
from weightpath.problems.position import at_knot, is_at_knot, knot_of, sort_out_equal_knots
from weightpath.problems.scales import nearest_knots, residual_tolerance
from weightpath.record.state import State

__all__ = [
    "BiasInterval",
    "center_bias",
    "levels_at_knots",
    "middle",
    "middle_if_free",
]

Reals = NDArray[np.float64]


def middle(low: float, high: float) -> float:
    """Return the middle of an interval; of an unbounded one its end, zero if it has none."""
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low if np.isfinite(low) else high if np.isfinite(high) else 0.0


def middle_if_free(low: float, high: float, scale: float) -> float | None:
    """Return the middle of an interval of the bias; ``None`` where the bias is unique.

    It is unique where the interval is no longer than rounding can tell; ``scale`` is the largest
    target or level, zero if that is not known.
    """
    if high - low <= tolerances.UNIQUE_BIAS * (scale or 1.0):
        return None
    return middle(low, high)


def levels_at_knots(start: Staircase, end: Staircase) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the levels, as indices, that bound the residual at each knot, both of shape (n, m).

    Knots that coincide on the whole line from ``start`` to ``end`` (weight zero) allow all that
    either of them does.
    """
    same = (np.diff(start.knots, axis=1) == 0.0) & (np.diff(end.knots, axis=1) == 0.0)
    low = np.tile(np.arange(start.n_knots, dtype=np.intp), (len(start), 1))
    high = low + 1
    for j in range(1, start.n_knots):
        low[:, j] = np.where(same[:, j - 1], low[:, j - 1], low[:, j])
    for j in range(start.n_knots - 2, -1, -1):
        high[:, j] = np.where(same[:, j], high[:, j + 1], high[:, j])
    return low, high


@dataclass(frozen=True, eq=False, repr=False)
class BiasInterval:
    """How far each row lets the bias of one solution move.

    Attributes
    ----------
    between : ndarray of bool, shape (n,)
        The rows between their knots; one of them is enough to make the bias unique.
    knot : ndarray of int, shape (n,)
        The nearest knot of each row.
    down, up : ndarray of shape (n,)
        The bias may move by at least ``down`` (not positive at a solution) and at most ``up``.
    scale : float
        The largest target or level; without any, the largest residual.
    """

    between: NDArray[np.bool_]
    knot: NDArray[np.intp]
    down: Reals
    up: Reals
    scale: float

    @classmethod
    def of(cls, stair: Staircase, state: State, kappa: Reals) -> BiasInterval:
        """Return the interval of a solution; ``kappa`` as for :func:`center_bias`."""
        scale, tolerance = _measures(stair, state, kappa)
        near, knot = nearest_knots(stair.knots, state.beta, kappa, tolerance)
        row = np.arange(len(stair))
        low, high = (stair.levels[row, index[row, knot]] for index in levels_at_knots(stair, stair))
        return cls(~near, knot, state.residual - high, state.residual - low, scale)

    def move(self, without: NDArray[np.intp] | None = None) -> float | None:
        """Return how far the bias is from the middle of its interval; ``None`` if it is unique.

        Parameters
        ----------
        without : ndarray of int or None, default=None
            Rows that are taken out of the problem and bound the bias no longer.
        """
        kept = np.ones(self.knot.size, dtype=bool)
        if without is not None:
            kept[without] = False
        if self.between[kept].any():
            return None
        low = float(self.down[kept].max(initial=-np.inf))
        high = float(self.up[kept].min(initial=np.inf))
        return middle_if_free(low, high, self.scale)


def center_bias(stair: Staircase, state: State, kappa: Reals) -> State:
    """Return the state with its bias in the middle of the interval of optimal ones.

    A row on the margin at a knot (an anchor) then stands at that knot.

    Parameters
    ----------
    stair : Staircase
        The problem.
    state : State
        Its solution.
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual; see
        :func:`weightpath.problems.scales.kappa_of`.
    """
    if not stair.has_bias:
        return state
    rows = state.margin
    if rows.size:
        # A quick look, as most often a row of the margin is between its knots.
        _, tolerance = _measures(stair, state, kappa)
        near, _ = nearest_knots(stair.knots[rows], state.beta[rows], kappa[rows], tolerance)
        if not near.all():
            return state
    interval = BiasInterval.of(stair, state, kappa)
    move = interval.move()
    if move is None:
        return state
    residual = state.residual - move
    position = np.where(is_at_knot(state.position), state.position, at_knot(interval.knot))
    position = sort_out_equal_knots(stair, position.astype(np.int32), residual)
    return State(
        stair.knots[np.arange(len(stair)), knot_of(position)],
        state.bias + move,
        position,
        residual,
        np.empty(0, dtype=np.intp),
        state.tolerance,
    )


def _measures(stair: Staircase, state: State, kappa: Reals) -> tuple[float, float]:
    """Return the largest target or level, and how close to a level a residual can be told from it.

    Without targets and levels the largest residual says what is large.
    """
    scale = stair.residual_scale
    scale = scale or float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
    return scale, state.tolerance or residual_tolerance(scale, kappa, state.beta)
