"""What a path is made of: plain arrays, and nothing that needs the engine to be read.

On segment ``s`` (from ``theta[s]`` to ``theta[s + 1]``) the bias and the coefficients of the margin
move on straight lines; every other row sits at its knot. The positions say which knot: the
initial ones, overwritten by the first ``event_count[s]`` events (positions are explained in
:mod:`weightpath.problems.position`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.record._record import Written
from weightpath.record.checks import RULES, check_lengths, check_path

__all__ = ["LOOSE", "RESTS", "SHORT", "UNIQUE", "Record", "way"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# What files of the first version do not have.
_LATER = ("freedom", "rest")

# How free the bias is on a segment. UNIQUE: some row is free between its knots. LOOSE: where the
# segment begins all rows are at knots. SHORT: where it ends, too, but in between a row has moved by
# less than can be told from rest. RESTS: all rows are at knots throughout, and the members of the
# margin only carry the bias along.
UNIQUE, LOOSE, SHORT, RESTS = 0, 1, 2, 3


def _not_given() -> Any:
    return None


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """The exact path of one staircase problem, as arrays.

    With ``S`` segments, ``E`` events, ``n`` rows and ``N`` margin entries in all:

    Parameters
    ----------
    theta : ndarray of shape (S + 1,)
        Edges of the segments, increasing. Close to 1 edges may round to one number; ``rest`` tells
        them apart.
    bias, bias_slope : ndarray of shape (S,)
        The bias at the start of each segment and its change per unit of theta.
    offset : ndarray of shape (S + 1,)
        The margin of segment ``s`` is in the entries ``offset[s]:offset[s + 1]``.
    member, value, slope : ndarray of shape (N,)
        Row, coefficient at the segment's start and its change per unit of theta.
    event_theta, event_index, event_from, event_to : ndarray of shape (E,)
        Where a row changes its position, which row, and its positions before and after.
    event_count : ndarray of shape (S,)
        How many events happen before each segment begins.
    initial_position : ndarray of shape (n,)
        Positions before the first event.
    freedom : ndarray of shape (S + 1,), optional
        How free the bias is on each segment (0 to 3, see the module), and at the end; all zero if
        not given.
    rest : ndarray of shape (S + 1,), optional
        ``1 - theta``, with all its digits where theta is close to one.
    """

    theta: Reals
    bias: Reals
    bias_slope: Reals
    offset: Whole
    member: Whole
    value: Reals
    slope: Reals
    event_theta: Reals
    event_index: Whole
    event_from: Whole
    event_to: Whole
    event_count: Whole
    initial_position: Whole
    # Arrays from the construction on, given or not. No defaults of the class, where they would be
    # found before they are made.
    freedom: Whole = field(default_factory=_not_given)
    rest: Reals = field(default_factory=_not_given)

    def __post_init__(self) -> None:
        if self.freedom is None:
            object.__setattr__(self, "freedom", np.zeros(len(self.theta), dtype=np.int64))
        if self.rest is None:
            object.__setattr__(self, "rest", 1.0 - np.asarray(self.theta, dtype=np.float64))
        for name, rule in RULES.items():
            dtype = np.float64 if rule.real else np.int64
            array = np.ascontiguousarray(self.__dict__[name], dtype=dtype)
            if array.ndim != 1:
                raise ValueError(f"{name} of a record must have one dimension, not {array.ndim}.")
            if array.flags.writeable:
                array = array.view()
                array.setflags(write=False)
            self.__dict__[name] = array
        check_lengths(self)

    @classmethod
    def of_own(cls, **arrays: NDArray[Any]) -> Record:
        """Return the record of arrays that the library has made, ``rest`` if it is given.

        They fit together and have the right types: there are no checks.
        """
        record = object.__new__(cls)
        if "rest" not in arrays:
            arrays["rest"] = 1.0 - arrays["theta"]
        for array in arrays.values():
            array.setflags(write=False)
        record.__dict__.update(arrays)
        return record

    @classmethod
    def of_written(cls, written: Written) -> Record:
        """Return the record of what a loop has written; its arrays are made when one is read."""
        record = object.__new__(cls)
        record.__dict__["_written"] = written
        return record

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python asks here only for what it has not found.
            written = self.__dict__.get("_written")
            if written is not None:
                self.__dict__.update(Record.of_own(**written.arrays()).__dict__)
                # Last, so that a thread that finds it gone finds all arrays.
                self.__dict__.pop("_written", None)
            if name in self.__dict__:
                return self.__dict__[name]
            raise AttributeError(f"A Record has no attribute {name!r}.")

    def __getstate__(self) -> dict[str, Any]:
        # Pickles and copies have the arrays.
        return self.to_arrays()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the arrays."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Record:
        """Return the record of the arrays in ``arrays``; other entries are not looked at."""
        missing = [name for name in cls.names() if name not in arrays and name not in _LATER]
        if missing:
            raise ValueError(f"A record needs the arrays {', '.join(missing)}.")
        return cls(**{name: arrays[name] for name in cls.names() if name in arrays})

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name."""
        return {name: getattr(self, name) for name in self.names()}

    def __repr__(self) -> str:
        return (
            f"<Record: {self.n_rows} rows, {len(self)} segments, {self.n_events} events, "
            f"theta {self.theta[0]:.6g} to {self.theta[-1]:.6g}>"
        )

    def __len__(self) -> int:
        written = self.__dict__.get("_written")
        return int(self.bias.shape[0]) if written is None else written.n_segments

    def lengths(self) -> Reals:
        """Return the length of each segment, with all its digits."""
        return way(self.theta[1:], self.theta[:-1], self.rest[:-1], self.rest[1:])

    @property
    def n_events(self) -> int:
        """The number of events."""
        written = self.__dict__.get("_written")
        return int(self.event_index.shape[0]) if written is None else written.n_events

    @property
    def n_rows(self) -> int:
        """The number of rows of the problem."""
        written = self.__dict__.get("_written")
        return len(self.initial_position if written is None else written.position)

    @property
    def is_loose(self) -> bool:
        """Whether the bias is not unique where some segment begins."""
        written = self.__dict__.get("_written")
        return bool((self.freedom[:-1] >= LOOSE).any()) if written is None else written.is_loose

    @property
    def end_freedom(self) -> int:
        """How free the bias is where the path ends."""
        written = self.__dict__.get("_written")
        return int(self.freedom[-1]) if written is None else written.end_freedom

    @property
    def segment_of_entry(self) -> NDArray[np.intp]:
        """The segment of each margin entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))

    def final_position(self) -> Whole:
        """Return the positions after the last event."""
        position = self.initial_position.copy()
        position[self.event_index] = self.event_to
        return position

    def validate(self) -> None:
        """Raise ``ValueError`` unless the arrays tell one consistent path.

        This looks at all events, so it is meant for tests and for files from elsewhere.
        """
        check_path(self)


def way(
    theta: float | Reals,
    left: float | Reals,
    left_rest: float | Reals,
    rest: float | Reals | None = None,
) -> Reals:
    """Return how far ``theta`` is from ``left``: by their distances from 1 where these are exact.

    Parameters
    ----------
    theta, left : float or ndarray
    left_rest : float or ndarray
        ``1 - left`` with all its digits.
    rest : float or ndarray, optional
        ``1 - theta``, if it has more digits than theta.
    """
    rest = 1.0 - theta if rest is None else rest
    # Python's own arithmetic: for single numbers it is several times as fast as NumPy's functions.
    return np.where(left > 0.5, np.maximum(left_rest - rest, 0.0), theta - left)
