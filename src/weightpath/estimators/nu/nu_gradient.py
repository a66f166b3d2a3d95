r"""Gradients of the models with ``nu``: the parameter that the share decides moves along.

With the share fixed, the parameter (:math:`\epsilon` of a regression, :math:`\rho = 1 / C` of a
classification) is one more unknown, and the share one more equation. In a regression the free rows
M, on the sides :math:`s_i` of the tube, and the rows N at their bounds have

.. math::

    K_M \beta_M + b 1 + \epsilon s_M = y_M - K_{MN} s_N w_N, \quad
    1'\beta_M = -s_N'w_N, \quad
    s_M'\beta_M = \nu \, 1'w - 1'w_N ,

where N in the last sum counts sizes. A classification, divided by C, is the same with the labels as
sides, :math:`-\rho` in place of :math:`\epsilon`, no targets, and bounds :math:`C_i / C`. That is
one symmetric system with two borders, and one solve with it gives all derivatives. It is regular
also where the share jumps and the coefficients are between two solutions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.linalg.lapack import dgecon, dgetrf, dgetrs

from weightpath.errors import Advice, PathError
from weightpath.estimators.problem import Functional
from weightpath.estimators.subproblem import Subproblem
from weightpath.problems.position import (
    at_knot,
    knot_of,
    lower_level,
    sort_out_equal_knots,
    upper_level,
)
from weightpath.problems.scales import kappa_of, nearest_knots, residual_tolerance

__all__ = ["ShareAdjoint", "ShareSlopes"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# The system is singular, and the parameter not unique, where its equations are missed by more than
# this fraction of the right-hand side.
_SINGULAR = 1e-7

# Of a system with a larger reciprocal condition number, factors with a step of refinement give the
# one solution that there is.
_WELL_CONDITIONED = 1e-9


class ShareSlopes(NamedTuple):
    """Derivatives of a functional where the share decides the parameter.

    Attributes
    ----------
    target : ndarray of shape (n,)
    weight : ndarray of shape (n,)
        By the bounds of the coefficients; in a classification by these divided by C.
    nu : float
    """

    target: Reals
    weight: Reals
    nu: float


class ShareAdjoint:
    """A solution with a share, ready to say how functionals of it move.

    Parameters
    ----------
    subproblem : Subproblem
        The solution, with its columns.
    bound : ndarray of shape (n,)
        The bounds ``w`` of the module's text.
    nu : float
        The share.
    ridge : float
        Added to the diagonal of the kernel matrix.

    Attributes
    ----------
    felt : ndarray of int
        The rows whose cost matters.
    ties : ndarray of int
        The rows at which pieces of the solution meet.
    """

    def __init__(self, subproblem: Subproblem, bound: Reals, nu: float, ridge: float) -> None:
        self.columns, self.bound, self.nu, self.ridge = subproblem.columns, bound, nu, ridge
        stair, state = subproblem.stair, subproblem.state
        kappa = kappa_of(self.columns, ridge)
        tolerance = residual_tolerance(stair.residual_scale, kappa, state.beta)
        # By coefficients: where the share jumps the positions are those of one side.
        near, knot = nearest_knots(stair.knots, state.beta, kappa, tolerance)
        position = sort_out_equal_knots(stair, at_knot(knot).astype(np.int32), state.residual)
        knot = knot_of(position).astype(np.intp)
        outer = (knot == stair.n_knots - 1).astype(np.float64) - (knot == 0)
        sign = subproblem.reading.sign if stair.n_knots == 2 else outer
        # The knot at zero of a hinge is an outer one, too, but no bound.
        self.side = np.where(near, np.where(outer == sign, outer, 0.0), np.sign(state.beta))
        self.free: Index = np.flatnonzero(~near)
        self.at: Index = np.flatnonzero(near & (self.side != 0.0))
        self.felt: Index = np.union1d(self.free, self.at)
        row = np.arange(len(stair))
        below = state.residual - stair.levels[row, lower_level(position)]
        above = stair.levels[row, upper_level(position)] - state.residual
        at_level = np.flatnonzero(near & (np.minimum(below, above) <= tolerance))
        self._matrix = self._bordered()
        self.ties: Index = np.array(
            [i for i in at_level if not self._depends(int(i))], dtype=np.intp
        )

    def slopes(self, functional: Functional, on_parameter: float) -> ShareSlopes:
        """Return the derivatives of a functional of coefficients, bias and parameter.

        Parameters
        ----------
        functional : Functional
            What changes of coefficients and bias cost.
        on_parameter : float
            What a change of epsilon, or of minus 1 / C, costs.
        """
        cost, on_bias = functional
        right = np.concatenate([cost[self.free], [on_bias, on_parameter]])
        found, missed = self._solve(right)
        if missed > _SINGULAR * float(np.abs(right).max(initial=0.0)):
            raise PathError(
                "The gradient does not exist: several values of the parameter (C of a NuSVC, "
                "epsilon of a NuSVR) have the share nu here, and the model has the middle one.",
                advice=Advice("Change {nu} a little.", {"nu": None}),
            )
        m = self.free.size
        carried = np.zeros(len(cost))
        carried[self.free] = found[:m]
        mu, share = float(found[m]), float(found[m + 1])
        weight = np.full(len(cost), self.nu * share)
        at = self.at
        pulled = np.asarray(self.columns.product(carried))[at] + self.ridge * carried[at]
        weight[at] += self.side[at] * (cost[at] - pulled - mu) - share
        return ShareSlopes(carried, weight, share * float(self.bound.sum()))

    def _bordered(self) -> Reals:
        """Return the matrix of the free rows with both borders."""
        m = self.free.size
        matrix = np.zeros((m + 2, m + 2))
        matrix[:m, :m] = self.columns.submatrix(self.free)
        matrix[np.arange(m), np.arange(m)] += self.ridge
        matrix[m, :m] = matrix[:m, m] = 1.0
        matrix[m + 1, :m] = matrix[:m, m + 1] = self.side[self.free]
        return matrix

    def _solve(self, right: Reals) -> tuple[Reals, float]:
        """Return a solution of the system, of least size, and by how much it misses."""
        found = self._solve_once(right)
        found = found + self._solve_once(right - self._matrix @ found)
        return found, float(np.abs(right - self._matrix @ found).max(initial=0.0))

    @cached_property
    def _solve_once(self) -> Callable[[Reals], Reals]:
        """What solves the system: by its factors, or by least squares where it may be singular."""
        factors, pivots, status = dgetrf(self._matrix)
        if status == 0:
            size = float(np.abs(self._matrix).sum(axis=0).max())
            if dgecon(factors, size)[0] > _WELL_CONDITIONED:
                return lambda right: np.asarray(dgetrs(factors, pivots, right)[0])
        return lambda right: np.asarray(lstsq(self._matrix, right)[0])

    def _depends(self, i: int) -> bool:
        """Whether a row at a level stays there whatever moves, as a copy of a free row does."""
        across = np.asarray(self.columns.entries(self.free, np.array([i]))).ravel()
        own = float(self.columns.diagonal[i]) + self.ridge
        right = np.concatenate([across, [1.0, self.side[i]]])
        found, missed = self._solve(right)
        return missed <= 1e-9 and own - float(right @ found) <= 1e-9 * max(own, 1e-300)
