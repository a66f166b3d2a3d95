r"""Certificates of linear programs, from data and coefficients alone.

Nothing here knows how a solution was found. A row is optimal where :math:`(\beta_i, r_i)` is on its
staircase, a column where :math:`(w_j, g_j)` is on that of the absolute value, and the coefficients
of the rows have the sum zero. A violation is the distance from there: residuals in units of the
largest target or level :math:`R`, sums :math:`g_j` in units of the penalty :math:`\lambda_j`,
coefficients in what moves these by one unit, and at most by the distance of their knots:

.. math::

    u_i = \min(\text{distance of knots}, \; \min_j \lambda_j / |\Phi_{ij}|), \qquad
    u_j = R / \max_i |\Phi_{ij}| .

Sums are taken with centred columns where values are far from zero: with :math:`1'\beta = 0` that
changes nothing but the rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath import tolerances
from weightpath.path import certificate
from weightpath.problems.program import Program
from weightpath.problems.scales import coefficient_units

__all__ = ["Judge", "Point"]

Reals = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)

# A column is centred if the middle of its values is further from zero than this fraction of their
# range.
FAR_FROM_ZERO = 0.5


@dataclass(frozen=True, eq=False)
class Point:
    """Coefficients of columns and rows, and a bias.

    Attributes
    ----------
    w : ndarray of shape (p,)
    bias : float
    beta : ndarray of shape (n,)
    """

    w: Reals
    bias: float
    beta: Reals


class Judge:
    """Judges solutions of programs on one matrix.

    Parameters
    ----------
    matrix : ndarray or CSR of shape (n, p)
        Features of the rows, or their kernel values.
    """

    def __init__(self, matrix: Any):
        self.matrix = matrix

    @cached_property
    def center(self) -> Reals:
        """What is subtracted from each column for its sums."""
        if issparse(self.matrix):
            return np.zeros(self.matrix.shape[1])
        low, high = self.matrix.min(axis=0), self.matrix.max(axis=0)
        middle = 0.5 * low + 0.5 * high
        return np.where(np.abs(middle) > FAR_FROM_ZERO * (high - low), middle, 0.0)

    @cached_property
    def centered(self) -> Any:
        """The matrix with centred columns."""
        return self.matrix - self.center if self.center.any() else self.matrix

    @cached_property
    def column_reach(self) -> Reals:
        """The largest entry of each column."""
        largest = abs(self.centered).max(axis=0)
        return np.asarray(largest.todense()).ravel() if issparse(largest) else largest

    def row_reach(self, penalty: Reals) -> Reals:
        """Return the largest entry of each row, in units of the penalties."""
        inverse = np.divide(1.0, penalty, out=np.zeros_like(penalty), where=penalty > 0.0)
        if issparse(self.centered):
            return np.asarray(abs(self.centered.multiply(inverse)).max(axis=1).todense()).ravel()
        return np.asarray(np.abs(self.centered * inverse).max(axis=1, initial=0.0))

    def response(self, w: Reals) -> Reals:
        """Return the matrix times coefficients of columns."""
        return np.asarray(self.matrix @ w)

    def sums(self, beta: Reals) -> Reals:
        """Return the sums of the columns."""
        return np.asarray(self.centered.T @ beta)

    def violation(self, program: Program, point: Point, relative: bool = True) -> float:
        """Return how far a point is from optimal; NaN if a number is not a number."""
        stair, penalty = program.stair, program.penalty
        scale = stair.residual_scale or 1.0
        # Such that the unit of a row's coefficient is what moves a sum by its penalty.
        kappa = self.row_reach(penalty) * scale
        response = self.response(point.w)
        rows = certificate.kkt_violation(stair, point.beta, point.bias, response, kappa)
        columns = self._column_violations(program, point, scale)
        worst = max(rows, float(columns.max(initial=0.0)), key=_nan_first)
        return worst if relative else worst * scale

    def _column_violations(self, program: Program, point: Point, scale: float) -> Reals:
        """Return the distance of each column from the staircase of its absolute value."""
        g, w, penalty = self.sums(point.beta), point.w, program.penalty
        unit = np.where(penalty > 0.0, penalty, 1.0)
        beyond = np.maximum(np.abs(g) - penalty, 0.0) / unit
        at_penalty = np.abs(g - np.sign(w) * penalty) / unit
        at_zero = np.maximum(np.abs(w) * self.column_reach / scale, beyond)
        return np.where(w == 0.0, beyond, np.minimum(at_penalty, at_zero))

    def rounding_floor(self, program: Program, point: Point, relative: bool = True) -> float:
        """Return what the rounding of sums alone can do, in the units of :meth:`violation`."""
        scale = program.stair.residual_scale or 1.0
        response = abs(self.matrix) @ np.abs(point.w) + abs(point.bias)
        floor = float(np.max(response, initial=0.0)) / scale
        penalty = np.where(program.penalty > 0.0, program.penalty, 1.0)
        sums = np.asarray(abs(self.centered).T @ np.abs(point.beta)) / penalty
        floor = max(floor, float(np.max(sums, initial=0.0)), self._row_floor(program, point))
        floor *= tolerances.FLOOR_ROUNDINGS * _EPS
        return floor if relative else floor * scale

    def _row_floor(self, program: Program, point: Point) -> float:
        """Return the largest coefficient of a row in the least unit of those between knots.

        They are solved for together, and have roundings of the largest.
        """
        stair, scale = program.stair, program.stair.residual_scale or 1.0
        free = (stair.knots != point.beta[:, None]).all(axis=1)
        kappa = self.row_reach(program.penalty) * scale
        unit = coefficient_units(stair.knots[free], stair.levels[free], kappa[free], scale)
        return float(np.abs(point.beta).max(initial=0.0) / unit.min(initial=np.inf))

    def objective(self, program: Program, point: Point) -> float:
        """Return the primal objective."""
        residual = program.stair.target - self.response(point.w) - point.bias
        return float(program.penalty @ np.abs(point.w) + program.stair.loss(residual).sum())

    def duality_gap(self, program: Program, point: Point) -> float:
        """Return the duality gap, a sum of non-negative terms.

        Infinite where a sum passes its penalty, or a row's coefficient its bounds, by more than
        rounding.
        """
        g, size = self.sums(point.beta), np.asarray(abs(self.centered).T @ np.abs(point.beta))
        slack = tolerances.LEVEL * program.penalty + tolerances.FLOOR_ROUNDINGS * _EPS * size
        if (np.abs(g) > program.penalty + slack).any():
            return float(np.inf)
        g = np.clip(g, -program.penalty, program.penalty)
        columns = float((program.penalty * np.abs(point.w) - g * point.w).sum())
        response = self.response(point.w)
        rows = certificate.duality_gap(program.stair, point.beta, point.bias, response)
        return columns + rows


def _nan_first(value: float) -> tuple[bool, float]:
    return (bool(np.isnan(value)), value)
