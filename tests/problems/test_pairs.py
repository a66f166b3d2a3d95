"""Preference pairs against double loops over the documents."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.ranking import all_pairs, random_problem
from weightpath.problems import PreferencePairs, ranking_staircase


def assert_pairs(relevance, query):
    pairs = PreferencePairs.of(np.asarray(relevance), np.asarray(query))
    expected = all_pairs(relevance, query)
    np.testing.assert_array_equal(pairs.table, expected)
    assert len(pairs) == len(expected)
    assert pairs.table.shape == expected.shape
    assert pairs.n_documents == len(relevance)
    # Every table is full: each of its uppers with each of its lowers.
    for k in range(pairs.n_tables):
        upper = pairs.upper[pairs.upper_start[k] : pairs.upper_start[k + 1]]
        lower = pairs.lower[pairs.lower_start[k] : pairs.lower_start[k + 1]]
        own = pairs.table[pairs.pair_start[k] : pairs.pair_start[k + 1]]
        assert own.tolist() == [[a, b] for a in upper for b in lower]
        assert upper.size and lower.size
        assert len({relevance[a] for a in upper}) == 1
    return pairs


CASES = {
    "one query": ([0, 2, 1, 1, 0], [1, 1, 1, 1, 1]),
    "unsorted queries": ([0, 1, 2, 0, 1, 2, 2, 0], [7, 3, 7, 3, 3, 7, 3, 7]),
    "a query of one level": ([1, 1, 0, 1, 1, 2], [1, 1, 2, 2, 1, 2]),
    "a query of one document": ([5, 0, 1], [3, 1, 1]),
    "nothing to prefer": ([1, 1, 2], [1, 1, 2]),
    "no documents": ([], []),
    "continuous relevances": ([0.5, -1.25, 3.0, 0.5, 1e-9, 0.0], [0, 0, 0, 0, 0, 0]),
    "names of queries": ([0, 1, 0, 2, 1], ["b", "a", "a", "b", "b"]),
    "negative and large queries": ([0, 1, 1, 0], [-5, -5, 2**62, 2**62]),
    "queries that are no whole numbers": ([0, 1, 1, 0], [0.5, 0.5, 0.25, 0.25]),
    "true and false": ([True, False, True], [0, 0, 0]),
    "two documents each": ([1, 0, 0, 1, 3, 2], [0, 0, 1, 1, 2, 2]),
}


@pytest.mark.parametrize("name", CASES)
def test_pairs_are_those_of_the_double_loop(name):
    assert_pairs(*CASES[name])


@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 3)), max_size=14),
    st.sampled_from([int, float, str]),
)
@settings(max_examples=80, derandomize=True)
def test_any_documents(documents, kind):
    relevance = [relevance for relevance, _ in documents]
    assert_pairs(relevance, np.array([kind(query) for _, query in documents]))


def test_relevances_of_any_size_and_order_only():
    rng = np.random.default_rng(0)
    relevance, query = rng.normal(size=30), rng.integers(0, 3, 30)
    pairs = assert_pairs(relevance, query)
    other = PreferencePairs.of(np.exp(5 * relevance), query)
    np.testing.assert_array_equal(pairs.table, other.table)
    # As many levels as documents: a table for each but the lowest of each query.
    assert pairs.n_tables == 30 - 3


@pytest.mark.parametrize("seed", range(6))
def test_gather_and_differences_are_adjoint(seed):
    problem = random_problem(seed)
    pairs = PreferencePairs.of(problem.relevance, problem.query)
    rng = np.random.default_rng(seed)
    coef = rng.normal(size=(3, 2, len(pairs)))
    values = rng.normal(size=(3, 2, pairs.n_documents))
    np.testing.assert_allclose(pairs.gather(coef), coef @ problem.D, atol=1e-13)
    np.testing.assert_array_equal(pairs.differences(values), values @ problem.D.T)
    np.testing.assert_allclose(
        np.sum(pairs.gather(coef) * values, axis=-1),
        np.sum(coef * pairs.differences(values), axis=-1),
        atol=1e-12,
    )
    np.testing.assert_allclose(pairs.gather(coef[0, 0]), problem.D.T @ coef[0, 0], atol=1e-13)
    assert pairs.gather(np.zeros((0, len(pairs)))).shape == (0, pairs.n_documents)


def test_arrays_cannot_be_written_and_survive_a_pickle():
    pairs = assert_pairs([0, 1, 2, 1], [0, 0, 0, 0])
    with pytest.raises(ValueError, match="read-only"):
        pairs.first[0] = 3
    copy = pickle.loads(pickle.dumps(pairs))
    np.testing.assert_array_equal(copy.table, pairs.table)
    np.testing.assert_array_equal(copy.gather(np.arange(5.0)), pairs.gather(np.arange(5.0)))


def test_staircase():
    stair = ranking_staircase([0.0, 2.0])
    assert not stair.has_bias
    np.testing.assert_array_equal(stair.target, [1.0, 1.0])
    np.testing.assert_array_equal(stair.knots, [[0.0, 0.0], [0.0, 2.0]])
    # The hinge loss of the residual, times the weight.
    np.testing.assert_array_equal(stair.loss(np.array([3.0, 0.5])), [0.0, 1.0])
    np.testing.assert_array_equal(stair.loss(np.array([-1.0, -0.5])), [0.0, 0.0])
