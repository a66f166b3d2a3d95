"""Ties: the net under them, forced, gives the same functions as the ordinary rule."""

import numpy as np
import pytest

from engine.budgets import within_budget
from engine.walks import columns_of, walk, walk_case
from judges.cases import CASES
from weightpath.engine import COMPLETE, Options, follow, solve
from weightpath.problems import hinge_staircase

TIED = [
    name
    for name in CASES
    if name.startswith(("grid-", "onehot", "alldup", "tiny-")) or name == "separable"
]
N = 200


def same_functions(legs, others):
    for leg, other in zip(legs, others, strict=True):
        for theta in (0.0, 0.2, 0.5, 0.8, 1.0):
            values = leg.values(theta)
            gap = np.abs(values - other.values(theta)).max()
            assert gap <= 1e-7 * max(1.0, np.abs(values).max())


def check(legs):
    for leg in legs:
        assert leg.trace.status == COMPLETE
        leg.trace.record.validate()
        assert within_budget(leg.worst_violation())


@pytest.mark.parametrize("tie_limit", [0, 1, 3])
@pytest.mark.parametrize("name", TIED)
def test_coming_from_the_far_side_changes_nothing(name, tie_limit):
    case = CASES[name](seed=2)
    legs = walk_case(case, Options(tie_limit=tie_limit))
    check(legs)
    same_functions(walk_case(case), legs)


def test_the_net_was_asked():
    counts = [
        leg.trace.counts.get("ties", 0)
        for leg in walk_case(CASES["alldup-integer"](seed=2), Options(tie_limit=0))
    ]
    assert sum(counts) > 0


def orthogonal(rng):
    """All coefficients reach their bound together, at C = 1."""
    y = np.tile([1.0, -1.0], N // 2)
    return np.eye(N), y, np.full(N, 0.5), np.full(N, 3.0)


def copies(rng):
    """Four points, fifty copies of each under both labels, small integer weights."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])[np.arange(N) % 4]
    y = rng.choice([1.0, -1.0], N)
    return X @ X.T, y, np.ones(N), rng.integers(0, 3, N).astype(float)


def mirrored(rng):
    """Points on a line, mirrored: every event happens to many at once."""
    x = rng.integers(-3, 4, N).astype(float)
    y = np.where(x + rng.integers(-2, 3, N) > 0, 1.0, -1.0)
    return np.outer(x, x), y, np.full(N, 0.25), np.full(N, 4.0)


@pytest.mark.parametrize("make", [orthogonal, copies, mirrored])
@pytest.mark.parametrize("tie_limit", [None, 0, 10])
def test_massive_ties(make, tie_limit):
    K, y, first, last = make(np.random.default_rng(0))
    visited = [hinge_staircase(y, first), hinge_staircase(y, last)]
    legs = walk(K, visited, Options(tie_limit=tie_limit))
    check(legs)
    same_functions(walk(K, visited), legs)
    assert legs[0].trace.record.n_events <= 200 + 50 * N


def test_two_hundred_way_tie_is_one_place():
    K, y, first, last = orthogonal(None)
    start, end = hinge_staircase(y, first), hinge_staircase(y, last)
    columns = columns_of(K)
    trace = follow(columns, start, end, solve(columns, start))
    # C = 1, where 0.5 + 2.5 theta = 1; before it all at the bound, after it none.
    assert trace.record.event_theta[1:] == pytest.approx(0.2, abs=1e-12)
    assert np.abs(trace.state.beta) == pytest.approx(1.0, abs=1e-12)
