"""Sets of a first solution that are right: one margin system is the exact solution."""

import numpy as np
import pytest
from estimators.samples import overlapping, random_weights

from engine.test_working_set import KERNEL, PROBLEMS, staircases, violation
from weightpath.engine import Options, first_solution, solve
from weightpath.engine._known_sets import solution_on_known_sets
from weightpath.problems import hinge_staircase

MANY = 10**6


def problem(name="hinge", n=120):
    X, y = overlapping(n)
    return KERNEL.columns(X), KERNEL.between(X, X), staircases(X, y, random_weights(n))[name]


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("name", PROBLEMS)
def test_is_the_solution_that_the_loop_finds(name, ridge):
    columns, K, stair = problem(name)
    beta, bias = first_solution(columns, stair, 1e-8, ridge)
    found = solution_on_known_sets(columns, stair, beta, bias, ridge, MANY)
    if stair.residual_scale == 0.0 or (stair.knots[:, 1:] == stair.knots[:, :-1]).any():
        # Nothing says what is large, or the residual must say at which knot a row is.
        assert found is None
        return
    assert found is not None
    K = K + ridge * np.eye(len(K))
    scale = stair.residual_scale
    assert violation(K, stair, found.beta, found.bias) <= 1e-12 * scale
    residual = stair.target - K @ found.beta - found.bias
    np.testing.assert_allclose(found.residual, residual, rtol=0.0, atol=1e-12 * scale)
    assert abs(found.beta.sum() - stair.total) <= 1e-14 * np.abs(found.beta).sum()
    # From zero the same comes out of events.
    other = solve(columns, stair, options=Options(ridge=ridge))
    np.testing.assert_allclose(found.beta, other.beta, atol=1e-9 * stair.knot_scale)
    np.testing.assert_array_equal(found.position, other.position)
    assert sorted(found.margin) == sorted(other.margin)


def test_wrong_sets_are_no_solution():
    columns, _, stair = problem()
    right = solve(columns, stair)
    rng = np.random.default_rng(0)
    for row in rng.choice(np.flatnonzero(right.beta == 0.0), 10, replace=False):
        # A row that should be at its knot, between its knots.
        beta = right.beta.copy()
        beta[row] = stair.knots[row].mean()
        assert solution_on_known_sets(columns, stair, beta, right.bias, 0.0, MANY) is None
    for row in rng.choice(right.margin, 5, replace=False):
        # A row of the margin at a knot.
        beta = right.beta.copy()
        beta[row] = stair.knots[row, rng.integers(2)]
        assert solution_on_known_sets(columns, stair, beta, right.bias, 0.0, MANY) is None
    again = solution_on_known_sets(columns, stair, right.beta, 0.0, 0.0, MANY)
    assert again is not None and abs(again.bias - right.bias) <= 1e-12


def test_what_is_left_to_the_loop():
    columns, _, stair = problem()
    right = solve(columns, stair)
    given = columns, stair, right.beta, right.bias, 0.0
    assert solution_on_known_sets(*given, len(right.margin)) is not None
    # Too many free rows, and none at all.
    assert solution_on_known_sets(*given, len(right.margin) - 1) is None
    corners = np.where(right.beta == 0.0, 0.0, stair.knots[:, 0] + stair.knots[:, 1])
    assert solution_on_known_sets(columns, stair, corners, right.bias, 0.0, MANY) is None


def test_equal_rows_on_the_margin_are_left_to_the_loop():
    X, y = overlapping(30)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    columns, stair = KERNEL.columns(X), hinge_staircase(np.where(y == 1, 1.0, -1.0), np.ones(60))
    beta, bias = first_solution(columns, stair, 1e-6)
    beta = 0.5 * np.repeat(beta[::2] + beta[1::2], 2)
    assert solution_on_known_sets(columns, stair, beta, bias, 0.0, MANY) is None
    state = solve(columns, stair, beta, bias)
    assert violation(KERNEL.between(X, X), stair, state.beta, state.bias) <= 1e-11


def test_columns_are_not_left_pinned():
    columns, _, stair = problem()
    beta, bias = first_solution(columns, stair, 1e-8)
    solution_on_known_sets(columns, stair, beta, bias, 0.0, MANY)
    assert columns.handover(overlapping(120)[0], np.arange(120), keep=False).n_bytes > 0
    assert columns.n_bytes == 0
