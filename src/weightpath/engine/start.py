"""Start from anywhere: make any coefficients exactly optimal.

Given any ``beta`` and ``b``: put ``beta`` into the box and, where it is near a knot, on it; drop
dependent free rows by null moves; then shift the targets so that the point is exactly optimal
(free rows on their level, violators inside by a random fraction of their violation), and follow the
shift back to zero. An approximate solution takes a handful of events, the zero vector some
hundreds. The same tool finishes a fit, repairs the end of a path and restarts one that went astray.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath import tolerances
from weightpath.engine._loop import Loop
from weightpath.engine._loop_state import LoopState
from weightpath.engine._start import (
    are_within_bounds,
    largest_size,
    optimal_residual,
    place_rows,
    put_within_bounds,
)
from weightpath.engine.trace import Options
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import is_free, sort_out_equal_knots
from weightpath.problems.scales import reach_of
from weightpath.record.state import State

__all__ = [
    "begin",
    "place_on_staircase",
    "refuse_overflow",
    "residual_of",
    "shift_to_optimal",
    "state_of",
    "within_bounds",
]

Floats = NDArray[np.float64]


def place_on_staircase(
    stair: Staircase, beta: ArrayLike, kappa: Floats
) -> tuple[Floats, NDArray[np.int32]]:
    """Clip ``beta`` to its bounds and snap it to near knots; return it with the positions."""
    placed = np.array(beta, dtype=np.float64)
    tolerance = tolerances.SNAP * stair.residual_scale
    return placed, place_rows(stair.knots, stair.levels, placed, kappa, tolerance)


def begin(
    columns: Columns,
    stair: Staircase,
    beta: ArrayLike,
    bias: float,
    options: Options,
    random: np.random.Generator,
) -> Loop:
    """Return a loop on the line from the shifted problem, solved by ``beta``, to ``stair``."""
    kappa = reach_of(np.asarray(columns.diagonal) + options.ridge)
    beta, position = place_on_staircase(stair, beta, kappa)
    loop = Loop(columns, stair.has_bias, options.ridge)
    loop.reset(stair, stair, position, beta, bias, np.flatnonzero(is_free(position)))
    try:
        shift = shift_to_optimal(loop, stair, random)
    except BaseException:
        loop.close()
        raise
    if shift > tolerances.POOR_START * stair.residual_scale > 0.0 and np.any(beta):
        loop.close()
        return begin(columns, stair, np.zeros(len(stair)), 0.0, options, random)
    return loop


def shift_to_optimal(loop: Loop, stair: Staircase, random: np.random.Generator) -> float:
    """Shift the targets so that the loop begins at a solution; return the largest shift."""
    state = loop.state
    beta = state.coefficients
    residual = residual_of(state, stair, beta)
    position = sort_out_equal_knots(stair, state.position, residual)
    fraction = random.uniform(0.1, 1.0, len(stair))
    optimal = optimal_residual(stair.levels, position, residual, fraction)
    state.line.shift(stair.target + (optimal - residual), float(np.sum(beta)))
    state.begin(position, optimal)
    return float(np.abs(optimal - residual).max(initial=0.0))


def residual_of(state: LoopState, stair: Staircase, beta: Floats) -> Floats:
    """Return the residuals of a problem, computed from the kernel."""
    product = state.columns.product(beta)
    residual: Floats = stair.target - product - state.margin.ridge * beta - state.bias
    return residual


def state_of(loop: Loop) -> State:
    """Return the state that a loop has reached."""
    return State(*loop.state.solution())


def refuse_overflow(stair: Staircase, state: State | None = None) -> None:
    """Raise if a target, a level or a value of a solution is too large for the arithmetic."""
    largest = stair.residual_scale
    if state is not None:
        largest = max(largest, abs(state.bias), largest_size(state.residual))
    if largest > tolerances.LARGEST:
        raise ValueError(
            f"Values as large as {largest:.1e} overflow: beyond {tolerances.LARGEST:g} they cannot "
            "be computed with. Scale the features or the targets, or use smaller weights."
        )


def within_bounds(stair: Staircase, state: State) -> State:
    """Return the state with coefficients that rounding put beyond their bounds back on them.

    So that an instance of weight zero has a coefficient of zero, exactly.
    """
    if are_within_bounds(stair.knots, stair.levels, state.beta):
        return state
    bounded = replace(state, beta=put_within_bounds(stair.knots, stair.levels, state.beta))
    bounded.keep(state.take())
    return bounded
