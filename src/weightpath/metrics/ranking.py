r"""Metrics of the order of scores: what they share, and those of relevant and irrelevant rows.

==================  ==========================================================================
"auc"               area under the ROC curve, as :func:`sklearn.metrics.roc_auc_score`
"average_precision" mean precision at the relevant rows, as
                    :func:`sklearn.metrics.average_precision_score`
==================  ==========================================================================

They change only where the scores of two rows cross, which is computed from the linear functions
that scores are. Rows whose scores are equal along a stretch of theta are treated as scikit-learn
treats ties: a draw in the AUC, one threshold in the average precision, and the mean over all their
orders in those of :mod:`weightpath.metrics.ranking_at_k`.

With queries a metric is the mean of its values in each of them. Queries in which it is not defined
are left out of the mean: those without a relevant row for the average precision, those without a
relevant or without an irrelevant row for the AUC. A query without a relevant row counts as zero
for the discounted metrics.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.rank_curve import RankSums, power_of_two, rank_curve
from weightpath.metrics.ids import encode_ids
from weightpath.metrics.metric import Metric, Option
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.plane import PlaneOrder, Scores
from weightpath.metrics.registry import built_in
from weightpath.metrics.validation import ValidationRows

__all__ = ["QID", "Auc", "AveragePrecision", "RankingMetric"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Weights are taken as integers whose sum is at most this: sums and differences are exact.
LARGEST_WEIGHT = 2.0**52


def _queries(value: Any, rows: ValidationRows, metric: str) -> Integers:
    if value is None:
        return np.zeros(len(rows), dtype=np.intp)
    return encode_ids(value, len(rows), "qid", "query")


QID = Option("qid", "Column with the query of each row.", _queries, per_row=True)


class RankingMetric(Metric):
    """A mean over queries of what the order of scores gives in each of them."""

    greater_is_better = True
    options: tuple[Option, ...] = (QID,)

    @abstractmethod
    def shares(self, rows: ValidationRows, qid: Integers) -> Floats:
        """Return the weight of each query in the mean, or raise if it is not defined."""

    @abstractmethod
    def sums(self, rows: ValidationRows, qid: Integers, **options: Any) -> RankSums:
        """Return what is added up along a path."""

    @abstractmethod
    def of_query(self, score: Floats, target: Floats, weight: Floats, **options: Any) -> float:
        """Return the metric of one query at given scores."""

    @abstractmethod
    def highest(self, scores: Scores, target: Floats, weight: Floats, **options: Any) -> Floats:
        """Return upper bounds for scores of one query of which not everything is known.

        Where they are known and none are equal it is the metric itself.
        """

    def kinds(self, rows: ValidationRows) -> Integers:
        """Number rows such that those of one kind can change places without any effect."""
        return (rows.target > 0).astype(np.intp)

    def suits(self, outputs: Outputs) -> bool:
        """Return whether there is one decision function."""
        return outputs.pairs is None

    def along(
        self, path: DecisionPath, rows: ValidationRows, *, qid: Integers, **options: Any
    ) -> Curve:
        """Return the metric as a function of theta, of degree 0; see :class:`Metric`."""
        return rank_curve(path, rows.X, self.sums(rows, qid, **options))

    def at(self, values: Floats, rows: ValidationRows, *, qid: Integers, **options: Any) -> float:
        """Return the metric at given scores; see :class:`Metric`."""
        share = self.shares(rows, qid)
        order = np.argsort(qid, kind="stable")
        bounds = np.append(0, np.cumsum(np.bincount(qid)))
        score, target = values.ravel(), rows.target.astype(float)
        total = 0.0
        for q in np.flatnonzero(share):
            own = order[bounds[q] : bounds[q + 1]]
            value = self.of_query(score[own], target[own], rows.weight[own], **options)
            total += share[q] * value
        return float(total / share.sum())

    def in_plane(self, rows: ValidationRows, *, qid: Integers, **options: Any) -> PlaneOrder:
        """Return the metric as a function of the order; see :class:`Metric`."""
        share = self.shares(rows, qid)
        target, weight = rows.target.astype(float), rows.weight
        own = [(share[q] / share.sum(), np.flatnonzero(qid == q)) for q in np.flatnonzero(share)]

        def least(scores: Scores) -> Floats:
            total = np.zeros(scores.n_cases)
            for part, some in own:
                found = self.highest(scores.of(some), target[some], weight[some], **options)
                total -= part * found
            return total

        def at(values: Floats) -> float:
            return -self.at(values, rows, qid=qid, **options)

        counts = (share[qid] > 0) & (weight > 0)
        return PlaneOrder(np.where(counts, self.kinds(rows), -1), qid, at, least)


def weighted(code: Integers, weight: Floats) -> Floats:
    """Sum of the weights of every code."""
    return np.bincount(code, weight).astype(np.float64, copy=False)


def hits_and_misses(score: Floats, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Weights of relevant and irrelevant rows at each distinct score, the highest first."""
    place = np.unique(-score, return_inverse=True)[1]
    return weighted(place, weight * (target > 0)), weighted(place, weight * (target <= 0))


