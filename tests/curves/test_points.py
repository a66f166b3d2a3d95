"""Isolated points of a curve: evaluation, the best place, parts, tables."""

import pickle
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightpath.curves import Curve

GRID = 16


def steps(values, edges, theta=(), points=(), **kwargs):
    coefficients = np.asarray(values, dtype=float)[:, None]
    return Curve(edges, coefficients, point_theta=theta, point_values=points, **kwargs)


@st.composite
def curves_with_points(draw, columns=None):
    """Small integers on a coarse grid: points stand on edges, at both ends and in between."""
    columns = draw(st.integers(1, 3)) if columns is None else columns
    numbers = st.integers(-2, 2)
    inner = draw(st.lists(st.integers(1, GRID - 1), unique=True, max_size=5))
    edges = np.array([0, *sorted(inner), GRID]) / GRID
    rows = [draw(st.tuples(*[numbers] * columns)) for _ in edges[1:]]
    marks = sorted(draw(st.lists(st.integers(0, GRID), unique=True, max_size=6)))
    values = [draw(numbers) for _ in marks]
    return Curve(
        edges,
        np.array(rows, dtype=float),
        greater_is_better=draw(st.booleans()),
        point_theta=np.array(marks) / GRID,
        point_values=np.array(values, dtype=float),
    )


def test_a_point_has_its_value_exactly_there():
    curve = steps([3, 1], [0, 0.5, 1], [0, 0.25, 0.5, 1], [7, 8, 9, 10])
    assert [curve(theta) for theta in (0, 0.25, 0.5, 1)] == [7, 8, 9, 10]
    assert isinstance(curve(0.25), float)
    beside = [np.nextafter(0, 1), np.nextafter(0.25, 0), np.nextafter(0.25, 1)]
    assert curve(beside).tolist() == [3, 3, 3]
    assert curve([[np.nextafter(0.5, 0), 0.5, np.nextafter(1, 0)]]).tolist() == [[3, 9, 1]]
    assert curve.values.tolist() == curve.end_values.tolist() == [3, 1]
    assert repr(curve) == "Curve('', 2 intervals of degree 0 and 4 isolated points on [0, 1])"
    assert "1 isolated point on" in repr(steps([3], [0, 1], [0.5], [1]))


def test_a_point_without_a_value_of_its_own_is_not_kept():
    curve = Curve([0, 0.5, 1], [[0, 1], [2, 0]], "", False, [0.25, 0.5, 0.75], [0.25, 0.5, 5])
    assert curve.point_theta.tolist() == [0.5, 0.75] and curve.point_values.tolist() == [0.5, 5]
    assert steps([3, 1], [0, 0.5, 1], [0.5], [1]).point_theta.size == 0


@pytest.mark.parametrize(
    ("theta", "values", "match"),
    [
        ([0.5, 0.2], [1, 2], "increasing"),
        ([0.5, 0.5], [1, 2], "increasing"),
        ([-0.1], [1], r"within \[0, 1\]"),
        ([1.1], [1], r"within \[0, 1\]"),
        ([0.5], [1, 2], "equal length"),
        ([[0.5]], [[1]], "one-dimensional"),
        ([0.5], [np.nan], "finite"),
        ([np.nan], [1], "finite"),
    ],
)
def test_malformed_points_are_errors(theta, values, match):
    with pytest.raises(ValueError, match=match):
        steps([3], [0, 1], theta, values)


def test_points_are_owned_and_cannot_be_changed():
    theta, values = np.array([0.25]), np.array([1.0])
    curve = steps([3], [0, 1], theta, values)
    theta[0], values[0] = 0.5, 2.0
    assert curve(0.25) == 1 and curve(0.5) == 3
    with pytest.raises(ValueError, match="read-only"):
        curve.point_values[0] = 2


def test_points_survive_pickle():
    curve = steps([3, 1], [0, 0.5, 1], [0.25], [7], metric="zero_one")
    same = pickle.loads(pickle.dumps(curve))
    assert same(0.25) == 7 and same.point_theta.tolist() == [0.25] and same.metric == "zero_one"


