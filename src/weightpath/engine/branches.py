"""Many paths of one problem, all from its solution, of which only the ends are wanted.

Each is followed by the native :class:`~weightpath.engine._branches.BranchRunner`, which verifies
its end. Where it cannot (the numbers do not suffice, ties, several legs), the path is followed as
any other, by :func:`~weightpath.engine.follow`. So no end is ever reported that was not verified.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._branches import BranchRunner, Harvest
from weightpath.engine._waiting_threads import rouse
from weightpath.engine.branch_goals import (
    BranchEnds,
    BranchGoals,
    Outcome,
    Until,
    Watch,
)
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.follow import follow
from weightpath.engine.trace import Options, Trace
from weightpath.engine.watch import watching
from weightpath.errors import PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import (
    is_at_knot,
    is_free,
    lower_level,
    sort_out_equal_knots,
    upper_level,
)
from weightpath.problems.scales import kappa_of
from weightpath.record import Record
from weightpath.record.bias import center_bias
from weightpath.record.state import State
from weightpath.record.status import COMPLETE

__all__ = ["Branches", "first_theta", "rouse_threads"]

# Of so few rows runners are made sooner than threads of Python come to life; and from then on
# a native thread needs nothing of Python.
_FEW_ROWS = 1000


class _End(NamedTuple):
    """One end that the native runner has left to others."""

    outcome: Outcome
    theta: float
    state: State
    n_events: int


class _Helper:
    """A function that runs in a thread of its own.

    That of :mod:`threading` would first wait for the thread to run, which takes as long as twenty
    branches.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._is_done = _thread.allocate_lock()
        self._is_done.acquire()
        self._function = function
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        try:
            self._function()
        finally:
            self._is_done.release()

    def join(self) -> None:
        """Wait until the function has returned."""
        with self._is_done:
            pass


class _InterruptedElsewhere(BaseException):
    """The caller was interrupted, and waits for this thread."""


def _join(helpers: list[_Helper], halt: Callable[[], object]) -> None:
    """Wait for all helpers; where that is interrupted let them end at once."""
    try:
        for helper in helpers:
            helper.join()
    except BaseException:
        halt()
        raise


