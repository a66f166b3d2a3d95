"""The exact solution of one problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath import tolerances
from weightpath.engine._known_sets import solution_on_known_sets
from weightpath.engine.definiteness import IndefiniteMarginError, check_psd, not_psd
from weightpath.engine.growth import grown_start
from weightpath.engine.leg import MOST_EVENTS, SMALL_MARGIN, LegEnd, LegRunner
from weightpath.engine.saving import SavedProblem
from weightpath.engine.sharpen import sharpened
from weightpath.engine.start import begin, refuse_overflow, within_bounds
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.trace import Options
from weightpath.errors import Advice, PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.scales import is_beyond_precision, kappa_of, tolerance_of
from weightpath.record.bias import center_bias
from weightpath.record.state import State

__all__ = ["accepted", "solve"]

# Rounds of one solution before an error is raised. Where the matrix is nearly singular most of
# them go astray, and which one does not is a matter of luck.
_ROUNDS = 40

# After this round the next one begins far away, in case the start leads nowhere ...
_FROM_ZERO = 2

# ... and after this one at the end of a path on which the bounds have grown.
_GROWN = 4


@one_blas_thread
def solve(
    columns: Columns,
    stair: Staircase,
    beta: ArrayLike | None = None,
    bias: float = 0.0,
    options: Options | None = None,
    centered: bool = False,
) -> State:
    """Return the exact solution of a staircase problem, from any start.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    beta : ndarray of shape (n,) or None, default=None
        Where to start; zero if not given.
    bias : float, default=0.0
        The bias to start from.
    options : Options or None, default=None
        How paths are followed.
    centered : bool, default=False
        Whether a bias that is not unique is put into the middle of its interval.
    """
    options = options or Options()
    if beta is not None:
        found = solution_on_known_sets(columns, stair, beta, bias, options.ridge, SMALL_MARGIN)
        if found is not None:
            # It has a free row, which makes the bias unique, or no bias.
            return found
    beta = np.zeros(len(stair)) if beta is None else beta
    end = _solve_by_shifts(columns, stair, beta, bias, options)
    state = sharpened(columns, stair, end.state, end.violation, end.scale, options)
    state = within_bounds(stair, state)
    if not centered:
        return state
    return center_bias(stair, state, kappa_of(columns, options.ridge))


def _solve_by_shifts(
    columns: Columns, stair: Staircase, beta: ArrayLike, bias: float, options: Options
) -> LegEnd:
    """Shift the targets so that the start is optimal, and follow the shift back; until exact."""
    # Limits are for paths: a solution is complete or useless, and another shift breaks a tie.
    options = replace(options, max_events=MOST_EVENTS, tie_limit=None)
    refuse_overflow(stair)
    if (np.asarray(columns.diagonal) + options.ridge < 0).any():
        raise not_psd(columns, stair, options)
    best: LegEnd | None = None
    went_astray = False
    for attempt in range(_ROUNDS):
        random = np.random.default_rng(attempt)
        end = _attempt(columns, stair, beta, bias, options, random, went_astray)
        went_astray = went_astray or not np.isfinite(end.violation)
        if end.stopped:
            break
        refuse_overflow(stair, end.state)
        improved = best is None or end.violation < 0.5 * best.violation
        if end.violation < (np.inf if best is None else best.violation):
            best = end
        if end.violation <= end.tolerance:
            return end
        if not improved and best is not None and best.violation <= accepted(best):
            break
        beta, bias = end.state.beta, end.state.bias
        if attempt == _FROM_ZERO or not np.isfinite(beta).all():
            beta, bias = _far_start(stair), 0.0
        if attempt == _GROWN:
            beta, bias = _grown(columns, stair, beta, bias, options)
    if best is not None and best.violation <= accepted(best):
        return best
    check_psd(columns, stair, options)
    # Nothing is refused for rounding: the user is warned, and the certificate shows it.
    if best is not None and is_beyond_precision(best.state.tolerance, best.scale):
        return best
    if best is None:
        astray = _as_it_is(columns, stair, end.state, options)
        if is_beyond_precision(astray.tolerance, stair.residual_scale):
            return LegEnd(astray, np.inf, 0.0, stair.residual_scale)
    left = "rounding errors grew too large on every way to it."
    if best is not None:
        left = f"a violation of {best.violation:.1e} is left."
    raise PathError(
        f"The solution could not be made exact: {left}",
        SavedProblem.of(columns, stair, stair, None if best is None else best.state, options),
        advice=Advice(
            "The kernel matrix may be too ill-conditioned for double precision at these weights: "
            "try a smaller C, a larger gamma, or {ridge}.",
            {"ridge": 1e-8},
        ),
    )


def _grown(
    columns: Columns, stair: Staircase, beta: ArrayLike, bias: float, options: Options
) -> tuple[ArrayLike, float]:
    """Return a start whose bounds have grown, or the one that is given."""

    def attempt(there: Staircase, state: State | None) -> LegEnd:
        start = (_far_start(there), 0.0) if state is None else (state.beta, state.bias)
        for seed in range(_FROM_ZERO):
            random = np.random.default_rng(seed)
            end = _attempt(columns, there, *start, options, random, bool(seed))
            if end.violation <= end.tolerance:
                break
        return end

    found = grown_start(columns, stair, options, attempt)
    return (beta, bias) if found is None else (found.beta, found.bias)


def _attempt(
    columns: Columns,
    stair: Staircase,
    beta: ArrayLike,
    bias: float,
    options: Options,
    random: np.random.Generator,
    went_astray: bool,
) -> LegEnd:
    """Follow one random shift of the targets back to zero; after a failure, with any others."""
    runner = LegRunner(columns, stair, stair, options, recording=False)
    try:
        loop = begin(columns, stair, beta, bias, options, random)
        if went_astray:
            loop.state.scales.carry_any_shift()
        return runner.run(loop)
    except IndefiniteMarginError:
        raise not_psd(columns, stair, options) from None
    finally:
        runner.close()


def _as_it_is(columns: Columns, stair: Staircase, state: State, options: Options) -> State:
    """Return where an attempt went astray, as a state of the problem itself."""
    bounded = within_bounds(stair, state)
    own = (np.asarray(columns.diagonal) + options.ridge) * np.abs(bounded.beta)
    product = columns.product(bounded.beta) + options.ridge * bounded.beta
    return replace(
        bounded,
        residual=stair.target - product - bounded.bias * stair.has_bias,
        tolerance=tolerance_of(stair.residual_scale, float(own.max(initial=0.0))),
    )


def _far_start(stair: Staircase) -> NDArray[np.float64]:
    """Return coefficients to start from where a good start has led nowhere.

    Zeros, or that share of the upper bounds which has the right sum.
    """
    upper = stair.bounds()[1]
    if stair.total <= 0.0 or not np.isfinite(upper).all():
        return np.zeros(len(stair))
    return np.asarray(upper * (stair.total / upper.sum()))


def accepted(end: LegEnd) -> float:
    """Return the violation that is accepted where no further attempt reduces it."""
    return max(tolerances.ACCEPTED * end.scale, tolerances.ACCEPTED_ROUNDINGS * end.tolerance)
