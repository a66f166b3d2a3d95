"""Records made of other records: the same path from its end, and one path of several legs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.record.record import LOOSE, SHORT, Record, way

__all__ = ["concatenate", "reverse", "unit_steps"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]

# Theta and 1 - theta; an edge may also be theta alone.
Place = tuple[float, float]
Edge = float | Place
Span = tuple[Place, Place]


def reverse(record: Record) -> Record:
    """Return the record of the same path, followed from its end to its start."""
    length = record.lengths()
    segment = record.segment_of_entry
    order = np.arange(len(record))[::-1]
    entry = np.concatenate(
        [np.arange(record.offset[s], record.offset[s + 1]) for s in order]
    ).astype(np.int64)
    value = record.value + length[segment] * record.slope
    whole = record.theta[0] == 0.0 and record.theta[-1] == 1.0
    return Record(
        # On [0, 1] the distances from both ends are exchanged, with all their digits.
        theta=record.rest[::-1]
        if whole
        else record.theta[0] + (record.theta[-1] - record.theta[::-1]),
        rest=record.theta[::-1] if whole else None,  # type: ignore[arg-type]
        bias=(record.bias + length * record.bias_slope)[order],
        bias_slope=-record.bias_slope[order],
        offset=np.concatenate([[0], np.cumsum(np.diff(record.offset)[order])]),
        member=record.member[entry],
        value=value[entry],
        slope=-record.slope[entry],
        event_theta=record.theta[0] + (record.theta[-1] - record.event_theta[::-1]),
        event_index=record.event_index[::-1],
        event_from=record.event_to[::-1],
        event_to=record.event_from[::-1],
        event_count=record.n_events - record.event_count[order],
        initial_position=record.final_position(),
        freedom=_reversed_freedom(record.freedom),
    )


def _reversed_freedom(freedom: Whole) -> Whole:
    """Return how free the bias is when a path is followed from its end to its start."""
    loose_at_end = (freedom[1:] >= LOOSE).astype(np.int64)
    own = np.where(freedom[:-1] >= SHORT, freedom[:-1], loose_at_end)
    return np.append(own[::-1], int(freedom[0] >= LOOSE))


def unit_steps(first: int, last: int) -> list[tuple[int, int]]:
    """Return the events, one position each, that lead from position ``first`` to ``last``."""
    step = 1 if last > first else -1
    return [(p, p + step) for p in range(first, last, step)]


def concatenate(records: Sequence[Record], spans: Sequence[tuple[Edge, Edge]]) -> Record:
    """Join the records of consecutive legs into the record of the whole path.

    Parameters
    ----------
    records : sequence of Record
        One record for each leg, each with its own theta in [0, 1].
    spans : sequence of (float, float) or of ((float, float), (float, float))
        Where each leg starts and ends on the whole path, as theta or as theta and ``1 - theta``;
        each starts where the last one ended.

    Returns
    -------
    Record
        Slopes are per unit of the whole path's theta. Segments that have no length in floating
        point are left out; their events are kept. Where a leg starts with positions other than
        those the last one ended with, events at the joint lead from the one to the other.
    """
    if not records or len(records) != len(spans):
        raise ValueError(f"Got {len(records)} records and {len(spans)} spans; need one span each.")
    placed: list[Span] = [(_place_of(left), _place_of(right)) for left, right in spans]
    if len(records) == 1 and (placed[0][0][0], placed[0][1][0]) == (0.0, 1.0):
        return records[0]
    for k in range(1, len(records)):
        if placed[k][0] != placed[k - 1][1]:
            raise ValueError(f"Span {k} starts at {placed[k][0]}, not at {placed[k - 1][1]}.")
        if records[k - 1].theta[-1] != 1.0:
            raise ValueError(f"Leg {k - 1} stopped at {records[k - 1].theta[-1]}, before its end.")
    legs = []
    position: Whole | None = None
    n_events = 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for record, span in zip(records, placed, strict=True):
            leg = _place(record, span, position, n_events)
            n_events += leg["event_index"].size
            position = record.final_position()
            legs.append(leg)
    joined = {name: np.concatenate([leg[name] for leg in legs]) for name in legs[0]}
    end, end_rest = legs[-1]["right"][-1], legs[-1]["right_rest"][-1]
    keep = (joined["right"] > joined["left"]) | _holds_theta(joined)
    if not keep.all():
        entry = np.repeat(keep, joined["size"])
        for name in ("left", "left_rest", "size", "bias", "bias_slope", "event_count", "freedom"):
            joined[name] = joined[name][keep]
        for name in ("member", "value", "slope"):
            joined[name] = joined[name][entry]
    offset = np.zeros(joined["size"].size + 1, dtype=np.int64)
    np.cumsum(joined["size"], out=offset[1:])
    return Record.of_own(
        theta=np.append(joined["left"], end),
        # On a segment that is shorter than their rounding, distances from the end must not grow.
        rest=np.minimum.accumulate(np.append(joined["left_rest"], end_rest)),
        offset=offset,
        freedom=np.append(joined["freedom"], records[-1].freedom[-1]),
        initial_position=records[0].initial_position,
        **{name: joined[name] for name in _JOINED},
    )


def _holds_theta(joined: Arrays) -> NDArray[np.bool_]:
    """Return which segments, both of whose ends round to one number, have that number inside."""
    rest = 1.0 - joined["left"]
    one = (joined["right"] == joined["left"]) & (joined["left_rest"] > joined["right_rest"])
    # The end of the path has its solution stored separately.
    return np.asarray(
        one
        & (joined["left"] > 0.5)
        & (rest > 0.0)
        & (joined["right_rest"] <= rest)
        & (rest <= joined["left_rest"])
    )


# The arrays of a record that are those of its legs, one after the other.
_JOINED = (
    "bias",
    "bias_slope",
    "member",
    "value",
    "slope",
    "event_theta",
    "event_index",
    "event_from",
    "event_to",
    "event_count",
)


def _place_of(end: Edge) -> Place:
    """Return theta and ``1 - theta``, from either or both."""
    return (float(end[0]), float(end[1])) if isinstance(end, tuple) else (end, 1.0 - end)


def _place(record: Record, span: Span, position: Whole | None, n_events: int) -> Arrays:
    """Return the arrays of a leg in the whole path's theta, segment edges as left and right."""
    (start, start_rest), (end, end_rest) = span
    length = float(way(end, start, start_rest, end_rest))
    # Edges and events together.
    theta, rest = _on_span(np.concatenate([record.theta, record.event_theta]), span)
    n_edges = record.theta.size
    stretch = _stretch(record, theta[:n_edges], rest[:n_edges], length)
    leg = {
        "left": theta[: n_edges - 1],
        "right": theta[1:n_edges],
        "left_rest": rest[: n_edges - 1],
        "right_rest": rest[1:n_edges],
        "size": record.offset[1:] - record.offset[:-1],
        "bias": record.bias,
        "bias_slope": record.bias_slope * stretch,
        "freedom": record.freedom[:-1],
        "member": record.member,
        "value": record.value,
        "slope": record.slope * stretch[record.segment_of_entry],
        "event_count": record.event_count + n_events,
        "event_theta": theta[n_edges:],
        "event_index": record.event_index,
        "event_from": record.event_from,
        "event_to": record.event_to,
    }
    if position is not None and (position != record.initial_position).any():
        rows, before, after = _bridge(position, record.initial_position)
        leg["event_count"] = leg["event_count"] + rows.size
        for name, own in (
            ("event_theta", np.full(rows.size, start)),
            ("event_index", rows),
            ("event_from", before),
            ("event_to", after),
        ):
            leg[name] = np.append(own, leg[name])
    return leg


