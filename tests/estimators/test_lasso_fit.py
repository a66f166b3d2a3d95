"""The lasso's fit and its path against scikit-learn and against the definition."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import linear_model
from sklearn.linear_model import lars_path

import weightpath as wp
from estimators.lasso_samples import model_violation, objective, regression, violation

SHAPES = [(60, 12), (15, 40), (30, 30)]
TIGHT = {"tol": 1e-15, "max_iter": 1_000_000}


@pytest.mark.parametrize(("n", "p"), SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_equals_scikit_learn(n, p, fit_intercept, ridge):
    X, y, weight = regression(n, p)
    model = wp.Lasso(0.2, fit_intercept=fit_intercept, ridge=ridge).fit(X, y, weight)
    other = linear_model.ElasticNet(
        alpha=0.2 + ridge, l1_ratio=0.2 / (0.2 + ridge), fit_intercept=fit_intercept, **TIGHT
    ).fit(X, y, sample_weight=weight)
    assert model.coef_ == pytest.approx(other.coef_, abs=1e-8)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-7)
    assert model.predict(X) == pytest.approx(other.predict(X), abs=1e-8)
    assert (model.active_ == np.flatnonzero(model.coef_)).all()
    assert model_violation(model, X, y, weight) < 1e-12
    assert model.kkt_violation() < 1e-12


@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_path_equals_lars(n, p):
    X, y, _ = regression(n, p, seed=3)
    alphas, _, coefs = lars_path(X - X.mean(0), y - y.mean(), method="lasso", alpha_min=0.02)
    model = wp.Lasso(0.02).fit(X, y)
    path = model.path_
    assert path.theta.size == alphas.size
    solutions = [path.at(theta) for theta in path.theta]
    assert [s.weights[0] for s in solutions] == pytest.approx(alphas, rel=1e-9)
    assert np.stack([s.dual_coef for s in solutions], axis=1) == pytest.approx(coefs, abs=1e-9)
    assert model.n_iter_ == path.n_events == alphas.size - 1
    assert path.kkt_violation() < 1e-12


def test_path_is_optimal_by_the_definition_and_by_the_gap():
    X, y, weight = regression(25, 30, seed=5)
    penalty_weight = np.linspace(0.5, 2.0, 30)
    model = wp.Lasso(0.01, penalty_weight=penalty_weight, ridge=0.05).fit(X, y, weight)
    for theta in [*model.path_.theta, 0.123, 0.987]:
        at = model.path_.at(theta)
        found = violation(at.dual_coef, at.intercept, X, y, weight, at.weights, ridge=0.05)
        assert found < 1e-12
        assert model.path_.duality_gap(theta) < 1e-12
        # All penalties come down together.
        assert at.weights / penalty_weight == pytest.approx(
            np.full(30, at.weights[0] / penalty_weight[0])
        )


def test_objective_on_the_path():
    X, y, weight = regression(25, 10, seed=5)
    path = wp.Lasso(0.1, ridge=0.05).fit(X, y, weight).path_
    for theta in (0.0, 0.4, 1.0):
        expected = objective(path.model_at(theta), X, y, weight)
        assert path.at(theta).objective == pytest.approx(expected, rel=1e-12)
        assert path.duality_gap(theta, relative=True) < 1e-12


@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.005])
@pytest.mark.parametrize("kind", ["copies", "mirrored", "sums", "rounded", "hadamard"])
def test_ties_and_dependent_features(kind, alpha):
    X, y, _ = regression(32, 6, seed=2)
    if kind == "copies":
        X = np.hstack([X, X, X[:, :2]])
    elif kind == "mirrored":
        X = np.hstack([X, -X])
    elif kind == "sums":
        X = np.hstack([X, X[:, :3] + X[:, 3:], X @ np.ones((6, 1))])
    elif kind == "rounded":
        X, y = np.round(np.hstack([X] * 8)), np.round(y)
    else:
        X = np.array([[(-1.0) ** bin(i & j).count("1") for j in range(1, 32)] for i in range(32)])
        y = np.arange(32) % 4.0
    model = wp.Lasso(alpha).fit(X, y)
    assert model_violation(model, X, y) < 1e-10
    assert model.path_.kkt_violation() < 1e-8
    other = linear_model.Lasso(alpha, **TIGHT).fit(X, y)
    assert objective(model, X, y) <= objective(other, X, y) + 1e-12
    assert model.predict(X) == pytest.approx(other.predict(X), abs=1e-5)


def test_weight_two_is_two_copies_and_zero_is_none():
    X, y, _ = regression(20, 8)
    weight = np.array([0, 1, 2, 3] * 5)
    rows = np.repeat(np.arange(20), weight)
    one = wp.Lasso(0.1).fit(X, y, weight)
    other = wp.Lasso(0.1).fit(X[rows], y[rows])
    assert one.coef_ == pytest.approx(other.coef_, abs=1e-12)
    assert one.intercept_ == pytest.approx(other.intercept_, abs=1e-11)


def test_unpenalised_features():
    X, y, _ = regression(40, 6)
    least_squares = linear_model.LinearRegression().fit(X, y)
    assert wp.Lasso(0.0).fit(X, y).coef_ == pytest.approx(least_squares.coef_, abs=1e-10)
    free = wp.Lasso(penalty_weight=0.0).fit(X, y)
    assert free.coef_ == pytest.approx(least_squares.coef_, abs=1e-10)
    model = wp.Lasso(100.0, penalty_weight=[0, 1, 1, 0, 1, 1]).fit(X, y)
    two = linear_model.LinearRegression().fit(X[:, [0, 3]], y)
    assert (model.active_ == [0, 3]).all()
    assert model.coef_[[0, 3]] == pytest.approx(two.coef_, abs=1e-10)


def test_large_alpha_leaves_nothing():
    X, y, _ = regression(20, 5)
    model = wp.Lasso(1e6).fit(X, y)
    assert (model.coef_ == 0).all() and model.active_.size == 0 and model.n_iter_ == 0
    assert model.intercept_ == pytest.approx(y.mean())
    assert model.path_.kkt_violation() == 0.0


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_constant_features_and_targets(alpha):
    X, y, _ = regression(20, 5)
    X[:, 2] = 0.1
    model = wp.Lasso(alpha, penalty_weight=[1, 1, 0, 1, 1]).fit(X, y)
    assert model.coef_[2] == 0 and model.kkt_violation() < 1e-12
    assert (wp.Lasso(alpha).fit(X, np.full(20, 0.3)).coef_ == 0).all()


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    X, y, _ = regression(30, 10)
    model = wp.Lasso(0.1).fit(X, y)
    other = wp.Lasso(0.1 * scale).fit(X * scale, y)
    assert other.coef_ * scale == pytest.approx(model.coef_, abs=1e-9)


def test_wide_range_of_penalties():
    X, y, _ = regression(30, 5)
    model = wp.Lasso(0.01, penalty_weight=[1e-6, 1, 1e6, 1, 1e-3]).fit(X, y)
    assert model_violation(model, X, y) < 1e-11 and model.coef_[2] == 0
    assert model.path_.kkt_violation() < 1e-10


def test_few_features_store_their_products_and_many_do_not():
    X, y, _ = regression(40, 10)
    stored = wp.Lasso(0.05).fit(X, y)
    lazy = wp.Lasso(0.05, cache_size=1e-4).fit(X, y)
    assert type(stored.subproblems_[0].columns) is not type(lazy.subproblems_[0].columns)
    assert lazy.coef_ == pytest.approx(stored.coef_, abs=1e-12)


def test_sparse_input():
    X, y, _ = regression(20, 8, mean=0.0)
    X[np.abs(X) < 0.7] = 0.0
    dense, sparse = wp.Lasso(0.05).fit(X, y), wp.Lasso(0.05).fit(csr_matrix(X), y)
    assert (dense.coef_ == sparse.coef_).all()
    assert sparse.predict(csr_matrix(X)) == pytest.approx(dense.predict(X), abs=1e-13)
    values = sparse.path_.decision_function(csr_matrix(X), 0.5)
    assert values == pytest.approx(dense.path_.decision_function(X, 0.5), abs=1e-13)


def test_event_cap_ends_the_path_but_not_the_fit():
    X, y, _ = regression(30, 10)
    with pytest.warns(wp.EventCapWarning, match="path_ ends early"):
        model = wp.Lasso(0.01, max_events=3).fit(X, y)
    assert model.path_.theta[-1] < 1.0 and model_violation(model, X, y) < 1e-12
