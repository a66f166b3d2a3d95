"""The bias where it is not unique: the middle of its interval."""

from __future__ import annotations

import numpy as np

from weightpath.engine.start import sort_out_equal_knots
from weightpath.engine.state import State
from weightpath.problems import Staircase

__all__ = ["center_bias"]

# A coefficient within this part of the largest knot is at a knot.
AT_KNOT = 1e-10

# An interval no longer than this part of the largest target or level is a point.
UNIQUE = 1e-9


def center_bias(stair: Staircase, state: State) -> State:
    """Return the state with its bias in the middle of the interval of optimal ones.

    The interval has a length only where every row is at a knot. A row on the margin at a knot
    (an anchor) then stands at that knot. With an infinite end the finite one is taken.
    """
    if not stair.has_bias:
        return state
    slack = AT_KNOT * max(stair.knot_scale(), float(np.abs(state.beta).max(initial=0.0)))
    distance = np.abs(stair.knots - state.beta[:, None])
    if (distance.min(axis=1) > slack).any():
        return state
    low, high = stair.residual_range(state.beta, slack)
    down = float((state.residual - high).max())
    up = float((state.residual - low).min())
    if not np.isfinite(down) or not np.isfinite(up):
        move = down if np.isfinite(down) else up if np.isfinite(up) else 0.0
    else:
        move = 0.5 * (down + up)
    if up - down <= UNIQUE * (stair.residual_scale() or 1.0):
        return state
    residual = state.residual - move
    row = np.arange(len(stair))
    position = np.where(state.position % 2 == 1, state.position, 2 * distance.argmin(axis=1) + 1)
    position = sort_out_equal_knots(stair, position.astype(np.int32), residual)
    beta = stair.knots[row, position // 2]
    return State(beta, state.bias + move, position, residual, np.empty(0, dtype=np.intp))
