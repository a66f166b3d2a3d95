"""Limits and interruptions: the event cap, callbacks, the ridge, saved problems, memory."""

import numpy as np
import pytest

from engine.walks import Leg, columns_of, target_scale, walk
from judges.cases import CASES
from judges.optimality import violation
from weightpath.datasets import make_toy
from weightpath.engine import (
    COMPLETE,
    STOPPED_AT_CAP,
    Options,
    SavedProblem,
    follow,
    load_problem,
    solve,
)
from weightpath.errors import PathError
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase

KERNEL = Kernel("rbf", gamma=0.5)


class Toy:
    """A path of some six hundred events."""

    def __init__(self, kernel=KERNEL, n=800):
        toy = make_toy(n, random_state=0)
        self.X, self.y = toy.X, toy.y
        self.columns = kernel.columns(toy.X, 20.0)
        self.start = hinge_staircase(toy.y, toy.C_old)
        self.end = hinge_staircase(toy.y, toy.C_new)

    def solve(self):
        return solve(self.columns, self.start)

    def follow(self, state, **options):
        return follow(self.columns, self.start, self.end, state, Options(**options))


@pytest.fixture(scope="module")
def toy():
    return Toy()


@pytest.fixture(scope="module")
def state(toy):
    return toy.solve()


@pytest.fixture(scope="module")
def whole(toy, state):
    return toy.follow(state)


@pytest.mark.parametrize("cap", [1, 10, 300])
def test_event_cap_leaves_the_first_part_of_the_path(toy, state, whole, cap):
    trace = toy.follow(state, max_events=cap)
    assert trace.status == STOPPED_AT_CAP and "max_events" in trace.status.message
    record = trace.record
    record.validate()
    assert record.n_events == cap
    assert record.theta[-1] < 1.0
    assert np.array_equal(record.event_index, whole.record.event_index[:cap])
    assert record.event_theta == pytest.approx(whole.record.event_theta[:cap], abs=1e-12)
    # The state is the exact solution where the path stopped, and the path can go on from there.
    here = toy.start.between(toy.end, record.theta[-1])
    K = KERNEL.between(toy.X, toy.X)
    assert violation(K, here, trace.state.beta, trace.state.bias).worst <= 1e-10
    rest = follow(toy.columns, here, toy.end, trace.state)
    assert rest.record.n_events == whole.record.n_events - cap
    assert rest.state.beta == pytest.approx(whole.state.beta, abs=1e-8)


def test_cap_that_is_large_enough_does_not_show(toy, state, whole):
    trace = toy.follow(state, max_events=whole.record.n_events + 1)
    assert trace.status == COMPLETE and trace.record.theta[-1] == 1.0


def test_cap_over_several_legs_counts_all_of_them():
    case = CASES["rbf1-balanced-C"](seed=0)
    legs = walk(case.K, case.staircases(), Options(max_events=100_000))
    n_events = legs[0].trace.record.n_events
    columns = columns_of(case.K)
    capped = follow(columns, *case.staircases(), legs[0].before, Options(max_events=n_events - 5))
    assert capped.status == STOPPED_AT_CAP
    assert capped.record.n_events == n_events - 5


def test_cap_of_zero_stops_at_the_first_event(toy, state):
    whole = toy.follow(state)
    stopped = toy.follow(state, max_events=0)
    assert stopped.status == STOPPED_AT_CAP and stopped.record.n_events == 0
    assert stopped.record.theta[-1] == pytest.approx(whole.record.event_theta[0], rel=1e-12)


def test_cap_of_just_enough_does_not_stop(toy, state):
    whole = toy.follow(state)
    again = toy.follow(state, max_events=whole.record.n_events)
    assert again.status == COMPLETE and again.record.n_events == whole.record.n_events


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_cap_never_makes_solve_return_something_else(cap):
    case = CASES["rbf1-balanced-W"](seed=0)
    stair = case.staircases()[0]
    try:
        state = solve(columns_of(case.K), stair, options=Options(max_events=cap))
    except PathError as refusal:
        state, message = None, str(refusal)
    if state is None:
        assert "max_events" in message
    else:
        assert violation(case.K, stair, state.beta, state.bias).worst <= 1e-10


def test_callback_sees_the_progress(toy, state, whole):
    seen = []
    trace = toy.follow(state, callback=lambda *progress: seen.append(progress))
    assert seen, "a path of this length must report at least once"
    theta, events, size = (np.array(column) for column in zip(*seen, strict=True))
    assert (theta > 0.0).all() and (theta < 1.0).all() and (np.diff(theta) >= 0).all()
    assert (events > 0).all() and (events < trace.record.n_events).all()
    assert (size >= 1).all()
    assert np.array_equal(trace.state.beta, whole.state.beta)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_error_in_the_callback_comes_through_and_harms_nothing(toy, state, whole, error):
    def interrupt(*progress):
        raise error("stop here")

    with pytest.raises(error, match="stop here"):
        toy.follow(state, callback=interrupt)
    again = toy.follow(state)
    assert np.array_equal(again.state.beta, whole.state.beta)
    assert again.record.n_events == whole.record.n_events


