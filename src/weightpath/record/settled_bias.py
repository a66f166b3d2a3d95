r"""The bias along a path: in the middle of its interval wherever it is not unique.

Where every margin member sits at a knot for a whole segment, nothing pins the bias down
(:mod:`weightpath.record.bias`). All lines are straight on a segment, so both bounds are envelopes
of lines, and the middle is linear between their breakpoints. Here such segments are split there,
and the members that only served to carry one bound along, the *anchors*, go back to their knots:
the record then has an empty margin wherever the bias is free.

The bias can also be free at a single theta, where the last member of a margin meets its knot and
another row takes over: the bias jumps there. At such a theta, too, it is the middle of its interval
that counts, as in a model there. Where all rows are at knots, on a segment or at its
beginning, the engine has recorded (``freedom``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.kernels import Columns, Kernel
from weightpath.kernels.response import MATRIX_MB, ColumnResponse
from weightpath.problems import Staircase
from weightpath.record._bias_envelope import BiasBounds
from weightpath.record.anchors import without_anchors
from weightpath.record.bias import Lines, levels_at_knots, middle_if_free, middle_of
from weightpath.record.knot_sums import KnotSums
from weightpath.record.record import LOOSE, RESTS, SHORT, Record
from weightpath.record.replay import Replay

__all__ = ["Settled", "free_segments", "is_settled", "settle_bias"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# The knot of each row, and kernel sums of the knots at both ends of the path.
Standing = tuple[NDArray[np.intp], Reals]

# Theta at which pieces of a segment begin, 1 - theta, and the pieces.
Pieces = tuple[Reals, Reals, Lines]


class Settled(NamedTuple):
    """A record whose bias is in the middle wherever it is free.

    Attributes
    ----------
    record : Record
        The path, segment by segment.
    theta, bias : ndarray of shape (n_points,)
        Single theta, increasing, at which the bias is free, and the middle of its interval there.
    """

    record: Record
    theta: Reals
    bias: Reals


def settle_bias(
    kernel: Kernel,
    X: Any,
    start: Staircase,
    end: Staircase,
    record: Record,
    ridge: float = 0.0,
    columns: Columns | None = None,
) -> Settled:
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
    columns : Columns, optional
        The kernel matrix of the rows, if it is at hand; no other thread may use it meanwhile.

    Returns
    -------
    Settled
        With the same record if the bias is unique except at single theta.
    """
    nowhere = np.empty(0)
    if is_settled(start, record):
        return Settled(record, nowhere, nowhere)
    free = free_segments(record)
    loose = (record.freedom[:-1] >= LOOSE) & ~free
    knot = _knots_of_members(start, end, record, free | loose)
    response = ColumnResponse(columns or kernel.columns(X, MATRIX_MB))
    sums = KnotSums(response, start, end, record, knot, ridge)
    bounds = BiasBounds(start, end, *levels_at_knots(start, end), tolerances.BOUND_NOISE)
    lengths = record.lengths()
    pieces, points = {}, []
    for s in np.flatnonzero(free | loose).tolist():
        if free[s]:
            pieces[s] = _pieces(bounds, sums.on(s), record, s, lengths)
        else:
            points.append((record.theta[s], _middle_at(bounds, sums.on(s), record, s, start, end)))
    points = [(theta, bias) for theta, bias in points if bias is not None]
    theta, bias = np.array(points).reshape(-1, 2).T
    return Settled(_split(record, free, knot, pieces) if free.any() else record, theta, bias)


def is_settled(start: Staircase, record: Record) -> bool:
    """Whether the bias is unique on every segment of a path and where it begins."""
    return not start.has_bias or not (record.freedom[:-1] >= LOOSE).any()


def free_segments(record: Record) -> NDArray[np.bool_]:
    """Return which segments leave the bias free.

    Where one anchor takes over from another, rounding can leave a segment too short for either to
    move. Such a one is free like its neighbours: a run of near ones is free if one of them rests.
    """
    near = record.freedom[:-1] >= SHORT
    run = np.cumsum(np.diff(near, prepend=False))
    resting = np.bincount(run[record.freedom[:-1] == RESTS], minlength=run[-1] + 1) > 0
    return np.asarray(near & resting[run])


