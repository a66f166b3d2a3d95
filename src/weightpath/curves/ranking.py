r"""Metrics of the order of scores along a path.

==================  ==========================================================================
"auc"               area under the ROC curve, as :func:`sklearn.metrics.roc_auc_score`
"average_precision" mean precision at the relevant rows, as
                    :func:`sklearn.metrics.average_precision_score`
"ndcg"              discounted gain of the first k rows over its largest possible value, as
                    :func:`sklearn.metrics.ndcg_score` or by another convention, see
                    :mod:`weightpath.curves.discounts`
"precision_at_k"    share of the relevant among the first k rows
==================  ==========================================================================

They change only where the scores of two rows cross, which is computed from the linear functions
that scores are. Rows whose scores are equal along a stretch of theta are treated as scikit-learn
treats ties: a draw in the AUC, one threshold in the average precision, and the mean over all their
orders in the other two.

With queries a metric is the mean of its values in each of them. Queries in which it is not defined
are left out of the mean: those without a relevant row for the average precision, those without a
relevant or without an irrelevant row for the AUC. A query without a relevant row counts as zero
for the other two.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np

from weightpath.curves.curve import Curve
from weightpath.curves.discounts import CONVENTIONS
from weightpath.curves.queries import encode_queries, query_weights
from weightpath.curves.rank_curve import RankMetric, power_of_two, rank_curve

__all__ = ["RANK_METRICS", "auc", "average_precision", "ndcg", "precision_at_k", "rank_parameters"]

# For every metric of ranked rows the options it takes.
RANK_METRICS = {
    "auc": ("qid",),
    "average_precision": ("qid",),
    "ndcg": ("qid", "k", "convention"),
    "precision_at_k": ("qid", "k"),
}

# Weights are taken as integers whose sum is at most this: sums and differences are exact.
LARGEST_WEIGHT = 2.0**52


def rank_parameters(metric, given) -> dict:
    """Options of a metric of ranked rows.

    Parameters
    ----------
    metric : str
        Name of the metric.
    given : dict
        What the caller said, by name; None for what was left out.

    Returns
    -------
    dict
        Empty for other metrics.
    """
    options = {name: given[name] for name in RANK_METRICS.get(metric, ())}
    k = options.get("k")
    if metric == "precision_at_k" and k is None:
        raise ValueError("The metric 'precision_at_k' needs k=, the number of rows that count.")
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise ValueError(f"k must be a whole number, at least 1; got {k!r}.")
    if "convention" in options:
        options["convention"] = convention = options["convention"] or "sklearn"
        if convention not in CONVENTIONS:
            known = ", ".join(map(repr, CONVENTIONS))
            raise ValueError(f"convention must be one of {known}; got {convention!r}.")
    return options


def auc(path, X, target, weight, qid) -> Curve:
    """Area under the ROC curve, with weights of rows.

    Parameters
    ----------
    path : SolutionPath
        With one decision function, whose values are the scores.
    X : ndarray or CSR matrix
        Validation rows.
    target : ndarray of shape (n_rows,)
        Index of the true class, or relevance where the path has no classes.
    weight : ndarray of shape (n_rows,)
        Costs.
    qid : array-like of shape (n_rows,) or None
        Queries.

    Returns
    -------
    Curve
        Of degree 0.
    """
    relevant = _binary_relevance(path, target, "auc")
    query = encode_queries(qid, len(target))
    weight = _whole_weights(weight, 2 * query + relevant)
    x, y = np.where(relevant, weight, 0.0), np.where(relevant, 0.0, weight)
    pairs = 2.0 * np.bincount(query, x) * np.bincount(query, y)
    return _mean_of_defined(
        path, X, "auc", "pairs", query, x, y, pairs, "both relevant and irrelevant rows"
    )


def average_precision(path, X, target, weight, qid) -> Curve:
    """Average precision, with weights of rows; see :func:`auc`."""
    relevant = _binary_relevance(path, target, "average_precision")
    query = encode_queries(qid, len(target))
    weight = _whole_weights(weight, query)
    x, y = np.where(relevant, weight, 0.0), np.where(relevant, 0.0, weight)
    return _mean_of_defined(
        path,
        X,
        "average_precision",
        "precision",
        query,
        x,
        y,
        np.bincount(query, x),
        "relevant rows",
    )


def ndcg(path, X, target, weight, qid, k, convention) -> Curve:
    """Normalised discounted cumulative gain, with weights of queries; see :func:`auc`.

    Parameters
    ----------
    path, X, target, qid
        As for :func:`auc`.
    weight : ndarray of shape (n_rows,)
        The same for all rows of a query.
    k : int or None
        How many places count; None for all.
    convention : str
        A key of :data:`weightpath.curves.discounts.CONVENTIONS`.

    Returns
    -------
    Curve
        Of degree 0.
    """
    if (target < 0).any():
        raise ValueError("The metric 'ndcg' needs relevances that are not negative in y.")
    rule = CONVENTIONS[convention]
    query = encode_queries(qid, len(target))
    longest = np.bincount(query).max()
    discount = rule.discount(np.arange(1.0, longest + 1.0))
    discount[longest if k is None else k :] = 0.0
    gain = rule.gain(target.astype(float))
    largest = np.zeros(query.max() + 1)
    np.maximum.at(largest, query, gain)
    gain = gain / np.where(largest > 0, largest, 1.0)[query]
    return _discounted(path, X, "ndcg", query, gain, weight, discount, k, _largest_gains)


def precision_at_k(path, X, target, weight, qid, k) -> Curve:
    """Share of the relevant among the first k rows, or among all if they are fewer.

    Weights are those of queries; see :func:`auc` and :func:`ndcg`. Where relevance is graded,
    relevant is what has more than zero.
    """
    relevant = (target > 0).astype(float)
    query = encode_queries(qid, len(target))
    discount = np.ones(np.bincount(query).max())
    discount[k:] = 0.0
    return _discounted(path, X, "precision_at_k", query, relevant, weight, discount, k, _n_places)


def _binary_relevance(path, target, metric) -> np.ndarray:
    """Which rows are relevant; the second class of a classifier."""
    if path.classes is None and len(np.unique(target)) > 2:
        raise ValueError(
            f"The metric {metric!r} needs two kinds of rows, relevant (y > 0) and not, but y has "
            f"{len(np.unique(target))} different values. Pass y > threshold, or use 'ndcg'."
        )
    return target > 0


def _whole_weights(weight, group) -> np.ndarray:
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


def _mean_of_defined(path, X, name, kind, query, x, y, norm, needs) -> Curve:
    """Mean over the queries whose norm is not zero."""
    defined = norm > 0
    if not defined.any():
        which = "y has no" if len(norm) == 1 else "no query has"
        raise ValueError(
            f"The metric {name!r} is not defined here: {which} {needs} with weight. Relevant is "
            "the second class of a classifier, elsewhere y > 0."
        )
    factor = power_of_two(norm)
    metric = RankMetric(
        name,
        kind,
        np.where(defined[query] & (x + y > 0), query, -1),
        x,
        y,
        factor,
        norm * factor,
        defined / np.count_nonzero(defined),
        np.empty(0),
    )
    return rank_curve(path, X, metric)


def _discounted(path, X, name, query, gain, weight, discount, k, norms) -> Curve:
    """Mean over all queries of their discounted gains."""
    weight_of = query_weights(weight, query)
    counts = (np.bincount(query, gain) > 0) & (weight_of > 0)
    size = np.bincount(query)
    # No gain is larger than one.
    factor = power_of_two(discount.sum()) * np.ones(len(size))
    metric = RankMetric(
        name,
        "discount",
        np.where(counts[query], query, -1),
        gain,
        np.ones(len(query)),
        factor,
        norms(query, gain, discount, factor),
        weight_of / weight_of.sum(),
        discount,
        np.inf if k is None else float(k),
    )
    return rank_curve(path, X, metric)


def _largest_gains(query, gain, discount, factor) -> np.ndarray:
    """Discounted gains of the best orders, rounded as those of any order are."""
    order = np.lexsort((-gain, query))
    size = np.bincount(query)
    place = np.arange(len(query)) - np.repeat(np.cumsum(size) - size, size)
    best = np.zeros(len(size), dtype=np.int64)
    rounded = np.rint(gain[order] * discount[place] * factor[query[order]])
    np.add.at(best, query[order], rounded.astype(np.int64))
    return best.astype(float)


def _n_places(query, gain, discount, factor) -> np.ndarray:
    """How many rows count in each query, in units of the rounded sums."""
    return factor * np.cumsum(discount)[np.bincount(query) - 1]
