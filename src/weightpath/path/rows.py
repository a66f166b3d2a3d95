"""What the rows of a problem are, and how their coefficients are evaluated.

The rows of most problems are training rows, and their coefficients those of a kernel sum. They can
also be pairs of training rows, or the features. A path asks its rows, never for their type.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.kernels import Kernel
from weightpath.kernels.response import MATRIX_MB, Response
from weightpath.path import certificate
from weightpath.path.certifying import largest_of_sums, violations_of_sums
from weightpath.path.segment_values import rows_in_use
from weightpath.problems import Staircase
from weightpath.record.stored_ends import check_range, need

if TYPE_CHECKING:
    from weightpath.path.part import PathPart

__all__ = ["KernelRows", "Rows", "Sweep"]

Reals = NDArray[np.float64]

# Kernel values that are multiplied by few vectors and forgotten are computed in blocks that stay in
# the cache of the processor, and so small that BLAS wakes no threads for them, which takes longer
# than the product.
FEW_VECTORS = 16
BLOCK_MB, BLOCK_TERMS = 0.5, 256


class Sweep(NamedTuple):
    """What a sweep over all segments needs; see :func:`weightpath.path.segment_values.iter_values`.

    Attributes
    ----------
    K : ndarray of shape (n_used, n_points)
    places : tuple of ndarray of shape (n,)
    product : callable
    """

    K: Reals
    places: tuple[NDArray[np.intp], NDArray[np.intp]]
    product: Callable[[Reals], Reals]


class Rows(ABC):
    """The rows of one problem.

    Attributes
    ----------
    rows_are : str
        What they are called.
    has_offset : bool
        Whether something is added to every value, on a straight line in theta.
    array_names : tuple of str
        The arrays that describe them in a file.
    """

    rows_are: ClassVar[str]
    has_offset: ClassVar[bool] = False
    array_names: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def count(self, X: Any) -> int:
        """Return how many rows the problem has."""

    @abstractmethod
    def train(self, X: Any) -> Any:
        """Return what the kernel needs of the training data."""

    def points(self, X: Any) -> Any:
        """Return new points as the kernel needs them."""
        return X

    @abstractmethod
    def response(self, kernel: Kernel, points: Any, train: Any) -> Response:
        """Return the map from coefficients to values at points, without the offset."""

    def offset_at(self, theta: Any) -> Any:
        """Return what is added to every value."""
        return np.zeros_like(theta)

    @abstractmethod
    def intercept(self, theta: Any, beta: Reals, bias: Any = 0.0) -> Any:
        """Return what is added to sums over the coefficients; (n, k) of them for k theta."""

    def condensed(self, beta: Reals) -> Reals:
        """Return what sums need of the coefficients at one theta."""
        return beta

    @abstractmethod
    def values(self, kernel: Kernel, points: Any, train: Any, coef: Reals) -> Reals:
        """Return sums at points, (n_points, k), for condensed coefficients of shape (n, k)."""

    @abstractmethod
    def own_product(self, kernel: Kernel, train: Any, beta: Reals) -> Reals:
        """Return the problem's matrix times ``beta``."""

    @abstractmethod
    def own_diagonal(self, kernel: Kernel, train: Any) -> Reals:
        """Return the diagonal of the problem's matrix."""

    def term_sizes(self, part: PathPart, beta: Reals) -> Reals:
        """Return (a bound of) the sums of absolute terms in the problem's matrix times ``beta``."""
        # |K_ij| <= sqrt(K_ii K_jj) bounds the sums.
        return np.array([np.dot(part.kappa, np.abs(beta))])

    def sweep(self, part: PathPart, X: Any) -> Sweep | None:
        """Return what a sweep over all segments needs; ``None`` if it does not fit."""
        return None

    def objective(
        self, stair: Staircase, theta: float, beta: Reals, bias: float, response: Reals
    ) -> float:
        """Return the primal objective; ``response`` is the problem's matrix times ``beta``."""
        return certificate.objective(stair, beta, bias, response)

    def violations_at(self, part: PathPart, theta: Reals, relative: bool) -> Reals:
        """Return the violation at each of several theta."""
        return violations_of_sums(part, theta, relative)

    def largest_violation(self, part: PathPart, single: Reals, relative: bool) -> float:
        """Return the largest violation on all segments, and at single theta besides.

        A segment is looked at at both ends and in the middle.
        """
        return largest_of_sums(part, single, relative)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as named arrays, for saving."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Rows | None:
        """Return what :meth:`to_arrays` has described; ``None`` if a path says it all."""
        return None

    @classmethod
    @abstractmethod
    def check_arrays(
        cls, own: Mapping[str, NDArray[Any]], shape: tuple[int, int], kernel: Kernel
    ) -> int:
        """Check the arrays of a file; return the number of rows. Failures are ``ValueError``."""


