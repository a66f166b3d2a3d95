"""Metrics of an order by their definitions, for judging: scikit-learn where it has them."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

__all__ = ["dense_ranks", "judge_metric", "orderly_values"]


def dense_ranks(score) -> np.ndarray:
    """Numbers in the order of exact scores (fractions, say), equal for equal scores."""
    place = {value: float(rank) for rank, value in enumerate(sorted(set(score)))}
    return np.array([place[value] for value in score])


def gains_and_discounts(y, n, convention):
    place = np.arange(1, n + 1)
    if convention == "paper":
        discount = np.array([1.0 if j < 3 else 1 / np.log2(j) for j in place])
    else:
        discount = 1 / np.log2(place + 1)
    return (y if convention == "sklearn" else 2.0**y - 1), discount


def tie_mean(gain, discount, score):
    """Discounted gain, averaged over all orders of equal scores."""
    total, begin = 0.0, 0
    for level in np.unique(score)[::-1]:
        tied = gain[score == level]
        total += tied.mean() * discount[begin : begin + len(tied)].sum()
        begin += len(tied)
    return total


def one_query(metric, y, score, weight, k, convention):
    """Value in one query; None if it is not defined there."""
    if metric == "auc":
        weighty = y[weight > 0]
        if len(np.unique(weighty > 0)) < 2:
            return None
        return roc_auc_score(y > 0, score, sample_weight=weight)
    if metric == "average_precision":
        if not (y[weight > 0] > 0).any():
            return None
        return average_precision_score(y > 0, score, sample_weight=weight)
    if metric == "precision_at_k":
        first = np.arange(len(y)) < k
        return tie_mean((y > 0).astype(float), first / first.sum(), score)
    if convention == "sklearn" and len(y) > 1:
        return ndcg_score(y[None], score[None], k=k)
    gain, discount = gains_and_discounts(y, len(y), convention)
    discount[len(y) if k is None else k :] = 0
    best = np.sort(gain)[::-1] @ discount
    return tie_mean(gain, discount, score) / best if best > 0 else 0.0


def judge_metric(metric, y, score, *, query=None, weight=None, k=None, convention="sklearn"):
    """Mean over queries of a metric of scores; equal numbers are ties.

    Weights are those of rows for "auc" and "average_precision", and of queries for the others.
    """
    y, score = np.asarray(y, dtype=float), np.asarray(score, dtype=float)
    query = np.zeros(len(y)) if query is None else np.asarray(query)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    values, shares = [], []
    for q in dict.fromkeys(query.tolist()):
        rows = np.flatnonzero(query == q)
        value = one_query(metric, y[rows], score[rows], weight[rows], k, convention)
        if value is not None:
            values.append(value)
            by_row = metric in ("auc", "average_precision")
            shares.append(1.0 if by_row else weight[rows[0]])
    return float(np.average(values, weights=shares))


def orderly_values(metric, y, scores, k=None):
    """Values of one query for many orders at once, without ties; scores (n_orders, n_rows)."""
    ranked = np.asarray(y, dtype=float)[np.argsort(-scores, axis=1)]
    place = np.arange(1, len(y) + 1)
    if metric == "auc":
        below = np.cumsum((ranked == 0)[:, ::-1], axis=1)[:, ::-1]
        pairs = np.count_nonzero(ranked[0]) * np.count_nonzero(ranked[0] == 0)
        return (below * (ranked > 0)).sum(axis=1) / pairs
    if metric == "average_precision":
        return (np.cumsum(ranked > 0, axis=1) / place * (ranked > 0)).sum(axis=1) / ranked[0].sum()
    if metric == "precision_at_k":
        return (ranked[:, :k] > 0).mean(axis=1)
    discount = 1 / np.log2(place + 1) * (place <= (k or len(y)))
    return ranked @ discount / (np.sort(y)[::-1] @ discount)
