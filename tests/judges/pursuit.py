"""Basis pursuit by HiGHS, and what a solution must satisfy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

__all__ = ["least_cost", "pursuit_bounds"]

TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def least_cost(A, y, weight, rank) -> float:
    """Return the least ``sum(weight * |x|)`` over the least-squares solutions of ``A x = y``.

    The equations are projected on the range of ``A`` by its singular vectors.
    """
    m, n = A.shape
    if rank < m:
        left = np.linalg.svd(A)[0][:, :rank]
        A, y = left.T @ A, left.T @ y
    if rank == 0 or not y.any() or not weight.any():
        return 0.0
    size = np.abs(y).max()
    costs = []
    # Tolerances of HiGHS are absolute, so that small costs beside large ones are nothing to it.
    for unit in (weight.max(), weight[weight > 0].min()):
        cost = np.concatenate([weight, weight]) / unit
        for options in (TIGHT, TIGHT | {"presolve": False}):
            found = linprog(
                cost, A_eq=np.hstack([A, -A]), b_eq=y / size, bounds=(0, None), options=options
            )
            if (
                found.status == 0
                and np.abs(A @ (found.x[:n] - found.x[n:]) - y / size).max() < 1e-11
            ):
                costs.append(float(found.fun) * unit * size)
    assert costs, found.message
    return min(costs)


def pursuit_bounds(A, y, weight, x, dual) -> tuple[float, float, float]:
    """Return how well ``x`` fits, how far ``dual`` exceeds the weights, and the gap; all relative.

    The first is the largest correlation of the residual with a column, relative to their sizes; the
    gap is zero where ``x`` costs as much as ``dual`` is worth.
    """
    length = np.linalg.norm(A, axis=0)
    residual = y - A @ x
    fit = np.abs(A.T @ residual) / np.where(length > 0, length, 1.0) / (np.linalg.norm(y) or 1.0)
    value = np.abs(A.T @ dual)
    largest = np.maximum(length * np.linalg.norm(dual), weight)
    beyond = np.maximum(value - weight, 0.0) / np.where(largest > 0, largest, 1.0)
    cost = weight @ np.abs(x)
    gap = abs(cost - (A @ x) @ dual) / (cost or 1.0)
    return float(fit.max(initial=0.0)), float(beyond.max(initial=0.0)), float(gap)
