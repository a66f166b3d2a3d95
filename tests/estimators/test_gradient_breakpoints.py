"""Gradients where they are one-sided: at breakpoints, at weight zero, with a free bias."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weightpath as wp

GAMMA = 0.5


@pytest.fixture
def toy():
    return wp.datasets.make_toy(60, random_state=0)


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(5, 2))


COST = np.array([1.0, -2.0, 0.5, 1.0, 3.0])


def quiet(model, X, cotangent):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wp.BreakpointWarning)
        return model.gradient(X, cotangent)


def test_at_every_breakpoint_of_a_path_the_right_hand_derivative(toy, points):
    path = wp.SVC(1.0, gamma=GAMMA).fit(toy.X, toy.y).path_to(C=5.0)
    slopes = np.diff(path.decision_function(points, path.theta) @ COST) / np.diff(path.theta)
    n_flagged = 0
    for k, theta in enumerate(path.theta[1:-1], start=1):
        model = path.model_at(theta)
        with pytest.warns(wp.BreakpointWarning):
            gradient = model.gradient(points, COST)
        assert gradient.at_breakpoint
        if "C" not in gradient.one_sided:
            # A breakpoint of the record that is none of the values.
            assert slopes[k - 1] == pytest.approx(slopes[k], rel=1e-6)
            continue
        n_flagged += 1
        scale = np.abs(slopes).max()
        assert 4.0 * gradient["C"] == pytest.approx(slopes[k], rel=1e-6, abs=1e-6 * scale)
        assert gradient.rows.size > 0
    assert n_flagged >= 10


def test_between_breakpoints_nothing_is_flagged_but_weights_of_a_free_bias(toy, points):
    path = wp.SVC(1.0, gamma=GAMMA).fit(toy.X, toy.y).path_to(C=5.0)
    for theta in 0.5 * (path.theta[1:] + path.theta[:-1]):
        gradient = quiet(path.model_at(theta), points, COST)
        assert set(gradient.one_sided) <= {"sample_weight"}
        free = path.at(theta).margin.size == 0
        assert gradient.at_breakpoint == free


def test_at_a_breakpoint_each_weight_has_one_of_its_one_sided_derivatives(toy, points):
    path = wp.SVC(1.0, gamma=GAMMA).fit(toy.X, toy.y).path_to(C=5.0)
    theta = path.theta[7]
    gradient = quiet(path.model_at(theta), points, COST)
    assert gradient.rows.size == 1
    width, C, kinks = 1e-5, 1.0 + 4.0 * theta, 0
    for i in range(0, 60, 5):
        values = []
        for change in (-width, 0.0, width):
            weight = np.ones(60)
            weight[i] += change
            model = wp.SVC(C, gamma=GAMMA).fit(toy.X, toy.y, weight)
            values.append(model.decision_function(points) @ COST)
        left, right = np.diff(values) / width
        found = gradient["sample_weight"][i]
        assert min(abs(found - left), abs(found - right)) < 1e-6
        kinks += abs(left - right) > 1e-3
    assert kinks > 2


def test_weight_zero_has_the_derivative_of_a_rising_weight(toy, points):
    weight = np.ones(60)
    weight[:12] = 0.0
    weight[12:] = np.random.default_rng(3).uniform(0.5, 2, 48)
    model = wp.SVC(1.0, gamma=GAMMA).fit(toy.X, toy.y, weight)
    found, here = model.gradient(points, COST), model.decision_function(points) @ COST
    assert not found.at_breakpoint
    for i in range(12):
        more = weight.copy()
        more[i] = 1e-5
        there = wp.SVC(1.0, gamma=GAMMA).fit(toy.X, toy.y, more).decision_function(points) @ COST
        assert found["sample_weight"][i] == pytest.approx((there - here) / 1e-5, abs=1e-6)


def test_a_tube_without_width_has_the_derivative_of_a_rising_width():
    random = np.random.default_rng(5)
    X = random.normal(size=(30, 2))
    y = np.sin(X[:, 0]) + 0.2 * random.normal(size=30)
    weight = random.uniform(0.5, 2.0, 30)
    model = wp.SVR(1.0, epsilon=0.0, gamma=GAMMA).fit(X, y, weight)
    found, here = model.gradient(X[:5], COST), model.predict(X[:5]) @ COST
    for i in range(30):
        epsilon = np.zeros(30)
        epsilon[i] = 1e-6
        there = wp.SVR(1.0, epsilon=epsilon, gamma=GAMMA).fit(X, y, weight).predict(X[:5]) @ COST
        assert found["epsilon"][i] == pytest.approx((there - here) / 1e-6, abs=1e-5)


def test_the_middle_of_a_free_bias_moves_with_the_two_rows_that_bound_it(toy, points):
    """All rows are at their bounds; what leaves their sum at zero has a derivative."""
    model = wp.SVC(1e-3, gamma=GAMMA).fit(toy.X, toy.y)
    assert model.subproblems_[0].state.margin.size == 0
    with pytest.warns(wp.BreakpointWarning, match="bias jumps"):
        found = model.gradient(points, COST)
    assert found.one_sided == ("sample_weight",)

    def slope(width, C=1e-3, weight=None, margin=None):
        def value(sign):
            moved = wp.SVC(C + sign * width * (weight is None and margin is None), gamma=GAMMA)
            own = np.ones(60) if weight is None else 1.0 + sign * width * weight
            asked = np.ones(60) if margin is None else 1.0 + sign * width * margin
            return moved.fit(toy.X, toy.y, own, margin=asked).decision_function(points) @ COST

        return (value(1.0) - value(-1.0)) / (2.0 * width)

    assert found["C"] == pytest.approx(slope(1e-6), rel=1e-7)
    bounding = np.flatnonzero(found["margin"])
    assert bounding.size == 2
    for i in (*bounding, 0):
        one = np.zeros(60)
        one[i] = 1.0
        assert found["margin"][i] == pytest.approx(slope(1e-6, margin=one), abs=1e-6)
    # One of each class: the sum of the bounds stays.
    pair = np.zeros(60)
    pair[[np.flatnonzero(toy.y == label)[0] for label in np.unique(toy.y)]] = 1.0
    assert found["sample_weight"] @ pair == pytest.approx(slope(1e-3, weight=pair), abs=1e-8)


def test_copies_share_the_derivative_of_one_row(toy, points):
    weight = np.random.default_rng(6).uniform(0.5, 2.0, 60)
    once = wp.SVC(1.0, gamma=GAMMA).fit(toy.X, toy.y, weight).gradient(points, COST)
    X, y = np.vstack([toy.X, toy.X]), np.append(toy.y, toy.y)
    model = wp.SVC(1.0, gamma=GAMMA).fit(X, y, np.append(0.25 * weight, 0.75 * weight))
    twice = quiet(model, points, COST)
    # Weights and C are not concerned by the ties between copies; margins are.
    assert set(twice.one_sided) <= {"margin"}
    for half in (slice(60), slice(60, 120)):
        np.testing.assert_allclose(
            twice["sample_weight"][half], once["sample_weight"], rtol=0, atol=1e-9
        )
    assert twice["C"] == pytest.approx(once["C"], rel=1e-9)


def test_integer_data_with_many_ties_gives_finite_gradients_of_one_piece():
    """On a grid rows are tied all over; the derivative by C is that of larger C."""
    random = np.random.default_rng(7)
    X = random.integers(0, 3, size=(50, 2)).astype(np.float64)
    y = np.where(X.sum(axis=1) + random.integers(-1, 2, 50) > 2, 1, -1)
    model = wp.SVC(1.0, kernel="linear").fit(X, y)
    found = quiet(model, X[:5], COST)
    there = wp.SVC(1.0 + 1e-6, kernel="linear").fit(X, y)
    here = model.decision_function(X[:5]) @ COST
    right = (there.decision_function(X[:5]) @ COST - here) / 1e-6
    assert all(np.isfinite(value).all() for value in found.values())
    assert found["C"] == pytest.approx(right, abs=1e-5)


def test_linear_programs_jump_with_weights_and_say_so():
    random = np.random.default_rng(8)
    X = random.normal(size=(40, 4))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=40) > 0, 1, -1)
    path = wp.L1SVC(1.0).fit(X, y, random.uniform(0.5, 2, 40)).path_to(C=0.2)
    model = path.model_at(path.theta[1])
    with pytest.warns(wp.BreakpointWarning):
        assert {"sample_weight", "C"} <= set(model.gradient(X[:5], COST).one_sided)
    between = path.model_at(0.5 * (path.theta[1] + path.theta[2]))
    found = between.gradient(X[:5], COST)
    assert not found.at_breakpoint
    assert not found["sample_weight"].any()
    assert found["C"] == 0.0


def test_nu_without_effect_and_nu_without_a_derivative():
    random = np.random.default_rng(9)
    X = random.normal(size=(30, 1))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=30)
    # Even a tube without width has a smaller share.
    model = wp.NuSVR(nu=1.0, gamma=2.0).fit(X, y)
    assert model.epsilon_ == 0.0
    found, other = model.gradient(X[:5], COST), wp.SVR(epsilon=0.0, gamma=2.0).fit(X, y)
    assert found["nu"] == 0.0
    np.testing.assert_allclose(found["y"], other.gradient(X[:5], COST)["y"], atol=1e-9)
    halves = wp.NuSVC(nu=1.0, gamma=0.5).fit(X, np.repeat([0, 1], 15))
    with pytest.raises(wp.PathError, match="several values"):
        halves.gradient(X[:5], COST)
