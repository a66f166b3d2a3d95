"""The bias where it is not unique: the middle of its interval."""

from __future__ import annotations

import numpy as np

from weightpath import tolerances
from weightpath.engine.start import sort_out_equal_knots
from weightpath.engine.state import State
from weightpath.problems import Staircase
from weightpath.problems.position import at_knot, is_at_knot, knot_of
from weightpath.problems.scales import nearest_knots, reach_of, residual_tolerance

__all__ = ["bias_interval", "center_bias", "kappa_of", "middle"]


def kappa_of(columns, ridge: float = 0.0) -> np.ndarray:
    """Return how far each coefficient's change by one may move any residual."""
    return reach_of(np.asarray(columns.diagonal) + ridge)


def middle(low: float, high: float) -> float:
    """Return the middle of an interval; of an unbounded one its end, zero if it has none."""
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low if np.isfinite(low) else high if np.isfinite(high) else 0.0


def bias_interval(stair: Staircase, state: State, kappa):
    """Return which rows are at knots, their knots, and how far each lets the bias go.

    Returns
    -------
    near : ndarray of bool, shape (n,)
    knot : ndarray of int, shape (n,)
        The nearest knot of each row.
    down, up : ndarray of shape (n,)
        The bias may move by at least ``down`` (not positive at a solution) and at most ``up``.
    """
    scale = _scale(stair, state)
    tolerance = state.tolerance or residual_tolerance(scale, kappa, state.beta)
    near, knot = nearest_knots(stair.knots, state.beta, kappa, tolerance)
    # Where knots coincide a row may stand at any of them.
    row = np.arange(len(stair))
    here = stair.knots[row, knot][:, None]
    low = stair.levels[row, (stair.knots < here).sum(axis=1)]
    high = stair.levels[row, (stair.knots <= here).sum(axis=1)]
    return near, knot, state.residual - high, state.residual - low


def center_bias(stair: Staircase, state: State, kappa) -> State:
    """Return the state with its bias in the middle of the interval of optimal ones.

    The interval has a length only where every row is at a knot. A row on the margin at a knot
    (an anchor) then stands at that knot. With an infinite end the finite one is taken.

    Parameters
    ----------
    stair : Staircase
        The problem.
    state : State
        Its solution.
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual; see :func:`kappa_of`.
    """
    if not stair.has_bias or _has_free_row(stair, state, kappa):
        return state
    near, knot, down, up = bias_interval(stair, state, kappa)
    if not near.all():
        return state
    lowest, highest = float(down.max(initial=-np.inf)), float(up.min(initial=np.inf))
    if highest - lowest <= tolerances.UNIQUE_BIAS * (_scale(stair, state) or 1.0):
        return state
    move = middle(lowest, highest)
    residual = state.residual - move
    row = np.arange(len(stair))
    position = np.where(is_at_knot(state.position), state.position, at_knot(knot))
    position = sort_out_equal_knots(stair, position.astype(np.int32), residual)
    return State(
        stair.knots[row, knot_of(position)],
        state.bias + move,
        position,
        residual,
        np.empty(0, dtype=np.intp),
        state.tolerance,
    )


def _has_free_row(stair: Staircase, state: State, kappa) -> bool:
    """Whether a row of the margin is between its knots: a quick look, as most often one is."""
    rows = state.margin
    if rows.size == 0:
        return False
    tolerance = state.tolerance or residual_tolerance(_scale(stair, state), kappa, state.beta)
    near, _ = nearest_knots(stair.knots[rows], state.beta[rows], kappa[rows], tolerance)
    return not near.all()


def _scale(stair: Staircase, state: State) -> float:
    """Return the largest target or level; without any, the largest residual."""
    own = stair.residual_scale()
    return own or float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
