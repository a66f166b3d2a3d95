r"""Kernel sums at a problem's own rows along its whole path, from the data and the record alone.

Most rows stay at one knot on the whole path. Their share of :math:`K\beta` is
:math:`(1 - \theta) u + \theta v` with two vectors that are computed once. The columns of the others
are computed when a block of segments first needs them, and kept as far as memory allows. On a block
the rows that change on it, its *active* rows, are few; the share of all others is carried over from
the block before, by the columns of the rows that have become active or stopped being so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.path._segment_sets import add_columns

if TYPE_CHECKING:
    from weightpath.path.part import PathPart

__all__ = ["ColumnStore", "OwnSums"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# Columns of kernel values that are kept take about so much memory at most.
COLUMNS_MB = 200.0

# Columns are computed in pieces of about this size, which stay in the cache of the processor.
PIECE_MB = 4.0

# Where margins have at least so many members on average, the kernel sums of all segments of a block
# are one product of matrices; with fewer, segments are cheaper one by one.
LARGE_MARGIN = 128

# What is carried over from block to block is computed afresh this often, at least: rounding errors
# add up.
BLOCKS_BETWEEN_STARTS = 32


class ColumnStore:
    """Columns of a problem's matrix, with the ridge, in limited memory.

    Parameters
    ----------
    part : PathPart
    n_columns : int
        How many columns will be asked for in all.
    budget_mb : float
        What they may take; columns that are needed at the same time are kept in any case.

    Attributes
    ----------
    values : ndarray of shape (n_slots, n)
        The columns, one in each row.
    slot : ndarray of int, shape (n,)
        Where the column of a row is; -1 if it is not kept.
    """

    def __init__(self, part: PathPart, n_columns: int, budget_mb: float):
        n = len(part)
        n_slots = min(n_columns, int(budget_mb * 1e6 / (8 * n)))
        self._part = part
        self.values: Reals = np.empty((n_slots, n))
        self.slot = np.full(n, -1, dtype=np.intp)
        self._row = np.full(n_slots, -1, dtype=np.intp)
        self._last_use = np.full(n_slots, -1, dtype=np.int64)

    def hold(self, rows: Whole, now: int) -> None:
        """Have the columns of some rows, for as long as ``now`` does not grow."""
        self._make_room(rows.size)
        kept = self.slot[rows]
        self._last_use[kept[kept >= 0]] = now
        missing = rows[kept < 0]
        oldest = np.argsort(self._last_use, kind="stable")[: missing.size]
        self.slot[self._row[oldest[self._row[oldest] >= 0]]] = -1
        self._row[oldest], self._last_use[oldest], self.slot[missing] = missing, now, oldest
        piece = max(1, int(PIECE_MB * 1e6 / (8 * len(self._part))))
        for first in range(0, missing.size, piece):
            some = missing[first : first + piece]
            self.values[self.slot[some]] = self._columns(some)
        self.values[self.slot[missing], missing] += self._part.ridge

    def _make_room(self, n_slots: int) -> None:
        more = n_slots - len(self._row)
        if more > 0:
            self.values = np.concatenate([self.values, np.empty((more, self.values.shape[1]))])
            self._row = np.append(self._row, np.full(more, -1))
            self._last_use = np.append(self._last_use, np.full(more, -1))

    def _columns(self, rows: Whole) -> Reals:
        kernel, train = self._part.kernel, self._part.train
        if kernel.name != "precomputed":
            return kernel.between(train[rows], train)
        columns = train[:, rows]
        dense = columns.toarray() if hasattr(columns, "toarray") else columns
        return np.asarray(dense).T


class OwnSums:
    """What rows at knots add to the kernel sums at all rows, block after block.

    Parameters
    ----------
    part : PathPart
    budget_mb : float, default=COLUMNS_MB
        What the columns that are kept may take.

    Attributes
    ----------
    columns : ColumnStore
        The columns of the rows that change on the present block, and of others.
    carried : ndarray of shape (2,)
        By how much knots that came or went since the last fresh start could move a residual, in
        all, at theta = 0 and theta = 1: their roundings may be left in the share.
    """

    def __init__(self, part: PathPart, budget_mb: float = COLUMNS_MB):
        record = part.record
        self._part = part
        self._changes = np.zeros(len(part), dtype=bool)
        self._changes[record.member] = True
        self._changes[record.event_index] = True
        self.columns = ColumnStore(part, int(self._changes.sum()), budget_mb)
        self._fixed = np.zeros((2, len(part)))
        self._share = self._still_share = self._fixed
        self.carried, self._block = np.zeros(2), 0

    def begin(self, knot: Whole, size: int, beta: Reals) -> Reals:
        """Begin with a block of ``size`` segments; return the kernel sums of ``beta``.

        All kernel values of rows that do not change are computed here, once for everything.

        Parameters
        ----------
        knot : ndarray of shape (n,)
            The knot of each row where the path begins; -1 on the margin.
        size : int
            How many segments the first block has at most.
        beta : ndarray of shape (k, n)
            Further coefficients.

        Returns
        -------
        ndarray of shape (k, n)
        """
        self._fixed = self._knots(knot)
        self._fixed[:, self._active(0, min(size, len(self._part.record)))] = 0.0
        still = np.where(self._changes, 0.0, self._fixed)
        found = self._part.response(np.concatenate([still, self._fixed - still, beta]).T).T
        self._still_share = np.ascontiguousarray(found[:2])
        self._share = self._still_share + found[2:4]
        return found[4:]

    def share(self, knot: Whole, first: int, last: int, afresh: bool = False) -> Reals:
        """Return the kernel sums of all rows at knots where a block begins, of shape (2, n).

        Parameters
        ----------
        knot : ndarray of shape (n,)
            The knot of each row there; -1 on the margin.
        first, last : int
            The segments of the block are ``first`` to ``last - 1``.
        afresh : bool, default=False
            Whether nothing may be carried over from the block before.
        """
        knots, active = self._knots(knot), self._active(first, last)
        fixed = knots.copy()
        fixed[:, active] = 0.0
        change, is_new = fixed - self._fixed, np.zeros(len(self._part), dtype=bool)
        is_new[active] = True
        self._block += 1
        # Rows that are no longer active still have their columns, new ones have them later.
        self._add(np.where(is_new, 0.0, change), self._share)
        self.columns.hold(active, self._block)
        self._add(np.where(is_new, change, 0.0), self._share)
        self.carried += np.abs(change) @ self._part.kappa
        if afresh or self._block % BLOCKS_BETWEEN_STARTS == 0:
            self._share, self.carried = self._afresh(fixed), np.zeros(2)
        self._fixed = fixed
        share = self._share.copy()
        self._add(knots - fixed, share)
        return share

    def has_large_margins(self, first: int, last: int) -> bool:
        """Whether a product of matrices for all margins of a block is worth its while."""
        offset = self._part.record.offset
        return bool(offset[last] - offset[first] >= LARGE_MARGIN * (last - first))

    def margins(self, first: int, last: int, beta: Reals) -> Reals:
        """Return the kernel sums of the margins of a block, of shape (3, last - first, n).

        Parameters
        ----------
        first, last : int
            The segments of the block are ``first`` to ``last - 1``.
        beta : ndarray of shape (3, n_entries)
            The coefficients of the margins at three theta of each segment.
        """
        record, n_segments = self._part.record, last - first
        member = record.member[record.offset[first] : record.offset[last]]
        rows, column = np.unique(member, return_inverse=True)
        segment = np.repeat(np.arange(n_segments), np.diff(record.offset[first : last + 1]))
        coef = np.zeros((len(beta), n_segments, rows.size))
        coef[:, segment, column] = beta
        found = np.empty((len(beta), n_segments, len(self._part)))
        slot = self.columns.slot[rows]
        piece = max(1, int(PIECE_MB * 1e6 / (8 * max(1, rows.size))))
        for point in range(0, len(self._part), piece):
            some = slice(point, point + piece)
            found[:, :, some] = coef @ self.columns.values[slot, some]
        return found

    def _knots(self, knot: Whole) -> Reals:
        """Return the knots of all rows at theta = 0 and theta = 1; zero on the margin."""
        row = np.arange(knot.size)
        ends = self._part.start.knots, self._part.end.knots
        return np.stack([np.where(knot < 0, 0.0, knots[row, knot]) for knots in ends])

    def _active(self, first: int, last: int) -> Whole:
        """Return the rows that change on some segments: members of margins, rows with events.

        Those with events where the first segment begins are among them.
        """
        record = self._part.record
        entry = slice(record.offset[first], record.offset[last])
        event = slice(record.event_count[first - 1] if first else 0, record.event_count[last - 1])
        return np.unique(np.concatenate([record.member[entry], record.event_index[event]]))

    def _add(self, coef: Reals, share: Reals) -> None:
        """Add the columns of some rows, which are kept, times coefficients of shape (2, n)."""
        rows = np.flatnonzero(coef.any(axis=0))
        columns = self.columns
        add_columns(columns.values, columns.slot[rows], np.ascontiguousarray(coef[:, rows]), share)

    def _afresh(self, coef: Reals) -> Reals:
        """Return the kernel sums of coefficients, which rows that never change have throughout."""
        coef, is_kept = np.where(self._changes, coef, 0.0), self.columns.slot >= 0
        share = self._still_share + self._part.response(np.where(is_kept, 0.0, coef).T).T
        self._add(np.where(is_kept, coef, 0.0), share)
        return share
