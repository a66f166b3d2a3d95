"""The changes of coefficients on many paths, before anybody asks for them as a sparse array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from weightpath.engine.branch_goals import BranchEnds

__all__ = ["MovedRows"]


class MovedRows(NamedTuple):
    """Plain arrays: the checks of a sparse array take as long as many short paths.

    Attributes
    ----------
    change : ndarray
        What was added to coefficients.
    instance : ndarray of int
        The instance of each change.
    offset : ndarray of int of shape (k + 1,)
        The changes of path k are those from ``offset[k]`` to before ``offset[k + 1]``.
    shape : tuple of int
        The number of paths, and of instances.
    """

    change: NDArray[np.float64]
    instance: NDArray[np.intp]
    offset: NDArray[np.intp]
    shape: tuple[int, int]

    @classmethod
    def of(cls, ends: BranchEnds, instances: NDArray[np.intp], n: int) -> MovedRows:
        """Return the changes on the branches of a subproblem.

        Parameters
        ----------
        ends : BranchEnds
            Where they end.
        instances : ndarray of int
            The instance of each row of the subproblem, in increasing order.
        n : int
            The number of instances.
        """
        instance = ends.row if len(instances) == n else instances[ends.row]
        return cls(ends.change, instance, ends.offset, (len(ends.theta), n))

    @classmethod
    def of_array(cls, changes: csr_array) -> MovedRows:
        """Return the changes of a sparse array, a row for each path."""
        return cls(changes.data, changes.indices, changes.indptr, changes.shape)

    @classmethod
    def joined(cls, parts: Sequence[MovedRows]) -> MovedRows:
        """Return the changes of several lots of paths, one lot after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls.of_array(vstack([part.array() for part in parts], format="csr"))

    def array(self) -> csr_array:
        """Return the changes as a sparse array, of shape (k, n)."""
        return csr_array((self.change, self.instance, self.offset), shape=self.shape)
