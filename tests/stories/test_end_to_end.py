"""Fit, reweight, curve and search on three kinds of data, judged by arithmetic of their own."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import zero_one_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import weightpath as wp
from benchmarks.end_to_end import CASES

SMALL = [("spambase", 240), ("covtype-like", 600), ("text-like", 240)]
# Enough rows to be followed in the space of the features; margins of hundreds.
LARGE = [("spambase", 1500), ("covtype-like", 12_000), ("text-like", 1200)]
SIZES = [*SMALL, *(pytest.param(*size, marks=pytest.mark.second_stage) for size in LARGE)]


def relative_gap(model, Z, y, weight):
    """The gap between primal and dual objective, from coefficients, rows and labels alone."""
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    signed = np.zeros(len(y))
    signed[model.support_] = model.dual_coef_[0]
    alpha = signed * sign
    assert (alpha >= 0.0).all() and (alpha <= (1.0 + 1e-14) * model.C * weight).all()
    assert abs(signed.sum()) <= 1e-10 * np.abs(signed).sum()
    if model.kernel == "linear":
        f = Z @ (Z.T @ signed)
    else:
        squares = (Z**2).sum(axis=1)
        f = np.exp(-model.gamma * (squares[:, None] + squares - 2.0 * Z @ Z.T)) @ signed
    size = 0.5 * signed @ f
    hinge = np.maximum(1.0 - sign * (f + model.intercept_[0]), 0.0)
    primal, dual = size + model.C * (weight @ hinge), alpha.sum() - size
    return (primal - dual) / primal


def parts(name, n):
    X, y, pipeline = CASES[name](n)
    held_out = np.arange(len(y)) % 4 == 0
    weight = np.random.default_rng(1).uniform(0.5, 2.0, np.count_nonzero(~held_out))
    return X[~held_out], y[~held_out], X[held_out], y[held_out], weight, pipeline


def prepared(pipeline, X):
    return pipeline[:-1].transform(X) if len(pipeline) > 1 else X


@pytest.mark.parametrize(("name", "n"), SIZES)
def test_path_and_curve(name, n):
    X, y, X_new, y_new, weight, pipeline = parts(name, n)
    pipeline = clone(pipeline).fit(X, y)
    Z = prepared(pipeline, X)
    assert abs(relative_gap(pipeline[-1], Z, y, np.ones(len(y)))) < 1e-9
    path = wp.reweight(pipeline, weight)
    assert abs(relative_gap(pipeline[-1], Z, y, weight)) < 1e-9
    curve = path.curve(X_new, y_new, "zero_one")
    for theta in np.random.default_rng(0).uniform(size=6):
        model = path.model_at(theta)
        between = (1.0 - theta) + theta * weight
        assert abs(relative_gap(model[-1], Z, y, between)) < 1e-9
        assert curve(theta) == pytest.approx(zero_one_loss(y_new, model.predict(X_new)))
    assert curve.best.value <= min(curve(0.0), curve(1.0))


@pytest.mark.parametrize(("name", "n"), SIZES)
def test_search(name, n):
    X, y, _, _, weight, pipeline = parts(name, n)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(np.zeros(len(y)), y))
    search = wp.PathSearchCV(clone(pipeline), cv=folds)
    search.fit(X, y, start=np.ones(len(y)), end=weight)
    for theta in (0.0, search.best_theta_, 1.0):
        between = (1.0 - theta) + theta * weight
        errors = []
        for train, test in folds:
            fresh = clone(pipeline).fit(X[train], y[train], svc__sample_weight=between[train])
            errors.append(zero_one_loss(y[test], fresh.predict(X[test])))
        assert search.curve_(theta) == pytest.approx(np.mean(errors))


@pytest.mark.filterwarnings("ignore::weightpath.errors.PrecisionWarning")
@pytest.mark.parametrize("name", ["spambase", "covtype-like"])
def test_features_in_the_units_they_come_in(name):
    # Counts up to thousands and metres of height, and C = 1: sums of 1e10.
    X, y, X_new, y_new, weight, _ = parts(name, 600)
    pipeline = make_pipeline(wp.SVC(kernel="linear", C=1.0)).fit(X, y)
    path = wp.reweight(pipeline, weight)
    allowed = 1e-8 + path.rounding_floor(1.0)
    assert path.kkt_violation(1.0) < allowed
    curve = path.curve(X_new, y_new, "zero_one")
    assert 0.0 <= curve.best.value <= curve(1.0)
