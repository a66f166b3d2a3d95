"""What a path is made of: plain arrays, and nothing that needs the engine to be read.

On segment ``s`` (from ``theta[s]`` to ``theta[s + 1]``) the bias and the coefficients of the margin
move on straight lines; every other row sits at its knot. Which knot, the positions tell: the
initial ones, overwritten by the first ``event_count[s]`` events. Position ``2 q`` means free
between knots ``q - 1`` and ``q`` (counted from 0), position ``2 j + 1`` means at knot ``j``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from weightpath.engine.record_checks import RULES, check_lengths, check_path

__all__ = ["LOOSE", "RESTS", "SHORT", "UNIQUE", "Record", "concatenate", "reverse", "unit_steps"]

REALS = tuple(name for name, rule in RULES.items() if rule.real)

# What files of the first version do not have.
_LATER = ("freedom", "rest")

# How free the bias is on a segment. UNIQUE: some row is free between its knots. LOOSE: where the
# segment begins all rows are at knots. SHORT: where it ends, too, but in between a row has moved by
# less than can be told from rest. RESTS: all rows are at knots throughout, and the members of the
# margin only carry the bias along.
UNIQUE, LOOSE, SHORT, RESTS = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Record:
    """The exact path of one staircase problem, as arrays.

    With ``S`` segments, ``E`` events, ``n`` rows and ``N`` margin entries in all:

    Parameters
    ----------
    theta : ndarray of shape (S + 1,)
        Edges of the segments, increasing. Close to 1 edges may round to one number; ``rest`` tells
        them apart.
    bias, bias_slope : ndarray of shape (S,)
        The bias at the start of each segment and its change per unit of theta.
    offset : ndarray of shape (S + 1,)
        The margin of segment ``s`` is in the entries ``offset[s]:offset[s + 1]``.
    member, value, slope : ndarray of shape (N,)
        Row, coefficient at the segment's start and its change per unit of theta.
    event_theta, event_index, event_from, event_to : ndarray of shape (E,)
        Where a row changes its position, which row, and its positions before and after.
    event_count : ndarray of shape (S,)
        How many events happen before each segment begins.
    initial_position : ndarray of shape (n,)
        Positions before the first event.
    freedom : ndarray of shape (S + 1,), optional
        How free the bias is on each segment (0 to 3, see the module), and at the end; all zero if
        not given.
    rest : ndarray of shape (S + 1,), optional
        ``1 - theta``, with all its digits where theta is close to one.
    """

    theta: np.ndarray
    bias: np.ndarray
    bias_slope: np.ndarray
    offset: np.ndarray
    member: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    event_theta: np.ndarray
    event_index: np.ndarray
    event_from: np.ndarray
    event_to: np.ndarray
    event_count: np.ndarray
    initial_position: np.ndarray
    # Arrays from the construction on, given or not.
    freedom: np.ndarray = None  # type: ignore[assignment]
    rest: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self):
        if self.freedom is None:
            object.__setattr__(self, "freedom", np.zeros(len(self.theta), dtype=np.int64))
        if self.rest is None:
            object.__setattr__(self, "rest", 1.0 - np.asarray(self.theta, dtype=np.float64))
        for name in self.names():
            dtype = np.float64 if name in REALS else np.int64
            array = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            if array.ndim != 1:
                raise ValueError(f"{name} of a record must have one dimension, not {array.ndim}.")
            if array.flags.writeable:
                array = array.view()
                array.setflags(write=False)
            object.__setattr__(self, name, array)
        check_lengths(self)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the arrays."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Record:
        """Return the record of the arrays in ``arrays``; other entries are not looked at."""
        missing = [name for name in cls.names() if name not in arrays and name not in _LATER]
        if missing:
            raise ValueError(f"A record needs the arrays {', '.join(missing)}.")
        return cls(**{name: arrays[name] for name in cls.names() if name in arrays})

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name."""
        return {name: getattr(self, name) for name in self.names()}

    def __len__(self) -> int:
        return self.bias.shape[0]

    def lengths(self) -> np.ndarray:
        """Return the length of each segment, with all its digits."""
        return way(self.theta[1:], self.theta[:-1], self.rest[:-1], self.rest[1:])

    @property
    def n_events(self) -> int:
        """The number of events."""
        return self.event_index.shape[0]

    @property
    def n_rows(self) -> int:
        """The number of rows of the problem."""
        return self.initial_position.shape[0]

    @property
    def segment_of_entry(self) -> np.ndarray:
        """The segment of each margin entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))

    def final_position(self) -> np.ndarray:
        """Return the positions after the last event."""
        position = self.initial_position.copy()
        position[self.event_index] = self.event_to
        return position

    def validate(self) -> None:
        """Raise ``ValueError`` unless the arrays tell one consistent path.

        This looks at all events, so it is meant for tests and for files from elsewhere.
        """
        check_path(self)


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
        # On [0, 1] the distances from both ends change places, with all their digits.
        theta=record.rest[::-1]
        if whole
        else record.theta[0] + (record.theta[-1] - record.theta[::-1]),
        rest=record.theta[::-1] if whole else None,
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


def _reversed_freedom(freedom) -> np.ndarray:
    """Return how free the bias is when a path is followed from its end to its start."""
    loose_at_end = (freedom[1:] >= LOOSE).astype(np.int64)
    own = np.where(freedom[:-1] >= SHORT, freedom[:-1], loose_at_end)
    return np.append(own[::-1], int(freedom[0] >= LOOSE))


def unit_steps(first: int, last: int) -> list[tuple[int, int]]:
    """Return the events, one position each, that lead from position ``first`` to ``last``."""
    step = 1 if last > first else -1
    return [(p, p + step) for p in range(first, last, step)]


def way(theta, left, left_rest, rest=None):
    """Return how far ``theta`` is from ``left``: by their distances from 1 where these are exact.

    Parameters
    ----------
    theta, left : float or ndarray
    left_rest : float or ndarray
        ``1 - left`` with all its digits.
    rest : float or ndarray, optional
        ``1 - theta``, if it has more digits than theta.
    """
    rest = 1.0 - theta if rest is None else rest
    return np.where(left > 0.5, np.maximum(left_rest - rest, 0.0), theta - left)


def concatenate(records: Sequence[Record], spans: Sequence[tuple]) -> Record:
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
    spans = [tuple(_place_of(end) for end in span) for span in spans]
    if len(records) == 1 and (spans[0][0][0], spans[0][1][0]) == (0.0, 1.0):
        return records[0]
    for k in range(1, len(records)):
        if spans[k][0] != spans[k - 1][1]:
            raise ValueError(f"Span {k} starts at {spans[k][0]}, not at {spans[k - 1][1]}.")
        if records[k - 1].theta[-1] != 1.0:
            raise ValueError(f"Leg {k - 1} stopped at {records[k - 1].theta[-1]}, before its end.")
    legs = []
    position, n_events = None, 0
    for record, span in zip(records, spans, strict=True):
        leg = _place(record, span, position, n_events)
        n_events += leg["event_index"].size
        position = record.final_position()
        legs.append(leg)
    joined = {name: np.concatenate([leg[name] for leg in legs]) for name in legs[0]}
    end, end_rest = legs[-1]["right"][-1], legs[-1]["right_rest"][-1]
    keep = (joined["right"] > joined["left"]) | _holds_theta(joined)
    entry = np.repeat(keep, joined["size"])
    return Record(
        theta=np.append(joined["left"][keep], end),
        offset=np.concatenate([[0], np.cumsum(joined["size"][keep])]),
        initial_position=records[0].initial_position,
        **{name: joined[name][keep] for name in ("bias", "bias_slope", "event_count")},
        **{name: joined[name][entry] for name in ("member", "value", "slope")},
        **{name: joined[name] for name in Record.names() if name in _EVENT_ARRAYS},
        freedom=np.append(joined["freedom"][keep], records[-1].freedom[-1]),
        rest=np.append(joined["left_rest"][keep], end_rest),
    )


def _holds_theta(joined: dict) -> np.ndarray:
    """Return which segments, both of whose ends round to one number, have that number inside."""
    rest = 1.0 - joined["left"]
    one = (joined["right"] == joined["left"]) & (joined["left_rest"] > joined["right_rest"])
    # The end of the path has a solution of its own.
    return (
        one
        & (joined["left"] > 0.5)
        & (rest > 0.0)
        & (joined["right_rest"] <= rest)
        & (rest <= joined["left_rest"])
    )


_EVENT_ARRAYS = ("event_theta", "event_index", "event_from", "event_to")


def _place_of(end) -> tuple[float, float]:
    """Return theta and ``1 - theta``, from either or both."""
    return (float(end[0]), float(end[1])) if isinstance(end, tuple) else (end, 1.0 - end)


def _place(record: Record, span, position, n_events: int) -> dict:
    """Return the arrays of a leg in the whole path's theta, segment edges as left and right."""
    (start, start_rest), (end, end_rest) = span
    length = float(way(end, start, start_rest, end_rest))
    edges, rest = _on_span(record.theta, span)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bias_slope, slope = record.bias_slope / length, record.slope / length
    rows, before, after = _bridge(position, record.initial_position)
    return {
        "left": edges[:-1],
        "right": edges[1:],
        "left_rest": rest[:-1],
        "right_rest": rest[1:],
        "size": np.diff(record.offset),
        "bias": record.bias,
        "bias_slope": bias_slope,
        "freedom": record.freedom[:-1],
        "member": record.member,
        "value": record.value,
        "slope": slope,
        "event_count": record.event_count + n_events + rows.size,
        "event_theta": np.append(np.full(rows.size, start), _on_span(record.event_theta, span)[0]),
        "event_index": np.append(rows, record.event_index),
        "event_from": np.append(before, record.event_from),
        "event_to": np.append(after, record.event_to),
    }


def _on_span(theta: np.ndarray, span) -> tuple[np.ndarray, np.ndarray]:
    """Map a leg's theta to the whole path's, and to its distance from 1.

    0 and 1 go to the ends of the span exactly.
    """
    (start, start_rest), (end, end_rest) = span
    if start > 0.5:
        rest = np.clip((1.0 - theta) * start_rest + theta * end_rest, end_rest, start_rest)
        # Rounded up, so that a breakpoint is on the segment that begins there.
        placed = 1.0 - rest
        placed = np.where(1.0 - placed > rest, np.nextafter(placed, 2.0), placed)
        placed = np.clip(placed, start, end)
    else:
        placed = np.clip(start + theta * (end - start), start, end)
        rest = 1.0 - placed
    at_end = theta == 1.0
    return np.where(at_end, end, placed), np.where(at_end, end_rest, rest)


def _bridge(position, initial) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the events that lead from ``position`` (None: no leg before) to ``initial``."""
    events = []
    if position is not None:
        for row in np.flatnonzero(position != initial):
            events += [(row, *step) for step in unit_steps(int(position[row]), int(initial[row]))]
    table = np.array(events, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
