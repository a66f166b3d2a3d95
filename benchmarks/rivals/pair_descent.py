"""Coordinate descent over preference pairs, query by query, with shrinking.

The pairs of a query are swept in random order, each moved to its optimum inside its box, several
times over; while that goes on, only the scores of the query's own documents are kept up to date, by
the query's block of the kernel matrix. Afterwards one product brings the scores of all documents up
to date. These are exactly the steps of coordinate descent in an order that goes query by query, but
a step costs some hundred operations instead of some ten thousand.

Shrinking: a pair at a bound whose gradient points out of the box by more than the largest violation
met in the last epoch is laid aside. When the rest meets the tolerance, all pairs are looked at
again; only a look at all of them ends the solve.

With ``rule="greedy"`` a visit moves the pair of the query that violates most, again and again,
instead of sweeping; nothing is laid aside then. Sweeps are faster while most pairs end at their
weight. With large weights, where many pairs of a query depend on each other on the margin, they
stall, and the greedy rule gets further.
"""

from __future__ import annotations

from time import process_time

import numpy as np
from numba import njit

from benchmarks.rivals.pairs import PairResult, PairSolver

# A visit of a query ends after so many sweeps over its pairs, or when its largest violation has
# fallen to this share of what it was in the first.
SWEEPS = 10
ENOUGH = 0.1
# The same for single steps, of the greedy rule.
CLIMB = 5000
TINY_CURVATURE = 1e-12


class PairDescent(PairSolver):
    """Ranking by epochs over all queries.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.rivals.pair_descent import PairDescent
    >>> from benchmarks.rivals.pairs import pairs_of
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> result = PairDescent(X @ X.T, pairs_of([0, 1, 2], [1, 1, 1]), 10.0).solve()
    >>> print(result.scores.round(3))
    [0. 1. 2.]
    """

    def solve(
        self,
        alpha0=None,
        tol: float = 1e-3,
        max_seconds: float | None = None,
        random_state: int = 0,
        rule: str = "random",
    ) -> PairResult:
        """Go on from ``alpha0``, clipped, or from where the solver stands (first: zero)."""
        if rule not in ("greedy", "random"):
            raise ValueError(f"rule must be 'greedy' or 'random', not {rule!r}")
        begin = process_time()
        if alpha0 is not None:
            self.seed(alpha0)
        # Visits aim below the tolerance; what meets it already is left alone.
        if self.pairs.violation(self.scores, self.alpha, self.C) <= tol:
            return self.result(0, False)
        random = np.random.default_rng(random_state)
        n_queries = len(self.pairs.pair_start) - 1
        order, count = self._everybody()
        threshold, steps = np.inf, 0
        while True:
            worst = 0.0
            for q in random.permutation(n_queries):
                done, violation = self._visit(q, order, count, threshold, tol, random, rule)
                steps += done
                worst = max(worst, violation)
                if max_seconds is not None and process_time() - begin >= max_seconds:
                    return self.result(steps, True)
            threshold = worst
            if worst <= tol:
                if self.pairs.violation(self.scores, self.alpha, self.C) <= tol:
                    return self.result(steps, False)
                order, count = self._everybody()
                threshold = np.inf

    def _everybody(self) -> tuple[np.ndarray, np.ndarray]:
        """Return an order of all pairs, and for each query how many of them take part: all."""
        order = np.arange(len(self.pairs), dtype=np.int32)
        return order, np.diff(self.pairs.pair_start)

    def _visit(self, q, order, count, threshold, tol, random, rule) -> tuple[int, float]:
        """Sweep one query; return steps and the largest violation met in the first sweep."""
        pairs = self.pairs
        documents = slice(pairs.document_start[q], pairs.document_start[q + 1])
        first = pairs.pair_start[q]
        change = np.zeros(documents.stop - documents.start)
        K = np.ascontiguousarray(self.K[documents, documents])
        scores = self.scores[documents].copy()
        where = (pairs.high, pairs.low, documents.start)
        state = (self.C, self.alpha, scores, change)
        if rule == "greedy":
            span = (first, pairs.pair_start[q + 1])
            steps, violation = climb_query(K, *where, *span, *state, tol)
        else:
            left = order[first : first + count[q]]
            seed = random.integers(2**31)
            steps, count[q], violation = sweep_query(K, *where, left, *state, threshold, tol, seed)
        if change.any():
            self.scores += change.astype(self.K.dtype) @ self.K[documents]
        return steps, violation


@njit
def sweep_query(
    K, high, low, first_document, order, C, alpha, scores, change, threshold, tol, seed
):
    """Sweep the pairs in ``order``, whose head keeps those not laid aside.

    ``alpha`` and ``change``, the coefficients of the documents, are updated in place. Return steps,
    pairs not laid aside and the largest violation met in the first sweep.
    """
    np.random.seed(seed)  # noqa: NPY002 (Numba's own generator, not NumPy's)
    n_left, steps, before = len(order), 0, 0.0
    for sweep in range(SWEEPS):
        worst, k = 0.0, 0
        while k < n_left:
            other = np.random.randint(k, n_left)  # noqa: NPY002
            order[k], order[other] = order[other], order[k]
            p = order[k]
            i, j = high[p] - first_document, low[p] - first_document
            gradient = 1.0 - (scores[i] - scores[j])
            settled_low = alpha[p] == 0.0 and gradient < -threshold
            if settled_low or (alpha[p] == C[p] and gradient > threshold):
                n_left -= 1
                order[k], order[n_left] = order[n_left], order[k]
                continue
            k += 1
            if (gradient > 0.0 and alpha[p] == C[p]) or (gradient < 0.0 and alpha[p] == 0.0):
                continue
            worst = max(worst, abs(gradient))
            if move_pair(K, p, high, low, first_document, C, alpha, scores, change):
                steps += 1
        if sweep == 0:
            before = worst
        if worst <= max(ENOUGH * before, 0.5 * tol):
            break
    return steps, n_left, before


@njit
def climb_query(K, high, low, first_document, begin, end, C, alpha, scores, change, tol):
    """Move the most violating pair of a query, again and again.

    ``alpha`` and ``change`` are updated in place. Return steps and the violation at the start.
    """
    before = 0.0
    for steps in range(CLIMB):
        worst, found = 0.0, -1
        for p in range(begin, end):
            gradient = 1.0 - (scores[high[p] - first_document] - scores[low[p] - first_document])
            if gradient > worst:
                if alpha[p] < C[p]:
                    worst, found = gradient, p
            elif -gradient > worst and alpha[p] > 0.0:
                worst, found = -gradient, p
        if steps == 0:
            before = worst
        if worst <= max(ENOUGH * before, 0.5 * tol):
            return steps, before
        move_pair(K, found, high, low, first_document, C, alpha, scores, change)
    return CLIMB, before


@njit
def move_pair(K, p, high, low, first_document, C, alpha, scores, change):
    """Move one pair to its optimum inside its box; return whether it moved."""
    i, j = high[p] - first_document, low[p] - first_document
    curvature = max(K[i, i] + K[j, j] - 2.0 * K[i, j], TINY_CURVATURE)
    gradient = 1.0 - (scores[i] - scores[j])
    moved = min(max(alpha[p] + gradient / curvature, 0.0), C[p])
    step = moved - alpha[p]
    if step == 0.0:
        return False
    alpha[p] = moved
    change[i] += step
    change[j] -= step
    Ki, Kj = K[i], K[j]
    for d in range(len(scores)):
        scores[d] += step * (Ki[d] - Kj[d])
    return True
