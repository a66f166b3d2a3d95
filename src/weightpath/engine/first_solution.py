"""An approximate solution of a problem with a bias, to start from; ``solve`` makes it exact.

With a linear kernel one row after the other is put on its staircase, which costs a product with the
row. With other kernels, and where all targets are equal as those of one class are, pairs of rows
move, which costs a pass over two columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._row_descent import RowDescent
from weightpath.engine._start import survey_rows
from weightpath.engine._working_set import WorkingSet
from weightpath.engine.threads import one_blas_thread
from weightpath.kernels import Columns
from weightpath.problems import Staircase

__all__ = ["feasible_start", "first_solution"]

Floats = NDArray[np.float64]

# Called with the steps or epochs so far, and the largest violation.
Report = Callable[[int, float], object]

# Steps of pairs of rows, and epochs over single rows, before the exact solver takes over: with
# large weights and few features very many may be needed.
_STEPS, _STEPS_PER_ROW, _EPOCHS = 100_000, 50, 1000

# The last steps of pairs are cheaper than the events that they save: at the default tolerance,
# 1e-3, they and the exact solver take least time together if they stop at this fraction of it.
_FINER = 0.3


@one_blas_thread
def first_solution(
    columns: Columns,
    stair: Staircase,
    tol: float,
    ridge: float = 0.0,
    callback: Report | None = None,
) -> tuple[Floats, float]:
    """Return approximate coefficients and the bias; the columns computed stay in their cache.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem; it has a bias.
    tol : float
        The violation to stop at, as a fraction of the spread of the targets.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix.
    callback : callable or None, default=None
        Called now and then as ``callback(n_steps, gap)``: steps or epochs so far, and the largest
        violation. An exception that it raises is passed on, as is ``KeyboardInterrupt``.

    Notes
    -----
    Where numbers overflow, the result is the feasible start: coefficients within their bounds that
    have the right sum.
    """
    middle, spread, is_zero_within = survey_rows(stair.target, stair.knots, stair.levels)
    if is_zero_within and stair.total == 0.0:
        start, gradient = np.zeros(len(stair)), stair.target
    else:
        start = feasible_start(stair)
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = _gradient(columns, stair, start, ridge)
    if columns.features is not None and spread > 0.0:
        with np.errstate(over="ignore", invalid="ignore"):
            beta, bias = _by_rows(columns, stair, (start, middle), tol * spread, ridge, callback)
        if _is_finite(beta, bias):
            return beta, bias
    # Where all targets are equal, the gradient of the start says what is large.
    tolerance = _FINER * tol * (spread or 0.5 * float(np.ptp(gradient)))
    pairs = WorkingSet(columns.long_form(), stair, start, gradient, ridge)
    pairs.run(tolerance, _STEPS + _STEPS_PER_ROW * len(stair), callback)
    return (pairs.coefficients, pairs.bias) if pairs.is_finite else (start, middle)


def _by_rows(
    columns: Columns,
    stair: Staircase,
    start: tuple[Floats, float],
    tolerance: float,
    ridge: float,
    callback: Report | None,
) -> tuple[Floats, float]:
    """Descend row by row; then put the sum and the bias right, as far as that is easy."""
    rows = RowDescent(columns.features, stair, *start, ridge)
    rows.run(tolerance, _EPOCHS, callback)
    beta = rows.coefficients
    below, above = stair.residual_range(beta)
    free = np.flatnonzero(below == above)
    if free.size == 0 or not _is_finite(beta, rows.bias):
        return beta, rows.bias
    beta = _with_sum(stair, beta, free)
    return beta, float(np.mean((_gradient(columns, stair, beta, ridge) - below)[free]))


def _gradient(columns: Columns, stair: Staircase, beta: Floats, ridge: float) -> Floats:
    """Return targets minus the kernel matrix, with its ridge, times the coefficients."""
    if not beta.any():
        return stair.target
    return stair.target - columns.product(beta) - ridge * beta


def _with_sum(stair: Staircase, beta: Floats, free: NDArray[np.intp]) -> Floats:
    """Let the free row that has most room, if that is enough, make up for what the sum lacks.

    So that a coefficient that must be zero for the others to add up is zero, not rounding.
    """
    missing = stair.total - math.fsum(beta)
    # Knots on the side to which the row goes; an interval beyond all knots has none.
    ahead = np.sign(missing) * (stair.knots[free] - beta[free, None])
    room = np.where(ahead > 0.0, ahead, np.inf).min(axis=1)
    if room.max() >= abs(missing) > 0.0:
        row = free[room.argmax()]
        beta[row] = stair.total - math.fsum(np.delete(beta, row))
    return beta


def _is_finite(beta: Floats, bias: float) -> bool:
    return bool(np.isfinite(beta).all() and np.isfinite(bias))


def feasible_start(stair: Staircase) -> Floats:
    """Return coefficients within their bounds that have the right sum, most of them zero."""
    lower, upper = stair.bounds()
    beta = np.clip(np.zeros(len(stair)), lower, upper)
    rest = stair.total - beta.sum()
    if rest != 0.0:
        # The first rows go as far as they can, the others stay.
        room = (upper if rest > 0.0 else lower) - beta
        before = np.append(0.0, np.cumsum(room)[:-1])
        beta += np.sign(rest) * np.clip(abs(rest) - np.abs(before), 0.0, np.abs(room))
    return beta
