"""The one-class machine: parity, moves of weights and nu, rows that come and go."""

import io

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_digits

import weightpath as wp
from estimators.regression_samples import assert_alike, machine, noisy
from estimators.samples import KINDS, Kind, random_weights

N = 60
X = noisy(N)[0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("nu", [0.05, 0.5, 0.9])
@pytest.mark.parametrize(
    "kernel", [{"kernel": "rbf", "gamma": 0.4}, {"kernel": "poly", "coef0": 1.0, "gamma": 0.2}]
)
def test_agrees_with_sklearn(kernel, nu, weighted):
    weight = random_weights(N, 1, zeros=0.1) if weighted else None
    ours = wp.OneClassSVM(nu, **kernel).fit(X, sample_weight=weight)
    theirs = svm.OneClassSVM(nu=nu, tol=1e-9, **kernel).fit(X, sample_weight=weight)
    scale = np.abs(theirs.offset_).max()
    values = ours.decision_function(X)
    np.testing.assert_allclose(values, theirs.decision_function(X), rtol=0, atol=1e-5 * scale)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-5 * scale)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-5)
    assert ours.offset_.shape == np.shape(theirs.offset_)
    assert ours.n_support_.shape == theirs.n_support_.shape
    assert ours.dual_coef_.shape == (1, ours.support_.size)
    total = N if weight is None else weight.sum()
    assert ours.dual_coef_.sum() == pytest.approx(nu * total)
    clear = np.abs(values) > 1e-4 * scale
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    assert ours.kkt_violation() < 1e-9 * scale


TARGETS = [
    {"nu": 0.9},
    {"nu": 0.02},
    {"nu": 1.0},
    {"sample_weight": random_weights(N, 2, zeros=0.3)},
    {"nu": 0.7, "sample_weight": 5 * random_weights(N, 3, zeros=0.3)},
]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("targets", TARGETS, ids=lambda t: "+".join(t))
def test_move_equals_a_fresh_fit(targets, name):
    kind = Kind(name)
    K = kind.training(X)
    model = machine(wp.OneClassSVM, kind, nu=0.3).fit(K)
    home = model.decision_function(K)
    path = model.move(**targets)
    fresh = machine(wp.OneClassSVM, kind, nu=targets.get("nu", 0.3))
    fresh.fit(K, sample_weight=targets.get("sample_weight"))
    assert_alike(model, fresh, K)
    assert model.nu_ == fresh.nu_
    np.testing.assert_array_equal(model.weights_, fresh.weights_)
    assert path.kkt_violation() < 1e-9 and model.kkt_violation() < 1e-9
    model.move(nu=0.3, sample_weight=1.0)
    np.testing.assert_allclose(model.decision_function(K), home, rtol=0, atol=1e-8)


def test_nu_inside_a_joint_path():
    model = wp.OneClassSVM(0.2, gamma=0.4).fit(X)
    path = model.move(nu=0.8, sample_weight=3.0)
    there = path.model_at(0.5)
    assert there.nu_ == pytest.approx((0.2 + 3 * 0.8) / 4)
    fresh = wp.OneClassSVM(there.nu_, gamma=0.4).fit(X, sample_weight=there.weights_)
    assert_alike(there, fresh, X)
    there.remove([0, 1])
    fresh = wp.OneClassSVM(there.nu_, gamma=0.4).fit(X[2:], sample_weight=there.weights_)
    assert_alike(there, fresh, X)


def test_boundary_and_sets():
    model = wp.OneClassSVM(0.3, gamma=0.4).fit(X)
    path = model.move(nu=0.4)
    values = model.decision_function(X)
    solution = path.at(1.0)
    assert (values[solution.margin] == 0.0).all() and solution.margin.size > 0
    assert (values[solution.inside] < 0).all() and (values[solution.outside] > 0).all()
    assert (model.predict(X)[solution.margin] == 1).all()
    assert np.mean(model.predict(X) == -1) <= 0.4 <= model.support_.size / N
    np.testing.assert_array_equal(model.fit_predict(X), model.fit(X).predict(X))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_digits(kernel):
    digits = load_digits()
    X = digits.data[:600] / 16.0
    zero = (digits.target[:600] == 0).astype(float)
    model = wp.OneClassSVM(0.3, kernel=kernel, gamma=0.02).fit(X)
    path = model.move(nu=0.05, sample_weight=0.1 + zero)
    scale = abs(model.offset_[0]) + abs(path.at(0.0).intercept)
    assert path.kkt_violation() <= 1e-9 * scale
    fresh = wp.OneClassSVM(0.05, kernel=kernel, gamma=0.02).fit(X, sample_weight=0.1 + zero)
    assert_alike(model, fresh, X, tolerance=1e-8 * scale)
    if kernel == "rbf":
        inlier = model.predict(X) == 1
        assert inlier[zero == 1].mean() > 0.85
    path = model.move(nu=0.9)
    assert path.kkt_violation() <= 1e-9 * abs(model.offset_[0])


def test_duplicated_rows():
    twice = np.vstack([X, X])
    model = wp.OneClassSVM(0.3, gamma=0.4).fit(twice)
    fresh = wp.OneClassSVM(0.3, gamma=0.4).fit(X, sample_weight=np.full(N, 2.0))
    assert_alike(model, fresh, X)
    path = model.reweight(random_weights(2 * N, 1, zeros=0.4))
    assert path.kkt_violation() < 1e-9


def test_saved_and_loaded():
    path = wp.OneClassSVM(0.3, gamma=0.4).fit(X).move(nu=0.6, sample_weight=random_weights(N))
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    twin = wp.load(stream)
    there, other = path.model_at(0.4), twin.model_at(0.4)
    assert there.nu_ == other.nu_
    assert_alike(there, other, X, tolerance=1e-14)
    there.move(nu=0.6, sample_weight=random_weights(N))
    assert_alike(there, path.model_at(1.0), X, tolerance=1e-8)


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.5, np.nan, "half", True, None])
def test_bad_nu(nu):
    with pytest.raises(ValueError, match="nu must be"):
        wp.OneClassSVM(nu).fit(X)
    with pytest.raises(ValueError, match="nu"):
        wp.OneClassSVM().fit(X).move(nu=nu)


@pytest.mark.parametrize("seed", range(20))
def test_path_that_begins_without_a_margin(seed):
    """At nu = 1 every coefficient is at its bound; targets and levels are all zero."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(25, 2)) + 0.1 * rng.normal(size=(25, 2))
    weight = rng.choice([0.5, 1.0, 2.0], 25)
    model = wp.OneClassSVM(nu=1.0, gamma=0.5).fit(X, sample_weight=weight)
    path = model.move(nu=0.3, sample_weight=rng.uniform(0.2, 2.0, 25))
    assert path.kkt_violation() <= 1e-9 * abs(model.offset_[0])
