from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from path.reference_paths import random_part, random_problem, trace

from weightpath import tolerances
from weightpath.engine import follow, solve
from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading
from weightpath.problems import Staircase, hinge_staircase, tube_staircase
from weightpath.record._bias_envelope import BiasBounds
from weightpath.record.record import LOOSE, RESTS, SHORT, UNIQUE, Record
from weightpath.record.settled_bias import free_segments, settle_bias

KERNEL = Kernel("rbf", gamma=0.7)

# How free the bias is on the one segment of a record, and at its end.
FREE = (RESTS, LOOSE)


def interval(part, theta):
    """The interval of the bias, from its definition."""
    staircase, beta = part.staircase(theta), part.beta(theta)
    low, high = staircase.residual_range(beta, 1e-11 * staircase.knot_scale)
    gap = staircase.target - KERNEL.between(part.X, part.X) @ beta
    return (gap - high).max(), (gap - low).min()


def free_legs(seed):
    """Legs with small and balanced weights, so that the bias is free on much of the way."""
    X, sign, w0, w1 = random_problem(seed, balanced=True)
    K = KERNEL.between(X, X)
    return X, sign, trace(K, sign, 0.01 * w0, 0.01 * w1, w0, w1)


@pytest.mark.parametrize("seed", range(12))
def test_bias_is_in_the_middle(seed):
    X, sign, legs = free_legs(seed)
    n_free = 0
    for start, end, record, _ in legs:
        part = PathPart(KERNEL, X, None, start, end, record, Reading("svc", sign))
        part.record.validate()
        assert part.largest_kkt_violation() < 1e-12
        empty = np.diff(part.record.offset) == 0
        n_free += empty.sum()
        left, right = part.theta[:-1][empty], part.theta[1:][empty]
        for u in (0.01, 0.3, 0.5, 0.99):
            for theta in (1 - u) * left + u * right:
                low, high = interval(part, theta)
                assert low <= high
                assert part.bias(theta) == pytest.approx((low + high) / 2, abs=1e-12)
    assert n_free > 0


def test_segments_are_split_where_a_bound_changes():
    added = 0
    for seed in range(12):
        X, _, legs = free_legs(seed)
        for start, end, record, _ in legs:
            added += len(settle_bias(KERNEL, X, start, end, record).record) - len(record)
    assert added > 5


@pytest.mark.parametrize("seed", range(12))
def test_settling_again_changes_nothing(seed):
    X, _, legs = free_legs(seed)
    for start, end, record, _ in legs:
        once = settle_bias(KERNEL, X, start, end, record).record
        twice = settle_bias(KERNEL, X, start, end, once).record
        for name in Record.names():
            np.testing.assert_allclose(getattr(twice, name), getattr(once, name), atol=1e-13)


@pytest.mark.parametrize("seed", range(12))
def test_margin_rows_are_at_the_margin(seed):
    X, sign, legs = free_legs(seed)
    for start, end, record, _ in legs:
        part = PathPart(KERNEL, X, None, start, end, record, Reading("svc", sign))
        for theta in 0.5 * (part.theta[:-1] + part.theta[1:]):
            residual = sign - part.response(part.beta(theta)) - part.bias(theta)
            sets = part.reading.sets(part.position(theta))
            assert (np.abs(residual[sets == 1]) < 1e-12).all()
            assert (sign[sets == 0] * residual[sets == 0] < 1e-12).all()
            assert (sign[sets == 2] * residual[sets == 2] > -1e-12).all()


@pytest.mark.parametrize("seed", range(6))
def test_columns_at_hand_serve_as_well(seed):
    X, _, legs = free_legs(seed)
    for start, end, record, _ in legs:
        K = KERNEL.between(X, X)
        by_kernel = settle_bias(Kernel("precomputed"), K, start, end, record).record
        columns = KERNEL.columns(X, cache_mb=0.0)
        by_columns = settle_bias(KERNEL, X, start, end, record, columns=columns).record
        theta = np.linspace(0, 1, 37)
        for one, other in zip(
            *(bias_along(r, theta) for r in (by_kernel, by_columns)), strict=True
        ):
            assert one == pytest.approx(other, abs=1e-10)


def bias_along(record, theta):
    """The bias at some places, from the record alone."""
    segment = np.minimum(np.searchsorted(record.theta, theta, side="right") - 1, len(record) - 1)
    return record.bias[segment] + (theta - record.theta[segment]) * record.bias_slope[segment]


