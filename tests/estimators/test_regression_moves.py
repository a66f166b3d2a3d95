"""Moves of weights, C, epsilon, quantiles and targets end where a fresh fit would be."""

import numpy as np
import pytest

import weightpath as wp
from estimators.regression_samples import CLASSES, assert_alike, machine, noisy
from estimators.samples import KINDS, Kind, random_weights

N = 60
X, Y = noisy(N)
OTHER = Y[::-1] + np.linspace(-1, 1, N)
OWN = np.where(np.arange(N) % 3 == 0, 0.0, np.linspace(0.01, 0.6, N))

COMMON = [
    {"C": 20.0},
    {"C": 0.03},
    {"sample_weight": random_weights(N, 3, zeros=0.2)},
    {"y": OTHER},
    {"C": 5.0, "sample_weight": random_weights(N, 4, zeros=0.3), "y": OTHER},
]
TUBES = [
    {"epsilon": 0.4},
    {"epsilon": 0.0},
    {"epsilon": OWN},
    {"epsilon": OWN, "sample_weight": random_weights(N, 5, zeros=0.2), "C": 7.0},
    {"epsilon": 0.0, "sample_weight": random_weights(N, 6), "C": 0.5, "y": OTHER},
]
QUANTILES = [
    {"quantile": 0.95},
    {"quantile": 0.05, "C": 9.0},
    {"quantile": 0.8, "sample_weight": random_weights(N, 7, zeros=0.2), "C": 0.4, "y": OTHER},
]


def fresh(cls, targets, params):
    """Return the model that is fitted at the end of a move."""
    own = {name: targets[name] for name in ("C", "epsilon", "quantile") if name in targets}
    model = cls(**{"C": 2.0, "gamma": 0.4, **params, **own})
    return model.fit(X, targets.get("y", Y), targets.get("sample_weight"))


def assert_arrives(cls, targets, **params):
    model = cls(**{"C": 2.0, "gamma": 0.4, **params}).fit(X, Y)
    before = model.predict(X)
    path = model.move(**targets)
    there = fresh(cls, targets, params)
    assert path.status == "complete"
    assert_alike(model, there, X)
    assert path.kkt_violation() < 1e-9
    assert model.kkt_violation() < 1e-9
    np.testing.assert_allclose(path.decision_function(X, 0.0), before, rtol=0, atol=1e-9)
    np.testing.assert_allclose(path.decision_function(X, 1.0), model.predict(X), rtol=0, atol=1e-9)
    assert model.C_ == there.C_
    np.testing.assert_allclose(model.weights_, there.weights_, rtol=1e-14)
    np.testing.assert_array_equal(model.target_, there.target_)
    shape = "epsilon_" if cls is wp.SVR else "quantiles_"
    np.testing.assert_array_equal(getattr(model, shape), getattr(there, shape))
    return model


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("epsilon", [0.1, 0.0, OWN], ids=["tube", "none", "own"])
@pytest.mark.parametrize("targets", COMMON + TUBES, ids=lambda t: "+".join(t))
def test_svr_arrives_at_a_fresh_fit(targets, epsilon, kernel):
    assert_arrives(wp.SVR, targets, epsilon=epsilon, kernel=kernel)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("quantile", [0.5, 0.15])
@pytest.mark.parametrize("targets", COMMON + QUANTILES, ids=lambda t: "+".join(t))
def test_quantile_svr_arrives_at_a_fresh_fit(targets, quantile, kernel):
    model = assert_arrives(wp.QuantileSVR, targets, quantile=quantile, kernel=kernel)
    assert model.quantile_ == targets.get("quantile", quantile)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
def test_reweight_on_every_kind_of_matrix(cls, name):
    kind = Kind(name)
    K = kind.training(X)
    new = random_weights(N, 2, zeros=0.2)
    model = machine(cls, kind).fit(K, Y, random_weights(N, 1))
    path = model.reweight(new)
    assert path.kkt_violation() < 1e-9
    assert_alike(model, machine(cls, kind).fit(K, Y, new), K)


def test_interior_of_a_joint_path_equals_fresh_fits():
    model = wp.SVR(C=2.0, gamma=0.4).fit(X, Y)
    path = model.move(sample_weight=random_weights(N, 6, zeros=0.2), C=6.0, epsilon=OWN, y=OTHER)
    for theta in np.random.default_rng(0).uniform(size=4):
        epsilon = (1 - theta) * 0.1 + theta * OWN
        other = wp.SVR(C=1.0, gamma=0.4, epsilon=epsilon)
        other.fit(X, (1 - theta) * Y + theta * OTHER, path.at(theta).weights)
        np.testing.assert_allclose(
            path.decision_function(X, theta), other.predict(X), rtol=0, atol=1e-7
        )


def test_interior_of_a_quantile_path_equals_fresh_fits():
    path = wp.QuantileSVR(C=2.0, quantile=0.05, gamma=0.4).fit(X, Y).move(quantile=0.95)
    for theta in np.random.default_rng(0).uniform(size=4):
        other = wp.QuantileSVR(C=2.0, quantile=0.05 + 0.9 * theta, gamma=0.4).fit(X, Y)
        np.testing.assert_allclose(
            path.decision_function(X, theta), other.predict(X), rtol=0, atol=1e-7
        )
        below = np.sum(path.decision_function(X, theta) - 1e-9 > Y)
        assert below <= N * (0.05 + 0.9 * theta) + 1e-9


