"""Queries: which rows are ranked against each other, and which of those are the same."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

__all__ = ["distinct_rows", "encode_queries", "query_weights"]


def encode_queries(qid, n_rows) -> np.ndarray:
    """Number the queries.

    Parameters
    ----------
    qid : array-like of shape (n_rows,) or None
        The query of every row: numbers, words, or anything else that is hashable, in any order.
        None if all rows belong to one query.
    n_rows : int
        How many there must be.

    Returns
    -------
    ndarray of int, shape (n_rows,)
        Counted from 0.
    """
    if qid is None:
        return np.zeros(n_rows, dtype=np.intp)
    known = isinstance(qid, np.ndarray) or hasattr(qid, "__array__")
    ids = np.asarray(qid) if known else list(qid)
    shape = np.shape(ids) if known else (len(ids),)
    if shape != (n_rows,):
        raise ValueError(f"qid must have shape ({n_rows},), one query for each row; got {shape}.")
    labels = ids.tolist() if isinstance(ids, np.ndarray) else ids
    number: dict = {}
    try:
        code = [number.setdefault(label, len(number)) for label in labels]
    except TypeError as error:
        raise ValueError(f"qid must have hashable ids: {error}.") from error
    if any(label is None or label != label for label in number):
        raise ValueError("qid must not have missing values: every row belongs to a query.")
    return np.array(code, dtype=np.intp)


def query_weights(weight, query) -> np.ndarray:
    """Weight of every query; all its rows must have the same."""
    n_queries = query.max() + 1
    low, high = np.full(n_queries, np.inf), np.zeros(n_queries)
    np.minimum.at(low, query, weight)
    np.maximum.at(high, query, weight)
    if (low != high).any():
        raise ValueError(
            "This metric weighs queries, not rows: sample_weight must be the same for all rows of "
            "a query. Without qid all rows are one query, and weights have no effect."
        )
    return high


def distinct_rows(X, query) -> tuple[np.ndarray, np.ndarray]:
    """Find rows of one query that are equal: their scores are, whatever the rounding errors.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        Rows.
    query : ndarray of int, shape (n_rows,)
        The query of every row.

    Returns
    -------
    first : ndarray of int, shape (n_items,)
        One row of every kind, sorted by query.
    item : ndarray of int, shape (n_rows,)
        For every row its kind.
    """
    order = np.argsort(query, kind="stable")
    number: dict = {}
    first: list[int] = []
    item = np.empty(len(query), dtype=np.intp)
    owner = query[order].tolist()
    for row, q, key in zip(order.tolist(), owner, _keys(X, order), strict=True):
        item[row] = kind = number.setdefault((q, *key), len(number))
        if kind == len(first):
            first.append(row)
    return np.array(first, dtype=np.intp), item


def _keys(X, order):
    """Something that is equal for equal rows only."""
    if issparse(X):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        for row in order:
            entry = slice(X.indptr[row], X.indptr[row + 1])
            yield X.indices[entry].tobytes(), X.data[entry].tobytes()
    else:
        for row in order:
            # The sum makes a zero of a negative zero.
            yield ((X[row] + 0.0).tobytes(),)
