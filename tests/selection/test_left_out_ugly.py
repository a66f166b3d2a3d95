"""Leave-one-out equals fitting again: ties, weights of zero, free biases, and the lasso."""

from __future__ import annotations

import numpy as np
import pytest
from estimators.samples import overlapping, random_weights

import weightpath as wp
from selection.refits import assert_like_refits


def integers(n, n_features, seed):
    """Rows on a small grid: ties, duplicates, dependent columns."""
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 3, size=(n, n_features)).astype(float), rng


# Ugly cases ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(7))
def test_ties_duplicates_and_zero_weights(seed):
    X, rng = integers(18, 1 + seed % 3, seed)
    y = rng.integers(0, 2, 18)
    y[:4] = 0, 0, 1, 1
    weight = rng.integers(0, 4, 18).astype(float)
    weight[:4] = 1.0
    kernel = ("linear", "rbf", "poly")[seed % 3]
    for C in (1e-3, 0.1, 100.0):
        model = wp.SVC(C=C, kernel=kernel, gamma=0.5, coef0=1.0, degree=2)
        model.fit(X, y, sample_weight=weight)
        assert_like_refits(model, X, y, weight)


@pytest.mark.parametrize("seed", range(4))
def test_ties_of_regressions(seed):
    X, rng = integers(16, 1 + seed % 2, seed)
    y = rng.integers(-3, 4, 16).astype(float)
    for model in (
        wp.SVR(C=0.25, epsilon=0.5, kernel="linear"),
        wp.SVR(C=4.0, epsilon=0.0, gamma=0.5),
        wp.QuantileSVR(C=1.0, quantile=0.25, kernel="linear"),
        wp.OneClassSVM(nu=0.25, gamma=0.5),
    ):
        assert_like_refits(model.fit(X, y), X, y)


def test_bias_is_in_the_middle_of_its_new_interval():
    # Six rows on a line. With small weights all are at bounds or without a coefficient, the bias
    # has an interval, and the nearest row without a coefficient is one end of it.
    X = np.array([[-5.0], [-4.0], [-1.0], [1.0], [4.0], [5.5]])
    y = np.array([0, 0, 0, 1, 1, 1])
    seen = 0
    for C in (0.02, 0.05, 0.1, 0.2, 0.3):
        model = wp.SVC(C=C, kernel="linear").fit(X, y)
        state = model.subproblems_[0].state
        found = assert_like_refits(model, X, y)
        if len(state.margin) == 0:
            idle = state.beta == 0
            own = model.decision_function(X)
            seen += np.count_nonzero(idle & (np.abs(found.decision_values - own) > 1e-3))
    assert seen > 0


@pytest.mark.parametrize("C", [2.0**-10, 2.0**-7])
@pytest.mark.parametrize("seed", range(3))
def test_row_without_coefficient_may_be_what_fixes_the_bias(seed, C):
    # Zero is no knot of these losses: the only free row, the middle one, has the coefficient zero.
    X, rng = integers(11, 2, seed)
    y = rng.permutation(11).astype(float)
    for model in (wp.SVR(C=C, epsilon=0.0, kernel="linear"), wp.QuantileSVR(C=C, gamma=0.5)):
        (middle,) = np.setdiff1d(np.arange(11), model.fit(X, y).support_)
        found = assert_like_refits(model, X, y)
        assert abs(found.decision_values[middle] - model.predict(X[[middle]])[0]) > 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_separable_rows_with_huge_weights(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y == 1, 0.5, -0.5)
    for kernel in ("linear", "rbf"):
        model = wp.SVC(C=1e5, kernel=kernel, gamma=0.5).fit(X, y)
        assert_like_refits(model, X, y, tolerance=1e-8)


def test_one_weight_outweighs_all_others():
    X, y = overlapping(24, seed=7)
    weight = np.ones(24)
    weight[3] = 1e6
    for model in (wp.SVC(C=1.0), wp.SVC(C=1e-3, kernel="linear"), wp.OneClassSVM(nu=0.2)):
        assert_like_refits(model.fit(X, y, sample_weight=weight), X, y, weight)


def test_no_weight_no_influence():
    X, y = overlapping(40, seed=1)
    weight = random_weights(40, 2, zeros=0.4)
    model = wp.SVC(C=2.0).fit(X, y, sample_weight=weight)
    without = weight == 0
    found = wp.leave_one_out(model, indices=np.flatnonzero(without))
    assert found.n_paths == found.n_events == 0
    np.testing.assert_allclose(
        found.decision_values, model.decision_function(X[without]), rtol=0, atol=1e-10
    )


# The lasso -------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("n", "p"), [(30, 6), (12, 20)])
@pytest.mark.parametrize("ridge", [0.0, 0.05])
def test_lasso(fit_intercept, n, p, ridge):
    rng = np.random.default_rng(n + p)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, p) + 1.0
    y = X[:, 0] - 2.0 * X[:, 1] + rng.normal(size=n)
    weight = random_weights(n, 4, zeros=0.2)
    model = wp.Lasso(alpha=0.1, fit_intercept=fit_intercept, ridge=ridge)
    model.fit(X, y, sample_weight=weight)
    found = assert_like_refits(model, X, y, weight)
    assert found.n_paths == np.count_nonzero(weight)
    np.testing.assert_allclose(found.losses, (y - found.decision_values) ** 2)
    model.move(alpha=0.02)
    moved = wp.leave_one_out(model)
    fresh = wp.Lasso(alpha=0.02, fit_intercept=fit_intercept, ridge=ridge)
    assert_like_refits(fresh.fit(X, y, sample_weight=weight), X, y, weight, result=moved)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_lasso_with_awkward_features(fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 6))
    X[:, 2] = 3.0  # constant
    X[:, 3] = np.arange(15) == 4  # nothing is left of it without row 4
    X[:, 4] = X[:, 1]  # a copy
    y = X[:, 0] + 2.0 * X[:, 3] + X[:, 1] + 0.1 * rng.normal(size=15)
    weights = np.array([1.0, 1.0, 1.0, 0.01, 1.0, 2.0])
    for penalty_weight in (weights, np.where(np.arange(6) == 0, 0.0, weights)):
        model = wp.Lasso(alpha=0.05, penalty_weight=penalty_weight, fit_intercept=fit_intercept)
        assert_like_refits(model.fit(X, y), X, y)