class KernelRows(Rows):
    """Training rows, all or some.

    Parameters
    ----------
    kernel : Kernel
    index : ndarray of int or None
        Which of the training rows; ``None`` for all.
    """

    rows_are = "training rows"

    def __init__(self, kernel: Kernel, index: NDArray[np.intp] | None):
        self._kernel, self._index = kernel, index

    def count(self, X: Any) -> int:
        """Return how many rows the problem has."""
        return int(X.shape[0]) if self._index is None else int(self._index.size)

    def train(self, X: Any) -> Any:
        """Return the rows of the problem; for a precomputed kernel their matrix."""
        return X if self._index is None else self.points(X[self._index])

    def points(self, X: Any) -> Any:
        """Return new points as the kernel needs them."""
        if self._index is None or self._kernel.name != "precomputed":
            return X
        return X[:, self._index]

    def response(self, kernel: Kernel, points: Any, train: Any) -> Response:
        """Return the map from coefficients to kernel sums at points."""
        return Response(kernel, points, train)

    def intercept(self, theta: Any, beta: Reals, bias: Any = 0.0) -> Any:
        """Return the bias."""
        return bias

    def values(self, kernel: Kernel, points: Any, train: Any, coef: Reals) -> Reals:
        """Return kernel sums at points for coefficients of shape (n, k), as (n_points, k)."""
        return kernel.product(points, train, coef)

    def own_product(self, kernel: Kernel, train: Any, beta: Reals) -> Reals:
        """Return the kernel matrix times ``beta``."""
        is_small = beta.size <= FEW_VECTORS * beta.shape[0]
        # A Python function, or one of sparse rows, is called as seldom as memory allows.
        if is_small and kernel.name != "callable" and not issparse(train):
            return kernel.product(train, train, beta, BLOCK_MB, BLOCK_TERMS)
        return kernel.product(train, train, beta)

    def own_diagonal(self, kernel: Kernel, train: Any) -> Reals:
        """Return the diagonal of the kernel matrix."""
        return kernel.diagonal(train)

    def term_sizes(self, part: PathPart, beta: Reals) -> Reals:
        """Return the sums of absolute terms in the kernel matrix times ``beta``."""
        return part.kernel.absolute_product(part.train, np.abs(beta))

    def sweep(self, part: PathPart, X: Any) -> Sweep | None:
        """Return the kernel values of all rows that have a coefficient anywhere on the path."""
        used = rows_in_use(part.start, part.end, part.record)
        if used.size * X.shape[0] * 8 > MATRIX_MB * 1e6:
            return None
        K = part.kernel_rows(X, used)
        place = np.full(part.start.target.size, -1, dtype=np.intp)
        none = place.copy()
        place[used] = np.arange(used.size)
        return Sweep(K, (place, none), lambda coef: coef[:, used] @ K)

    @classmethod
    def check_arrays(
        cls, own: Mapping[str, NDArray[Any]], shape: tuple[int, int], kernel: Kernel
    ) -> int:
        """Check which training rows a file names."""
        if "rows" not in own:
            return shape[0]
        rows = own["rows"]
        need(rows.ndim == 1 and rows.dtype.kind in "iu" and rows.size > 0, "the rows are no list")
        check_range(rows, shape[0], "the rows of a subproblem")
        need(np.unique(rows).size == rows.size, "a row stands twice in a subproblem")
        return int(rows.size)
