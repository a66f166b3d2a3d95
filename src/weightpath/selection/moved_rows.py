"""The changes of coefficients on many paths, before anybody asks for them as a sparse array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from weightpath.engine.branch_goals import BranchEnds

__all__ = ["MovedRows"]


class _Changes(NamedTuple):
    """Changes that are there as arrays, named as those of ``BranchEnds``."""

    change: NDArray[np.float64]
    row: NDArray[np.intp]
    offset: NDArray[np.intp]


class MovedRows(NamedTuple):
    """Where plain arrays are: the checks of a sparse array take as long as many short paths.

    Attributes
    ----------
    changes : BranchEnds or _Changes
        What was added to coefficients; of a path the changes are those from ``offset[k]`` to before
        ``offset[k + 1]``.
    instances : ndarray of int or None
        The instance of each row; ``None`` where every row is an instance.
    shape : tuple of int
        The number of paths, and of instances.
    """

    changes: BranchEnds | _Changes
    instances: NDArray[np.intp] | None
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
        every = len(instances) == n
        return cls(ends, None if every else instances, (len(ends.theta), n))

    @classmethod
    def of_array(cls, changes: csr_array) -> MovedRows:
        """Return the changes of a sparse array, a row for each path."""
        return cls(_Changes(changes.data, changes.indices, changes.indptr), None, changes.shape)

    @classmethod
    def joined(cls, parts: Sequence[MovedRows]) -> MovedRows:
        """Return the changes of several lots of paths, one lot after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls.of_array(vstack([part.array() for part in parts], format="csr"))

    def with_last(self, n: int) -> MovedRows:
        """Return the same where all instances from ``n`` on, one on each path, are the last."""
        instances = np.arange(self.shape[1]) if self.instances is None else self.instances
        return MovedRows(self.changes, np.minimum(instances, n), (self.shape[0], n + 1))

    def array(self) -> csr_array:
        """Return the changes as a sparse array, of shape (k, n)."""
        change, row, offset = self.changes.change, self.changes.row, self.changes.offset
        instance = row if self.instances is None else self.instances[row]
        return csr_array((change, instance, offset), shape=self.shape)
