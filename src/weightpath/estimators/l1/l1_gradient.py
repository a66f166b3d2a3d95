r"""Gradients of linear program machines: nothing by weights, one solve with the basis by targets.

The coefficients of columns :math:`w_A` and the bias are those that put the rows M of the basis at
their levels, :math:`\Phi_{MA} w_A + b 1 = t_M - s_M`. Weights do not occur in it: between two
breakpoints nothing moves with them, and at a breakpoint the function jumps. With targets and levels
it moves on straight lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from weightpath import tolerances
from weightpath.engine.adjoint import Slopes
from weightpath.estimators.gradient import Gradient
from weightpath.estimators.l1.machine import FittedMachine, Machine, matrix_of
from weightpath.estimators.problem import Fitted, Functional
from weightpath.estimators.training_set import TrainingSet
from weightpath.estimators.user_warnings import warn_breakpoint
from weightpath.problems.position import interval_of, is_free, lower_level, upper_level
from weightpath.problems.scales import coefficient_units

__all__ = ["machine_gradient"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]


def machine_gradient(fitted: FittedMachine, shape: str, X: Any, cotangent: Any) -> Gradient:
    """Return the derivatives of ``sum(cotangent * decision_function(X))``.

    Parameters
    ----------
    fitted : FittedMachine
        Where the model is.
    shape : str
        The ``decision_function_shape`` of the estimator, where it has one.
    X : ndarray or CSR matrix
        Instances, checked.
    cotangent : array-like
        What a change of each decision value costs.
    """
    problem = fitted.problem
    per_function = problem.per_function(fitted.values, shape, X, cotangent)
    functionals, slopes, jumps, kinks = [], [], [], []
    for k, machine in enumerate(fitted.machines):
        matrix = matrix_of(fitted.training, machine.rows)
        functional = _functional(fitted.training, machine, X, per_function[:, k])
        functionals.append(functional)
        slopes.append(_slopes(machine, matrix, functional))
        jumping, kinking = _ties(machine, matrix)
        jumps.append(machine.rows[jumping[jumping >= 0]])
        kinks.append(machine.rows[kinking])
        if (jumping < 0).any():
            # A column is about to come or to go: no row is to blame.
            jumps.append(np.array([-1]))
    # Machines have the rows and readings of subproblems.
    own: Any = fitted.machines
    found = problem.pull_back(
        Fitted(fitted.training, problem, fitted.quantities, own), functionals, slopes
    )
    names = set(problem.row_by_row) if np.concatenate(kinks).size else set[str]()
    if np.concatenate(jumps).size:
        names |= set(found) - set(problem.row_by_row)
    sides = tuple(name for name in found if name in names)
    rows = np.unique(np.concatenate([*jumps, *kinks]))
    gradient = Gradient(found, rows[rows >= 0].astype(np.intp), sides)
    if sides:
        warn_breakpoint(sides, gradient.rows)
    return gradient


def _functional(training: TrainingSet, machine: Machine, X: Any, cotangent: Reals) -> Functional:
    """Return what the coefficients of the basis' columns, and the bias, cost."""
    columns = machine.basis.columns
    if training.kernel.name == "linear":
        cost = np.asarray(cotangent @ X[:, columns]).ravel()
    else:
        cost = training.sums_at(machine.rows[columns], X, np.ascontiguousarray(cotangent))
    return Functional(cost, float(cotangent.sum()))


def _slopes(machine: Machine, matrix: Any, functional: Functional) -> Slopes:
    """Return the derivatives by targets and levels; those by knots are zero."""
    n, m = machine.program.stair.knots.shape
    rows = machine.basis.rows
    target, levels = np.zeros(n), np.zeros((n, m + 1))
    core = _core(machine, matrix)
    right = np.append(functional.on_bias, functional.cost)
    factor = lu_factor(core)
    carried = lu_solve(factor, right, trans=1)
    carried += lu_solve(factor, right - core.T @ carried, trans=1)
    target[rows] = carried
    levels[rows, interval_of(machine.basis.position[rows])] = -carried
    return Slopes(target, np.zeros((n, m)), levels, 0.0)


def _core(machine: Machine, matrix: Any) -> Reals:
    """Return the columns of the basis, the bias first, at its rows."""
    some = matrix[machine.basis.rows][:, machine.basis.columns]
    dense = some.toarray() if hasattr(some, "toarray") else np.asarray(some)
    return np.column_stack([np.ones(len(dense)), dense])


def _ties(machine: Machine, matrix: Any) -> tuple[Index, Index]:
    """Return the rows at which the function jumps with weights, and those with a kink by targets.

    A row of the basis whose coefficient is at a knot; -1 where a column that is not in the basis
    pays what a coefficient would. A row at a knot whose residual is at a level, and -1 for a column
    of the basis without a coefficient, which counts for the latter as all rows of the basis.
    """
    stair, basis, point = machine.program.stair, machine.basis, machine.point
    penalty, close = machine.program.penalty, tolerances.RESIDUAL
    units = coefficient_units(stair.knots, stair.levels, np.zeros(len(stair)), 1.0)
    distance = np.abs(stair.knots - point.beta[:, None]).min(axis=1)
    at = basis.rows[distance[basis.rows] <= close * units[basis.rows]]
    sums = np.abs(np.asarray(matrix.T @ point.beta).ravel())
    out = np.ones(len(penalty), dtype=bool)
    out[basis.columns] = False
    jumping = at if not (sums[out] >= (1.0 - close) * penalty[out]).any() else np.append(at, -1)
    row = np.arange(len(stair))
    residual = stair.target - np.asarray(matrix @ point.w).ravel() - point.bias
    below = residual - stair.levels[row, lower_level(basis.position)]
    above = stair.levels[row, upper_level(basis.position)] - residual
    near = np.minimum(below, above) <= close * (stair.residual_scale or 1.0)
    kinking = np.flatnonzero(near & ~is_free(basis.position))
    if basis.columns.size and not point.w[basis.columns].all():
        kinking = np.union1d(kinking, basis.rows)
    return jumping.astype(np.intp), kinking
