"""Solutions that rounding has blurred: what is left of their violation, in rational arithmetic."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from weightpath import tolerances
from weightpath.engine import Options, first_solution, follow, solve
from weightpath.engine.sharpen import is_rough, sharpened
from weightpath.kernels import Kernel
from weightpath.kernels._feature_columns import FeatureColumns
from weightpath.kernels._feature_rows import FeatureRows
from weightpath.problems import hinge_staircase, one_class_staircase, tube_staircase

LINEAR = Kernel("linear")


def columns_of(X, short):
    return FeatureColumns(FeatureRows(X), LINEAR, 200.0) if short else LINEAR.columns(X)


def rows_off(X, stair, state):
    """How far each residual is beyond the levels of its row's position, without rounding."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    beta = [Fraction(float(v)) for v in state.beta]
    w = [sum(x[j] * b for x, b in zip(rows, beta, strict=True)) for j in range(X.shape[1])]
    off = []
    for i, x in enumerate(rows):
        f = sum(a * b for a, b in zip(x, w, strict=True)) + Fraction(state.bias)
        r = float(Fraction(float(stair.target[i])) - f)
        p = int(state.position[i])
        low, high = stair.levels[i, p // 2], stair.levels[i, (p + 1) // 2]
        off.append(max(low - r, r - high, 0.0))
    return np.array(off)


def large(seed, n=120, p=5, scale=1e5, shift=10.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + shift
    y = X[:, 0] - shift + 0.7 * rng.normal(size=n)
    return scale * X, y, rng


def staircases(kind, y, rng):
    weight = rng.choice([0.0, 1e-3, 1.0, 50.0], len(y))
    weight[:2] = 1.0
    if kind == "tube":
        epsilon = np.full(len(y), 0.1)
        return tube_staircase(y, np.ones(len(y)), epsilon), tube_staircase(y, weight, epsilon)
    sign = np.where(y > 0.0, 1.0, -1.0)
    sign[:2] = [1.0, -1.0]
    return hinge_staircase(sign, np.ones(len(y))), hinge_staircase(sign, weight)


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize("kind", ["hinge", "tube"])
@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_path_keeps_the_tolerance_that_it_states(seed, kind, short):
    X, y, rng = large(seed)
    start, end = staircases(kind, y, rng)
    columns = columns_of(X, short)
    state = solve(columns, start, *first_solution(columns, start, 1e-3, 0.0))
    state = follow(columns, start, end, state).state
    assert is_rough(columns, state.tolerance, end.residual_scale)
    assert rows_off(X, end, state).max() < 0.6 * state.tolerance


def blurred(seed, short):
    """A solution, with two rows of the margin put on the nearer of their knots."""
    X, y, rng = large(seed)
    stair = staircases("hinge", y, rng)[0]
    columns = columns_of(X, short)
    state = solve(columns, stair, *first_solution(columns, stair, 1e-3, 0.0))
    beta, position = state.beta.copy(), state.position.copy()
    for i in state.margin[:2]:
        j = int(np.argmin(np.abs(stair.knots[i] - beta[i])))
        beta[i], position[i] = stair.knots[i, j], 2 * j + 1
    state = replace(state, beta=beta, position=position, margin=state.margin[2:])
    return X, columns, stair, state


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_rows_go_back_into_their_sets(seed, short):
    X, columns, stair, state = blurred(seed, short)
    before = rows_off(X, stair, state).max()
    sharp = sharpened(columns, stair, state, before, 1.0, Options())
    assert before > 1e3 * sharp.tolerance
    assert rows_off(X, stair, sharp).max() <= 2.0 * tolerances.SHARP_ENOUGH * sharp.tolerance
    assert abs(sharp.beta.sum()) <= 1e-13


def test_a_solution_that_is_sharp_is_left_alone():
    _, columns, stair, state = blurred(0, True)
    assert sharpened(columns, stair, state, 0.1 * state.tolerance, 1.0, Options()) is state
    # Without targets and levels nothing says what is large.
    assert sharpened(columns, stair, state, 1e9, 0.0, Options()) is state


def test_features_of_ordinary_size_are_not_rough():
    X, y, rng = large(0, scale=1.0, shift=0.0)
    stair = staircases("hinge", y, rng)[0]
    columns = columns_of(X, False)
    state = solve(columns, stair)
    assert not is_rough(columns, state.tolerance, 1.0)
    assert sharpened(columns, stair, state, 1.0, 1.0, Options()) is state


@pytest.mark.parametrize("short", [True, False])
def test_one_class(short):
    X, _, rng = large(1)
    weight = rng.uniform(0.5, 1.5, len(X))
    start = one_class_staircase(np.ones(len(X)), 0.3)
    end = one_class_staircase(weight, 0.3)
    columns = columns_of(X, short)
    state = follow(columns, start, end, solve(columns, start)).state
    assert rows_off(X, end, state).max() < state.tolerance
