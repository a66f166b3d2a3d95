"""Preference pairs in an estimator: their weights, their operator, and documents that change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import State
from weightpath.estimators.checks import check_weights
from weightpath.kernels import Kernel
from weightpath.kernels.pairs import PairColumns, pair_columns
from weightpath.problems import PreferencePairs

__all__ = ["check_queries", "check_relevance", "operator", "resolve_pair_weight", "transfer_state"]

PAIR_WEIGHTS = ("uniform", "relevance")


def check_relevance(y: Any) -> NDArray[np.float64]:
    """Return relevances as finite numbers."""
    y = np.asarray(y)
    if y.dtype.kind not in "biuf":
        raise ValueError(f"y must be relevances, numbers; got values of type {y.dtype}.")
    relevance: NDArray[np.float64] = y.astype(np.float64)
    if not np.isfinite(relevance).all():
        raise ValueError("y must be finite: it has infinite values or NaN.")
    return relevance


def check_queries(qid: Any, n: int) -> NDArray[Any]:
    """Return the query of each document; one query for all if not given."""
    if qid is None:
        return np.zeros(n, dtype=np.int64)
    query: NDArray[Any] = np.asarray(qid)
    if query.shape != (n,):
        raise ValueError(
            f"qid has shape {query.shape}, expected ({n},): one query for each document."
        )
    if query.dtype.kind == "f" and not np.isfinite(query).all():
        raise ValueError("qid must be finite: it has infinite values or NaN.")
    if query.dtype == object:
        query = np.array(query.tolist())
    if query.dtype.kind not in "biufUS":
        raise ValueError(
            f"qid must be numbers or texts, one for each document; got values of type "
            f"{query.dtype}."
        )
    return query


def resolve_pair_weight(
    value: Any, pairs: PreferencePairs, relevance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one weight for each pair.

    Parameters
    ----------
    value : str, callable or array-like
        "uniform", "relevance", a function of the relevances of both documents of all pairs, or
        the weights themselves.
    pairs : PreferencePairs
    relevance : ndarray of shape (n_documents,)
    """
    if isinstance(value, str):
        if value == "uniform":
            return np.ones(len(pairs))
        if value == "relevance":
            with np.errstate(over="ignore"):
                gain = np.exp2(relevance)
            if not np.isfinite(gain).all():
                raise ValueError(
                    'pair_weight="relevance" is 2**y_i - 2**y_j, which overflows. Use smaller '
                    "relevances."
                )
            return pairs.differences(gain)
        known = ", ".join(map(repr, PAIR_WEIGHTS))
        raise ValueError(
            f"Unknown pair_weight {value!r}. Choose one of {known}, a function of the relevances "
            "of both documents, or an array with one entry for each pair of pairs_."
        )
    if callable(value):
        value = value(relevance[pairs.first], relevance[pairs.second])
    array = np.asarray(value)
    if array.ndim and array.shape != (len(pairs),):
        raise ValueError(
            f"pair_weight has shape {array.shape}, expected ({len(pairs)},): one entry for each "
            "pair of pairs_."
        )
    return check_weights("pair_weight", value, len(pairs))


def operator(
    kernel: Kernel, X: Any, pairs: PreferencePairs, cache_mb: float, documents: Any = None
) -> PairColumns:
    """Return the columns of the pairs' matrix; ``documents`` are those of ``X`` if known."""
    if documents is None:
        documents = kernel.columns(X, cache_mb)
    return pair_columns(kernel, X, pairs, documents)


def transfer_state(
    state: State,
    old: PreferencePairs,
    new: PreferencePairs,
    number: NDArray[np.intp],
    values: NDArray[np.float64],
) -> tuple[State, NDArray[np.intp]]:
    """Return a solution on other pairs, and where each of them was (-1: it is new).

    New pairs have weight zero, and so do pairs that are not there any more.

    Parameters
    ----------
    state : State
    old, new : PreferencePairs
    number : ndarray of shape (old.n_documents,)
        The new number of each document, -1 if it went.
    values : ndarray of shape (new.n_documents,)
        Values of the documents.
    """
    n = new.n_documents
    first, second = number[old.first], number[old.second]
    stays = np.flatnonzero((first >= 0) & (second >= 0))
    key = first[stays].astype(np.int64) * n + second[stays]
    new_key = new.first.astype(np.int64) * n + new.second
    order = np.argsort(new_key, kind="stable")
    place = order[np.searchsorted(new_key[order], key)]
    source = np.full(len(new), -1, dtype=np.intp)
    source[place] = stays
    known = source >= 0
    residual = 1.0 - new.differences(values)
    residual[known] = state.residual[source[known]]
    beta = np.where(known, state.beta[source], 0.0)
    position = np.where(residual > 0, 3, 1).astype(np.int32)
    position[known] = state.position[source[known]]
    target = np.full(len(old), -1, dtype=np.intp)
    target[stays] = place
    margin = target[state.margin]
    return State(beta, 0.0, position, residual, margin[margin >= 0]), source
