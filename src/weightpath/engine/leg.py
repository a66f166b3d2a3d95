"""One leg of a path: run the loop along it and keep what it records."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine._loop import Loop
from weightpath.engine.definiteness import check_psd, is_indefinite, not_psd
from weightpath.engine.kept_loop import KeptLoop
from weightpath.engine.line_product import LineProduct
from weightpath.engine.results import Result
from weightpath.engine.saving import SavedProblem
from weightpath.engine.sharpen import is_rough
from weightpath.engine.start import residual_of, state_of
from weightpath.engine.trace import Counts, Options, add_counts
from weightpath.engine.watch import EarlyEnd, Report
from weightpath.errors import InfeasiblePathError, PathError, UnboundedPathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record import Record
from weightpath.record.state import State
from weightpath.record.status import STOPPED_AT_CAP, STOPPED_ON_REQUEST, Status

__all__ = ["MOST_EVENTS", "SMALL_MARGIN", "LegEnd", "LegRunner", "resume"]

# Events after which a single problem is given up.
MOST_EVENTS = 10_000_000

# With at most so many rows all residuals are computed afresh after so many events, or as many as
# there are rows: a product with the kernel matrix is cheap beside those events.
_FRESH_ROWS, _FRESH_EVERY = 5000, 1000

# Margins of up to so many members are factored afresh for each path, which costs next to nothing.
# Then a path does not depend, not even by rounding, on how its start was reached.
SMALL_MARGIN = 64

# Sums of bounds that are closer to the total of the coefficients may equal it.
_SUM_ROUNDING = 1e-12

_EARLY_ENDS = {Result.CAP: STOPPED_AT_CAP, Result.REQUEST: STOPPED_ON_REQUEST}

_ERRORS = {Result.INFEASIBLE: InfeasiblePathError, Result.UNBOUNDED: UnboundedPathError}


class LegEnd(NamedTuple):
    """Where a leg ended.

    Attributes
    ----------
    state : State
        The state there.
    violation, tolerance : float
        How far it is from a solution, and how far it may be.
    scale : float
        What is large there: the largest target or level; without any, the largest value.
    stopped : Status or None
        Why the leg ended before its end; ``None`` if it did not.
    """

    state: State
    violation: float
    tolerance: float
    scale: float = 0.0
    stopped: Status | None = None


def resume(
    columns: Columns,
    start: Staircase,
    end: Staircase,
    state: State,
    options: Options,
    product: LineProduct | None = None,
) -> Loop:
    """Return a loop that goes on from an exact state, with the margin that was kept there.

    ``product`` is what the legs of a path share, if there are several.
    """
    loop, moved = _kept_loop(columns, state, options), 0
    if loop is not None and len(state.margin) > SMALL_MARGIN:
        loop.go_on(start, end, state.position, state.beta, state.bias)
    else:
        loop = loop or Loop(columns, start.has_bias, options.ridge)
        moved = loop.reset(start, end, state.position, state.beta, state.bias, state.margin)
    try:
        residual, carried = state.residual, (state.n_since, state.peak)
        if moved:
            residual, carried = residual_of(loop.state, start, loop.state.coefficients), (0, 0.0)
        loop.state.begin(None, residual, product)
        loop.state.carry(*carried)
    except BaseException:
        loop.close()
        raise
    return loop


def _stretched(arrays: dict[str, NDArray[Any]], theta: float) -> Record:
    """Return the record of a loop that stopped at ``theta``, with a theta in [0, 1].

    Edges are rounded: the slopes lead to the same values over the lengths that are left.
    """
    length = np.diff(arrays["theta"])
    for name in ("theta", "event_theta"):
        arrays[name] = arrays[name] / theta
    arrays["theta"][-1] = 1.0
    placed = np.diff(arrays["theta"])
    stretch = np.divide(length, placed, out=np.full(length.size, theta), where=placed > 0.0)
    arrays["bias_slope"] = arrays["bias_slope"] * stretch
    arrays["slope"] = arrays["slope"] * np.repeat(stretch, np.diff(arrays["offset"]))
    return Record.of_own(**arrays)


def _kept_loop(columns: Columns, state: State, options: Options) -> Loop | None:
    """Return the loop that was kept with a state, if a path with these options can use it."""
    kept: KeptLoop | None = state.take()
    if kept is None or kept.columns is not columns or options.tie_limit is not None:
        return None
    margin = kept.loop.state.margin
    if margin.ridge != options.ridge or margin.n_changes > tolerances.KEPT_UPDATES:
        return None
    return kept.wake()


class LegRunner:
    """Run loops along one leg, and keep what they record.

    ``theta`` is how far the leg has been recorded; ``records`` and ``spans`` hold the pieces of its
    record, each with its interval of the leg.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The two ends of the leg.
    options : Options
        How paths are followed.
    n_events : int, default=0
        The events of the path before this leg.
    recording : bool, default=True
        Whether records are wanted; those of a single solution are not.
    span : tuple of float, default=(0.0, 1.0)
        Where the leg is on its path: errors name the theta of the path.
    goes_on : bool, default=False
        Whether another leg follows, on which as much is large and whose end is verified.
    """

    def __init__(
        self,
        columns: Columns,
        start: Staircase,
        end: Staircase,
        options: Options,
        n_events: int = 0,
        recording: bool = True,
        span: tuple[float, float] = (0.0, 1.0),
        goes_on: bool = False,
    ):
        self.columns, self.start, self.end, self.options = columns, start, end, options
        self.records: list[Record] = []
        self.spans: list[tuple[float, float]] = []
        self.counts: Counts = defaultdict(int)
        self.n_events, self.recording, self.span = n_events, recording, span
        self.theta, self.goes_on = 0.0, goes_on
        self.loop: Loop | None = None

    def close(self) -> None:
        """Unpin the columns."""
        if self.loop is not None:
            self.loop.close()

    def run(self, loop: Loop) -> LegEnd:
        """Run one loop along the leg; where ties or rounding stop it, the violation is infinite."""
        result = self.run_until_stop(loop)
        if result in (Result.ASTRAY, Result.STALE, Result.TIES):
            return LegEnd(state_of(loop), np.inf, 0.0)
        return self.finish(result, loop)

    def finish(self, result: Result, loop: Loop) -> LegEnd:
        """Keep the record of a loop, and return where it ended; raise if the path cannot go on."""
        if result is Result.END:
            # Along a path only residuals that were carried far, or that have lost most of their
            # digits, are computed from the kernel; of the latter those at the end of the path.
            scales = loop.state.scales
            far = loop.state.carried[0] > tolerances.FRESH_AT_END or loop.state.has_shifts
            if not (far or self.goes_on):
                far = is_rough(self.columns, scales.tolerance, scales.residual_scale)
            violation = loop.finish(far or not self.recording)
            self.keep(loop, 1.0)
            state = state_of(loop)
            if self.options.tie_limit is None:
                # For a path that goes on from here, with the margin and its factor.
                loop.rest()
                state.keep(KeptLoop(loop, self.columns))
                self.loop = None
            own = self.end.residual_scale
            tolerance = tolerances.END * (own or scales.residual_scale or 1.0)
            tolerance += 2.0 * scales.tolerance
            return LegEnd(state, violation, tolerance, own or self.largest_value(state))
        if result in _EARLY_ENDS:
            self.keep(loop, loop.state.theta)
            return LegEnd(state_of(loop), 0.0, np.inf, stopped=_EARLY_ENDS[result])
        raise self.failure(result, self.place_of(loop), state_of(loop))

    def run_until_stop(self, loop: Loop) -> Result:
        """Run a loop until it stops; a negative pivot by rounding counts as numbers astray."""
        self.loop = loop
        guard, n = loop.state.guard, self.columns.n
        guard.max_events = max(0, self.options.max_events - self.n_events)
        loop.state.let_sleep(self.options.sleep)
        if n <= _FRESH_ROWS:
            guard.full_every = max(_FRESH_EVERY, n)
        if self.options.tie_limit is not None:
            guard.zero_limit = self.options.tie_limit
        try:
            result = loop.run(None if self.options.callback is None else self._report())
        except EarlyEnd:
            return Result.REQUEST
        if result is Result.INDEFINITE and not self._is_indefinite(loop):
            return Result.ASTRAY
        if result is Result.INFEASIBLE and self._is_feasible():
            return Result.ASTRAY
        return result

    def _is_feasible(self) -> bool:
        """Whether the end of the leg clearly has a solution, and so has every theta before it."""
        low, high = (float(bound.sum()) for bound in self.end.bounds())
        room = _SUM_ROUNDING * float(np.abs(self.end.bounds()).sum())
        return low + room < self.end.total < high - room

    def largest_value(self, state: State) -> float:
        """The largest value of the function, if it is more than roundings of the sum do."""
        values = np.abs(state.residual + state.bias).max(initial=0.0)
        most = abs(self.end.total) * float(np.max(self.columns.diagonal))
        return float(max(values, tolerances.ROUNDED_AWAY * most))

    def _is_indefinite(self, loop: Loop) -> bool:
        """Whether a negative pivot comes from the kernel matrix, and not from rounding."""
        rows = [*loop.state.margin.members, loop.state.guard.suspect]
        return is_indefinite(self.columns, rows, self.options.ridge)

    def _report(self) -> Report:
        """Return what tells the caller how far the leg is."""
        callback = self.options.callback
        assert callback is not None
        begin_at, so_far = self.theta, self.n_events
        return lambda theta, events, size: callback(
            begin_at + theta * (1.0 - begin_at), so_far + events, size
        )

    def keep(self, loop: Loop, theta: float) -> None:
        """Store what a loop has recorded, on its interval of the leg."""
        if not self.recording:
            return
        here = 1.0 if theta == 1.0 else self.theta + theta * (1.0 - self.theta)
        recorder = loop.state.recorder
        if recorder.n_segments:
            written = recorder.written(theta, loop.state.initial_position)
            if theta == 1.0:
                self.records.append(Record.of_written(written))
            else:
                self.records.append(_stretched(written.arrays(), theta))
            self.spans.append((self.theta, here))
        else:
            here = self.theta
        self.n_events += recorder.n_events
        touched = int(loop.state.residuals.touched)
        add_counts(
            self.counts,
            {
                "n_events": recorder.n_events,
                "rows_touched": touched,
                **loop.state.counts.as_dict(),
            },
        )
        self.theta = here

    def add_piece(self, record: Record, theta: float) -> None:
        """Add a record of the leg from ``self.theta`` to ``theta``."""
        self.records.append(record)
        self.spans.append((self.theta, theta))
        self.n_events += record.n_events
        self.theta = theta

    def place_of(self, loop: Loop) -> float:
        """Return where on the leg a loop is that runs along what is left of it."""
        return self.theta + loop.state.theta * (1.0 - self.theta)

    def replace_records(self, record: Record) -> None:
        """Let one record stand for the whole leg."""
        self.records, self.spans = [record], [(0.0, 1.0)]

    def failure(self, result: Result, theta: float, state: State) -> PathError:
        """Return the error that says what happened and what to try.

        Parameters
        ----------
        result : Result
            Why the leg ends.
        theta : float
            Where on the leg.
        state : State
            What was reached there.
        """
        theta = self.span[0] + theta * (self.span[1] - self.span[0])
        saved = SavedProblem.of(self.columns, self.start, self.end, state, self.options)
        if result is Result.INDEFINITE:
            return not_psd(self.columns, self.start, self.options)
        if result is not Result.INFEASIBLE:
            check_psd(self.columns, self.start, self.options)
        kind = _ERRORS.get(result, PathError)
        return kind(result.sentence(theta), saved, advice=result.advice, theta=theta)
