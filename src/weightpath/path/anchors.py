"""Events without anchors.

Where the bias is free the engine keeps a row in the margin, the *anchor*, only to carry one bound
of the bias along. Once the bias is in the middle of its interval that row is not at the margin, and
the events must not say so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightpath.engine.record import Record, unit_steps

__all__ = ["Events", "without_anchors"]


@dataclass(frozen=True)
class Events:
    """Rewritten events: theta, (row, from, to), events before each segment, first positions."""

    theta: np.ndarray
    table: np.ndarray
    count: np.ndarray
    initial: np.ndarray


def without_anchors(record: Record, free, knot) -> Events:
    """Return the events, with the members of free segments put back to their knots.

    Before the events between two segments the members of a free left one return to the margin, and
    after them those of a free right one go to their knots; pairs that undo each other are dropped.
    """
    position = record.initial_position.copy()
    initial = position.copy()
    bounds = np.concatenate([[0], record.event_count, [record.n_events]])
    theta, table, count = [], [], []
    for v in range(len(record) + 1):
        own = range(bounds[v], bounds[v + 1])
        at = record.theta[v]
        events = [(record.event_theta[e], *_event(record, e), False) for e in own]
        touched = {event[1] for event in events}
        if v > 0 and free[v - 1]:
            last = v == len(record)
            back = _moves(record, v - 1, knot, position, at, to_knot=False)
            events = [move for move in back if not last or move[1] in touched] + events
        position[record.event_index[bounds[v] : bounds[v + 1]]] = record.event_to[
            bounds[v] : bounds[v + 1]
        ]
        if v < len(record) and free[v]:
            for move in _moves(record, v, knot, position, at, to_knot=True):
                if v == 0 and move[1] not in touched:
                    initial[move[1]] = move[3]
                else:
                    events.append(move)
        for event in _cancelled(events):
            theta.append(event[0])
            table.append(event[1:4])
        count.append(len(table))
    table = np.array(table, dtype=np.int64).reshape(-1, 3)
    return Events(np.array(theta, dtype=np.float64), table, np.array(count[:-1]), initial)


def _event(record: Record, e: int) -> tuple[int, int, int]:
    return int(record.event_index[e]), int(record.event_from[e]), int(record.event_to[e])


def _moves(record, segment, knot, position, theta, to_knot) -> list[tuple]:
    """Return events that take a segment's members from the margin to their knots, or back."""
    moves = []
    for entry in range(record.offset[segment], record.offset[segment + 1]):
        row = int(record.member[entry])
        ends = int(position[row]), 2 * int(knot[entry]) + 1
        for step in unit_steps(*(ends if to_knot else ends[::-1])):
            moves.append((theta, row, *step, True))
    return moves


def _cancelled(events: list[tuple]) -> list[tuple]:
    """Drop pairs of one row's events that undo each other, if one of the pair was put in."""
    kept, latest = [], {}
    for event in events:
        stack = latest.setdefault(event[1], [])
        before = kept[stack[-1]] if stack else None
        undone = before is not None and before[2:4] == event[3:1:-1]
        if undone and (before[4] or event[4]):
            kept[stack.pop()] = None
        else:
            stack.append(len(kept))
            kept.append(event)
    return [event for event in kept if event is not None]
