"""Kernel sums of the knots, from segment to segment, and the events without anchors."""

from __future__ import annotations

import numpy as np
import pytest
from path.reference_paths import random_problem, trace

from weightpath.engine import follow, solve
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase, tube_staircase
from weightpath.problems.position import at_knot, interval_of, is_free, knot_of
from weightpath.record._knot_sums import KnotSums
from weightpath.record.anchors import without_anchors
from weightpath.record.joining import unit_steps
from weightpath.record.record import LOOSE, Record
from weightpath.record.replay import Replay
from weightpath.record.settled_bias import free_segments, settle_bias

KERNEL = Kernel("rbf", gamma=0.7)
RIDGE = 0.25


def free_records(seed):
    """Training rows, and paths with much freedom of the bias: their ends and records."""
    X, sign, w0, w1 = random_problem(seed, balanced=True)
    K = KERNEL.between(X, X)
    found = [leg[:3] for leg in trace(K, sign, 0.01 * w0, 0.01 * w1, w0, w1)]
    # Rows that coincide, and a tube: several rows change their sets at one theta.
    X = np.round(X)
    columns = KERNEL.columns(X)
    for start, end in (
        (hinge_staircase(sign, 1e-3 * np.ones_like(sign)), hinge_staircase(sign, w1)),
        (tube_staircase(sign, w0, 1.5), tube_staircase(sign, 0.1 * w1, 0.2)),
    ):
        found.append((start, end, follow(columns, start, end, solve(columns, start)).record))
    return X, found


def knots_on(record, start, end, segment):
    """The knot of each row on a segment, from its definition."""
    position = Replay(record).at(segment)
    theta = record.theta[segment]
    knots = (1.0 - theta) * start.knots + theta * end.knots
    knot = np.where(is_free(position), 0, knot_of(position))
    for entry in range(record.offset[segment], record.offset[segment + 1]):
        row = record.member[entry]
        q = int(interval_of(position[row]))
        beside = [j for j in (q - 1, q) if 0 <= j < start.n_knots]
        knot[row] = min(beside, key=lambda j: abs(knots[row, j] - record.value[entry]))
    return knot


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("step", [1, 7])
def test_sums_are_those_of_the_knots(seed, step):
    X, paths = free_records(seed)
    K = KERNEL.between(X, X) + RIDGE * np.eye(len(X))
    for start, end, record in paths:
        sums = KnotSums(KERNEL.columns(X), start, end, record, RIDGE)
        wanted = np.flatnonzero(record.freedom[:-1] >= LOOSE)[::step]
        for segment in wanted.tolist():
            knot, found = sums.on(segment)
            expected = knots_on(record, start, end, segment)
            np.testing.assert_array_equal(knot, expected)
            for own, stair in zip(found, (start, end), strict=True):
                product = K @ stair.knots[np.arange(len(X)), expected]
                np.testing.assert_allclose(own, product, atol=1e-12)
            members = slice(*record.offset[segment : segment + 2])
            np.testing.assert_array_equal(
                sums.knot_of_entry[members], expected[record.member[members]]
            )


