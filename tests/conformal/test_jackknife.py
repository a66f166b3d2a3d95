"""Jackknife+ and CV+: against refits, and against MAPIE where it is installed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from weightpath.conformal import CVPlus, JackknifePlus

ESTIMATORS = {
    "svr": wp.SVR(C=2.0, gamma=0.5, epsilon=0.2),
    "quantile": wp.QuantileSVR(C=2.0, gamma=0.5, quantile=0.4),
    "lasso": wp.Lasso(alpha=0.05),
}


def data(n=40, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)) * 1.0 if ties else rng.normal(size=(n, 2))
    y = rng.integers(0, 4, n) * 1.0 if ties else X[:, 0] + 0.5 * rng.normal(size=n)
    return X, y, rng.normal(size=(7, 2))


def plus_intervals(estimator, X, y, x, alpha, tests):
    """Return intervals as Barber et al. define them, by a refit for each set of test rows."""
    n = len(y)
    low, high = np.empty((n, len(x))), np.empty((n, len(x)))
    for test in tests:
        model = clone(estimator).fit(np.delete(X, test, axis=0), np.delete(y, test))
        for i, error in zip(test, np.abs(y[test] - model.predict(X[test])), strict=True):
            low[i], high[i] = model.predict(x) - error, model.predict(x) + error
    k = int(np.floor(round(alpha * (n + 1), 9)))
    j = int(np.ceil(round((1 - alpha) * (n + 1), 9)))
    return np.column_stack(
        [
            np.sort(low, axis=0)[k - 1] if k >= 1 else np.full(len(x), -np.inf),
            np.sort(high, axis=0)[j - 1] if j <= n else np.full(len(x), np.inf),
        ]
    )


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 0.29, 0.01])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_jackknife_equals_refits(kind, alpha, ties):
    X, y, x = data(ties=ties)
    found = JackknifePlus(ESTIMATORS[kind], alpha).fit(X, y).predict_interval(x)
    tests = [np.array([i]) for i in range(len(y))]
    expected = plus_intervals(ESTIMATORS[kind], X, y, x, alpha, tests)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("estimator", [ESTIMATORS["svr"], Ridge()])
def test_cv_equals_refits(estimator):
    X, y, x = data()
    cv = KFold(5, shuffle=True, random_state=0)
    found = CVPlus(estimator, 0.1, cv).fit(X, y)
    expected = plus_intervals(estimator, X, y, x, 0.1, [test for _, test in cv.split(X)])
    np.testing.assert_allclose(found.predict_interval(x), expected, rtol=0, atol=1e-9)
    assert found.fold_[next(iter(cv.split(X)))[1]].tolist() == [0] * 8


def test_one_fold_a_row_is_the_jackknife():
    X, y, x = data()
    one = CVPlus(ESTIMATORS["svr"], 0.1, cv=len(y)).fit(X, y).predict_interval(x)
    other = JackknifePlus(ESTIMATORS["svr"], 0.1).fit(X, y).predict_interval(x)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


def test_diabetes_equals_mapie():
    regression = pytest.importorskip("mapie.regression")
    from sklearn.model_selection import LeaveOneOut

    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    x = X[:100] + 0.1 * np.random.default_rng(0).normal(size=(100, 10))
    estimator = wp.SVR(C=100.0, gamma=0.05, epsilon=5.0)
    found = JackknifePlus(estimator, 0.1).fit(X, y).predict_interval(x)
    mapie = regression.CrossConformalRegressor(
        estimator, confidence_level=0.9, method="plus", cv=LeaveOneOut()
    ).fit_conformalize(X, y)
    _, expected = mapie.predict_interval(x)
    np.testing.assert_allclose(found, expected[:, :, 0], rtol=0, atol=1e-6)


def test_pipelines():
    X, y, x = data()
    scaler = StandardScaler().fit(5 * X)
    pipe = make_pipeline(StandardScaler(), ESTIMATORS["svr"])
    found = JackknifePlus(pipe, 0.1).fit(5 * X, y).predict_interval(5 * x)
    expected = JackknifePlus(ESTIMATORS["svr"], 0.1).fit(scaler.transform(5 * X), y)
    np.testing.assert_allclose(found, expected.predict_interval(scaler.transform(5 * x)), atol=1e-9)
    # In CV+ the transformers are fitted to the rows of each fold.
    folds = CVPlus(pipe, 0.1).fit(5 * X, y)
    expected = plus_intervals(pipe, 5 * X, y, 5 * x, 0.1, [t for _, t in KFold(5).split(X)])
    np.testing.assert_allclose(folds.predict_interval(5 * x), expected, atol=1e-9)


@pytest.mark.parametrize("make", [JackknifePlus, CVPlus])
def test_conventions(make):
    X, y, x = data()
    conformal = make(wp.SVR(gamma=0.5), alpha=0.2)
    assert clone(conformal).get_params()["estimator__gamma"] == 0.5
    with pytest.raises(NotFittedError):
        conformal.predict_interval(x)
    frame = pd.DataFrame(X, columns=["a", "b"])
    conformal.fit(frame, pd.Series(y))
    assert conformal.feature_names_in_.tolist() == ["a", "b"]
    assert conformal.predict_interval(frame[:3]).shape == (3, 2)
    assert conformal.predict(frame[:3]).shape == (3,)
    with pytest.raises(ValueError, match="feature names"):
        conformal.predict_interval(frame[["b", "a"]])
    with pytest.raises(ValueError, match="alpha must be"):
        make(wp.SVR(), alpha=2.0).fit(X, y)


def test_errors():
    X, y, _ = data()
    with pytest.raises(TypeError, match="one of SVR, QuantileSVR, Lasso of weightpath"):
        JackknifePlus(Ridge()).fit(X, y)
    with pytest.raises(ValueError, match="several test folds"):
        CVPlus(Ridge(), cv=ShuffleSplit(3, test_size=0.6, random_state=0)).fit(X, y)
    with pytest.raises(ValueError, match="into no test fold"):
        CVPlus(Ridge(), cv=ShuffleSplit(1, random_state=0)).fit(X, y)
    with pytest.raises(ValueError, match="at least two"):
        JackknifePlus(wp.SVR(gamma=1.0)).fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="precomputed"):
        CVPlus(wp.SVR(kernel="precomputed")).fit(X @ X.T, y)
