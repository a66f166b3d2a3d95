r"""What a metric is where decision values depend on two numbers, :math:`f_j(z) = a_j + g_j'z`.

Over a polygon of the plane every metric of the library is exact, in one of four forms:

===============  =========================================================================
`PlaneCounts`    a function of the predicted classes: constant between the lines
                 :math:`f_j = 0`
`PlaneOrder`     a function of the order of the values: constant between the lines
                 :math:`f_i = f_j`
`PlaneHinges`    a sum of :math:`s_j \max(0, a_j f_j + c_j)`: linear between the lines
                 :math:`a_j f_j + c_j = 0`
`PlaneSquares`   a sum of :math:`s_j (y_j - f_j)^2`: one quadratic function
===============  =========================================================================

A form is a loss: of a score, its negative. Besides values, a form bounds the loss from below where
decision values are only known to lie between limits, so that a search can leave out most polygons.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.piecewise import Hinge

__all__ = [
    "CornerScores",
    "LimitedScores",
    "PlaneCounts",
    "PlaneForm",
    "PlaneHinges",
    "PlaneOrder",
    "PlaneSquares",
    "Scores",
    "least_at_corners",
    "least_of_whole",
    "reached",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Up to so many combinations of whole counts are tried for the bound of a function of them.
COMBINATIONS = 64


@dataclass(frozen=True, eq=False)
class PlaneCounts:
    """A function of the weight that rows of each code have in the second of two classes.

    Parameters
    ----------
    code : ndarray of int, shape (n_rows,)
        What distinguishes rows: their true class, and perhaps their group.
    weight : ndarray of shape (n_rows,)
        Weights of rows.
    loss : callable
        From weights predicted as the second class, of shape (n, n_codes), to losses of shape (n,).
    least : callable
        ``least(low, high)``: no loss between these weights is smaller.
    """

    code: Integers
    weight: Floats
    loss: Callable[[Floats], Floats]
    least: Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class PlaneOrder:
    """A function of the order of decision values.

    Parameters
    ----------
    kind : ndarray of int, shape (n_rows,)
        Rows of one kind can change places without effect; -1 for rows without influence.
    query : ndarray of int, shape (n_rows,)
        Only rows of one query are compared.
    at : callable
        From values of shape (n_rows,) to the loss; equal values are tied.
    least : callable
        ``least(scores)``: no loss of such :class:`Scores` is smaller, in each of their cases. Where
        they are known and none are equal it is the loss.
    """

    kind: Integers
    query: Integers
    at: Callable[[Floats], float]
    least: Callable[[Scores], Floats]


@dataclass(frozen=True, eq=False)
class PlaneHinges:
    """A sum of hinges.

    Parameters
    ----------
    hinges : sequence of Hinge
        What is added, over all of them and over all rows.
    sign : float
        1 for a loss, -1 for a score.
    """

    hinges: Sequence[Hinge]
    sign: float = 1.0


@dataclass(frozen=True, eq=False)
class PlaneSquares:
    """A weighted sum of squared errors.

    Parameters
    ----------
    target, share : ndarray of shape (n_rows,)
        True values and weights.
    """

    target: Floats
    share: Floats


PlaneForm = PlaneCounts | PlaneOrder | PlaneHinges | PlaneSquares


def least_at_corners(loss: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the least loss at the corners of boxes, from ``low`` to ``high``, each (n, d)."""
    n_codes = low.shape[1]
    found = np.full(len(low), np.inf)
    for corner in range(2**n_codes):
        upper = np.array([bool(corner >> bit & 1) for bit in range(n_codes)])
        found = np.minimum(found, loss(np.where(upper, high, low)))
    return found