def up_and_down(n, n_segments):
    """A record on which one row after the other goes up, through the margin, and later down."""
    row = np.arange(n_segments - 1) % n
    up = (np.arange(n_segments - 1) // n) % 2 == 0
    steps = np.where(up[:, None], [1, 2, 3], [3, 2, 1])
    record = Record(
        theta=np.linspace(0.0, 1.0, n_segments + 1),
        bias=np.zeros(n_segments),
        bias_slope=np.zeros(n_segments),
        offset=np.zeros(n_segments + 1),
        member=np.empty(0),
        value=np.empty(0),
        slope=np.empty(0),
        event_theta=np.repeat(np.linspace(0.0, 1.0, n_segments + 1)[1:-1], 2),
        event_index=np.repeat(row, 2),
        event_from=steps[:, :2].ravel(),
        event_to=steps[:, 1:].ravel(),
        event_count=2 * np.arange(n_segments),
        initial_position=np.ones(n),
    )
    record.validate()
    return record


def test_sums_stay_right_over_thousands_of_columns():
    n, n_segments = 8, 3000
    rng = np.random.default_rng(0)
    X, sign = rng.normal(size=(n, 2)), np.ones(n)
    start, end = (hinge_staircase(sign, rng.uniform(0.5, 2.0, n)) for _ in range(2))
    record = up_and_down(n, n_segments)
    K = KERNEL.between(X, X) + RIDGE * np.eye(n)
    sums = KnotSums(KERNEL.columns(X), start, end, record, RIDGE)
    for segment in range(n_segments):
        knot, found = sums.on(segment)
        assert knot.sum() == (segment % (2 * n) if segment % (2 * n) <= n else -segment % (2 * n))
        for own, stair in zip(found, (start, end), strict=True):
            np.testing.assert_allclose(own, K @ stair.knots[np.arange(n), knot], atol=1e-12)


def test_nothing_is_left_of_sums_that_were_large():
    """Rows go to knots of all sizes and back; none of the larger ones leaves its roundings."""
    n, n_segments = 12, 100
    rng = np.random.default_rng(0)
    X, sign = rng.normal(size=(n, 2)), np.ones(n)
    start, end = (hinge_staircase(sign, 10.0 ** rng.uniform(-5, 20, n)) for _ in range(2))
    record = up_and_down(n, n_segments)
    K = np.abs(KERNEL.between(X, X) + RIDGE * np.eye(n))
    sums = KnotSums(KERNEL.columns(X), start, end, record, RIDGE)
    for segment in range(n_segments):
        knot, found = sums.on(segment)
        for own, stair in zip(found, (start, end), strict=True):
            knots = stair.knots[np.arange(n), knot]
            assert np.abs(own - K @ knots).max() <= 1e-13 * (K.diagonal() @ knots)


def test_segments_must_be_asked_for_in_their_order():
    X, paths = free_records(0)
    start, end, record = max(paths, key=lambda path: len(path[2]))
    sums = KnotSums(KERNEL.columns(X), start, end, record, 0.0)
    sums.on(2)
    sums.on(2)
    for segment in (1, -1, len(record)):
        with pytest.raises(IndexError, match=f"Segment {segment} "):
            sums.on(segment)


def test_columns_of_other_rows_are_refused():
    X, ((start, end, record), *_) = free_records(0)
    with pytest.raises(ValueError, match="need as many columns"):
        KnotSums(KERNEL.columns(X[1:]), start, end, record, 0.0)


def test_a_column_that_cannot_be_computed():
    X, ((start, end, record), *_) = free_records(0)

    def fails(A, B):
        if len(B) > 8:
            raise ZeroDivisionError("no column")
        return KERNEL.between(A, B)

    with pytest.raises(ZeroDivisionError, match="no column"):
        settle_bias(Kernel("callable", function=fails), X, start, end, record)


def changes_between(record, free, knot, segment, position, initial):
    """The changes where a segment begins, as (theta, row, before, after, added), in plain steps."""
    first = record.event_count[segment - 1] if segment > 0 else 0
    last = record.event_count[segment] if segment < len(record) else record.n_events
    own = range(first, last)
    touched = {int(record.event_index[e]) for e in own}
    changes = []
    if segment > 0 and free[segment - 1]:
        for entry in range(record.offset[segment - 1], record.offset[segment]):
            row = int(record.member[entry])
            if segment < len(record) or row in touched:
                steps = unit_steps(int(at_knot(knot[entry])), int(position[row]))
                changes += [(record.theta[segment], row, *step, True) for step in steps]
    for e in own:
        row, before, after = record.event_index[e], record.event_from[e], record.event_to[e]
        changes.append((record.event_theta[e], int(row), int(before), int(after), False))
        position[row] = after
    if segment < len(record) and free[segment]:
        for entry in range(record.offset[segment], record.offset[segment + 1]):
            row = int(record.member[entry])
            if segment == 0 and row not in touched:
                initial[row] = at_knot(knot[entry])
            else:
                steps = unit_steps(int(position[row]), int(at_knot(knot[entry])))
                changes += [(record.theta[segment], row, *step, True) for step in steps]
    return changes


def without_pairs(changes):
    """Drop pairs of neighbouring changes of one row that undo each other, one of them added."""
    kept = []
    for change in changes:
        others = [k for k, other in enumerate(kept) if other[1] == change[1]]
        if others:
            _, _, before, after, added = kept[others[-1]]
            if (before, after) == (change[3], change[2]) and (added or change[4]):
                del kept[others[-1]]
                continue
        kept.append(change)
    return kept


@pytest.mark.parametrize("seed", range(8))
def test_events_without_anchors(seed):
    X, paths = free_records(seed)
    for start, end, record in paths:
        free = free_segments(record)
        sums = KnotSums(KERNEL.columns(X), start, end, record, 0.0)
        for segment in np.flatnonzero(free).tolist():
            sums.on(segment)
        knot = sums.knot_of_entry
        found = without_anchors(record, free, knot)
        position, initial = record.initial_position.copy(), record.initial_position.copy()
        expected, count = [], []
        for segment in range(len(record) + 1):
            changes = changes_between(record, free, knot, segment, position, initial)
            expected += without_pairs(changes)
            count.append(len(expected))
        np.testing.assert_array_equal(found.theta, [change[0] for change in expected])
        table = np.array([change[1:4] for change in expected]).reshape(-1, 3)
        np.testing.assert_array_equal(found.table, table)
        np.testing.assert_array_equal(found.count, count[:-1])
        np.testing.assert_array_equal(found.initial, initial)


def test_events_of_one_row_that_comes_and_goes():
    """Of an anchor that leaves for good and one that returns, only what is seen is left."""
    record = Record(
        theta=np.array([0.0, 0.25, 0.5, 1.0]),
        bias=np.zeros(3),
        bias_slope=np.zeros(3),
        offset=np.array([0, 1, 2, 3]),
        member=np.array([0, 1, 0]),
        value=np.zeros(3),
        slope=np.zeros(3),
        event_theta=np.array([0.25, 0.25, 0.5, 0.5]),
        event_index=np.array([0, 1, 1, 0]),
        event_from=np.array([2, 1, 2, 3]),
        event_to=np.array([3, 2, 3, 2]),
        event_count=np.array([0, 2, 4]),
        initial_position=np.array([2, 1]),
    )
    free = np.array([True, True, False])
    found = without_anchors(record, free, np.array([1, 1, 0]))
    # Row 0 is at its upper knot until it joins the margin for good; row 1 goes up through the
    # margin where it becomes the anchor.
    np.testing.assert_array_equal(found.initial, [3, 1])
    np.testing.assert_array_equal(found.table, [[1, 1, 2], [1, 2, 3], [0, 3, 2]])
    np.testing.assert_array_equal(found.theta, [0.25, 0.25, 0.5])
    np.testing.assert_array_equal(found.count, [0, 2, 3])
