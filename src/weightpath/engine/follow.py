"""Follow a path from one problem to another, leg by leg."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from weightpath.engine.definiteness import IndefiniteMarginError, not_psd
from weightpath.engine.journey import Journey, accepted, resume, solve
from weightpath.engine.legs import END, START, Place, between, legs_of
from weightpath.engine.start import refuse_overflow, within_bounds
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.trace import Options, Trace
from weightpath.engine.watch import current_watch, on_leg
from weightpath.errors import Advice, PathError
from weightpath.problems import Staircase
from weightpath.problems.scales import kappa_of
from weightpath.record import Record, concatenate
from weightpath.record.state import State
from weightpath.record.status import COMPLETE

__all__ = ["follow"]

# How often a leg is halved before what is left of it is repaired where it stands.
_MOST_HALVINGS = 8


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
    refuse_overflow(end)
    # Without targets and levels the residuals themselves say what is large.
    own_scale = float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
    edges = legs_of(start, end, kappa_of(columns, options.ridge), own_scale)
    walk = _Walk(columns, start, end, options)
    status = None
    for left, right in pairwise(edges):
        state, status = walk.leg(left, right, state)
        if status is not None:
            break
    if not walk.pieces:
        raise PathError(
            "The path was stopped by the event cap before it could leave theta = 0.",
            advice=Advice("Raise {max_events}.", {"max_events": options.max_events}),
            theta=0.0,
        )
    if status is None:
        state = within_bounds(end, state)
    return Trace(concatenate(walk.pieces, walk.spans), state, status or COMPLETE, walk.counts)


class _Walk:
    """The legs of one path that have been followed, and what came of them."""

    def __init__(self, columns, start: Staircase, end: Staircase, options: Options):
        self.columns, self.start, self.end, self.options = columns, start, end, options
        self.pieces: list[Record] = []
        self.spans: list[tuple[Place, Place]] = []
        self.counts: dict = {}
        self._watch = current_watch()

    def leg(self, left: Place, right: Place, state: State, halvings: int = 0):
        """Follow one leg; return the state at its end, and a status if the path ended before.

        A leg whose end is not right, or on which the numbers went astray, has a record that is
        wrong somewhere. It is followed again in two halves, each from a state that was verified.
        """
        there = self._at(right)
        journey = self._journey(left, right, halvings >= _MOST_HALVINGS)
        try:
            loop = resume(self.columns, journey.start, there, state, self.options)
            arrived, violation, tolerance, stopped = journey.run(loop)
        except IndefiniteMarginError:
            raise not_psd(self.columns, journey.start, self.options) from None
        finally:
            journey.close()
        refuse_overflow(there, arrived)
        if violation > accepted(there, tolerance) and halvings < _MOST_HALVINGS:
            middle = between(left, right, 0.5)
            if left[1] > middle[1] > right[1]:
                self._count({"followed again": 1})
                state, stopped = self.leg(left, middle, state, halvings + 1)
                return (state, stopped) if stopped else self.leg(middle, right, state, halvings + 1)
        for record, (a, b) in zip(journey.records, journey.spans, strict=True):
            self.pieces.append(record)
            self.spans.append((between(left, right, a), between(left, right, b)))
        self._count(journey.counts)
        if violation > tolerance:
            silent = replace(self.options, callback=None)
            arrived = solve(self.columns, there, arrived.beta, arrived.bias, silent)
            self._count({"repairs": 1})
        return arrived, stopped

    def _journey(self, left: Place, right: Place, repairable: bool) -> Journey:
        told = on_leg(left[0], right[0], self.options.callback, self._watch)
        options = replace(self.options, callback=told)
        n_events = sum(len(piece.event_theta) for piece in self.pieces)
        ends = self._at(left), self._at(right)
        return Journey(self.columns, *ends, options, n_events, repairable=repairable)

    def _at(self, place: Place) -> Staircase:
        if place in (START, END):
            return self.start if place == START else self.end
        return self.start.between(self.end, *place)

    def _count(self, counts: dict) -> None:
        for key, value in counts.items():
            self.counts[key] = self.counts.get(key, 0) + value
