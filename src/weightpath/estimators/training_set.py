"""The training set of an estimator: its rows, labels and kernel, and how rows come and go.

It is shared by the model and all its paths, so nothing can write to it: a change makes a new one.
For a precomputed kernel the matrix is the kernel matrix, so that rows come and go with their
columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse, vstack

from weightpath.estimators.checks import check_symmetric
from weightpath.estimators.roomy_rows import RoomyRows
from weightpath.frozen import freeze, is_safe_to_keep, quick_init
from weightpath.kernels import Columns, Kernel, columns_to_follow
from weightpath.kernels.point_sums import sums_over_points
from weightpath.late_rows import (
    LateRows,
    postpone_rows,
    read_rows,
    shape_of_rows,
    source_of_rows,
)

__all__ = ["Rows", "Staying", "TrainingSet", "as_mask", "own_csr", "own_dense", "staying"]

Rows = NDArray[np.intp]

# Which rows stay: a mask or, where the first ones go, a slice, which copies nothing.
Staying = NDArray[np.bool_] | slice

_LARGEST_INT32 = np.iinfo(np.int32).max


@quick_init
@dataclass(frozen=True, eq=False)
class TrainingSet:
    """What a model was trained on.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The instances; for a precomputed kernel its matrix.
    kernel : Kernel
        The kernel.
    labels : ndarray of shape (n_samples,)
        The index of the class of each instance; zeros where there are no classes, relevances where
        instances are ranked.
    ridge : float
        What is added to the diagonal of the kernel matrix.
    per_row : mapping of str to ndarray of shape (n_samples,)
        What else belongs to each instance and stays as it is on a path: the query of a ranked
        document, the sample weight of an observation of a lasso.
    roomy : RoomyRows or None
        Where ``X`` lies, if there is room for arrivals behind it.
    """

    X: Any
    kernel: Kernel
    labels: NDArray[Any]
    ridge: float = 0.0
    per_row: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    roomy: RoomyRows | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        postpone_rows(self)
        for values in (self.labels, *self.per_row.values()):
            values.setflags(write=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python asks here only for what it has not found.
            if name == "X" and (rows := read_rows(self)) is not None:
                return rows
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        read_rows(self)
        return {**self.__dict__, "roomy": None}

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of ``X``, which is not put together for it."""
        return shape_of_rows(self)

    @property
    def rows(self) -> Any:
        """``X``, or what will be when it is read, for those who may never read it."""
        return source_of_rows(self) or self.X

    @property
    def is_precomputed(self) -> bool:
        """Whether the matrix holds kernel values."""
        return self.kernel.name == "precomputed"

    def has_only(self, rows: Rows | slice) -> bool:
        """Whether these instances, in increasing order, are all that there are.

        A slice stands for all of those whose quantities are at hand, however many these are.
        """
        return isinstance(rows, slice) or len(rows) == len(self.labels)

    def matrix(self, rows: Rows) -> Any:
        """Return the matrix of some instances, in increasing order; ``X`` itself if all."""
        if self.has_only(rows):
            return self.X
        own = self.X[rows]
        if self.kernel.name == "precomputed":
            own = own[:, rows]
        return freeze(own if issparse(own) else np.ascontiguousarray(own))

    def columns(self, rows: Rows, cache_mb: float) -> Columns:
        """Return the columns of the kernel matrix of some instances."""
        if self.kernel.is_native and not issparse(self.X) and not self.has_only(rows):
            return columns_to_follow(self.kernel, self.X, cache_mb, rows)
        return columns_to_follow(self.kernel, self.matrix(rows), cache_mb)

    def values_at(self, points: Rows, rows: Rows, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of kernels of ``rows``, with coefficients, at other instances."""
        at = self.X[points][:, rows] if self.is_precomputed else self.X[points]
        return self.kernel.product(at, self.X[rows], coef)

    def sums_at(self, rows: Rows, X: Any, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, for some training rows, the kernel values with other instances times ``coef``.

        For a precomputed kernel the instances are their kernel values with all training rows.
        """
        return sums_over_points(self.kernel, self.X, rows, X, coef)

    def __repr__(self) -> str:
        n, width = self.shape
        return f"<TrainingSet: {n} rows, {width} columns, kernel {self.kernel.name!r}>"

    def joined(
        self,
        X: Any,
        labels: NDArray[Any],
        per_row: Mapping[str, NDArray[Any]] | None = None,
        n_gone: int = 0,
    ) -> TrainingSet:
        """Return the training set with arrivals at its end, dense or sparse as it was.

        Its first ``n_gone`` instances are left out.
        """
        roomy = None
        if n_gone and (self.roomy is None or self.per_row):
            return self.only(slice(n_gone, len(self))).joined(X, labels, per_row)
        if self.is_precomputed:
            both = freeze(_with_kernel_rows(self.X, X))
        elif not isinstance(self.X, np.ndarray):
            both = own_csr(vstack([self.X, csr_matrix(X)], format="csr"))
        else:
            below = X if isinstance(X, np.ndarray) else X.toarray()
            if self.roomy is None:
                roomy = RoomyRows.of(self.X, below)
            else:
                roomy = self.roomy.followed_by(below, n_gone)
            both = roomy.X
        more = {
            name: np.concatenate([values, _arriving(per_row, name, len(labels))])
            for name, values in self.per_row.items()
        }
        all_labels = np.concatenate([self.labels[n_gone:], labels])
        return TrainingSet(both, self.kernel, all_labels, self.ridge, more, roomy)

    def only(self, stays: Staying) -> TrainingSet:
        """Return the training set of the instances that stay."""
        index = staying(stays, len(self))
        kept = {name: values[index] for name, values in self.per_row.items()}
        labels, roomy = self.labels[index], None
        if isinstance(index, slice) and self.roomy is not None:
            roomy = self.roomy.after(index.start)
        X = self._rows_of(index) if roomy is None else roomy.X
        return TrainingSet(X, self.kernel, labels, self.ridge, kept, roomy)

    def _rows_of(self, index: Staying) -> Any:
        """Return the instances that stay; dense ones of a linear kernel are left where they are.

        Not where most of the memory would be unused.
        """
        rows = np.arange(len(self))[index]
        source = source_of_rows(self)
        if self.kernel.name != "linear" or (source is None and issparse(self.X)):
            return self.matrix(rows)
        late = LateRows(self.X, rows) if source is None else source.only(rows)
        return late.read() if 2 * len(rows) < len(late.X) else late


def staying(stays: Staying, n: int) -> Staying:
    """Return an index of those of ``n`` rows that stay: a slice if the first ones go.

    Not where most rows go, as their memory would be kept.
    """
    if isinstance(stays, slice):
        return stays if 2 * stays.start <= n else as_mask(stays, n)
    first = int(stays.argmax())
    if 2 * first <= n and stays[first:].all():
        return slice(first, n)
    return stays


def as_mask(stays: Staying, n: int) -> NDArray[np.bool_]:
    """Return which of ``n`` rows stay."""
    if not isinstance(stays, slice):
        return stays
    mask = np.zeros(n, dtype=bool)
    mask[stays] = True
    return mask


# What the names of the rows are called in ``per_row``; see :mod:`weightpath.estimators.row_names`.
NAMES = "name"


def _arriving(per_row: Mapping[str, NDArray[Any]] | None, name: str, n: int) -> NDArray[Any]:
    """Return what arrivals bring; nothing is known of their names where they have none."""
    brought = per_row or {}
    if name == NAMES and name not in brought:
        return np.full(n, None, dtype=object)
    return brought[name]


def own_csr(X: Any) -> csr_matrix:
    """Return a CSR matrix with sorted indices, no duplicates and, if possible, int32, to keep.

    It is a copy unless the arrays of ``X`` are safe to keep and in order.
    """
    safe = is_safe_to_keep(X)
    X = csr_matrix(X, copy=not safe)
    if not X.has_canonical_format:
        X = X.copy() if safe else X
        X.sum_duplicates()
    # Half the memory of wider ones.
    if X.nnz <= _LARGEST_INT32 and X.shape[1] <= _LARGEST_INT32:
        X.indices, X.indptr = (
            array.astype(np.int32, copy=False) for array in (X.indices, X.indptr)
        )
    return freeze(X)


def own_dense(X: NDArray[np.float64], given: Any = None) -> NDArray[np.float64]:
    """Return an array in C order that nothing can write to, to keep.

    Parameters
    ----------
    X : ndarray
        The array, as it came out of the checks: a copy, unless what went in is safe to keep.
    given : object
        What went into the checks.
    """
    X = np.ascontiguousarray(X)
    # A view where it is the caller's own array, whose flags stay as they are.
    kept = X.view() if X is given else X
    kept.setflags(write=False)
    return kept


def _with_kernel_rows(K: NDArray[np.float64], K_new: NDArray[np.float64]) -> NDArray[np.float64]:
    n, k = K.shape[0], K_new.shape[0]
    if K_new.shape[1] != n + k:
        raise ValueError(
            f"For a precomputed kernel, a new row holds the kernel values with the {n} training "
            f"instances and then with the {k} new ones: expected {n + k} columns, got "
            f"{K_new.shape[1]}."
        )
    own = check_symmetric(K_new[:, n:], "The last columns of X, the kernel matrix of the new rows,")
    return np.block([[K, K_new[:, :n].T], [K_new[:, :n], own]])