def test_unique_bias_returns_the_same_record():
    part = random_part()
    again = settle_bias(part.kernel, part.X, part.start, part.end, part.record)
    assert again.record is part.record and again.theta.size == again.bias.size == 0


def test_no_bias_returns_the_same_record():
    start = Staircase(np.ones(1), [[0.0, 1.0]], [[-np.inf, 0.0, np.inf]], has_bias=False)
    record = Record([0, 1], [0], [0], [0, 0], [], [], [], [], [], [], [], [0], [3], FREE)
    settled = settle_bias(Kernel("linear"), np.ones((1, 1)), start, start, record)
    assert settled.record is record and settled.theta.size == 0


def test_zero_weight_does_not_bound_the_bias():
    # Both classes inside at tiny weights: b in [-1 + small, 1 - small]. The third point has no
    # weight; it is placed where it would cut the interval if it had any.
    X = np.array([[1.0], [-1.0], [0.0]])
    sign = np.array([1.0, -1.0, 1.0])
    weight = np.array([0.01, 0.01, 0.0])
    start, end = hinge_staircase(sign, weight), hinge_staircase(sign, 2 * weight)
    record = Record([0, 1], [0.9], [0], [0, 0], [], [], [], [], [], [], [], [0], [3, 1, 1], FREE)
    settled = settle_bias(Kernel("linear"), X, start, end, record).record
    np.testing.assert_allclose(settled.bias, 0.0, atol=1e-15)
    # With one class only one side is bounded, and its bound is the bias.
    end = start = hinge_staircase(sign, np.array([0.0, 0.01, 0.0]))
    record = Record([0, 1], [0.9], [0], [0, 0], [], [], [], [], [], [], [], [0], [3, 3, 3], FREE)
    settled = settle_bias(Kernel("linear"), X, start, end, record).record
    np.testing.assert_allclose(settled.bias, -1.0)
    # And without any weight nothing is.
    start = hinge_staircase(sign, np.zeros(3))
    settled = settle_bias(Kernel("linear"), X, start, start, record).record
    np.testing.assert_allclose(settled.bias, 0.0)


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [
        ([RESTS], [True]),
        ([LOOSE], [False]),
        ([SHORT], [False]),
        ([UNIQUE, SHORT, RESTS, LOOSE, RESTS], [False, True, True, False, True]),
        ([RESTS, UNIQUE, SHORT, SHORT, LOOSE, SHORT], [True, False, False, False, False, False]),
    ],
)
def test_a_run_of_short_segments_is_free_only_with_one_that_rests(freedom, expected):
    n = len(freedom)
    zeros, theta = np.zeros(n), np.linspace(0.0, 1.0, n + 1)
    offset, code = np.zeros(n + 1), np.append(freedom, UNIQUE)
    record = Record(theta, zeros, zeros, offset, [], [], [], [], [], [], [], zeros, [3, 1], code)
    assert free_segments(record).tolist() == expected


def test_engine_knows_anchors_from_members_that_leave_slowly():
    """A slope far below the largest knot takes a member off its knot all the same."""
    sign = np.array([1.0, -1.0, 1.0])
    X = np.array([[1.0], [-1.0], [30.0]])
    K = X @ X.T
    for growth, is_free in ((0.0, True), (1e-9, False)):
        weights = np.array([[0.1, 0.1, 1e6], [0.1, 0.1 + growth, 1e6]])
        start, end = (hinge_staircase(sign, weight) for weight in weights)
        columns = Kernel("precomputed").columns(K, 1.0)
        record = follow(columns, start, end, solve(columns, start)).record
        assert free_segments(record).all() == free_segments(record).any() == is_free


class Lines(NamedTuple):
    """Lines ``value + h * slope`` for ``h`` from 0."""

    value: np.ndarray
    slope: np.ndarray


lines = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=12).map(
    lambda pairs: Lines(*np.array(pairs, dtype=float).T)
)

NO_LINES = Lines(np.empty(0), np.empty(0))


