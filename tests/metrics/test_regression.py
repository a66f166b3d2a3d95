"""Losses of regression against scikit-learn, on paths by hand and on a path of the engine."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, mean_squared_error
from sklearn.preprocessing import StandardScaler

from weightpath.engine import follow, solve
from weightpath.kernels import Kernel
from weightpath.metrics import trace_curve
from weightpath.path import PathPart, Reading, SolutionPath
from weightpath.problems import tube_staircase


def mean_epsilon_insensitive(y, f, sample_weight, multioutput, epsilon):
    return np.average(np.maximum(np.abs(y - f) - epsilon, 0), axis=0, weights=sample_weight)


def mean_pinball(y, f, sample_weight, multioutput, quantile):
    options = {"sample_weight": sample_weight, "multioutput": multioutput}
    return mean_pinball_loss(y, f, alpha=quantile, **options)


LOSSES = {
    "squared": (mean_squared_error, {}),
    "absolute": (mean_absolute_error, {}),
    "epsilon_insensitive": (mean_epsilon_insensitive, {"epsilon": 0.5}),
    "pinball": (mean_pinball, {"quantile": 0.3}),
}
each_metric = pytest.mark.parametrize("metric", LOSSES)


def judge(curve, path, predict, y, weight, theta):
    """Compare with the loss of the predictions, at every theta given."""
    loss, options = LOSSES[curve.metric]
    scale = max(np.abs(curve.values).max(), np.abs(curve.end_values).max(), 1.0)
    # One column for each theta: scikit-learn checks its input once for all of them.
    values = np.stack([predict(place) for place in theta], axis=1)
    truth = np.repeat(np.asarray(y, dtype=float)[:, None], len(theta), axis=1)
    options = {**options, "sample_weight": weight, "multioutput": "raw_values"}
    for place, expected in zip(theta, loss(truth, values, **options), strict=True):
        assert curve(place) == pytest.approx(expected, abs=1e-11 * scale), place


def drawn(handmade, rng, n_rows, n_segments, integers):
    return handmade.path(
        [handmade.random_part(rng, n_rows, n_segments, integers)], None, kind="svr"
    )


@each_metric
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 6),
    n_segments=st.integers(1, 9),
    integers=st.booleans(),
    weighted=st.booleans(),
)
# Its lowest place rounds to a breakpoint at which the curve jumps up.
@example(seed=2, n_rows=2, n_segments=8, integers=True, weighted=False)
def test_handmade_paths(handmade, metric, seed, n_rows, n_segments, integers, weighted):
    rng = np.random.default_rng(seed)
    path = drawn(handmade, rng, n_rows, n_segments, integers)
    y = rng.integers(-2, 3, n_rows) / 2 if integers else rng.normal(size=n_rows)
    weight = rng.integers(1, 4, n_rows) / 3 if weighted else None
    X = np.zeros((n_rows, 1))
    curve = trace_curve(path, X, y, metric, sample_weight=weight, **LOSSES[metric][1])
    assert curve.degree == (2 if metric == "squared" else 1) and curve.metric == metric
    theta = handmade.places(curve, path, rng, n_random=20)
    judge(curve, path, lambda t: path.decisions(t)[0], y, weight, theta)
    assert curve.best.value <= curve(np.linspace(0, 1, 500)).min() + 1e-11


@each_metric
def test_many_rows_at_many_places(handmade, metric):
    rng = np.random.default_rng(2)
    path = drawn(handmade, rng, 40, 30, integers=False)
    y, weight = rng.normal(size=40), np.append(rng.random(39), 0.0)
    options = LOSSES[metric][1]
    curve = trace_curve(path, np.zeros((40, 1)), y, metric, sample_weight=weight, **options)
    theta = handmade.places(curve, path, rng, n_random=200)
    judge(curve, path, lambda t: path.decisions(t)[0], y, weight, theta)


@pytest.fixture(scope="module")
def diabetes():
    """A path of support vector regression between two weightings, and rows kept apart."""
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    rng = np.random.default_rng(0)
    train, kept = X[:150], slice(150, 250)
    weights = rng.uniform(0.1, 4.0, size=(2, 150))
    weights[0, :20], weights[1, 20:40] = 0.0, 0.0
    start, end = (tube_staircase(y[:150], weight, 0.3) for weight in weights)
    kernel = Kernel("rbf", gamma=0.05)
    columns = kernel.columns(train, 10.0)
    trace = follow(columns, start, end, solve(columns, start))
    reading = Reading("svr", np.ones(150))
    part = PathPart(kernel, train, None, start, end, trace.record, reading)
    path = SolutionPath([part], train, kernel)
    assert path.theta[-1] == 1.0 and path.kkt_violation() < 1e-9
    return path, X[kept], y[kept]


@each_metric
def test_path_of_the_engine(diabetes, metric):
    path, X, y = diabetes
    rng = np.random.default_rng(1)
    weight = rng.random(len(y))
    curve = trace_curve(path, X, y, metric, sample_weight=weight, **LOSSES[metric][1])
    sides = np.concatenate([np.nextafter(curve.edges, side) for side in (-1.0, 2.0)])
    theta = np.concatenate((rng.random(200), curve.edges, sides[(sides >= 0) & (sides <= 1)]))
    values = dict(zip(theta, path.decision_function(X, theta), strict=True))
    judge(curve, path, values.get, y, weight, theta)


@each_metric
def test_best_of_the_engine_beats_a_fine_grid(diabetes, metric):
    path, X, y = diabetes
    curve = trace_curve(path, X, y, metric, **LOSSES[metric][1])
    grid = np.linspace(0, 1, 100_001)
    values = curve(grid)
    best = curve.best
    assert 0 < best.theta < 1
    assert values.min() - 1e-6 < best.value <= values.min() + 1e-14
    assert abs(grid[values.argmin()] - best.theta) <= 1e-5


def test_best_of_squares_is_inside_a_segment(diabetes):
    path, X, y = diabetes
    curve = trace_curve(path, X[:40], y[:40], "squared")
    best = curve.best
    values = curve(np.linspace(0, 1, 100_001))
    assert values.min() - 1e-9 < best.value < values.min()
    assert best.interval == (best.theta, best.theta)
    assert best.theta not in curve.edges
    piece = np.searchsorted(curve.edges, best.theta) - 1
    _, slope, quadratic = curve.coefficients[piece]
    assert quadratic > 0
    assert best.theta == pytest.approx(curve.edges[piece] - slope / (2 * quadratic), rel=1e-14)


def test_best_of_squares_by_hand(handmade):
    path = handmade.path([(np.array([0.0, 1.0]), np.array([[0.0]]), np.array([[4.0]]))], None)
    curve = trace_curve(path, [[0.0]], [1.0], "squared")
    assert curve.coefficients.tolist() == [[1, -8, 16]]
    assert curve.best == (0.25, 0.0, (0.25, 0.25))


def test_squares_are_level_where_nothing_moves(handmade):
    theta = np.array([0.0, 0.25, 0.75, 1.0])
    part = (theta, np.array([[3.0], [1.0], [1.0]]), np.array([[-8.0], [0.0], [4.0]]))
    best = trace_curve(handmade.path([part], None), [[0.0]], [0.0], "squared").best
    assert best == (0.5, 1.0, (0.25, 0.75))


@each_metric
def test_breakpoints_without_a_change_are_no_edges(handmade, metric):
    theta = np.linspace(0, 1, 11)
    part = (theta, 3 + theta[:-1, None], np.ones((10, 1)))
    options = LOSSES[metric][1]
    curve = trace_curve(handmade.path([part], None), [[0.0]], [1.0], metric, **options)
    assert curve.edges.tolist() == [0, 1]


def test_kinks_are_at_the_edges_of_the_tube(handmade):
    part = (np.array([0.0, 1.0]), np.array([[-2.0]]), np.array([[4.0]]))
    path = handmade.path([part], None)
    curve = trace_curve(path, [[0.0]], [0.0], "epsilon_insensitive", epsilon=1)
    assert curve.edges.tolist() == [0, 0.25, 0.75, 1]
    assert curve.coefficients.tolist() == [[1, -4], [0, 0], [0, 4]]
    absolute = trace_curve(path, [[0.0]], [0.0], "absolute")
    assert absolute.coefficients.tolist() == [[2, -4], [0, 4]]
    exact = trace_curve(path, [[0.0]], [0.0], "epsilon_insensitive", epsilon=0.0)
    assert np.array_equal(exact.coefficients, absolute.coefficients)
