"""A record whose bias is put in the middle of its interval when it is first read.

A path is often followed for the model at its end alone. Where the bias is not unique takes kernel
sums to find, so that is done for those who look.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from weightpath.frozen import freeze
from weightpath.kernels import Kernel
from weightpath.late_rows import read_rows
from weightpath.problems import Staircase
from weightpath.record.record import Record
from weightpath.record.settled_bias import is_settled, settle_bias

__all__ = ["LateRecord"]


class Unsettled:
    """What the engine found, and a lock: several threads may read a path."""

    def __init__(self, record: Record):
        self.record, self.lock = record, Lock()


class LateRecord:
    """What a part of a path has in common with its record and its jumps.

    The two attributes ``record`` and ``jumps`` are not there until one of them is read.
    """

    kernel: Kernel
    start: Staircase
    end: Staircase
    ridge: float

    if TYPE_CHECKING:

        @property
        def train(self) -> Any:
            """What the kernel needs of the training data."""

    else:

        def __getattr__(self, name: str) -> Any:
            # Python asks here only for what it has not found.
            if name == "X" and (rows := read_rows(self)) is not None:
                return rows
            if name in ("record", "jumps"):
                self._settle()
                if name in self.__dict__:
                    return self.__dict__[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        # Pickles and copies have what a reader would see, and no lock.
        self._settle()
        read_rows(self)
        return dict(self.__dict__)

    def _postpone(self, record: Record) -> None:
        """Settle the bias of this record when it is read, if there is anything to settle."""
        if not is_settled(self.start, record):
            del self.__dict__["record"], self.__dict__["jumps"]
            self.__dict__["_unsettled"] = Unsettled(record)

    def _settle(self) -> None:
        """Make the record and the jumps, unless they are there."""
        unsettled = self.__dict__.get("_unsettled")
        if unsettled is None:
            return
        with unsettled.lock:
            if "_unsettled" not in self.__dict__:
                return
            # From the data: the columns of the model are in use elsewhere, and not kept alive.
            settled = settle_bias(
                self.kernel, self.train, self.start, self.end, unsettled.record, self.ridge
            )
            self.__dict__["jumps"] = freeze(settled.theta), freeze(settled.bias)
            self.__dict__["record"] = settled.record
            # Last, so that a thread that finds it gone finds the two others.
            del self.__dict__["_unsettled"]