def test_quantile_and_weights_together_move_the_bounds_on_lines():
    model = wp.QuantileSVR(C=2.0, quantile=0.2, gamma=0.4).fit(X, Y)
    path = model.move(quantile=0.8, C=6.0)
    there = path.model_at(0.5)
    np.testing.assert_allclose(there.weights_, 4.0)
    assert there.quantile_ == pytest.approx((0.5 * 2.0 * 0.2 + 0.5 * 6.0 * 0.8) / 4.0)
    other = wp.QuantileSVR(C=4.0, quantile=there.quantile_, gamma=0.4).fit(X, Y)
    assert_alike(there, other, X)
    weight = random_weights(N, 1, zeros=0.3)
    there = model.move(quantile=0.3, sample_weight=weight).model_at(0.4)
    assert np.ptp(there.quantiles_) > 0.01 and there.kkt_violation() < 1e-9
    there.move(quantile=0.6, sample_weight=weight)
    other = wp.QuantileSVR(C=6.0, quantile=0.6, gamma=0.4).fit(X, Y, weight)
    assert_alike(there, other, X)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, OWN], ids=["none", "tube", "own"])
def test_there_and_back(epsilon, kernel):
    model = wp.SVR(C=2.0, gamma=0.4, epsilon=epsilon, kernel=kernel).fit(X, Y)
    home = model.predict(X)
    for seed in range(2):
        model.reweight(random_weights(N, seed, zeros=0.5))
        model.move(C=9.0, epsilon=np.linspace(0, 0.5, N))
        model.move(epsilon=0.0, y=OTHER)
        model.move(C=1.0)
        model.move(C=2.0, epsilon=epsilon, sample_weight=1.0, y=Y)
        np.testing.assert_allclose(model.predict(X), home, rtol=0, atol=1e-8)
    model = wp.QuantileSVR(C=2.0, quantile=0.3, gamma=0.4, kernel=kernel).fit(X, Y)
    home = model.predict(X)
    model.move(quantile=0.9, C=0.1)
    model.move(y=OTHER, sample_weight=random_weights(N, 5, zeros=0.5))
    model.move(quantile=0.3, C=2.0, y=Y, sample_weight=1.0)
    np.testing.assert_allclose(model.predict(X), home, rtol=0, atol=1e-8)


def test_a_tube_wider_than_all_targets():
    model = wp.SVR(gamma=0.4, epsilon=100.0).fit(X, Y)
    assert model.support_.size == 0
    np.testing.assert_allclose(model.predict(X), 0.5 * (Y.min() + Y.max()), atol=1e-9)
    path = model.move(epsilon=0.05)
    assert_alike(model, wp.SVR(gamma=0.4, epsilon=0.05).fit(X, Y), X)
    assert path.kkt_violation() < 1e-8
    model.move(epsilon=100.0)
    assert model.support_.size == 0 and model.kkt_violation() < 1e-8


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_constant_targets(cls, kernel):
    model = cls(kernel=kernel, gamma=0.4).fit(X, np.full(N, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0, atol=1e-9)
    path = model.reweight(random_weights(N, 1, zeros=0.3))
    assert path.kkt_violation() < 1e-9
    np.testing.assert_allclose(model.predict(X), 3.0, atol=1e-9)
    model.move(y=Y, sample_weight=1.0)
    assert_alike(model, cls(kernel=kernel, gamma=0.4).fit(X, Y), X)
    model.move(y=-2.0)
    np.testing.assert_allclose(model.predict(X), -2.0, atol=1e-8)
    assert model.kkt_violation() < 1e-8


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_duplicated_rows(kernel, epsilon):
    params = {"C": 3.0, "gamma": 0.4, "kernel": kernel, "epsilon": epsilon}
    twice, targets = np.vstack([X, X, X[:20]]), np.concatenate([Y, Y, OTHER[:20]])
    model = wp.SVR(**params).fit(twice, targets)
    path = model.reweight(np.where(np.arange(140) < 120, 1.0, 0.0))
    assert path.kkt_violation() < 1e-9
    assert_alike(model, wp.SVR(**params).fit(X, Y, np.full(N, 2.0)), X)
    path = model.move(sample_weight=random_weights(140, 2, zeros=0.3), epsilon=0.3 - epsilon)
    assert path.kkt_violation() < 1e-9
    path = model.move(epsilon=epsilon, sample_weight=1.0)
    assert path.kkt_violation() < 1e-9
    assert_alike(model, wp.SVR(**params).fit(twice, targets), X)


def test_sets_of_a_path():
    path = wp.SVR(gamma=0.4, epsilon=0.3).fit(X, Y).move(C=5.0)
    solution = path.at(0.5)
    error = np.abs(Y - path.decision_function(X, 0.5))
    assert (error[solution.inside] < 0.3).all() and solution.inside.size > 5
    assert (error[solution.outside] > 0.3).all() and solution.outside.size > 2
    np.testing.assert_allclose(error[solution.margin], 0.3, atol=1e-9)
    solution = wp.SVR(gamma=0.4, epsilon=0.0).fit(X, Y).move(C=5.0).at(0.5)
    assert solution.inside.size == 0 and solution.outside.size + solution.margin.size == N


def test_zero_weight_equals_absence_and_can_come_back():
    model = wp.SVR(C=2.0, gamma=0.4).fit(X, Y)
    home = model.predict(X)
    out = np.arange(N) % 4 == 0
    model.reweight(np.where(out, 0.0, 1.0))
    assert_alike(model, wp.SVR(C=2.0, gamma=0.4).fit(X[~out], Y[~out]), X)
    assert not np.isin(model.support_, np.flatnonzero(out)).any()
    model.reweight(np.ones(N))
    np.testing.assert_allclose(model.predict(X), home, rtol=0, atol=1e-8)
