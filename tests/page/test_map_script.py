"""The script of a map's page, run by node: its numbers are those of the map."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose

import weightpath as wp
from page.map_cases import MAP_CASES, MapCase, class_costs, regression
from weightpath.metrics import Metric, of_confusion
from weightpath.page.region_data import regions_data

PROMISED = 1e-9


def points(plane, n=40, seed=0):
    low, high = plane.bounds.T
    return low + np.random.default_rng(seed).uniform(size=(n, 2)) * (high - low)


def agree(case, found, z):
    """Compare everything that a page has with the map itself."""
    plane, surface = case.map, case.surface
    values = plane.decision_function(case.X, z)
    for k, here in enumerate(found):
        solution = plane.at(z[k])
        size = np.abs(solution.dual_coef).max()
        assert_allclose(here["coef"], solution.dual_coef, rtol=0, atol=PROMISED * size)
        size = max(1.0, abs(solution.intercept))
        assert_allclose(here["intercept"], solution.intercept, rtol=0, atol=PROMISED * size)
        assert_allclose(here["weights"], solution.weights, rtol=PROMISED)
        sets = [getattr(solution, name).tolist() for name in ("outside", "margin", "inside")]
        assert here["sets"] == sets
        assert here["region"] == plane.locate(z[k])
        size = max(1.0, np.abs(values[k]).max())
        assert_allclose(here["values"], values[k], rtol=0, atol=PROMISED * size)
        if surface is not None:
            assert_allclose(here["surface"], surface(z[k]), rtol=PROMISED, atol=PROMISED)


@pytest.mark.parametrize("name", MAP_CASES)
def test_page_has_the_numbers_of_the_map(map_case, read_map, name):
    case = map_case(name)
    z = points(case.map)
    answer = read_map(case.data(), z)
    agree(case, answer["found"], z)
    areas = case.map.areas / np.prod(case.map.bounds[:, 1] - case.map.bounds[:, 0])
    for k, (area, margin, centre) in enumerate(answer["regions"]):
        assert_allclose(area, areas[k], rtol=1e-9, atol=1e-14)
        assert margin == case.map.regions[k].margin.tolist()
        # Regions that ties have made may be narrower than rounding.
        assert centre == k or area < 1e-9
    if name not in ("own-kernel",):
        assert max(one["violation"] for one in answer["found"]) < 1e-9


METRICS = [
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "f1",
    "matthews",
    "hinge",
    "auc",
    "average_precision",
]


@pytest.mark.parametrize("weighted", [False, pytest.param(True, marks=pytest.mark.second_stage)])
@pytest.mark.parametrize("metric", METRICS)
def test_metrics(read_map, metric, weighted):
    case = class_costs(metric, weighted)
    z = points(case.map, 15)
    agree(case, read_map(case.data(), z)["found"], z)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("cost", {"cost_matrix": [[0, 1], [5, -0.5]]}),
        ("demographic_parity", {"groups": np.arange(60) % 3}),
        ("equal_opportunity", {"groups": np.arange(60) % 3}),
        ("ndcg", {"qid": np.arange(60) // 20}),
        ("ndcg", {"k": 7, "convention": "exponential"}),
        ("precision_at_k", {"k": 9, "qid": np.arange(60) // 20}),
    ],
)
def test_metrics_with_options(read_map, metric, options):
    case = class_costs(metric, **options)
    z = points(case.map, 15)
    agree(case, read_map(case.data(), z)["found"], z)


@pytest.mark.parametrize("metric", ["absolute", "epsilon_insensitive", "ndcg"])
def test_metrics_of_regressions(read_map, metric):
    case = regression(metric)
    if metric == "epsilon_insensitive":
        case.options = {"epsilon": 0.1}
    if metric == "ndcg":
        case.y = np.abs(case.y)
    z = points(case.map, 15)
    agree(case, read_map(case.data(), z)["found"], z)


def test_rows_that_are_not_those_of_the_surface(read_map):
    from weightpath.page.judged_data import Judged
    from weightpath.page.map_document import map_page_data
    from weightpath.regions.validation import outputs_of_map

    case = class_costs()
    other = Judged(case.X.iloc[:7], case.y[:7])
    data = map_page_data(case.map, outputs_of_map(case.map), case.surface, other, title="")
    z = points(case.map, 5)
    for at, here in zip(z, read_map(data, z)["found"], strict=True):
        values = case.map.decision_function(case.X.iloc[:7], at)
        assert_allclose(here["values"], values, atol=PROMISED)
        assert_allclose(here["surface"], case.surface(at), atol=PROMISED)


def test_predictions_and_confusion_matrix_are_those_of_the_model(map_case, read_map):
    from sklearn.metrics import confusion_matrix

    from weightpath.regions.models import model_in_plane

    case = map_case("class-costs")
    z = points(case.map, 8)
    axes = [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}]
    for at, here in zip(z, read_map(case.data(), z)["found"], strict=True):
        predicted = model_in_plane(case.map.estimator, axes, at).predict(case.X)
        assert here["predictions"] == [str(one) for one in predicted.tolist()]
        assert here["confusion"] == confusion_matrix(case.y, predicted).tolist()


def test_inliers_and_outliers(map_case, read_map):
    case = map_case("detector")
    z = points(case.map, 8)
    for at, here in zip(z, read_map(case.data(), z)["found"], strict=True):
        predicted = np.where(case.map.decision_function(case.X, at) >= 0, 1, -1)
        assert here["predictions"] == [str(one) for one in predicted.tolist()]
        assert here["confusion"] == [[int((predicted < 0).sum()), int((predicted > 0).sum())]]


def test_bounds_and_corners(read_map):
    """Both ends of both axes, and points on the edges of regions."""
    case = regression()
    low, high = case.map.bounds.T
    z = np.array([low, high, [low[0], high[1]], [high[0], low[1]]])
    for at, here in zip(z, read_map(case.data(), z)["found"], strict=True):
        solution = case.map.at(at)
        assert_allclose(here["coef"], solution.dual_coef, atol=PROMISED)
        assert_allclose(here["surface"], case.surface(at), atol=PROMISED)


def test_most_regions_are_steps(map_case):
    """A third of what all functions would take; fewer regions are written out."""
    plane = map_case("class-costs").map
    data = regions_data(plane)
    assert data["whole"]["n"] < len(plane) / 2


def test_small_coefficients_beside_a_large_bias(read_map):
    """Features that are not scaled: coefficients of 1e-8, values of one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) * [1e4, 1]
    y = np.where(X[:, 0] + 5e3 * rng.normal(size=40) > 0, 1, -1)
    model = wp.SVC(C=1e-8, kernel="linear").fit(X, y)
    plane = wp.region_map(model, [{"class_weight": {-1: 20}}, {"class_weight": {1: 20}}])
    case = MapCase(plane, X, y, "zero_one")
    z = points(plane)
    agree(case, read_map(case.data(), z)["found"], z)


