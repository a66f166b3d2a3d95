"""Adaptors with the methods and shapes of MAPIE, and what MAPIE itself does."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

import weightpath as wp
from weightpath.conformal import (
    ConditionalConformal,
    ConditionalMapieAdapter,
    CVPlus,
    FullConformal,
    JackknifePlus,
    MapieAdapter,
)


def data(n=60):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 2))
    return X, X[:, 0] + (0.1 + np.abs(X[:, 1])) * rng.normal(size=n), rng.uniform(-1, 1, (9, 2))


@pytest.mark.parametrize("make", [FullConformal, JackknifePlus, CVPlus])
def test_intervals(make):
    X, y, x = data()
    conformal = make(wp.SVR(gamma=0.5), 0.1)
    with pytest.raises(NotFittedError):
        MapieAdapter(conformal).predict_interval(x)
    points, intervals = MapieAdapter(conformal).fit_conformalize(X, y).predict_interval(x)
    plain = make(wp.SVR(gamma=0.5), 0.1).fit(X, y)
    np.testing.assert_array_equal(points, plain.predict(x))
    np.testing.assert_array_equal(intervals[:, :, 0], plain.predict_interval(x))


def test_label_sets():
    X, y, x = data()
    labels = np.where(y > 0, "b", "a")
    adapter = MapieAdapter(FullConformal(wp.SVC(gamma=0.5), 0.1)).fit_conformalize(X, labels)
    predicted, sets = adapter.predict_set(x)
    assert sets.shape == (9, 2, 1)
    assert set(predicted) <= {"a", "b"}
    own = FullConformal(wp.SVC(gamma=0.5), 0.1).fit(X, labels).predict_set(x)
    for row, kept in zip(sets[:, :, 0], own, strict=True):
        assert np.array(["a", "b"])[row].tolist() == kept.tolist()
    regression = MapieAdapter(JackknifePlus(wp.SVR(gamma=0.5))).fit_conformalize(X, y)
    with pytest.raises(TypeError, match="use predict_interval"):
        regression.predict_set(x)


@pytest.mark.parametrize("prefit", [False, True])
def test_conditional_intervals(prefit):
    X, y, x = data(120)
    model = LinearRegression()
    adapter = ConditionalMapieAdapter(
        model.fit(X[:40], y[:40]) if prefit else model,
        ConditionalConformal("rbf", 1.0, 1.0, 0.1),
        prefit=prefit,
    )
    if not prefit:
        adapter.fit(X[:40], y[:40])
    points, intervals = adapter.conformalize(X[40:], y[40:]).predict_interval(x)
    fitted = LinearRegression().fit(X[:40], y[:40])
    scores = np.abs(y[40:] - fitted.predict(X[40:]))
    cutoff = ConditionalConformal("rbf", 1.0, 1.0, 0.1).fit(X[40:], scores).cutoff(x)
    np.testing.assert_allclose(points, fitted.predict(x))
    np.testing.assert_allclose(intervals[:, 1, 0] - points, cutoff)
    np.testing.assert_allclose(points - intervals[:, 0, 0], cutoff)


def test_conditional_errors():
    X, y, x = data()
    fitted = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="call conformalize"):
        ConditionalMapieAdapter(fitted).fit(X, y)
    with pytest.raises(NotFittedError):
        ConditionalMapieAdapter(LinearRegression()).conformalize(X, y)
    with pytest.raises(NotFittedError):
        ConditionalMapieAdapter(LinearRegression(), prefit=False).conformalize(X, y)
    with pytest.raises(NotFittedError):
        ConditionalMapieAdapter(fitted).predict_interval(x)


def test_mapie_measures_what_the_adaptor_returns():
    metrics = pytest.importorskip("mapie.metrics.regression")
    X, y, _ = data()
    adapter = MapieAdapter(JackknifePlus(wp.SVR(gamma=0.5), 0.1)).fit_conformalize(X, y)
    _, intervals = adapter.predict_interval(X)
    covered = metrics.regression_coverage_score(y, intervals)
    inside = (intervals[:, 0, 0] <= y) & (y <= intervals[:, 1, 0])
    assert covered == pytest.approx([inside.mean()])


def test_mapie_has_no_conditional_cutoffs_over_kernels():
    conditional = pytest.importorskip("mapie.conditional_conformal_prediction")
    X, y, x = data(120)
    fitted = LinearRegression().fit(X[:40], y[:40])
    with pytest.raises(NotImplementedError):
        conditional.ConditionalSplitConformalRegressor(
            estimator=fitted,
            feature_map=lambda rows: np.ones((len(rows), 1)),
            infinite_params={"kernel": "rbf", "gamma": 1.0, "lambda": 1.0},
        )
    adapter = ConditionalMapieAdapter(fitted, ConditionalConformal("rbf", 1.0))
    _, intervals = adapter.conformalize(X[40:], y[40:]).predict_interval(x)
    assert np.isfinite(intervals).all()
