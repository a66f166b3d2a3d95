"""One subproblem of a path as the script of a page reads it.

The record has for every member of every margin its row, its coefficient where the segment begins
and a slope. A page has only the coefficient: where a segment ends, a member that stays has the
coefficient with which the next segment begins, and one that leaves is at its knot. So on a segment
the script goes from one to the other, and 8 bytes an entry are enough instead of 24. Members are
those of the segment before, but for those that joined or left. Where a segment does not end with
what the next one begins with, what it ends with is written out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.page.packing import packed
from weightpath.path.moment import Moment
from weightpath.path.part import PathPart
from weightpath.problems.position import knot_below, n_positions
from weightpath.record.record import Record

__all__ = ["part_data"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

_EPS = float(np.finfo(np.float64).eps)

# A segment ends with what the next one begins with if no coefficient differs by more than this
# fraction of what is on its line. A thousandth of what a page promises, 1e-9.
SAME_END = 1e-12


def part_data(part: PathPart, with_stairs: bool) -> dict[str, Any]:
    """Return one subproblem; with targets and levels, the page can check it."""
    record = part.record
    ends = _segment_ends(part)
    signs, code = np.unique(part.reading.sign, return_inverse=True)
    positions = np.arange(n_positions(part.start.n_knots))
    table = [part.reading.meaning.sets(np.full(positions.size, s), positions) for s in signs]
    return {
        "n": len(part),
        "rows": None if part.rows is None else packed(part.rows),
        "theta": packed(record.theta),
        "rest": None if (record.rest == 1.0 - record.theta).all() else packed(record.rest),
        "bias": packed(record.bias),
        "biasEnd": packed(ends.bias),
        **_margins(record, ends),
        **_events(record),
        "initial": packed(record.initial_position),
        "startKnots": [packed(column) for column in part.start.knots.T],
        "endKnots": [packed(column) for column in part.end.knots.T],
        "sign": packed(code),
        "sets": [row.tolist() for row in table],
        "ends": [
            None if moment is None else _end(part, theta, moment)
            for theta, moment in zip((0.0, 1.0), part.ends, strict=True)
        ],
        "stairs": _stairs(part) if with_stairs else None,
        "jumpTheta": packed(part.jumps[0]),
        "jumpBias": packed(part.jumps[1]),
    }


def _stairs(part: PathPart) -> dict[str, Any]:
    """Return targets and levels at both ends."""
    ends = part.start, part.end
    return {
        "target": [packed(stair.target) for stair in ends],
        "levels": [[packed(column) for column in stair.levels.T] for stair in ends],
        "total": [float(stair.total) for stair in ends],
        "ridge": float(part.ridge),
    }


class _Ends(NamedTuple):
    """How segments end.

    Attributes
    ----------
    order : ndarray of shape (N,)
        The entries of the record, in each segment by row.
    value : ndarray of shape (N,)
        What each of them, in that order, is where its segment ends.
    written : ndarray of bool, shape (S,)
        The segments whose ends are written out.
    bias : ndarray of shape (S,)
        The bias where each segment ends.
    """

    order: NDArray[np.intp]
    value: Reals
    written: NDArray[np.bool_]
    bias: Reals


def _segment_ends(part: PathPart) -> _Ends:
    record = part.record
    segment, n = record.segment_of_entry, max(1, record.n_rows)
    order = np.lexsort((record.member, segment))
    row, value, slope = record.member[order], record.value[order], record.slope[order]
    segment = segment[order]
    key = segment * n + row
    place = np.minimum(np.searchsorted(key, key + n), max(0, key.size - 1))
    stays = key[place] == key + n if key.size else np.zeros(0, dtype=bool)
    follows = np.empty(key.size)
    follows[stays] = value[place[stays]]
    follows[~stays] = _at_knots(part, segment[~stays], row[~stays])

    length = record.lengths()
    move = length[segment] * slope
    own = value + move
    size = np.abs(value) + np.abs(move)
    # The last segment has none after it.
    differs = (np.abs(own - follows) > SAME_END * size) | (segment == len(record) - 1)
    written = np.zeros(len(record), dtype=bool)
    written[segment[differs]] = True
    ends = np.where(written[segment], own, follows)
    return _Ends(order, ends, written, _bias_ends(part, segment, row, size, length))


def _bias_ends(
    part: PathPart, segment: NDArray[np.intp], row: Whole, size: Reals, length: Reals
) -> Reals:
    """Return the bias at the end of each segment: as the next begins, unless it jumps there."""
    record = part.record
    own = record.bias + length * record.bias_slope
    terms = np.bincount(segment, part.kappa[row] * size, len(record))
    allowed = SAME_END * (np.abs(record.bias) + np.abs(own))
    allowed += tolerances.FLOOR_ROUNDINGS * _EPS * terms
    follows = np.append(record.bias[1:], own[-1:])
    return np.where(np.abs(follows - own) <= allowed, follows, own)


def _at_knots(part: PathPart, segment: NDArray[np.intp], row: Whole) -> Reals:
    """Return the knots of rows where the segments after these begin; NaN after the last."""
    record = part.record
    after = np.minimum(segment + 1, len(record) - 1)
    # Events by row and time: the last of a row before the segment begins says where it is.
    order = np.lexsort((np.arange(record.n_events), record.event_index))
    key = record.event_index[order] * (record.n_events + 1) + order
    last = np.searchsorted(key, row * (record.n_events + 1) + record.event_count[after]) - 1
    owner, to = np.append(record.event_index[order], -1), np.append(record.event_to[order], -1)
    position = np.where(owner[last] == row, to[last], record.initial_position[row])
    knot = knot_below(position, part.start.n_knots)
    rest, theta = record.rest[segment + 1], record.theta[segment + 1]
    here: Reals = rest * part.start.knots[row, knot] + theta * part.end.knots[row, knot]
    return np.where(segment == len(record) - 1, np.nan, here)


def _margins(record: Record, ends: _Ends) -> dict[str, Any]:
    """Return who joins and leaves the margin where each segment begins, and all coefficients."""
    n, S = max(1, record.n_rows), len(record)
    segment = record.segment_of_entry
    key = np.sort(segment * n + record.member)
    joined = np.setdiff1d(key, key + n, assume_unique=True)
    left = np.setdiff1d(key + n, key, assume_unique=True)
    left = left[left < S * n]
    return {
        "joinCount": packed(np.bincount(joined // n, minlength=S)),
        "join": packed(joined % n),
        "leaveCount": packed(np.bincount(left // n, minlength=S)),
        "leave": packed(left % n),
        "value": packed(record.value[ends.order]),
        "written": packed(np.flatnonzero(ends.written)),
        "writtenEnd": packed(ends.value[ends.written[segment]]),
    }


def _events(record: Record) -> dict[str, Any]:
    """Return rows and positions of all events; their theta where it is not that of a segment."""
    count = record.event_count
    segment = np.searchsorted(count, np.arange(record.n_events), side="right")
    at = record.theta[np.minimum(segment, len(record))]
    known = np.array_equal(at, record.event_theta)
    return {
        "eventCount": packed(np.diff(count, prepend=0)),
        "eventRow": packed(record.event_index),
        "eventFrom": packed(record.event_from),
        "eventTo": packed(record.event_to),
        "eventTheta": None if known else packed(record.event_theta),
    }


def _end(part: PathPart, theta: float, moment: Moment) -> dict[str, Any]:
    """Return what the solution at an end has that differs from the segment beside it."""
    beside = part.moment(theta, "right")
    off = np.abs(moment.beta - beside.beta) > 4.0 * _EPS * np.abs(moment.beta)
    row = np.flatnonzero(off | (moment.position != beside.position))
    return {
        "bias": float(moment.bias),
        "row": packed(row),
        "beta": packed(moment.beta[row]),
        "position": packed(moment.position[row]),
    }
