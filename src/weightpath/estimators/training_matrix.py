"""The training matrix of an estimator: its rows, and how rows come and go.

It is shared by the model and all its paths, so nobody can write to it. For a precomputed kernel it
is the kernel matrix, so that rows come and go with their columns.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from weightpath.estimators.checks import check_symmetric
from weightpath.frozen import freeze, is_safe_to_keep

__all__ = ["own_csr", "own_dense", "rows_of", "with_rows"]

_LARGEST_INT32 = np.iinfo(np.int32).max


def own_csr(X) -> csr_matrix:
    """Return a CSR matrix with sorted indices, no duplicates and, if possible, int32, to keep.

    It is a copy unless the arrays of ``X`` are safe to keep and in order.
    """
    safe = is_safe_to_keep(X)
    X = csr_matrix(X, copy=not safe)
    if not X.has_canonical_format:
        X = X.copy() if safe else X
        X.sum_duplicates()
    # LIBSVM, which gives the first guess, knows no other indices.
    if X.nnz <= _LARGEST_INT32 and X.shape[1] <= _LARGEST_INT32:
        X.indices, X.indptr = (
            array.astype(np.int32, copy=False) for array in (X.indices, X.indptr)
        )
    return freeze(X)


def own_dense(X: np.ndarray, given=None) -> np.ndarray:
    """Return an array in C order that nobody can write to, to keep.

    Parameters
    ----------
    X : ndarray
        The array, as it came out of the checks: a copy, unless what went in is safe to keep.
    given : object
        What went into the checks.
    """
    X = np.ascontiguousarray(X)
    # A view where it is the caller's own array, whose flags stay as they are.
    return freeze(X.view() if X is given else X)


def rows_of(kernel, X, rows):
    """Return some rows of the training matrix; ``X`` itself if they are all, in order."""
    if len(rows) == X.shape[0] and (rows == np.arange(len(rows))).all():
        return X
    own = X[rows]
    if kernel.name == "precomputed":
        own = own[:, rows]
    return freeze(own if issparse(own) else np.ascontiguousarray(own))


def with_rows(kernel, X, X_new):
    """Return the training matrix with new rows at its end, dense or sparse as it was."""
    if kernel.name == "precomputed":
        return freeze(_with_kernel_rows(X, X_new))
    if issparse(X):
        return own_csr(vstack([X, csr_matrix(X_new)], format="csr"))
    return freeze(np.vstack([X, X_new.toarray() if issparse(X_new) else X_new]))


def _with_kernel_rows(K, K_new) -> np.ndarray:
    n, k = K.shape[0], K_new.shape[0]
    if K_new.shape[1] != n + k:
        raise ValueError(
            f"For a precomputed kernel, a new row holds the kernel values with the {n} training "
            f"instances and then with the {k} new ones: expected {n + k} columns, got "
            f"{K_new.shape[1]}."
        )
    own = check_symmetric(K_new[:, n:], "The last columns of X, the kernel matrix of the new rows,")
    return np.block([[K, K_new[:, :n].T], [K_new[:, :n], own]])
