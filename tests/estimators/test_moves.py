"""Moves of weights, C and margins end where a fresh fit would be."""

import numpy as np
import pytest

import weightpath as wp
from estimators.samples import (
    KINDS,
    Kind,
    assert_same_model,
    overlapping,
    pairwise_values,
    random_weights,
)

N = 60


def fitted(n_classes=2, **params):
    X, y = overlapping(N, n_classes)
    return wp.SVC(**{"C": 2.0, "gamma": 0.4, **params}).fit(X, y), X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", KINDS)
def test_reweight_equals_a_fresh_fit(name, n_classes):
    kind = Kind(name)
    X, y = overlapping(N, n_classes)
    old, new = random_weights(N, 1), random_weights(N, 2, zeros=0.2)
    model = kind.model().fit(kind.training(X), y, old)
    before = pairwise_values(model, kind.training(X))
    path = model.reweight(new)
    assert path.status == "complete"
    assert path.kkt_violation() < 1e-9
    assert_same_model(model, kind.model().fit(kind.training(X), y, new), kind.training(X))
    ends = path.subproblem_values(kind.training(X), [0.0, 1.0])
    np.testing.assert_allclose(ends[0], before, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ends[1], pairwise_values(model, kind.training(X)), rtol=0, atol=1e-9)


TARGETS = [
    {"C": 7.0},
    {"C": 0.05},
    {"sample_weight": random_weights(N, 3)},
    {"margin": 0.5},
    {"margin": np.linspace(-0.5, 2.0, N)},
    {"C": 0.3, "sample_weight": random_weights(N, 4, zeros=0.3)},
    {"C": 5.0, "margin": np.linspace(0.0, 1.5, N)},
    {"C": 4.0, "sample_weight": random_weights(N, 5), "margin": np.linspace(1.0, -1.0, N)},
]


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.4, 1: 3.0}], ids=str)
@pytest.mark.parametrize("targets", TARGETS, ids=lambda t: "+".join(t))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_move_equals_a_fresh_fit(targets, n_classes, class_weight):
    model, X, y = fitted(n_classes, class_weight=class_weight)
    before = pairwise_values(model, X)
    start = model.weights_
    path = model.move(**targets)
    fresh = wp.SVC(C=targets.get("C", 2.0), gamma=0.4, class_weight=class_weight).fit(
        X, y, targets.get("sample_weight"), margin=targets.get("margin")
    )
    assert_same_model(model, fresh, X)
    assert path.kkt_violation() < 1e-9
    assert model.kkt_violation() < 1e-9
    assert model.C_ == fresh.C_
    np.testing.assert_allclose(model.class_weight_, fresh.class_weight_, rtol=1e-14)
    np.testing.assert_allclose(model.weights_, fresh.weights_, rtol=1e-14)
    np.testing.assert_array_equal(model.margin_, fresh.margin_)
    np.testing.assert_allclose(path.subproblem_values(X, 0.0), before, rtol=0, atol=1e-9)
    for theta in (0.0, 0.3, 1.0):
        np.testing.assert_allclose(
            path.at(theta).weights, (1 - theta) * start + theta * model.weights_, rtol=1e-13
        )


def test_ends_of_a_path_are_the_models_before_and_after():
    model = fitted()[0]
    before = model.dual_coef_, model.support_, model.intercept_
    path = model.reweight(random_weights(N, 1))
    for theta, (coef, support, intercept) in (
        (0.0, before),
        (1.0, (model.dual_coef_, model.support_, model.intercept_)),
    ):
        solution = path.at(theta)
        np.testing.assert_allclose(solution.dual_coef[support], coef[0], rtol=0, atol=1e-9)
        assert np.abs(np.delete(solution.dual_coef, support)).max() < 1e-12
        assert solution.intercept == pytest.approx(intercept[0], abs=1e-9)
    sets = [path.at(0.5).outside, path.at(0.5).margin, path.at(0.5).inside]
    assert sorted(np.concatenate(sets)) == list(range(N))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_interior_of_a_path_equals_fresh_fits(n_classes):
    model, X, y = fitted(n_classes)
    path = model.move(sample_weight=random_weights(N, 6, zeros=0.2), C=6.0, margin=0.7)
    for theta in np.random.default_rng(0).uniform(size=4):
        weights = path.at(theta).weights
        fresh = wp.SVC(C=1.0, gamma=0.4).fit(X, y, weights, margin=1.0 - 0.3 * theta)
        np.testing.assert_allclose(
            path.subproblem_values(X, theta), pairwise_values(fresh, X), rtol=0, atol=1e-7
        )


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_there_and_back(n_classes, kernel):
    model, X, _ = fitted(n_classes, kernel=kernel)
    home = pairwise_values(model, X)
    for seed in range(3):
        model.reweight(random_weights(N, seed, zeros=0.5))
        model.move(C=9.0, margin=np.linspace(0, 2, N))
        model.move(C=2.0, margin=1.0, sample_weight=np.ones(N))
        np.testing.assert_allclose(pairwise_values(model, X), home, rtol=0, atol=1e-8)


