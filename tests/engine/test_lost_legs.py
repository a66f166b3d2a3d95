"""Legs on which rounding wins, and what becomes of them."""

import importlib
from itertools import pairwise

import numpy as np
import pytest

from engine.test_moving_targets import CASES, moving_margins
from engine.walks import Leg, columns_of, walk
from weightpath import InfeasiblePathError, PathError
from weightpath.engine import bridge, solve
from weightpath.engine.bridge import followed_back, straight_line, straight_lines
from weightpath.engine.growth import grown_start
from weightpath.engine.leg import LegEnd
from weightpath.engine.trace import Options, Trace
from weightpath.problems import Staircase
from weightpath.record.status import COMPLETE

solving = importlib.import_module("weightpath.engine.solve")


def tubes(y, bound, *widths) -> list[Staircase]:
    """Regression with bounds, one problem for each width of the tube."""
    n = len(y)
    knots = np.column_stack([-bound * np.ones(n), np.zeros(n), bound * np.ones(n)])
    far = np.full(n, np.inf)
    return [
        Staircase(y, knots, np.column_stack([-far, np.full(n, -w), np.full(n, w), far]))
        for w in widths
    ]


def gaussian(n=40, gamma=0.3, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return np.exp(-gamma * distance), np.sin(X[:, 0]) + rng.normal(0.0, 0.2, n)


def test_an_error_names_the_theta_of_the_path():
    """The bounds of a path in many legs cannot carry their sum from some theta on."""
    K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    high, low = 1e3, 1e-3
    levels = np.array([[-np.inf, 0.0, np.inf]] * 3)
    start, end = (
        Staircase(np.ones(3), np.array([[0.0, bound]] * 3), levels, 1.0) for bound in (high, low)
    )
    with pytest.raises(InfeasiblePathError) as caught:
        walk(K, [start, end])
    there = (high - 1.0 / 3.0) / (high - low)
    assert caught.value.theta == pytest.approx(there, abs=1e-9)
    assert f"theta = {there:.6g}" in caught.value.message


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 0.1])
def test_a_ridge_does_not_make_ends_look_wrong(ridge):
    K, y = gaussian(150)
    for leg in walk(K, tubes(y, 4.0, 0.5, 0.05, 0.5), Options(ridge=ridge)):
        assert "followed again" not in leg.trace.counts
        assert "repairs" not in leg.trace.counts


def test_segments_end_where_the_next_begin():
    """Slopes of 1e8: a rounded theta must not move a coefficient off its line."""
    case = CASES["rbf0.01-unbalanced-C"](seed=4)
    for leg in walk(case.K, moving_margins(case, np.random.default_rng(4))):
        record = leg.trace.record
        length = record.lengths()
        for s, after in pairwise(range(len(record))):
            here, there = (slice(*record.offset[k : k + 2]) for k in (s, after))
            _, mine, others = np.intersect1d(
                record.member[here], record.member[there], return_indices=True
            )
            value, slope = record.value[here][mine], record.slope[here][mine]
            found = record.value[there][others]
            # Where several rows are exchanged coefficients jump.
            if record.event_count[after] - record.event_count[s] == 1:
                error = np.abs(value + length[s] * slope - found).max(initial=0.0)
                assert error <= 1e-14 * np.abs(record.value).max()


def test_a_leg_followed_from_its_end():
    K, y = gaussian()
    columns, (start, end) = columns_of(K), tubes(y, 3.0, 0.3, 0.1)
    forward = walk(K, [start, end])[0]
    record = followed_back(columns, start, end, forward.trace.state, Options())
    record.validate()
    assert record.theta == pytest.approx(forward.trace.record.theta, abs=1e-9)
    assert np.array_equal(record.initial_position, forward.trace.record.initial_position)


def walked(K, start, end, before, after, record) -> Leg:
    """Return a leg with this record."""
    return Leg(K, start, end, before, Trace(record, after, COMPLETE, {}))


