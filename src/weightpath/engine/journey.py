"""One leg of a path: run the loop and answer what it says until it is at the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weightpath import tolerances
from weightpath.engine._loop import Loop
from weightpath.engine.definiteness import IndefiniteMarginError, check_psd, is_indefinite, not_psd
from weightpath.engine.saving import SavedProblem
from weightpath.engine.start import begin, refuse_overflow, state_of, within_bounds
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.trace import Options
from weightpath.engine.watch import EarlyEnd
from weightpath.errors import Advice, InfeasiblePathError, PathError, UnboundedPathError
from weightpath.problems import Staircase
from weightpath.problems.position import sort_out_equal_knots
from weightpath.record import Record, reverse
from weightpath.record.state import State
from weightpath.record.status import STOPPED_AT_CAP, STOPPED_ON_REQUEST

__all__ = ["Journey", "accepted", "resume", "solve"]

# Repairs on one leg, and rounds of one solution, before an error is raised.
_REPAIRS = 12
_ROUNDS = 6

# After this round the next one begins with no coefficients, in case the start leads nowhere.
_FROM_ZERO = 2

# Where a tie is come at from its far side: parts of the rest of the leg, tried in this order.
_FAR_SIDES = (1.3e-4, 1.2e-3, 1.1e-2, 0.11)

EARLY_ENDS = {"cap": STOPPED_AT_CAP, "early end": STOPPED_ON_REQUEST}

# Events after which a single problem is given up.
_MOST_EVENTS = 10_000_000


@one_blas_thread
def solve(columns, stair: Staircase, beta=None, bias=0.0, options: Options | None = None) -> State:
    """Return the exact solution of a staircase problem, from any start.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    beta : ndarray of shape (n,) or None, default=None
        Where to start; zero if not given.
    bias : float, default=0.0
        The bias to start from.
    options : Options or None, default=None
        How paths are followed.
    """
    # Limits are for paths: half a solution is none, and a tie is broken by another shift.
    options = replace(options or Options(), max_events=_MOST_EVENTS, tie_limit=None)
    refuse_overflow(stair)
    if (np.asarray(columns.diagonal) + options.ridge < 0).any():
        raise not_psd(columns, stair, options)
    beta = np.zeros(len(stair)) if beta is None else beta
    best, best_violation, best_tolerance = None, np.inf, 0.0
    for attempt in range(_ROUNDS):
        random = np.random.default_rng(attempt)
        journey = Journey(columns, stair, stair, options, repairable=False, unties=False)
        try:
            loop = begin(columns, stair, beta, bias, options, random)
            state, violation, tolerance, stopped = journey.run(loop)
        except IndefiniteMarginError:
            raise not_psd(columns, stair, options) from None
        finally:
            journey.close()
        if stopped:
            break
        refuse_overflow(stair, state)
        improved = violation < 0.5 * best_violation
        if violation < best_violation:
            best, best_violation, best_tolerance = state, violation, tolerance
        if violation <= tolerance:
            return within_bounds(stair, state)
        if not improved and best is not None and best_violation <= accepted(stair, best_tolerance):
            break
        beta, bias = state.beta, state.bias
        if attempt == _FROM_ZERO or not np.isfinite(beta).all():
            beta, bias = np.zeros(len(stair)), 0.0
    if best is not None and best_violation <= accepted(stair, best_tolerance):
        return within_bounds(stair, best)
    check_psd(columns, stair, options)
    raise PathError(
        f"The solution could not be made exact: a violation of {best_violation:.1e} is left.",
        SavedProblem.of(columns, stair, stair, best, options),
        advice=Advice(
            "The kernel matrix may be too ill-conditioned for double precision at these weights: "
            "try a smaller C, a larger gamma, or {ridge}.",
            {"ridge": 1e-8},
        ),
    )


def accepted(stair: Staircase, tolerance: float) -> float:
    """Return the violation that is accepted where nothing makes it smaller."""
    accepted = tolerances.ACCEPTED * stair.residual_scale()
    return max(accepted, tolerances.ACCEPTED_ROUNDINGS * tolerance)


def resume(columns, start: Staircase, end: Staircase, state: State, options: Options) -> Loop:
    """Return a loop that goes on from an exact state."""
    loop = Loop(columns, start, end, state.position, state.beta, state.bias, options.ridge)
    try:
        residual = state.residual
        if loop.assemble(np.ascontiguousarray(state.margin, dtype=np.intp)):
            beta = loop.coefficients
            residual = start.target - columns.product(beta) - options.ridge * beta - loop.bias
        loop.set_positions(sort_out_equal_knots(start, loop.position, residual))
        loop.watch_rows(residual)
    except BaseException:
        loop.close()
        raise
    return loop


class Journey:
    """One leg: run the loop, and answer what it says until it is at the end.

    ``records`` and ``spans`` hold the pieces of its record, each with a part of the leg.
    """

    def __init__(
        self,
        columns,
        start,
        end,
        options: Options,
        n_events: int = 0,
        repairable: bool = True,
        unties: bool = True,
    ):
        self.columns, self.start, self.end, self.options = columns, start, end, options
        self.repairable, self.unties = repairable, unties
        self.records: list[Record] = []
        self.spans: list[tuple[float, float]] = []
        self.counts: dict = {}
        self.n_events = n_events
        self.theta = 0.0
        self.loop: Loop | None = None
        self.repairs = 0

    def close(self) -> None:
        """Let go of the columns."""
        if self.loop is not None:
            self.loop.close()

    def run(self, loop: Loop):
        """Return the state at the end, its violation, the tolerance for it, and an early end.

        The last is the status of a path that ended before, ``None`` if it did not.
        """
        while True:
            self.loop = loop
            self._set_limits(loop)
            try:
                answer = loop.run(self._callback())
            except EarlyEnd:
                answer = "early end"
            if answer == "indefinite" and not self._is_indefinite(loop):
                answer = "astray"
            if answer == "end":
                violation = loop.finish()
                self._keep(loop, 1.0)
                tolerance = tolerances.END * self._scale(loop) + 2.0 * loop.tolerance
                return state_of(loop), violation, tolerance, None
            if answer in EARLY_ENDS:
                self._keep(loop, loop.theta)
                return state_of(loop), 0.0, np.inf, EARLY_ENDS[answer]
            if (answer == "astray" and not self.repairable) or (
                answer == "ties" and not self.unties
            ):
                return state_of(loop), np.inf, 0.0, None
            if answer == "ties":
                loop = self._untie(loop)
            elif answer == "astray":
                loop = self._repair(loop)
            else:
                raise self._failure(answer, loop)

    def _scale(self, loop: Loop) -> float:
        """The largest target or level at the end; without any, what the loop takes for large."""
        return self.end.residual_scale() or loop.residual_scale or 1.0

    def _is_indefinite(self, loop: Loop) -> bool:
        """Whether the kernel is to blame for a negative pivot, and not rounding."""
        return is_indefinite(self.columns, [*loop.margin.members, loop.suspect], self.options.ridge)

    def _set_limits(self, loop: Loop) -> None:
        loop.max_events = max(0, self.options.max_events - self.n_events)
        n = len(self.start)
        loop.full_every = max(1000, n) if n <= 5000 else 1 << 62
        if self.options.tie_limit is not None:
            loop.zero_limit = self.options.tie_limit

    def _callback(self):
        callback = self.options.callback
        if callback is None:
            return None
        begin_at, so_far = self.theta, self.n_events
        return lambda theta, events, size: callback(
            begin_at + theta * (1.0 - begin_at), so_far + events, size
        )

    def _keep(self, loop: Loop, theta: float) -> None:
        """Store what a loop has recorded, on its own part of the leg."""
        here = 1.0 if theta == 1.0 else self.theta + theta * (1.0 - self.theta)
        arrays = loop.record.arrays(theta)
        if len(arrays["bias"]):
            if theta < 1.0:
                # Each piece has its own theta in [0, 1].
                for name in ("theta", "event_theta"):
                    arrays[name] = arrays[name] / theta
                for name in ("slope", "bias_slope"):
                    arrays[name] = arrays[name] * theta
                arrays["theta"][-1] = 1.0
            self.records.append(Record(initial_position=loop.initial_position, **arrays))
            self.spans.append((self.theta, here))
        else:
            here = self.theta
        self.n_events += loop.n_events
        for name in ("n_events", "n_exchanges", "n_zero", "n_shifts", "n_refreshes", "margin_sum"):
            self.counts[name] = self.counts.get(name, 0) + getattr(loop, name)
        self.theta = here

    def _restart_here(self, loop: Loop) -> State:
        """Keep what a loop has recorded and close it; return the state it has reached."""
        state = state_of(loop)
        self._keep(loop, loop.theta)
        loop.close()
        return state

    def _untie(self, loop: Loop) -> Loop:
        """Come at a tie from its far side.

        A little further on, where the tied rows have come apart, the problem is solved afresh
        (from a random shift, hence without ties) and followed back to here. That path, reversed,
        is the missing piece: exact, and with ties only at its end.
        """
        self.counts["ties"] = self.counts.get("ties", 0) + 1
        state = self._restart_here(loop)
        here = self.theta
        for part in _FAR_SIDES:
            ahead = here + part * (1.0 - here)
            piece, beyond = self._from_far_side(ahead, state)
            if piece is not None:
                self.records.append(piece)
                self.spans.append((here, ahead))
                self.n_events += piece.n_events
                self.theta = ahead
                there = self.start.between(self.end, ahead)
                return resume(self.columns, there, self.end, beyond, self.options)
        raise self._failure("ties", loop)

    def _from_far_side(self, ahead: float, state: State):
        """Return the record from here to ``ahead`` and the state there; ``None`` if it fails."""
        here, there = (self.start.between(self.end, theta) for theta in (self.theta, ahead))
        options = replace(self.options, max_events=_MOST_EVENTS, tie_limit=None, callback=None)
        back = Journey(self.columns, there, here, options, repairable=False, unties=False)
        try:
            beyond = solve(self.columns, there, state.beta, state.bias, options)
            loop = resume(self.columns, there, here, beyond, options)
            _, violation, tolerance, stopped = back.run(loop)
        except (PathError, IndefiniteMarginError):
            return None, None
        finally:
            back.close()
        if stopped or violation > tolerance or len(back.records) != 1:
            return None, None
        return reverse(back.records[0]), beyond

    def _repair(self, loop: Loop) -> Loop:
        """Solve the true problem at this theta afresh and go on from there."""
        self.repairs += 1
        if self.repairs > _REPAIRS:
            raise self._failure("astray", loop)
        self.counts["repairs"] = self.counts.get("repairs", 0) + 1
        state = self._restart_here(loop)
        true = self.start.between(self.end, self.theta)
        options = replace(self.options, callback=None)
        state = solve(self.columns, true, state.beta, state.bias, options)
        return resume(self.columns, true, self.end, state, self.options)

    def _failure(self, answer: str, loop: Loop) -> PathError:
        """Return the error that says what happened and what to try."""
        theta = self.theta + loop.theta * (1.0 - self.theta)
        saved = SavedProblem.of(self.columns, self.start, self.end, state_of(loop), self.options)
        if answer == "infeasible":
            return InfeasiblePathError(
                f"No solution exists beyond theta = {theta:.6g}: the sum constraint of the bias "
                "cannot be met there (for instance all weights of one class vanish).",
                saved,
                advice=Advice("Keep some weight in every class."),
                theta=theta,
            )
        if answer == "indefinite":
            return not_psd(self.columns, self.start, self.options)
        check_psd(self.columns, self.start, self.options)
        if answer == "unbounded":
            return UnboundedPathError(
                f"The problem is unbounded at theta = {theta:.6g}: dependent columns with nothing "
                "to stop them.",
                saved,
                advice=Advice("Use positive penalties, or a small {ridge}.", {"ridge": None}),
                theta=theta,
            )
        return PathError(
            f"The path could not be followed beyond theta = {theta:.6g} ({answer}).",
            saved,
            advice=Advice(
                "The kernel matrix may be too ill-conditioned for double precision: try {ridge}, "
                "a smaller C or a larger gamma.",
                {"ridge": 1e-8},
            ),
            theta=theta,
        )