class Branches:
    """Paths from one solved problem.

    Parameters
    ----------
    stair : Staircase
        The problem.
    state : State
        Its solution.
    make_columns : callable
        Returns columns of the kernel matrix for one thread.
    options : Options
        How paths are followed.
    absent : ndarray of bool or None, default=None
        Rows without a weight that are there only in the paths on which they move.
    """

    def __init__(
        self,
        stair: Staircase,
        state: State,
        make_columns: Callable[[], Columns],
        options: Options,
        absent: NDArray[np.bool_] | None = None,
    ) -> None:
        self.stair, self.options = stair, options
        position = sort_out_equal_knots(stair, state.position, state.residual)
        self.state = State(
            state.beta,
            state.bias,
            position,
            state.residual,
            state.margin,
            state.tolerance,
            state.n_since,
            state.peak,
        )
        self._make_columns, self._absent = make_columns, absent
        self._thread = threading.local()
        # Runners of native threads that are done.
        self._spare: list[BranchRunner] = []

    @cached_property
    def kappa(self) -> NDArray[np.float64]:
        """How far a change of each coefficient by one may move any residual."""
        return kappa_of(self._columns(), self.options.ridge)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_thread": None, "_spare": []}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._thread = threading.local()

    def follow(
        self, goals: BranchGoals, first: int, last: int, stop: Watch | None = None
    ) -> BranchEnds:
        """Follow the branches from ``first`` to before ``last``; return where they end.

        Parameters
        ----------
        goals : BranchGoals
            Where all branches go.
        first, last : int
            Which of them to follow; any number of threads may ask at once.
        stop : Watch or None, default=None
            What may end a branch early.
        """
        runner, harvest = self._runner(), Harvest(goals, first, last)
        if runner is not None:
            runner.help(goals, harvest, stop)
        ends, mended = self._brought_in(goals, first, harvest)
        if ends.outcome.all() and not mended:
            # None was lost.
            return ends
        for k in np.flatnonzero(ends.outcome == Outcome.LOST).tolist():
            mended[k] = self._lost(goals, first + k, stop)
        return self._with(ends, mended, goals, first) if mended else ends

    def follow_in_threads(
        self, goals: BranchGoals, n_threads: int, stop: Watch | None = None
    ) -> BranchEnds:
        """Follow all branches in several threads, of which this is one; return where they end.

        What is found does not depend on the threads. They are threads of their own: those of joblib
        take longer to start than many branches. Where several branches fail, the error of the first
        is raised.

        Parameters
        ----------
        goals, stop
            As in :meth:`follow`.
        n_threads : int
            How many threads.
        """
        harvest = Harvest(goals, 0, len(goals))
        self._harvest(harvest, goals, n_threads, stop)
        ends, mended = self._brought_in(goals, 0, harvest)
        if not ends.outcome.all():
            lost = np.flatnonzero(ends.outcome == Outcome.LOST).tolist()
            mended |= self._mended(goals, lost, n_threads, stop)
        return self._with(ends, mended, goals, 0) if mended else ends

    def _harvest(
        self, harvest: Harvest, goals: BranchGoals, n_threads: int, stop: Watch | None
    ) -> None:
        """Let runners in several threads bring in what they can."""
        errors: dict[int, BaseException] = {}
        started: list[BranchRunner] = []

        def work() -> None:
            at = -1
            try:
                runner = self._runner(started[0] if started else None)
                if runner is not None:
                    try:
                        runner.help(goals, harvest, stop)
                    finally:
                        at = runner.failed
            except BaseException as error:
                errors[at] = error
                # Others may fail on branches before this one; an interruption waits for none.
                if isinstance(error, Exception):
                    harvest.stop()
                else:
                    harvest.halt()

        is_native = stop is None and len(self.stair) <= _FEW_ROWS
        helpers: list[_Helper] = []
        try:
            for _ in range(n_threads - 1):
                if not is_native:
                    helpers.append(_Helper(work))
                    continue
                runner = self._spare_runner(started[0] if started else None)
                if runner is not None:
                    runner.start(goals, harvest)
                    started.append(runner)
            work()
        finally:
            harvest.stop()
            for runner in started:
                try:
                    runner.join()
                except BaseException as error:
                    errors[runner.failed] = error
            _join(helpers, harvest.halt)
        if errors:
            raise errors[min(errors)]
        self._spare += started

    def _mended(
        self, goals: BranchGoals, lost: list[int], n_threads: int, stop: Watch | None
    ) -> dict[int, _End]:
        """Follow the branches that the runners have lost, in several threads."""
        mended: dict[int, _End] = {}
        errors: dict[int, BaseException] = {}
        left, is_interrupted = iter(lost), threading.Event()

        def work() -> None:
            for k in left:
                try:
                    mended[k] = self._lost(goals, k, stop)
                except _InterruptedElsewhere:
                    return
                except BaseException as error:
                    errors[k] = error
                    if not isinstance(error, Exception):
                        is_interrupted.set()
                if errors:
                    return

        def ask(*_: object) -> None:
            if is_interrupted.is_set():
                raise _InterruptedElsewhere

        def work_elsewhere() -> None:
            with watching(ask):
                work()

        helpers = [_Helper(work_elsewhere) for _ in range(min(n_threads, len(lost)) - 1)]
        try:
            work()
        finally:
            # Nobody begins another one.
            list(left)
            _join(helpers, is_interrupted.set)
        if errors:
            raise errors[min(errors)]
        return mended

    def _brought_in(
        self, goals: BranchGoals, first: int, harvest: Harvest
    ) -> tuple[BranchEnds, dict[int, _End]]:
        """Return the ends that were brought in, and those whose bias had to be settled."""
        ends = BranchEnds.of_harvest(harvest)
        return ends, {
            k: self._settled(goals, first, ends, k, numbers) for k, *numbers in harvest.loose()
        }

    def _lost(self, goals: BranchGoals, k: int, stop: Watch | None) -> _End:
        """Follow a branch that the native runner has lost."""
        try:
            return self._followed(goals, k, stop)
        except PathError as error:
            error.add_note(f"This was path {k} of {len(goals)}.")
            raise

    def _settled(
        self, goals: BranchGoals, first: int, ends: BranchEnds, k: int, numbers: list[Any]
    ) -> _End:
        """Return an end with its bias, which is not unique, in the middle of its interval."""
        beta, bias, position, residual, tolerance = numbers
        margin = np.flatnonzero(is_free(position))
        state = State(beta, bias, position, residual, margin, tolerance)
        theta = float(ends.theta[k])
        there = self._problem_at(goals.end(self.stair, first + k), theta)
        state = center_bias(there, state, self.kappa)
        return _End(Outcome(int(ends.outcome[k])), theta, state, int(ends.n_events[k]))

    # As any other path ---------------------------------------------------------------------

    def _followed(self, goals: BranchGoals, k: int, stop: Watch | None) -> _End:
        """Follow one branch as any other path."""
        end = goals.end(self.stair, k)
        trace = self._trace(self.stair, end, self.state)
        if stop is not None:
            row, until, ask = stop(k)
            if ask is not None:
                return self._asked(end, trace, ask)
            theta = first_theta(trace.record, self.stair, row, until)
            if theta is not None:
                there = self._problem_at(end, theta)
                trace = self._trace(self.stair, there, self.state)
                return self._end(Outcome.STOPPED, theta, there, trace.state, trace.record.n_events)
        if trace.status != COMPLETE:
            theta = float(trace.record.theta[-1])
            return _End(Outcome.CAPPED, theta, trace.state, trace.record.n_events)
        return self._end(Outcome.ARRIVED, 1.0, end, trace.state, trace.record.n_events)

    def _asked(self, end: Staircase, trace: Trace, ask: Callable[..., object]) -> _End:
        """Go from breakpoint to breakpoint of a path, until a rule says that it is enough."""
        record = trace.record
        here, state = self.stair, self.state
        for theta in np.unique(np.append(0.0, record.event_theta)).tolist():
            if theta > 0.0:
                there = self._problem_at(end, theta)
                here, state = there, self._trace(here, there, state).state
            if theta < 1.0 and ask(theta, state.beta.copy(), state.bias):
                n_events = int((record.event_theta <= theta).sum())
                return self._end(Outcome.STOPPED, theta, here, state, n_events)
        outcome = Outcome.ARRIVED if trace.status == COMPLETE else Outcome.CAPPED
        return self._end(outcome, float(record.theta[-1]), end, trace.state, record.n_events)

    def _trace(self, start: Staircase, end: Staircase, state: State) -> Trace:
        return follow(self._columns(), start, end, state, self.options)

    def _end(
        self, outcome: Outcome, theta: float, there: Staircase, state: State, n_events: int
    ) -> _End:
        if outcome != Outcome.CAPPED:
            state = center_bias(there, state, self.kappa)
        return _End(outcome, theta, state, n_events)

    def _problem_at(self, end: Staircase, theta: float) -> Staircase:
        return end if theta == 1.0 else self.stair.between(end, theta)

    def _with(
        self, ends: BranchEnds, mended: dict[int, _End], goals: BranchGoals, first: int
    ) -> BranchEnds:
        """Return the ends with some of them replaced."""
        outcome, theta, bias = ends.outcome.copy(), ends.theta.copy(), ends.bias.copy()
        n_events, residual = ends.n_events.copy(), ends.residual.copy()
        rows = np.split(ends.row, ends.offset[1:-1])
        changes = np.split(ends.change, ends.offset[1:-1])
        for k, one in mended.items():
            outcome[k], theta[k], n_events[k] = one.outcome, one.theta, one.n_events
            bias[k] = one.state.bias
            rows[k] = np.flatnonzero(one.state.beta != self.state.beta)
            changes[k] = one.state.beta[rows[k]] - self.state.beta[rows[k]]
            own, begin = goals.entries(first + k), int(goals.offset[first])
            residual[own.start - begin : own.stop - begin] = one.state.residual[goals.row[own]]
        offset = np.concatenate([[0], np.cumsum([one.size for one in rows])]).astype(np.intp)
        row, change = np.concatenate(rows), np.concatenate(changes)
        return BranchEnds(outcome, theta, bias, n_events, offset, row, change, residual)

    # One thread ----------------------------------------------------------------------------

    def _columns(self) -> Columns:
        if not hasattr(self._thread, "columns"):
            self._thread.columns = self._make_columns()
        columns: Columns = self._thread.columns
        return columns

    def _runner(self, other: BranchRunner | None = None) -> BranchRunner | None:
        """Return this thread's runner; ``None`` where the margin does not allow for one.

        It is made after an ``other`` one, if there is one.
        """
        if not hasattr(self._thread, "runner"):
            self._thread.runner = self._new_runner(self._columns(), other)
        found: BranchRunner | None = self._thread.runner
        return found

    def _spare_runner(self, other: BranchRunner | None) -> BranchRunner | None:
        """Return a runner for a native thread, as :meth:`_runner` makes that of this one."""
        try:
            return self._spare.pop()
        except IndexError:
            return self._new_runner(self._make_columns(), other)

    def _new_runner(
        self, columns: Columns, other: BranchRunner | None = None
    ) -> BranchRunner | None:
        """Return a runner with columns of its own, for whichever thread."""
        columns = columns.long_form()
        try:
            if other is not None:
                return other.twin(columns)
            runner = BranchRunner(columns, self.stair, self.state, self.options.ridge, self._absent)
        except (ValueError, IndefiniteMarginError):
            return None
        runner.limit_events(self.options.max_events)
        return runner


