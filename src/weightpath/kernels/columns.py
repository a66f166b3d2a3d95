"""Which class serves the columns of a kernel on a training set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.kernels._columns import Columns, StoredColumns
from weightpath.kernels._feature_columns import FeatureColumns
from weightpath.kernels._feature_rows import FeatureRows
from weightpath.kernels._kernel_columns import (
    CallableColumns,
    DenseKernelColumns,
    SparseKernelColumns,
)
from weightpath.kernels.called import real_values

if TYPE_CHECKING:
    from weightpath.kernels.kernel import Kernel

__all__ = ["Columns", "StoredColumns", "columns_for", "columns_to_follow"]

# A linear kernel is followed in the space of its features from so many rows on, if there are so
# many times as many rows as features: a column takes more than a row then, and most rows sleep.
# With fewer numbers in all than this, a pass over some columns is as cheap as knowing who sleeps.
FEATURE_ROWS = 4000
ROWS_PER_FEATURE = 8
FEATURE_ENTRIES = 150_000


def columns_for(
    kernel: Kernel, X: Any, cache_mb: float = 200.0, rows: NDArray[np.intp] | None = None
) -> Columns:
    """Return the columns of ``kernel`` on the training set ``X``.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR matrix of shape (n, p)
        Validated rows; for ``"precomputed"`` the symmetric kernel matrix itself.
    cache_mb : float, default=200.0
        Budget of the cache of columns in units of 1e6 bytes.
    rows : ndarray of int or None, default=None
        The rows of ``X`` that the training set consists of; all if not given.
    """
    if kernel.is_native and not issparse(X):
        return DenseKernelColumns(X, kernel, cache_mb, rows)
    if rows is not None:
        X = X[rows]
        X = X[:, rows] if kernel.name == "precomputed" else X
    if kernel.name == "precomputed":
        return StoredColumns(real_values(X, "The kernel matrix has"))
    if kernel.function is not None:
        return CallableColumns(X, kernel.function, cache_mb)
    return SparseKernelColumns(X, kernel, cache_mb)


def columns_to_follow(
    kernel: Kernel, X: Any, cache_mb: float = 200.0, rows: NDArray[np.intp] | None = None
) -> Columns:
    """Return the columns of ``kernel``, as :func:`columns_for`, in the form that paths like best.

    Those of a linear kernel of many dense rows are in their short form: the rows themselves.
    """
    if kernel.name == "linear" and not issparse(X) and X.shape[1] > 0:
        n = X.shape[0] if rows is None else len(rows)
        is_long = n >= max(FEATURE_ROWS, ROWS_PER_FEATURE * X.shape[1])
        if is_long and n * X.shape[1] >= FEATURE_ENTRIES:
            return FeatureColumns(FeatureRows(X, rows), kernel, cache_mb)
    return columns_for(kernel, X, cache_mb, rows)
