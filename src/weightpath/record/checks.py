"""What the arrays of a record must be, as a table, and whether they describe one path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import is_at_knot, is_free

if TYPE_CHECKING:
    from weightpath.record.record import Record

__all__ = ["RULES", "Rule", "check_lengths", "check_path", "check_types", "check_values"]

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Rule:
    """What one array of a record must be.

    Parameters
    ----------
    length : {"edges", "segments", "entries", "events", "rows"}
        As many entries as there are of these.
    real : bool, default=False
        Whether the entries are finite real numbers; otherwise they are whole numbers.
    order : {"", "not falling"}, default=""
        How the entries follow one another.
    least : float or None, default=None
        The smallest value allowed.
    most : str or float or None, default=None
        The largest value allowed, or what there are of: "events", "entries", "rows" (one less,
        as rows are counted from 0).
    """

    length: str
    real: bool = False
    order: str = ""
    least: float | None = None
    most: str | float | None = None


# Distances from 1 have more digits than theta there, but are no other numbers.
_REST_ROUNDING = 1e-15

RULES = {
    "theta": Rule("edges", real=True, least=0.0, most=1.0),
    "bias": Rule("segments", real=True),
    "bias_slope": Rule("segments", real=True),
    "offset": Rule("edges", order="not falling", least=0, most="entries"),
    "member": Rule("entries", least=0, most="rows"),
    "value": Rule("entries", real=True),
    "slope": Rule("entries", real=True),
    "event_theta": Rule("events", real=True, order="not falling", least=0.0, most=1.0),
    "event_index": Rule("events", least=0, most="rows"),
    "event_from": Rule("events", least=0),
    "event_to": Rule("events", least=0),
    "event_count": Rule("segments", order="not falling", least=0, most="events"),
    "initial_position": Rule("rows", least=0),
    "freedom": Rule("edges", least=0, most=3),
    "rest": Rule("edges", real=True, least=0.0, most=1.0),
}


def check_types(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise unless every array has one dimension and numbers of the right kind."""
    for name, rule in RULES.items():
        array = arrays.get(name)
        if array is None:
            continue
        if array.ndim != 1:
            raise ValueError(f"{name} of a record must have one dimension, not {array.ndim}.")
        if array.dtype.kind not in ("f" if rule.real else "iu"):
            kind = "real" if rule.real else "whole"
            raise ValueError(f"{name} of a record must hold {kind} numbers, not {array.dtype}.")


def check_lengths(record: Record) -> None:
    """Raise unless the lengths of all arrays fit together."""
    sizes = _sizes(record)
    for name, rule in RULES.items():
        size = getattr(record, name).size
        if size != sizes[rule.length]:
            raise ValueError(f"{name} of a record has {size} entries, not {sizes[rule.length]}.")
    if sizes["segments"] == 0:
        raise ValueError("A record needs at least one segment.")


def check_values(record: Record) -> None:
    """Raise unless all entries are in range and in order."""
    sizes = _sizes(record)
    for name, rule in RULES.items():
        array = getattr(record, name)
        if array.size == 0:
            continue
        if rule.real and not np.isfinite(array).all():
            raise ValueError(f"{name} of a record must be finite.")
        if rule.order == "not falling" and not (array[1:] >= array[:-1]).all():
            raise ValueError(f"{name} of a record must not decrease.")
        least, most = rule.least, rule.most
        if isinstance(most, str):
            most = sizes[most] - (most == "rows")
        if (least is not None and array.min() < least) or (most is not None and array.max() > most):
            where = "rows of the problem" if rule.most == "rows" else f"{least} ... {most}"
            raise ValueError(f"{name} of a record must be in {where}.")
    step, fall = np.diff(record.theta), -np.diff(record.rest)
    if not ((step >= 0) & (fall >= 0) & ((step > 0) | (fall > 0))).all():
        raise ValueError("theta of a record must increase strictly.")
    if not (np.abs(record.theta + record.rest - 1.0) <= _REST_ROUNDING).all():
        raise ValueError("rest of a record must be 1 - theta.")
    if record.offset[0] != 0 or record.offset[-1] != sizes["entries"]:
        raise ValueError("offset of a record must run from 0 to the number of entries.")


def check_path(record: Record) -> None:
    """Raise unless the events lead from position to position and margins are what they say."""
    check_values(record)
    _check_steps(record)
    _check_margins(record)


def _sizes(record: Record) -> dict[str, int]:
    return {
        "edges": record.bias.size + 1,
        "segments": record.bias.size,
        "entries": record.member.size,
        "events": record.event_index.size,
        "rows": record.initial_position.size,
    }


def _positions_before(record: Record, row: Whole, count: Whole) -> Whole:
    """Return the position of each ``row`` after the first ``count`` events."""
    n_events = record.event_index.size
    order = np.argsort(record.event_index, kind="stable")
    # Events by row and time. Of each row's the last one before ``count`` decides; where the entry
    # found belongs to another row, there is none.
    key = record.event_index[order] * (n_events + 1) + order
    last = np.searchsorted(key, row * (n_events + 1) + count) - 1
    of_row = np.append(record.event_index[order], -1)
    to = np.append(record.event_to[order], -1)
    return np.asarray(np.where(of_row[last] == row, to[last], record.initial_position[row]))


def _check_steps(record: Record) -> None:
    """Raise unless each event begins where its row is and goes to the next position."""
    row, before, after = record.event_index, record.event_from, record.event_to
    position = _positions_before(record, row, np.arange(row.size))
    wrong = np.flatnonzero((before != position) | (np.abs(after - before) != 1))
    if wrong.size:
        e = wrong[0]
        raise ValueError(
            f"Event {e} takes row {row[e]} from position {before[e]} to {after[e]}, but the row "
            f"is at {position[e]}."
        )


def _check_margins(record: Record) -> None:
    """Raise unless the margin of each segment has all rows that are free there, each once."""
    segment = np.repeat(np.arange(record.bias.size), np.diff(record.offset))
    position = _positions_before(record, record.member, record.event_count[segment])
    key = np.sort(segment * record.initial_position.size + record.member)
    twice = key[1:][key[1:] == key[:-1]] // max(record.initial_position.size, 1)
    # So all members are free and distinct; then they are all there are if their number is right.
    gained = is_free(record.event_to).astype(np.int64) - is_free(record.event_from)
    n_free = np.append(0, np.cumsum(gained))[record.event_count]
    n_free = n_free + np.count_nonzero(is_free(record.initial_position))
    wrong = np.concatenate(
        [segment[is_at_knot(position)], twice, np.flatnonzero(np.diff(record.offset) != n_free)]
    )
    if wrong.size:
        raise ValueError(f"The margin of segment {wrong.min()} is not what the events say.")
