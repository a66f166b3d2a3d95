r"""Decision values along a whole path, segment by segment.

On a segment the values change by :math:`u + \sum_{k \in M} \dot\beta_k K_k`, where :math:`u`, the
share of the rows at knots, changes at events only, by one column of kernel values each. So a
segment costs as many columns as its margin has members, whatever the number of training rows.
Every so many segments everything is computed afresh from the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from weightpath.path._segment_values import sweep_segments
from weightpath.problems import Staircase
from weightpath.problems.position import is_at_knot, knot_of
from weightpath.record.record import Record
from weightpath.record.replay import Replay

__all__ = ["iter_values", "rows_in_use"]

Reals = NDArray[np.float64]

# Segments in one block (their values stay in the cache), and blocks between fresh starts.
BLOCK_SEGMENTS = 128
BLOCKS_BETWEEN_STARTS = 8


def rows_in_use(start: Staircase, end: Staircase, record: Record) -> NDArray[np.intp]:
    """Return the rows that have a coefficient anywhere on a path."""
    n = record.initial_position.size
    used = np.zeros(n, dtype=bool)
    used[record.member] = True
    moving = (start.knots != 0.0) | (end.knots != 0.0)
    for row, position in (
        (np.arange(n), record.initial_position),
        (record.event_index, record.event_to),
    ):
        at = is_at_knot(position)
        used[row[at]] |= moving[row[at], knot_of(position[at])]
    return np.flatnonzero(used)


def iter_values(
    K: Reals,
    places: tuple[NDArray[np.intp], NDArray[np.intp]],
    product: Callable[[Reals], Reals],
    ends: tuple[Staircase, Staircase],
    record: Record,
    replay: Replay,
    block_mb: float,
) -> Iterator[tuple[Reals, Reals, Reals, Reals]]:
    """Yield the ends of segments, values at the left ends with the bias, and slopes.

    Parameters
    ----------
    K : ndarray of shape (n_used, n_points)
        Kernel values of what is in use with the points.
    places : tuple of ndarray of shape (n,)
        Where in ``K`` a row of the problem is; for pairs of documents both, else -1 as the second.
    product : callable
        From coefficients of shape (2, n) to values of shape (2, n_points).
    ends : tuple of Staircase
        The problem at both ends of the path.
    record : Record
        The path.
    replay : Replay
        Its positions.
    block_mb : float
        What the values of one block may take.
    """
    n_points = K.shape[1]
    size = max(1, min(BLOCK_SEGMENTS, int(block_mb * 1e6 / (16 * max(1, n_points)))))
    current = drift = np.empty(0)
    n_segments = record.bias.size
    for number, first in enumerate(range(0, n_segments, size)):
        last = min(first + size, n_segments)
        if number % BLOCKS_BETWEEN_STARTS == 0:
            afresh = product(_coefficients(*ends, record, replay, first))
            current, drift = afresh[0].copy(), afresh[1].copy()
        value, slope = np.empty((last - first, n_points)), np.empty((last - first, n_points))
        knots = ends[0].knots, ends[1].knots
        sweep_segments(K, *places, *knots, record, first, last, current, drift, value, slope)
        yield record.theta[first:last], record.theta[first + 1 : last + 1], value, slope


def _coefficients(
    start: Staircase, end: Staircase, record: Record, replay: Replay, segment: int
) -> Reals:
    """Return coefficients at the left of a segment, and speeds of the rows at knots."""
    theta = record.theta[segment]
    position = replay.at(segment)
    at_knot = is_at_knot(position)
    row, knot = np.arange(len(position)), np.where(at_knot, knot_of(position), 0)
    low, high = start.knots[row, knot], end.knots[row, knot]
    coef = np.zeros((2, len(position)))
    coef[0, at_knot] = ((1.0 - theta) * low + theta * high)[at_knot]
    coef[1, at_knot] = (high - low)[at_knot]
    entry = slice(record.offset[segment], record.offset[segment + 1])
    coef[0, record.member[entry]] = record.value[entry]
    return coef
