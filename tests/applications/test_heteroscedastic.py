"""Unequal noise: every round is what a fit from scratch at its weights would be."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import minmax_scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import weightpath as wp
from weightpath.applications.heteroscedastic_svr import relative_change


def noisy(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (n, 2))
    return X, np.sin(6 * X[:, 0]) + rng.normal(0, 0.02 + 0.5 * X[:, 1])


def scheme_from_scratch(X, y, floor, tol, most, **parameters):
    """The paper's procedure, in its words, with fits; yields models."""
    model = wp.SVR(**parameters).fit(X, y)
    error = y - model.predict(X)
    yield model
    for _ in range(most):
        sigma = np.sqrt((error**2).mean())
        size = np.maximum(np.abs(error), floor * sigma)
        model = wp.SVR(**parameters).fit(X, y, sample_weight=sigma / size)
        old, error = error, y - model.predict(X)
        yield model
        if np.mean(np.abs(old - error) / size) <= tol:
            return


def assert_every_round_is_fresh(model, X, tolerance):
    """Refit at the weights of each round, which are those of the residuals before it."""
    first = wp.SVR(C=model.C, gamma=model.svr_.gamma_, epsilon=model.epsilon, kernel=model.kernel)
    y = model.svr_.target_
    residual = y - first.fit(X, y).predict(X)
    for path, entry in zip(model.paths_, model.history_, strict=True):
        weight = wp.weights.heteroscedastic(residual, model.floor)
        np.testing.assert_allclose(path.at(1.0).weights, model.C * weight, rtol=1e-6)
        fresh = wp.SVR(**first.get_params()).fit(X, y, sample_weight=path.at(1.0).weights / model.C)
        fitted = path.decision_function(X, 1.0)
        np.testing.assert_allclose(fitted, fresh.predict(X), rtol=0, atol=tolerance)
        old, residual = residual, y - fitted
        assert entry.change == pytest.approx(relative_change(old, residual, model.floor), rel=1e-4)
        assert entry.n_events == path.n_events
        assert entry.residual_scale == pytest.approx(np.sqrt(np.mean(residual**2)))
        assert entry.largest_change == pytest.approx(np.abs(old - residual).max(), rel=1e-4)
    np.testing.assert_allclose(model.residual_, residual, rtol=0, atol=tolerance)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_every_round_is_fresh(kernel, C):
    X, y = noisy()
    model = wp.HeteroscedasticSVR(C, kernel=kernel, gamma=2.0, epsilon=0.05).fit(X, y)
    assert_every_round_is_fresh(model, X, 1e-8)
    assert model.n_iter_ == len(model.paths_) == len(model.history_) >= 2
    assert all(entry.change > 1e-3 for entry in model.history_[:-1])
    assert model.history_[-1].change <= 1e-3
    assert max(path.kkt_violation() for path in model.paths_) < 1e-8
    np.testing.assert_array_equal(model.weights_, model.svr_.weights_)
    assert model.residual_scale_ == pytest.approx(np.sqrt(np.mean(model.residual_**2)))


def test_it_is_the_scheme_of_the_paper():
    X, y = noisy()
    parameters = {"C": 1.0, "gamma": 2.0, "epsilon": 0.05}
    model = wp.HeteroscedasticSVR(**parameters).fit(X, y)
    by_hand = list(scheme_from_scratch(X, y, 1e-3, 1e-3, 200, **parameters))
    assert len(by_hand) == model.n_iter_ + 1
    start = model.paths_[0].model_at(0)
    np.testing.assert_allclose(start.predict(X), by_hand[0].predict(X), rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.predict(X), by_hand[-1].predict(X), rtol=0, atol=1e-6)


def test_noisy_places_weigh_less():
    X, y = noisy(400)
    model = wp.HeteroscedasticSVR(C=1.0, gamma=2.0, epsilon=0.02).fit(X, y)
    quiet, loud = np.median(model.weights_[X[:, 1] < 0.2]), np.median(model.weights_[X[:, 1] > 0.8])
    assert quiet > 2 * loud


def test_residuals_that_vanish():
    X = np.arange(6.0)[:, None]
    y = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 9.0])  # a line, and one that is off it
    model = wp.HeteroscedasticSVR(C=1.0, kernel="linear", epsilon=0.0).fit(X, y)
    assert np.isfinite(model.weights_).all() and model.weights_.max() <= 1e3 * (1 + 1e-12)
    np.testing.assert_allclose(model.predict(X[:5]), y[:5], atol=1e-9)
    broken = wp.HeteroscedasticSVR(C=1.0, kernel="linear", epsilon=0.0, floor=0.0)
    with pytest.raises(ValueError, match="floor > 0"):
        broken.fit(X[:3], [0.0, 0.0, 5.0])