def test_zero_weight_equals_absence_and_can_come_back():
    model, X, y = fitted()
    home = model.decision_function(X)
    out = np.arange(N) % 4 == 0
    model.reweight(np.where(out, 0.0, 1.0))
    fresh = wp.SVC(C=2.0, gamma=0.4).fit(X[~out], y[~out])
    assert_same_model(model, fresh, X)
    assert not np.isin(model.support_, np.flatnonzero(out)).any()
    assert model.weights_.shape == (N,)
    model.reweight(np.ones(N))
    np.testing.assert_allclose(model.decision_function(X), home, rtol=0, atol=1e-8)


def test_margins_of_zero_and_below():
    X, y = overlapping(N)
    model = wp.SVC(gamma=0.4).fit(X, y, margin=0.0)
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-9)
    assert model.kkt_violation() < 1e-9
    model.move(margin=np.where(np.arange(N) % 2, 1.0, -1.0))
    fresh = wp.SVC(gamma=0.4).fit(X, y, margin=np.where(np.arange(N) % 2, 1.0, -1.0))
    assert_same_model(model, fresh, X)
    model.move(margin=-1.0)
    assert model.kkt_violation() < 1e-9
    assert model.support_.size == 0
    np.testing.assert_array_equal(model.decision_function(X), model.intercept_[0])
    model.move(margin=1.0)
    assert_same_model(model, wp.SVC(gamma=0.4).fit(X, y), X)


def test_moves_start_from_where_the_model_is():
    model, X, y = fitted(class_weight="balanced")
    model.move(C=5.0)
    model.reweight(random_weights(N, 1))
    model.move(margin=0.8)
    fresh = wp.SVC(C=5.0, gamma=0.4, class_weight="balanced")
    assert_same_model(model, fresh.fit(X, y, random_weights(N, 1), margin=0.8), X)


def test_parameters_set_after_the_fit_do_not_reach_it():
    model, X, y = fitted()
    model.set_params(C=100.0, gamma=9.0, ridge=1.0, class_weight="balanced", kernel="linear")
    model.reweight(random_weights(N, 1))
    fresh = wp.SVC(C=2.0, gamma=0.4).fit(X, y, random_weights(N, 1))
    np.testing.assert_allclose(
        model.decision_function(X), fresh.decision_function(X), rtol=0, atol=1e-7
    )
    assert model.kkt_violation() < 1e-9


def test_a_scalar_weight_stands_for_all():
    model, X, y = fitted()
    model.reweight(0.5)
    assert_same_model(model, wp.SVC(C=1.0, gamma=0.4).fit(X, y), X)


def test_a_move_to_the_same_place_is_a_path_without_events():
    model, X, _ = fitted()
    before = model.decision_function(X)
    path = model.move(C=2.0)
    assert path.n_events == 0 and len(path) == 1
    np.testing.assert_allclose(model.decision_function(X), before, rtol=0, atol=1e-12)


def test_shared_theta_of_several_classes():
    model, X, _ = fitted(3)
    path = model.reweight(random_weights(N, 1))
    assert len(path.parts) == 3 and path.pairs == ((0, 1), (0, 2), (1, 2))
    assert (np.diff(path.theta) > 0).all()
    assert path.theta[0] == 0.0 and path.theta[-1] == 1.0
    assert path.at(0.4).dual_coef.shape == (3, N)
    values = path.decision_function(X, [0.2, 0.7])
    assert values.shape == (2, N, 3)
