"""The training matrix of an estimator: its rows, and how rows come and go.

For a precomputed kernel it is the kernel matrix, so that rows come and go with their columns.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from weightpath.estimators.checks import check_symmetric

__all__ = ["own_csr", "rows_of", "with_rows"]

_LARGEST_INT32 = np.iinfo(np.int32).max


def own_csr(X) -> csr_matrix:
    """Return a copy of a CSR matrix with sorted indices, no duplicates and, if possible, int32."""
    X = csr_matrix(X, copy=True)
    X.sum_duplicates()
    # LIBSVM, which gives the first guess, knows no other indices.
    if X.nnz <= _LARGEST_INT32 and X.shape[1] <= _LARGEST_INT32:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def rows_of(kernel, X, rows):
    """Return some rows of the training matrix; ``X`` itself if they are all, in order."""
    if len(rows) == X.shape[0] and (rows == np.arange(len(rows))).all():
        return X
    own = X[rows]
    if kernel.name == "precomputed":
        own = own[:, rows]
    return own if issparse(own) else np.ascontiguousarray(own)


def with_rows(kernel, X, X_new):
    """Return the training matrix with new rows at its end, dense or sparse as it was."""
    if kernel.name == "precomputed":
        return _with_kernel_rows(X, X_new)
    if issparse(X):
        return own_csr(vstack([X, csr_matrix(X_new)], format="csr"))
    return np.vstack([X, X_new.toarray() if issparse(X_new) else X_new])


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
