"""What a state keeps for the next path: its loop with the factor, and the residuals it carries."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from judges import optimality
from weightpath import tolerances
from weightpath.engine import COMPLETE, follow, solve
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase, tube_staircase

N = 400


def regression(weight, seed=0):
    """Many rows on the margin: a smooth kernel, a thin tube."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(N, 5))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * g.normal(size=N)
    return X, tube_staircase(y, weight, 0.1)


def classification(weight, seed=0):
    """Few rows on the margin."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(N, 2))
    y = np.where(X[:, 0] + 0.5 * g.normal(size=N) > 0, 1.0, -1.0)
    return X, hinge_staircase(y, weight)


PROBLEMS = {"large margin": (regression, 0.3), "small margin": (classification, 0.5)}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    make, gamma = PROBLEMS[request.param]
    g = np.random.default_rng(1)
    X, start = make(np.full(N, 10.0))
    ends = [make(10.0 * g.uniform(0.5, 1.5, N))[1] for _ in range(3)]
    kernel = Kernel("rbf", gamma=gamma)
    K = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(-1))
    return K, kernel.columns(X, 100.0), start, ends


def violation(K, stair, state):
    found = optimality.violation(K, stair, state.beta, state.bias)
    return found.worst / stair.residual_scale


def test_paths_that_go_on_are_as_exact_as_new_ones(problem):
    K, columns, start, ends = problem
    kept = alone = solve(columns, start)
    here = start
    for end in ends:
        trace = follow(columns, here, end, kept)
        # Without the loop, as after unpickling.
        alone = follow(columns, here, end, copy.copy(alone)).state
        kept, here = trace.state, end
        assert trace.status == COMPLETE
        assert violation(K, end, kept) < 1e-10
        assert np.abs(K @ (kept.beta - alone.beta)).max() < 1e-9


def test_small_margins_give_the_same_bits(problem):
    _, columns, start, ends = problem
    state = solve(columns, start)
    if state.margin.size > 64:
        pytest.skip("the factor of a large margin is kept, with its rounding")
    other = copy.copy(state)
    one, two = (follow(columns, start, ends[0], each) for each in (state, other))
    assert np.array_equal(one.record.theta, two.record.theta)
    assert np.array_equal(one.state.beta, two.state.beta)


def test_only_one_path_takes_the_loop(problem):
    _, columns, start, _ = problem
    state = solve(columns, start)
    assert state.take() is not None
    assert state.take() is None


def test_copies_have_no_loop(problem):
    _, columns, start, _ = problem
    state = solve(columns, start)
    for other in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other.take() is None
        assert np.array_equal(other.beta, state.beta)
    assert state.take() is not None


def test_residuals_are_carried_for_some_events_only(problem):
    _, columns, start, ends = problem
    state, here = solve(columns, start), start
    assert state.n_since == 0
    carried = []
    for end in [*ends, *ends]:
        trace = follow(columns, here, end, state)
        state, here = trace.state, end
        carried.append(state.n_since)
    assert max(carried) <= tolerances.FRESH_AT_END


def test_wrong_residuals_are_noticed(problem):
    """Residuals that are not those of the kernel lead to no wrong end."""
    K, columns, start, ends = problem
    state = solve(columns, start)
    wrong = replace(state, residual=state.residual + 1e-5 * np.sin(np.arange(N)), n_since=1)
    trace = follow(columns, start, ends[0], wrong)
    assert trace.status == COMPLETE
    assert violation(K, ends[0], trace.state) < 1e-10
