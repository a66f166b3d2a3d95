"""A start for a solution: let the bounds grow from where they are hardly felt.

Where a kernel matrix is nearly singular and bounds are large, the way from no coefficients to the
solution leads over margins of very many dependent rows, and rounding may lead it astray. With small
bounds nearly all rows are at one of them. From there the bounds grow, a leg for each order of
magnitude, and margins are no larger than those of solutions.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from weightpath import tolerances
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.leg import LegEnd, LegRunner, resume
from weightpath.engine.trace import Options
from weightpath.errors import PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

__all__ = ["grown_start"]

Solver = Callable[[Staircase, State | None], LegEnd]


def grown_start(
    columns: Columns, stair: Staircase, options: Options, attempt: Solver
) -> State | None:
    """Return the end of a path on which the bounds of a problem grow; ``None`` if there is none.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    options : Options
        How paths are followed.
    attempt : callable
        Tries to solve a problem, from a state or from nothing.
    """
    felt = stair.knot_scale * (columns.largest_diagonal() + options.ridge)
    if not (np.isfinite(stair.bounds()).all() and felt > stair.residual_scale > 0.0):
        return None
    first = stair.residual_scale / felt / tolerances.LEG_GROWTH
    n_legs = int(np.ceil(-np.log(first) / np.log(tolerances.LEG_GROWTH)))
    stairs = [_with_bounds(stair, first ** (k / n_legs)) for k in range(n_legs, 0, -1)]
    try:
        end = attempt(stairs[0], None)
        for here, there in pairwise([*stairs, stair]):
            if not np.isfinite(end.violation):
                return None
            end = _leg(columns, here, there, end.state, options)
            if end.violation > end.tolerance:
                end = attempt(there, end.state)
    except (PathError, IndefiniteMarginError):
        return None
    return end.state if np.isfinite(end.violation) else None


def _with_bounds(stair: Staircase, share: float) -> Staircase:
    """Return the problem with a share of its bounds, and of their total."""
    return Staircase.of_own(
        stair.target, stair.knots * share, stair.levels, stair.total * share, stair.has_bias
    )


def _leg(
    columns: Columns, start: Staircase, end: Staircase, state: State, options: Options
) -> LegEnd:
    """Follow one leg, without a record."""
    runner = LegRunner(columns, start, end, options, recording=False)
    try:
        return runner.run(resume(columns, start, end, state, options))
    finally:
        runner.close()
