"""Kernel functions that fail once: nothing of what they returned is kept."""

import numpy as np
import pytest

from weightpath.errors import ColumnError, KernelNotSymmetricError
from weightpath.kernels import Kernel

N = 30


def rows(n=N, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def rbf(A, B):
    return np.exp(-0.5 * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


class Moody:
    """A kernel function of which one call goes wrong."""

    def __init__(self, spoil, when):
        self.spoil, self.when, self.calls = spoil, when, 0

    def __call__(self, A, B):
        self.calls += 1
        values = rbf(A, B)
        return self.spoil(values) if self.calls == self.when else values


def lopsided(values):
    # Entry (i, j) grows with j, entry (j, i) with i.
    return values + 0.01 * np.arange(values.shape[1])


def failing(values):
    raise ZeroDivisionError("the kernel function is not well")


SPOILS = {
    "lopsided": (lopsided, ColumnError, "not symmetric|two values"),
    "complex": (lambda values: values + 0.1j, ColumnError, "complex values"),
    "wrong shape": (lambda values: values[:, 1:], ColumnError, "shape"),
    "not finite": (lambda values: values * np.nan, ColumnError, "not finite"),
    "texts": (lambda values: np.full(values.shape, "a"), ColumnError, "no real numbers"),
    "failing": (failing, ZeroDivisionError, "not well"),
}

# The diagonal of 30 rows takes four calls.
FIRST = 5


@pytest.mark.parametrize("cache_mb", [0.0, 0.002, 10.0])
@pytest.mark.parametrize("later", [0, 1, 4, 7])
@pytest.mark.parametrize("name", SPOILS)
def test_a_call_that_goes_wrong_is_not_kept(name, later, cache_mb):
    spoil, error, message = SPOILS[name]
    X = rows()
    function = Moody(spoil, FIRST + later)
    columns = Kernel("callable", function=function).columns(X, cache_mb)
    K = rbf(X, X)
    everything = np.arange(N)
    with pytest.raises(error, match=message):
        columns.submatrix(everything)
    assert columns.is_suspect
    np.testing.assert_array_equal(columns.submatrix(everything), K)
    np.testing.assert_allclose(columns.product(np.ones(N)), K.sum(axis=0), rtol=1e-14)


@pytest.mark.parametrize("cache_mb", [0.0, 10.0])
@pytest.mark.parametrize("name", [name for name in SPOILS if name != "lopsided"])
def test_a_product_that_goes_wrong_is_not_kept(name, cache_mb):
    spoil, error, message = SPOILS[name]
    X = rows()
    columns = Kernel("callable", function=Moody(spoil, FIRST)).columns(X, cache_mb)
    with pytest.raises(error, match=message):
        columns.product(np.ones(N))
    np.testing.assert_allclose(columns.product(np.ones(N)), rbf(X, X).sum(axis=0), rtol=1e-14)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("name", [name for name in SPOILS if name != "lopsided"])
def test_a_handover_that_goes_wrong_can_be_repeated(name, keep):
    spoil, error, message = SPOILS[name]
    X = rows(N + 3)
    function = Moody(spoil, 0)
    columns = Kernel("callable", function=function).columns(X[:N], 10.0)
    columns.submatrix(np.arange(N))
    source = np.append(np.arange(N), [-1, -1, -1])
    # Five calls for the diagonal of the new rows, then the entries that are new.
    function.when = function.calls + 6
    with pytest.raises(error, match=message):
        columns.handover(X, source, keep=keep)
    heir = columns.handover(X, source, keep=keep)
    np.testing.assert_array_equal(heir.submatrix(np.arange(N + 3)), rbf(X, X))


def test_the_wrong_column_may_be_the_older_one():
    """The mismatch shows when a sound column comes, and then the wrong one goes too."""
    X = rows()
    wrong = 0.5 * (np.arange(N) == 9)
    columns = Kernel("callable", function=Moody(lambda values: values + wrong, FIRST))
    columns = columns.columns(X, 10.0)
    assert columns.column(3)[9] == pytest.approx(rbf(X, X)[3, 9] + 0.5)
    with pytest.raises(KernelNotSymmetricError, match=r"The kernel is not symmetric.*\(9, 3\)"):
        columns.column(9)
    np.testing.assert_array_equal(columns.submatrix(np.arange(N)), rbf(X, X))


def test_rounding_is_not_asymmetry():
    X = rows(100)

    def single(A, B):
        return (A.astype(np.float32) @ B.astype(np.float32).T) * np.float32(1.0 / 3.0)

    columns = Kernel("callable", function=single).columns(X, 10.0)
    np.testing.assert_allclose(columns.submatrix(np.arange(100)), X @ X.T / 3.0, atol=1e-5)
    assert not columns.is_suspect


def test_complex_matrices_are_refused():
    K = rbf(rows(), rows()) + 0.1j
    for use in (Kernel("precomputed").columns, Kernel("precomputed").between):
        with pytest.raises(ColumnError, match="complex values"):
            use(K)
    with pytest.raises(ColumnError, match="complex values"):
        Kernel("callable", function=lambda A, B: A @ B.T + 0j).between(rows(), rows())
