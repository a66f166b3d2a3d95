"""Maps of a plane: coverage, solutions against fresh fits, lines against paths."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from regions.planes import (
    COSTS,
    check_line,
    check_points,
    check_tiling,
    grid_data,
    toy_model,
    violation,
)


@cache
def toy_map(n: int) -> wp.RegionMap:
    return wp.region_map(toy_model(n), COSTS)


def toy_fit(n: int, C: float = 1.0):
    toy = wp.datasets.make_toy(n, random_state=0)

    def fit(z):
        factors = {-1: 1.0 + 9.0 * z[0], 1: 1.0 + 9.0 * z[1]}
        return wp.SVC(C=C, gamma=0.5, class_weight=factors).fit(toy.X, toy.y)

    return fit, toy.X


def test_toy_plane_is_tiled():
    check_tiling(toy_map(60), 300)
    assert 1000 < len(toy_map(60)) < 2000


def test_toy_plane_has_the_solutions_of_fresh_fits():
    check_points(toy_map(60), *toy_fit(60), n_points=100)


def test_a_large_toy_plane():
    plane = toy_map(400)
    assert plane.status == "complete"
    assert abs(plane.areas.sum() - 1.0) <= 1e-9
    assert len(plane) > 10_000
    check_points(plane, *toy_fit(400), n_points=25)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 400])
def test_a_thousand_points_of_toy_planes(n):
    check_points(toy_map(n), *toy_fit(n), n_points=1000)


def test_solutions_are_those_of_scikit_learn():
    toy = wp.datasets.make_toy(60, random_state=0)
    z = 0.37, 0.81
    factors = {-1: 1.0 + 9.0 * z[0], 1: 1.0 + 9.0 * z[1]}
    peer = svm.SVC(C=1.0, gamma=0.5, class_weight=factors, tol=1e-10).fit(toy.X, toy.y)
    values = toy_map(60).decision_function(toy.X, z)
    assert np.abs(values - peer.decision_function(toy.X)).max() < 1e-4


@pytest.mark.parametrize("seed", range(8))
def test_lines_have_the_events_of_paths(seed):
    rng = np.random.default_rng(seed)
    start, end = rng.uniform(size=(2, 2))
    assert check_line(toy_map(60), start, end) > 0


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), np.where(y > 0, 1, -1)


@pytest.mark.parametrize(
    "n_points", [5, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "thousand"]
)
def test_breast_cancer(n_points):
    X, y = breast_cancer()
    model = wp.SVC(C=0.01, kernel="linear").fit(X, y)
    plane = wp.region_map(model, COSTS, ((0, 0.3), (0, 0.3)))
    assert abs(plane.areas.sum() / 0.09 - 1.0) <= 1e-9

    def fit(z):
        factors = {-1: 1.0 + 9.0 * z[0], 1: 1.0 + 9.0 * z[1]}
        return wp.SVC(C=0.01, kernel="linear", class_weight=factors).fit(X, y)

    check_points(plane, fit, X, n_points)


@pytest.mark.parametrize(
    "n_points", [5, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "thousand"]
)
def test_diabetes(n_points):
    X, y = load_diabetes(return_X_y=True)
    X, y = 20.0 * X, (y - y.mean()) / y.std()
    model = wp.SVR(C=0.1, epsilon=0.5).fit(X, y)
    plane = wp.region_map(model, [{"C": 0.4}, {"epsilon": 4.0}])
    assert plane.status == "complete"

    def fit(z):
        return wp.SVR(C=0.1 + 0.3 * z[0], epsilon=0.5 + 3.5 * z[1]).fit(X, y)

    check_points(plane, fit, X, n_points)
    # Wide tubes hold all targets: no row is on the margin, and the bias is the middle.
    region = plane.regions[plane.locate((0.5, 0.99))]
    assert region.margin.size == 0
    assert plane.at((0.5, 0.99)).intercept == pytest.approx(0.5 * (y.min() + y.max()), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_integer_grids_with_duplicates(kernel, seed):
    X, y = grid_data(seed)
    plane = wp.region_map(wp.SVC(C=1.0, kernel=kernel, gamma=0.5).fit(X, y), COSTS)
    check_tiling(plane, 100)
    assert plane.tie_shift.any()

    def fit(z):
        factors = {-1: 1.0 + 9.0 * z[0], 1: 1.0 + 9.0 * z[1]}
        return wp.SVC(C=1.0, kernel=kernel, gamma=0.5, class_weight=factors).fit(X, y)

    check_points(plane, fit, X, n_points=15)


@pytest.mark.parametrize("seed", range(4))
def test_margins_of_dependent_rows(seed):
    # Coefficients jump where a row depends on the margin: linear kernel, margins that move.
    X, y = grid_data(seed)
    margin = np.where(X[:, 0] > 1, 2.0, 0.5)
    model = wp.SVC(C=0.1, kernel="linear").fit(X, y)
    plane = wp.region_map(model, [{"margin": 2.0}, {"margin": margin}])
    check_tiling(plane, 100)

    def fit(z):
        own = 1.0 + z[0] + z[1] * (margin - 1.0)
        return wp.SVC(C=0.1, kernel="linear").fit(X, y, margin=own)

    check_points(plane, fit, X, n_points=15)


def test_balanced_classes_at_tiny_costs_have_a_loose_bias():
    # All coefficients are at their bounds and their sum is zero: the bias is an interval.
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 2)), np.repeat([1, -1], 20)
    X[y > 0] += 0.5
    model = wp.SVC(C=1e-3, gamma=0.5).fit(X, y)
    margin = rng.uniform(0.5, 1.5, 40)
    plane = wp.region_map(model, [{"C": 0.2}, {"margin": margin}])
    check_tiling(plane, 100)

    def fit(z):
        C = 1e-3 + z[0] * (0.2 - 1e-3)
        return wp.SVC(C=C, gamma=0.5).fit(X, y, margin=1.0 + z[1] * (margin - 1.0))

    check_points(plane, fit, X, n_points=30)
    assert plane.regions[plane.locate((1e-4, 0.5))].margin.size == 0
    values = dict(plane.affine_values(X))
    for z in ((1e-4, 0.3), (2e-3, 0.7)):
        own = values[plane.locate(z)] @ [1.0, *z]
        assert np.abs(own - plane.decision_function(X, z)).max() < 1e-10


def test_quantiles_and_one_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    plane = wp.region_map(
        wp.QuantileSVR(C=0.5, quantile=0.3).fit(X, y), [{"C": 2.0}, {"quantile": 0.5}]
    )
    check_tiling(plane, 50)
    for z in rng.uniform(size=(20, 2)):
        assert violation(plane, z, plane.at(z)) <= 1e-9
    weight = rng.uniform(0.5, 2.0, 50)
    model = wp.OneClassSVM(nu=0.3, gamma=0.5).fit(X)
    plane = wp.region_map(model, [{"nu": 0.6}, {"sample_weight": weight}])
    check_tiling(plane, 50)

    def fit(z):
        share = 0.3 * 50 + z[0] * 0.3 * 50 + z[1] * 0.3 * (weight - 1.0).sum()
        own = 1.0 + z[1] * (weight - 1.0)
        return wp.OneClassSVM(nu=share / own.sum(), gamma=0.5).fit(X, sample_weight=own)

    check_points(plane, fit, X, n_points=20)


def test_zero_weights_at_the_border_and_everywhere():
    toy = wp.datasets.make_toy(60, random_state=3)
    weight = np.where(np.arange(60) % 9 == 0, 0.0, 1.0)
    model = wp.SVC(C=1.0, gamma=0.5).fit(toy.X, toy.y, sample_weight=weight)
    # Both costs fall to zero on two sides of the plane, and all weights in a corner.
    axes = [{"class_weight": {-1: 3.0}}, {"class_weight": {1: 3.0}}]
    plane = wp.region_map(model, axes, ((-0.5, 1), (-0.5, 1)))
    check_tiling(plane, 50)
    for z in ((-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (1, 1)):
        assert violation(plane, z, plane.at(z)) <= 1e-9
    plane = wp.region_map(model, [{"class_weight": {-1: 2.0}}, weight], ((-1, 1), (0, 1)))
    check_tiling(plane, 50)
    for z in np.random.default_rng(0).uniform((-1, 0), 1, (20, 2)):
        assert violation(plane, z, plane.at(z)) <= 1e-9


def test_affine_values():
    plane, X = toy_map(60), np.random.default_rng(0).normal(size=(7, 2))
    seen = []
    for number, values in plane.affine_values(X):
        seen.append(number)
        assert values.shape == (7, 3)
        if number % 50 == 0:
            z = plane.regions[number].polygon.mean(axis=0)
            expected = plane.decision_function(X, z)
            assert np.abs(values @ [1.0, *z] - expected).max() < 1e-10
    assert seen == list(range(len(plane)))


def test_regions_and_solutions():
    plane = toy_map(60)
    region = plane.regions[plane.locate((0.3, 0.8))]
    solution = plane.at((0.3, 0.8))
    for name in ("outside", "margin", "inside"):
        assert np.array_equal(getattr(region, name), getattr(solution, name))
    assert solution.z == (0.3, 0.8)
    assert solution.objective > 0.0
    assert "z=(0.3, 0.8)" in repr(solution)
    same = region.solution((0.3, 0.8))
    assert np.array_equal(same.dual_coef, solution.dual_coef)
    assert len(plane.regions[:3]) == 3
    assert plane.regions[-1].number == len(plane) - 1
    with pytest.raises(IndexError):
        plane.regions[len(plane)]
    several = plane.decision_function(np.zeros((1, 2)), [(0.3, 0.8), (0.1, 0.2)])
    assert several.shape == (2, 1)


def test_a_cap_ends_the_map_and_says_so():
    plane = wp.region_map(toy_model(60), COSTS, max_regions=100)
    assert len(plane) == 100
    assert "max_regions=100" in plane.status
    assert violation(plane, (0.9, 0.1), plane.at((0.9, 0.1))) <= 1e-9


def test_progress_and_interrupts():
    told = []
    wp.region_map(toy_model(100), COSTS, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 1000)

    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wp.region_map(toy_model(100), COSTS, progress=interrupt)


def test_the_model_stays_and_maps_can_be_pickled():
    model = toy_model(60)
    before = model.dual_coef_.copy()
    plane = wp.region_map(model, COSTS)
    assert np.array_equal(before, model.dual_coef_)
    copy = pickle.loads(pickle.dumps(plane))
    assert len(copy) == len(plane)
    X = np.zeros((2, 2))
    z = 0.2, 0.9
    assert np.allclose(copy.decision_function(X, z), plane.decision_function(X, z), atol=1e-12)
    assert repr(copy) == repr(plane)
    assert "RegionMap" in plane._repr_html_()


def test_pipelines_take_raw_rows():
    toy = wp.datasets.make_toy(60, random_state=0)
    X = 3.0 * toy.X + 1.0
    pipe = make_pipeline(StandardScaler(), wp.SVC(C=1.0, gamma=0.5)).fit(X, toy.y)
    plane = wp.region_map(pipe, COSTS)
    assert np.allclose(plane.decision_function(X, (0, 0)), pipe.decision_function(X), atol=1e-9)


def test_maps_are_deterministic():
    X, y = grid_data(1)
    maps = [wp.region_map(wp.SVC(C=1.0, gamma=0.5).fit(X, y), COSTS) for _ in range(2)]
    assert np.array_equal(maps[0].vertices, maps[1].vertices)


@pytest.mark.parametrize(
    ("axes", "bounds", "error", "words"),
    [
        ([{"C": 2.0}], ((0, 1), (0, 1)), ValueError, "two axes"),
        ({"C": 2.0}, ((0, 1), (0, 1)), (TypeError, ValueError), "axes"),
        ([{"C": 2.0}, {"epsilon": 1.0}], ((0, 1), (0, 1)), TypeError, "Axis 1: 'epsilon'"),
        ([{"C": 2.0}, {}], ((0, 1), (0, 1)), TypeError, "moves nothing"),
        ([{"C": 2.0}, {"C": None}], ((0, 1), (0, 1)), ValueError, "C is None"),
        ([{"C": 2.0}, np.ones(3)], ((0, 1), (0, 1)), ValueError, r"shape \(60,\)"),
        ([{"C": 2.0}, np.full(60, np.nan)], ((0, 1), (0, 1)), ValueError, "finite"),
        (COSTS, ((0, 1), (1, 0)), ValueError, "low < high"),
        (COSTS, ((0, 1),), ValueError, "bounds must be"),
        (COSTS, ((-0.2, 1), (0, 1)), ValueError, "corner of the bounds"),
    ],
)
def test_what_is_wrong_is_said(axes, bounds, error, words):
    with pytest.raises(error, match=words):
        wp.region_map(toy_model(60), axes, bounds)


def test_models_without_a_map_are_refused():
    toy = wp.datasets.make_toy(60, random_state=0)
    three = wp.SVC().fit(toy.X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="two classes"):
        wp.region_map(three, COSTS)
    with pytest.raises(TypeError, match="Lasso"):
        wp.region_map(wp.Lasso().fit(toy.X, toy.y), COSTS)
    with pytest.raises(TypeError, match="got a SVC"):
        wp.region_map(svm.SVC().fit(toy.X, toy.y), COSTS)
    with pytest.raises(ValueError, match="outside the bounds"):
        toy_map(60).at((2, 0))
    with pytest.raises(ValueError, match="two numbers"):
        toy_map(60).at(0.5)
