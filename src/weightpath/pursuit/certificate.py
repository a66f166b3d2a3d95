r"""How far coefficients and a dual vector are from optimal, from the data alone.

Coefficients :math:`x` solve :math:`\min \sum_j w_j |x_j|` over the least-squares solutions of
:math:`\Phi x = y` if :math:`\Phi'(y - \Phi x) = 0` and there is a :math:`u` with
:math:`|\phi_j'u| \le w_j` and :math:`\sum_j w_j |x_j| = (\Phi x)'u`: for any other least-squares
solution :math:`z`, :math:`\sum_j w_j |z_j| \ge (\Phi z)'u = (\Phi x)'u`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.pursuit.system import Equations

__all__ = ["dual_excess", "duality_gap", "misfit", "violation"]

Reals = NDArray[np.float64]

# With a dual vector that exceeds a weight by more, relative to its terms, there is no gap.
_DUAL_FEASIBLE = 1e-9


def misfit(matrix: Reals, y: Reals, x: Reals, equations: Equations) -> float:
    """Return how far coefficients are from a least-squares solution, relative to its terms.

    For consistent equations the largest residual, each relative to the terms of its equation; else
    the largest correlation of the residual with a column, relative to the size of ``y``.
    """
    residual = y - matrix @ x
    if equations.consistent:
        terms = np.abs(y) + np.abs(matrix) @ np.abs(x)
        return _largest(residual / np.where(terms > 0, terms, 1.0))
    even = matrix[:, equations.kept] / equations.scale
    size = float(np.linalg.norm(y))
    length = np.linalg.norm(even, axis=0)
    return _largest(even.T @ residual / np.where(length > 0, length, 1.0)) / (size or 1.0)


def dual_excess(matrix: Reals, weight: Reals, dual: Reals) -> float:
    """Return by how much the dual vector exceeds a weight, relative to what it is made of."""
    value = np.abs(matrix.T @ dual)
    most = np.maximum(np.linalg.norm(matrix, axis=0) * np.linalg.norm(dual), weight)
    return _largest(np.maximum(value - weight, 0.0) / np.where(most > 0, most, 1.0))


def duality_gap(matrix: Reals, weight: Reals, x: Reals, dual: Reals) -> float:
    """Return the sum of ``w_j |x_j| - x_j phi_j'u``, infinite for a ``u`` beyond the weights.

    Each term is zero at the solution; terms count by their absolute values, so that roundings
    do not cancel.
    """
    if dual_excess(matrix, weight, dual) > _DUAL_FEASIBLE:
        return float("inf")
    return float(np.abs(weight * np.abs(x) - x * (matrix.T @ dual)).sum())


def violation(
    matrix: Reals, y: Reals, weight: Reals, x: Reals, dual: Reals, equations: Equations
) -> float:
    """Return the largest of misfit, dual excess and gap, all relative to their terms."""
    size = np.linalg.norm(matrix, axis=0) * np.linalg.norm(dual)
    gap = np.abs(weight * np.abs(x) - x * (matrix.T @ dual)).sum()
    gap /= float(np.abs(x) @ (weight + size)) or 1.0
    beyond = dual_excess(matrix, weight, dual)
    return float(max(misfit(matrix, y, x, equations), beyond, gap))


def _largest(values: Reals) -> float:
    return float(np.abs(values).max(initial=0.0))
