"""Models of solutions that were found elsewhere, or begun."""

from __future__ import annotations

from typing import Any

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.kernel_problem import Guess
from weightpath.estimators.problem import Fitted

__all__ = ["fit_from", "install"]


def install(model: PathEstimator, fitted: Fitted) -> None:
    """Make an estimator a model of subproblems that were solved elsewhere."""
    model._fitted = fitted


def fit_from(model: PathEstimator, solution: Guess, X: Any, *data: Any) -> None:
    """Fit a model with one subproblem from an approximate solution.

    Parameters
    ----------
    model : PathEstimator
        An estimator whose problem is that of a kernel machine.
    solution : (ndarray, float)
        Coefficients of all instances, and the bias.
    X, *data
        What the estimator's ``fit`` takes.
    """
    training, problem, quantities = model._set_up(X, *data)
    problem.check(quantities, training.labels)
    found = problem.solve_pair(training, quantities, model._effort(), guess=solution)
    install(model, Fitted(training, problem, quantities, (found,)))
