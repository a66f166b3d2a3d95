"""The compiled loop of sequential minimal optimisation; see :mod:`benchmarks.rivals.smo`."""

from __future__ import annotations

import numpy as np
from numba import njit

# Rows are looked at in strips: the best value of a strip is found in a loop that the compiler
# vectorises, and only strips that improve are searched for the row.
STRIP = 128
# Reordering is what vectorised maxima need; infinities have to be respected.
REORDERED = {"nnan", "nsz", "reassoc", "contract"}
# Two rows of the same features: the step is bounded by the box alone.
TINY_CURVATURE = 1e-12


@njit(fastmath=REORDERED)
def advance(K, diagonal, beta, residual, low, high, epsilon, tol, n_steps, state):
    """Do up to ``n_steps`` steps, in place; return how many were done.

    ``state`` takes the greatest gain and the least loss at the end. ``raising[i]`` and
    ``lowering[i]`` are what has to be added to a residual to have gain and loss, infinite where the
    coefficient is at its bound.
    """
    n = len(beta)
    raising, lowering = np.empty(n), np.empty(n)
    for k in range(n):
        raising[k], lowering[k] = offsets(beta[k], low[k], high[k], epsilon)
    gain, loss = -np.inf, np.inf
    done = 0
    while True:
        i, gain, loss = select_first(residual, raising, lowering)
        if i < 0 or gain - loss <= tol or done == n_steps:
            break
        j = select_second(K[i], diagonal, residual, lowering, i, gain)
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], TINY_CURVATURE)
        step = (gain - residual[j] - lowering[j]) / curvature
        # Regression: beyond zero the slope is another.
        top = 0.0 if epsilon > 0.0 and beta[i] < 0.0 else high[i]
        bottom = 0.0 if epsilon > 0.0 and beta[j] > 0.0 else low[j]
        step = min(step, top - beta[i], beta[j] - bottom)
        beta[i] = top if step == top - beta[i] else beta[i] + step
        beta[j] = bottom if step == beta[j] - bottom else beta[j] - step
        Ki, Kj = K[i], K[j]
        for k in range(n):
            residual[k] -= step * (Ki[k] - Kj[k])
        raising[i], lowering[i] = offsets(beta[i], low[i], high[i], epsilon)
        raising[j], lowering[j] = offsets(beta[j], low[j], high[j], epsilon)
        done += 1
    state[0], state[1] = gain, loss
    return done


@njit
def offsets(beta, low, high, epsilon):
    raising = -np.inf
    if beta < high:
        raising = -epsilon if beta >= 0.0 else epsilon
    lowering = np.inf
    if beta > low:
        lowering = -epsilon if beta > 0.0 else epsilon
    return raising, lowering


@njit(fastmath=REORDERED)
def select_first(residual, raising, lowering):
    """Return the row of greatest gain (-1 if none can rise), that gain and the least loss."""
    n = len(residual)
    gain, loss, found = -np.inf, np.inf, -1
    for begin in range(0, n, STRIP):
        end = min(begin + STRIP, n)
        strip_gain = -np.inf
        for k in range(begin, end):
            strip_gain = max(strip_gain, residual[k] + raising[k])
            loss = min(loss, residual[k] + lowering[k])
        if strip_gain > gain:
            gain, found = strip_gain, begin
    if found >= 0:
        while found < n - 1 and residual[found] + raising[found] < gain:
            found += 1
    return found, gain, loss


@njit(fastmath=REORDERED)
def select_second(Ki, diagonal, residual, lowering, i, gain):
    """Return the row that, lowered while row ``i`` rises, promises the greatest decrease."""
    n = len(residual)
    promise = np.empty(STRIP)
    best, found = 0.0, -1
    for begin in range(0, n, STRIP):
        end = min(begin + STRIP, n)
        strip_best = 0.0
        for k in range(begin, end):
            violation = max(gain - residual[k] - lowering[k], 0.0)
            curvature = max(diagonal[i] + diagonal[k] - 2.0 * Ki[k], TINY_CURVATURE)
            promise[k - begin] = violation * violation / curvature
            strip_best = max(strip_best, promise[k - begin])
        if strip_best > best:
            best = strip_best
            for k in range(begin, end):
                if promise[k - begin] == best:
                    found = k
                    break
    return found


@njit(fastmath=REORDERED)
def subtract_rows(K, rows, change, residual):
    """``residual -= change @ K[rows]``, without a copy of the rows."""
    for index in range(len(rows)):
        step, row = change[index], K[rows[index]]
        for k in range(len(residual)):
            residual[k] -= step * row[k]
