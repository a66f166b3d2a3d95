"""Columns, products and submatrices against scikit-learn's pairwise kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.metrics.pairwise import pairwise_kernels

from weightpath.kernels import Kernel

NAMES = ["linear", "poly", "rbf", "sigmoid"]


def make_kernel(name, gamma=0.3, degree=3, coef0=0.7):
    return Kernel(name, gamma=gamma, degree=degree, coef0=coef0)


def reference(kernel, X):
    """The kernel matrix by scikit-learn; distances by differences for the rbf kernel."""
    X = X.toarray() if not isinstance(X, np.ndarray) else X
    parameters = {"gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    if kernel.name == "rbf":
        squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-kernel.gamma * squares)
    return pairwise_kernels(X, metric=kernel.name, filter_params=True, **parameters)


def make_rows(n, p, seed=0, density=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) / np.sqrt(p)
    if density is None:
        return X
    return csr_array(np.where(rng.random((n, p)) < density, X, 0.0))


def matrix_of(columns):
    return np.column_stack([columns.column(i) for i in range(columns.n)])


def relative_error(actual, expected):
    return np.abs(actual - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (31, 2), (32, 5), (33, 4), (70, 9), (150, 40)])
@pytest.mark.parametrize("name", NAMES)
def test_against_scikit_learn(name, n, p, sparse):
    X = make_rows(n, p, density=0.4 if sparse else None)
    kernel = make_kernel(name)
    K = reference(kernel, X)
    columns = kernel.columns(X, 10.0)
    assert columns.n == n
    assert relative_error(matrix_of(columns), K) < 1e-14
    assert relative_error(columns.diagonal, K.diagonal()) < 1e-14
    index = np.random.default_rng(1).permutation(n)[: n // 2 + 1]
    assert relative_error(columns.submatrix(index), K[np.ix_(index, index)]) < 1e-14
    for share in (0.0, 0.1, 1.0):
        v = np.where(np.random.default_rng(2).random(n) < share, 1.0, 0.0)
        bound = 1e-14 * (1.0 + np.abs(K).sum())
        assert np.abs(columns.product(v) - K @ v).max() <= bound


def test_scikit_learn_rbf():
    X = make_rows(60, 6)
    expected = pairwise_kernels(X, metric="rbf", gamma=0.3)
    assert relative_error(matrix_of(make_kernel("rbf").columns(X, 1.0)), expected) < 1e-14


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4, 7])
def test_degrees(degree):
    X = make_rows(40, 3)
    kernel = make_kernel("poly", degree=degree)
    assert relative_error(matrix_of(kernel.columns(X, 1.0)), reference(kernel, X)) < 1e-14


@pytest.mark.parametrize("cache_mb", [0.0, 10.0])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_symmetric_and_equal_on_duplicates_to_the_last_bit(name, sparse, cache_mb):
    X = make_rows(90, 7, density=0.5 if sparse else None)
    copies = np.r_[np.arange(90), 3, 40, 89]
    columns = make_kernel(name).columns(X[copies], cache_mb)
    before = matrix_of(columns)
    columns.product(np.ones(93))
    K = matrix_of(columns)
    assert (before == K).all()
    assert (K == K.T).all()
    assert (K.diagonal() == columns.diagonal).all()
    for copy, original in ((90, 3), (91, 40), (92, 89)):
        assert (K[:, copy] == K[:, original]).all()
        if name == "rbf":
            assert K[copy, original] == 1.0


def test_rbf_far_from_the_origin_keeps_its_digits():
    X = make_rows(50, 3)
    shifted = X + 2.0**20
    exact = shifted - 2.0**20
    kernel = make_kernel("rbf")
    assert relative_error(matrix_of(kernel.columns(shifted, 1.0)), reference(kernel, exact)) < 1e-14


def test_rbf_of_rows_whose_distance_overflows_is_zero():
    columns = Kernel("rbf").columns(np.array([[1e200], [-1e200]]), 1.0)
    assert (matrix_of(columns) == np.eye(2)).all()


@pytest.mark.parametrize("name", NAMES)
def test_sparse_equals_dense(name):
    X = make_rows(64, 30, density=0.2)
    kernel = make_kernel(name)
    sparse = matrix_of(kernel.columns(X, 1.0))
    assert relative_error(sparse, matrix_of(kernel.columns(X.toarray(), 1.0))) < 1e-14


def test_sparse_rows_out_of_order_and_with_repeated_entries():
    X = csr_matrix(
        (np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 1, 1]), np.array([0, 2, 4, 4])), (3, 3)
    )
    kernel = make_kernel("rbf")
    columns = kernel.columns(X, 1.0)
    assert relative_error(matrix_of(columns), reference(kernel, X)) < 1e-14
    assert X.nnz == 4
    assert X.indices.tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("name", NAMES)
def test_sparse_without_entries(name):
    kernel = make_kernel(name)
    X = csr_array((5, 3))
    columns = kernel.columns(X, 1.0)
    assert np.allclose(matrix_of(columns), reference(kernel, X), rtol=1e-14)
    assert columns.product(np.ones(5)).shape == (5,)


def test_precomputed():
    X = make_rows(20, 3)
    K = X @ X.T
    K = (K + K.T) / 2
    columns = Kernel("precomputed").columns(K, 1.0)
    v = np.random.default_rng(0).normal(size=20)
    few = np.where(np.arange(20) == 7, 1.0, 0.0)
    assert (matrix_of(columns) == K).all()
    assert (columns.diagonal == K.diagonal()).all()
    assert relative_error(columns.product(v), K @ v) < 1e-14
    assert (columns.product(few) == K[:, 7]).all()
    assert columns.n_bytes == 0
    assert columns.n_computed == 0
    with pytest.raises(ValueError, match="square"):
        Kernel("precomputed").columns(K[:5], 1.0)


def test_wrong_indices_and_lengths():
    columns = make_kernel("rbf").columns(make_rows(5, 2), 1.0)
    for index in (-1, 5):
        with pytest.raises(IndexError, match=r"0 \.\.\. 4"):
            columns.column(index)
    with pytest.raises(ValueError, match="length 5"):
        columns.product(np.ones(4))


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 80),
    p=st.integers(1, 12),
    name=st.sampled_from(NAMES),
    sparse=st.booleans(),
    cache_mb=st.sampled_from([0.0, 0.01, 1.0]),
    seed=st.integers(0, 1000),
)
def test_any_shape(n, p, name, sparse, cache_mb, seed):
    X = make_rows(n, p, seed, 0.5 if sparse else None)
    kernel = make_kernel(name)
    K = reference(kernel, X)
    columns = kernel.columns(X, cache_mb)
    rng = np.random.default_rng(seed)
    bound = 1e-14 * (1.0 + np.abs(K).sum())
    for _ in range(3):
        v = rng.normal(size=n) * (rng.random(n) < rng.random())
        assert np.abs(columns.product(v) - K @ v).max() <= bound
        i = rng.integers(n)
        assert np.abs(columns.column(i) - K[:, i]).max() <= bound


@pytest.mark.parametrize("n", [1, 40, 400])
@pytest.mark.parametrize("name", NAMES)
def test_values_of_the_last_rows(name, n):
    X, kernel = make_rows(n + 3, 4), make_kernel(name)
    v = np.random.default_rng(3).normal(size=n)
    for rows in (X, csr_matrix(X)):
        columns = kernel.columns(rows, 10.0)
        expected = reference(kernel, X)[n:, :n] @ v
        np.testing.assert_allclose(columns.values_of_last(v), expected, rtol=1e-12, atol=1e-12)
        assert columns.values_of_last(np.append(v, np.zeros(3))).size == 0
        with pytest.raises(ValueError, match="at most"):
            columns.values_of_last(np.zeros(n + 4))


def test_readings_of_the_diagonal():
    columns = make_kernel("linear").columns(np.array([[1.0], [3.0], [2.0]]), 1.0)
    assert columns.largest_diagonal() == 9.0
    assert columns.is_finite_from(0)


def test_a_diagonal_that_overflows():
    columns = make_kernel("linear").columns(np.array([[1.0], [1e200], [2.0]]), 1.0)
    assert [columns.is_finite_from(first) for first in range(4)] == [False, False, True, True]