def test_ties_are_told(map_case):
    assert "to tell regions apart" in map_case("duplicates").data()["plane"]["certificate"]["ties"]
    assert map_case("regression").data()["plane"]["certificate"]["ties"] is None


def test_axes_have_names(map_case):
    assert map_case("regression").map.axis_names == ("z₁: C=5.0", "z₂: epsilon=0.4")
    assert map_case("detector").map.axis_names == ("z₁: sample_weight", "z₂: sample_weight")


class TestRefusals:
    def test_metric_of_the_user(self, map_case):
        case = map_case("class-costs")
        own = of_confusion(lambda m: m[0, 1] + 3 * m[1, 0], "wrong", False)
        surface = case.map.surface(case.X, case.y, own)
        with pytest.raises(ValueError, match=r"no formula of 'wrong'\. It knows zero_one"):
            case.map.to_html(io.StringIO(), surface)

    def test_a_known_name_is_not_enough(self, map_case):
        case = map_case("class-costs")
        own = of_confusion(lambda m: m[0, 1] + 3 * m[1, 0], "zero_one", False)
        assert isinstance(own, Metric)
        with pytest.raises(ValueError, match="no formula"):
            case.map.to_html(io.StringIO(), case.map.surface(case.X, case.y, own))

    def test_surface_of_another_map(self, map_case):
        with pytest.raises(ValueError, match="another map"):
            map_case("regression").map.to_html(io.StringIO(), map_case("class-costs").surface)

    def test_metric_and_surface(self, map_case):
        case = map_case("class-costs")
        with pytest.raises(TypeError, match="not both"):
            case.map.to_html(io.StringIO(), case.surface, metric="zero_one")
        with pytest.raises(TypeError, match="give X and y"):
            case.map.to_html(io.StringIO(), metric="zero_one")

    def test_too_large(self, map_case):
        with pytest.raises(ValueError, match=r"max_mb=0\.1: the map has"):
            map_case("regression").map.to_html(io.StringIO(), max_mb=0.1)

    def test_wrong_names(self, map_case):
        with pytest.raises(ValueError, match="names has 1 entries, but the map has 30"):
            map_case("regression").map.to_html(io.StringIO(), names=["a"])

    def test_y_without_rows(self, map_case):
        with pytest.raises(ValueError, match="y belongs to rows"):
            map_case("regression").map.to_html(io.StringIO(), y=[1.0])


def test_incomplete_map_has_no_best_value(read_map):
    toy = wp.datasets.make_toy(40, random_state=0)
    model = wp.SVC(C=0.1, gamma=0.5).fit(toy.X, toy.y)
    axes = [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}]
    plane = wp.region_map(model, axes, max_regions=50)
    page = io.StringIO()
    plane.to_html(page, plane.surface(toy.X, toy.y, "zero_one"))
    assert '"best":null' in page.getvalue() and "stopped at max_regions=50" in page.getvalue()