def rouse_threads(n_rows: int, n_threads: int) -> None:
    """Let threads wake up, of which this is one, before they are asked for branches.

    Parameters
    ----------
    n_rows : int
        The rows of the problem whose branches will be followed.
    n_threads : int
        How many threads will follow them.
    """
    if n_threads > 1 and n_rows <= _FEW_ROWS:
        rouse(n_threads - 1)


def first_theta(record: Record, stair: Staircase, row: int, until: Until) -> float | None:
    """Return where a row of a recorded path is first where it is waited for; ``None`` if never.

    Parameters
    ----------
    record : Record
        The record of the path.
    stair : Staircase
        The problem that it begins at.
    row : int
        The row.
    until : Until
        Where it is waited for.
    """
    own = record.event_index == row
    position = np.append(record.initial_position[row], record.event_to[own])
    if until == Until.AT_CHANGE:
        there = np.arange(position.size) > 0
    elif until == Until.ON_MARGIN:
        there = is_free(position)
    else:
        low, high = (stair.levels[row][at(position)] for at in (lower_level, upper_level))
        there = is_at_knot(position) & (np.isinf(low) | np.isinf(high))
    theta = np.append(0.0, record.event_theta[own])[there]
    return float(theta[0]) if theta.size and theta[0] < 1.0 else None
