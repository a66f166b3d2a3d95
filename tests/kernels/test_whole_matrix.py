"""The whole matrix of columns, shared where it lies in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from weightpath.kernels import Kernel


def sample(n=30):
    return np.random.default_rng(0).normal(size=(n, 3))


def test_is_computed_where_it_fits():
    X = sample()
    columns = Kernel("rbf", gamma=0.5).columns(X)
    matrix = columns.whole()
    np.testing.assert_allclose(matrix, Kernel("rbf", gamma=0.5).between(X, X), rtol=1e-13)
    assert columns.is_full and columns.whole().base is not None
    assert np.shares_memory(columns.whole(), matrix)
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 2.0
    assert Kernel("rbf", gamma=0.5).columns(X, 1e-3).whole() is None


def test_is_shared_where_it_is_given():
    K = Kernel("rbf", gamma=0.5).between(sample(), sample())
    matrix = Kernel("precomputed").columns(K).whole()
    assert np.shares_memory(matrix, K)
    assert K.flags.writeable and not matrix.flags.writeable


def test_after_rows_have_come_and_gone():
    X = sample(80)
    kernel = Kernel("rbf", gamma=0.5)
    columns = kernel.columns(X[:60])
    columns.whole()
    for first in range(1, 12):
        # A window slides: the matrix begins further and further on the diagonal of what is kept.
        rows = X[first : first + 60]
        source = np.append(np.arange(1, 60), -1)
        columns = columns.handover(rows, source, keep=False)
        np.testing.assert_allclose(columns.whole(), kernel.between(rows, rows), rtol=1e-13)
        # The rows may lie apart, and the numbers of a row together.
        assert columns.whole().strides[1] == 8
        assert np.shares_memory(columns.whole(), columns.whole())
