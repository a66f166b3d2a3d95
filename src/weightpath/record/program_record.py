"""What the path of a linear program leaves behind: plain arrays, read without the engine.

On segment ``s`` (from ``theta[s]`` to ``theta[s + 1]``) the basis stays: the coefficients of its
columns, the bias and the coefficients of its rows are straight lines between their values at both
ends of the segment, every other column has no coefficient and every other row sits at its knot. The
positions say which: the initial ones, overwritten by the first ``event_count[s]`` events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ProgramRecord"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class ProgramRecord:
    """The exact path of one linear program, as arrays.

    With ``S`` segments, ``E`` events and ``n`` rows:

    Parameters
    ----------
    theta, rest : ndarray of shape (S + 1,)
        Edges of the segments, increasing, and ``1 - theta`` with all its digits.
    bias_left, bias_right : ndarray of shape (S,)
        The bias at the ends of each segment.
    column_offset : ndarray of shape (S + 1,)
        The columns of segment ``s`` are in the entries ``column_offset[s]:column_offset[s + 1]``.
    column, column_sign, column_left, column_right : ndarray
        Columns with a coefficient, its sign, and its values at the ends of the segment.
    row_offset : ndarray of shape (S + 1,)
        Likewise for rows.
    row, row_left, row_right : ndarray
        Rows at a level, and their coefficients at the ends of the segment.
    event_theta, event_rest : ndarray of shape (E,)
        Where a row changes its position, or a column its sign.
    event_is_column : ndarray of bool, shape (E,)
    event_index, event_from, event_to : ndarray of shape (E,)
        Which row or column; its positions, or its signs, before and after.
    event_count : ndarray of shape (S,)
        How many events happen before each segment begins.
    initial_position : ndarray of shape (n,)
        Positions of rows before the first event.
    """

    theta: Reals
    rest: Reals
    bias_left: Reals
    bias_right: Reals
    column_offset: Whole
    column: Whole
    column_sign: Whole
    column_left: Reals
    column_right: Reals
    row_offset: Whole
    row: Whole
    row_left: Reals
    row_right: Reals
    event_theta: Reals
    event_rest: Reals
    event_is_column: NDArray[np.bool_]
    event_index: Whole
    event_from: Whole
    event_to: Whole
    event_count: Whole
    initial_position: Whole

    def __post_init__(self) -> None:
        for own in fields(self):
            getattr(self, own.name).setflags(write=False)

    def __repr__(self) -> str:
        return f"<ProgramRecord: {len(self)} segments, {self.n_events} events>"

    def __len__(self) -> int:
        return len(self.theta) - 1

    @property
    def n_events(self) -> int:
        """The number of changes of positions and signs."""
        return len(self.event_theta)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.initial_position)

    def positions(self, segment: int) -> Whole:
        """Return the positions of all rows on a segment."""
        position = self.initial_position.copy()
        done = slice(0, int(self.event_count[segment]))
        of_row = ~self.event_is_column[done]
        # Of several changes of one row the last one counts.
        position[self.event_index[done][of_row]] = self.event_to[done][of_row]
        return position

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name, for saving."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n: int, p: int) -> ProgramRecord:
        """Return the record of saved arrays; ``ValueError`` unless they fit together."""
        found: dict[str, Any] = {}
        for own in fields(cls):
            array = arrays.get(own.name)
            _need(array is not None and array.ndim == 1, f"{own.name} is missing or no list")
            found[own.name] = np.array(array, dtype=_TYPES.get(own.type, np.int64))
        record = cls(**found)
        record.validate(n, p)
        return record

    def validate(self, n: int, p: int) -> None:
        """Raise ``ValueError`` unless the arrays describe a path of ``n`` rows, ``p`` columns."""
        S, E = len(self.theta) - 1, len(self.event_theta)
        _need(S >= 1, "there is no segment")
        _need(len(self.initial_position) == n, "the rows are others")
        for name in ("rest", "column_offset", "row_offset"):
            _need(len(getattr(self, name)) == S + 1, f"{name} has another length")
        for name in ("bias_left", "bias_right", "event_count"):
            _need(len(getattr(self, name)) == S, f"{name} has another length")
        for name in ("event_rest", "event_is_column", "event_index", "event_from", "event_to"):
            _need(len(getattr(self, name)) == E, f"{name} has another length")
        _need(bool((np.diff(self.theta) >= 0).all()), "theta does not increase")
        _need(bool((np.diff(self.rest) <= 0).all()), "theta does not increase")
        _need(self.theta[0] == 0.0 and 0.0 <= self.theta[-1] <= 1.0, "theta is not in [0, 1]")
        counts = self.event_count
        _need(bool((np.diff(counts) >= 0).all()), "events are out of order")
        _need(counts.min() >= 0 and counts.max() <= E, "events are out of order")
        for offset, index, size, ends in (
            (
                self.column_offset,
                self.column,
                p,
                (self.column_sign, self.column_left, self.column_right),
            ),
            (self.row_offset, self.row, n, (self.row_left, self.row_right)),
        ):
            _need(offset[0] == 0 and offset[-1] == len(index), "a basis has another size")
            _need(bool((np.diff(offset) >= 0).all()), "a basis has another size")
            _need(all(len(end) == len(index) for end in ends), "a basis has another size")
            _need(_within(index, size), "a basis has an unknown row or column")
        sizes = np.where(self.event_is_column, p, n)
        _need(bool(((self.event_index >= 0) & (self.event_index < sizes)).all()), "unknown events")
        for own in fields(self):
            _need(bool(np.isfinite(getattr(self, own.name)).all()), f"{own.name} is not finite")


_TYPES: dict[Any, type] = {"Reals": np.float64, "NDArray[np.bool_]": np.bool_}


def _within(index: Whole, size: int) -> bool:
    return len(index) == 0 or bool(index.min() >= 0 and index.max() < size)


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)
