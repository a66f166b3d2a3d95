"""The linear program of basis pursuit on some data: its solution for any weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from weightpath.engine.threads import one_blas_thread
from weightpath.errors import Advice, PathError
from weightpath.pursuit.certificate import violation
from weightpath.pursuit.system import Equations, reduced_equations
from weightpath.pursuit.vertex import StalledError, Vertex

__all__ = ["Program", "Solved"]

Reals = NDArray[np.float64]

# A solution with a larger violation is looked for from another start.
_GOOD = 1e-11

# One with a larger violation from every start is no solution.
_ACCEPTED = 1e-7


@dataclass(frozen=True, eq=False)
class Solved:
    """An optimal vertex, in terms of the given data.

    Attributes
    ----------
    vertex : Vertex
        The vertex, not to be changed.
    coef : ndarray of shape (n_columns,)
        The coefficients.
    dual : ndarray of shape (n_rows,)
        A dual vector that certifies them.
    """

    vertex: Vertex
    coef: Reals
    dual: Reals


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise ``sum(weight * |x|)`` over the least-squares solutions of ``matrix x = y``.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)
    """

    matrix: Reals
    y: Reals

    @cached_property
    def equations(self) -> Equations:
        """The equations, scaled and without dependent rows."""
        return reduced_equations(self.matrix, self.y)

    @one_blas_thread
    def solve(self, weight: Reals, preferred: NDArray[np.intp] | None = None) -> Solved:
        """Return an optimal vertex.

        Parameters
        ----------
        weight : ndarray of shape (n_columns,)
            Not negative.
        preferred : ndarray of int or None, default=None
            Columns to begin with, such as those in use at other weights.

        Raises
        ------
        PathError
            If the data are beyond double precision.
        """
        best, left = None, np.inf
        for attempt in range(2):
            start = self._by_highs(weight) if attempt else self._own(preferred)
            try:
                vertex = self.first_vertex(start)
                vertex.optimise(self.equations.weights(weight))
            except StalledError:
                continue
            solved = self.at(vertex, weight)
            found = self.violation(weight, solved.coef, solved.dual)
            if found < left:
                best, left = solved, found
            if left <= _GOOD:
                break
        if best is None or left > _ACCEPTED:
            raise stalled()
        return best

    def first_vertex(self, preferred: NDArray[np.intp] | None = None) -> Vertex:
        """Return a vertex, with preferred columns in its basis as far as they are independent."""
        return Vertex(self.equations, preferred)

    def at(self, vertex: Vertex, weight: Reals) -> Solved:
        """Return what a vertex is in terms of the given data."""
        equations = self.equations
        coef = equations.coefficients(vertex.coefficients, self.matrix.shape[1])
        dual = equations.dual(vertex.prices(equations.weights(weight)).dual)
        return Solved(vertex, coef, dual)

    def violation(self, weight: Reals, coef: Reals, dual: Reals) -> float:
        """Return how far a solution is from optimal; see :mod:`weightpath.pursuit.certificate`."""
        return violation(self.matrix, self.y, weight, coef, dual, self.equations)

    def _own(self, preferred: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
        """Return preferred columns by their numbers in the reduced equations."""
        if preferred is None:
            return None
        return np.flatnonzero(np.isin(self.equations.kept, preferred))

    def _by_highs(self, weight: Reals) -> NDArray[np.intp] | None:
        """Return the columns that HiGHS uses; ``None`` if it finds no solution."""
        matrix, target = self.equations.matrix, self.equations.target
        cost, size = self.equations.weights(weight), float(np.abs(target).max(initial=0.0)) or 1.0
        both = np.concatenate([cost, cost]) / (float(cost.max(initial=0.0)) or 1.0)
        found = linprog(both, A_eq=np.hstack([matrix, -matrix]), b_eq=target / size)
        if found.x is None:
            return None
        used: NDArray[np.intp] = np.flatnonzero(found.x[: cost.size] - found.x[cost.size :])
        return used


def stalled(theta: float | None = None) -> PathError:
    """Return the error for data beyond double precision."""
    where = "" if theta is None else f" at theta = {theta:.6g}"
    return PathError(
        f"No exact solution was found{where}: the columns are dependent to within rounding.",
        advice=Advice("Scale the columns, or leave out columns that are nearly sums of others."),
        theta=theta,
    )
