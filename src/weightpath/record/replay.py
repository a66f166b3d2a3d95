"""Positions at any segment, replayed from the events of a record."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import interval_of
from weightpath.record.record import Record

__all__ = ["Replay"]


class Replay:
    """Random access to the positions on a path.

    A checkpoint is kept every ``max(n, 1024)`` events, so all of them together take no more memory
    than the events do, and reading one segment takes O(n) time.
    """

    def __init__(self, record: Record):
        self._record = record
        self._stride = max(record.n_rows, 1024)
        position = record.initial_position.copy()
        self._checkpoints = [position.copy()]
        for first in range(0, record.n_events - self._stride + 1, self._stride):
            self._apply(position, first, first + self._stride)
            self._checkpoints.append(position.copy())

    def at(self, segment: int) -> NDArray[np.int64]:
        """Return the positions on a segment."""
        count = int(self._record.event_count[segment])
        known = count // self._stride
        position = self._checkpoints[known].copy()
        self._apply(position, known * self._stride, count)
        return position

    def _apply(self, position: NDArray[np.int64], first: int, last: int) -> None:
        # Of several events of one row NumPy's assignment keeps the last.
        position[self._record.event_index[first:last]] = self._record.event_to[first:last]

    @cached_property
    def interval(self) -> NDArray[np.int64]:
        """The interval that each margin entry of the record is free in."""
        record = self._record
        order = np.lexsort((np.arange(record.n_events), record.event_index))
        # Events by row and time; of each row's, the last before the segment begins counts. Where
        # there is none, the entry found is another row's, or the one appended for that.
        key = record.event_index[order] * (record.n_events + 1) + order
        begin = record.event_count[record.segment_of_entry]
        last = np.searchsorted(key, record.member * (record.n_events + 1) + begin) - 1
        row, to = np.append(record.event_index[order], -1), np.append(record.event_to[order], -1)
        first = record.initial_position[record.member]
        position = np.where(row[last] == record.member, to[last], first)
        return interval_of(position).astype(np.int64, copy=False)