def test_no_residuals_at_all():
    X = np.arange(6.0)[:, None]
    model = wp.HeteroscedasticSVR(C=2.0, kernel="linear", epsilon=0.1).fit(X, np.full(6, 3.0))
    assert model.n_iter_ == 1 and model.history_[0].change == 0
    np.testing.assert_array_equal(model.weights_, 2.0)


def test_one_row_and_duplicates():
    model = wp.HeteroscedasticSVR().fit([[1.0]], [2.0])
    assert model.predict([[5.0]]) == pytest.approx(2.0)
    X, y = noisy(15)
    X, y = np.tile(X, (3, 1)), np.tile(y, 3)
    model = wp.HeteroscedasticSVR(C=1.0, gamma=2.0, epsilon=0.05).fit(X, y)
    assert_every_round_is_fresh(model, X, 1e-8)


def test_warnings_when_it_ends_early():
    X, y = noisy()
    model = wp.HeteroscedasticSVR(C=1.0, gamma=2.0, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="2 reweightings"):
        model.fit(X, y)
    assert model.n_iter_ == 2
    with pytest.warns(wp.EventCapWarning):
        model.set_params(max_events=1, max_iter=50).fit(X, y)
    equal = wp.SVR(C=1.0, gamma=2.0).fit(X, y)
    assert model.n_iter_ == 0 and model.svr_.kkt_violation() < 1e-10
    np.testing.assert_allclose(model.predict(X), equal.predict(X), rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "wrong", [{"max_iter": 0}, {"tol": -1.0}, {"floor": -0.1}, {"C": 0.0}, {"epsilon": -1.0}]
)
def test_wrong_parameters_change_nothing(wrong):
    X, y = noisy(30)
    model = wp.HeteroscedasticSVR(C=1.0, gamma=2.0).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        model.set_params(**wrong).fit(X[:, :1], y)
    np.testing.assert_array_equal(model.predict(X), before)
    with pytest.raises(NotFittedError):
        wp.HeteroscedasticSVR().predict(X)


def test_kinds_of_matrices_and_copies():
    X, y = noisy(40)
    model = wp.HeteroscedasticSVR(C=1.0, kernel="linear").fit(X, y)
    expected = model.predict(X)
    sparse = wp.HeteroscedasticSVR(C=1.0, kernel="linear").fit(csr_matrix(X), y)
    gram = wp.HeteroscedasticSVR(C=1.0, kernel="precomputed").fit(X @ X.T, y)
    for ours in (sparse.predict(csr_matrix(X)), gram.predict(X @ X.T)):
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-7)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), expected)
    assert [path.n_events for path in twin.paths_] == [path.n_events for path in model.paths_]


@pytest.mark.parametrize(
    ("moved", "floor", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], 0.0, 0.0),
        ([0.5, 0.5, 0.0, 0.0], 0.0, 0.25),
        ([0.0, 0.0, 1.0, 0.0], 0.0, np.inf),
        ([0.0, 0.0, 1.0, 0.0], 0.5, 0.5 / np.sqrt(0.75)),
    ],
)
def test_relative_change(moved, floor, expected):
    old = np.array([1.0, -1.0, 0.0, 1.0])
    assert relative_change(old, old + np.array(moved), floor) == pytest.approx(expected)


def test_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    model = wp.HeteroscedasticSVR(C=1.0, gamma=2.0, epsilon=0.05).fit(*noisy())
    display = model.plot()
    drawn = display.ax_.get_lines()[0].get_ydata()
    np.testing.assert_array_equal(drawn, [entry.change for entry in model.history_])
    assert display.ax_.get_yscale() == "log"
    still = wp.HeteroscedasticSVR(kernel="linear").fit(np.arange(6.0)[:, None], np.full(6, 3.0))
    assert still.plot(show_events=False).figure_ is not display.figure_
    pyplot.close("all")


@parametrize_with_checks([wp.HeteroscedasticSVR(), wp.HeteroscedasticSVR(kernel="linear")])
def test_estimator_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.mark.data("boston")
@pytest.mark.parametrize(("C", "gamma"), [(1.0, 10.0), (100.0, 1.0), (1000.0, 0.1)])
def test_boston(data_home, C, gamma):
    boston = wp.datasets.load_boston(data_home)
    rows = np.random.default_rng(0).permutation(506)[:404]
    X, y = minmax_scale(boston.data, (-1, 1))[rows], boston.target[rows]
    model = wp.HeteroscedasticSVR(C, gamma=gamma / 13, epsilon=0.05).fit(X, y)
    assert model.history_[-1].change <= 1e-3
    assert_every_round_is_fresh(model, X, 1e-6)
