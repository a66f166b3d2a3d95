r"""Ranking by preference pairs: the problem that both ranking rivals solve.

Over pairs :math:`p = (i, j)` of documents of one query, i more relevant than j:

.. math:: \max_\alpha \sum_p \alpha_p - \tfrac12 \beta'K\beta, \qquad 0 \le \alpha_p \le C_p,

where :math:`\beta` collects the pairs on documents, ``beta[i] += alpha``, ``beta[j] -= alpha``.
There is no bias. The gradient of a pair is :math:`1 - (F_i - F_j)` with the scores
:math:`F = K\beta`: all bookkeeping is on documents, never on a matrix of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np


@dataclass(frozen=True)
class Pairs:
    """Preference pairs, query by query, and within a query by the preferred document.

    Attributes
    ----------
    high, low : ndarray of shape (n_pairs,), int32
        The preferred document and the other one.
    pair_start : ndarray of shape (n_queries + 1,)
        Where the pairs of a query begin.
    document_start : ndarray of shape (n_queries + 1,)
        Where the documents of a query begin.
    """

    high: np.ndarray
    low: np.ndarray
    pair_start: np.ndarray
    document_start: np.ndarray

    def __len__(self) -> int:
        return len(self.high)

    @property
    def n_documents(self) -> int:
        """The number of documents, whether in a pair or not."""
        return int(self.document_start[-1])

    def collect(self, alpha) -> np.ndarray:
        """Return the coefficients of the documents."""
        n = self.n_documents
        return np.bincount(self.high, alpha, n) - np.bincount(self.low, alpha, n)

    def gradient(self, scores) -> np.ndarray:
        """Return ``1 - (F_i - F_j)`` for every pair."""
        return 1.0 - (scores[self.high] - scores[self.low])

    def violation(self, scores, alpha, C) -> float:
        """Return the largest gradient that a pair could follow."""
        gradient = self.gradient(scores)
        rising = np.where(alpha < C, gradient, 0.0)
        falling = np.where(alpha > 0.0, -gradient, 0.0)
        return float(np.maximum(rising, falling).max(initial=0.0))


@dataclass(frozen=True)
class PairResult:
    """Where a ranking solver ended.

    Attributes
    ----------
    alpha : ndarray of shape (n_pairs,)
        Coefficients of the pairs.
    scores : ndarray of shape (n_documents,)
        ``K @ beta``.
    objective : float
        The dual objective as a minimum, ``0.5 beta'K beta - sum(alpha)``.
    gap : float
        Primal less dual objective, in units of the primal one.
    violation : float
        The largest gradient that a pair could follow; at most ``tol`` unless capped.
    iterations : int
        Steps, each of which changed one pair.
    capped : bool
        Whether the time was over before the tolerance was met.
    """

    alpha: np.ndarray
    scores: np.ndarray
    objective: float
    gap: float
    violation: float
    iterations: int
    capped: bool


def pairs_of(relevance, query) -> Pairs:
    """Return all pairs of different relevance in one query.

    Parameters
    ----------
    relevance, query : array-like of shape (n_documents,)
        Relevance and query of the documents; those of a query must stand together.

    Examples
    --------
    >>> from benchmarks.rivals.pairs import pairs_of
    >>> pairs = pairs_of([1, 0, 2, 0, 1], [7, 7, 7, 9, 9])
    >>> list(zip(pairs.high.tolist(), pairs.low.tolist()))
    [(0, 1), (2, 0), (2, 1), (4, 3)]
    """
    relevance, query = np.asarray(relevance), np.asarray(query)
    starts = np.flatnonzero(np.concatenate([[True], query[1:] != query[:-1]]))
    if len(np.unique(query)) != len(starts):
        raise ValueError("the documents of a query must stand together: sort them by query")
    document_start = np.append(starts, len(query))
    high, low, pair_start = [], [], [0]
    for begin, end in pairwise(document_start):
        level = relevance[begin:end]
        upper, lower = np.nonzero(level[:, None] > level[None, :])
        high.append(begin + upper)
        low.append(begin + lower)
        pair_start.append(pair_start[-1] + len(upper))
    return Pairs(
        np.concatenate(high).astype(np.int32),
        np.concatenate(low).astype(np.int32),
        np.array(pair_start),
        document_start,
    )


class PairSolver:
    """What both solvers share: where the solution stands, and how weights change.

    Parameters
    ----------
    K : ndarray of shape (n_documents, n_documents)
        Kernel matrix of the documents, float64 or float32 (scores are float64 in either case).
    pairs : Pairs
        The preference pairs.
    C : float or array-like of shape (n_pairs,)
        Weights of the pairs.
    """

    def __init__(self, K, pairs: Pairs, C):
        n = pairs.n_documents
        if K.shape != (n, n) or not K.flags.c_contiguous or K.dtype.char not in "fd":
            raise ValueError(
                f"K must be a C-ordered float matrix of {n} documents; got {K.dtype}, {K.shape}"
            )
        self.K, self.pairs = K, pairs
        self.C = self._weights(C)
        self.alpha = np.zeros(len(pairs))
        self.scores = np.zeros(n)

    def _weights(self, C) -> np.ndarray:
        C = np.array(np.broadcast_to(C, (len(self.pairs),)), dtype=np.float64)
        if not np.all(np.isfinite(C)) or np.any(C < 0.0):
            raise ValueError("weights must be finite and not negative")
        return C

    def seed(self, alpha) -> None:
        """Go to given coefficients, clipped to the box; scores change by what changed."""
        alpha = np.clip(np.asarray(alpha, dtype=np.float64), 0.0, self.C)
        change = self.pairs.collect(alpha - self.alpha)
        if change.any():
            self.scores += self.K @ change.astype(self.K.dtype)
        self.alpha = alpha

    def reweight(self, C, seeding: str = "clip") -> None:
        """Change all weights; coefficients are clipped, or with ``"bound"`` follow their bound."""
        if seeding not in ("clip", "bound"):
            raise ValueError(f"seeding must be 'clip' or 'bound', not {seeding!r}")
        bounded = (self.alpha == self.C) & (self.C > 0.0)
        self.C = self._weights(C)
        self.seed(np.where(bounded, self.C, self.alpha) if seeding == "bound" else self.alpha)

    def result(self, iterations: int, capped: bool) -> PairResult:
        """Judge where the solver stands."""
        beta = self.pairs.collect(self.alpha)
        quadratic = float(beta @ self.scores)
        dual = float(self.alpha.sum()) - 0.5 * quadratic
        slack = np.maximum(self.pairs.gradient(self.scores), 0.0)
        primal = 0.5 * quadratic + float(self.C @ slack)
        violation = self.pairs.violation(self.scores, self.alpha, self.C)
        gap = (primal - dual) / max(primal, np.finfo(float).tiny)
        return PairResult(
            self.alpha.copy(), self.scores.copy(), -dual, gap, violation, iterations, capped
        )
