"""Start from anywhere: make any coefficients exactly optimal.

Given any ``beta`` and ``b``: put ``beta`` into the box and, where it is near a knot, on it; drop
dependent free rows by null moves; then shift the targets so that the point is exactly optimal
(free rows on their level, violators inside by a random part of their violation), and follow the
shift back to zero. An approximate solution takes a handful of events, the zero vector some
hundreds. The same tool finishes a fit, repairs the end of a path and restarts one that went astray.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weightpath import tolerances
from weightpath.engine._loop import Loop
from weightpath.engine.trace import Options
from weightpath.problems import Staircase
from weightpath.problems.position import (
    at_knot,
    free_in,
    is_at_knot,
    is_free,
    lower_level,
    sort_out_equal_knots,
    upper_level,
)
from weightpath.problems.scales import nearest_knots, reach_of
from weightpath.record.state import State

__all__ = [
    "begin",
    "enter_staircase",
    "place_on_staircase",
    "refuse_overflow",
    "state_of",
    "within_bounds",
]


def place_on_staircase(stair: Staircase, beta, kappa) -> tuple[np.ndarray, np.ndarray]:
    """Clip ``beta`` to its bounds and snap it to near knots; return it with the positions."""
    beta = np.clip(np.asarray(beta, dtype=np.float64), *stair.bounds())
    row = np.arange(len(stair))
    tolerance = tolerances.SNAP * stair.residual_scale()
    near, nearest = nearest_knots(stair.knots, beta, kappa, tolerance)
    beta = np.where(near, stair.knots[row, nearest], beta)
    position = np.where(near, at_knot(nearest), free_in((stair.knots < beta[:, None]).sum(axis=1)))
    return beta, position.astype(np.int32)


def _optimal_residual(stair: Staircase, position, residual, random) -> np.ndarray:
    """Return residuals for which the positions are right; violators go inside at random."""
    row = np.arange(len(stair))
    low = stair.levels[row, lower_level(position)]
    high = stair.levels[row, upper_level(position)]
    part = random.uniform(0.1, 1.0, len(stair))
    with np.errstate(invalid="ignore"):
        inside_high = np.maximum(high - part * (residual - high), low)
        inside_low = np.minimum(low + part * (low - residual), high)
    right = np.where(residual > high, inside_high, np.where(residual < low, inside_low, residual))
    return np.where(is_at_knot(position), right, low)


def begin(columns, stair: Staircase, beta, bias: float, options: Options, random) -> Loop:
    """Return a loop on the line from the shifted problem, solved by ``beta``, to ``stair``."""
    kappa = reach_of(np.asarray(columns.diagonal) + options.ridge)
    beta, position = place_on_staircase(stair, beta, kappa)
    loop = Loop(columns, stair, stair, position, beta, bias, options.ridge)
    try:
        shift = enter_staircase(loop, stair, random, np.flatnonzero(is_free(position)))
    except BaseException:
        loop.close()
        raise
    if shift > tolerances.POOR_START * stair.residual_scale() > 0.0 and np.any(beta):
        loop.close()
        return begin(columns, stair, np.zeros(len(stair)), 0.0, options, random)
    return loop


def enter_staircase(loop: Loop, stair: Staircase, random, order) -> float:
    """Assemble the margin, shift the targets and begin to watch the rows.

    Returns the largest shift.
    """
    loop.assemble(np.ascontiguousarray(order, dtype=np.intp))
    beta = loop.coefficients
    residual = stair.target - loop.columns.product(beta) - loop.margin.ridge * beta - loop.bias
    position = sort_out_equal_knots(stair, loop.position, residual)
    loop.set_positions(position)
    optimal = _optimal_residual(stair, position, residual, random)
    loop.shift(stair.target + (optimal - residual), float(np.sum(beta)))
    loop.watch_rows(optimal)
    return float(np.abs(optimal - residual).max(initial=0.0))


def state_of(loop: Loop) -> State:
    """Return the state that a loop has reached."""
    return State(
        loop.coefficients,
        float(loop.bias),
        loop.position,
        loop.residuals,
        np.array(loop.margin.members, dtype=np.intp),
        float(loop.tolerance),
    )


def refuse_overflow(stair: Staircase, state: State | None = None) -> None:
    """Raise if a target, a level or a value of a solution is too large for the arithmetic."""
    largest = stair.residual_scale()
    if state is not None:
        largest = max(largest, abs(state.bias), float(np.abs(state.residual).max(initial=0.0)))
    if largest > tolerances.LARGEST:
        raise ValueError(
            f"Values as large as {largest:.1e} overflow: beyond {tolerances.LARGEST:g} they cannot "
            "be computed with. Scale the features or the targets, or use smaller weights."
        )


def within_bounds(stair: Staircase, state: State) -> State:
    """Return the state with coefficients that rounding put beyond their bounds back on them.

    So that an instance of weight zero has a coefficient of zero, exactly.
    """
    return replace(state, beta=np.clip(state.beta, *stair.bounds()))
