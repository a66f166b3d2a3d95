"""Some rows of an array, put together when they are first read.

Rows that go are not taken out at once, which would copy all others: they are left out of an index.
Who reads the rows, as a certificate does, puts them together, once for all who share them.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.frozen import freeze

__all__ = ["LateRows", "has_rows", "postpone_rows", "read_rows", "shape_of_rows", "source_of_rows"]


class LateRows:
    """Rows of an array, read-only.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        The array; nobody writes to it.
    index : ndarray of intp of shape (n,)
        The rows that are meant.

    Attributes
    ----------
    shape : (int, int)
        The shape of the rows.
    """

    def __init__(self, X: NDArray[Any], index: NDArray[np.intp]):
        self.X, self.index = X, index
        self.shape = (len(index), X.shape[1])
        self._read: NDArray[Any] | None = None
        self._lock = Lock()

    def read(self) -> NDArray[Any]:
        """Return the rows as an array of their own."""
        with self._lock:
            if self._read is None:
                self._read = freeze(np.ascontiguousarray(self.X[self.index]))
            return self._read

    def only(self, index: NDArray[Any] | slice) -> LateRows:
        """Return some of the rows."""
        return LateRows(self.X, self.index[index])


# An object with an attribute ``X`` that may be late has it in its dictionary once it was read, and
# until then under another name; its ``__getattr__`` asks `read_rows`.

_LATE = "_late_rows"


def postpone_rows(thing: Any) -> None:
    """Read the rows of an object when they are asked for, if they are late."""
    known = thing.__dict__
    if isinstance(known.get("X"), LateRows):
        known[_LATE] = known.pop("X")


def read_rows(thing: Any) -> Any:
    """Return the rows of an object, and keep them there; ``None`` if they are not late."""
    known = thing.__dict__
    late = known.get(_LATE)
    if late is None:
        return known.get("X")
    # In this order, so that a thread that finds one of them gone finds the other.
    known["X"] = late.read()
    known.pop(_LATE, None)
    return known["X"]


def has_rows(thing: Any) -> bool:
    """Whether an object has rows, read or not."""
    known = thing.__dict__
    return "X" in known or _LATE in known or hasattr(type(thing), "X")


def shape_of_rows(thing: Any) -> tuple[int, int]:
    """Return the shape of the rows of an object, without reading them."""
    late = thing.__dict__.get(_LATE)
    shape: tuple[int, int] = late.shape if late is not None else thing.X.shape
    return shape


def source_of_rows(thing: Any) -> LateRows | None:
    """Return the late rows of an object, if nobody has read them yet."""
    late: LateRows | None = thing.__dict__.get(_LATE)
    return late
