r"""The bias where it is not unique: the middle of its interval.

Where every margin member sits at a knot for a whole segment, nothing pins the bias down. With
:math:`g_i = t_i - (K\beta)_i` and residuals allowed in :math:`[lo_i, up_i]`, it may be anything in

.. math::

    \max_i (g_i - up_i) \;\le\; b \;\le\; \min_i (g_i - lo_i) .

(Section 3.3 of the paper, where max and min are swapped.) All lines are straight on a segment, so
both bounds are envelopes of lines, and the middle is linear between their breakpoints. Here such
segments are split there, and the members that only served to carry one bound along, the
*anchors*, go back to their knots: the record then has an empty margin wherever the bias is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightpath.engine.record import Record
from weightpath.path._bias_envelope import BiasBounds
from weightpath.path.anchors import without_anchors
from weightpath.path.knot_responses import KnotResponses
from weightpath.path.replay import Replay
from weightpath.path.response import Response
from weightpath.problems import Staircase

__all__ = ["free_segments", "middle_of", "settle_bias"]

# A member is at a knot if it is this close at both ends of the segment, relative to the largest
# knot: ten times the engine's own tolerance for knots.
KNOT_TOL = 1e-11

# And its velocity must be the knot's to this part of the largest knot, or a short segment on which
# a member leaves its knot slowly would count. An anchor's is a sum over all rows, and has rounding.
VELOCITY_TOL = 1e-10

# Differences of bounds below this part of the largest bound are rounding errors of the kernel sums.
ENVELOPE_NOISE = 1e-13

# A bias whose interval is no longer than this part of the largest target or level is unique: a free
# coefficient pins it to the engine's tolerance for residuals, 1e-11.
UNIQUE_TOL = 1e-9


def settle_bias(
    kernel,
    X,
    start: Staircase,
    end: Staircase,
    record: Record,
    ridge: float = 0.0,
    response=None,
) -> Record:
    """Put the bias in the middle of its interval wherever it is not unique.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR matrix of shape (n, n_features)
        The training rows of the problem; for a precomputed kernel its matrix.
    start, end : Staircase
        The problem at theta = 0 and theta = 1.
    record : Record
        The path as the engine found it.
    ridge : float, default=0.0
        What was added to the diagonal of the kernel matrix.
    response : ColumnResponse, optional
        Kernel values that are known already.

    Returns
    -------
    Record
        The same object if the bias is unique everywhere (but for isolated theta, where nothing is
        done).
    """
    if not start.has_bias or not _may_be_free(start, end, record):
        return record
    free, knot = free_segments(start, end, record)
    if not free.any():
        return record
    knot = _beside(record, free, knot, start.n_knots)
    response = response or Response(kernel, X, X)
    pieces = _middles(response, start, end, record, free, knot, ridge)
    return _split(record, free, knot, pieces)


def _may_be_free(start: Staircase, end: Staircase, record: Record) -> bool:
    """Whether any segment has no margin, or one whose first member is at a knot: a quick look."""
    size = np.diff(record.offset)
    if not size.all():
        return True
    first = record.offset[:-1]
    row, theta = record.member[first], record.theta[:-1, None]
    knots = (1.0 - theta) * start.knots[row] + theta * end.knots[row]
    off = np.abs(knots - record.value[first, None])
    return bool((off <= KNOT_TOL * max(start.knot_scale(), end.knot_scale())).any())


def free_segments(start: Staircase, end: Staircase, record: Record):
    """Return which segments leave the bias free, and the nearest knot of each margin entry."""
    row, segment = record.member, record.segment_of_entry
    left, right = record.theta[segment, None], record.theta[segment + 1, None]
    knots, moved = start.knots[row], end.knots[row]
    value, slope = record.value[:, None], record.slope[:, None]
    off_left = np.abs((1.0 - left) * knots + left * moved - value)
    off_right = np.abs((1.0 - right) * knots + right * moved - (value + (right - left) * slope))
    off = np.maximum(off_left, off_right)
    knot = off.argmin(axis=1) if row.size else np.zeros(0, dtype=np.int64)
    entry = np.arange(row.size)
    # The largest knot in between is at most the mean of the largest at the path's ends.
    scales = start.knot_scale(), end.knot_scale()
    scale = np.maximum(
        *((1.0 - theta[:, 0]) * scales[0] + theta[:, 0] * scales[1] for theta in (left, right))
    )
    drift = np.abs(record.slope - (moved - knots)[entry, knot])
    near = off[entry, knot] <= KNOT_TOL * scale
    rests = near & (drift <= VELOCITY_TOL * sum(scales))
    all_near = np.bincount(segment[~near], minlength=len(record)) == 0
    all_rest = np.bincount(segment[~rests], minlength=len(record)) == 0
    # Where one anchor takes over from another, rounding can leave a segment too short for either to
    # move. Such a one is free like its neighbours: a run of near ones is free if one of them rests.
    run = np.cumsum(np.diff(all_near, prepend=False))
    free_run = np.bincount(run[all_rest], minlength=run[-1] + 1) > 0
    return all_near & free_run[run], knot


@dataclass(frozen=True)
class Lines:
    """Lines ``value + h * slope`` for ``h`` from 0."""

    value: np.ndarray
    slope: np.ndarray


def middle_of(sides: list[tuple[np.ndarray, Lines]], length: float) -> tuple[np.ndarray, Lines]:
    """Return the middle between two bounds; the bound itself if there is one, zero without any.

    Parameters
    ----------
    sides : list of (where, Lines)
        Where each bound changes on [0, length], from 0, and its pieces.
    length : float
        How long the segment is.

    Returns
    -------
    where : ndarray
        Where a piece begins, from 0, increasing strictly.
    middle : Lines
        The pieces: value at their beginning and slope.
    """
    if not sides:
        return np.zeros(1), Lines(np.zeros(1), np.zeros(1))
    if all(begin.size == 1 for begin, _ in sides):
        (_, one), (_, other) = sides[0], sides[-1]
        middle = Lines(0.5 * (one.value + other.value), 0.5 * (one.slope + other.slope))
        return np.zeros(1), middle
    where = np.unique(np.concatenate([side[0] for side in sides]))
    where = where[where < length]
    value, slope = np.zeros(where.size), np.zeros(where.size)
    for begin, bound in sides:
        piece = np.searchsorted(begin, where, side="right") - 1
        slope += bound.slope[piece] / len(sides)
        value += (bound.value[piece] + (where - begin[piece]) * bound.slope[piece]) / len(sides)
    return where, Lines(value, slope)


def _middles(
    response, start, end, record, free, knot, ridge
) -> dict[int, tuple[np.ndarray, Lines]]:
    """Return the theta at which pieces begin, and the pieces, for each free segment."""
    bounds = BiasBounds(start, end, *_levels_at_knots(start, end), ENVELOPE_NOISE)
    knots = KnotResponses(response, start, end, record, knot, ridge)
    pieces = {}
    for s in np.flatnonzero(free).tolist():
        at_knot, sums = knots.on(s)
        left, right = float(record.theta[s]), float(record.theta[s + 1])
        sides = [
            (where, Lines(value, slope))
            for sign in (1, -1)
            if (found := bounds.envelope(sums, at_knot, left, right - left, sign)) is not None
            for where, value, slope in [found]
        ]
        pieces[s] = _round_to_theta(left, right, *middle_of(sides, right - left))
    return pieces


def _beside(record: Record, free, knot, n_knots: int) -> np.ndarray:
    """Return knots that bound the interval of their entry; vanishing weights bring others near."""
    replay, knot = Replay(record), knot.copy()
    for s in np.flatnonzero(free & (np.diff(record.offset) > 0)):
        entry = slice(record.offset[s], record.offset[s + 1])
        interval = replay.at(int(s))[record.member[entry]] // 2
        knot[entry] = np.clip(knot[entry], interval - 1, np.minimum(interval, n_knots - 1))
    return knot


def _levels_at_knots(start, end) -> tuple[np.ndarray, np.ndarray]:
    """Return the levels, as indices, that bound the residual at each knot, both of shape (n, m).

    Knots that coincide on the whole path (zero weight) allow all that either of them does.
    """
    same = (np.diff(start.knots, axis=1) == 0.0) & (np.diff(end.knots, axis=1) == 0.0)
    low = np.tile(np.arange(start.n_knots), (len(start), 1))
    high = low + 1
    for j in range(1, start.n_knots):
        low[:, j] = np.where(same[:, j - 1], low[:, j - 1], low[:, j])
    for j in range(start.n_knots - 2, -1, -1):
        high[:, j] = np.where(same[:, j], high[:, j + 1], high[:, j])
    return low, high


def _round_to_theta(left, right, where, middle) -> tuple[np.ndarray, Lines]:
    """Place the pieces on theta, without those that rounding leaves no length."""
    theta = left + where
    theta[0] = left
    if theta.size == 1:
        return theta, middle
    kept = np.append(np.diff(theta) > 0, True) & (theta < right)
    return theta[kept], Lines(middle.value[kept], middle.slope[kept])


def _split(record: Record, free, knot, pieces) -> Record:
    """Return the record with the pieces in place of the free segments."""
    count = np.ones(len(record), dtype=np.int64)
    count[free] = [pieces[s][0].size for s in np.flatnonzero(free)]
    segment = np.repeat(np.arange(len(record)), count)
    theta, bias, slope = record.theta[segment], record.bias[segment], record.bias_slope[segment]
    into = free[segment]
    for array, parts in (
        (theta, [pieces[s][0] for s in np.flatnonzero(free)]),
        (bias, [pieces[s][1].value for s in np.flatnonzero(free)]),
        (slope, [pieces[s][1].slope for s in np.flatnonzero(free)]),
    ):
        array[into] = np.concatenate(parts)
    kept = ~free[record.segment_of_entry]
    size = np.where(free, 0, np.diff(record.offset))[segment]
    events = without_anchors(record, free, knot)
    return Record(
        theta=np.append(theta, record.theta[-1]),
        bias=bias,
        bias_slope=slope,
        offset=np.concatenate([[0], np.cumsum(size)]),
        member=record.member[kept],
        value=record.value[kept],
        slope=record.slope[kept],
        event_theta=events.theta,
        event_index=events.table[:, 0],
        event_from=events.table[:, 1],
        event_to=events.table[:, 2],
        event_count=events.count[segment],
        initial_position=events.initial,
    )
