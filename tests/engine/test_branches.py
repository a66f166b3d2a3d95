"""Many paths from one solution end where single paths end, whatever came before them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from weightpath.engine import Options, follow, solve
from weightpath.engine._branches import BranchRunner
from weightpath.engine.branch_goals import BranchGoals, Outcome, Until
from weightpath.engine.branches import Branches
from weightpath.kernels import Kernel
from weightpath.problems import (
    hinge_staircase,
    one_class_staircase,
    pinball_staircase,
    tube_staircase,
)

N = 40


def problems():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    weight = rng.uniform(0.2, 2.0, N) * (np.arange(N) % 7 > 0)
    y = X[:, 0] + rng.normal(size=N)
    merged = np.arange(N) % 2 == 0
    yield "hinge", X, lambda w, y: hinge_staircase(np.sign(y), w), weight, y
    yield "one class", X, lambda w, y: one_class_staircase(w, 0.3), weight, y
    yield "pinball", X, lambda w, y: pinball_staircase(y, w, np.full(N, 0.3)), weight, y
    yield (
        "tube",
        X,
        lambda w, y: tube_staircase(y, w, np.where(merged, 0.0, 0.2), merged),
        weight,
        y,
    )


PROBLEMS = pytest.mark.parametrize(
    ("name", "X", "staircase", "weight", "y"), list(problems()), ids=lambda value: str(value)[:9]
)


def goals_of(start, ends):
    """Where branches go that lead from one staircase to others."""
    rows = [
        np.flatnonzero(
            (start.knots != end.knots).any(axis=1)
            | (start.levels != end.levels).any(axis=1)
            | (start.target != end.target)
        )
        for end in ends
    ]
    pick = [np.concatenate([getattr(end, name)[row] for end, row in zip(ends, rows, strict=True)])
            for name in ("knots", "target", "levels")]  # fmt: skip
    targets = any((start.target != end.target).any() for end in ends)
    levels = any((start.levels != end.levels).any() for end in ends)
    return BranchGoals(
        np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype(np.intp),
        np.concatenate(rows).astype(np.intp),
        np.ascontiguousarray(pick[0]),
        np.array([end.total for end in ends]),
        pick[1] if targets else None,
        np.ascontiguousarray(pick[2]) if levels else None,
    )


def changed_weights(weight, rng):
    """Removals of one and of many, single changes, changes of all, and a row that comes back."""
    for i in range(0, N, 3):
        yield np.where(np.arange(N) == i, 0.0, weight)
        yield np.where(np.arange(N) == i, weight * rng.uniform(0.3, 3.0) + 0.1 * (i % 2), weight)
    yield np.where(np.arange(N) < 5, 0.0, weight)
    yield np.where(np.arange(N) % 3 == 0, 0.0, weight)
    yield weight * rng.uniform(0.5, 2.0, N)
    yield weight.copy()


def assert_ends_like_paths(columns, stair, state, ends, options):
    branches = Branches(stair, state, lambda: columns, options)
    goals = goals_of(stair, ends)
    runner = BranchRunner(columns, stair, branches.state, options.ridge)
    arrays, _ = runner.follow(goals, 0, len(ends))
    assert (arrays["outcome"] == Outcome.ARRIVED).all()
    found = branches.follow(goals, 0, len(ends))
    for k, end in enumerate(ends):
        expected = follow(columns, stair, end, state, options).state
        own = slice(found.offset[k], found.offset[k + 1])
        beta = state.beta.copy()
        beta[found.row[own]] += found.change[own]
        np.testing.assert_allclose(beta, expected.beta, rtol=0, atol=1e-9)
        rows, entries = goals.row[goals.entries(k)], goals.entries(k)
        if (arrays["bias"] == found.bias)[k]:
            # Elsewhere the bias is put into the middle of its interval.
            assert abs(found.bias[k] - expected.bias) < 1e-10
            np.testing.assert_allclose(
                found.residual[entries], expected.residual[rows], rtol=0, atol=1e-10
            )
    # One by one, from the last to the first: nothing is left over from what came before.
    for k in reversed(range(len(ends))):
        alone = branches.follow(goals, k, k + 1)
        own = slice(found.offset[k], found.offset[k + 1])
        np.testing.assert_array_equal(alone.row, found.row[own])
        np.testing.assert_array_equal(alone.change, found.change[own])
        np.testing.assert_array_equal(alone.residual, found.residual[goals.entries(k)])
        assert (alone.bias[0], alone.n_events[0]) == (found.bias[k], found.n_events[k])


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@PROBLEMS
def test_weights(name, X, staircase, weight, y, ridge):
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair, options = staircase(weight, y), Options(ridge=ridge)
    state = solve(columns, stair, options=options)
    ends = [staircase(w, y) for w in changed_weights(weight, np.random.default_rng(1))]
    assert_ends_like_paths(columns, stair, state, ends, options)


@PROBLEMS
def test_targets(name, X, staircase, weight, y):
    if name in ("hinge", "one class"):
        pytest.skip("it has no targets to move")
    columns, rng = Kernel("rbf", gamma=0.5).columns(X), np.random.default_rng(2)
    stair, options = staircase(weight, y), Options()
    state = solve(columns, stair, options=options)
    ends = [staircase(weight, np.where(np.arange(N) == i, y + rng.normal(), y)) for i in range(9)]
    ends += [staircase(weight, y + rng.normal(size=N)), staircase(weight * 1.5, 1.2 * y)]
    assert_ends_like_paths(columns, stair, state, ends, options)


def test_levels():
    _, X, _, weight, y = list(problems())[-1]
    columns, rng = Kernel("rbf", gamma=0.5).columns(X), np.random.default_rng(3)
    epsilon = rng.uniform(0.1, 0.5, N)
    stair = tube_staircase(y, weight, epsilon)
    state = solve(columns, stair)
    ends = [tube_staircase(y, weight, epsilon * rng.uniform(0.5, 1.5, N)) for _ in range(5)]
    ends.append(tube_staircase(y + 0.1, weight * 1.1, np.where(np.arange(N) < 3, 0.6, epsilon)))
    assert_ends_like_paths(columns, stair, state, ends, Options())


def large_margin():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 20))
    sign = np.where(X[:, 0] + 0.5 * rng.normal(size=300) > 0, 1.0, -1.0)
    return X, sign, rng


def test_large_margin_whose_factor_comes_back():
    X, sign, rng = large_margin()
    weight = rng.uniform(0.5, 1.5, 300)
    columns = Kernel("rbf", gamma=0.05).columns(X)
    stair = hinge_staircase(sign, weight)
    state = solve(columns, stair)
    assert state.margin.size > 64
    ends = []
    for i in range(0, 300, 20):
        w = weight.copy()
        w[i : i + 3] *= rng.uniform(0.0, 2.0, 3)
        ends.append(hinge_staircase(sign, w))
    ends += [hinge_staircase(sign, np.delete(np.append(weight, 1.0), 0) * 1.01)]
    assert_ends_like_paths(columns, stair, state, ends, Options())


def test_lost_branches_are_followed_as_any_other_path():
    _, X, staircase, weight, y = next(problems())
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair, options = staircase(weight, y), Options()
    state = solve(columns, stair)
    # Over several orders of magnitude: more than one leg.
    ends = [staircase(weight * 1e4, y), staircase(weight * np.where(np.arange(N) == 1, 2, 1), y)]
    goals = goals_of(stair, ends)
    runner = BranchRunner(columns, stair, state)
    arrays, _ = runner.follow(goals, 0, 2)
    assert arrays["outcome"].tolist() == [Outcome.LOST, Outcome.ARRIVED]
    found = Branches(stair, state, lambda: columns, options).follow(goals, 0, 2)
    assert found.outcome.tolist() == [Outcome.ARRIVED, Outcome.ARRIVED]
    expected = follow(columns, stair, ends[0], state).state
    beta = state.beta.copy()
    beta[found.row[: found.offset[1]]] += found.change[: found.offset[1]]
    np.testing.assert_allclose(beta, expected.beta, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["weights", "targets", "levels"])
def test_twin_of_a_runner(kind):
    """It ends where the other one does, to the last bit, and has its limits and its absent rows."""
    _, X, _, weight, y = list(problems())[-1]
    columns, rng = Kernel("rbf", gamma=0.5).columns(X), np.random.default_rng(6)
    epsilon, absent = np.full(N, 0.2), weight == 0
    stair = tube_staircase(y, weight, epsilon)
    options = Options(ridge=0.1)
    state = solve(columns, stair, options=options)
    state = Branches(stair, state, lambda: columns, options).state
    w, t, e = (np.repeat(own[None], 12, axis=0) for own in (weight, y, epsilon))
    changed = {"weights": w, "targets": t, "levels": e}[kind]
    changed *= rng.uniform(0.6, 1.6, (12, N))
    ends = [tube_staircase(*own) for own in zip(t, w, e, strict=True)]
    goals = goals_of(stair, ends)
    runner = BranchRunner(columns, stair, state, 0.1, absent)
    runner.limit_events(6)
    expected, _ = runner.follow(goals, 0, 12)
    twin = runner.twin(Kernel("rbf", gamma=0.5).columns(X))
    # What the first one does meanwhile is nothing to the other, nor that it is gone.
    runner.follow(goals, 3, 7)
    for one in (twin, twin.twin(columns), runner):
        runner = None
        found, _ = one.follow(goals, 0, 12)
        assert found.keys() == expected.keys()
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values)
    some = {Outcome.ARRIVED} if kind == "levels" else {Outcome.ARRIVED, Outcome.LOST}
    assert set(expected["outcome"].tolist()) == some


@pytest.mark.parametrize("read", [False, True])
def test_ends_that_are_sent_before_or_after_they_are_read(read):
    _, X, staircase, weight, y = next(problems())
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair = staircase(weight, y)
    branches = Branches(stair, solve(columns, stair), lambda: columns, Options())
    goals = goals_of(stair, [staircase(w, y) for w in changed_weights(weight, np.random)])
    ends, others = (branches.follow(goals, 0, len(goals)) for _ in range(2))
    if read:
        assert ends.row.size == ends.change.size == ends.offset[-1]
    sent = pickle.loads(pickle.dumps(ends))
    for name in ends.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(sent, name), getattr(others, name))
    with pytest.raises(AttributeError, match="no attribute 'rows'"):
        _ = sent.rows


def test_events_are_limited():
    _, X, staircase, weight, y = next(problems())
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair = staircase(weight, y)
    state = solve(columns, stair)
    goals = goals_of(stair, [staircase(weight * np.linspace(0.2, 3.0, N), y)])
    found = Branches(stair, state, lambda: columns, Options(max_events=2)).follow(goals, 0, 1)
    assert found.outcome[0] == Outcome.CAPPED
    assert 0.0 < found.theta[0] < 1.0


def test_dependent_margin_has_no_runner():
    X = np.zeros((4, 1))
    stair = hinge_staircase(np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4))
    columns = Kernel("linear").columns(X)
    state = solve(columns, stair)
    free = type(state)(
        np.full(4, 0.5) * np.array([1, 1, -1, -1]),
        0.0,
        np.full(4, 2, dtype=np.int32),
        np.zeros(4),
        np.arange(4),
    )
    with pytest.raises(ValueError, match="depends on itself"):
        BranchRunner(columns, stair, free)
    goals = goals_of(stair, [hinge_staircase(np.array([1.0, 1.0, -1.0, -1.0]), [1, 2, 2, 1.0])])
    found = Branches(stair, free, lambda: columns, Options()).follow(goals, 0, 1)
    assert found.outcome[0] == Outcome.ARRIVED


# Rules that stop a branch ------------------------------------------------------------------------


def stopped_theta(columns, stair, end, state, row, until):
    """Where a recorded path would be stopped, judged by its events."""
    record = follow(columns, stair, end, state).record
    events = zip(record.event_index, record.event_to, record.event_theta, strict=True)
    positions = [(record.initial_position[row], 0.0)]
    positions += [(to, theta) for index, to, theta in events if index == row]
    for k, (position, theta) in enumerate(positions):
        at_knot, beside = position % 2 == 1, [position // 2, (position + 1) // 2]
        there = {
            Until.AT_BOUND: at_knot and np.isinf(stair.levels[row, beside]).any(),
            Until.ON_MARGIN: not at_knot,
            Until.AT_CHANGE: k > 0,
        }
        if there[until]:
            return theta
    return 1.0


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("until", [Until.AT_BOUND, Until.ON_MARGIN, Until.AT_CHANGE])
@PROBLEMS
def test_stops_where_a_row_arrives(name, X, staircase, weight, y, until, native):
    columns = Kernel("rbf", gamma=0.5).columns(X)
    weight = np.maximum(weight, 0.1)
    stair = staircase(weight, y)
    state = solve(columns, stair)
    end = staircase(weight * np.random.default_rng(5).uniform(0.3, 3.0, N), y)
    goals = goals_of(stair, [end] * N)
    branches = Branches(stair, state, lambda: columns, Options())
    if not native:
        branches._thread.runner = None
    found = branches.follow(goals, 0, N, lambda k: (k, until, None))
    for k in range(N):
        expected = stopped_theta(columns, stair, end, state, k, until)
        assert abs(found.theta[k] - expected) < 1e-9
        assert found.outcome[k] == (Outcome.ARRIVED if expected == 1.0 else Outcome.STOPPED)
        there = end if expected == 1.0 else stair.between(end, expected)
        beta = state.beta.copy()
        beta[found.row[found.offset[k] : found.offset[k + 1]]] += found.change[
            found.offset[k] : found.offset[k + 1]
        ]
        solution = solve(columns, there)
        response = columns.product(beta) - columns.product(solution.beta)
        assert np.abs(response - response.mean()).max() < 1e-7


@pytest.mark.parametrize("native", [True, False])
def test_stops_where_a_function_says(native):
    _, X, staircase, weight, y = next(problems())
    columns = Kernel("rbf", gamma=0.5).columns(X)
    stair = staircase(weight, y)
    state = solve(columns, stair)
    goals = goals_of(stair, [staircase(weight * np.linspace(0.3, 3.0, N), y)])
    branches = Branches(stair, state, lambda: columns, Options())
    if not native:
        branches._thread.runner = None
    seen = []

    def ask(theta, beta, bias):
        seen.append((theta, beta, bias))
        return theta > 0.4

    found = branches.follow(goals, 0, 1, lambda k: (0, Until.NOWHERE, ask))
    assert found.outcome[0] == Outcome.STOPPED
    assert found.theta[0] == seen[-1][0] > 0.4
    assert all(theta <= 0.4 for theta, _, _ in seen[:-1])
    assert seen[0][0] == 0.0
    assert abs(seen[-1][2] - found.bias[0]) < 1e-10
    assert found.n_events[0] >= len(seen) - 1 - (not native)

    def fails(theta, beta, bias):
        raise KeyError("no answer")

    with pytest.raises(KeyError, match="no answer"):
        branches.follow(goals, 0, 1, lambda k: (0, Until.NOWHERE, fails))
    again = branches.follow(goals, 0, 1, lambda k: (0, Until.NOWHERE, ask))
    np.testing.assert_array_equal(again.change, found.change)


def test_absent_rows_are_not_met():
    _, X, staircase, weight, y = next(problems())
    columns = Kernel("rbf", gamma=0.5).columns(X)
    absent = np.arange(N) >= N - 6
    weight = np.where(absent, 0.0, weight)
    stair = staircase(weight, y)
    state = solve(columns, stair)
    ends = [staircase(np.where(np.arange(N) == i, 1.0, weight), y) for i in range(N - 6, N)]
    goals = goals_of(stair, ends)
    plain = Branches(stair, state, lambda: columns, Options()).follow(goals, 0, 6)
    found = Branches(stair, state, lambda: columns, Options(), absent).follow(goals, 0, 6)
    np.testing.assert_array_equal(found.row, plain.row)
    np.testing.assert_allclose(found.change, plain.change, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.residual, plain.residual, rtol=0, atol=1e-11)
    assert (found.n_events <= plain.n_events).all()
