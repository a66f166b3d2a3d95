"""Follow a path from one problem to another, leg by leg, and repair what goes astray."""

from __future__ import annotations

import numpy as np

from weightpath.engine import tolerances
from weightpath.engine._loop import Loop
from weightpath.engine.record import Record, concatenate
from weightpath.engine.saving import SavedProblem
from weightpath.engine.start import begin, state_of
from weightpath.engine.state import Options, State, Trace
from weightpath.engine.status import COMPLETE, STOPPED_AT_CAP
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.ties import resolve_ties
from weightpath.errors import InfeasiblePathError, KernelNotPSDError, PathError, UnboundedPathError
from weightpath.problems import Staircase

__all__ = ["follow", "smallest_eigenvalue", "solve"]

# Attempts at one place before an error is raised.
_REPAIRS = 12
_ROUNDS = 6


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
    options = options or Options()
    beta = np.zeros(len(stair)) if beta is None else beta
    best, best_violation = None, np.inf
    for attempt in range(_ROUNDS):
        random = np.random.default_rng(attempt)
        journey = _Journey(columns, stair, stair, options, repairable=False)
        try:
            loop = begin(columns, stair, beta, bias, options, random)
            state, violation, tolerance, _ = journey.run(loop)
        except ArithmeticError:
            raise _not_psd(columns, stair, options) from None
        finally:
            journey.close()
        if violation < best_violation:
            best, best_violation = state, violation
        if violation <= tolerance:
            return state
        beta, bias = state.beta, state.bias
    _check_psd(columns, stair, options)
    raise PathError(
        f"The solution could not be made exact: a violation of {best_violation:.1e} is left. The "
        "kernel matrix may be too ill-conditioned for double precision at these weights: try a "
        "smaller C, a larger gamma, or ridge=1e-8. error.save(file) keeps the problem.",
        SavedProblem.of(columns, stair, stair, best, options),
    )


@one_blas_thread
def follow(
    columns, start: Staircase, end: Staircase, state: State, options: Options | None = None
) -> Trace:
    """Follow the solution on the straight line from ``start`` to ``end``.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The two problems.
    state : State
        The exact solution of ``start``; it is not changed.
    options : Options or None, default=None
        How the path is followed.

    Returns
    -------
    Trace
    """
    options = options or Options()
    pieces, spans = [], []
    counts: dict = {}
    status = COMPLETE
    edges = _legs(start, end)
    for left, right in zip(edges[:-1], edges[1:], strict=True):
        here = start if left == 0.0 else start.between(end, left)
        there = end if right == 1.0 else start.between(end, right)
        journey = _Journey(columns, here, there, options, sum(len(p.event_theta) for p in pieces))
        try:
            loop = _resume(columns, here, there, state, options)
            state, violation, tolerance, stopped = journey.run(loop)
        except ArithmeticError:
            raise _not_psd(columns, here, options) from None
        finally:
            journey.close()
        for record, (a, b) in zip(journey.records, journey.spans, strict=True):
            pieces.append(record)
            spans.append((left + a * (right - left), right if b == 1.0 else left + b * (right - left)))
        for key, value in journey.counts.items():
            counts[key] = counts.get(key, 0) + value
        if stopped:
            status = STOPPED_AT_CAP
            break
        if violation > tolerance:
            state = solve(columns, there, state.beta, state.bias, options)
            counts["repairs"] = counts.get("repairs", 0) + 1
    if not pieces:
        raise PathError(
            f"The path was stopped by max_events={options.max_events} before it could leave "
            "theta = 0. Raise max_events."
        )
    return Trace(concatenate(pieces, spans), state, status, counts)


def _legs(start: Staircase, end: Staircase) -> np.ndarray:
    """Split the line so that the largest knot changes at most by a factor on each leg."""
    a, b = start.knot_scale(), end.knot_scale()
    low, high = min(a, b), max(a, b)
    if low <= 0.0 or high <= tolerances.LEG_GROWTH * low:
        return np.array([0.0, 1.0])
    n_legs = int(np.ceil(np.log(high / low) / np.log(tolerances.LEG_GROWTH)))
    scales = a * (b / a) ** (np.arange(n_legs + 1) / n_legs)
    edges = (scales - a) / (b - a)
    edges[0], edges[-1] = 0.0, 1.0
    return np.unique(np.clip(edges, 0.0, 1.0))


def _resume(columns, start: Staircase, end: Staircase, state: State, options: Options) -> Loop:
    """Return a loop that goes on from an exact state."""
    loop = Loop(columns, start, end, state.position, state.beta, state.bias, options.ridge)
    try:
        residual = state.residual
        if loop.assemble(np.ascontiguousarray(state.margin, dtype=np.intp)):
            beta = loop.coefficients
            residual = start.target - columns.product(beta) - options.ridge * beta - loop.bias
        loop.watch_rows(residual)
    except BaseException:
        loop.close()
        raise
    return loop


