"""Rows of one query that are equal, and so have equal scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct_rows"]


def distinct_rows(X: Any, query: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
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
    number: dict[tuple[Any, ...], int] = {}
    first: list[int] = []
    item = np.empty(len(query), dtype=np.intp)
    owner = query[order].tolist()
    for row, q, key in zip(order.tolist(), owner, _keys(X, order), strict=True):
        item[row] = kind = number.setdefault((q, *key), len(number))
        if kind == len(first):
            first.append(row)
    return np.array(first, dtype=np.intp), item


def _keys(X: Any, order: NDArray[np.intp]) -> Iterator[tuple[bytes, ...]]:
    """Something that is equal for equal rows only."""
    from scipy.sparse import issparse  # here, so that curves load without SciPy

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
