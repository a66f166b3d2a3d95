r"""Kernels as plain formulas, independent of the native code.

==========  ==========================================
linear      :math:`x'y`
poly        :math:`(\gamma x'y + c_0)^d`
rbf         :math:`\exp(-\gamma \|x - y\|^2)`
sigmoid     :math:`\tanh(\gamma x'y + c_0)`
==========  ==========================================

Certificates and predictions are computed here, with NumPy and SciPy, so that they judge the
engine's columns instead of repeating them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist

from weightpath.kernels.called import called_values, real_values
from weightpath.kernels.columns import Columns, columns_for

__all__ = ["KERNEL_NAMES", "Kernel"]

Reals = NDArray[np.float64]

KERNEL_NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed", "callable")

# What the native code, which counts by int, can multiply.
LARGEST_DEGREE = 2**31 - 1

# Entries of rows that are converted or gathered at a time: they stay in the processor's cache.
BLOCK_ENTRIES = 1 << 17

# Of a kernel matrix with more entries absolute sums are bounded, not computed.
LARGE_MATRIX = 1 << 26

# Rows in one call of a callable kernel for the diagonal: few calls, little computed in vain.
DIAGONAL_BLOCK = 8


@dataclass(frozen=True)
class Kernel:
    r"""A kernel function with its parameters.

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "sigmoid", "precomputed", "callable"}
        With ``"precomputed"`` the rows hold kernel values instead of features.
    gamma : float, default=1.0
        Scale of poly, rbf and sigmoid.
    degree : int, default=3
        Degree of poly.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    function : callable, optional
        For ``"callable"``: ``function(A, B)`` returns the matrix of shape (len(A), len(B)).

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.kernels import Kernel
    >>> Kernel("poly", degree=2, coef0=1.0).between(np.array([[2.0]]), np.array([[1.0], [3.0]]))
    array([[ 9., 49.]])
    """

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = None

    def __post_init__(self) -> None:
        if self.name not in KERNEL_NAMES:
            raise ValueError(f"Unknown kernel {self.name!r}; choose one of {KERNEL_NAMES}.")
        if (self.name == "callable") != (self.function is not None):
            raise ValueError("A function belongs to the kernel 'callable', and to no other.")
        if not (isfinite(self.gamma) and self.gamma >= 0):
            raise ValueError(f"gamma must be finite and not negative, got {self.gamma!r}.")
        if not 0 <= self.degree <= LARGEST_DEGREE or self.degree != int(self.degree):
            raise ValueError(
                f"degree must be an integer from 0 to {LARGEST_DEGREE}, got {self.degree!r}."
            )
        if not isfinite(self.coef0):
            raise ValueError(f"coef0 must be finite, got {self.coef0!r}.")
        object.__setattr__(self, "gamma", float(self.gamma))
        object.__setattr__(self, "degree", int(self.degree))
        object.__setattr__(self, "coef0", float(self.coef0))

    def between(self, A: Any, B: Any = None) -> Reals:
        """Return the kernel values of all pairs of rows.

        Parameters
        ----------
        A, B : ndarray or CSR of shape (n_A, p) and (n_B, p)
            For ``"precomputed"`` A holds the values already and B is not used.

        Returns
        -------
        ndarray of shape (n_A, n_B)
        """
        if self.name == "precomputed":
            return real_values(A, "The kernel matrix has")
        if self.name == "callable":
            return called_values(self.function, A, B)
        if self.name == "rbf":
            value = squared_distances(A, B)
            value *= -self.gamma
            return np.asarray(np.exp(value, out=value))
        return self._of_inner(_dense(_double(A) @ _double(B).T))

    @property
    def is_native(self) -> bool:
        """Whether native code computes its values: it is neither precomputed nor a function."""
        return self.name != "precomputed" and self.function is None

    def diagonal(self, X: Any) -> Reals:
        """Return the kernel values of every row of ``X`` with itself."""
        if self.name == "precomputed":
            return np.array(X.diagonal(), dtype=np.float64)
        if self.name == "rbf":
            return np.ones(X.shape[0])
        if self.name == "callable":
            blocks = [X[i : i + DIAGONAL_BLOCK] for i in range(0, X.shape[0], DIAGONAL_BLOCK)]
            values = [called_values(self.function, rows, rows) for rows in blocks]
            return np.concatenate([block.diagonal() for block in values])
        return self._of_inner(squared_norms(X))

    def columns(
        self, X: Any, cache_mb: float = 200.0, rows: NDArray[np.intp] | None = None
    ) -> Columns:
        """Return the columns of the kernel matrix of ``X``, or of some rows, for the engine."""
        return columns_for(self, X, cache_mb, rows)

    def product(
        self,
        A: Any,
        X: Any,
        coef: ArrayLike,
        block_mb: float = 64.0,
        n_terms: int | None = None,
    ) -> Reals:
        """Return ``between(A, X) @ coef`` without holding the whole matrix.

        Parameters
        ----------
        A : ndarray or CSR of shape (n_A, p)
            Rows to evaluate; for ``"precomputed"`` their kernel values, shape (n_A, n).
        X : ndarray or CSR of shape (n, p)
            Training rows; not used for ``"precomputed"``.
        coef : ndarray of shape (n,) or (n, k)
            Coefficients; rows that are zero cost nothing.
        block_mb : float, default=64.0
            Size of the blocks of kernel values in units of 1e6 bytes.
        n_terms : int or None, default=None
            How many training rows a block has, whose sums are added up; ``None`` for all. Shorter
            sums are rounded less.
        """
        coef = np.asarray(coef, dtype=np.float64)
        used = np.flatnonzero(coef.reshape(coef.shape[0], -1).any(axis=1))
        coef = coef[used]
        if self.name == "precomputed":
            return np.asarray(A[:, used] @ coef)
        if self.name == "linear":
            return _times(A, sum_of_rows(X, used, coef))
        support = X[used]
        result = np.zeros((A.shape[0], *coef.shape[1:]))
        length = max(1, used.size if n_terms is None else min(n_terms, used.size))
        step = max(1, int(block_mb * 1e6 / (8 * length)))
        for term in range(0, used.size, length):
            some = slice(term, term + length)
            for first in range(0, A.shape[0], step):
                rows = slice(first, first + step)
                result[rows] += self.between(A[rows], support[some]) @ coef[some]
        return result

    def absolute_product(self, X: Any, coef: Reals, block_mb: float = 64.0) -> Reals:
        """Return ``|K| @ coef`` for the kernel matrix ``K`` of ``X``; rounding depends on it."""
        used = np.flatnonzero(coef)
        if self.name == "linear" and not issparse(X) and used.size * X.shape[0] > LARGE_MATRIX:
            # An upper bound, by the terms of the sums as :meth:`product` makes them.
            return _times(X, sum_of_rows(X, used, coef[used], absolute=True), absolute=True)
        result = np.zeros(X.shape[0])
        step = max(1, int(block_mb * 1e6 / (8 * max(1, used.size))))
        for first in range(0, X.shape[0], step):
            rows = slice(first, first + step)
            if self.name == "precomputed":
                block = X[rows][:, used]
            else:
                block = self.between(X[rows], X[used])
            result[rows] = np.abs(block) @ coef[used]
        return result

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters as plain values, for saving."""
        if self.name == "callable":
            raise ValueError(
                "A kernel that is a Python function cannot be saved. Use a named kernel, or "
                "kernel='precomputed' with the matrix of its values."
            )
        return {
            "name": self.name,
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Kernel:
        """Return the kernel that :meth:`to_dict` has described."""
        return cls(**values)

    def _of_inner(self, inner: Reals) -> Reals:
        """Return the kernel values that belong to inner products."""
        if self.name == "poly":
            return np.asarray((self.gamma * inner + self.coef0) ** self.degree)
        if self.name == "sigmoid":
            return np.asarray(np.tanh(self.gamma * inner + self.coef0))
        return inner


def squared_norms(X: Any) -> Reals:
    """Return the squared Euclidean norm of every row."""
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    if X.dtype != np.float64:
        return np.concatenate([squared_norms(_double(X[rows])) for rows in _blocks(X)])
    return np.asarray(np.einsum("ij,ij->i", X, X))


def sum_of_rows(X: Any, used: NDArray[np.intp], coef: Reals, absolute: bool = False) -> Reals:
    """Return ``X[used].T @ coef``; dense rows are taken in blocks, without a copy of them all.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, p)
    used : ndarray of int of shape (m,)
        Rows of ``X``, increasing.
    coef : ndarray of shape (m,) or (m, k)
    absolute : bool, default=False
        Whether the absolute values of ``X`` are meant.
    """
    if issparse(X):
        return np.asarray(X[used].T @ coef)
    total = np.zeros((X.shape[1], *coef.shape[1:]))
    for some in _blocks(X, used.size):
        block = _double(X[used[some]])
        total += (np.abs(block) if absolute else block).T @ coef[some]
    return total


def _times(X: Any, weights: Reals, absolute: bool = False) -> Reals:
    """Return ``X @ weights``, in blocks where ``X`` is not in double precision."""
    if not absolute and (issparse(X) or X.dtype == np.float64):
        return np.asarray(X @ weights)
    if X.shape[0] == 0:
        return np.zeros((0, *weights.shape[1:]))
    blocks = (_double(X[rows]) for rows in _blocks(X))
    return np.concatenate([(np.abs(X) if absolute else X) @ weights for X in blocks])


def _blocks(X: Any, n: int | None = None) -> list[slice]:
    """Return the first ``n`` rows, or all, in blocks of some megabytes."""
    step = max(1, BLOCK_ENTRIES // max(1, X.shape[1]))
    return [slice(first, first + step) for first in range(0, X.shape[0] if n is None else n, step)]


def _double(X: Any) -> Any:
    """Return rows in double precision."""
    return X if X.dtype == np.float64 else X.astype(np.float64)


def squared_distances(A: Any, B: Any) -> Reals:
    """Return the squared distances of all pairs of rows.

    Dense rows: sums of squared differences, free of cancellation. If one side is sparse,
    ``|a|^2 + |b|^2 - 2 a'b`` clipped at zero.
    """
    if not issparse(A) and not issparse(B):
        return np.asarray(cdist(A, B, "sqeuclidean"))
    A, B = csr_array(A), csr_array(B)
    squares = squared_norms(A)[:, None] + squared_norms(B)[None, :] - 2.0 * _dense(A @ B.T)
    return np.asarray(np.maximum(squares, 0.0))


def _dense(values: Any) -> Any:
    """Return an array where a product of sparse matrices gave a sparse one."""
    return values.toarray() if issparse(values) else values
