"""A chain of arrivals is, after every step, where a solution from nothing is."""

from __future__ import annotations

import numpy as np
import pytest

from weightpath.engine import Options, solve
from weightpath.engine._chains import ChainRunner
from weightpath.engine.branch_goals import BranchGoals
from weightpath.engine.chains import Chain
from weightpath.kernels import Kernel
from weightpath.path.certificate import kkt_violation
from weightpath.problems import Staircase, hinge_staircase, pinball_staircase, tube_staircase
from weightpath.problems.scales import kappa_of

N = 48


def full_problems():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 3))
    y = X[:, 0] + rng.normal(size=N)
    weight = rng.uniform(0.5, 2.0, N)
    spread = 10.0 ** rng.uniform(-4, 4, N)
    twice = np.concatenate([X[: N // 2]] * 2)
    grid = rng.integers(-1, 2, size=(N, 2)).astype(float)
    yield "hinge", X, hinge_staircase(np.sign(y), weight)
    yield "hinge, equal rows", twice, hinge_staircase(np.sign(y), weight)
    yield "hinge, ties", grid, hinge_staircase(np.where(grid[:, 0] > 0, 1.0, -1.0), np.ones(N))
    yield "hinge, weights of all sizes", X, hinge_staircase(np.sign(y), spread)
    yield "pinball", X, pinball_staircase(y, weight, np.full(N, 0.3))
    yield "tube", X, tube_staircase(y, weight, np.full(N, 0.2))
    yield "tube, equal rows", twice, tube_staircase(np.round(y), weight, np.full(N, 0.5))


PROBLEMS = {name: (X, stair) for name, X, stair in full_problems()}


def with_rows(stair, there):
    knots = np.where(there[:, None], stair.knots, 0.0)
    return Staircase(stair.target, knots, stair.levels, stair.total, stair.has_bias)


def chain_of(name, kernel="rbf"):
    X, full = PROBLEMS[name]
    columns = Kernel(kernel, gamma=0.5).columns(X, 100.0)
    order = np.random.default_rng(0).permutation(N)
    # The first rows have both signs.
    first = sorted(order, key=lambda i: full.target[i])
    order = np.array([first[0], first[-1], *[i for i in order if i not in (first[0], first[-1])]])
    there = np.zeros(N, dtype=bool)
    there[order[:2]] = True
    stair = with_rows(full, there)
    chain = Chain(columns, stair, solve(columns, stair, centered=True), Options())
    return chain, columns, full, order, there


def goals_of(full, sets):
    row = np.concatenate(sets).astype(np.intp)
    offset = np.cumsum([0, *map(len, sets)]).astype(np.intp)
    return BranchGoals(offset, row, full.knots[row], np.full(len(sets), full.total))


def check(columns, full, there, beta, bias):
    """Judge a solution by the certificate, and its bias by a solution from nothing."""
    stair = with_rows(full, there)
    K = columns.whole()
    K = np.array([columns.points(one) for one in np.eye(N)]) if K is None else K
    assert kkt_violation(stair, beta, bias, K @ beta, kappa_of(columns, 0.0)) < 1e-9
    fresh = solve(columns, stair, centered=True)
    scale = max(1.0, stair.residual_scale)
    assert abs(K @ (beta - fresh.beta) + bias - fresh.bias).max() < 1e-7 * scale


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_step_is_a_solution(name, kernel):
    chain, columns, full, order, there = chain_of(name, kernel)
    rest = order[2:]
    betas, biases = chain.follow(goals_of(full, rest[:, None]), 0, len(rest))
    for i, beta, bias in zip(rest, betas, biases, strict=True):
        there[i] = True
        check(columns, full, there, beta, bias)


def test_several_rows_may_come_at_once():
    chain, columns, full, order, there = chain_of("hinge")
    sets = [order[2:9], order[9:10], order[10:30], order[30:]]
    betas, biases = chain.follow(goals_of(full, sets), 0, len(sets))
    for rows, beta, bias in zip(sets, betas, biases, strict=True):
        there[rows] = True
        check(columns, full, there, beta, bias)


def test_a_chain_in_two_calls_is_the_chain_in_one():
    one, _, full, order, _ = chain_of("hinge")
    two = chain_of("hinge")[0]
    goals = goals_of(full, order[2:, None])
    betas, biases = one.follow(goals, 0, len(goals))
    first, second = two.follow(goals, 0, 17), two.follow(goals, 17, len(goals))
    assert abs(np.concatenate([first[0], second[0]]) - betas).max() < 1e-11
    assert abs(np.concatenate([first[1], second[1]]) - biases).max() < 1e-11


def test_steps_that_the_native_runner_loses_are_followed_otherwise(monkeypatch):
    class Stubborn:
        """Loses every third step."""

        def __init__(self, *given):
            self.own = ChainRunner(*given)

        def limit_events(self, count):
            self.own.limit_events(count)

        def follow_chain(self, goals, first, last):
            return self.own.follow_chain(goals, first, min(last, first + 2))

        @property
        def solution(self):
            return self.own.solution

    monkeypatch.setattr("weightpath.engine.chains.ChainRunner", Stubborn)
    chain, columns, full, order, there = chain_of("hinge")
    betas, biases = chain.follow(goals_of(full, order[2:, None]), 0, N - 2)
    for i, beta, bias in zip(order[2:], betas, biases, strict=True):
        there[i] = True
        check(columns, full, there, beta, bias)
