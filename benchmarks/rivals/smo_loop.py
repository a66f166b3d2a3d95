"""Sequential minimal optimisation with shrinking, around the compiled steps.

Between rounds of steps, rows that stand at a bound and cannot be in a working set (their gain is
below every loss, or their loss above every gain) are laid aside, and the loop goes on with a
compact copy of the matrix, small enough for the processor's cache. Their residuals are brought up
to date when the rest is solved to ten times the tolerance, once, and to the tolerance; then all
rows take part again, so that the last word is always on the whole problem.
"""

from __future__ import annotations

from time import process_time

import numpy as np

from benchmarks.rivals.smo_steps import advance, subtract_rows

# Steps in a round; the clock is looked at after each.
ROUND = 1000
# A copy of the matrix has to pay: rows are laid aside when this share or less remains.
WORTH_A_COPY = 0.8


class _Active:
    """The rows that take part, with compact copies of what the steps need."""

    def __init__(self, whole, rows):
        K, beta, residual, low, high = whole
        self.rows = rows
        if len(rows) == len(beta):
            self.K, self.beta, self.residual, self.low, self.high = whole
        else:
            self.K = np.ascontiguousarray(K[np.ix_(rows, rows)])
            self.beta, self.residual = beta[rows], residual[rows]
            self.low, self.high = low[rows], high[rows]
        self.diagonal = np.diagonal(self.K)[: len(rows)].copy()

    def advance(self, epsilon, tol, n_steps, state) -> int:
        return advance(
            self.K,
            self.diagonal,
            self.beta,
            self.residual,
            self.low,
            self.high,
            epsilon,
            tol,
            n_steps,
            state,
        )

    def needed(self, epsilon, state) -> np.ndarray:
        """Which rows may still be in a working set."""
        gain, loss = state
        side = np.where(self.beta >= 0.0, -epsilon, epsilon)
        rises = (self.beta < self.high) & (self.residual + side >= loss)
        side = np.where(self.beta > 0.0, -epsilon, epsilon)
        falls = (self.beta > self.low) & (self.residual + side <= gain)
        return rises | falls

    def write_back(self, whole) -> None:
        """Tell the whole problem what changed, rows laid aside included."""
        K, beta, residual = whole[:3]
        if len(self.rows) == len(beta):
            return
        change = self.beta - beta[self.rows]
        moved = change != 0.0
        subtract_rows(K, self.rows[moved], change[moved], residual)
        beta[self.rows] = self.beta


def optimise(whole, epsilon, tol, max_seconds, shrinking):
    """Solve in place; return steps, whether the time was over, greatest gain and least loss.

    ``whole`` holds the matrix (which may have further rows and columns, in reserve), coefficients,
    residuals and both bounds.
    """
    begin = process_time()
    n = len(whole[1])
    every = np.arange(n)
    active, state = _Active(whole, every), np.zeros(2)
    steps, capped, careful = 0, False, False
    while not capped:
        done = active.advance(epsilon, tol, ROUND, state)
        steps += done
        capped = max_seconds is not None and process_time() - begin >= max_seconds
        solved = done < ROUND
        if solved and len(active.rows) == n:
            return steps, False, *state
        if not shrinking:
            continue
        nearly = not careful and len(active.rows) < n and state[0] - state[1] <= 10.0 * tol
        if solved or nearly or capped:
            careful = careful or nearly
            active.write_back(whole)
            active = _Active(whole, every)
            active.advance(epsilon, tol, 0, state)
            if state[0] - state[1] <= tol:
                return steps, False, *state
        keep = active.needed(epsilon, state)
        if not capped and keep.sum() <= WORTH_A_COPY * len(active.rows):
            rows = active.rows[keep]
            active.write_back(whole)
            active = _Active(whole, rows)
    return steps, True, *state
