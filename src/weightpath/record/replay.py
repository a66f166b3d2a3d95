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
        position = record.initial_position.copy()
        self._stride = max(position.size, 1024)
        self._checkpoints = [record.initial_position]
        for first in range(0, record.event_index.size - self._stride + 1, self._stride):
            some = slice(first, first + self._stride)
            # Of several events of one row NumPy's assignment keeps the last.
            position[record.event_index[some]] = record.event_to[some]
            self._checkpoints.append(position.copy())

    def at(self, segment: int) -> NDArray[np.int64]:
        """Return the positions on a segment."""
        record = self._record
        count = int(record.event_count[segment])
        known = count // self._stride
        position = self._checkpoints[known].copy()
        rest = slice(known * self._stride, count)
        position[record.event_index[rest]] = record.event_to[rest]
        return position

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
