"""Critical regions: against paths, against maps, and against linear programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import weightpath as wp
from regions.planes import COSTS, grid_data, toy_model


def regression(n: int = 60, epsilon: float = 0.3) -> wp.SVR:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return wp.SVR(C=1.0, epsilon=epsilon, gamma=0.5).fit(X, y)


def one_class() -> wp.OneClassSVM:
    return wp.OneClassSVM(nu=0.3, gamma=0.5).fit(np.random.default_rng(2).normal(size=(60, 2)))


AXES = {
    "costs": (lambda: toy_model(120), COSTS),
    "C and margin": (lambda: toy_model(120), [{"C": 3.0}, {"margin": 2.0}]),
    "tube": (regression, [{"epsilon": 1.0}, {"C": 3.0}, {"y": np.zeros(60)}]),
    "nu": (one_class, [{"nu": 0.5}, {"sample_weight": np.linspace(0.5, 2.0, 60)}]),
}


@pytest.mark.parametrize("name", AXES)
def test_exits_are_the_first_events_of_paths(name):
    make, axes = AXES[name]
    model = make()
    for destination in axes:
        region = model.critical_region([destination])
        found = region.exit(1)
        path = model.path_to(**destination)
        event = path.events[0]
        assert found.length == pytest.approx(event["theta"], rel=1e-8)
        assert found.index == event["index"]
        assert (found.set_before, found.set_after) == (event["from"], event["to"])
        assert found.z == pytest.approx([found.length])
        assert region.vertices.max() == pytest.approx(found.length, rel=1e-8)
        assert region.contains(0.999 * found.length)
        assert not region.contains(1.001 * found.length)
        half = region.solution(0.5 * found.length)
        expected = path.at(0.5 * found.length)
        assert np.abs(half.dual_coef - expected.dual_coef).max() < 1e-9
        assert half.intercept == pytest.approx(expected.intercept, abs=1e-9)
        for own in ("outside", "margin", "inside"):
            assert np.array_equal(getattr(region, own), getattr(expected, own))


@pytest.mark.parametrize("name", AXES)
def test_no_half_space_is_redundant_and_none_is_missing(name):
    make, axes = AXES[name]
    region = make().critical_region(axes)
    A, b = region.minimal_halfspaces()
    assert np.linalg.norm(A, axis=1) == pytest.approx(1.0)
    free = [(None, None)] * len(axes)
    for k in range(len(A)):
        others = np.arange(len(A)) != k
        rows, limits = np.vstack([A[others], A[k]]), np.append(b[others], b[k] + 1.0)
        beyond = linprog(-A[k], rows, limits, bounds=free)
        assert -beyond.fun > b[k] + 1e-9
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(50, len(axes))):
        with np.errstate(divide="ignore"):
            steps = np.where(A @ direction > 0, b / (A @ direction), np.inf)
        assert region.exit(direction).length == pytest.approx(steps.min(), rel=1e-7)


def test_two_axes_give_the_polygon_of_the_map():
    model = toy_model(120)
    region = model.critical_region(COSTS)
    A, b = region.halfspaces
    vertices = region.vertices
    assert len(vertices) == len(A)
    half = 0.5 * np.abs(vertices).max()
    plane = wp.region_map(model, COSTS, ((-half, half), (-half, half)))
    for corner in plane.regions[plane.locate((0, 0))].polygon:
        assert region.contains((1 - 1e-9) * corner)
    turns = np.roll(vertices, -1, axis=0) - vertices
    following = np.roll(turns, -1, axis=0)
    assert (turns[:, 0] * following[:, 1] - turns[:, 1] * following[:, 0] > 0).all()
    assert np.abs((vertices @ A.T - b).max(axis=1)).max() < 1e-12


def test_many_axes():
    model = toy_model(60)
    axes = [np.eye(60)[i] for i in range(5)]
    region = model.critical_region(axes)
    A, b = region.halfspaces
    assert A.shape[1] == 5
    small, limits = region.minimal_halfspaces()
    assert len(small) <= len(A)
    rng = np.random.default_rng(0)
    for z in 3.0 * rng.normal(size=(200, 5)):
        # The axes are weights: where they are negative there is no problem.
        assert ((A @ z <= b).all()) == ((small @ z <= limits).all()) == region.contains(z)
    with pytest.raises(ValueError, match="one or two axes"):
        _ = region.vertices


def test_a_loose_bias():
    model = regression(epsilon=5.0)
    region = model.critical_region([{"epsilon": 0.1}, {"C": 2.0}])
    assert region.margin.size == 0
    found = region.exit((1, 0))
    path = model.path_to(epsilon=0.1)
    assert found.length == pytest.approx(path.theta[1], rel=1e-10)
    assert (found.set_before, found.set_after) == ("inside", "margin")
    assert region.exit((0, 1)).length == np.inf
    solution = region.solution((0.5 * found.length, 0.2))
    expected = path.at(0.5 * found.length)
    assert solution.intercept == pytest.approx(expected.intercept, abs=1e-12)


def test_weights_that_the_sum_does_not_allow():
    # Two classes at their bounds: one more weight, and the bias must jump at once.
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 2)), np.repeat([1, -1], 20)
    model = wp.SVC(C=1e-3, gamma=0.5).fit(X, y)
    region = model.critical_region([np.eye(40)[0], {"C": 2e-3}])
    assert region.margin.size == 0
    assert region.exit((1, 0)).length == 0.0
    up = np.ones(40)
    up[0] = 2.0
    event = model.path_to(sample_weight=up).events[0]
    assert region.exit((1, 0)).index == event["index"]
    assert region.exit((0, 1)).length > 0.0
    assert region.contains((0, 0))
    assert not region.contains((0.1, 0))


def test_ties_do_no_harm():
    X, y = grid_data(0)
    region = wp.SVC(C=1.0, gamma=0.5).fit(X, y).critical_region(COSTS)
    assert region.contains((0, 0))
    assert region.exit((1, 1)).length >= 0.0
    A, b = region.halfspaces
    assert (b >= 0.0).all()
    assert np.isfinite(A).all()


def test_what_is_wrong_is_said():
    model = toy_model(60)
    region = model.critical_region(COSTS)
    with pytest.raises(ValueError, match="outside this region"):
        region.solution((5, 5))
    with pytest.raises(ValueError, match="2 axes"):
        region.contains(0.1)
    with pytest.raises(ValueError, match="not zero"):
        region.exit((0, 0))
    with pytest.raises(TypeError, match="list with one entry for each axis"):
        model.critical_region({"C": 3})
    with pytest.raises(TypeError, match="Lasso"):
        wp.Lasso().fit(np.eye(5), np.arange(5.0)).critical_region([{"alpha": 2.0}])
    assert repr(region) == "<CriticalRegion: 60 rows, 0 at the margin, 2 axes>"
    assert "CriticalRegion" in region._repr_html_()
