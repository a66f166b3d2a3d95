"""Kernel sums of the knots at which rows stand, from one segment to the next.

Between two segments few rows change their knots, so the sums are brought up to date by their
columns instead of being computed afresh.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels.response import ColumnResponse, Response
from weightpath.problems import Staircase
from weightpath.problems.position import knot_below
from weightpath.record.record import Record

__all__ = ["KnotSums"]

# After so many columns the sums are computed afresh: rounding errors add up, if slowly.
FRESH_AFTER = 500


class KnotSums:
    """``K k`` with the knots ``k`` of all rows at both ends of the path, segment by segment.

    Parameters
    ----------
    response : Response or ColumnResponse
        The kernel.
    start, end : Staircase
        The problem at theta = 0 and theta = 1.
    record : Record
        The path.
    knot : ndarray of shape (N,)
        The knot of each margin entry.
    ridge : float
        What was added to the diagonal of the kernel matrix.
    """

    def __init__(
        self,
        response: Response | ColumnResponse,
        start: Staircase,
        end: Staircase,
        record: Record,
        knot: NDArray[np.int64],
        ridge: float,
    ):
        self._response, self._record, self._ridge = response, record, ridge
        self._ends, self._n_knots = (start.knots, end.knots), start.n_knots
        self._entry_knot = np.asarray(knot, dtype=np.intp)
        self._position = record.initial_position.copy()
        self._n_events = 0
        self._members = np.empty(0, dtype=np.int64)
        self._at_knot: NDArray[np.intp] | None = None
        self._sums = np.empty(0)
        self._n_columns = 0

    def on(self, segment: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the knot of each row on a segment, and the sums of shape (2, n).

        Segments must be asked for in their order. Both arrays change with the next call.
        """
        record = self._record
        events = slice(self._n_events, int(record.event_count[segment]))
        entries = slice(record.offset[segment], record.offset[segment + 1])
        moved = record.event_index[events]
        self._position[moved] = record.event_to[events]
        self._n_events = events.stop
        members = record.member[entries]
        if self._at_knot is None:
            self._at_knot = knot_below(self._position, self._n_knots).astype(np.intp)
            self._at_knot[members] = self._entry_knot[entries]
            self._sum_up()
        else:
            touched = {*moved.tolist(), *self._members.tolist(), *members.tolist()}
            self._change(np.array(sorted(touched), dtype=np.intp), members, entries)
        self._members = members
        return self._at_knot, self._sums

    def _change(self, rows: NDArray[np.intp], members: NDArray[np.int64], entries: slice) -> None:
        """Bring the sums up to date where one of ``rows``, increasing, has another knot."""
        assert self._at_knot is not None
        knot = knot_below(self._position[rows], self._n_knots).astype(np.intp)
        knot[np.searchsorted(rows, members)] = self._entry_knot[entries]
        other = knot != self._at_knot[rows]
        rows, knot = rows[other], knot[other]
        if rows.size == 0:
            return
        before = self._at_knot[rows]
        self._at_knot[rows] = knot
        self._n_columns += rows.size
        if self._n_columns > FRESH_AFTER or 4 * rows.size > self._at_knot.size:
            self._sum_up()
            return
        step = np.stack([knots[rows, knot] - knots[rows, before] for knots in self._ends])
        self._sums += step @ self._response.columns(rows)
        self._sums[:, rows] += self._ridge * step

    def _sum_up(self) -> None:
        """Compute the sums afresh."""
        assert self._at_knot is not None
        row = np.arange(self._at_knot.size)
        knots = np.stack([knots[row, self._at_knot] for knots in self._ends])
        self._sums = np.ascontiguousarray(self._response.product(knots)) + self._ridge * knots
        self._n_columns = 0
