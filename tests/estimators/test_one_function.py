"""Path and model are one function, at every theta: breakpoints, jumps of the bias and ends too."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

import weightpath as wp

N = 100
SEEDS = range(60)

# Small weights, where all instances are inside and the bias is free: to begin with and to end with.
SMALL = 0.1


def weightings(seed, y):
    """Two weightings: plain, up from small ones, and down to small ones."""
    rng = np.random.default_rng(seed)
    plain, any_other = np.ones(N), rng.uniform(0.2, 2.0, N)
    by_class = np.where(y == 1, 2.0, 1.0)
    return [
        (plain, any_other),
        (SMALL * plain, by_class),
        (by_class, SMALL * plain),
        (SMALL * plain, SMALL * any_other),
    ][seed % 4]


def travelled(seed):
    """Return data, the model's values before and after, and the path between."""
    X, y = make_classification(random_state=seed)
    first, last = weightings(seed, y)
    model = wp.SVC().fit(X, y, sample_weight=first)
    before = model.decision_function(X)
    path = model.reweight(last)
    return X, y, before, model, path


@pytest.mark.parametrize("seed", SEEDS)
def test_path_and_model_at_every_theta(seed):
    X, _, before, model, path = travelled(seed)
    assert path.decision_function(X, 0.0) == pytest.approx(before, abs=1e-12)
    assert path.decision_function(X, 1.0) == pytest.approx(model.decision_function(X), abs=1e-12)
    middles = 0.5 * (path.theta[1:] + path.theta[:-1])
    theta = np.unique(np.concatenate([path.theta, middles]))
    assert theta[0] == 0.0 and theta[-1] == 1.0
    for at, values in zip(theta, path.decision_function(X, theta), strict=True):
        assert path.model_at(at).decision_function(X) == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_solution_at_the_ends_is_the_models_own(seed):
    X, y = make_classification(random_state=seed)
    first, last = weightings(seed, y)
    model = wp.SVC().fit(X, y, sample_weight=first)
    ends = [expanded(model)]
    path = model.reweight(last)
    ends.append(expanded(model))
    for theta, (coef, intercept) in zip((0.0, 1.0), ends, strict=True):
        np.testing.assert_array_equal(path.at(theta).dual_coef, coef)
        assert path.at(theta).intercept == intercept


def expanded(model):
    """Return a model's coefficient of every training row, and its intercept."""
    coef = np.zeros(N)
    coef[model.support_] = model.dual_coef_[0]
    return coef, float(model.intercept_[0])


def test_curves_at_isolated_theta():
    n_inner, n_ends, n_told_apart = 0, 0, 0
    for seed in SEEDS:
        X, y, _, _, path = travelled(seed)
        curve = path.curve(X, y, "zero_one")
        for theta in path.isolated_theta:
            there = path.model_at(theta)
            error = np.mean(there.predict(X) != y)
            assert curve(theta) == pytest.approx(error, abs=1e-14)
            inner = 0.0 < theta < 1.0
            n_inner, n_ends = n_inner + inner, n_ends + (not inner)
            beside = curve(np.clip([theta - 1e-9, theta + 1e-9], 0.0, 1.0))
            n_told_apart += bool((np.abs(beside - error) > 1e-3).any())
    assert n_inner > 5 and n_ends > 10 and n_told_apart > 5


def test_limits_from_both_sides():
    """The sides are what the path is just beside; the solution is between them."""
    step, n_jumps = 1e-9, 0
    for seed in SEEDS:
        _, _, _, _, path = travelled(seed)
        for theta in path.isolated_theta:
            here = path.at(theta).intercept
            sides = [path.at(theta, side=side).intercept for side in ("left", "right")]
            if 0.0 < theta < 1.0:
                assert min(sides) < here < max(sides)
            for side, beside in zip(sides, (theta - step, theta + step), strict=True):
                if 0.0 <= beside <= 1.0:
                    assert path.at(beside).intercept == pytest.approx(side, abs=1e-6)
            n_jumps += 1
    assert n_jumps > 10


def test_sides_agree_where_nothing_jumps():
    _, _, _, _, path = travelled(0)
    assert path.isolated_theta.size == 0
    for theta in path.theta[1:-1]:
        here = path.at(theta)
        for side in ("left", "right"):
            limit = path.at(theta, side=side)
            assert limit.dual_coef == pytest.approx(here.dual_coef, abs=1e-12)
            assert limit.intercept == pytest.approx(here.intercept, abs=1e-12)


def test_a_side_has_a_name():
    _, _, _, _, path = travelled(0)
    with pytest.raises(ValueError, match="side must be"):
        path.at(0.5, side="both")
