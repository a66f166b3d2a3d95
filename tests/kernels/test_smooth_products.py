"""Products with the Gaussian kernel of one or two features, by polynomials in boxes."""

import numpy as np
import pytest

from weightpath.datasets import make_toy
from weightpath.engine import follow, solve
from weightpath.kernels import Kernel, StoredColumns
from weightpath.problems import hinge_staircase

N = 3000

# What the direct sum is trusted to, as a part of the sum of its absolute terms; 4.4e-16 is seen.
CLOSE = 2e-15


def exact(X, v, gamma, rows):
    """The product at some rows, and the sums of its absolute terms, in extended precision."""
    X, v = X.astype(np.longdouble), v.astype(np.longdouble)
    values, sizes = [], []
    for row in rows:
        K = np.exp(-np.longdouble(gamma) * ((X - X[row]) ** 2).sum(axis=1))
        values.append(K @ v)
        sizes.append(K @ np.abs(v))
    return np.array(values), np.array(sizes)


def error(columns, X, v, gamma):
    rows = np.random.default_rng(5).choice(len(X), 60, replace=False)
    values, sizes = exact(X, v, gamma, rows)
    return float(np.max(np.abs(columns.product(v)[rows] - values) / sizes))


def drawn(seed, p, share=0.6):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.0, 1.0, (N, p)), rng.normal(size=N) * (rng.random(N) < share)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("gamma", [1e-8, 1e-3, 0.5, 3.0, 40.0, 1e3])
def test_the_direct_sum(p, gamma):
    X, v = drawn(0, p)
    assert error(Kernel("rbf", gamma=gamma).columns(X, 1.0), X, v, gamma) < CLOSE


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e150])
def test_any_unit(scale):
    X, v = drawn(1, 2)
    X *= scale
    gamma = 2.0 / scale**2
    assert error(Kernel("rbf", gamma=gamma).columns(X, 1.0), X, v, gamma) < CLOSE


def test_rows_far_from_the_origin():
    X, v = drawn(2, 2)
    X += 1e7
    assert error(Kernel("rbf", gamma=2.0).columns(X, 1.0), X, v, 2.0) < CLOSE


@pytest.mark.parametrize("far", [30.0, 1e4, 1e300])
def test_outliers(far):
    X, v = drawn(3, 2)
    X[7], X[8] = (far, -far), (-far, 0.5)
    assert error(Kernel("rbf", gamma=2.0).columns(X, 1.0), X, v, 2.0) < CLOSE


def test_a_feature_that_is_constant_and_rows_that_are_equal():
    X, v = drawn(4, 2)
    X[:, 1] = 0.3
    X[100:400] = X[50]
    columns = Kernel("rbf", gamma=1.5).columns(X, 1.0)
    assert error(columns, X, v, 1.5) < CLOSE
    product = columns.product(v)
    assert (product[100:400] == product[50]).all()


def test_all_terms_positive_and_one_term():
    X, v = drawn(5, 2)
    columns = Kernel("rbf", gamma=0.5).columns(X, 1.0)
    assert error(columns, X, np.abs(v), 0.5) < CLOSE
    one = np.zeros(N)
    one[17] = 3.0
    np.testing.assert_allclose(columns.product(one), 3.0 * columns.column(17), rtol=1e-14)


def test_what_is_held_does_not_matter():
    X, v = drawn(6, 2)
    kernel = Kernel("rbf", gamma=0.5)
    columns = kernel.columns(X, 1000.0)
    first = columns.product(v)
    for i in range(0, N, 7):
        columns.column(i)
    np.testing.assert_array_equal(columns.product(v), first)
    columns.whole()
    np.testing.assert_array_equal(columns.product(v), first)


def test_rows_that_slid():
    X, v = drawn(7, 2)
    kernel = Kernel("rbf", gamma=0.5)
    columns = kernel.columns(X[:-1], 50.0)
    for gone in range(1, 40):
        kept = np.vstack([X[gone:-1], X[:gone]])
        source = np.append(np.arange(1, N - 1), -1)
        columns = columns.handover(kept, source, keep=False)
    assert error(columns, kept, v[:-1], 0.5) < CLOSE


def test_no_matrix_is_built_for_products():
    X, v = drawn(8, 2)
    columns = Kernel("rbf", gamma=0.5).columns(X, 1000.0)
    for _ in range(20):
        columns.product(v)
    assert not columns.is_full and columns.n_bytes < 5e6


@pytest.mark.parametrize("seed", range(3))
def test_the_path_of_stored_columns(seed):
    toy = make_toy(1500, random_state=seed)
    kernel = Kernel("rbf", gamma=toy.gamma)
    start, end = hinge_staircase(toy.y, toy.C_old), hinge_staircase(toy.y, toy.C_new)
    stored = StoredColumns(kernel.between(toy.X, toy.X))
    traces = []
    for columns in (kernel.columns(toy.X, 3.0), stored):
        traces.append(follow(columns, start, end, solve(columns, start)))
    quick, plain = traces
    assert quick.counts["n_events"] > 500
    np.testing.assert_array_equal(quick.record.event_index, plain.record.event_index)
    np.testing.assert_allclose(quick.record.event_theta, plain.record.event_theta, atol=1e-7)
    f = stored.product(quick.state.beta) - stored.product(plain.state.beta)
    assert np.abs(f).max() < 1e-8
