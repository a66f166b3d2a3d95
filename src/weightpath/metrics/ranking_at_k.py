r"""Metrics of the first k rows in the order of scores.

==================  ==========================================================================
"ndcg"              discounted gain of the first k rows over its largest possible value, as
                    :func:`sklearn.metrics.ndcg_score` or by another convention, see
                    :mod:`weightpath.metrics.gains`
"precision_at_k"    share of the relevant among the first k rows
==================  ==========================================================================

Weights are those of queries.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.rank_curve import RankSums, power_of_two
from weightpath.metrics.gains import CONVENTIONS
from weightpath.metrics.metric import MissingOptionError, Option
from weightpath.metrics.plane import Scores
from weightpath.metrics.ranking import QID, RankingMetric
from weightpath.metrics.registry import built_in
from weightpath.metrics.validation import ValidationRows

__all__ = ["Ndcg", "PrecisionAtK"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def _whole_number(k: Any, rows: ValidationRows, metric: str) -> int | None:
    if k is None:
        return None
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise ValueError(f"k must be a whole number, at least 1; got {k!r}.")
    return int(k)


def _needed_number(k: Any, rows: ValidationRows, metric: str) -> int | None:
    if k is None:
        raise MissingOptionError(metric, "k", "the number of rows that count.")
    return _whole_number(k, rows, metric)


def _convention(value: Any, rows: ValidationRows, metric: str) -> str:
    convention = "sklearn" if value is None else value
    if convention not in CONVENTIONS:
        known = ", ".join(map(repr, CONVENTIONS))
        raise ValueError(f"convention must be one of {known}; got {convention!r}.")
    return str(convention)


K_MEANING = "How many rows (of a query) count."


@final
@built_in
class Ndcg(RankingMetric):
    """Normalised discounted cumulative gain, with weights of queries."""

    name = "ndcg"
    label = "NDCG"
    options = (
        QID,
        Option("k", K_MEANING, _whole_number, read=int),
        Option(
            "convention",
            f"Gains and discounts: {', '.join(CONVENTIONS)}. [default: sklearn]",
            _convention,
            read=str,
        ),
    )

    def shares(self, rows: ValidationRows, qid: Integers) -> Floats:
        """Return the weights of queries."""
        return _query_weights(rows, qid)

    def sums(self, rows: ValidationRows, qid: Integers, **options: Any) -> RankSums:
        """Return the discounted gains, relative to the largest of a query."""
        k, rule = options["k"], CONVENTIONS[options["convention"]]
        self._check_gains(rows.target)
        longest = int(np.bincount(qid).max())
        discount = _first(rule.discount(np.arange(1.0, longest + 1.0)), k)
        gain = rule.gain(rows.target.astype(float))
        largest = np.zeros(qid.max() + 1)
        np.maximum.at(largest, qid, gain)
        gain = gain / np.where(largest > 0, largest, 1.0)[qid]
        factor = _factors(qid, discount)
        best = _largest_gains(qid, gain, discount, factor)
        return _discounted(qid, gain, self.shares(rows, qid), discount, factor, best, k)

    def of_query(self, score: Floats, target: Floats, weight: Floats, **options: Any) -> float:
        """Return the gain over the largest one; zero without a relevant row."""
        self._check_gains(target)
        rule = CONVENTIONS[options["convention"]]
        gain = rule.gain(target)
        discount = _first(rule.discount(np.arange(1.0, len(score) + 1.0)), options["k"])
        best = np.sort(gain)[::-1] @ discount
        return float(_found(score, gain, discount) / best) if best > 0 else 0.0

    def highest(self, scores: Scores, target: Floats, weight: Floats, **options: Any) -> Floats:
        """Return the gain with every row at its best possible rank, over the largest gain."""
        rule = CONVENTIONS[options["convention"]]
        gain = rule.gain(target)
        discount = _first(rule.discount(np.arange(1.0, len(target) + 1.0)), options["k"])
        best = np.sort(gain)[::-1] @ discount
        if best <= 0:
            return np.zeros(scores.n_cases)
        return _highest_gain(scores, gain, discount) / best

    def kinds(self, rows: ValidationRows) -> Integers:
        """Number rows by their relevance."""
        return np.unique(rows.target, return_inverse=True)[1]

    def _check_gains(self, target: NDArray[Any]) -> None:
        if (target < 0).any():
            raise ValueError(
                f"The metric {self.name!r} needs relevances that are not negative in y."
            )


@final
@built_in
class PrecisionAtK(RankingMetric):
    """Share of the relevant among the first k rows, or among all if they are fewer.

    Where relevance is graded, relevant is what has more than zero.
    """

    name = "precision_at_k"
    label = "precision in the first k"
    options = (QID, Option("k", K_MEANING, _needed_number, read=int))

    def shares(self, rows: ValidationRows, qid: Integers) -> Floats:
        """Return the weights of queries."""
        return _query_weights(rows, qid)

    def sums(self, rows: ValidationRows, qid: Integers, **options: Any) -> RankSums:
        """Return the number of relevant rows that count."""
        k = options["k"]
        relevant = (rows.target > 0).astype(float)
        size = np.bincount(qid)
        discount = _first(np.ones(size.max()), k)
        factor = _factors(qid, discount)
        n_places = factor * np.cumsum(discount)[size - 1]
        return _discounted(qid, relevant, self.shares(rows, qid), discount, factor, n_places, k)

    def of_query(self, score: Floats, target: Floats, weight: Floats, **options: Any) -> float:
        """Return the share of relevant rows among the first."""
        discount = _first(np.ones(len(score)), options["k"])
        return float(_found(score, (target > 0).astype(float), discount) / discount.sum())

    def highest(self, scores: Scores, target: Floats, weight: Floats, **options: Any) -> Floats:
        """Return the share of relevant rows that may be among the first."""
        discount = _first(np.ones(len(target)), options["k"])
        found = _highest_gain(scores, (target > 0).astype(float), discount)
        return np.asarray(found / discount.sum())


def _query_weights(rows: ValidationRows, qid: Integers) -> Floats:
    """Weight of every query; all its rows must have the same."""
    n_queries = qid.max() + 1
    low, high = np.full(n_queries, np.inf), np.zeros(n_queries)
    np.minimum.at(low, qid, rows.weight)
    np.maximum.at(high, qid, rows.weight)
    if (low != high).any():
        raise ValueError(
            "This metric weighs queries, not rows: sample_weight must be the same for all rows of "
            "a query. Without qid all rows are one query, and weights have no effect."
        )
    return high


def _first(discount: Floats, k: int | None) -> Floats:
    """Set the discounts beyond the first k to zero."""
    discount[len(discount) if k is None else k :] = 0.0
    return discount


def _highest_gain(scores: Scores, gain: Floats, discount: Floats) -> Floats:
    r"""Return bounds of discounted gains: the better of two.

    The first has every row at its best possible rank, and is exact for known scores. The second
    uses that ranks are distinct: in
    increasing order they are at least :math:`r_k = \max(b_k, r_{k-1} + 1)` for best ranks
    :math:`b_k`, and no order of the rows among these ranks is better than that of their gains.
    """
    rows, some = np.arange(len(gain)), np.flatnonzero(gain > 0)
    best = len(gain) - scores.may_pass(some, rows, np.ones(len(gain))).astype(np.intp)
    each = discount[best] @ gain[some]
    number = np.arange(len(some))
    distinct = np.maximum.accumulate(np.sort(best, axis=1) - number, axis=1) + number
    together = discount[np.minimum(distinct, len(gain) - 1)] @ np.sort(gain[some])[::-1]
    return np.minimum(each, together)


def _found(score: Floats, gain: Floats, discount: Floats) -> float:
    """Discounted gain of one query; rows with equal scores share their ranks."""
    place = np.unique(-score, return_inverse=True)[1]
    size = np.bincount(place)
    until = np.append(0.0, np.cumsum(discount))[np.append(0, np.cumsum(size))]
    return float(np.bincount(place, gain) / size @ np.diff(until))


def _factors(qid: Integers, discount: Floats) -> Floats:
    """Scales of the sums of queries; no gain is larger than one."""
    return power_of_two(float(discount.sum())) * np.ones(int(qid.max()) + 1)


def _discounted(
    qid: Integers,
    gain: Floats,
    share: Floats,
    discount: Floats,
    factor: Floats,
    norm: Floats,
    k: int | None,
) -> RankSums:
    """Mean over all queries of their discounted gains."""
    counts = (np.bincount(qid, gain) > 0) & (share > 0)
    return RankSums(
        "discount",
        np.where(counts[qid], qid, -1),
        gain,
        np.ones(len(qid)),
        factor,
        norm,
        share / share.sum(),
        discount,
        np.inf if k is None else float(k),
    )


def _largest_gains(qid: Integers, gain: Floats, discount: Floats, factor: Floats) -> Floats:
    """Discounted gains of the best orders, rounded as those of any order are."""
    order = np.lexsort((-gain, qid))
    size = np.bincount(qid)
    place = np.arange(len(qid)) - np.repeat(np.cumsum(size) - size, size)
    best = np.zeros(len(size), dtype=np.int64)
    rounded = np.rint(gain[order] * discount[place] * factor[qid[order]])
    np.add.at(best, qid[order], rounded.astype(np.int64))
    return best.astype(float)