class _Journey:
    """One leg: run the loop, and answer what it says until it is at the end."""

    def __init__(
        self, columns, start, end, options: Options, n_events: int = 0, repairable: bool = True
    ):
        self.columns, self.start, self.end, self.options = columns, start, end, options
        self.repairable = repairable
        self.records: list[Record] = []
        self.spans: list[tuple[float, float]] = []
        self.counts: dict = {}
        self.n_events = n_events
        self.theta = 0.0
        self.loop: Loop | None = None
        self.repairs = self.tie_rounds = 0
        self.last_place = -1.0

    def close(self) -> None:
        if self.loop is not None:
            self.loop.close()

    def run(self, loop: Loop):
        """Return the state at the end, its violation, the tolerance for it, and whether capped."""
        while True:
            self.loop = loop
            self._set_limits(loop)
            answer = loop.run(self._callback())
            if answer == "end":
                violation = loop.finish()
                self._keep(loop, 1.0)
                scale = self.end.residual_scale() or 1.0
                tolerance = tolerances.END * scale + 2.0 * loop.tolerance[1]
                return state_of(loop), violation, tolerance, False
            if answer == "cap":
                self._keep(loop, loop.theta)
                return state_of(loop), 0.0, np.inf, True
            if answer == "ties":
                loop = self._untie(loop)
            elif answer == "astray" and not self.repairable:
                return state_of(loop), np.inf, 0.0, False
            elif answer == "astray":
                loop = self._repair(loop)
            else:
                self._fail(answer, loop)

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

    def _restart_here(self, loop: Loop) -> tuple[Staircase, State]:
        """Close a loop at its theta; return the (shifted) problem there and the state."""
        state = state_of(loop)
        self._keep(loop, loop.theta)
        true = self.start.between(self.end, self.theta)
        shifted = Staircase(loop.target, true.knots, true.levels, loop.total, true.has_bias)
        loop.close()
        return shifted, state

    def _untie(self, loop: Loop) -> Loop:
        place = self.theta + loop.theta * (1.0 - self.theta)
        self.tie_rounds = self.tie_rounds + 1 if place <= self.last_place else 1
        self.last_place = place
        self.counts["ties"] = self.counts.get("ties", 0) + 1
        if self.tie_rounds > 3:
            if self.tie_rounds > 5:
                self._fail("ties", loop)
            loop.least_index = True
            return loop
        slack = 4.0 * 10.0 ** (self.tie_rounds - 1)
        try:
            position, margin, bias = resolve_ties(loop, self.options, slack)
        except PathError:
            # The velocities are unbounded: something makes a finite move at this theta, which
            # only the loop can do.
            loop.least_index = True
            return loop
        shifted, state = self._restart_here(loop)
        state = State(state.beta, bias, position, state.residual, margin)
        return _resume(self.columns, shifted, self.end, state, self.options)

    def _repair(self, loop: Loop) -> Loop:
        """Solve the true problem at this theta afresh and go on from there."""
        self.repairs += 1
        if self.repairs > _REPAIRS:
            self._fail("astray", loop)
        self.counts["repairs"] = self.counts.get("repairs", 0) + 1
        _, state = self._restart_here(loop)
        true = self.start.between(self.end, self.theta)
        state = solve(self.columns, true, state.beta, state.bias, self.options)
        return _resume(self.columns, true, self.end, state, self.options)

    def _fail(self, answer: str, loop: Loop) -> None:
        theta = self.theta + loop.theta * (1.0 - self.theta)
        saved = SavedProblem.of(self.columns, self.start, self.end, state_of(loop), self.options)
        if answer == "infeasible":
            raise InfeasiblePathError(
                f"No solution exists beyond theta = {theta:.6g}: the sum constraint of the bias "
                "cannot be met there (for instance all weights of one class vanish). Keep some "
                "weight in every class.",
                saved,
            )
        if answer == "indefinite":
            raise _not_psd(self.columns, self.start, self.options)
        _check_psd(self.columns, self.start, self.options)
        if answer == "unbounded":
            raise UnboundedPathError(
                f"The problem is unbounded at theta = {theta:.6g}: dependent columns with nothing "
                "to stop them. Use positive penalties, or a small ridge.",
                saved,
            )
        raise PathError(
            f"The path could not be followed beyond theta = {theta:.6g} ({answer}). The kernel "
            "matrix may be too ill-conditioned for double precision: try ridge=1e-8, a smaller "
            "C or a larger gamma. error.save(file) keeps the problem.",
            saved,
        )


def smallest_eigenvalue(columns, ridge: float = 0.0, most: int = 1500) -> tuple[float, float]:
    """Return the extreme eigenvalues of the kernel matrix (of a part of it if it is large)."""
    n = columns.n
    index = np.arange(n) if n <= most else np.random.default_rng(0).choice(n, most, replace=False)
    values = np.linalg.eigvalsh(columns.submatrix(np.sort(index)))
    return float(values[0] + ridge), float(values[-1] + ridge)


def _check_psd(columns, stair: Staircase, options: Options) -> None:
    """Raise if a kernel matrix small enough to look at is clearly indefinite."""
    low, high = smallest_eigenvalue(columns, options.ridge)
    if low < -1e-10 * max(high, 1e-300):
        raise _not_psd(columns, stair, options)


def _not_psd(columns, stair: Staircase, options: Options) -> KernelNotPSDError:
    low, high = smallest_eigenvalue(columns, options.ridge)
    return KernelNotPSDError(
        "The kernel matrix is not positive semidefinite on this data (smallest eigenvalue "
        f"{low:.3g}, largest {high:.3g}), so there is no convex problem to follow. Use "
        '"rbf", "linear" or "poly" with coef0 >= 0 instead of "sigmoid", repair a precomputed or '
        f"callable kernel, or add ridge >= {max(-low, 0.0):.2g}.",
        SavedProblem.of(columns, stair, stair, None, options),
    )
