"""Pairs followed at their documents: the same paths as on the dense matrix of pairs."""

import numpy as np
import pytest

from engine.budgets import within_budget
from engine.pair_walks import (
    RBF,
    assert_optimal,
    assert_same_path,
    check,
    close,
    columns_of,
    followed,
    make,
    violation,
)
from engine.walks import Leg, walk
from judges import conic
from judges.ranking import random_problem
from weightpath.engine import STOPPED_AT_CAP, Options, follow, solve
from weightpath.engine.leg import LegRunner
from weightpath.engine.start import begin


@pytest.mark.parametrize("seed", range(50))
def test_the_same_path_as_on_the_dense_matrix(seed):
    check(random_problem(seed, most=16))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_the_same_path_on_many_more(block):
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        try:
            check(random_problem(seed, most=26, n_weights=3))
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("tie_limit", [0, 1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_net_for_ties(seed, tie_limit):
    problem = random_problem(100 + seed, most=12)
    leg = followed(problem, Options(tie_limit=tie_limit))[0]
    assert_optimal(leg)
    assert_same_path(problem, leg, walk(problem.K, problem.staircases())[0])


# Starts, ends and caps --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(16))
def test_starts_from_anywhere(seed):
    problem = random_problem(200 + seed, most=14)
    columns, stair = columns_of(problem), problem.staircases()[0]
    rng = np.random.default_rng(seed)
    solution = solve(columns, stair)
    assert within_budget(violation(problem.K, stair, solution.beta))
    n, weight = columns.n, problem.weights[0]
    starts = [
        rng.uniform(size=n) * weight,
        rng.normal(size=n),
        solution.beta + 1e-3 * weight.max() * rng.normal(size=n),
        solution.beta,
        weight,
        weight * rng.integers(0, 2, n),
    ]
    for beta in starts:
        other = solve(columns, stair, beta)
        assert within_budget(violation(problem.K, stair, other.beta))
        assert close(problem, other.beta, solution.beta)
        assert ((other.beta >= 0) & (other.beta <= weight)).all()


def test_exchanges_happen():
    """On the way to a solution shifted targets part, so that dependent pairs meet their levels.

    On a path they do not: its targets stay, and a dependent pair rests with the margin.
    """
    total = 0
    for seed in range(200, 208):
        problem = random_problem(seed, most=14)
        columns, stair = columns_of(problem), problem.staircases()[0]
        runner = LegRunner(columns, stair, stair, Options())
        beta = np.zeros(columns.n)
        loop = begin(columns, stair, beta, 0.0, Options(), np.random.default_rng(0))
        state = runner.run(loop).state
        runner.close()
        assert within_budget(violation(problem.K, stair, state.beta))
        total += runner.counts["n_exchanges"]
    assert total > 20


@pytest.mark.parametrize("seed", [2, 3, 10, 15])
def test_event_caps(seed):
    problem = random_problem(seed, most=16)
    columns, (start, end) = columns_of(problem), problem.staircases()
    before = solve(columns, start)
    whole = follow(columns, start, end, before)
    full = Leg(problem.K, start, end, before, whole)
    n_events = whole.record.n_events
    assert n_events > 20
    for most in (1, 2, n_events // 2, n_events - 1):
        trace = follow(columns, start, end, before, Options(max_events=most))
        leg = Leg(problem.K, start, end, before, trace)
        assert_optimal(leg, STOPPED_AT_CAP)
        assert trace.record.n_events <= most + 1
        stop = trace.record.theta[-1]
        assert close(problem, leg.part.beta(stop), full.part.beta(stop))


def test_an_error_of_the_callback_ends_the_path():
    class EnoughError(Exception):
        pass

    def tell(theta, n_events, margin_size):
        assert 0.0 <= theta <= 1.0
        assert n_events > 0
        raise EnoughError

    # One leg of many events: the callback is called now and then only.
    X = np.random.default_rng(0).normal(size=(100, 4))
    relevance = np.random.default_rng(1).integers(0, 3, 100)
    problem = make(X, relevance, RBF, 1.0, lambda n: 1.0 + np.arange(n) % 4)
    columns, (start, end) = columns_of(problem), problem.staircases()
    before = solve(columns, start)
    whole = follow(columns, start, end, before)
    assert whole.record.n_events > 600
    with pytest.raises(EnoughError):
        follow(columns, start, end, before, Options(callback=tell))
    # The columns are as good as new.
    again = follow(columns, start, end, before)
    np.testing.assert_array_equal(again.record.theta, whole.record.theta)


@pytest.mark.parametrize("seed", range(12))
def test_optimum_of_an_interior_point_method(seed):
    problem = random_problem(300 + seed, most=11)
    leg = followed(problem)[0]
    for theta in (0.0, 0.4, 1.0):
        stair = leg.start.between(leg.end, theta)
        theirs = conic.solve(problem.K, stair)
        ours = leg.part.beta(theta)
        values = problem.K @ ours
        scale = max(1.0, np.abs(values).max())
        assert theirs.violation <= 1e-5 * scale
        assert np.abs(values - theirs.values).max() <= 1e-6 * scale
        value = 0.5 * ours @ values - stair.target @ ours
        assert value <= theirs.value + 1e-9 * max(1.0, abs(theirs.value))
