"""Pairs followed at their documents: the same paths as on the dense matrix of pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.walks import Leg, walk
from judges import conic, optimality
from judges.ranking import RankingProblem, all_pairs, random_problem
from weightpath.engine import COMPLETE, STOPPED_AT_CAP, Options, follow, solve
from weightpath.engine.journey import Journey
from weightpath.engine.start import begin
from weightpath.errors import PathError
from weightpath.kernels import Kernel
from weightpath.kernels.pairs import pair_columns
from weightpath.problems import PreferencePairs

LIMIT = 1e-8
RBF = {"name": "rbf", "gamma": 0.5}


def columns_of(problem):
    """Return the operator that knows its documents."""
    kernel = Kernel(**problem.kernel)
    pairs = PreferencePairs.of(problem.relevance, problem.query)
    return pair_columns(kernel, problem.X, pairs, kernel.columns(problem.X, 1.0))


def scores(problem, beta):
    """Return the values of all documents."""
    return problem.G @ (problem.D.T @ beta)


def close(problem, beta, other):
    ours, theirs = scores(problem, beta), scores(problem, other)
    return np.abs(ours - theirs).max() <= LIMIT * max(1.0, np.abs(theirs).max())


def followed(problem, options=None, state=None) -> list[Leg]:
    """Walk through all weights of a problem at its documents."""
    columns, stairs = columns_of(problem), problem.staircases()
    state = solve(columns, stairs[0]) if state is None else state
    legs = []
    for start, end in zip(stairs, stairs[1:], strict=False):
        trace = follow(columns, start, end, state, options)
        legs.append(Leg(problem.K, start, end, state, trace))
        state = trace.state
    return legs


def violation(K, stair, beta):
    """Return the distance from optimality beyond rounding, from the dense matrix."""
    found = optimality.violation(K, stair, beta)
    return max(found.worst - found.noise, 0.0)


def assert_optimal(leg, status=COMPLETE):
    """Every breakpoint and every middle of a segment, judged on the dense matrix."""
    assert leg.trace.status == status
    record = leg.trace.record
    record.validate()
    theta = record.theta
    for place in np.concatenate([theta, 0.5 * (theta[1:] + theta[:-1])]):
        stair = leg.start.between(leg.end, place)
        assert violation(leg.K, stair, leg.part.beta(place)) <= LIMIT


def assert_same_path(problem, leg, dense, seed=0):
    for theta in [0.0, 1.0, *np.random.default_rng(seed).uniform(size=6)]:
        assert close(problem, leg.part.beta(theta), dense.part.beta(theta))


def check(problem, options=None):
    """Follow a problem both ways; assert that the paths are optimal everywhere and the same."""
    legs = followed(problem, options)
    for leg, dense in zip(legs, walk(problem.K, problem.staircases(), options), strict=True):
        assert_optimal(leg)
        assert dense.worst_violation() <= LIMIT
        assert_same_path(problem, leg, dense)
    return legs


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


# Ugly on purpose ------------------------------------------------------------------------------


def make(X, relevance, kernel, *weights, query=None):
    """Return a problem; a weight is a number, or a function of the number of pairs."""
    relevance = np.asarray(relevance)
    query = np.zeros(len(relevance), dtype=int) if query is None else np.asarray(query)
    n = len(all_pairs(relevance, query))
    visited = tuple(w(n) if callable(w) else np.full(n, float(w)) for w in weights)
    return RankingProblem("made", np.asarray(X, dtype=float), kernel, relevance, query, visited)


def four_points(kernel):
    """Four points of the plane, six copies of each, under two relevances each."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[np.arange(24) % 4]
    relevance = X.sum(axis=1) + (np.arange(24) // 4 % 3 == 0)
    return make(X, relevance, kernel, 0.001, 2.0, 2.0, 0.01)


def one_point(kernel):
    """All documents equal: no pair can ever be satisfied."""
    return make(np.ones((8, 2)), np.arange(8) % 2, kernel, 0.5, 3.0)


def copies_across_levels(kernel):
    """Each document once as relevant and once as not, and others."""
    X = np.random.default_rng(0).normal(size=(7, 2))
    twice = np.vstack([X, X, X[:3] + 1.0])
    relevance = np.array([1] * 7 + [0] * 7 + [2, 0, 1])
    return make(twice, relevance, kernel, 0.2, lambda n: np.arange(n) % 3.0, 40.0)


def copies_inside_levels(kernel):
    X = np.repeat(np.random.default_rng(1).normal(size=(5, 2)), 3, axis=0)
    return make(X, np.repeat([0, 1, 2, 1, 0], 3), kernel, 0.05, 5.0)


def mirrored(kernel):
    """Points on a line, mirrored: many meetings at one theta."""
    x = np.arange(-4, 5.0)[:, None]
    return make(np.vstack([x, -x]), np.abs(np.arange(18) % 9 - 4), kernel, 0.01, 1.0)


def orthogonal(kernel):
    """All pairs meet their level together."""
    return make(np.eye(8), np.arange(8) // 4, {"name": "linear"}, 0.01, 1.0)


def two_documents_each(kernel):
    X = np.random.default_rng(2).integers(0, 3, size=(16, 2))
    query = np.arange(16) // 2
    return make(X, np.arange(16) % 2, kernel, 0.1, lambda n: 1.0 + np.arange(n) % 2, query=query)


def from_nothing(kernel):
    """No weight at all at one end."""
    X = np.random.default_rng(3).integers(0, 3, size=(12, 2))
    return make(X, np.arange(12) % 4, kernel, 0.0, 1.0, 0.0)


def zero_at_both_ends(kernel):
    """A third of the pairs never has a weight, a third loses and a third gains one."""
    X = np.random.default_rng(4).normal(size=(12, 2))
    relevance = np.random.default_rng(4).integers(0, 4, 12)

    def first(n):
        return np.where(np.arange(n) % 3 == 0, 2.0, 0.0)

    def second(n):
        return np.where(np.arange(n) % 3 == 1, 3.0, 0.0)

    return make(X, relevance, kernel, first, second, first)


def one_order(kernel):
    """As many relevances as documents."""
    return make(np.random.default_rng(5).normal(size=(13, 2)), np.arange(13), kernel, 1e-3, 10.0)


UGLY = [
    four_points,
    one_point,
    copies_across_levels,
    copies_inside_levels,
    mirrored,
    orthogonal,
    two_documents_each,
    from_nothing,
    zero_at_both_ends,
    one_order,
]
KERNELS = {"linear": {"name": "linear"}, "rbf": RBF, "poly": {"name": "poly", "coef0": 1.0}}


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


# Starts, ends and caps --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(16))
def test_starts_from_anywhere(seed):
    problem = random_problem(200 + seed, most=14)
    columns, stair = columns_of(problem), problem.staircases()[0]
    rng = np.random.default_rng(seed)
    solution = solve(columns, stair)
    assert violation(problem.K, stair, solution.beta) <= LIMIT
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
        assert violation(problem.K, stair, other.beta) <= LIMIT
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
        journey = Journey(columns, stair, stair, Options(), repairable=False)
        beta = np.zeros(columns.n)
        loop = begin(columns, stair, beta, 0.0, Options(), np.random.default_rng(0))
        state = journey.run(loop)[0]
        journey.close()
        assert violation(problem.K, stair, state.beta) <= LIMIT
        total += journey.counts["n_exchanges"]
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
        try:
            trace = follow(columns, start, end, before, Options(max_events=most))
        except PathError as error:
            # A path whose first events are all at theta = 0 has no segment.
            assert "max_events" in str(error)
            continue
        leg = Leg(problem.K, start, end, before, trace)
        assert_optimal(leg, STOPPED_AT_CAP)
        assert trace.record.n_events <= most + 1
        stop = trace.record.theta[-1]
        assert close(problem, leg.part.beta(stop), full.part.beta(stop))


def test_an_error_of_the_callback_ends_the_path():
    class Enough(Exception):
        pass

    def tell(theta, n_events, margin_size):
        assert 0.0 <= theta <= 1.0
        assert n_events > 0
        raise Enough

    # One leg of many events: the callback is called now and then only.
    X = np.random.default_rng(0).normal(size=(100, 4))
    relevance = np.random.default_rng(1).integers(0, 3, 100)
    problem = make(X, relevance, RBF, 1.0, lambda n: 1.0 + np.arange(n) % 4)
    columns, (start, end) = columns_of(problem), problem.staircases()
    before = solve(columns, start)
    whole = follow(columns, start, end, before)
    assert whole.record.n_events > 600
    with pytest.raises(Enough):
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
    assert violation(problem.K, stair, solve(columns, stair, beta).beta) <= LIMIT
