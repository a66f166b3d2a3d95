"""Dense rows with room behind them: arrivals need no copy of the rows that are there.

Many objects may share one buffer, of which each shows an interval. What an interval shows is never
changed: only behind the last row of all can rows be added, and where another object has added some
already, a new buffer is made.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["RoomyRows"]

Reals = NDArray[np.float64]

# Room for arrivals, as a fraction of the rows.
_ROOM = 0.125


class _Buffer:
    """Memory for rows, of which the first ``used`` are taken."""

    def __init__(self, capacity: int, n_features: int, dtype: Any):
        self.rows = np.empty((capacity, n_features), dtype)
        self.rows.setflags(write=False)
        self.used = 0
        self._lock = Lock()

    def append(self, at: int, rows: Reals) -> bool:
        """Add rows after the first ``at``; return whether there was room, and no others there."""
        end = at + len(rows)
        with self._lock:
            if at != self.used or end > len(self.rows) or not _fits(rows, self.rows.dtype):
                return False
            self.rows.setflags(write=True)
            self.rows[at:end] = rows
            self.rows.setflags(write=False)
            self.used = end
        return True


class RoomyRows:
    """An interval of rows in a buffer; it is never changed.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        The rows, read-only.
    """

    def __init__(self, buffer: _Buffer, first: int, end: int):
        self._buffer, self._first, self._end = buffer, first, end
        self.X = buffer.rows[first:end]
        self.X.setflags(write=False)

    @classmethod
    def of(cls, above: Reals, below: Reals) -> Self:
        """Return rows below others, copied, with room for more."""
        n = len(above) + len(below)
        dtype = above.dtype if _fits(below, above.dtype) else np.float64
        buffer = _Buffer(n + max(8, int(_ROOM * n)), above.shape[1], dtype)
        buffer.append(0, above)
        buffer.append(len(above), below)
        return cls(buffer, 0, n)

    def followed_by(self, more: Reals, n_gone: int = 0) -> RoomyRows:
        """Return these rows, without the first ``n_gone``, with others below them."""
        if self._buffer.append(self._end, more):
            return RoomyRows(self._buffer, self._first + n_gone, self._end + len(more))
        return RoomyRows.of(self.X[n_gone:], more)

    def after(self, n_gone: int) -> RoomyRows | None:
        """Return these rows without the first; ``None`` if most of the memory would be unused."""
        first = self._first + n_gone
        if 2 * (self._end - first) < len(self._buffer.rows):
            return None
        return RoomyRows(self._buffer, first, self._end)


def _fits(rows: NDArray[Any], dtype: Any) -> bool:
    """Whether rows lose nothing in single precision, if that is what the others have."""
    return dtype == rows.dtype or dtype == np.float64 or np.array_equal(rows.astype(dtype), rows)
