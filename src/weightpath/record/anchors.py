"""Events without anchors.

Where the bias is free the engine keeps a row in the margin, the *anchor*, only to carry one bound
of the bias along. Once the bias is in the middle of its interval that row is not at the margin, and
the events must not say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import at_knot
from weightpath.record.joining import unit_steps
from weightpath.record.record import Record

__all__ = ["Events", "without_anchors"]

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Events:
    """Rewritten events.

    Attributes
    ----------
    theta : ndarray of shape (E,)
    table : ndarray of shape (E, 3)
        Row, position before, position after.
    count : ndarray of shape (S,)
        Events before each segment.
    initial : ndarray of shape (n,)
        Positions before the first event.
    """

    theta: NDArray[np.float64]
    table: Whole
    count: Whole
    initial: Whole


class Change(NamedTuple):
    """One change of position; ``added`` if the engine did not report it."""

    theta: float
    row: int
    before: int
    after: int
    added: bool

    def undoes(self, other: Change) -> bool:
        return (self.before, self.after) == (other.after, other.before)


def without_anchors(record: Record, free: NDArray[np.bool_], knot: Whole) -> Events:
    """Return the events, with the members of free segments put back to their knots.

    Before the events between two segments the members of a free left one return to the margin, and
    after them those of a free right one go to their knots; pairs that undo each other are dropped.

    Parameters
    ----------
    record : Record
    free : ndarray of bool, shape (S,)
        The segments whose members are anchors.
    knot : ndarray of int, shape (N,)
        The knot of each margin entry.
    """
    position, initial = record.initial_position.copy(), record.initial_position.copy()
    bounds = np.concatenate([[0], record.event_count, [record.n_events]])
    n_added = np.zeros(len(record) + 1, dtype=np.int64)
    reported = np.column_stack([record.event_index, record.event_from, record.event_to])
    tables, thetas, done = [], [], 0
    around = np.append(False, free) | np.append(free, False)
    for v in np.flatnonzero(around).tolist():
        # Events where nothing is free are as they were.
        position[record.event_index[done : bounds[v]]] = record.event_to[done : bounds[v]]
        tables.append(reported[done : bounds[v]])
        thetas.append(record.event_theta[done : bounds[v]])
        changes = _changes_at(v, record, bounds, free, knot, position, initial)
        tables.append(np.array([c[1:4] for c in changes], dtype=np.int64).reshape(-1, 3))
        thetas.append(np.array([c.theta for c in changes], dtype=np.float64))
        done = bounds[v + 1]
        n_added[v] = len(changes) - (done - bounds[v])
    tables.append(reported[done:])
    thetas.append(record.event_theta[done:])
    count = record.event_count + np.cumsum(n_added)[:-1]
    return Events(np.concatenate(thetas), np.concatenate(tables), count, initial)


def _changes_at(
    v: int,
    record: Record,
    bounds: Whole,
    free: NDArray[np.bool_],
    knot: Whole,
    position: Whole,
    initial: Whole,
) -> list[Change]:
    """Return the changes between segments ``v - 1`` and ``v``; both positions are brought there."""
    own = slice(bounds[v], bounds[v + 1])
    changes = _reported(record, own)
    touched = {change.row for change in changes}
    if v > 0 and free[v - 1]:
        back = _added(record, v - 1, v, knot, position, to_knot=False)
        # At the end of the path nothing follows that would need an anchor in the margin.
        at_end = v == len(record)
        changes = [c for c in back if not at_end or c.row in touched] + changes
    position[record.event_index[own]] = record.event_to[own]
    if v < len(record) and free[v]:
        away = _added(record, v, v, knot, position, to_knot=True)
        # A path that starts with an anchor starts with that row at its knot instead.
        first = [c for c in away if v == 0 and c.row not in touched]
        for change in first:
            initial[change.row] = change.after
        changes += [c for c in away if c not in first]
    return _without_pairs(changes)


def _reported(record: Record, events: slice) -> list[Change]:
    columns = (record.event_theta, record.event_index, record.event_from, record.event_to)
    rows = zip(*(column[events].tolist() for column in columns), strict=True)
    return [Change(theta, row, before, after, False) for theta, row, before, after in rows]


def _added(
    record: Record, segment: int, edge: int, knot: Whole, position: Whole, to_knot: bool
) -> list[Change]:
    """Return the changes that take a segment's members from the margin to knots, or back."""
    changes = []
    for entry in range(record.offset[segment], record.offset[segment + 1]):
        row = int(record.member[entry])
        free, fixed = int(position[row]), int(at_knot(knot[entry]))
        steps = unit_steps(free, fixed) if to_knot else unit_steps(fixed, free)
        changes += [Change(float(record.theta[edge]), row, *step, added=True) for step in steps]
    return changes


def _without_pairs(changes: list[Change]) -> list[Change]:
    """Drop pairs of one row's changes that undo each other, if one of the pair was added."""
    kept: list[Change | None] = []
    places: dict[int, list[int]] = {}
    for change in changes:
        own = places.setdefault(change.row, [])
        last = kept[own[-1]] if own else None
        if last is not None and change.undoes(last) and (change.added or last.added):
            kept[own.pop()] = None
        else:
            own.append(len(kept))
            kept.append(change)
    return [change for change in kept if change is not None]