def test_a_straight_line_between_two_solutions():
    K, y = gaussian()
    columns, (start, end) = columns_of(K), tubes(y, 3.0, 0.3, 0.1)
    before, after = (solve(columns, stair) for stair in (start, end))
    record = straight_line(before, after, start, end)
    record.validate()
    assert (before.position != after.position).any()
    part = walked(K, start, end, before, after, record).part
    for theta in (0.0, 0.25, 1.0):
        beta = (1.0 - theta) * before.beta + theta * after.beta
        assert part.beta(theta) == pytest.approx(beta, abs=1e-14)
        assert part.bias(theta) == pytest.approx(
            (1.0 - theta) * before.bias + theta * after.bias, abs=1e-14
        )


def test_a_straight_line_on_which_rows_meet_knots():
    """Between opposite targets, and bounds that differ, coefficients go through zero."""
    K, y = gaussian()
    columns, start, end = columns_of(K), tubes(y, 0.5, 0.1)[0], tubes(-y, 1.5, 0.1)[0]
    before, after = (solve(columns, stair) for stair in (start, end))
    record = straight_line(before, after, start, end)
    record.validate()
    assert record.n_events > 20
    part = walked(K, start, end, before, after, record).part
    for theta in np.linspace(0.0, 1.0, 41):
        beta = (1.0 - theta) * before.beta + theta * after.beta
        assert part.beta(theta) == pytest.approx(beta, abs=1e-14)
    for theta, row in zip(record.event_theta, record.event_index, strict=True):
        assert part.beta(theta)[row] == pytest.approx(0.0, abs=1e-15)


def test_a_line_is_no_longer_than_where_a_leg_gets_lost(monkeypatch):
    K, y = gaussian()
    columns, (start, end) = columns_of(K), tubes(y, 3.0, 0.3, 0.1)
    before, after = (solve(columns, stair) for stair in (start, end))
    follow = bridge._followed

    def lost(columns, here, there, *more):
        widths = sorted(stair.levels[0, 2] for stair in (here, there))
        return None if widths[0] < 0.17 < widths[1] else follow(columns, here, there, *more)

    monkeypatch.setattr(bridge, "_followed", lost)
    record = straight_lines(columns, start, end, before, after, Options())
    record.validate()
    forward, part = walk(K, [start, end])[0].part, walked(K, start, end, before, after, record).part
    for theta in (*np.linspace(0.0, 1.0, 21), 0.65 - 1e-6, 0.65 + 1e-6):
        assert part.beta(theta) == pytest.approx(forward.beta(theta), abs=1e-6)


def test_bounds_that_grow():
    """The end of their path is the solution: no further event is needed."""
    K, y = gaussian()
    columns, (stair,) = columns_of(K), tubes(y, 1e4, 0.05)

    def attempt(there, state):
        start = {} if state is None else {"beta": state.beta, "bias": state.bias}
        return LegEnd(solve(columns, there, **start), 0.0, 0.0, there.residual_scale)

    found = grown_start(columns, stair, Options(), attempt)
    direct = solve(columns, stair)
    assert K @ found.beta == pytest.approx(K @ direct.beta, abs=1e-9)
    assert found.bias == pytest.approx(direct.bias, abs=1e-9)
    # Bounds that are hardly felt have nothing to grow from, and no bounds do not grow.
    assert grown_start(columns, tubes(y, 1e-3, 0.05)[0], Options(), attempt) is None


def test_a_solution_that_rounding_keeps_away(monkeypatch):
    """The error does not speak of an infinite violation."""
    K, y = gaussian()
    columns, (stair,) = columns_of(K), tubes(y, 3.0, 0.05)
    state = solve(columns, stair)
    monkeypatch.setattr(solving, "_attempt", lambda *_: LegEnd(state, np.inf, 0.0))
    with pytest.raises(PathError, match="rounding errors grew too large on every way to it") as e:
        solve(columns, stair)
    assert "inf" not in str(e.value)
    assert "ridge" in str(e.value)