@final
@built_in
class Auc(RankingMetric):
    """Area under the ROC curve, with weights of rows."""

    name = "auc"
    label = "area under the ROC curve"

    def shares(self, rows: ValidationRows, qid: Integers) -> Floats:
        """Return ones for queries with relevant and irrelevant rows."""
        relevant = _is_relevant(rows, self.name)
        hits, misses = _kinds(rows, qid, relevant)
        needs = "both relevant and irrelevant rows"
        return _defined((hits > 0) & (misses > 0), self.name, needs)

    def sums(self, rows: ValidationRows, qid: Integers, **options: Any) -> RankSums:
        """Return pairs of relevant and irrelevant rows in the right order."""
        share = self.shares(rows, qid)
        relevant = rows.target > 0
        weight = _whole_weights(rows.weight, 2 * qid + relevant)
        x, y = np.where(relevant, weight, 0.0), np.where(relevant, 0.0, weight)
        pairs = 2.0 * weighted(qid, x) * weighted(qid, y)
        return _sums_of_defined("pairs", qid, x, y, pairs, share)

    def of_query(self, score: Floats, target: Floats, weight: Floats, **options: Any) -> float:
        """Return the share of pairs in the right order; a tie is half of one."""
        hit, miss = hits_and_misses(score, target, weight)
        misses = np.cumsum(miss)
        return float(hit @ (misses[-1] - misses + 0.5 * miss) / (hit.sum() * misses[-1]))

    def highest(self, scores: Scores, target: Floats, weight: Floats, **options: Any) -> Floats:
        """Return the share of pairs that may be in the right order."""
        hit, miss = np.flatnonzero(target > 0), np.flatnonzero(target <= 0)
        below = scores.may_pass(hit, miss, weight[miss], tie=0.5)
        return np.asarray(below @ weight[hit] / (weight[hit].sum() * weight[miss].sum()))


@final
@built_in
class AveragePrecision(RankingMetric):
    """Average precision, with weights of rows."""

    name = "average_precision"
    label = "average precision"

    def shares(self, rows: ValidationRows, qid: Integers) -> Floats:
        """Return ones for queries with relevant rows."""
        hits, _ = _kinds(rows, qid, _is_relevant(rows, self.name))
        return _defined(hits > 0, self.name, "relevant rows")

    def sums(self, rows: ValidationRows, qid: Integers, **options: Any) -> RankSums:
        """Return the precisions at relevant rows."""
        share = self.shares(rows, qid)
        relevant = rows.target > 0
        weight = _whole_weights(rows.weight, qid)
        x, y = np.where(relevant, weight, 0.0), np.where(relevant, 0.0, weight)
        return _sums_of_defined("precision", qid, x, y, weighted(qid, x), share)

    def of_query(self, score: Floats, target: Floats, weight: Floats, **options: Any) -> float:
        """Return the mean over relevant rows of the precision down to their score."""
        hit, miss = hits_and_misses(score, target, weight)
        hits, both = np.cumsum(hit), np.cumsum(hit + miss)
        some = both > 0
        return float(hit[some] @ (hits[some] / both[some]) / hits[-1])

    def highest(self, scores: Scores, target: Floats, weight: Floats, **options: Any) -> Floats:
        """Return the mean precision with all hits above that may be, and misses that must be."""
        hit = np.flatnonzero((target > 0) & (weight > 0))
        miss = np.flatnonzero((target <= 0) & (weight > 0))
        hits = scores.may_be_passed(hit, hit, weight[hit])
        misses = weight[miss].sum() - scores.may_pass(hit, miss, weight[miss], tie=0.0)
        # A sum of weights less some of them can be rounding instead of zero.
        misses = np.maximum(misses, 0.0)
        return np.asarray((hits / (hits + misses)) @ weight[hit] / weight[hit].sum())

    def kinds(self, rows: ValidationRows) -> Integers:
        """Number relevant rows by their weights; the others are of one kind."""
        relevant = rows.target > 0
        number = np.unique(rows.weight, return_inverse=True)[1]
        return np.where(relevant, 1 + number, 0)


def _is_relevant(rows: ValidationRows, metric: str) -> NDArray[np.bool_]:
    """Which rows are relevant; the second class of a classifier."""
    if rows.outputs.classes is None and len(np.unique(rows.target)) > 2:
        raise ValueError(
            f"The metric {metric!r} needs two kinds of rows, relevant (y > 0) and not, but y has "
            f"{len(np.unique(rows.target))} different values. Pass y > threshold, or use 'ndcg'."
        )
    return np.asarray(rows.target > 0)


def _kinds(
    rows: ValidationRows, qid: Integers, relevant: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Weight of the relevant and of the irrelevant rows of every query."""
    return weighted(qid, rows.weight * relevant), weighted(qid, rows.weight * ~relevant)


def _defined(where: NDArray[np.bool_], metric: str, needs: str) -> Floats:
    """Return ones for the queries in which a metric is defined, or raise if there are none."""
    if not where.any():
        which = "y has no" if len(where) == 1 else "no query has"
        raise ValueError(
            f"The metric {metric!r} is not defined here: {which} {needs} with weight. Relevant is "
            "the second class of a classifier, elsewhere y > 0."
        )
    return where.astype(float)


def _whole_weights(weight: Floats, group: Integers) -> Floats:
    """Weights as integers, scaled group by group unless they are integers already.

    A weight below rounding of its group's sum becomes zero.
    """
    if (weight == np.rint(weight)).all() and weight.sum() <= LARGEST_WEIGHT:
        return weight
    largest = np.zeros(group.max() + 1)
    np.maximum.at(largest, group, weight)
    share = weight / np.where(largest > 0, largest, 1.0)[group]
    total = np.bincount(group, share)
    return np.rint(share * np.ldexp(LARGEST_WEIGHT, -np.frexp(total)[1])[group])


def _sums_of_defined(
    kind: str, qid: Integers, x: Floats, y: Floats, norm: Floats, share: Floats
) -> RankSums:
    """Mean over the queries in which the metric is defined."""
    factor = power_of_two(norm)
    query = np.where((share[qid] > 0) & (x + y > 0), qid, -1)
    return RankSums(kind, query, x, y, factor, norm * factor, share / share.sum(), np.empty(0))
