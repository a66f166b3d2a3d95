"""Exact solutions from labels: the positions of all rows, and the problem at one point."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from weightpath.frozen import freeze
from weightpath.path import certificate
from weightpath.path.solution import Solution
from weightpath.problems import Staircase
from weightpath.problems.position import (
    Positions,
    interval_of,
    is_free,
    knot_below,
    lower_level,
    upper_level,
)
from weightpath.record.bias import middle
from weightpath.record.state import State
from weightpath.regions.parameters import ParametricProblem

__all__ = ["affine_guess", "solution_of", "state_at"]

Reals = NDArray[np.float64]


def affine_guess(
    problem: ParametricProblem, stair: Staircase, position: Positions, ridge: float = 0.0
) -> tuple[Reals, float]:
    """Return coefficients and bias of the solution that has these positions.

    One margin system, made from the data: it is exact where the positions are right. ``ridge`` is
    added to the diagonal of its matrix.
    """
    row = np.arange(len(stair))
    free = np.flatnonzero(is_free(position))
    beta = stair.knots[row, knot_below(position, stair.n_knots)]
    beta[free] = 0.0
    gap = stair.target - problem.response(beta)
    if free.size == 0:
        low = gap - stair.levels[row, upper_level(position)]
        high = gap - stair.levels[row, lower_level(position)]
        used = ~problem.idle
        bounds = low[used].max(initial=-np.inf), high[used].min(initial=np.inf)
        return beta, middle(float(bounds[0]), float(bounds[1])) if stair.has_bias else 0.0
    own = problem.columns.submatrix(free) + (problem.ridge + ridge) * np.eye(free.size)
    right = gap[free] - stair.levels[free, interval_of(position[free])]
    if not stair.has_bias:
        beta[free] = np.linalg.lstsq(own, right, rcond=None)[0]
        return beta, 0.0
    system = np.zeros((free.size + 1, free.size + 1))
    system[1:, 1:], system[0, 1:], system[1:, 0] = own, 1.0, 1.0
    try:
        found = np.linalg.solve(system, np.append(stair.total - beta.sum(), right))
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(system, np.append(stair.total - beta.sum(), right), rcond=None)[0]
    beta[free] = found[1:]
    return beta, float(found[0])


def state_at(
    problem: ParametricProblem, z: Reals, position: Positions, ridge: float = 0.0
) -> State:
    """Return the exact solution at a point, verified; positions may be off by ties.

    ``ridge`` is what the positions need to be independent.
    """
    stair = problem.staircase(z)
    beta, bias = affine_guess(problem, stair, position, ridge)
    return problem.solve(stair, beta, bias)


def solution_of(problem: ParametricProblem, z: Reals, state: State) -> Solution:
    """Return a solution in the form that paths have."""
    stair, subproblem = problem.staircase(z), problem.subproblem
    n = len(problem.fitted.training)
    coef, weights = np.zeros(n), np.zeros(n)
    coef[subproblem.rows] = state.beta
    weights[subproblem.rows] = subproblem.reading.weights(stair)
    of_row = subproblem.reading.sets(state.position)
    outside, margin, inside = (freeze(subproblem.rows[of_row == code]) for code in range(3))
    return Solution(
        float("nan"),
        freeze(coef),
        float(state.bias),
        freeze(weights),
        outside,
        margin,
        inside,
        partial(_objective, problem, stair, state),
        z=tuple(float(value) for value in z),
    )


def _objective(problem: ParametricProblem, stair: Staircase, state: State) -> float:
    return certificate.objective(stair, state.beta, state.bias, problem.response(state.beta))
