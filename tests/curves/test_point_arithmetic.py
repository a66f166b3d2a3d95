"""Curves made of curves with isolated points: sums, means, legs, one standard error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightpath.curves import (
    Curve,
    join_curves,
    mean_curve,
    one_standard_error,
    standard_error,
)

GRID = 8


def steps(values, edges, theta=(), points=(), **kwargs):
    coefficients = np.asarray(values, dtype=float)[:, None]
    return Curve(edges, coefficients, point_theta=theta, point_values=points, **kwargs)


@st.composite
def integer_curves(draw, count, greater=False):
    """Small integers on a coarse grid, so that edges, points and values coincide."""
    columns = draw(st.integers(1, 3))
    numbers = st.integers(-3, 3)
    curves = []
    for _ in range(count):
        inner = draw(st.lists(st.integers(1, GRID - 1), unique=True, max_size=4))
        edges = np.array([0, *sorted(inner), GRID]) / GRID
        rows = [draw(st.tuples(*[numbers] * columns)) for _ in edges[1:]]
        marks = sorted(draw(st.lists(st.integers(0, GRID), unique=True, max_size=4)))
        values = [draw(numbers) for _ in marks]
        table = np.array(rows, dtype=float)
        curves.append(Curve(edges, table, "", greater, np.array(marks) / GRID, values))
    return curves


def random_curve(rng, degree, **kwargs):
    """Pieces that jump, and points of which some are shared with other curves and on edges."""
    edges = np.unique(np.concatenate(([0, 1], rng.integers(1, 64, 5) / 64, rng.random(20))))
    theta = np.unique(np.concatenate((rng.choice(edges, 4), rng.integers(0, 65, 4) / 64)))
    return Curve(
        edges,
        rng.normal(size=(len(edges) - 1, degree + 1)),
        point_theta=theta,
        point_values=rng.normal(size=len(theta)),
        **kwargs,
    )


def everywhere(curves):
    marks = np.concatenate([[*curve.edges, *curve.point_theta] for curve in curves])
    near = np.concatenate((np.nextafter(marks, -1), np.nextafter(marks, 2)))
    theta = np.concatenate((np.random.default_rng(0).random(500), marks, near))
    return theta[(theta >= 0) & (theta <= 1)]


def only_where_needed(curve):
    """Whether every point differs from what the curve would have there without it."""
    plain = Curve(curve.edges, curve.coefficients)
    return bool(np.all(plain(curve.point_theta) != curve.point_values))


# Sums and means ---------------------------------------------------------------------------------


@given(integer_curves(3))
def test_sums_of_integers_are_exact(curves):
    a, b, c = curves
    total = a + b - 2 * c
    theta = np.arange(GRID * 64 + 1) / (GRID * 64)
    assert np.array_equal(total(theta), a(theta) + b(theta) - 2 * c(theta))
    assert only_where_needed(total)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_operators(degree):
    rng = np.random.default_rng(degree)
    a, b = random_curve(rng, degree), random_curve(rng, degree)
    theta = everywhere([a, b])
    for curve, expected in [
        (a + b, a(theta) + b(theta)),
        (a - b, a(theta) - b(theta)),
        (3 * a, 3 * a(theta)),
        (a / -3, a(theta) / -3),
        (-a, -a(theta)),
        (1 - a, 1 - a(theta)),
        (a - 0.5, a(theta) - 0.5),
        (sum([a, b]), a(theta) + b(theta)),
    ]:
        assert curve(theta) == pytest.approx(expected, rel=0, abs=1e-13)
    assert (a + b).point_theta.size == np.union1d(a.point_theta, b.point_theta).size


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.0, 0.5, 3.0]])
def test_mean_is_the_mean_at_every_theta(degree, weights):
    rng = np.random.default_rng(degree)
    curves = [random_curve(rng, degree) for _ in range(5)]
    mean = mean_curve(curves, weights)
    theta = everywhere(curves)
    expected = np.average([curve(theta) for curve in curves], axis=0, weights=weights)
    assert mean(theta) == pytest.approx(expected, rel=0, abs=1e-14)


def test_points_that_cancel_vanish():
    rng = np.random.default_rng(3)
    for degree in (0, 1, 2):
        curve = random_curve(rng, degree)
        zero = curve - curve
        assert len(zero) == 1 and zero.point_theta.size == 0
        assert (curve * 0).point_theta.size == 0
        three = curve + curve + curve
        assert np.array_equal(three.point_theta, curve.point_theta)
        # Nothing but rounding is left of the point.
        plain = Curve(curve.edges, curve.coefficients)
        assert (three / 3 - curve + plain).point_theta.size == 0
    up, down = steps([0], [0, 1], [0.5], [1]), steps([0], [0, 1], [0.5], [-1])
    assert (up + down).point_theta.size == 0


def test_equal_values_of_steps_and_points_are_equal_to_the_last_bit():
    # 0.1 + 0.2 is not 0.3 + 0 in floating-point numbers.
    a = steps([0.1, 0.7], [0, 0.5, 1], [0.25, 0.75], [0.3, 0.3])
    b = steps([0.2, 0.1], [0, 0.5, 1], [0.25, 0.75], [0.0, 0.0])
    total = a + b
    assert total.point_theta.tolist() == [0.75]
    assert total(0.75) == total(0.1)


def test_direction_follows_the_sign():
    accuracy = steps([0.5, 0.75], [0, 0.5, 1], [0.25], [1.0], greater_is_better=True)
    assert accuracy.best == (0.25, 1.0, (0.25, 0.25))
    assert (1 - accuracy).best == (0.25, 0.0, (0.25, 0.25))


# End to end -------------------------------------------------------------------------------------


@given(integer_curves(3))
def test_legs_keep_their_points(legs):
    joined = join_curves(legs)
    theta = np.arange(GRID * 16) / (GRID * 16)
    for j, leg in enumerate(legs):
        assert np.array_equal(joined(j + theta), leg(theta))
    assert joined(3.0) == legs[-1](1.0)
    assert only_where_needed(joined)


def test_where_two_meet_the_second_counts():
    first = steps([3], [0, 1], [1], [7])
    assert join_curves([first, steps([4], [0, 1])]).point_theta.size == 0
    joined = join_curves([first, steps([4], [0, 1], [0], [8])])
    assert joined.point_theta.tolist() == [1] and joined(1) == 8
    assert join_curves([first])(1) == 7


def test_a_start_that_rounding_moves():
    # 0.3 + (0.9 - 0.3) is more than 0.9 in floating-point numbers, 0.2 + (0.9 - 0.2) less.
    for begin, end in [(0.3, 0.9), (0.2, 0.9)]:
        first = steps([3], [end - 1, end])
        second = steps([4], [begin, begin + 1], [begin, begin + 0.5], [8, 9])
        assert begin + (end - begin) != end
        joined = join_curves([first, second])
        assert joined(end) == 8 and joined(np.nextafter(end, 9)) == 4
        assert joined.point_values.tolist() == [8, 9]


# One standard error -----------------------------------------------------------------------------


def test_standard_error_at_a_point():
    folds = [steps([0.5], [0, 1], [0.25], [1.0]), steps([0.5], [0, 1])]
    assert standard_error(folds, 0.25) == 0.25 and standard_error(folds, 0.3) == 0


@pytest.mark.parametrize("towards", ["start", "end"])
@pytest.mark.parametrize("greater", [False, True])
@given(data=st.data())
def test_choice_is_the_first_within_the_bound(towards, greater, data):
    folds = data.draw(integer_curves(3, greater))
    mean = mean_curve(folds)
    sign = -1 if greater else 1
    choice, best = one_standard_error(mean, folds, towards), mean.best
    bound = sign * best.value + standard_error(folds, best.theta) + 1e-10

    def keeps(theta):
        return sign * mean(theta) <= bound

    assert choice.value == mean(choice.theta) and keeps(choice.theta)
    left, right = choice.interval
    assert left <= choice.theta <= right
    inside = np.linspace(left, right, 301)
    assert keeps(inside[(inside > left) & (inside < right)]).all()
    theta = np.linspace(0, 1, 64 * GRID + 1)
    theta = np.concatenate((theta, np.nextafter(theta, 0), np.nextafter(theta, 1)))
    # Where the bound is crossed at a slope, its place is known up to the rounding of the bound.
    before = theta[theta < left - 1e-4] if towards == "start" else theta[theta > right + 1e-4]
    assert not (sign * mean(before) <= bound - 2e-10).any()


def test_a_point_within_the_bound_is_chosen():
    folds = [
        steps([0.5, 0.1], [0, 0.5, 1], [0], [0.2]),
        steps([0.5, 0.3], [0, 0.5, 1], [0], [0.3]),
    ]
    mean = mean_curve(folds)
    assert one_standard_error(mean, folds) == (0.0, 0.25, (0.0, 0.0))
    assert one_standard_error(mean, folds, "end") == (0.75, 0.2, (0.5, 1.0))


def test_a_point_beyond_the_bound_cuts_the_stretch():
    fold = steps([1], [0, 1], [0.25], [2])
    assert one_standard_error(fold, [fold] * 2) == (0.125, 1.0, (0.0, 0.25))
    assert one_standard_error(fold, [fold] * 2, "end") == (0.625, 1.0, (0.25, 1.0))
    slope = Curve([0, 1], [[1, 0.0]], point_theta=[0, 1], point_values=[2, 2])
    sloped = slope + Curve([0, 0.5, 1], [[0, 0], [0, 1]])
    choice = one_standard_error(sloped, [sloped] * 2)
    assert choice.theta == np.nextafter(0, 1) and choice.interval == (0.0, 0.5)
    other = one_standard_error(sloped, [sloped] * 2, "end")
    assert other.theta == pytest.approx(0.5) and other.value == pytest.approx(1.0)


def test_a_touched_bound_with_a_worse_point():
    fold = Curve([0, 0.5, 1], [[1, -2], [0, 2]], point_theta=[0.5], point_values=[5])
    for towards in ("start", "end"):
        choice = one_standard_error(fold, [fold] * 2, towards)
        assert choice.value == fold(choice.theta) < 1e-11
        assert choice.theta != 0.5 and choice.theta == pytest.approx(0.5)