def least_of_whole(
    loss: Callable[[Floats], Floats], low: Floats, high: Floats, unit: float
) -> Floats:
    """Return the least loss of all whole multiples of a unit from ``low`` to ``high``.

    Minus infinity where these are too many, or where they have no common unit (``unit`` is zero)
    and the two ends differ.
    """
    found = np.full(len(low), -np.inf)
    if unit > 0:
        steps = np.rint((high - low) / unit).astype(np.intp)
    else:
        steps = np.where(high > low, COMBINATIONS, 0)
    number = np.prod(np.minimum(steps, COMBINATIONS).astype(float) + 1.0, axis=1)
    few = np.flatnonzero(number <= COMBINATIONS)
    for count in np.unique(steps[few], axis=0):
        own = few[(steps[few] == count).all(axis=1)]
        choice = np.stack(np.meshgrid(*(np.arange(c + 1) for c in count), indexing="ij"), axis=-1)
        points = low[own, None] + unit * choice.reshape(1, -1, low.shape[1])
        values = loss(points.reshape(-1, low.shape[1])).reshape(len(own), -1)
        found[own] = values.min(axis=1)
    return found


class Scores(ABC):
    """What is known of the order of scores: which may be above which, in n cases."""

    n_cases: int

    @abstractmethod
    def of(self, rows: Integers) -> Scores:
        """Return the same of some rows."""

    @abstractmethod
    def may_pass(
        self, rows: Integers, others: Integers, weight: Floats, tie: float = 1.0
    ) -> Floats:
        """Return the weight of the others that each row may be above, or equal to.

        Parameters
        ----------
        rows : ndarray of int, shape (p,)
        others : ndarray of int, shape (q,)
        weight : ndarray of shape (q,)
            Of the others.
        tie : float
            The share of the weight of an other that is equal for certain, if that is known.

        Returns
        -------
        ndarray of shape (n_cases, p)
        """

    @abstractmethod
    def may_be_passed(self, rows: Integers, others: Integers, weight: Floats) -> Floats:
        """Return the weight of the others that may be above each row, or equal to it."""


class LimitedScores(Scores):
    """Scores between limits, both of shape (n_cases, n_rows)."""

    def __init__(self, low: Floats, high: Floats):
        self.low, self.high, self.n_cases = low, high, len(low)

    def of(self, rows: Integers) -> LimitedScores:
        """Return the same of some rows."""
        return LimitedScores(self.low[:, rows], self.high[:, rows])

    def may_pass(
        self, rows: Integers, others: Integers, weight: Floats, tie: float = 1.0
    ) -> Floats:
        """Return what may be below or equal; see :class:`Scores`."""
        return reached(self.high[:, rows], self.low[:, others], weight)

    def may_be_passed(self, rows: Integers, others: Integers, weight: Floats) -> Floats:
        """Return what may be above or equal; see :class:`Scores`."""
        return reached(-self.low[:, rows], -self.high[:, others], weight)


class CornerScores(Scores):
    """Linear scores over polygons, by their values at the corners: (n_cases, n_rows, n_corners)."""

    def __init__(self, values: Floats):
        self.values, self.n_cases = values, len(values)

    def of(self, rows: Integers) -> CornerScores:
        """Return the same of some rows."""
        return CornerScores(self.values[:, rows])

    def may_pass(
        self, rows: Integers, others: Integers, weight: Floats, tie: float = 1.0
    ) -> Floats:
        """Return what may be below or equal; see :class:`Scores`."""
        return np.asarray(self._passes(rows, others) @ weight)

    def may_be_passed(self, rows: Integers, others: Integers, weight: Floats) -> Floats:
        """Return what may be above or equal; see :class:`Scores`."""
        return np.asarray(self._passes(others, rows).swapaxes(1, 2) @ weight)

    def _passes(self, rows: Integers, others: Integers) -> Floats:
        """Ones for rows that are not below others at some corner, of shape (n_cases, p, q)."""
        found = np.zeros((self.n_cases, len(rows), len(others)), dtype=bool)
        for corner in range(self.values.shape[2]):
            own = self.values[:, :, corner]
            found |= own[:, rows, None] >= own[:, None, others]
        return found.astype(float)


def reached(limit: Floats, key: Floats, weight: Floats) -> Floats:
    """Return, for every limit (n, p), the weight of the keys (n, q) that are at most as large."""
    n_keys = key.shape[1]
    order = np.argsort(np.concatenate((key, limit), axis=1), axis=1, kind="stable")
    total = np.cumsum(np.append(weight, np.zeros(limit.shape[1]))[order], axis=1)
    found = np.empty_like(total)
    np.put_along_axis(found, order, total, axis=1)
    return found[:, n_keys:]
