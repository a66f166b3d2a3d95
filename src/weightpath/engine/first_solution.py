"""An approximate solution of a problem with a bias, to start from; ``solve`` makes it exact."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._working_set import WorkingSet
from weightpath.engine.threads import one_blas_thread
from weightpath.kernels import Columns
from weightpath.problems import Staircase

__all__ = ["feasible_start", "first_solution"]

Floats = NDArray[np.float64]

# Steps of pairs of rows before the exact solver takes over: with large weights and few features
# they may be very many.
_STEPS, _STEPS_PER_ROW = 100_000, 50


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
        Called now and then as ``callback(n_steps, gap)``, with the largest violation of the
        moment. An exception that it raises is passed on, as is ``KeyboardInterrupt``.

    Notes
    -----
    Where numbers overflow, the result is the feasible start: coefficients within their bounds that
    have the right sum.
    """
    start = feasible_start(stair)
    with np.errstate(over="ignore", invalid="ignore"):
        product = columns.product(start) if start.any() else np.zeros(len(stair))
        gradient = stair.target - product - ridge * start
        middle, spread = _middle_and_spread(stair, gradient)
    found = WorkingSet(columns, stair, start, gradient, ridge)
    found.run(tol * spread, _STEPS + _STEPS_PER_ROW * len(stair), callback)
    beta, bias = found.coefficients, found.bias
    return (beta, bias) if np.isfinite(beta).all() and np.isfinite(bias) else (start, middle)


def feasible_start(stair: Staircase) -> Floats:
    """Return coefficients within their bounds that have the right sum, most of them zero."""
    lower, upper = stair.bounds()
    beta = np.clip(np.zeros(len(stair)), lower, upper)
    rest = stair.total - beta.sum()
    if rest != 0.0:
        # The first rows go as far as they can, the others stay.
        room = (upper if rest > 0.0 else lower) - beta
        before = np.cumsum(room) - room
        beta += np.sign(rest) * np.clip(abs(rest) - np.abs(before), 0.0, np.abs(room))
    return beta


def _middle_and_spread(stair: Staircase, gradient: Floats) -> tuple[float, float]:
    """Return the middle of the targets of rows that can move, and half their range.

    Where all targets are equal, the gradient of the start says what is large.
    """
    lower, upper = stair.bounds()
    movable = lower < upper
    if not movable.any():
        return 0.0, 1.0
    target = stair.target[movable]
    middle = 0.5 * target.min() + 0.5 * target.max()
    for values in (target, gradient[movable]):
        spread = 0.5 * values.max() - 0.5 * values.min()
        if 0.0 < spread < np.inf:
            return float(middle), float(spread)
    return float(middle), 1.0
