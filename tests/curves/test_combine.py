"""Curves made of curves: sums, means, curves end to end, parts of curves, one standard error."""

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

NUMBERS = st.integers(-3, 3)


def steps(values, edges=None, **kwargs):
    values = np.asarray(values, dtype=float)
    edges = np.linspace(0, 1, len(values) + 1) if edges is None else edges
    return Curve(edges, values[:, None], **kwargs)


def random_curve(rng, degree, n_pieces=40, **kwargs):
    """Pieces that jump, on edges of which some are shared with other curves."""
    shared = rng.choice(np.arange(1, 64) / 64, n_pieces // 4, replace=False)
    edges = np.unique(np.concatenate(([0, 1], shared, rng.random(n_pieces))))
    return Curve(edges, rng.normal(size=(len(edges) - 1, degree + 1)), **kwargs)


@st.composite
def integer_curves(draw, count=3):
    """Curves of small integers on a coarse grid: edges, values and slopes coincide."""
    columns = draw(st.integers(1, 3))
    curves = []
    for _ in range(count):
        inner = draw(st.lists(st.integers(1, 7), unique=True, max_size=5))
        edges = np.array([0, *sorted(inner), 8]) / 8
        rows = [draw(st.tuples(*[NUMBERS] * columns)) for _ in edges[1:]]
        curves.append(Curve(edges, np.array(rows, dtype=float)))
    return curves


def everywhere(curves, rng=None):
    """Random theta, all edges, and both sides of each."""
    rng = rng or np.random.default_rng(0)
    marks = np.concatenate([curve.edges for curve in curves])
    near = np.concatenate((np.nextafter(marks, -1), np.nextafter(marks, 2)))
    theta = np.concatenate((rng.random(1000), marks, near))
    return theta[(theta >= 0) & (theta <= 1)]


# Sums and means ---------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.0, 0.5, 3.0]])
def test_mean_is_the_mean_at_every_theta(degree, weights):
    rng = np.random.default_rng(degree)
    curves = [random_curve(rng, degree) for _ in range(5)]
    mean = mean_curve(curves, weights)
    theta = rng.random(1000)
    expected = np.average([curve(theta) for curve in curves], axis=0, weights=weights)
    assert mean(theta) == pytest.approx(expected, rel=0, abs=1e-14)
    assert mean.degree == degree


@given(integer_curves())
def test_sums_of_integers_are_exact_and_change_at_every_edge(curves):
    total = curves[0] + curves[1] - 2 * curves[2]
    theta = np.arange(0, 8 * 64 + 1) / (8 * 64)
    expected = curves[0](theta) + curves[1](theta) - 2 * curves[2](theta)
    assert np.array_equal(total(theta), expected)
    for e in range(1, len(total)):
        length = total.edges[e] - total.edges[e - 1]
        further = [
            total.coefficients[e - 1] @ (length + step) ** np.arange(total.degree + 1)
            for step in (0, 0.25, 0.5)
        ]
        own = [
            total.coefficients[e] @ step ** np.arange(total.degree + 1) for step in (0, 0.25, 0.5)
        ]
        assert not np.allclose(further, own, rtol=0, atol=1e-13)


def test_edges_of_a_mean_are_those_of_all_curves():
    a, b = steps([1, 2], [0, 0.3, 1]), steps([0, 5], [0, 0.6, 1])
    assert mean_curve([a, b]).edges.tolist() == [0, 0.3, 0.6, 1]


def test_steps_that_cancel_leave_no_edge():
    a, b = steps([1, 2, 0], [0, 0.3, 0.6, 1]), steps([4, 3, 0], [0, 0.3, 0.6, 1])
    assert (a + b).edges.tolist() == [0, 0.6, 1]
    assert (a + b).values.tolist() == [5, 0]


def test_equal_means_of_steps_are_equal_to_the_last_bit():
    # 0.1 + 0.2 is not 0.3 + 0 in floating-point numbers, and 0.7 + 0.1 is not 0.8.
    a = steps([0.1, 0.3, 0.7, 0.8])
    b = steps([0.2, 0.0, 0.1, 0.0])
    total = a + b
    assert total.edges.tolist() == [0, 0.5, 1]
    folds = [
        steps(row) for row in ([0.1, 1, 0.2, 2, 0.3], [0.2, 1, 0.3, 2, 0.1], [0.3, 1, 0.1, 2, 0.2])
    ]
    mean = mean_curve(folds)
    assert len(mean) == 5
    assert len(set(mean.values.tolist())) == 3


def test_values_that_differ_by_more_than_rounding_stay_apart():
    a, b = steps([0.5, 0.5 + 1e-13]), steps([0.25, 0.25])
    assert len(a + b) == 2
    assert np.ptp((a + b).values) == pytest.approx(1e-13, rel=1e-2)


def test_a_difference_of_the_same_is_zero():
    rng = np.random.default_rng(3)
    for degree in (0, 1, 2):
        curve = random_curve(rng, degree)
        zero = curve - curve
        assert len(zero) == 1 and zero(rng.random(50)).tolist() == [0.0] * 50
        assert len(curve * 0) == 1


def test_different_degrees():
    a, b = steps([1, 2], [0, 0.3, 1]), Curve([0, 0.5, 1], [[0, 1, 2], [1, 0, -1]])
    total = a + b
    theta = everywhere([a, b])
    assert total(theta) == pytest.approx(a(theta) + b(theta), abs=1e-15)
    assert total.degree == 2


def test_steps_closer_than_rounding_are_one():
    after = np.nextafter(0.5, 1)
    a, b = steps([1, 0], [0, 0.5, 1]), steps([0, 1], [0, after, 1])
    # Between the two edges the sum is zero, lower than everywhere else, on no length.
    total = a + b
    assert total.values.tolist() == [1]
    c = steps([0, 2], [0, after, 1])
    assert (a + c).values.tolist() == [1, 2] and len((a + c).edges) == 3
    first = steps([5, 1], [0, 1e-17, 1])
    assert (first + first).values.tolist() == [2] and (first + first).edges.tolist() == [0, 1]


def test_operators():
    rng = np.random.default_rng(1)
    a, b = (random_curve(rng, 2, metric="squared") for _ in range(2))
    theta = everywhere([a, b])
    for curve, expected in [
        (a + b, a(theta) + b(theta)),
        (a - b, a(theta) - b(theta)),
        (3 * a, 3 * a(theta)),
        (a * 3, 3 * a(theta)),
        (np.float64(3) * a, 3 * a(theta)),
        (a / 3, a(theta) / 3),
        (-a, -a(theta)),
        (a + 1, a(theta) + 1),
        (1 - a, 1 - a(theta)),
        (a - 0.5, a(theta) - 0.5),
        (sum([a, b]), a(theta) + b(theta)),
    ]:
        assert isinstance(curve, Curve) and curve.metric == "squared"
        assert curve(theta) == pytest.approx(expected, rel=0, abs=1e-13)


def test_direction_follows_the_sign():
    accuracy = steps([0.5, 0.9, 0.7], metric="accuracy", greater_is_better=True)
    error = 1 - accuracy
    assert not error.greater_is_better
    assert error.best.interval == accuracy.best.interval
    assert error.best.value == pytest.approx(0.1)
    assert (accuracy / -2).greater_is_better is False
    assert (accuracy - accuracy).greater_is_better and (2 * accuracy).greater_is_better
    assert mean_curve([accuracy, accuracy]).greater_is_better


def test_names_of_mixed_metrics():
    a, b = steps([1], metric="zero_one"), steps([2], metric="hinge")
    assert (a + b).metric == "zero_one and hinge"
    assert mean_curve([a, a]).metric == "zero_one"


@pytest.mark.parametrize(
    ("combine", "error", "match"),
    [
        (lambda a, s, half: a + s, ValueError, "direction"),
        (lambda a, s, half: a - s, ValueError, "1 - curve"),
        (lambda a, s, half: mean_curve([a, half]), ValueError, "domains"),
        (lambda a, s, half: join_curves([a, s]), ValueError, "direction"),
        (lambda a, s, half: mean_curve([]), ValueError, "At least one"),
        (lambda a, s, half: mean_curve([a, 1.0]), TypeError, "a number"),
        (lambda a, s, half: mean_curve([a, "b"]), TypeError, "str"),
        (lambda a, s, half: mean_curve([a, a], [1]), ValueError, "as many weights"),
        (lambda a, s, half: mean_curve([a, a], [0, 0]), ValueError, "positive"),
        (lambda a, s, half: mean_curve([a, a], [2, -1]), ValueError, "negative"),
        (lambda a, s, half: mean_curve([a, a], [1, np.nan]), ValueError, "finite"),
        (lambda a, s, half: a * np.inf, ValueError, "finite"),
        (lambda a, s, half: a / 0, ZeroDivisionError, "zero"),
        (lambda a, s, half: a + "x", TypeError, "unsupported"),
        (lambda a, s, half: a - "x", TypeError, "unsupported"),
        (lambda a, s, half: a / a, TypeError, "unsupported"),
        (lambda a, s, half: a * a, TypeError, "unsupported"),
        (lambda a, s, half: None - a, TypeError, "unsupported"),
    ],
)
def test_what_makes_no_sense_is_an_error(combine, error, match):
    curve = steps([1, 2])
    score = steps([1, 2], greater_is_better=True)
    half = steps([1, 2], [0, 0.25, 0.5])
    with pytest.raises(error, match=match):
        combine(curve, score, half)


# End to end -------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_legs_take_their_places(degree):
    rng = np.random.default_rng(degree)
    legs = [random_curve(rng, degree) for _ in range(3)]
    joined = join_curves(legs)
    theta = rng.random(300)
    for j, leg in enumerate(legs):
        assert joined(j + theta) == pytest.approx(leg(theta), rel=0, abs=1e-13)
        assert joined(float(j)) == leg(0.0)
    assert joined.edges[0] == 0 and joined.edges[-1] == 3
    assert joined(3.0) == pytest.approx(legs[2](1.0))


def test_a_value_that_holds_across_the_join_has_no_edge():
    joined = join_curves([steps([0.3, 0.1]), steps([0.1, 0.2])])
    assert joined.edges.tolist() == [0, 0.5, 1.5, 2]
    assert joined.best.interval == (0.5, 1.5)


def test_intervals_too_short_for_their_place_vanish():
    leg = steps([1, 7, 2], [0, 1e-17, 2e-17, 1])
    joined = join_curves([steps([3]), leg])
    assert joined.values.tolist() == [3, 2] and joined.edges.tolist() == [0, 1, 2]


def test_join_of_one_is_itself_and_degrees_are_padded():
    curve = Curve([0, 0.5, 1], [[1, 2, 3], [0, 1, 0]])
    assert join_curves([curve])(0.7) == curve(0.7)
    joined = join_curves([steps([1, 2]), curve])
    assert joined.degree == 2 and joined(1.25) == curve(0.25) and joined(0.25) == 1


# Parts ------------------------------------------------------------------------------------------


@given(integer_curves(1), st.integers(0, 31), st.integers(1, 32), st.booleans())
def test_nothing_within_beats_the_best_within(curves, left, length, greater):
    source = curves[0]
    curve = Curve(source.edges, source.coefficients, greater_is_better=greater)
    low, high = left / 32, min(left + length, 32) / 32
    lowest, best = curve.minimum_within(low, high), curve.best_within(low, high)
    inside = np.linspace(low, high, 1001)
    inside = inside if high == 1 else inside[:-1]
    assert lowest.value <= curve(inside).min() + 1e-11
    for found in (lowest, best):
        assert low <= found.interval[0] <= found.theta <= found.interval[1] <= high
        assert found.value == curve(found.theta)
    assert best == lowest if not greater else best.value >= curve(inside).max() - 1e-11


def test_a_jump_at_the_right_end_is_left_out():
    curve = Curve([0, 0.5, 1], [[1, -1], [5, 0]])
    found = curve.minimum_within(0, 0.5)
    assert found.theta == np.nextafter(0.5, 0) and found.value == pytest.approx(0.5)
    lower = steps([3, 1])
    assert lower.minimum_within(0, 0.5).value == 3
    assert lower.minimum_within(0.5, 0.5) == (0.5, 1.0, (0.5, 0.5))


def test_restricted_keeps_the_values():
    rng = np.random.default_rng(0)
    curve = random_curve(rng, 2)
    part = curve.restricted(0.2, 0.7)
    theta = np.append(rng.uniform(0.2, 0.7, 500), 0.2)
    assert part(theta) == pytest.approx(curve(theta), abs=1e-14)
    assert part.edges[[0, -1]].tolist() == [0.2, 0.7]


@pytest.mark.parametrize("ends", [(0.5, 0.2), (-0.1, 0.5), (0.5, 1.1), (np.nan, 0.5)])
def test_parts_outside_are_errors(ends):
    with pytest.raises(ValueError, match=r"within \[0, 1\]"):
        steps([1, 2]).best_within(*ends)


def test_best_of_the_shortest_interval_is_inside_it():
    left = 0.5
    for right in (np.nextafter(left, 1), np.nextafter(np.nextafter(left, 1), 1)):
        best = steps([3, 1, 2], [0, left, right, 1]).best
        assert best.value == 1 and left <= best.theta < right
    odd = np.nextafter(0.5, 1)
    best = steps([3, 1, 2], [0, odd, np.nextafter(odd, 1), 1]).best
    assert best.theta == odd and best.value == 1


# One standard error -----------------------------------------------------------------------------


def brute_force(mean, folds, towards, n=200_001):
    """The first (last) place of a fine grid within one standard error of the best."""
    sign = -1 if mean.greater_is_better else 1
    best = mean.best
    values = np.array([fold(best.theta) for fold in folds])
    bound = sign * best.value + values.std(ddof=1) / np.sqrt(len(values))
    theta = np.linspace(mean.edges[0], mean.edges[-1], n)
    within = theta[sign * mean(theta) <= bound + 1e-12]
    return (within[0] if towards == "start" else within[-1]), bound


@pytest.mark.parametrize("towards", ["start", "end"])
@pytest.mark.parametrize("greater", [False, True])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_choice_is_the_first_within_the_bound(degree, greater, towards):
    rng = np.random.default_rng(7)
    for _ in range(20):
        folds = [random_curve(rng, degree, 8, greater_is_better=greater) for _ in range(4)]
        mean = mean_curve(folds)
        choice = one_standard_error(mean, folds, towards)
        expected, bound = brute_force(mean, folds, towards)
        end = choice.interval[0] if towards == "start" else choice.interval[1]
        assert end == pytest.approx(expected, abs=1.1e-5)
        assert (-choice.value if greater else choice.value) <= bound + 1e-11
        assert choice.value == mean(choice.theta)
        assert choice.interval[0] <= choice.theta <= choice.interval[1]
        inside = np.linspace(*choice.interval, 500)[1:-1]
        assert ((-1 if greater else 1) * mean(inside) <= bound + 1e-11).all()


def test_step_chosen_in_its_middle():
    folds = [steps([0.5, 0.25, 0.2, 0.5]), steps([0.5, 0.15, 0.1, 0.5])]
    choice = one_standard_error(mean_curve(folds), folds)
    assert choice.theta == 0.375 and choice.interval == (0.25, 0.75)
    assert one_standard_error(mean_curve(folds), folds, "end").theta == 0.625


def test_without_spread_the_choice_is_among_the_best():
    fold = Curve([0, 1], [[1.0, -1.4, 1.0]])
    choice = one_standard_error(fold, [fold, fold])
    assert choice.theta == pytest.approx(0.7, abs=1e-6) and choice.value == pytest.approx(0.51)
    level = steps([2, 1, 2, 1, 1, 3])
    assert one_standard_error(level, [level] * 3).theta == 0.25
    assert one_standard_error(level, [level] * 3, "end").interval[1] == pytest.approx(5 / 6)


def test_a_limit_that_is_not_taken():
    falls = Curve([0, 0.5, 1], [[1, -1], [2, 0]])
    choice = one_standard_error(falls, [falls, falls])
    assert choice.theta == np.nextafter(0.5, 0) and choice.value == pytest.approx(0.5)


def test_standard_error_is_that_of_the_mean():
    folds = [steps([value]) for value in (0.1, 0.2, 0.4, 0.7)]
    values = [0.1, 0.2, 0.4, 0.7]
    assert standard_error(folds, 0.3) == pytest.approx(np.std(values, ddof=1) / 2)


def test_wrong_questions_are_errors():
    curve = steps([1, 2])
    with pytest.raises(ValueError, match="two folds"):
        one_standard_error(curve, [curve])
    with pytest.raises(ValueError, match="towards"):
        one_standard_error(curve, [curve, curve], towards="left")