def _stretch(record: Record, theta: Reals, rest: Reals, length: float) -> Reals:
    """Return by how much slopes change where edges go to ``theta``, on a span of some length.

    Edges are rounded: the slopes lead to the same values over the lengths that are left.
    """
    placed = way(theta[1:], theta[:-1], rest[:-1], rest[1:])
    plain = np.full(len(record), 1.0 / length if length > 0.0 else 0.0)
    return np.asarray(np.divide(record.lengths(), placed, out=plain, where=placed > 0.0))


def _on_span(theta: Reals, span: Span) -> tuple[Reals, Reals]:
    """Map a leg's theta to the whole path's, and to its distance from 1.

    0 and 1 go to the ends of the span exactly.
    """
    (start, start_rest), (end, end_rest) = span
    if start > 0.5:
        # In this order no rounding exchanges two neighbours.
        rest = end_rest + (1.0 - theta) * (start_rest - end_rest)
        rest = np.where(theta == 0.0, start_rest, np.clip(rest, end_rest, start_rest))
        # Rounded up, so that a breakpoint is on the segment that begins there.
        placed = 1.0 - rest
        placed = np.where(1.0 - placed > rest, np.nextafter(placed, 2.0), placed)
        placed = np.clip(placed, start, end)
    else:
        placed = np.clip(start + theta * (end - start), start, end)
        rest = 1.0 - placed
    at_end = theta == 1.0
    return np.where(at_end, end, placed), np.where(at_end, end_rest, rest)


def _bridge(position: Whole, initial: Whole) -> tuple[Whole, Whole, Whole]:
    """Return the events that lead from ``position`` to ``initial``."""
    events = [
        (row, *step)
        for row in np.flatnonzero(position != initial).tolist()
        for step in unit_steps(int(position[row]), int(initial[row]))
    ]
    table = np.array(events, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
