"""The curve itself: evaluation, the best place, tables."""

import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightpath.curves import Curve


def steps(values, edges=None, **kwargs):
    values = np.asarray(values, dtype=float)
    edges = np.linspace(0, 1, len(values) + 1) if edges is None else edges
    return Curve(edges, values[:, None], **kwargs)


def test_values_hold_from_the_left_edge_on():
    curve = steps([3, 1, 2], [0, 0.25, 0.5, 1])
    assert curve(0) == 3 and curve(0.25) == 1 and curve(0.5) == 2 and curve(1) == 2
    assert isinstance(curve(0.3), float)
    assert curve([[0.1, 0.3]]).tolist() == [[3, 1]]
    assert curve.values.tolist() == curve.end_values.tolist() == [3, 1, 2]


def test_polynomials_count_from_the_left_edge():
    curve = Curve([0, 0.5, 1], [[1, 2, 0], [0, -1, 4]])
    assert curve(0.25) == 1.5
    assert curve(1.0) == pytest.approx(0 - 0.5 + 1)
    assert curve.end_values == pytest.approx([2, 0.5])
    assert curve.degree == 2


@pytest.mark.parametrize("theta", [-1e-9, 1.1, np.nan, [0.5, 2]])
def test_theta_outside_is_an_error(theta):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        steps([1, 2])(theta)


@pytest.mark.parametrize(
    ("edges", "coefficients"),
    [
        ([0.0], np.empty((0, 1))),
        ([0, 0.5, 0.5], [[1], [2]]),
        ([0, 1], [[1], [2]]),
        ([0, 1], [1]),
        ([0, 1], [[np.nan]]),
        ([0, 1], [[1, 2, 3, 4]]),
    ],
)
def test_malformed_curves_are_errors(edges, coefficients):
    with pytest.raises(ValueError, match=r"edges|coefficients"):
        Curve(np.array(edges, dtype=float), np.array(coefficients, dtype=float))


def test_curve_is_immutable_and_owns_its_data():
    edges = np.array([0.0, 1.0])
    curve = Curve(edges, [[1.0]])
    edges[0] = -5
    assert curve(0.0) == 1
    with pytest.raises(ValueError, match="read-only"):
        curve.values[0] = 2
    with pytest.raises(AttributeError):
        curve.edges = edges


def test_best_takes_the_longest_run():
    curve = steps([1, 5, 1, 1, 3], [0, 0.3, 0.4, 0.6, 0.8, 1])
    assert curve.best.interval == (0.4, 0.8)
    assert curve.best.theta == pytest.approx(0.6)
    assert curve.best.value == 1
    theta, value, interval = curve.best
    assert (theta, value, interval) == curve.best


def test_best_of_a_score_is_the_highest():
    best = steps([1, 5, 2, 5], [0, 0.3, 0.4, 0.6, 1], greater_is_better=True).best
    assert best.value == 5 and best.interval == (0.6, 1.0)


def test_best_of_a_constant_curve_is_everywhere():
    assert steps([0.0]).best == (0.5, 0.0, (0.0, 1.0))


def test_best_inside_a_parabola():
    best = Curve([0, 0.5, 1], [[1, -2, 4], [1, 1, 0]]).best
    assert best.theta == 0.25 and best.value == 0.75 and best.interval == (0.25, 0.25)


def test_a_short_piece_at_the_bottom_of_a_parabola_is_not_level():
    left, right = 0.5 - 1e-7, 0.5 + 2e-7
    pieces = [[1.5, -0.5, 0], [1 + 4e-14, -8e-7, 4], [1.1, 1, 0]]
    best = Curve([0, left, right, 1], pieces).best
    assert best.theta == pytest.approx(0.5, abs=1e-12)
    assert best.interval == (best.theta, best.theta)


def test_best_of_a_concave_parabola_is_at_an_end():
    curve = Curve([0, 1], [[0.5, 1, -1.1]])
    assert curve.best.theta == 1.0
    high = Curve([0, 1], [[0.5, 1, -1.25]], greater_is_better=True).best
    assert high.theta == pytest.approx(0.4)


def test_best_at_a_kink_and_at_the_end():
    assert Curve([0, 0.5, 1], [[1, -1], [0.5, 2]]).best == (0.5, 0.5, (0.5, 0.5))
    assert Curve([0, 0.5, 1], [[1, -1], [0.5, -0.1]]).best.theta == 1.0


def test_best_just_before_a_jump():
    curve = Curve([0, 0.5, 1], [[1, -1], [2, 0.5]])
    best = curve.best
    assert best.theta == np.nextafter(0.5, 0)
    assert best.value == curve(best.theta) == pytest.approx(0.5)


def test_best_is_a_stretch_where_a_sloped_curve_is_level():
    curve = Curve([0, 0.25, 0.75, 1], [[1, -4], [1e-17, -1e-16], [0, 2]])
    assert curve.best.interval == (0.25, 0.75)
    assert curve.best.theta == 0.5


@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=6),
    st.integers(1, 3),
    st.booleans(),
)
def test_nothing_beats_the_best(rows, columns, greater):
    coefficients = np.array(rows, dtype=float)[:, :columns]
    curve = Curve(np.linspace(0, 1, len(rows) + 1), coefficients, greater_is_better=greater)
    best = curve.best
    values = curve(np.linspace(0, 1, 2001))
    margin = best.value - values.max() if greater else values.min() - best.value
    assert margin >= -1e-11
    assert best.interval[0] <= best.theta <= best.interval[1]
    assert best.value == curve(best.theta)
    if best.interval[0] < best.interval[1]:
        assert curve(np.linspace(*best.interval, 50)[:-1]) == pytest.approx(best.value, abs=1e-11)


def test_to_frame(monkeypatch):
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = Curve([0, 0.5, 1], [[1, 2], [3, 4]]).to_frame()
    assert list(frame) == ["left", "right", "value", "slope"]
    assert frame["right"].tolist() == [0.5, 1.0] and frame["slope"].tolist() == [2, 4]
    assert list(steps([1, 2]).to_frame()) == ["left", "right", "value"]


def test_to_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        steps([1]).to_frame()


def test_repr_is_short():
    assert repr(steps([1, 2], metric="zero_one")) == (
        "Curve('zero_one', 2 intervals of degree 0 on [0, 1])"
    )
