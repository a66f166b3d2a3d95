"""A small active set method in long double: reference solutions for the campaign.

Every row is at a knot or free between two, where its residual is on its level. A row at a knot
whose residual has left its interval enters: it moves, and the free rows with it, so that their
residuals and the sum stay as they are. It stops where its own residual has come back (it is free
now), at its next knot, or where a free row reaches a knot, which then is free no more. The
objective falls with every step that has a length.
"""

from __future__ import annotations

import numpy as np

__all__ = ["solve"]

WIDE = np.longdouble
TINY = np.finfo(WIDE).eps

# A pivot below this part of its diagonal entry is taken for zero: the row depends on the free ones.
DEPENDENT = 1e-15

# Residuals are back in their intervals when they miss them by no more than this part of the scale.
BACK = 1e-13

# The free rows are computed afresh so many times at most: each time steps may follow.
MOST_REFRESHES = 10


def solve(matrix, stairs, seed: int = 0):
    """Return coefficients and bias in long double, or None if the steps did not come to an end."""
    search = Search(matrix, stairs, np.random.default_rng(seed))
    for _ in range(300 + 60 * len(stairs)):
        if not search.step() and search.is_settled():
            return search.beta, search.bias
    return None


def eliminate(A, right) -> np.ndarray:
    """Solve a linear system in long double by elimination with row pivots."""
    A, x = A.copy(), right.copy()
    n = len(A)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        if A[pivot, k] == 0:
            raise ZeroDivisionError
        if pivot != k:
            A[[k, pivot]], x[[k, pivot]] = A[[pivot, k]], x[[pivot, k]]
        factor = A[k + 1 :, k] / A[k, k]
        A[k + 1 :, k:] -= factor[:, None] * A[k, k:]
        x[k + 1 :] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        x[k] = (x[k] - A[k, k + 1 :] @ x[k + 1 :]) / A[k, k]
    return x


