r"""Decision values on many segments at once.

In a block of consecutive segments only few rows change: the members of the margins and the rows
with events, together the *active* rows. All others stay at one knot throughout, so their share of
:math:`K\beta` is :math:`(1 - \theta) u + \theta v` with two vectors for the whole block. The active
rows need one matrix product with as many columns of K as there are active rows. The work per
segment thus grows with the number of active rows, not with the number of training rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels.response import Response
from weightpath.problems import Staircase
from weightpath.problems.position import Positions, free_in, knot_below
from weightpath.problems.staircase import mix
from weightpath.record.record import Record, way
from weightpath.record.replay import Replay

__all__ = ["Block", "evaluate_blocks", "make_block"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# Larger blocks share the two full products among more segments but have more active rows; 128 is
# the fastest for margins of a few rows and 1600 training rows, 64 and 256 take half as long again.
BLOCK_SEGMENTS = 128

# Without a stored matrix a full product costs all kernel values again. Then the fixed rows' share
# is carried over from block to block, and recomputed this often to stop rounding errors adding up.
BLOCKS_BETWEEN_FULL_PRODUCTS = 8


@dataclass(frozen=True, eq=False)
class Intervals:
    """Margin entries and the knots, at both ends of the path, that they are between.

    Theta is a rounded number: where a coefficient moves very fast, its value at the rounded theta
    may be beyond a knot that it meets in between.

    Attributes
    ----------
    interval : ndarray of int, shape (n_entries,)
        The interval that each entry is free in.
    start, end : ndarray of shape (2, n_entries)
        The knots below and above it at theta = 0 and theta = 1; infinite where there is none.
    """

    interval: Positions
    start: Reals
    end: Reals

    @classmethod
    def of(cls, start: Reals, end: Reals, row: Whole, interval: Positions) -> Intervals:
        """Return the entries of some rows, between the knots of shape (n, m) at both ends.

        Parameters
        ----------
        start, end : ndarray of shape (n, m)
            The knots at theta = 0 and theta = 1.
        row, interval : ndarray of int, shape (n_entries,)
            The row of each entry, and the interval it is free in.
        """
        n_knots = start.shape[1]
        below, above = np.maximum(interval - 1, 0), np.minimum(interval, n_knots - 1)
        ends = (
            np.stack(
                [
                    np.where(interval > 0, knots[row, below], -np.inf),
                    np.where(interval < n_knots, knots[row, above], np.inf),
                ]
            )
            for knots in (start, end)
        )
        return cls(interval, next(ends), next(ends))

    def at_knots(self, value: Reals, theta: float) -> tuple[Reals, Whole]:
        """Return the nearer knot of each entry, and the position at it."""
        low, high = mix(self.start, self.end, theta)
        nearer = np.abs(value - low) <= np.abs(high - value)
        position = free_in(self.interval) + np.where(nearer, -1, 1)
        return np.where(nearer, low, high), position.astype(np.int64)

    def clip(self, value: Reals, theta: float) -> Reals:
        """Return the entries' coefficients at ``theta``, between their knots."""
        low, high = mix(self.start, self.end, theta)
        return np.asarray(np.clip(value, low, np.maximum(low, high)))


@dataclass(frozen=True, eq=False)
class Block:
    """Coefficients on consecutive segments.

    Attributes
    ----------
    left, right : ndarray of shape (s,)
        The ends of the segments.
    left_rest : ndarray of shape (s,)
        ``1 - left`` with all its digits.
    fixed : ndarray of shape (2, n)
        Knots at theta = 0 and theta = 1 of the rows that stay at one knot; zero for the others.
    active : ndarray of shape (a,)
        The other rows, increasing.
    value, slope : ndarray of shape (s, a)
        Coefficients of the active rows at the left ends, and their change per unit of theta.
    bias, bias_slope : ndarray of shape (s,)
    """

    left: Reals
    left_rest: Reals
    right: Reals
    fixed: Reals
    active: Whole
    value: Reals
    slope: Reals
    bias: Reals
    bias_slope: Reals

    def step(self, theta: Reals) -> Reals:
        """Return how far each theta is from the left end of its segment."""
        return way(theta, self.left, self.left_rest)


def make_block(
    start: Staircase, end: Staircase, record: Record, replay: Replay, first: int, last: int
) -> Block:
    """Return the coefficients on the segments ``first`` to ``last - 1``."""
    entry = slice(record.offset[first], record.offset[last])
    event = slice(record.event_count[first], record.event_count[last - 1])
    member, moved = record.member[entry], record.event_index[event]
    active = np.unique(np.concatenate([member, moved]))
    position = replay.at(first)
    row = np.arange(record.n_rows)
    knot = knot_below(position, start.n_knots)
    fixed = np.stack([start.knots[row, knot], end.knots[row, knot]])
    fixed[:, active] = 0.0

    knot = _knots_of_active(record, position[active], active, first, last, start.n_knots)
    at_zero, at_one = start.knots[active, knot], end.knots[active, knot]
    left = record.theta[first:last]
    value = (1.0 - left)[:, None] * at_zero + left[:, None] * at_one
    slope = at_one - at_zero
    segment = np.repeat(np.arange(last - first), np.diff(record.offset[first : last + 1]))
    column = np.searchsorted(active, member)
    value[segment, column] = record.value[entry]
    slope[segment, column] = record.slope[entry]
    return Block(
        left,
        record.rest[first:last],
        record.theta[first + 1 : last + 1],
        fixed,
        active,
        value,
        slope,
        record.bias[first:last],
        record.bias_slope[first:last],
    )


def evaluate_blocks(
    response: Response, start: Staircase, end: Staircase, record: Record, replay: Replay, size: int
) -> Iterator[tuple[Block, Reals, Reals]]:
    """Yield blocks with the decision values at the left ends, and their slopes, (s, n_points).

    The values include the bias. No block has more than ``size`` segments.
    """
    size = max(1, min(size, BLOCK_SEGMENTS))
    fixed: Reals | None = None
    share, age = np.empty(0), 0
    for first in range(0, len(record), size):
        block = make_block(start, end, record, replay, first, min(first + size, len(record)))
        if fixed is None or response.is_dense or age == BLOCKS_BETWEEN_FULL_PRODUCTS:
            share, age = response.product(block.fixed), 0
        else:
            change = block.fixed - fixed
            rows = np.flatnonzero(change.any(axis=0))
            share, age = share + change[:, rows] @ response.columns(rows), age + 1
        fixed = block.fixed
        columns = response.columns(block.active)
        left = block.left[:, None]
        value = block.value @ columns
        value += (1.0 - left) * share[0] + left * share[1] + block.bias[:, None]
        slope = block.slope @ columns
        slope += (share[1] - share[0]) + block.bias_slope[:, None]
        yield block, value, slope


def _knots_of_active(
    record: Record, position: Whole, active: Whole, first: int, last: int, n_knots: int
) -> Positions:
    """Return the knot of each active row on each segment, of shape (s, a)."""
    event = slice(record.event_count[first], record.event_count[last - 1])
    count = record.event_count[first:last]
    segment = np.searchsorted(count, np.arange(event.start, event.stop), side="right")
    column = np.searchsorted(active, record.event_index[event])
    table = np.tile(position, (last - first, 1))
    for s, c, to in zip(segment, column, record.event_to[event], strict=True):
        table[s:, c] = to
    return knot_below(table, n_knots)
