"""Steep paths, on which theta is too coarse a number, and what has no solution."""

import numpy as np
import pytest
import scipy.linalg

from engine.acceptance import diabetes, judged_everywhere, matrix
from engine.budgets import within_budget
from engine.test_problems_lasso import Problem
from engine.walks import walk
from weightpath.engine import COMPLETE
from weightpath.problems import tube_staircase


def tube(y, weight, epsilon):
    return tube_staircase(y, np.full(len(y), weight), epsilon)


def test_certificate_of_moving_targets():
    X, y = diabetes()
    other = y[np.random.default_rng(1).permutation(len(y))]
    (leg,) = walk(matrix(X, "linear"), [tube(t, 1.0, 5.0) for t in (y, other)])
    assert within_budget(leg.worst_violation())


def test_certificate_of_shrinking_weights():
    X, y = diabetes()
    legs = walk(matrix(X, "rbf1"), [tube(y, C, 10.0) for C in (1e-2, 1.0, 1e4, 1.0, 1e-2)])
    assert within_budget(max(leg.worst_violation() for leg in legs))


@pytest.mark.parametrize("name", ["copied", "copied_flat", "combined", "flat"])
def test_no_penalty_on_dependent_columns_ends_at_the_limit(name):
    """Nothing stops copies at the very end, but the limit exists; with p > n too."""
    problem = Problem(name)
    (leg,) = walk(problem.K, [problem.at(penalty) for penalty in (1.0, 0.0)])
    assert leg.trace.status == COMPLETE
    assert within_budget(leg.worst_violation()) and within_budget(judged_everywhere(leg))
    beta = leg.part.beta(1.0)
    # Least squares has one fit, by any of its solutions ...
    fit = problem.X @ scipy.linalg.lstsq(problem.X, problem.y)[0]
    scale = np.abs(fit).max()
    assert np.abs(problem.X @ beta - fit).max() <= 1e-6 * scale
    assert np.abs(problem.X @ leg.trace.state.beta - fit).max() <= 1e-6 * scale
    # ... and of these the end is the one that the path leads to: the solution is straight in the
    # penalty once no event is left.
    near, nearer = (walk_to(problem, penalty) for penalty in (1e-9, 1e-10))
    limit = nearer - (near - nearer) / 9.0
    assert np.abs(beta).sum() == pytest.approx(np.abs(limit).sum(), rel=1e-6)
    assert np.abs(problem.X @ limit - fit).max() <= 1e-6 * scale


def walk_to(problem, penalty):
    """Return the coefficients at a small penalty, from all zero."""
    (leg,) = walk(problem.K, [problem.at(1.0), problem.at(penalty)])
    assert within_budget(leg.worst_violation())
    return leg.part.beta(1.0)
