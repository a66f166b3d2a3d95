"""The columns of a linear program, each scaled by a power of two so that none is large or small."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

__all__ = ["Design", "centers"]

Reals = NDArray[np.float64]


# A column is centred if the middle of its values is further from zero than this fraction of their
# range.
FAR_FROM_ZERO = 0.5


def centers(matrix: Reals) -> Reals:
    """Return the middle of the values of each column, zero where it is not far from zero."""
    low, high = matrix.min(axis=0, initial=np.inf), matrix.max(axis=0, initial=-np.inf)
    middle = 0.5 * low + 0.5 * high
    return np.where(np.abs(middle) > FAR_FROM_ZERO * (high - low), middle, 0.0)


class Design:
    """A matrix whose columns have coefficients; nothing can write to it.

    Parameters
    ----------
    matrix : ndarray or sparse matrix of shape (n, p)
        Features of the rows, or their kernel values.

    Attributes
    ----------
    shape : (int, int)
    center : ndarray of shape (p,)
        What was subtracted from each column: the middle of its values where that is far from zero.
        The coefficients of the rows have the sum zero and the bias is free, so nothing else
        changes; but sums of a column with itself would lose digits.
    scale : ndarray of shape (p,)
        The power of two by which each column was divided then: a coefficient of the scaled column
        is the coefficient of the column times its scale, without rounding.
    """

    def __init__(self, matrix: Any):
        self.shape: tuple[int, int] = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.center: Reals = np.zeros(self.shape[1])
        self.scale: Reals = np.ones(self.shape[1])
        if issparse(matrix):
            matrix = csr_matrix(matrix, dtype=np.float64)
            largest = np.asarray(abs(matrix).max(axis=0).todense()).ravel()
        else:
            matrix = np.asarray(matrix, dtype=np.float64)
            self.center = centers(matrix)
            matrix = matrix - self.center
            largest = np.abs(matrix).max(axis=0, initial=0.0)
        used = largest > 0.0
        self.scale[used] = np.exp2(np.frexp(largest[used])[1])
        if issparse(matrix):
            self._rows = csr_matrix(
                (matrix.data / self.scale[matrix.indices], matrix.indices, matrix.indptr),
                matrix.shape,
            )
            self._columns: Any = self._rows.tocsc()
        else:
            self._rows = np.ascontiguousarray(matrix / self.scale)
            self._columns = np.asfortranarray(self._rows)

    def original(self, w: Reals, features: NDArray[np.intp]) -> Reals:
        """Return bias and coefficients of some columns as those of the matrix itself.

        Parameters
        ----------
        w : ndarray of shape (1 + len(features), k)
            The bias, then the coefficients of the scaled columns.
        features : ndarray of int
        """
        found = w.copy()
        found[1:] /= self.scale[features][:, None]
        found[0] -= self.center[features] @ found[1:]
        return found

    @property
    def matrix(self) -> Any:
        """The scaled matrix."""
        return self._rows

    def row(self, i: int) -> Reals:
        """Return a row of the scaled matrix."""
        if issparse(self._rows):
            return np.asarray(self._rows[[i]].toarray()[0])
        return np.asarray(self._rows[i])

    def column(self, j: int) -> Reals:
        """Return a column of the scaled matrix."""
        if issparse(self._columns):
            return np.asarray(self._columns[:, [j]].toarray()[:, 0])
        return np.asarray(self._columns[:, j])

    def column_sums(self, beta: Reals) -> Reals:
        """Return the scaled matrix, transposed, times coefficients of the rows, (p,) or (p, k)."""
        return np.asarray(self._columns.T @ beta)

    def row_reach(self, penalty: Reals) -> Reals:
        """Return how far the coefficient of each row, changed by one, may move any column's sum.

        In units of the penalties of the scaled columns; zero where it moves none.
        """
        inverse = np.divide(1.0, penalty, out=np.zeros_like(penalty), where=penalty > 0.0)
        if issparse(self._rows):
            return np.asarray(abs(self._rows.multiply(inverse)).max(axis=1).todense()).ravel()
        return np.asarray(np.abs(self._rows * inverse).max(axis=1, initial=0.0))
