"""Searches over folds in the order of time: weights are given for all rows, folds take theirs."""

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit

import weightpath as wp


def drifting(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + np.linspace(-1.5, 1.5, n) * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1, 0)
    days = np.datetime64("2026-01-01") + np.arange(n)
    return X, y, days


@pytest.mark.parametrize("gap", [0, 5])
def test_each_fold_walks_between_the_weights_of_its_rows(gap):
    X, y, days = drifting()
    start, end = np.ones(len(y)), wp.weights.half_life(days, "20D")
    cv = TimeSeriesSplit(4, gap=gap)
    search = wp.PathSearchCV(wp.SVC(C=2.0, gamma=0.5), cv=cv).fit(X, y, start=start, end=end)
    for k, (train, test) in enumerate(cv.split(X)):
        assert train.max() < test.min() - gap
        for theta in (0.15, 0.6, 0.95):
            weight = (1 - theta) * start[train] + theta * end[train]
            refit = wp.SVC(C=2.0, gamma=0.5).fit(X[train], y[train], weight)
            error = np.mean(refit.predict(X[test]) != y[test])
            assert search.fold_curves_[k](theta) == pytest.approx(error, abs=1e-12)
    best = wp.SVC(C=2.0, gamma=0.5).fit(
        X, y, (1 - search.best_theta_) * start + search.best_theta_ * end
    )
    np.testing.assert_allclose(
        search.decision_function(X), best.decision_function(X), rtol=0, atol=1e-9
    )


def test_regressions_too():
    X, _, days = drifting()
    y = X[:, 0] + np.linspace(-1, 1, len(X)) * X[:, 1]
    cv = TimeSeriesSplit(3, max_train_size=50)
    search = wp.PathSearchCV(wp.SVR(gamma=0.5), "absolute", cv=cv)
    search.fit(X, y, start=np.ones(len(y)), end=wp.weights.half_life(days, "15D"))
    train, test = list(cv.split(X))[-1]
    assert len(train) == 50
    weight = wp.weights.half_life(days, "15D")[train]
    refit = wp.SVR(gamma=0.5).fit(X[train], y[train], weight)
    error = np.abs(refit.predict(X[test]) - y[test]).mean()
    assert search.fold_curves_[-1](1.0) == pytest.approx(error, abs=1e-9)
