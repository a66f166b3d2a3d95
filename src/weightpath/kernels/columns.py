"""Which class serves the columns of a kernel on a training set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.kernels._columns import Columns, StoredColumns
from weightpath.kernels._kernel_columns import (
    CallableColumns,
    DenseKernelColumns,
    SparseKernelColumns,
)
from weightpath.kernels.called import real_values

if TYPE_CHECKING:
    from weightpath.kernels.kernel import Kernel

__all__ = ["Columns", "StoredColumns", "columns_for"]


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