class Search:
    """The state of a search; position 2q means free in interval q, 2j + 1 at knot j."""

    def __init__(self, matrix, stairs, g):
        self.K, self.g = matrix.K, g
        self.target = np.asarray(stairs.target, dtype=WIDE)
        self.knots = np.asarray(stairs.knots, dtype=WIDE)
        self.levels = np.asarray(stairs.levels, dtype=WIDE)
        self.total, self.has_bias = WIDE(stairs.total), stairs.has_bias
        self.scale = stairs.scale() or float(np.abs(self.K).max() * np.abs(self.total))
        size = np.sqrt(np.maximum(matrix.diagonal, 0.0))
        self.size = np.maximum(size, 1e-12 * size.max(initial=0.0)) + 1e-300
        self.idle, self.stuck = 0, np.zeros(len(self.target), dtype=bool)
        self.bias, self.refreshed = WIDE(0), 0
        self.place()

    def place(self) -> None:
        """Put every row at its knot nearest to zero, then move rows until the sum is right."""
        nearest = np.argmin(np.abs(self.knots), axis=1)
        rows = np.arange(len(nearest))
        self.position = 2 * nearest + 1
        self.beta = self.knots[rows, nearest].copy()
        missing = self.total - self.beta.sum() if self.has_bias else WIDE(0)
        # Rows with much room first: few have to move.
        room = self.knots[:, -1] - self.beta if missing > 0 else self.beta - self.knots[:, 0]
        end = -1 if missing > 0 else 0
        for i in np.argsort(-room):
            if missing == 0:
                break
            if room[i] <= abs(missing):
                # All the way to the outer knot, without a rounding.
                self.beta[i] = self.knots[i, end]
                missing = missing - room[i] * np.sign(missing)
            else:
                # From the other rows, for its own knot may be larger than all of them by far.
                self.beta[i] = 0
                self.beta[i] = self.total - self.beta.sum()
                missing = WIDE(0)
            hit = np.flatnonzero(self.knots[i] == self.beta[i])
            inside = int((self.knots[i] < self.beta[i]).sum())
            self.position[i] = 2 * hit[0] + 1 if hit.size else 2 * inside
        self.set_bias()

    @property
    def free(self) -> np.ndarray:
        return np.flatnonzero(self.position % 2 == 0)

    def set_bias(self) -> None:
        """Take the bias from a free row, if there is one."""
        free = self.free
        if self.has_bias and free.size:
            i = free[0]
            gap = self.target[i] - self.K[i] @ self.beta
            self.bias = gap - self.levels[i, self.position[i] // 2]

    def step(self) -> bool:
        """Make one step; return False when nothing is left to do."""
        gap = self.target - self.K @ self.beta
        if self.has_bias and self.free.size == 0:
            return self.step_of_two(gap)
        residual = gap - self.bias
        up, down = self.excess(residual)
        excess = np.maximum(up, down)
        noise = 64 * TINY * (np.abs(self.K) @ np.abs(self.beta) + abs(self.bias))
        open_rows = (excess > BACK * self.scale + noise) & ~self.stuck
        if not open_rows.any():
            return False
        score = np.where(open_rows, excess / self.size, 0)
        if self.idle > 20:
            # A tie that goes round in circles is left by chance.
            score = score * self.g.uniform(0.01, 1, len(score))
        i = int(np.argmax(score))
        self.enter(i, 1 if up[i] > down[i] else -1, excess[i])
        return True

    def excess(self, residual):
        """Return how far the residuals of rows at knots are above and below their intervals."""
        j = np.maximum(self.position - 1, 0) // 2
        rows = np.arange(len(j))
        at_knot = self.position % 2 == 1
        up = residual - self.levels[rows, j + 1]
        down = self.levels[rows, j] - residual
        return np.where(at_knot, up, 0), np.where(at_knot, down, 0)

    def direction(self, i, sign):
        """Return how the free rows move with row i, the change of the bias, and the curvature."""
        free = self.free
        m = free.size
        A = np.zeros((m + self.has_bias, m + self.has_bias), dtype=WIDE)
        A[:m, :m] = self.K[np.ix_(free, free)]
        right = np.zeros(len(A), dtype=WIDE)
        right[:m] = -sign * self.K[free, i]
        if self.has_bias:
            A[m, :m] = A[:m, m] = 1
            right[m] = -sign
        x = eliminate(A, right) if len(A) else right
        db = x[m] if self.has_bias else WIDE(0)
        curvature = self.K[i, i] + sign * (self.K[i, free] @ x[:m] + db)
        return free, x[:m], db, curvature

    def enter(self, i, sign, excess) -> None:
        """Move row i until its residual is back, or it is at its next knot; free rows may rest."""
        while True:
            free, move, db, curvature = self.direction(i, sign)
            terms = self.K[i, i] + np.abs(self.K[i, free]) @ np.abs(move)
            bent = curvature > DEPENDENT * terms
            length = excess / curvature if bent else WIDE(np.inf)
            rows, moves = np.append(free, i), np.append(move, WIDE(sign))
            limits = np.array([self.room(k, v) for k, v in zip(rows, moves, strict=True)])
            limits[-1] = self.room(i, WIDE(sign), self.position[i] + sign)
            limit = limits.min()
            if not bent and not np.isfinite(limit):
                # Nothing bounds a direction without curvature: its slope is rounding.
                self.stuck[i] = True
                return
            step = min(length, limit)
            self.idle = 0 if step > 0 else self.idle + 1
            self.beta[rows] += step * moves
            self.bias += step * db
            excess -= step * max(curvature, WIDE(0))
            if length < limit:
                self.position[i] += sign
                self.stuck[:] = False
                return
            tied = np.flatnonzero(limits <= limit)
            leave = tied[np.argmax(np.abs(moves[tied]))]
            if rows[leave] == i:
                self.position[i] += sign
                self.rest(i, sign)
                return
            self.rest(rows[leave], moves[leave])
            if self.has_bias and self.free.size == 0:
                # Row i stays where it is, between knots: its own residual tells the bias now.
                self.position[i] += sign
                self.set_bias()
                return

    def room(self, k, move, position=None):
        """Return how far row k can go along its move before it meets a knot."""
        position = self.position[k] if position is None else position
        j = position // 2 if move > 0 else position // 2 - 1
        if move == 0 or not 0 <= j < self.knots.shape[1]:
            return WIDE(np.inf)
        return max((self.knots[k, j] - self.beta[k]) / move, WIDE(0))

    def rest(self, k, move) -> None:
        """Put row k at the knot it has come to."""
        j = self.position[k] // 2 if move > 0 else self.position[k] // 2 - 1
        self.beta[k] = self.knots[k, j]
        self.position[k] = 2 * j + 1

    def step_of_two(self, gap) -> bool:
        """With no free row and a bias: exchange between the two rows that gain most by it."""
        j = (self.position - 1) // 2
        rows = np.arange(len(j))
        above, below = gap - self.levels[rows, j + 1], gap - self.levels[rows, j]
        i, k = int(np.argmax(above)), int(np.argmin(below))
        slope = above[i] - below[k]
        noise = 64 * TINY * (np.abs(self.K[[i, k]]) @ np.abs(self.beta)).max()
        if not slope > BACK * self.scale + noise:
            finite = [v for v in (above[i], below[k]) if np.isfinite(v)]
            self.bias = sum(finite) / max(len(finite), 1)
            return False
        # The residual of k becomes its level; then i can enter, and k is free to give way.
        self.position[k] -= 1
        self.bias = below[k]
        self.enter(i, 1, slope)
        return True

    def is_settled(self) -> bool:
        """Compute the free rows afresh, free of what the steps have left; whether little changed.

        Coefficients on the way may have been larger than those of the solution by many orders.
        """
        free, m = self.free, self.free.size
        if m == 0:
            return True
        A = np.zeros((m + self.has_bias, m + self.has_bias), dtype=WIDE)
        A[:m, :m] = self.K[np.ix_(free, free)]
        rest = self.beta.copy()
        rest[free] = 0
        q = self.position[free] // 2
        right = self.target[free] - self.K[free] @ rest - self.levels[free, q]
        if self.has_bias:
            A[m, :m] = A[:m, m] = 1
            right = np.append(right, self.total - rest.sum())
        x = eliminate(A, right)
        x = x + eliminate(A, right - A @ x)
        before = self.K @ self.beta + self.bias
        edge = np.full((len(rest), 1), np.inf, dtype=WIDE)
        knots = np.hstack([-edge, self.knots, edge])
        self.beta[free] = np.clip(x[:m], knots[free, q], knots[free, q + 1])
        self.bias = x[m] if self.has_bias else self.bias
        self.refreshed += 1
        apart = np.abs(self.K @ self.beta + self.bias - before).max()
        return self.refreshed > MOST_REFRESHES or apart <= BACK * self.scale
