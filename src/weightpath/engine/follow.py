"""Follow a path from one problem to another, leg by leg."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np

from weightpath.engine.bridge import followed_back, straight_lines
from weightpath.engine.definiteness import IndefiniteMarginError, not_psd
from weightpath.engine.leg import LegEnd, LegRunner, resume
from weightpath.engine.legs import (
    END,
    START,
    Theta,
    are_alike,
    between,
    is_one_leg,
    legs_of,
)
from weightpath.engine.line_product import LineProduct
from weightpath.engine.repair import MENDABLE, LegRepairer
from weightpath.engine.results import Result
from weightpath.engine.sharpen import sharpened
from weightpath.engine.solve import accepted, solve
from weightpath.engine.start import refuse_overflow, within_bounds
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.trace import Counts, Options, Trace, add_counts
from weightpath.engine.watch import OBSERVER, on_leg
from weightpath.errors import Advice, PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.scales import is_beyond_precision
from weightpath.record import Record, concatenate
from weightpath.record.state import State
from weightpath.record.status import COMPLETE, Status

__all__ = ["follow"]

# How often a leg is halved before what is left of it is repaired where it stands.
_MOST_HALVINGS = 8


@one_blas_thread
def follow(
    columns: Columns,
    start: Staircase,
    end: Staircase,
    state: State,
    options: Options | None = None,
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
    refuse_overflow(end)
    own_scale = 0.0
    if min(start.residual_scale, end.residual_scale) == 0.0:
        # Without targets and levels the residuals themselves say what is large.
        own_scale = float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
    edges = [START, END]
    if not is_one_leg(start, end, columns.largest_diagonal() + options.ridge, own_scale):
        edges = legs_of(start, end, columns.diagonal + options.ridge, own_scale)
    walk = _Walk(columns, start, end, options)
    lightly = len(edges) > 2 and are_alike(start, end)
    if lightly:
        walk.share_product()
    state, status = walk.follow(edges, state, lightly)
    if not walk.pieces:
        raise PathError(
            "The path was stopped by the event cap before it could leave theta = 0.",
            advice=Advice("Raise {max_events}.", {"max_events": options.max_events}),
            theta=0.0,
        )
    if status is None:
        state = within_bounds(end, state)
    record = walk.pieces[0]
    if walk.spans != [(START, END)]:
        record = concatenate(walk.pieces, walk.spans)
    return Trace(record, state, status or COMPLETE, dict(walk.counts))


class _Walk:
    """The legs of one path that have been followed, and their results."""

    def __init__(self, columns: Columns, start: Staircase, end: Staircase, options: Options):
        self.columns, self.start, self.end, self.options = columns, start, end, options
        self.pieces: list[Record] = []
        self.spans: list[tuple[Theta, Theta]] = []
        self.counts: Counts = defaultdict(int)
        self._observer = OBSERVER.get()
        self._product: LineProduct | None = None
        self._lightly = False

    def share_product(self) -> None:
        """Carry a product with the kernel matrix from leg to leg, where it takes all its values."""
        if self.columns.structure is None and self.columns.features is None:
            self._product = LineProduct(self.columns, self.start, self.end)

    def follow(
        self, edges: list[Theta], state: State, lightly: bool
    ) -> tuple[State, Status | None]:
        """Follow all legs; return the state at the end, and a status if the path ended before.

        ``lightly``: only the end of the path is verified from the whole kernel matrix, and that of
        each leg at some rows. Where anything is wrong then, all is done again with care.
        """
        here, status, self._lightly = state, None, lightly
        try:
            for left, right in pairwise(edges):
                here, status = self.leg(left, right, here)
                if status is not None:
                    break
        except PathError:
            if not lightly:
                raise
            self.pieces, self.spans = [], []
            self.counts = defaultdict(int, {"followed again": 1})
            return self.follow(edges, state, lightly=False)
        return here, status

    def leg(
        self, left: Theta, right: Theta, state: State, halvings: int = 0
    ) -> tuple[State, Status | None]:
        """Follow one leg; return the state at its end, and a status if the path ended before.

        A leg whose end is not right, or on which the numbers went astray, has a record that is
        wrong somewhere. It is followed again in two halves, each from a state that was verified.
        """
        runner, end = self._run(left, right, state, repairable=halvings >= _MOST_HALVINGS)
        there = runner.end
        refuse_overflow(there, end.state)
        astray = end.violation > end.tolerance
        if astray and self._lightly:
            raise PathError("A leg that was followed lightly does not end at a solution.")
        if astray and end.violation > accepted(end) and halvings < _MOST_HALVINGS:
            if _is_all_rounding(state, end.state, end.scale or there.residual_scale):
                # Halves would be no better: what is left is repaired where it stands.
                return self.leg(left, right, state, _MOST_HALVINGS)
            middle = between(left, right, 0.5)
            if left[1] > middle[1] > right[1]:
                self.counts["followed again"] += 1
                state, stopped = self.leg(left, middle, state, halvings + 1)
                return (state, stopped) if stopped else self.leg(middle, right, state, halvings + 1)
        arrived = end.state
        if astray:
            silent = replace(self.options, callback=None)
            arrived = solve(self.columns, there, arrived.beta, arrived.bias, silent)
            if end.violation > accepted(end):
                runner.replace_records(self._bridge(runner, state, arrived))
        elif right == END and end.stopped is None:
            arrived = sharpened(
                self.columns, there, arrived, end.violation, end.scale, self.options
            )
        self.pieces += runner.records
        if runner.spans == [(0.0, 1.0)]:
            self.spans.append((left, right))
        else:
            self.spans += [
                (between(left, right, a), between(left, right, b)) for a, b in runner.spans
            ]
        add_counts(self.counts, runner.counts)
        if arrived is not end.state:
            self.counts["repairs"] += 1
        return arrived, end.stopped

    def _bridge(self, runner: LegRunner, before: State, after: State) -> Record:
        """Return the record of a leg that could not be followed from its start; raise if none is.

        See :mod:`weightpath.engine.bridge`.
        """
        self.counts["bridges"] += 1
        here, there = runner.start, runner.end
        record = followed_back(self.columns, here, there, after, self.options)
        if record is not None:
            return record
        if _is_all_rounding(before, after, there.residual_scale or runner.largest_value(after)):
            return straight_lines(self.columns, here, there, before, after, self.options)
        raise runner.failure(Result.ASTRAY, 0.0, before)

    def _run(
        self, left: Theta, right: Theta, state: State, repairable: bool
    ) -> tuple[LegRunner, LegEnd]:
        """Run one leg to its end; return what it has recorded, and where it ended."""
        options = self.options
        if options.callback is not None or self._observer is not None:
            callback = on_leg(left[0], right[0], options.callback, self._observer)
            options = replace(options, callback=callback)
        here = self.start if left == START else self.start.between(self.end, *left)
        there = self.end if right == END else self.start.between(self.end, *right)
        n_events = sum(piece.n_events for piece in self.pieces)
        goes_on = self._lightly and right != END
        span = left[0], right[0]
        runner = LegRunner(self.columns, here, there, options, n_events, span=span, goes_on=goes_on)
        product = None if self._product is None else self._product.on_leg(left, right)
        try:
            loop = resume(self.columns, here, there, state, self.options, product)
            result = runner.run_until_stop(loop)
            if result in MENDABLE:
                return runner, LegRepairer(runner, repairable).go_on(result, loop)
            return runner, runner.finish(result, loop)
        except IndefiniteMarginError:
            raise not_psd(self.columns, here, self.options) from None
        finally:
            if runner.loop is not None:
                # Not kept with a state.
                runner.close()


def _is_all_rounding(before: State, after: State, scale: float) -> bool:
    """Whether a leg is beyond double precision at its start and at its end."""
    return scale > 0.0 and all(
        is_beyond_precision(state.tolerance, scale) for state in (before, after)
    )
