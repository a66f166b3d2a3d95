"""Pairs of equal documents, tied scores and vanishing weights: the paths of the dense matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.budgets import within_budget
from engine.pair_walks import (
    KERNELS,
    RBF,
    UGLY,
    assert_optimal,
    assert_same_path,
    check,
    close,
    columns_of,
    copies_across_levels,
    copies_inside_levels,
    followed,
    four_points,
    make,
    mirrored,
    orthogonal,
    violation,
)
from engine.walks import Leg, walk
from judges import conic
from judges.ranking import all_pairs
from weightpath.engine import Options, follow, solve


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ugly", UGLY)
def test_ugly(ugly, kernel):
    for leg in check(ugly(KERNELS[kernel])):
        # Far more than any natural path of this size: only a cycle gets here.
        assert leg.trace.record.n_events <= 200 + 50 * len(leg.start)


@pytest.mark.parametrize("tie_limit", [0, 1, 3])
@pytest.mark.parametrize(
    "ugly", [four_points, copies_inside_levels, copies_across_levels, mirrored, orthogonal]
)
def test_ugly_through_the_net_for_ties(ugly, tie_limit):
    problem = ugly(RBF)
    legs = followed(problem, Options(tie_limit=tie_limit))
    for leg, dense in zip(legs, walk(problem.K, problem.staircases()), strict=True):
        assert_optimal(leg)
        assert_same_path(problem, leg, dense)


def test_the_net_was_asked():
    legs = followed(four_points(RBF), Options(tie_limit=0)) + followed(
        copies_inside_levels(RBF), Options(tie_limit=0)
    )
    assert sum(leg.trace.counts.get("ties", 0) for leg in legs) > 0


@pytest.mark.parametrize("ugly", UGLY)
def test_there_and_back(ugly):
    problem = ugly(RBF)
    legs = followed(problem)
    columns, state = columns_of(problem), legs[-1].trace.state
    for leg in legs[::-1]:
        trace = follow(columns, leg.end, leg.start, state)
        back = Leg(problem.K, leg.end, leg.start, state, trace)
        assert_optimal(back)
        state = trace.state
        for theta in (0.0, 0.3, 0.77, 1.0):
            assert close(problem, back.part.beta(theta), leg.part.beta(1.0 - theta))


@pytest.mark.parametrize("ugly", UGLY)
def test_optimum_of_an_interior_point_method_on_ugly_data(ugly):
    problem = ugly({"name": "linear"})
    stair = problem.staircases()[1]
    theirs = conic.solve(problem.K, stair)
    values = problem.K @ solve(columns_of(problem), stair).beta
    assert np.abs(values - theirs.values).max() <= 5e-6 * max(1.0, np.abs(values).max())


# Generated ------------------------------------------------------------------------------------


@st.composite
def tiny_problems(draw):
    """Few documents with small whole numbers for everything."""
    n = draw(st.integers(2, 7))
    p = draw(st.integers(1, 2))
    X = draw(st.lists(st.lists(st.integers(-1, 2), min_size=p, max_size=p), min_size=n, max_size=n))
    relevance = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    query = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    if len(all_pairs(relevance, query)) == 0:
        relevance, query = list(range(n)), [0] * n
    count = len(all_pairs(relevance, query))
    some = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    kernel = KERNELS[draw(st.sampled_from(sorted(KERNELS)))]
    weights = [np.array(draw(some), dtype=float) for _ in range(2)]
    return make(X, relevance, kernel, *(lambda n, w=w: w for w in weights), query=query)


@settings(max_examples=150, derandomize=True)
@given(tiny_problems())
def test_tiny_paths(problem):
    check(problem)


@settings(max_examples=60)
@given(tiny_problems(), st.sampled_from([None, 0]))
def test_fresh_tiny_paths(problem, tie_limit):
    leg = followed(problem, Options(tie_limit=tie_limit))[0]
    assert_optimal(leg)


@settings(max_examples=60, derandomize=True)
@given(tiny_problems(), st.integers(0, 2**32 - 1))
def test_tiny_starts(problem, seed):
    columns, stair = columns_of(problem), problem.staircases()[0]
    beta = np.random.default_rng(seed).integers(-1, 4, columns.n).astype(float)
    assert within_budget(violation(problem.K, stair, solve(columns, stair, beta).beta))