def _knots_of_members(
    start: Staircase, end: Staircase, record: Record, wanted: NDArray[np.bool_]
) -> Whole:
    """Return the knot that each margin entry of the wanted segments is at; zero for the others."""
    knot = np.zeros(record.member.size, dtype=np.int64)
    segment = record.segment_of_entry
    entry = np.flatnonzero(wanted[segment])
    if entry.size == 0:
        return knot
    row, theta = record.member[entry], record.theta[segment[entry]]
    interval = Replay(record).interval[entry]
    below, above = np.maximum(interval - 1, 0), np.minimum(interval, start.n_knots - 1)
    off = [
        np.abs(
            (1.0 - theta) * start.knots[row, j] + theta * end.knots[row, j] - record.value[entry]
        )
        for j in (below, above)
    ]
    knot[entry] = np.where(off[0] <= off[1], below, above)
    return knot


def _middle_at(
    bounds: BiasBounds,
    standing: Standing,
    record: Record,
    s: int,
    start: Staircase,
    end: Staircase,
) -> float | None:
    """Return the middle of the interval where a segment begins; None if the bias is unique.

    The problem is taken at this very double, as a reader of the path does: ``record.rest`` may have
    more digits, and a bias that changes fast would be that of another problem.
    """
    at_knot, sums = standing
    theta = float(record.theta[s])
    low, high = (bounds.tightest(sums, at_knot, theta, 1.0 - theta, sign) for sign in (1, -1))
    scale = start.between(end, theta).residual_scale
    scale = scale or float(np.abs((1.0 - theta) * sums[0] + theta * sums[1]).max(initial=0.0))
    return middle_if_free(low, high, scale)


def _pieces(
    bounds: BiasBounds, standing: Standing, record: Record, s: int, lengths: Reals
) -> Pieces:
    """Return the theta at which pieces of a free segment begin, ``1 - theta``, and the pieces."""
    at_knot, sums = standing
    left, rest, length = float(record.theta[s]), float(record.rest[s]), float(lengths[s])
    sides = [
        (where, Lines(value, slope))
        for sign in (1, -1)
        if (found := bounds.envelope(sums, at_knot, left, rest, length, sign)) is not None
        for where, value, slope in [found]
    ]
    return _placed(record, s, *middle_of(sides, length))


def _placed(record: Record, s: int, where: Reals, middle: Lines) -> Pieces:
    """Place the pieces of a segment on theta, without those that rounding leaves no length."""
    left, right = float(record.theta[s]), float(record.theta[s + 1])
    if left > 0.5:
        rest = record.rest[s] - where
        theta = np.clip(1.0 - rest, left, right)
    else:
        theta = left + where
        rest = 1.0 - theta
    theta[0], rest[0] = left, record.rest[s]
    if theta.size == 1:
        return theta, rest, middle
    kept = np.append(np.diff(theta) > 0, True) & (theta < right)
    kept[0] |= not kept.any()
    return theta[kept], rest[kept], Lines(middle.value[kept], middle.slope[kept])


def _split(
    record: Record, free: NDArray[np.bool_], knot: Whole, pieces: dict[int, Pieces]
) -> Record:
    """Return the record with the pieces instead of the free segments."""
    count = np.ones(len(record), dtype=np.int64)
    count[free] = [pieces[s][0].size for s in np.flatnonzero(free).tolist()]
    segment = np.repeat(np.arange(len(record)), count)
    theta, bias, slope = record.theta[segment], record.bias[segment], record.bias_slope[segment]
    rest = record.rest[segment]
    into = free[segment]
    for array, parts in (
        (theta, [pieces[s][0] for s in np.flatnonzero(free).tolist()]),
        (rest, [pieces[s][1] for s in np.flatnonzero(free).tolist()]),
        (bias, [pieces[s][2].value for s in np.flatnonzero(free).tolist()]),
        (slope, [pieces[s][2].slope for s in np.flatnonzero(free).tolist()]),
    ):
        array[into] = np.concatenate(parts)
    kept = ~free[record.segment_of_entry]
    size = np.where(free, 0, np.diff(record.offset))[segment]
    events = without_anchors(record, free, knot)
    return Record(
        theta=np.append(theta, record.theta[-1]),
        rest=np.append(rest, record.rest[-1]),
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