# The best place ---------------------------------------------------------------------------------


def test_a_better_point_is_the_best_place():
    assert steps([3, 1], [0, 0.5, 1], [0], [0.5]).best == (0.0, 0.5, (0.0, 0.0))
    high = steps([3, 1], [0, 0.5, 1], [0.75], [4], greater_is_better=True)
    assert high.best == (0.75, 4.0, (0.75, 0.75))


def test_a_stretch_wins_over_a_point_of_equal_value():
    curve = steps([3, 1], [0, 0.5, 1], [0.25], [1])
    assert curve.best == (0.75, 1.0, (0.5, 1.0))


def test_a_worse_point_cuts_a_stretch():
    middle = steps([3, 1], [0, 0.25, 1], [0.75], [2])
    assert middle.best == (0.5, 1.0, (0.25, 0.75))
    ends = steps([3, 1], [0, 0.5, 1], [0.5, 1], [2, 2])
    assert ends.best == (0.75, 1.0, (0.5, 1.0))
    later = steps([1, 3, 1], [0, 0.375, 0.5, 1], [0.75], [2])
    assert later.best == (0.1875, 1.0, (0.0, 0.375))


def test_a_worse_point_leaves_no_room():
    left = 0.5
    right = np.nextafter(left, 1)
    curve = steps([3, 1, 2], [0, left, right, 1], [left], [5])
    # The only number of the lowest interval is the point.
    assert curve.best.value == 2 and curve.best.theta >= right
    wider = np.nextafter(right, 1)
    best = steps([3, 1, 2], [0, left, wider, 1], [left], [5]).best
    assert best.theta == right and best.value == 1


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[1, -2], [0, 2]], id="kink"),
        pytest.param([[1, -4, 4], [0, 0, 4]], id="vertex at an edge"),
        pytest.param([[1, -2], [3, 0]], id="limit from the left"),
        pytest.param([[3, 0], [0, 2]], id="limit from the right"),
    ],
)
def test_a_worse_point_at_the_lowest_place(rows):
    curve = Curve([0, 0.5, 1], rows, point_theta=[0.5], point_values=[9])
    best = curve.best
    assert best.theta in (np.nextafter(0.5, 0), np.nextafter(0.5, 1))
    assert best.value == curve(best.theta) == pytest.approx(0, abs=1e-15)
    assert best.interval == (best.theta, best.theta)


def test_a_worse_point_inside_a_parabola():
    curve = Curve([0, 1], [[1, -1, 1]], point_theta=[0.5], point_values=[2])
    best = curve.best
    assert best.value == curve(best.theta) == pytest.approx(0.75)
    assert 0 < abs(best.theta - 0.5) < 1e-15
    # Of two lowest places that without the point is taken.
    twice = Curve([0, 0.5, 1], [[1, -4, 8], [1, -4, 8]], point_theta=[0.25], point_values=[2])
    assert twice.best == (0.75, 0.5, (0.75, 0.75))


def test_a_better_point_on_a_slope():
    falling = Curve([0, 1], [[1, -1]], point_theta=[0.5], point_values=[-1])
    assert falling.best == (0.5, -1.0, (0.5, 0.5))
    ending = Curve([0, 1], [[1, -1]], point_theta=[1], point_values=[4])
    assert ending.best.theta == np.nextafter(1, 0) and ending.best.value < 1e-15


@given(curves_with_points())
def test_nothing_beats_the_best(curve):
    best, sign = curve.best, -1 if curve.greater_is_better else 1
    theta = np.linspace(0, 1, GRID * 64 + 1)
    beside = np.concatenate((np.nextafter(theta, 0), np.nextafter(theta, 1)))
    values = curve(np.concatenate((theta, beside)))
    assert sign * best.value <= (sign * values).min() + 1e-11
    assert best.interval[0] <= best.theta <= best.interval[1]
    assert best.value == curve(best.theta)
    inside = np.append(np.linspace(*best.interval, 501), curve.point_theta)
    inside = inside[(inside > best.interval[0]) & (inside < best.interval[1])]
    assert curve(inside) == pytest.approx(best.value, abs=1e-11)


