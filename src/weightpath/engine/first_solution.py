"""An approximate solution of a problem with a bias, to start from; ``solve`` makes it exact.

With a linear kernel one row after the other is put on its staircase, which costs a product with the
row. With other kernels, and where all targets are equal as those of one class are, pairs of rows
move, which costs a pass over two columns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._row_descent import RowDescent
from weightpath.engine._working_set import WorkingSet
from weightpath.engine.threads import one_blas_thread
from weightpath.kernels import Columns
from weightpath.problems import Staircase

__all__ = ["feasible_start", "first_solution"]

Floats = NDArray[np.float64]

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
    callback: Callable[[int, float], object] | None = None,
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
    lower, upper = stair.bounds()
    start = feasible_start(stair)
    middle, spread = _middle_and_spread(stair.target[lower < upper])
    X = columns.features
    if X is not None and spread > 0.0:
        rows = RowDescent(X, stair, start, middle, ridge)
        rows.run(tol * spread, _EPOCHS, callback)
        if _is_finite(rows.coefficients, rows.bias):
            return rows.coefficients, rows.bias
    with np.errstate(over="ignore", invalid="ignore"):
        product = columns.product(start) if start.any() else np.zeros(len(stair))
        gradient = stair.target - product - ridge * start
    pairs = WorkingSet(columns, stair, start, gradient, ridge)
    # Where all targets are equal, the gradient of the start says what is large.
    tolerance = _FINER * tol * (spread or 0.5 * float(np.ptp(gradient)))
    pairs.run(tolerance, _STEPS + _STEPS_PER_ROW * len(stair), callback)
    beta, bias = pairs.coefficients, pairs.bias
    return (beta, bias) if _is_finite(beta, bias) else (start, middle)


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


def _middle_and_spread(target: Floats) -> tuple[float, float]:
    """Return the middle of the targets, and half their range."""
    if target.size == 0:
        return 0.0, 0.0
    low, high = 0.5 * float(target.min()), 0.5 * float(target.max())
    return high + low, high - low
