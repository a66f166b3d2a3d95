r"""Preference pairs: which documents are to be ranked above which.

In every query each document is to come before all documents of lower relevance. The pairs of one
query and one relevance level, *uppers* of that level against all *lowers* below it, make a full
table: pair ``(a, b)`` is the ``a n_lower + b``-th of its table. A whole problem is a list of such
tables; besides it only the two document numbers of each pair are stored.

The weighted ranking support vector machine (Section 5.2 of the paper) has one variable
:math:`\alpha_{ij}` for each pair; the residual is :math:`r_{ij} = 1 - (f(x_i) - f(x_j))`, there is
no bias, and the staircase is that of the hinge loss with the knots :math:`0, C_{ij}`. The matrix
is :math:`D G D'` with the kernel matrix :math:`G` of the documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems.hinge import hinge_sets
from weightpath.problems.kind import Kind, Wording, register_kind, upper_knot
from weightpath.problems.staircase import Staircase

__all__ = ["RANKING", "PreferencePairs", "ranking_staircase"]


@dataclass(frozen=True, eq=False, repr=False)
class PreferencePairs:
    """All preference pairs of a set of documents.

    Parameters
    ----------
    n_documents : int
    upper, lower : ndarray of int32
        The documents of all tables, one table after the other.
    upper_start, lower_start : ndarray of shape (n_tables + 1,)
        Where the documents of each table begin.

    Attributes
    ----------
    first, second : ndarray of int32, shape (n_pairs,)
        The higher and the lower document of each pair.
    pair_start : ndarray of shape (n_tables + 1,)
        Where the pairs of each table begin.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.problems import PreferencePairs
    >>> pairs = PreferencePairs.of(np.array([0, 2, 1, 1]), np.array([1, 1, 1, 2]))
    >>> pairs.table.tolist()
    [[2, 0], [1, 0], [1, 2]]
    """

    n_documents: int
    upper: NDArray[np.int32]
    lower: NDArray[np.int32]
    upper_start: NDArray[np.intp]
    lower_start: NDArray[np.intp]
    first: NDArray[np.int32] = field(init=False, repr=False)
    second: NDArray[np.int32] = field(init=False, repr=False)
    pair_start: NDArray[np.intp] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n_upper, n_lower = np.diff(self.upper_start), np.diff(self.lower_start)
        first, second = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for k, (a, b) in enumerate(zip(n_upper, n_lower, strict=True)):
            first.append(np.repeat(self.upper[self.upper_start[k] :][:a], b))
            second.append(np.tile(self.lower[self.lower_start[k] :][:b], a))
        arrays: dict[str, NDArray[np.int32] | NDArray[np.intp]] = {
            "upper": np.ascontiguousarray(self.upper, dtype=np.int32),
            "lower": np.ascontiguousarray(self.lower, dtype=np.int32),
            "upper_start": np.ascontiguousarray(self.upper_start, dtype=np.intp),
            "lower_start": np.ascontiguousarray(self.lower_start, dtype=np.intp),
            "pair_start": np.concatenate([[0], np.cumsum(n_upper * n_lower)]).astype(np.intp),
            "first": np.concatenate(first).astype(np.int32),
            "second": np.concatenate(second).astype(np.int32),
        }
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def of(cls, relevance: ArrayLike, query: ArrayLike) -> PreferencePairs:
        """Return the pairs of documents with these relevances and queries.

        Parameters
        ----------
        relevance : ndarray of shape (n_documents,)
            Numbers; only their order counts.
        query : ndarray of shape (n_documents,)
            The query that each document belongs to. Documents need not be sorted by it.
        """
        relevance, query = np.asarray(relevance), np.asarray(query)
        _, number = np.unique(query, return_inverse=True)
        upper, lower = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        order = np.argsort(number, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(number[order])) + 1, len(order))
        begin = 0
        for end in ends:
            document, begin = order[begin:end], end
            value = relevance[document]
            for level in np.unique(value)[1:]:
                upper.append(document[value == level])
                lower.append(document[value < level])
        sizes = [np.cumsum([len(part) for part in parts]) for parts in (upper, lower)]
        return cls(len(relevance), np.concatenate(upper), np.concatenate(lower), *sizes)

    def __repr__(self) -> str:
        return f"<PreferencePairs: {len(self)} pairs of {self.n_documents} documents>"

    def __len__(self) -> int:
        return int(self.pair_start[-1])

    @property
    def n_tables(self) -> int:
        """The number of tables."""
        return len(self.upper_start) - 1

    @property
    def table(self) -> NDArray[np.int32]:
        """The pairs as an array of shape (n_pairs, 2): higher document, lower document."""
        return np.column_stack([self.first, self.second])

    def gather(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what coefficients of pairs add up to at documents, along the last axis."""
        coef = np.asarray(coef, dtype=np.float64)
        n, flat = self.n_documents, coef.reshape(-1, coef.shape[-1])
        sums = np.empty((len(flat), n))
        for row, out in zip(flat, sums, strict=True):
            out[:] = np.bincount(self.first, row, n)
            out -= np.bincount(self.second, row, n)
        return sums.reshape(*coef.shape[:-1], n)

    def differences(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the differences of document values, along the last axis."""
        return values[..., self.first] - values[..., self.second]


def ranking_staircase(weight: ArrayLike) -> Staircase:
    """Return the staircase of weighted preference pairs.

    Parameters
    ----------
    weight : ndarray of shape (n_pairs,)
        The ``C_ij``.
    """
    weight = np.asarray(weight, dtype=np.float64)
    zero = np.zeros_like(weight)
    knots = np.column_stack([zero, weight])
    levels = np.column_stack([zero - np.inf, zero, zero + np.inf])
    return Staircase.of_own(zero + 1.0, knots, levels, has_bias=False)


RANKING = register_kind(
    Kind(
        "ranking",
        hinge_sets,
        upper_knot,
        rows_are="pairs",
        wording=Wording(
            signed=False, row="pair", rows="Pairs of documents", margin="pairs on the margin"
        ),
    )
)
