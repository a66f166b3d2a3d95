"""The best value of a metric over a plane, against brute force, grids and refits."""

import numpy as np
import pytest

import weightpath as wp
from tests.judges.arrangements import best_by_force, edges_of
from tests.regions.judged_planes import COSTS, judged_classes, judged_tubes, surface


def jaccard(confusion):
    return confusion[1, 1] / max(confusion.sum() - confusion[0, 0], 1e-300)


GROUPS = {"groups": np.arange(22) % 3}
CASES = [
    ("zero_one", {}),
    ("accuracy", {}),
    ("balanced_accuracy", {}),
    ("precision", {}),
    ("recall", {}),
    ("f1", {}),
    ("matthews", {}),
    ("cost", {"cost_matrix": [[0, 1], [5, -1]]}),
    (wp.metrics.of_confusion(jaccard), {}),
    ("demographic_parity", GROUPS),
    ("equal_opportunity", GROUPS),
    ("hinge", {}),
    ("auc", {}),
    ("auc", {"qid": np.arange(22) % 2}),
    ("average_precision", {}),
    ("ndcg", {}),
    ("ndcg", {"k": 4, "convention": "paper"}),
    ("precision_at_k", {"k": 5}),
]


def name_of(case):
    if isinstance(case, dict):
        return "_".join(sorted(case)) or "plain"
    return getattr(case, "name", str(case))


