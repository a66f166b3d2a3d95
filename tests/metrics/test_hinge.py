"""The mean hinge loss against brute force and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import hinge_loss

from weightpath.metrics import trace_curve


def judge(handmade, path, y, weight, rng):
    curve = trace_curve(path, np.zeros((len(y), 1)), y, "hinge", sample_weight=weight)
    v = np.ones(len(y)) if weight is None else weight
    scale = 1 + max(np.abs(curve.values).max(), np.abs(curve.end_values).max())
    for theta in handmade.places(curve, path, rng):
        loss = np.maximum(0, 1 - y * path.decisions(theta)[0])
        assert curve(theta) == pytest.approx(v @ loss / v.sum(), abs=1e-11 * scale), theta
    return curve


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 6),
    n_segments=st.integers(1, 9),
    integers=st.booleans(),
    weighted=st.booleans(),
)
def test_brute_force(handmade, seed, n_rows, n_segments, integers, weighted):
    rng = np.random.default_rng(seed)
    path = handmade.path([handmade.random_part(rng, n_rows, n_segments, integers)])
    weight = rng.integers(1, 4, n_rows) / 3 if weighted else None
    curve = judge(handmade, path, rng.choice([-1, 1], n_rows), weight, rng)
    values = curve(np.linspace(0, 1, 500))
    assert curve.best.value <= values.min() + 1e-11


def test_convention_of_scikit_learn(handmade):
    rng = np.random.default_rng(3)
    path = handmade.path([handmade.random_part(rng, 40, 20, integers=False)], ["no", "yes"])
    y, weight = rng.choice(["no", "yes"], 40), rng.random(40)
    curve = trace_curve(path, np.zeros((40, 1)), y, "hinge", sample_weight=weight)
    for theta in rng.random(50):
        expected = hinge_loss(y, path.decisions(theta)[0], sample_weight=weight)
        assert curve(theta) == pytest.approx(expected, rel=1e-12)


def test_kink_and_level_stretch(handmade):
    path = handmade.path([(np.array([0.0, 1.0]), np.array([[0.0]]), np.array([[4.0]]))])
    curve = trace_curve(path, [[0.0]], [1], "hinge")
    assert curve.edges.tolist() == [0, 0.25, 1]
    assert curve.coefficients.tolist() == [[1, -4], [0, 0]]
    assert curve.best == (0.625, 0.0, (0.25, 1.0))


def test_breakpoints_without_a_bend_are_no_edges(handmade):
    theta = np.linspace(0, 1, 11)
    slope = np.full((10, 1), -0.5)
    left = -0.5 * theta[:-1, None]
    curve = trace_curve(handmade.path([(theta, left, slope)]), [[0.0]], [1], "hinge")
    assert curve.edges.tolist() == [0, 1]


def test_slow_drift_is_not_merged_away(handmade):
    theta = np.linspace(0, 1, 20001)
    left = -1e-8 * theta[:-1, None] ** 2
    slope = np.diff(-1e-8 * theta[:, None] ** 2, axis=0) * 20000
    path = handmade.path([(theta, left, slope)], block=5000)
    curve = trace_curve(path, [[0.0]], [1], "hinge")
    assert 1 < len(curve) < 20000
    grid = np.linspace(0, 1, 777)
    truth = np.interp(grid, theta, 1 + 1e-8 * theta**2)
    assert curve(grid) == pytest.approx(truth, abs=2e-12)


def test_a_short_steep_segment_spoils_nothing_after_it(handmade):
    theta = np.array([0.0, 1e-9, 1.0])
    left, right = np.array([[-3.0, 3.0], [0.1, 0.2]]), np.array([[3.0, -3.0], [3.1, 2.7]])
    part = (theta, left, (right - left) / np.diff(theta)[:, None])
    path = handmade.path([part])
    curve = trace_curve(path, np.zeros((2, 1)), [1, 1], "hinge")
    for place in np.linspace(0.01, 1, 100):
        loss = np.maximum(0, 1 - path.decisions(place)[0]).mean()
        assert curve(place) == pytest.approx(loss, abs=1e-14)
