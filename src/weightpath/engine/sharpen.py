"""Sharpen a solution that rounding has blurred.

Where features are large, or weights, a residual is a small difference of large sums. The loop tells
it from a level only by many roundings of these sums: rows that are that close to a level may be in
the wrong set at the end of a path, and residuals that were carried along may be off by as much. The
coefficients themselves have far smaller roundings. So the solution is corrected here by residuals
in twice the precision of a double, as in the iterative refinement of linear systems: the targets
are shifted by what the residuals are off, and the shift is followed back to zero. On that short way
everything that moves is small, and so are its roundings: few of them tell a residual from a level.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine._loop import Loop
from weightpath.engine._loop_state import LoopState
from weightpath.engine._start import optimal_residual
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.results import Result
from weightpath.engine.start import state_of
from weightpath.engine.trace import Options
from weightpath.kernels import Columns
from weightpath.kernels._exact_residuals import exact_residuals
from weightpath.problems import Staircase
from weightpath.problems.position import lower_level, sort_out_equal_knots, upper_level
from weightpath.problems.scales import is_beyond_precision
from weightpath.record.state import State

__all__ = ["is_rough", "sharpened"]

# Corrections; two or three are usual.
_ROUNDS = 12

# The loop's refreshes have the roundings that are to be avoided here.
_NEVER = 1 << 62

_EPS = float(np.finfo(np.float64).eps)


def is_rough(columns: Columns, tolerance: float, scale: float) -> bool:
    """Whether roundings alone say how close to a level residuals can be told from it.

    In the space of features the residuals of all rows cost no more than those that are carried.
    Elsewhere they take a product with the kernel matrix, and only a problem that is beyond double
    precision is worth that.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    tolerance : float
        The tolerance of residuals.
    scale : float
        What is large.
    """
    if not tolerance > 2.0 * tolerances.RESIDUAL * scale > 0.0 or columns.structure is not None:
        return False
    return columns.features is not None or is_beyond_precision(tolerance, scale)


def sharpened(
    columns: Columns,
    stair: Staircase,
    state: State,
    violation: float,
    scale: float,
    options: Options,
) -> State:
    """Return a solution whose residuals are right, if those of a state are blurred; else the state.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    state : State
        A solution, as exact as the loop could make it.
    violation : float
        How far its residuals, computed from the kernel, were found to be off.
    scale : float
        What is large.
    options : Options
        How paths are followed.
    """
    if not is_rough(columns, state.tolerance, scale):
        return state
    if violation <= tolerances.SHARPEN_ABOVE * state.tolerance:
        return state
    random = np.random.default_rng(0)
    best, least, now, failures = state, np.inf, state, 0
    for _ in range(_ROUNDS):
        loop = Loop(columns, stair.has_bias, options.ridge)
        try:
            loop.reset(stair, stair, now.position, now.beta, now.bias, now.margin)
            found, off = _begin(loop, stair, random)
            if off < least:
                failures = 0 if off < 0.9 * least else failures + 1
                now, best, least = found, found, off
            if least <= tolerances.SHARP_ENOUGH or failures >= len(tolerances.SHARP_ROUNDINGS):
                break
            # Where so few roundings lead nowhere, more of them may.
            if now is best and _follow(loop, tolerances.SHARP_ROUNDINGS[failures]):
                now = state_of(loop)
            else:
                now, failures = best, failures + 1
        except IndefiniteMarginError:
            break
        finally:
            loop.close()
    return best


def _begin(loop: Loop, stair: Staircase, random: np.random.Generator) -> tuple[State, float]:
    """Let a loop begin at a solution of the shifted problem; return the state, and how far off.

    The state is that of the problem itself. Its residuals are exact, those beyond a level put on
    it; how far they were is told as a fraction of its tolerance.
    """
    state = loop.state
    beta = state.coefficients
    residual = exact_residuals(state.columns, stair.target, beta, state.bias, state.margin.ridge)
    position = sort_out_equal_knots(stair, state.position, residual)
    fraction = random.uniform(0.1, 1.0, len(stair))
    optimal = optimal_residual(stair.levels, position, residual, fraction)
    total = math.fsum(beta)
    state.line.shift(stair.target + (optimal - residual), total)
    state.begin(position, optimal)
    rows = np.arange(len(stair))
    low, high = (stair.levels[rows, at(position)] for at in (lower_level, upper_level))
    within = np.clip(residual, low, high)
    off = float(np.abs(residual - within).max(initial=0.0))
    found = replace(state_of(loop), residual=within)
    # Where the first sets were all wrong, the right coefficients may be far larger, and with them
    # what rounding does.
    return found, max(off, _felt(state, stair, beta, total)) / found.tolerance


def _felt(state: LoopState, stair: Staircase, beta: NDArray[np.float64], total: float) -> float:
    """What the coefficients lack of their total, as residuals feel it."""
    missing = abs(total - stair.total)
    if not stair.has_bias or missing <= _EPS * float(np.abs(beta).sum()):
        return 0.0
    return missing * float(np.max(state.columns.diagonal, initial=0.0))


def _follow(loop: Loop, roundings: float) -> bool:
    """Follow the shift back to zero; whether the loop has got there."""
    loop.state.scales.sharpen(roundings)
    loop.state.guard.refresh_every = _NEVER
    return loop.run() is Result.END