def envelope(lower, upper, length, sign):
    """The largest of lines (sign 1), the smallest of others (-1), or the middle between both (0).

    They are bounds of a bias: rows without kernel.
    """
    value, slope = (np.append(one, other) for one, other in zip(lower, upper, strict=True))
    n, is_lower = len(value), np.arange(len(value)) < len(lower.value)
    # Half of the way begins at theta = 0.25, so that both ends of the path matter.
    first, last = value - 0.25 * slope, value + 0.75 * slope
    levels = np.where(is_lower[:, None], [-np.inf, 2.0], [-1.0, np.inf])
    shift = np.where(is_lower, 2.0, -1.0)
    ends = [Staircase(target + shift, np.zeros((n, 1)), levels) for target in (first, last)]
    bounds = BiasBounds(*ends, np.zeros((n, 1)), np.ones((n, 1)), tolerances.BOUND_NOISE)
    found = bounds.envelope(np.zeros((2, n)), np.zeros(n, dtype=np.intp), 0.25, 0.75, length, sign)
    return None if found is None else (found[0], Lines(*found[1:]))


def height(where, pieces, h):
    """The value at ``h`` of lines that follow each other."""
    piece = np.searchsorted(where, h, side="right") - 1
    return pieces.value[piece] + (h - where[piece]) * pieces.slope[piece]


@given(lines, lines, st.sampled_from([0.5, 1.0, 7.0]))
def test_envelopes_are_the_largest_and_the_smallest_line(lower, upper, length):
    for sign, own in ((1, lower), (-1, upper)):
        where, best = envelope(lower, upper, length, sign)
        assert where[0] == 0.0 and (sign * np.diff(best.slope) > 0).all()
        assert (np.diff(where) >= 0).all()
        for h in np.linspace(0, length, 23):
            largest = sign * (sign * (own.value + h * own.slope)).max()
            assert height(where, best, h) == pytest.approx(largest, abs=1e-11)


@given(lines, lines)
def test_middle_of_two_envelopes(lower, upper):
    where, middle = envelope(lower, upper, 1.0, 0)
    assert where[0] == 0.0 and (np.diff(where) > 0).all()
    for h in np.linspace(0, 0.999, 17):
        low = (lower.value + h * lower.slope).max()
        high = (upper.value + h * upper.slope).min()
        assert height(where, middle, h) == pytest.approx((low + high) / 2, abs=1e-11)


@given(lines, st.sampled_from([1, -1]))
def test_the_middle_of_an_unbounded_interval_is_its_end(own, sign):
    given_lines = (own, NO_LINES) if sign > 0 else (NO_LINES, own)
    assert envelope(*given_lines, 1.0, -sign) is None
    bound, middle = (envelope(*given_lines, 1.0, which) for which in (sign, 0))
    for h in np.linspace(0, 0.999, 17):
        assert height(*middle, h) == pytest.approx(height(*bound, h), abs=1e-13)


def test_without_bounds_the_bias_is_zero():
    start = Staircase(np.ones(2), np.zeros((2, 1)), np.tile([-np.inf, np.inf], (2, 1)))
    bounds = BiasBounds(start, start, np.zeros((2, 1)), np.ones((2, 1)), tolerances.BOUND_NOISE)
    knot = np.zeros(2, dtype=np.intp)
    found = bounds.envelope(np.zeros((2, 2)), knot, 0.25, 0.75, 0.5, 0)
    np.testing.assert_array_equal(found, [[0.0], [0.0], [0.0]])
    assert bounds.envelope(np.zeros((2, 2)), knot, 0.25, 0.75, 0.5, 1) is None


def test_an_anchor_whose_weight_vanishes_stands_beside_its_interval():
    """Just before the end all knots of row 1 are near; it was above zero, so not at its lowest."""
    weight, gone = np.array([2.0, 1.0]), np.array([2.0, 0.0])
    target, epsilon = np.array([0.0, 2.0]), np.array([1.5, 1.0])
    start, end = (tube_staircase(target, w, epsilon) for w in (weight, gone))
    left = np.nextafter(1.0, 0.0)
    record = Record(
        theta=np.array([0.0, left, 1.0]),
        bias=np.array([1.2, 1.0]),
        bias_slope=np.zeros(2),
        offset=np.array([0, 0, 1]),
        member=np.array([1]),
        value=np.array([left - 1.0]),
        slope=np.zeros(1),
        event_theta=np.array([left]),
        event_index=np.array([1]),
        event_from=np.array([3]),
        event_to=np.array([4]),
        event_count=np.array([0, 1]),
        initial_position=np.array([3, 3]),
        freedom=np.array([RESTS, RESTS, LOOSE]),
    )
    part = PathPart(KERNEL, np.zeros((2, 1)), None, start, end, record, Reading("svr", np.ones(2)))
    assert part.largest_kkt_violation() < 1e-12
