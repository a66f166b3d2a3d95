"""The operator of pairs against the dense matrix of differences."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from judges.ranking import RankingProblem, all_pairs, random_problem
from weightpath.kernels import Kernel
from weightpath.kernels.pairs import PairColumns, pair_columns
from weightpath.problems import PreferencePairs

KINDS = ["dense", "sparse", "precomputed", "callable", "without a cache"]

# A problem of some hundred pairs.
MANY_PAIRS = 12


def make(problem, kind="dense"):
    """Return the operator of a problem, by one of the ways to hold its documents."""
    kernel, X, cache = Kernel(**problem.kernel), problem.X, 1.0
    if kind == "sparse":
        X = csr_array(X)
    elif kind == "precomputed":
        kernel, X = Kernel("precomputed"), problem.G
    elif kind == "callable":
        kernel = Kernel("callable", function=kernel.between)
    elif kind == "without a cache":
        cache = 0.0
    pairs = PreferencePairs.of(problem.relevance, problem.query)
    return pair_columns(kernel, X, pairs, kernel.columns(X, cache))


def close(actual, expected, size):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=4e-14 * (size + 1.0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_equals_the_dense_matrix(seed, kind):
    problem = random_problem(seed)
    columns = make(problem, kind)
    size = np.abs(problem.G).max()
    n = columns.n
    assert n == len(problem.table)
    close(columns.entries(np.arange(n), np.arange(n)), problem.K, size)
    close(columns.diagonal, problem.K.diagonal(), size)
    assert (np.asarray(columns.diagonal) >= 0.0).all()
    close(columns.column(n // 2), problem.K[:, n // 2], size)
    some = np.random.default_rng(seed).permutation(n)[: n // 2 + 1]
    close(columns.submatrix(some), problem.K[np.ix_(some, some)], size)
    rng = np.random.default_rng(seed)
    for share in (0.0, 0.1, 1.0):
        v = rng.normal(size=n) * (rng.random(n) < share)
        bound = size * (1.0 + np.abs(v).sum())
        close(columns.product(v), problem.K @ v, bound)
        close(columns.points(v), problem.G @ (problem.D.T @ v), bound)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pinned_column_has_the_length_of_documents(kind):
    problem = random_problem(1)
    columns = make(problem, kind)
    half = problem.G @ problem.D.T
    for i in range(columns.n):
        held = columns.hold(i)
        assert held.shape == (len(problem.X),)
        close(held, half[:, i], np.abs(problem.G).max())
        columns.release(i)


@pytest.mark.parametrize("kind", KINDS)
def test_many_pins_at_once(kind):
    """Pinned columns stay as they are while others come and go around them."""
    problem = random_problem(MANY_PAIRS)
    columns = make(problem, kind)
    half, size = problem.G @ problem.D.T, np.abs(problem.G).max()
    rng = np.random.default_rng(0)
    held = {}
    for turn in range(300):
        i = int(rng.integers(columns.n))
        if i in held and rng.random() < 0.6:
            columns.release(i)
            held[i][0] -= 1
            if held[i][0] == 0:
                del held[i]
        else:
            view = columns.hold(i)
            if i in held:
                # Pinned again: the same numbers in the same place.
                assert view.__array_interface__["data"] == held[i][1].__array_interface__["data"]
                held[i][0] += 1
            else:
                held[i] = [1, view]
        if turn % 20 == 19:
            close([view for _, view in held.values()], half[:, list(held)].T, size)
    assert len(held) > 8


def test_columns_are_computed_once_while_they_are_kept():
    problem = random_problem(2)
    columns = make(problem)
    columns.hold(0)
    before = columns.n_computed
    columns.hold(0)
    columns.release(0)
    columns.release(0)
    columns.hold(0)
    assert columns.n_computed == before
    # More releases than pins are ignored.
    for _ in range(3):
        columns.release(0)
    assert columns.n_bytes >= 8 * len(problem.X)


def test_copies_have_columns_of_exact_zeros():
    X = np.array([[0.3, 1.7], [0.3, 1.7], [2.0, 0.1], [2.0, 0.1]])
    relevance, query = np.array([1, 0, 0, 1]), np.zeros(4, dtype=int)
    table = all_pairs(relevance, query)
    for kernel in ({"name": "rbf", "gamma": 0.7}, {"name": "linear"}, {"name": "poly"}):
        problem = RankingProblem("copies", X, kernel, relevance, query, ())
        columns = make(problem)
        same = np.flatnonzero((X[table[:, 0]] == X[table[:, 1]]).all(axis=1))
        assert len(same) == 2
        for i in same:
            assert (columns.column(i) == 0.0).all()
            # Its own distance is computed by a formula; it may miss zero by a rounding only.
            assert columns.diagonal[i] == pytest.approx(0.0, abs=1e-13 * np.abs(problem.G).max())


@pytest.mark.parametrize("cache_mb", [0.0, 1.0])
def test_errors_of_a_kernel_function_come_through(cache_mb):
    problem = random_problem(4)
    plain, broken = Kernel(**problem.kernel), []

    def fragile(A, B):
        if broken:
            raise ZeroDivisionError("no kernel today")
        return plain.between(A, B)

    kernel = Kernel("callable", function=fragile)
    pairs = PreferencePairs.of(problem.relevance, problem.query)
    columns = pair_columns(kernel, problem.X, pairs, kernel.columns(problem.X, cache_mb))
    n, v = columns.n, np.ones(len(pairs))
    broken.append(True)
    for call in (
        lambda: columns.column(n - 1),
        lambda: columns.hold(0),
        lambda: columns.product(v),
        lambda: columns.points(v),
        lambda: columns.submatrix(np.arange(n)),
    ):
        with pytest.raises(Exception, match="no kernel today"):
            call()
    broken.clear()
    # Nothing is left of the failures.
    close(columns.entries(np.arange(n), np.arange(n)), problem.K, np.abs(problem.G).max())
    close(columns.product(v), problem.K @ v, np.abs(problem.G).max() * n)


def test_a_function_of_the_wrong_shape_is_named():
    problem = random_problem(4)
    kernel = Kernel("callable", function=lambda A, B: np.ones(3))
    with pytest.raises(Exception, match="shape"):
        kernel.columns(problem.X, 1.0)


def test_parts_that_do_not_fit():
    problem = random_problem(3)
    kernel = Kernel(**problem.kernel)
    pairs = PreferencePairs.of(problem.relevance, problem.query)
    with pytest.raises(ValueError, match="do not fit"):
        PairColumns(kernel.columns(problem.X[1:], 1.0), pairs, np.ones(len(pairs)))
    with pytest.raises(ValueError, match="do not fit"):
        PairColumns(kernel.columns(problem.X, 1.0), pairs, np.ones(len(pairs) + 1))
    columns = make(problem)
    with pytest.raises(ValueError, match="length"):
        columns.product(np.ones(columns.n + 1))
    with pytest.raises(IndexError, match=r"0 \.\.\. "):
        columns.column(columns.n)
    assert columns.structure.n_documents == len(problem.X)
