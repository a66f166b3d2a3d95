"""Kernel sums: values at given points from coefficients of the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from weightpath.kernels.kernel import Kernel

__all__ = ["MATRIX_MB", "Response"]

Reals = NDArray[np.float64]

# The matrix of kernel values is kept when it takes no more than this.
MATRIX_MB = 512


class Response:
    """The linear map from coefficients to ``sum_j K(point_i, x_j) beta_j``.

    Coefficients come as rows, one for each theta, and so do the answers.

    Parameters
    ----------
    kernel : Kernel
    points : array or CSR matrix of shape (n_points, n_features)
        Where to evaluate; for a precomputed kernel the values of shape (n_points, n).
    train : array or CSR matrix of shape (n, n_features)
        The training rows; not used by a precomputed kernel.
    """

    def __init__(self, kernel: Kernel, points: Any, train: Any):
        self._kernel, self._points, self._train = kernel, points, train
        self._matrix: Reals | None = None
        if kernel.name == "precomputed":
            dense = points.toarray() if hasattr(points, "toarray") else points
            self._matrix = np.asarray(dense).T
        elif self.fits(train.shape[0], points.shape[0]):
            # Transposed, so that the columns of K that a segment needs lie in one piece each.
            self._matrix = kernel.between(train, points)

    @staticmethod
    def fits(n_train: int, n_points: int) -> bool:
        """Whether the matrix of kernel values is small enough to be kept."""
        return n_train * n_points * 8 <= MATRIX_MB * 1e6

    @property
    def is_dense(self) -> bool:
        """Whether the matrix is kept, so that full products are cheap."""
        return self._matrix is not None

    def product(self, coef: Reals) -> Reals:
        """Return the sums for coefficients of shape (k, n), of shape (k, n_points)."""
        if self._matrix is None:
            return self._kernel.product(self._points, self._train, np.ascontiguousarray(coef.T)).T
        used = np.flatnonzero(coef.any(axis=0))
        # Half is where copying the rows in use costs as much as multiplying the others by zero.
        if 2 * used.size < coef.shape[1]:
            return coef[:, used] @ self._matrix[used]
        return coef @ self._matrix

    def columns(self, rows: NDArray[np.intp]) -> Reals:
        """Return the kernel values of training rows with all points, (len(rows), n_points)."""
        if self._matrix is None:
            return self._kernel.between(self._train[rows], self._points)
        return self._matrix[rows]