def validation(seed, n=22):
    """Rows to judge by, some of them equal, in random order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X[-4:] = X[:4]
    return X, np.where(rng.random(n) < 0.5, -1, 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("metric", "options"), CASES, ids=name_of)
def test_best_of_classes_is_that_of_brute_force(metric, options, weighted):
    if weighted and metric in ("ndcg", "precision_at_k"):
        pytest.skip("weights are those of queries")
    X, y = validation(3)
    weight = np.random.default_rng(4).integers(0, 4, 22) if weighted else None
    plane = judged_classes()
    found = surface(plane, X, y, metric, weight, **options)
    forced = best_by_force(plane, X, found.metric, found.rows, found.options)
    assert found.best.value == pytest.approx(forced, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "options"),
    [("absolute", {}), ("epsilon_insensitive", {"epsilon": 0.2}), ("pinball", {"quantile": 0.3})],
    ids=name_of,
)
@pytest.mark.parametrize("seed", [0])
def test_best_of_losses_is_that_of_brute_force(metric, options, seed):
    plane = judged_tubes(seed)
    rng = np.random.default_rng(seed + 10)
    X = rng.normal(size=(18, 2))
    y = np.sin(2 * X[:, 0])
    found = surface(plane, X, y, metric, **options)
    forced = best_by_force(plane, X, found.metric, found.rows, found.options)
    assert found.best.value == pytest.approx(forced, rel=1e-12)
    assert found(found.best.z) == pytest.approx(forced, rel=1e-7)


@pytest.mark.parametrize("seed", [0])
def test_best_square_is_that_of_a_solver(seed):
    from scipy.optimize import minimize

    plane = judged_tubes(seed)
    rng = np.random.default_rng(seed + 20)
    X = rng.normal(size=(18, 2))
    y = np.sin(2 * X[:, 0])
    found = surface(plane, X, y, "squared")
    best = np.inf
    for (_, affine), region in zip(plane.affine_values(X), plane.regions, strict=True):
        error = y - affine[:, 0]

        def loss(z, affine=affine, error=error):
            return np.mean((error - affine[:, 1:] @ z) ** 2)

        edges = edges_of(region.polygon)
        inside = {"type": "ineq", "fun": lambda z, edges=edges: edges[:, 0] + edges[:, 1:] @ z}
        middle = region.polygon.mean(axis=0)
        options = {"ftol": 1e-15, "maxiter": 300}
        solved = minimize(loss, middle, constraints=inside, method="SLSQP", options=options)
        if (edges[:, 0] + edges[:, 1:] @ solved.x).min() >= -1e-12:
            best = min(best, solved.fun)
        best = min(best, *map(loss, region.polygon))
    assert found.best.value <= best + 1e-12
    assert found.best.value == pytest.approx(best, rel=1e-7)
    assert found(found.best.z) == pytest.approx(found.best.value, rel=1e-9)


def test_step_functions_have_their_value_all_over_the_polygon():
    toy = wp.datasets.make_toy(40, random_state=0)
    new = wp.datasets.make_toy(60, random_state=1)
    plane = wp.region_map(wp.SVC(C=0.1, gamma=0.5).fit(toy.X, toy.y), COSTS)
    for metric in ("zero_one", "auc", "f1"):
        found = plane.surface(new.X, new.y, metric)
        best = found.best
        assert plane.locate(best.z) == best.region
        share = np.random.default_rng(0).dirichlet(np.ones(len(best.polygon)), 20)
        values = found(share @ best.polygon)
        np.testing.assert_allclose(values, best.value, rtol=1e-12)


@pytest.mark.parametrize("metric", ["zero_one", "f1", "hinge", "auc", "demographic_parity"])
def test_best_is_never_worse_than_a_grid(metric):
    toy = wp.datasets.make_toy(60, random_state=2)
    new = wp.datasets.make_toy(60, random_state=3)
    options = {"groups": np.arange(60) % 2} if metric == "demographic_parity" else {}
    plane = wp.region_map(wp.SVC(C=0.1, gamma=0.5).fit(toy.X, toy.y), COSTS)
    found = plane.surface(new.X, new.y, metric, **options)
    grid = found.sampled(100)
    assert np.isfinite(grid).all()
    if found.metric.greater_is_better:
        assert found.best.value >= grid.max() - 1e-12
    else:
        assert found.best.value <= grid.min() + 1e-12
    # The grid itself is what fits give.
    side = (np.arange(100) + 0.5) / 100
    for row, column in ((10, 70), (55, 31), (99, 0)):
        weights = {-1: 1 + 49 * side[column], 1: 1 + 49 * side[row]}
        model = wp.SVC(C=0.1, gamma=0.5, class_weight=weights).fit(toy.X, toy.y)
        value = found.metric.at(model.decision_function(new.X), found.rows, **found.options)
        assert grid[row, column] == pytest.approx(value, abs=1e-9)


def test_many_equal_rows_and_grids_of_integers():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(36, 2)).astype(float)
    y = np.where(rng.random(36) < 0.5, -1, 1)
    model = wp.SVC(C=0.2, gamma=0.5).fit(X, y)
    plane = wp.region_map(model, [{"class_weight": {-1: 9}}, {"class_weight": {1: 9}}])
    for metric in ("zero_one", "auc", "ndcg", "average_precision"):
        found = plane.surface(X, y, metric)
        grid = found(rng.random((100, 2)))
        best = grid.max() if found.metric.greater_is_better else grid.min()
        sign = 1 if found.metric.greater_is_better else -1
        assert sign * found.best.value >= sign * best - 1e-12
        assert found(found.best.z) == pytest.approx(found.best.value, abs=1e-12)


def test_bounds_of_other_sizes():
    toy = wp.datasets.make_toy(40, random_state=0)
    new = wp.datasets.make_toy(40, random_state=1)
    model = wp.SVC(C=1.0, gamma=0.5).fit(toy.X, toy.y)
    axes = [{"class_weight": {-1: 1.01}}, {"class_weight": {1: 2}}]
    plane = wp.region_map(model, axes, bounds=((0, 400), (0, 4)))
    same = wp.region_map(model, [{"class_weight": {-1: 5}}, {"class_weight": {1: 5}}])
    for metric in ("zero_one", "hinge"):
        wide = plane.surface(new.X, new.y, metric).best
        narrow = same.surface(new.X, new.y, metric).best
        assert wide.value == pytest.approx(narrow.value, rel=1e-9)


def test_errors():
    toy = wp.datasets.make_toy(40, random_state=0)
    plane = wp.region_map(wp.SVC(C=0.1, gamma=0.5).fit(toy.X, toy.y), COSTS)
    with pytest.raises(ValueError, match="not defined for a map between two classes"):
        plane.surface(toy.X, toy.y, "squared")
    with pytest.raises(ValueError, match=r"shape \(2,\) or \(n, 2\)"):
        plane.surface(toy.X, toy.y, "zero_one")([1.0])

    class Odd(wp.metrics.Metric):
        name = "odd"

        def suits(self, outputs):
            return True

        def along(self, path, rows):
            raise NotImplementedError

    with pytest.raises(ValueError, match="'odd' is exact along a path, but not known over a plane"):
        plane.surface(toy.X, toy.y, Odd())