@pytest.mark.parametrize("ridge", [1e-6, 0.1])
@pytest.mark.parametrize("name", ["linear5-balanced-W", "grid-rbf-Z", "alldup-integer"])
def test_ridge_is_a_larger_diagonal(name, ridge):
    case = CASES[name](seed=0)
    K = case.K + ridge * np.eye(len(case.K))
    visited = case.staircases()
    ours = walk(case.K, visited, Options(ridge=ridge))
    plain = walk(K, visited)
    for leg, same in zip(ours, plain, strict=True):
        there = Leg(K, leg.start, leg.end, leg.before, leg.trace)
        assert there.worst_violation() <= 1e-10
        for theta in (0.0, 0.35, 1.0):
            # With a ridge K is positive definite: the coefficients are unique.
            assert leg.part.beta(theta) == pytest.approx(same.part.beta(theta), abs=1e-10 / ridge)


def test_saved_problem_round_trip(tmp_path):
    case = CASES["onehot-Z"](seed=0)
    start, end = case.staircases()[:2]
    columns = columns_of(case.K)
    before = solve(columns, start, options=Options(ridge=1e-3))
    saved = SavedProblem.of(columns, start, end, before, Options(ridge=1e-3))
    saved.save(tmp_path / "problem.npz")
    loaded = load_problem(tmp_path / "problem.npz")
    assert np.array_equal(loaded.kernel_matrix, case.K)
    assert loaded.ridge == 1e-3 and loaded.bias == before.bias
    assert np.array_equal(loaded.beta, before.beta)
    for ours, theirs in ((start, loaded.start), (end, loaded.end)):
        for name in ("target", "knots", "levels", "total", "has_bias"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    options = Options(ridge=loaded.ridge)
    state = solve(loaded.columns, loaded.start, loaded.beta, loaded.bias, options)
    assert state.beta == pytest.approx(before.beta, abs=1e-9)
    trace = follow(loaded.columns, loaded.start, loaded.end, state, options)
    same = follow(columns, start, end, before, options)
    assert trace.state.beta == pytest.approx(same.state.beta, abs=1e-9)


def test_unknown_format_is_refused(tmp_path):
    case = CASES["tiny-linear"](seed=0)
    start, end = case.staircases()[:2]
    SavedProblem.of(columns_of(case.K), start, end, None, Options()).save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as data:
        np.savez(tmp_path / "b.npz", **{**data, "format": 99})
    with pytest.raises(ValueError, match="format 99"):
        load_problem(tmp_path / "b.npz")


def test_record_grows_with_the_margins_only(whole):
    record = whole.record
    n_entries = record.member.size
    assert n_entries == np.diff(record.offset).sum()
    n_bytes = sum(array.nbytes for array in record.to_arrays().values())
    # Three numbers for each margin entry, four for each event, seven for each segment.
    numbers = 3 * n_entries + 4 * record.n_events + 7 * (len(record) + 1) + record.n_rows
    assert n_bytes <= 8 * numbers
    assert n_bytes < 8 * record.n_rows * len(record) / 10, "far less than all coefficients"


class Fragile:
    """The Gaussian kernel as a Python function that fails after some calls."""

    def __init__(self):
        self.calls_left = None

    def __call__(self, A, B):
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                raise OSError("the kernel is out of order")
        return KERNEL.between(A, B)


def test_error_of_a_kernel_comes_through_and_the_engine_goes_on(whole):
    fragile = Fragile()
    toy = Toy(Kernel("callable", function=fragile), n=200)
    before = toy.solve()
    # Enough to begin the path, not enough to end it.
    fresh = Toy(Kernel("callable", function=fragile), n=200)
    fragile.calls_left = 8
    with pytest.raises(OSError, match="out of order"):
        fresh.follow(before)
    fragile.calls_left = None
    trace = fresh.follow(before)
    assert trace.status == COMPLETE
    K = KERNEL.between(toy.X, toy.X)
    leg = Leg(K, toy.start, toy.end, before, trace)
    assert leg.worst_violation() <= 1e-9 * target_scale(toy.start)
    fragile.calls_left = 0
    with pytest.raises(OSError, match="out of order"):
        Toy(Kernel("callable", function=fragile), n=40)
