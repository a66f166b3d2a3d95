"""Queries that cannot have an event for a while: tables are not looked at, nothing is missed."""

from dataclasses import replace

import numpy as np
import pytest

from engine.budgets import within_budget
from engine.pair_walks import check, columns_of, followed, make, scores
from engine.walks import walk
from weightpath.engine import Options, solve
from weightpath.engine.leg import LegRunner, resume

N_QUERIES = 12
RBF = {"name": "rbf", "gamma": 0.5}


def many_queries(seed, weight=0.3, shuffled=False, n_each=9, star=False):
    """Return a problem of some queries, its documents sorted by query or not.

    Pairs that close a cycle meet their level together. A ``star`` has none: one document of each
    query is relevant.
    """
    rng = np.random.default_rng(seed)
    n = N_QUERIES * n_each
    query = np.arange(n) // n_each
    if shuffled:
        query = rng.permutation(query)
    X, relevance = rng.normal(size=(n, 3)), rng.integers(0, 3, n)
    if star:
        relevance[:] = 0
        relevance[np.unique(query, return_index=True)[1]] = 1
    target = rng.uniform(0.2, 3.0, n * n_each)
    return make(X, relevance, RBF, weight, lambda n: weight * target[:n], query=query)


def run(problem):
    """Follow a problem; return its queries and its number of events."""
    columns, (start, end) = columns_of(problem), problem.staircases()
    runner = LegRunner(columns, start, end, Options())
    loop = resume(columns, start, end, solve(columns, start), Options())
    runner.run(loop)
    return loop.state.residuals.queries, loop.state.recorder.n_events


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("weight", [0.3, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_events_are_those_of_the_dense_matrix(seed, weight, shuffled):
    problem = many_queries(seed, weight, shuffled, n_each=40, star=True)
    (leg,), (dense,) = followed(problem), walk(problem.K, problem.staircases())
    ours, theirs = leg.trace.record, dense.trace.record
    assert ours.n_events == theirs.n_events > 20
    np.testing.assert_array_equal(ours.event_index, theirs.event_index)
    np.testing.assert_allclose(ours.event_theta, theirs.event_theta, atol=1e-9)


@pytest.mark.parametrize("shuffled", [False, True])
def test_optimal_everywhere(shuffled):
    check(many_queries(7, 0.05, shuffled, n_each=5))


@pytest.mark.parametrize("shuffled", [False, True])
def test_most_tables_are_not_scanned(shuffled):
    queries, n_events = run(many_queries(0, 0.1, shuffled, n_each=20))
    assert queries.n == N_QUERIES
    assert n_events > 200
    assert queries.n_settled > 0
    assert queries.n_scanned < 0.25 * n_events * queries.n


def test_one_query_and_equal_documents():
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(6, 2)), 2, axis=0)
    check(make(X, np.arange(12) % 3, RBF, 0.05, 2.0))


@pytest.mark.parametrize("seed", range(5, 9))
def test_both_ways_of_numbering_documents_give_one_path(seed):
    """The documents have the same scores all along; pairs that are met together may differ."""
    problem = many_queries(seed)
    order = np.random.default_rng(1).permutation(len(problem.query))
    other = replace(
        problem,
        X=problem.X[order],
        relevance=problem.relevance[order],
        query=problem.query[order],
        weights=tuple(np.full(len(w), w[0]) for w in problem.weights),
    )
    same = replace(problem, weights=other.weights)
    (one,), (two,) = followed(same), followed(other)
    for theta in np.concatenate([one.trace.record.theta, two.trace.record.theta]):
        ours, theirs = scores(same, one.part.beta(theta)), scores(other, two.part.beta(theta))
        assert within_budget(np.abs(ours[order] - theirs).max() / max(1.0, np.abs(theirs).max()))
