"""Whole curves against scikit-learn's metrics: at random, at every edge, and on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import (
    hinge_loss,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    zero_one_loss,
)
from sklearn.preprocessing import StandardScaler

import weightpath as wp

GRID = 100_000

# A value is judged on either side of an edge at this distance, where theta has digits to spare.
BESIDE = 1e-9


def toy():
    train = wp.datasets.make_toy(100, random_state=0)
    new = wp.datasets.make_toy(40, random_state=1, like=train)
    model = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=train.w_old)
    return model.reweight(train.w_new), new.X, new.y, new.cost


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    random = np.random.default_rng(3)
    start, end = random.lognormal(size=(2, 150))
    model = wp.SVC(C=1.0).fit(X[:150], y[:150], sample_weight=start)
    return model.reweight(end), X[150:220], y[150:220], random.uniform(0.5, 2.0, 70)


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    random = np.random.default_rng(4)
    start, end = random.lognormal(size=(2, 120))
    model = wp.SVR(C=50, epsilon=10.0, gamma=0.05).fit(X[:120], y[:120], sample_weight=start)
    return model.reweight(end), X[120:160], y[120:160], random.uniform(0.5, 2.0, 40)


SAMPLES = {"toy": toy, "cancer": cancer, "diabetes": diabetes}


def zero_one(f, y, v):
    return zero_one_loss(y, np.where(f > 0, np.max(y), np.min(y)), sample_weight=v)


def tube_loss(f, y, v):
    return float(np.average(np.maximum(0.0, np.abs(y - f) - 10.0), weights=v))


THEIRS = {
    "zero_one": zero_one,
    "hinge": lambda f, y, v: hinge_loss(y, f, sample_weight=v),
    "squared": lambda f, y, v: mean_squared_error(y, f, sample_weight=v),
    "absolute": lambda f, y, v: mean_absolute_error(y, f, sample_weight=v),
    "epsilon_insensitive": tube_loss,
    "pinball": lambda f, y, v: mean_pinball_loss(y, f, sample_weight=v, alpha=0.5),
}

# The same for decision values of many theta at once, to be checked against the above.
LOSSES = {
    "zero_one": lambda f, y: ((f > 0) != (y == np.max(y))).astype(float),
    "hinge": lambda f, y: np.maximum(0.0, 1.0 - np.where(y == np.max(y), f, -f)),
    "squared": lambda f, y: (y - f) ** 2,
    "absolute": lambda f, y: np.abs(y - f),
    "epsilon_insensitive": lambda f, y: np.maximum(0.0, np.abs(y - f) - 10.0),
    "pinball": lambda f, y: 0.5 * np.abs(y - f),
}

CASES = [
    (name, metric)
    for name in SAMPLES
    for metric in THEIRS
    if (metric in ("zero_one", "hinge")) == (name != "diabetes")
]


def between_breakpoints(path, X, grid):
    """Return decision values from those at both ends of every segment."""
    left, right = path.theta[:-1], np.nextafter(path.theta[1:], 0.0)
    low, high = path.decision_function(X, left), path.decision_function(X, right)
    segment = np.clip(np.searchsorted(path.theta, grid, "right") - 1, 0, len(path) - 1)
    part = ((grid - left[segment]) / (right - left)[segment])[:, None]
    return (1.0 - part) * low[segment] + part * high[segment]


def directly(path, X, grid):
    return path.decision_function(X, grid)


@pytest.fixture(
    scope="module",
    params=[between_breakpoints, pytest.param(directly, marks=pytest.mark.slow)],
)
def samples(request):
    """Return path, validation data and decision values on a fine grid, for each sample."""
    grid = np.linspace(0.0, 1.0, GRID)
    found = {}
    for name, make in SAMPLES.items():
        path, X, y, v = make()
        found[name] = path, X, y, v, grid, request.param(path, X, grid)
    return found


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_whole_curve(samples, name, metric):
    path, X, y, v, grid, f_grid = samples[name]
    curve = path.curve(X, y, metric, v)
    scale = max(1.0, np.abs(curve.values).max())

    theta = np.random.default_rng(0).uniform(size=200)
    for t, f in zip(theta, path.decision_function(X, theta), strict=True):
        assert curve(t) == pytest.approx(THEIRS[metric](f, y, v), abs=1e-11 * scale)

    inner = curve.edges[1:-1]
    for place in (inner - BESIDE, inner + BESIDE):
        apart = np.abs(place[:, None] - curve.edges).min(axis=1) > 0.5 * BESIDE
        place = place[apart & (place > 0.0) & (place < 1.0)]
        means = np.average(LOSSES[metric](path.decision_function(X, place), y), axis=1, weights=v)
        np.testing.assert_allclose(curve(place), means, rtol=0, atol=1e-10 * scale)

    # A change that the curve does not have would be seen somewhere on the grid.
    clear = np.abs(grid - curve.edges[np.searchsorted(curve.edges, grid).clip(max=len(curve))])
    clear = np.minimum(
        clear, np.abs(grid - curve.edges[np.searchsorted(curve.edges, grid, "right") - 1])
    )
    far = clear > BESIDE
    means = np.average(LOSSES[metric](f_grid[far], y), axis=1, weights=v)
    np.testing.assert_allclose(curve(grid[far]), means, rtol=0, atol=1e-10 * scale)
    assert far.sum() > 0.99 * GRID
    assert curve.best.value <= means.min() + 1e-10 * scale


def test_values_that_overflow_are_an_error_and_not_an_endless_search():
    X = np.array([[-1.0], [0.0], [1.0], [2.0]])
    y = np.array([-1.0, 0.5, 1.0, 2.5])
    path = wp.SVR(kernel="linear").fit(X, y).reweight([1.0, 2.0, 0.5, 3.0])
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="overflows"):
        path.curve([[1e308], [-1e308]], [0.0, 0.0], "squared")
