"""The paper's rival in ranking: one pair a step, always the one that violates most.

Without a bias no second coefficient has to balance the first [1]_, so that a step moves one pair to
its optimum inside its box and updates the scores of all documents by two kernel rows. Which pair
violates most is told by its gradient.

Looking at all pairs would cost far more than the step. The pairs of one preferred document form a
block, and each block keeps an upper bound of its greatest violation: what it was when the block was
looked at last, plus how far any two scores of the query have moved apart since. Only blocks whose
bound exceeds the best violation found so far are looked at. The rule is the paper's, and its
choices are the same; only finding them is cheaper.

References
----------
.. [1] M. Vogt, "SMO algorithms for support vector machines without bias term", TU Darmstadt, 2002.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.rivals.budget import run_in_slices
from benchmarks.rivals.pairs import PairResult, PairSolver

REORDERED = {"nnan", "nsz", "reassoc", "contract"}
# Two documents of the same features: the pair goes to a bound.
TINY_CURVATURE = 1e-12


class PairSMO(PairSolver):
    """Ranking by steps of one pair.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.rivals.pair_smo import PairSMO
    >>> from benchmarks.rivals.pairs import pairs_of
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> result = PairSMO(X @ X.T, pairs_of([0, 1, 2], [1, 1, 1]), 10.0).solve()
    >>> print(result.scores)
    [0. 1. 2.]
    """

    def solve(self, alpha0=None, tol: float = 1e-3, max_seconds: float | None = None) -> PairResult:
        """Go on from ``alpha0``, clipped, or from where the solver stands (first: zero)."""
        if alpha0 is not None:
            self.seed(alpha0)
        pairs = self.pairs
        new = np.flatnonzero(np.diff(pairs.high, prepend=-1))
        blocks = np.append(new, len(pairs))
        query = np.searchsorted(pairs.pair_start, new, side="right") - 1
        bound, drift = np.full(len(new), np.inf), np.zeros(len(pairs.pair_start) - 1)
        diagonal = np.diagonal(self.K).astype(np.float64)

        def some(n_steps):
            return advance(
                self.K,
                diagonal,
                pairs.high,
                pairs.low,
                pairs.document_start,
                blocks,
                query,
                self.C,
                self.alpha,
                self.scores,
                bound,
                drift,
                tol,
                n_steps,
            )

        return self.result(*run_in_slices(some, max_seconds))


@njit
def advance(
    K,
    diagonal,
    high,
    low,
    document_start,
    blocks,
    query,
    C,
    alpha,
    scores,
    bound,
    drift,
    tol,
    n_steps,
):
    """Do up to ``n_steps`` steps, in place; return how many were done.

    ``bound[b] + drift[query[b]]`` is the upper bound of a block's violation.
    """
    for done in range(n_steps):
        pair = most_violating(high, low, blocks, query, C, alpha, scores, bound, drift, tol)
        if pair < 0:
            return done
        i, j = high[pair], low[pair]
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], TINY_CURVATURE)
        gradient = 1.0 - (scores[i] - scores[j])
        moved = min(max(alpha[pair] + gradient / curvature, 0.0), C[pair])
        step = moved - alpha[pair]
        alpha[pair] = moved
        move_scores(K[i], K[j], step, scores, document_start, drift)
    return n_steps


@njit
def most_violating(high, low, blocks, query, C, alpha, scores, bound, drift, tol):
    """Return the pair of greatest violation above ``tol`` (-1 if there is none)."""
    n_blocks = len(bound)
    first, greatest = -1, tol
    for b in range(n_blocks):
        limit = bound[b] + drift[query[b]]
        if limit > greatest:
            first, greatest = b, limit
    found, best = -1, tol
    if first < 0:
        return found
    # The most promising block first: its violation spares most others the look.
    for turn in range(-1, n_blocks):
        b = first if turn < 0 else turn
        if bound[b] + drift[query[b]] <= best:
            continue
        pair, worst = look_at_block(high, low, C, alpha, scores, blocks[b], blocks[b + 1])
        bound[b] = worst - drift[query[b]]
        if worst > best:
            found, best = pair, worst
    return found


@njit
def look_at_block(high, low, C, alpha, scores, begin, end):
    """Return the pair of greatest violation among those of one preferred document, and that."""
    best, pair = 0.0, -1
    base = 1.0 - scores[high[begin]]
    for p in range(begin, end):
        gradient = base + scores[low[p]]
        if gradient > best:
            if alpha[p] < C[p]:
                best, pair = gradient, p
        elif -gradient > best and alpha[p] > 0.0:
            best, pair = -gradient, p
    return pair, best


@njit(fastmath=REORDERED)
def move_scores(Ki, Kj, step, scores, document_start, drift):
    """``scores += step * (Ki - Kj)``; a query's drift grows by how far two scores moved apart."""
    for q in range(len(drift)):
        most, least = -np.inf, np.inf
        for d in range(document_start[q], document_start[q + 1]):
            change = step * (Ki[d] - Kj[d])
            scores[d] += change
            most = max(most, change)
            least = min(least, change)
        if most > least:
            drift[q] += most - least
