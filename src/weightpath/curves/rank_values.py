"""Metrics of the order of scores, at one set of scores."""

from __future__ import annotations

import numpy as np

from weightpath.curves.discounts import CONVENTIONS
from weightpath.curves.queries import encode_queries, query_weights
from weightpath.curves.ranking import rank_parameters

__all__ = ["RankValue"]


class RankValue:
    """A metric of ranked rows: the mean over queries of what each of them gets.

    Rows with equal scores are treated as scikit-learn treats ties.

    Parameters
    ----------
    metric : str
        A key of :data:`weightpath.curves.ranking.RANK_METRICS`.
    target : ndarray of shape (n,)
        Relevances, or 0 and 1.
    weight : ndarray of shape (n,)
        Costs.
    graded : bool
        Whether relevances may have more than two values.
    options : dict
        ``qid``, ``k`` and ``convention``; None for what is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.curves.rank_values import RankValue
    >>> options = {"qid": None, "k": None, "convention": None}
    >>> RankValue("auc", np.array([0, 1, 1]), np.ones(3), False, options)(
    ...     np.array([0.1, 2.0, -1.0])
    ... )
    0.5
    """

    def __init__(self, metric: str, target, weight, graded: bool, options: dict):
        options = rank_parameters(metric, options)
        if metric in ("auc", "average_precision") and graded and len(np.unique(target)) > 2:
            raise ValueError(
                f"The metric {metric!r} needs two kinds of rows, relevant (y > 0) and not. Pass "
                "y > threshold, or use 'ndcg'."
            )
        if metric == "ndcg" and (target < 0).any():
            raise ValueError("The metric 'ndcg' needs relevances that are not negative in y.")
        query = encode_queries(options["qid"], len(target))
        queries = [np.flatnonzero(query == q) for q in range(query.max() + 1)]
        self._metric, self._k = metric, options.get("k")
        self._rule = CONVENTIONS[options.get("convention", "sklearn")]
        self._parts = []
        of_query = query_weights(weight, query) if metric in ("ndcg", "precision_at_k") else None
        for q, rows in enumerate(queries):
            own = weight[rows] if of_query is None else np.ones(len(rows))
            share = 1.0 if of_query is None else of_query[q]
            if of_query is not None or self._is_defined(target[rows] > 0, own):
                self._parts.append((rows, target[rows].astype(float), own, share))
        if not self._parts:
            raise ValueError(
                f"The metric {metric!r} is not defined here: no query has relevant (y > 0) and, "
                "for 'auc', irrelevant rows with weight."
            )

    def _is_defined(self, relevant, weight) -> bool:
        some, others = weight[relevant].sum() > 0, weight[~relevant].sum() > 0
        return bool(some and (others or self._metric != "auc"))

    def __call__(self, score: np.ndarray) -> float:
        """Return the metric at these scores."""
        total = shares = 0.0
        for rows, target, weight, share in self._parts:
            total += share * self._of_query(score[rows], target, weight)
            shares += share
        return float(total / shares)

    def _of_query(self, score, target, weight) -> float:
        """Return the metric of one query; each distinct score is a place that rows share."""
        _, place = np.unique(-score, return_inverse=True)
        if self._metric in ("auc", "average_precision"):
            hit = np.bincount(place, weight * (target > 0))
            miss = np.bincount(place, weight * (target <= 0))
            hits, misses = np.cumsum(hit), np.cumsum(miss)
            if self._metric == "auc":
                return float(hit @ (misses[-1] - misses + 0.5 * miss) / (hits[-1] * misses[-1]))
            some = hits + misses > 0
            precision = hits[some] / (hits + misses)[some]
            return float(hit[some] @ precision / hits[-1])
        position = np.arange(1.0, len(score) + 1.0)
        if self._metric == "ndcg":
            gain, discount = self._rule.gain(target), self._rule.discount(position)
        else:
            gain, discount = (target > 0).astype(float), np.ones(len(score))
        discount[len(score) if self._k is None else self._k :] = 0.0
        size = np.bincount(place)
        until = np.append(0.0, np.cumsum(discount))[np.append(0, np.cumsum(size))]
        found = np.bincount(place, gain) / size @ np.diff(until)
        if self._metric == "precision_at_k":
            return float(found / discount.sum())
        best = np.sort(gain)[::-1] @ discount
        return float(found / best) if best > 0 else 0.0
