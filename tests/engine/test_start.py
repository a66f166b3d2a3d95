"""Start from anywhere: the end is the exact solution, whatever the first guess."""

import numpy as np
import pytest

from engine.walks import columns_of, target_scale
from judges.cases import CASES
from judges.optimality import violation
from judges.quadratic import solve_libsvm
from judges.tiny import KINDS, tiny_problem
from weightpath.engine import solve

BENIGN = [
    "paper-toy",
    "linear5-balanced-W",
    "rbf1-balanced-W",
    "rbf10-unbalanced-W",
    "grid-rbf-W",
    "onehot-W",
    "alldup-integer",
    "digits-rbf-W",
]
HARSH = ["rbf1-balanced-W1000", "rbf0.01-balanced-W1000", "grid-poly-C", "linear2-balanced-C"]
EXACT = 1e-11


def first_guesses(case, exact, rng):
    """Yield names and coefficients to start from."""
    weight = case.weights[-1]
    n = len(weight)
    yield "zero", np.zeros(n)
    yield "inside the box", case.y * weight * rng.uniform(size=n)
    yield "corner of the box", case.y * weight * (rng.random(n) < 0.5)
    yield "all at the bound", case.y * weight
    yield "huge", 1e6 * rng.normal(size=n)
    yield "wrong side", -case.y * weight
    yield "exact", exact
    for size in (1e-10, 1e-6, 1e-2):
        yield f"perturbed by {size:g}", exact + size * rng.normal(size=n)
    for tol in (1e-1, 1e-2, 1e-3):
        yield f"LIBSVM at {tol:g}", solve_libsvm(case.K, case.y, weight, tol).beta


def excess(case, stair, state, limit):
    """Return the violation above rounding, part of the limit."""
    found = violation(case.K, stair, state.beta, state.bias)
    return found.worst / (limit * target_scale(stair) + found.noise)


@pytest.mark.parametrize("name", BENIGN + HARSH)
def test_any_first_guess_ends_at_the_solution(name):
    case = CASES[name](seed=5)
    stair = case.staircases()[-1]
    columns = columns_of(case.K)
    rng = np.random.default_rng(0)
    exact = solve(columns, stair)
    for guess, beta in first_guesses(case, exact.beta, rng):
        for bias in (0.0, -1e3):
            state = solve(columns, stair, beta, bias)
            assert excess(case, stair, state, EXACT) <= 1.0, guess
            gap = np.abs(case.K @ (state.beta - exact.beta)).max()
            limit = 1e-10 if name in BENIGN else 1e-7
            assert gap <= limit * max(1.0, np.abs(case.K @ exact.beta).max()), guess


@pytest.mark.parametrize("name", BENIGN)
def test_benign_problems_to_double_precision(name):
    case = CASES[name](seed=6)
    for stair in case.staircases():
        state = solve(columns_of(case.K), stair)
        assert violation(case.K, stair, state.beta, state.bias).worst <= EXACT * target_scale(stair)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(200, 215))
def test_every_kind_from_anywhere(kind, seed):
    K, visited = tiny_problem(kind, seed)
    rng = np.random.default_rng(seed)
    stair = visited[-1]
    columns = columns_of(K)
    values = K @ solve(columns, stair).beta
    for beta in (rng.normal(size=len(K)), rng.integers(-3, 4, len(K)).astype(float)):
        state = solve(columns, stair, beta, float(rng.normal()))
        assert violation(K, stair, state.beta, state.bias).worst <= EXACT * max(
            1.0, target_scale(stair)
        )
        assert K @ state.beta == pytest.approx(values, abs=1e-10)


def test_state_is_consistent():
    case = CASES["grid-rbf-W"](seed=0)
    stair = case.staircases()[0]
    state = solve(columns_of(case.K), stair)
    assert sorted(state.margin) == np.flatnonzero(state.position % 2 == 0).tolist()
    residual = stair.target - case.K @ state.beta - state.bias
    assert state.residual == pytest.approx(residual, abs=1e-12)
    at = np.flatnonzero(state.position % 2)
    assert (state.beta[at] == stair.knots[at, state.position[at] // 2]).all()
