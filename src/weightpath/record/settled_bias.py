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
from scipy.sparse import issparse

from weightpath import tolerances
from weightpath.kernels import Columns, Kernel
from weightpath.kernels.response import MATRIX_MB
from weightpath.problems import Staircase
from weightpath.record._bias_envelope import BiasBounds
from weightpath.record._knot_sums import KnotSums
from weightpath.record.anchors import without_anchors
from weightpath.record.bias import levels_at_knots, middle_if_free
from weightpath.record.record import LOOSE, RESTS, SHORT, Record

__all__ = ["Settled", "free_segments", "is_settled", "settle_bias"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# Kernel values of dense rows with so few features take less time than memory to keep them in does.
FEW_FEATURES = 16


class Pieces(NamedTuple):
    """The bias on free segments, in pieces.

    Attributes
    ----------
    per_segment : ndarray of shape (n_free,)
        How many pieces each segment has.
    theta, rest, bias, slope : ndarray of shape (n_pieces,)
        Where each piece begins, ``1 - theta``, the bias there and its slope.
    """

    per_segment: Whole
    theta: Reals
    rest: Reals
    bias: Reals
    slope: Reals


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
    sums = KnotSums((columns or _columns_of(kernel, X)).long_form(), start, end, record, ridge)
    bounds = BiasBounds(start, end, *levels_at_knots(start, end), tolerances.BOUND_NOISE)
    wanted = np.flatnonzero(free | loose)
    count, lines, points = bounds.along(sums, record, wanted, free[wanted])
    single = [
        (float(place), middle)
        for place, point in zip(record.theta[:-1][loose], points.tolist(), strict=True)
        if (middle := middle_if_free(*point)) is not None
    ]
    theta, bias = np.array(single).reshape(-1, 2).T
    if free.any():
        pieces = _placed(record, np.flatnonzero(free), count, *lines.T)
        record = _split(record, free, sums.knot_of_entry, pieces)
    return Settled(record, theta, bias)


def _columns_of(kernel: Kernel, X: Any) -> Columns:
    """Return the columns of the kernel matrix, kept only where that saves time."""
    is_cheap = kernel.function is None and not issparse(X) and X.shape[1] <= FEW_FEATURES
    return kernel.columns(X, 0.0 if is_cheap else MATRIX_MB)


def is_settled(start: Staircase, record: Record) -> bool:
    """Whether the bias is unique on every segment of a path and where it begins."""
    return not start.has_bias or not record.is_loose


def free_segments(record: Record) -> NDArray[np.bool_]:
    """Return which segments leave the bias free.

    Where one anchor takes over from another, rounding can leave a segment too short for either to
    move. Such a one is free like its neighbours: a run of near ones is free if one of them rests.
    """
    near = record.freedom[:-1] >= SHORT
    run = np.cumsum(np.diff(near, prepend=False))
    resting = np.bincount(run[record.freedom[:-1] == RESTS], minlength=run[-1] + 1) > 0
    return np.asarray(near & resting[run])


def _placed(
    record: Record,
    segments: NDArray[np.intp],
    count: Whole,
    where: Reals,
    bias: Reals,
    slope: Reals,
) -> Pieces:
    """Place the pieces of segments on theta, without those that rounding leaves no length.

    Parameters
    ----------
    record : Record
    segments : ndarray of int, shape (n,)
        The segments.
    count : ndarray of int, shape (n,)
        How many pieces each has; there are ``n_pieces`` in all.
    where, bias, slope : ndarray of shape (n_pieces,)
        How far from the left end of its segment each piece begins, its value there, its slope.
    """
    number = np.repeat(np.arange(segments.size), count)
    first = np.cumsum(count) - count
    left, right, left_rest = (
        edges[segments][number] for edges in (record.theta, record.theta[1:], record.rest)
    )
    near_end = left > 0.5
    rest = left_rest - where
    theta = np.where(near_end, np.clip(1.0 - rest, left, right), left + where)
    rest = np.where(near_end, rest, 1.0 - theta)
    theta[first], rest[first] = left[first], left_rest[first]
    kept = theta < right
    kept[:-1] &= (theta[1:] > theta[:-1]) | (number[1:] != number[:-1])
    kept[first] |= np.bincount(number[kept], minlength=segments.size) == 0
    return Pieces(
        np.bincount(number[kept], minlength=segments.size),
        theta[kept],
        rest[kept],
        bias[kept],
        slope[kept],
    )


def _split(record: Record, free: NDArray[np.bool_], knot: Whole, pieces: Pieces) -> Record:
    """Return the record with the pieces instead of the free segments."""
    count = np.ones(len(record), dtype=np.int64)
    count[free] = pieces.per_segment
    segment = np.repeat(np.arange(len(record)), count)
    theta, bias, slope = record.theta[segment], record.bias[segment], record.bias_slope[segment]
    rest = record.rest[segment]
    into = free[segment]
    theta[into], rest[into], bias[into], slope[into] = pieces[1:]
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
