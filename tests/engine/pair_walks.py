"""What the tests of pairs share: walks at the documents, their judge, and ugly problems."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.budgets import within_budget
from engine.walks import Leg, walk
from judges import optimality
from judges.ranking import RankingProblem, all_pairs
from weightpath.engine import COMPLETE, follow, solve
from weightpath.kernels import Kernel
from weightpath.kernels.pairs import pair_columns
from weightpath.problems import PreferencePairs

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
    return within_budget(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))


def followed(problem, options=None, state=None) -> list[Leg]:
    """Walk through all weights of a problem at its documents."""
    columns, stairs = columns_of(problem), problem.staircases()
    state = solve(columns, stairs[0]) if state is None else state
    legs = []
    for start, end in pairwise(stairs):
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
        assert within_budget(violation(leg.K, stair, leg.part.beta(place)))


def assert_same_path(problem, leg, dense, seed=0):
    for theta in [0.0, 1.0, *np.random.default_rng(seed).uniform(size=6)]:
        assert close(problem, leg.part.beta(theta), dense.part.beta(theta))


def check(problem, options=None):
    """Follow a problem both ways; assert that the paths are optimal everywhere and the same."""
    legs = followed(problem, options)
    for leg, dense in zip(legs, walk(problem.K, problem.staircases(), options), strict=True):
        assert_optimal(leg)
        assert within_budget(dense.worst_violation())
        assert_same_path(problem, leg, dense)
    return legs


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
