"""Rows taken out again and again from one solution."""

from __future__ import annotations

import numpy as np
import pytest

from weightpath.engine import Options, follow, solve
from weightpath.engine._removal import Removals
from weightpath.engine.results import Result
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase, one_class_staircase, tube_staircase


def problems():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    weight = rng.uniform(0.2, 2.0, 40) * (np.arange(40) % 7 > 0)
    y = X[:, 0] + rng.normal(size=40)
    merged = np.arange(40) % 2 == 0
    yield "hinge", X, lambda w: hinge_staircase(np.sign(y), w), weight
    yield "one class", X, lambda w: one_class_staircase(w, 0.3), weight
    yield (
        "tube",
        X,
        lambda w: tube_staircase(y, w, np.where(merged, 0.0, 0.2), merged),
        weight,
    )


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.parametrize(
    ("name", "X", "staircase", "weight"), list(problems()), ids=lambda value: str(value)[:9]
)
def test_ends_where_a_path_ends(name, X, staircase, weight, ridge):
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair, options = staircase(weight), Options(ridge=ridge)
    state = solve(columns, stair, options=options)
    removals = Removals(columns, stair, state, ridge)
    sets = [np.array([i], dtype=np.intp) for i in range(40)]
    sets += [np.arange(5, dtype=np.intp), np.arange(0, 40, 3, dtype=np.intp)]
    first = []
    for rows in sets:
        less = weight.copy()
        less[rows] = 0.0
        end = staircase(less)
        assert removals.without(rows, end.total) is Result.END
        expected = follow(columns, stair, end, state, options).state
        beta, residual = removals.arrived
        np.testing.assert_allclose(residual, expected.residual, rtol=0, atol=1e-10)
        np.testing.assert_allclose(beta, expected.beta, rtol=0, atol=1e-9)
        assert abs(removals.bias - expected.bias) < 1e-10
        assert (beta[rows] == 0.0).all()
        changed, change = removals.changes()
        np.testing.assert_allclose(state.beta[changed] + change, beta[changed], atol=1e-15)
        np.testing.assert_array_equal(removals.residuals_at(rows), residual[rows])
        first.append((beta, residual, removals.bias, removals.n_events))
    for rows, (beta, residual, bias, n_events) in zip(sets[::-1], first[::-1], strict=True):
        # The way back through the list: nothing is left over from what came before.
        less = weight.copy()
        less[rows] = 0.0
        removals.without(rows, staircase(less).total)
        np.testing.assert_array_equal(removals.arrived, (beta, residual))
        assert (removals.bias, removals.n_events) == (bias, n_events)


def test_says_where_it_cannot_go_on():
    X = np.random.default_rng(1).normal(size=(30, 2))
    y = np.sign(X[:, 0])
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair = hinge_staircase(y, np.ones(30))
    state = solve(columns, stair)
    removals = Removals(columns, stair, state)
    # No coefficients add up to so much.
    assert removals.without(np.array([0]), 100.0) is Result.INFEASIBLE
    removals.limit_events(0)
    largest = np.array([np.abs(state.beta).argmax()])
    assert removals.without(largest, 0.0) is Result.CAP
    removals.limit_events(1000)
    assert removals.without(largest, 0.0) is Result.END


def test_dependent_margin_is_refused():
    X = np.zeros((4, 1))
    stair = hinge_staircase(np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4))
    columns = Kernel("linear").columns(X)
    state = solve(columns, stair)
    free = type(state)(
        np.full(4, 0.5) * np.array([1, 1, -1, -1]),
        0.0,
        np.full(4, 2, dtype=np.int32),
        np.zeros(4),
        np.arange(4),
    )
    with pytest.raises(ValueError, match="depends on itself"):
        Removals(columns, stair, free)
