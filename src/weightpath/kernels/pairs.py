"""The operator of preference pairs, from that of their documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels._columns import Columns
from weightpath.kernels._pair_columns import PairColumns
from weightpath.kernels.kernel import Kernel
from weightpath.problems import PreferencePairs

__all__ = ["PairColumns", "pair_columns", "pair_diagonal"]


def pair_columns(kernel: Kernel, X: Any, pairs: PreferencePairs, documents: Columns) -> PairColumns:
    """Return the columns of pairs.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR matrix of shape (n_documents, n_features)
        The documents; for a precomputed kernel its matrix.
    pairs : PreferencePairs
    documents : Columns
        The kernel matrix of the documents.
    """
    diagonal = pair_diagonal(kernel, X, pairs, np.asarray(documents.diagonal))
    return PairColumns(documents, pairs, diagonal)


def pair_diagonal(
    kernel: Kernel, X: Any, pairs: PreferencePairs, own: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the diagonal of the pairs' matrix from that of the documents, ``own``."""
    diagonal = own[pairs.first] + own[pairs.second]
    for k in range(pairs.n_tables):
        upper = pairs.upper[pairs.upper_start[k] : pairs.upper_start[k + 1]]
        lower = pairs.lower[pairs.lower_start[k] : pairs.lower_start[k + 1]]
        if kernel.name == "precomputed":
            table = X[np.ix_(upper, lower)]
        else:
            # What overflows is met, with advice, when the kernel of the documents is checked.
            with np.errstate(over="ignore", invalid="ignore"):
                table = kernel.between(X[upper], X[lower])
        with np.errstate(over="ignore", invalid="ignore"):
            diagonal[pairs.pair_start[k] : pairs.pair_start[k + 1]] -= 2.0 * table.ravel()
    return np.asarray(np.maximum(diagonal, 0.0))