@given(curves_with_points(columns=1))
def test_best_of_steps_is_the_longest_of_the_lowest_stretches(curve):
    sign = -1 if curve.greater_is_better else 1
    cells = sign * curve((np.arange(GRID) + 0.5) / GRID)
    marks = sign * curve(np.arange(GRID + 1) / GRID)
    best = curve.best
    assert sign * best.value == min(cells.min(), marks.min())
    longest = run = 0
    for k in range(GRID):
        goes_on = run and marks[k] == cells.min()
        run = (run + 1 if goes_on else 1) if cells[k] == cells.min() else 0
        longest = max(longest, run)
    expected = longest / GRID if cells.min() <= marks.min() else 0.0
    assert best.interval[1] - best.interval[0] == expected


@given(curves_with_points(), st.integers(0, 31), st.integers(1, 32))
def test_nothing_within_beats_the_best_within(curve, left, length):
    low, high = left / 32, min(left + length, 32) / 32
    lowest, best = curve.minimum_within(low, high), curve.best_within(low, high)
    inside = np.linspace(low, high, 1025)
    inside = np.append(inside, np.nextafter(inside[:-1], 2))
    inside = inside if high == 1 else inside[inside < high]
    assert lowest.value <= curve(inside).min() + 1e-11
    assert best.value >= curve(inside).max() - 1e-11 if curve.greater_is_better else best == lowest
    for found in (lowest, best):
        assert low <= found.interval[0] <= found.theta <= found.interval[1] <= high
        assert found.value == curve(found.theta)


def test_a_point_at_the_right_end_belongs_to_the_end_of_the_curve_only():
    curve = steps([3, 1], [0, 0.5, 1], [0.25, 1], [0, -1])
    assert curve.best_within(0, 0.25).value == 3
    assert curve.best_within(0.25, 0.5) == (0.25, 0.0, (0.25, 0.25))
    assert curve.best_within(0.25, 0.25) == (0.25, 0.0, (0.25, 0.25))
    assert curve.best_within(0.5, 1) == (1.0, -1.0, (1.0, 1.0))


# Parts and tables -------------------------------------------------------------------------------


@given(curves_with_points(), st.integers(0, GRID - 1), st.integers(1, GRID))
def test_parts_keep_their_points(curve, left, length):
    low, high = left / GRID, min(left + length, GRID) / GRID
    part = curve.restricted(low, high)
    theta = np.linspace(low, high, 257)
    at_end = part(high)
    assert np.array_equal(part(theta[:-1]), curve(theta[:-1]))
    if high in curve.point_theta:
        assert at_end == curve(high)
    moved = curve.shifted(2.0)
    grid = np.linspace(0, 1, 257)
    assert np.array_equal(moved(grid + 2), curve(grid))


def test_points_that_come_together_are_one():
    theta = [0, 1e-17, 0.5]
    moved = steps([3], [0, 1], theta, [1, 2, 4]).shifted(1)
    assert moved.point_theta.tolist() == [1, 1.5] and moved.point_values.tolist() == [2, 4]


def test_to_frame_has_points(monkeypatch):
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    curve = Curve(
        [0, 0.5, 1], [[1, 2], [3, 4]], point_theta=[0, 0.5, 0.75, 1], point_values=[6, 7, 8, 9]
    )
    frame = curve.to_frame()
    assert frame["left"].tolist() == [0, 0, 0.5, 0.5, 0.75, 1]
    assert frame["right"].tolist() == [0, 0.5, 0.5, 1, 0.75, 1]
    assert frame["value"].tolist() == [6, 1, 7, 3, 8, 9]
    assert frame["slope"].tolist() == [0, 2, 0, 4, 0, 0]


def test_a_huge_point_does_not_blur_the_rest():
    curve = steps([2e-9, 1e-9], [0, 0.5, 1], [0.25], [1e9])
    assert curve.best.interval == (0.5, 1.0)
    total = curve + curve
    assert total.values.tolist() == [4e-9, 2e-9] and total(0.25) == 2e9
