"""Kernels as formulas: values, products in blocks, saving, wrong parameters."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import pairwise_kernels

from weightpath.errors import ColumnError
from weightpath.kernels import Kernel

NAMES = ["linear", "poly", "rbf", "sigmoid"]
PARAMETERS = {"gamma": 0.4, "degree": 2, "coef0": 0.3}


def make_rows(n, p, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6)


def as_given(X, sparse):
    return csr_array(X) if sparse else X


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_between_and_diagonal(name, sparse):
    A, B = make_rows(13, 4, 0), make_rows(9, 4, 1)
    kernel = Kernel(name, **PARAMETERS)
    expected = pairwise_kernels(A, B, metric=name, filter_params=True, **PARAMETERS)
    values = kernel.between(as_given(A, sparse), as_given(B, sparse))
    assert isinstance(values, np.ndarray)
    assert np.allclose(values, expected, rtol=1e-13, atol=1e-14)
    own = pairwise_kernels(A, metric=name, filter_params=True, **PARAMETERS).diagonal()
    assert np.allclose(kernel.diagonal(as_given(A, sparse)), own, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_one_side_sparse(name):
    A, B = make_rows(6, 4, 0), make_rows(5, 4, 1)
    kernel = Kernel(name, **PARAMETERS)
    expected = kernel.between(A, B)
    assert np.allclose(kernel.between(csr_array(A), B), expected, rtol=1e-13, atol=1e-14)
    assert np.allclose(kernel.between(A, csr_array(B)), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(9,), (9, 3)])
def test_product(name, sparse, shape):
    A, X = make_rows(13, 4, 0), make_rows(9, 4, 1)
    coef = np.random.default_rng(2).normal(size=shape)
    coef[[1, 4]] = 0.0
    kernel = Kernel(name, **PARAMETERS)
    expected = kernel.between(A, X) @ coef
    for block_mb in (1e-6, 2e-4, 64.0):
        product = kernel.product(as_given(A, sparse), as_given(X, sparse), coef, block_mb)
        assert product.shape == expected.shape
        assert np.allclose(product, expected, rtol=1e-12, atol=1e-13)
    nothing = kernel.product(as_given(A, sparse), as_given(X, sparse), 0.0 * coef)
    assert nothing.shape == expected.shape
    assert not nothing.any()


def test_precomputed():
    K = np.arange(12.0).reshape(3, 4)
    kernel = Kernel("precomputed")
    coef = np.array([1.0, 0.0, 2.0, 0.0])
    assert kernel.between(K) is not None
    assert (kernel.between(K, None) == K).all()
    assert (kernel.product(K, None, coef) == K @ coef).all()
    assert (kernel.diagonal(K[:, :3]) == [0.0, 5.0, 10.0]).all()


def test_callable():
    kernel = Kernel("callable", function=lambda A, B: A @ B.T + 1.0)
    A, X = make_rows(30, 4, 0), make_rows(9, 4, 1)
    coef = np.ones(9)
    assert np.allclose(kernel.between(A, X), A @ X.T + 1.0)
    assert np.allclose(kernel.product(A, X, coef, 1e-4), (A @ X.T + 1.0) @ coef)
    assert np.allclose(kernel.diagonal(A), (A**2).sum(axis=1) + 1.0)
    with pytest.raises(ValueError, match="cannot be saved"):
        kernel.to_dict()
    with pytest.raises(ColumnError, match="shape"):
        Kernel("callable", function=lambda A, B: np.ones(3)).between(A, X)


@pytest.mark.parametrize("name", [*NAMES, "precomputed"])
def test_saved_and_loaded(name):
    kernel = Kernel(name, **PARAMETERS)
    assert Kernel.from_dict(kernel.to_dict()) == kernel


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"name": "cosine"}, "Unknown kernel"),
        ({"name": "callable"}, "function"),
        ({"name": "rbf", "function": len}, "function"),
        ({"name": "rbf", "gamma": -1.0}, "gamma"),
        ({"name": "rbf", "gamma": np.inf}, "gamma"),
        ({"name": "poly", "degree": 1.5}, "degree"),
        ({"name": "poly", "degree": -1}, "degree"),
        ({"name": "sigmoid", "coef0": np.nan}, "coef0"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        Kernel(**parameters)
