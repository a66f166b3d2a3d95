"""Regressions agree with scikit-learn's, and paths on real targets are optimal everywhere."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_diabetes
from sklearn.linear_model import QuantileRegressor

import weightpath as wp
from estimators.regression_samples import assert_alike, noisy
from estimators.samples import random_weights

N = 80
X, Y = noisy(N)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gamma": 0.4},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.3},
        {"kernel": "rbf", "gamma": "auto"},
    ],
    ids=lambda k: f"{k['kernel']}-{k.get('gamma')}",
)
def test_svr_agrees_with_sklearn(kernel, epsilon, weighted):
    weight = random_weights(N, 1, zeros=0.1) if weighted else None
    params = {"C": 3.0, "epsilon": epsilon, **kernel}
    ours = wp.SVR(**params).fit(X, Y, weight)
    theirs = svm.SVR(**params, tol=1e-9).fit(X, Y, weight)
    # LIBSVM keeps the kernel matrix in single precision.
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert ours.kkt_violation() < 1e-9
    assert ours.intercept_.shape == theirs.intercept_.shape == (1,)
    assert ours.n_support_.shape == theirs.n_support_.shape
    assert ours.support_vectors_.shape[1] == theirs.support_vectors_.shape[1]
    assert ours.dual_coef_.shape == (1, ours.support_.size)
    np.testing.assert_allclose(ours.score(X, Y), theirs.score(X, Y), atol=1e-4)
    if kernel["kernel"] == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_the_default_of_gamma_agrees_without_weights():
    ours, theirs = wp.SVR().fit(X, Y), svm.SVR(tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-5)


def test_the_median_is_half_the_absolute_loss():
    median = wp.QuantileSVR(C=4.0, gamma=0.4).fit(X, Y)
    assert_alike(median, wp.SVR(C=2.0, gamma=0.4, epsilon=0.0).fit(X, Y), X)


@pytest.mark.parametrize("quantile", [0.1, 0.7])
def test_large_weights_give_plain_quantile_regression(quantile):
    ours = wp.QuantileSVR(C=1e5, quantile=quantile, kernel="linear").fit(X, Y)
    theirs = QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, Y)
    np.testing.assert_allclose(ours.coef_[0], theirs.coef_, atol=1e-6)
    assert ours.intercept_[0] == pytest.approx(theirs.intercept_, abs=1e-6)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


KERNELS = [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 0.1}]


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 10.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_large_weights_on_diabetes(diabetes, kernel, epsilon):
    X, y = diabetes
    model = wp.SVR(C=1.0, epsilon=epsilon, **kernel).fit(X, y)
    path = model.move(C=1e4)
    assert path.kkt_violation() <= 1e-8 * np.abs(y).max()
    assert_alike(model, wp.SVR(C=1e4, epsilon=epsilon, **kernel).fit(X, y), X)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_closing_the_tube_on_diabetes(diabetes, kernel):
    X, y = diabetes
    model = wp.SVR(C=10.0, epsilon=10.0, **kernel).fit(X, y)
    home = model.predict(X)
    path = model.move(epsilon=0.0)
    assert path.kkt_violation() <= 1e-8 * np.abs(y).max()
    assert_alike(model, wp.SVR(C=10.0, epsilon=0.0, **kernel).fit(X, y), X)
    assert model.move(C=20.0).kkt_violation() <= 1e-8 * np.abs(y).max()
    path = model.move(epsilon=10.0, C=10.0)
    assert path.kkt_violation() <= 1e-8 * np.abs(y).max()
    np.testing.assert_allclose(model.predict(X), home, rtol=0, atol=1e-7)


@pytest.mark.parametrize("C", [10.0, 1000.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_all_quantiles_on_diabetes(diabetes, kernel, C):
    X, y = diabetes
    model = wp.QuantileSVR(C=C, quantile=0.05, **kernel).fit(X, y)
    path = model.move(quantile=0.95)
    assert path.kkt_violation() <= 1e-8 * np.abs(y).max()
    assert_alike(model, wp.QuantileSVR(C=C, quantile=0.95, **kernel).fit(X, y), X)


def test_weights_and_tubes_together_on_diabetes(diabetes):
    X, y = diabetes
    n = len(y)
    epsilon, weight = np.linspace(0.0, 30.0, n), random_weights(n, 1, zeros=0.1)
    model = wp.SVR(C=1.0, gamma=0.1, epsilon=10.0).fit(X, y)
    path = model.move(sample_weight=weight, epsilon=epsilon, C=50.0)
    assert path.kkt_violation() <= 1e-8 * np.abs(y).max()
    assert_alike(model, wp.SVR(C=50.0, gamma=0.1, epsilon=epsilon).fit(X, y, weight), X)
