"""Residuals in which only the last rounding counts, against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from weightpath.kernels import Kernel, StoredColumns
from weightpath.kernels._exact_residuals import exact_residuals
from weightpath.kernels._feature_columns import FeatureColumns
from weightpath.kernels._feature_rows import FeatureRows

LINEAR = Kernel("linear")


def problem(n=40, p=5):
    """Large sums that all but cancel."""
    rng = np.random.default_rng(0)
    X = 1e6 * (10.0 + rng.normal(size=(n, p)))
    beta = np.where(rng.random(n) < 0.7, rng.normal(size=n), 0.0)
    beta[0] -= beta.sum()
    return X, rng.normal(size=n), beta, 0.3, 0.7


def in_fractions(K, target, beta, bias, ridge):
    """Each residual rounded once; the matrix is given in fractions."""
    beta, target = ([Fraction(float(v)) for v in values] for values in (beta, target))
    return [
        float(
            target[i]
            - sum(k * b for k, b in zip(K[i], beta, strict=True))
            - Fraction(bias)
            - Fraction(ridge) * beta[i]
        )
        for i in range(len(beta))
    ]


def products_of(X):
    rows = [[Fraction(float(v)) for v in row] for row in X]
    return [[sum(a * b for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("some", [False, True])
def test_rows_of_features(kind, some):
    X, target, beta, bias, ridge = problem()
    X, rows = X.astype(kind), np.arange(len(X))[::-1].copy() if some else None
    columns = FeatureColumns(FeatureRows(X, rows), LINEAR, 200.0)
    own = X if rows is None else X[rows]
    right = in_fractions(products_of(own), target, beta, bias, ridge)
    found = exact_residuals(columns, target, beta, bias, ridge)
    np.testing.assert_allclose(found, right, rtol=1e-15)
    # In plain doubles there is next to nothing left of them.
    plain = target - columns.product(beta) - bias - ridge * beta
    assert np.abs(plain - right).max() > 1e-6


@pytest.mark.parametrize("form", ["stored", "dense", "sparse"])
def test_columns_as_they_are(form):
    X, target, beta, bias, ridge = problem()
    if form == "stored":
        columns = StoredColumns(X @ X.T)
    else:
        columns = LINEAR.columns(X if form == "dense" else csr_matrix(X))
    K = [[Fraction(float(v)) for v in row] for row in columns.submatrix(np.arange(len(X)))]
    found = exact_residuals(columns, target, beta, bias, ridge)
    np.testing.assert_allclose(found, in_fractions(K, target, beta, bias, ridge), rtol=1e-15)


def test_vectors_of_another_length():
    columns = StoredColumns(np.eye(3))
    with pytest.raises(ValueError, match="length 3, got 2 and 3"):
        exact_residuals(columns, np.zeros(2), np.zeros(3), 0.0, 0.0)


def test_a_column_that_cannot_be_computed():
    works = True

    def function(A, B):
        if not works:
            raise RuntimeError("no values")
        return A @ B.T

    columns = Kernel("callable", function=function).columns(np.ones((3, 1)))
    works = False
    with pytest.raises(RuntimeError, match="no values"):
        exact_residuals(columns, np.zeros(3), np.ones(3), 0.0, 0.0)
