"""Writes down the path of a linear program, segment by segment and event by event."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.simplex.vertex import Vertex
from weightpath.record.program_record import ProgramRecord

__all__ = ["Recorder"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp] | NDArray[np.int64]


class Recorder:
    """Collects a :class:`ProgramRecord`.

    Parameters
    ----------
    vertex : Vertex
        The vertex whose path is recorded, where it begins.
    """

    def __init__(self, vertex: Vertex):
        self.vertex = vertex
        self._initial = vertex.position.copy()
        self._edges = [(vertex.theta, vertex.rest)]
        self._segments: list[tuple[Index, Index, Reals, Index, Reals, int]] = []
        self._events: list[tuple[float, float, bool, int, int, int]] = []

    @property
    def n_events(self) -> int:
        """How many changes were written down."""
        return len(self._events)

    def event(self, is_column: bool, index: int, before: int, after: int) -> None:
        """Write down that a row changes its position, or a column its sign."""
        vertex = self.vertex
        self._events.append((vertex.theta, vertex.rest, is_column, index, before, after))

    def segment(self, theta: float, rest: float) -> float:
        """Write down the segment from where the vertex is to a theta further on.

        Returns how far rows' coefficients are beyond their knots at its ends, in units.
        """
        vertex, core = self.vertex, self.vertex.core
        ends = np.array([vertex.theta, theta]), np.array([vertex.rest, rest])
        w, beta = vertex.solution_at(*ends)
        w[0] += vertex.free_bias(beta[0], *ends)
        w = core.design.original(w, core.features)
        sign = vertex.sign[core.features]
        self._segments.append(
            (core.features.copy(), sign, w, core.rows.copy(), beta, self.n_events)
        )
        self._edges.append((theta, rest))
        return vertex.beyond_knots(beta, *ends)

    def switch(self, vertex: Vertex) -> None:
        """Go on with another vertex at the same theta; write down what differs."""
        old, self.vertex = self.vertex, vertex
        pairs = ((True, old.sign, vertex.sign), (False, old.position, vertex.position))
        for is_column, before, after in pairs:
            for index in np.flatnonzero(before != after).tolist():
                self.event(is_column, index, int(before[index]), int(after[index]))

    def record(self) -> ProgramRecord:
        """Return what was written down."""
        edges = np.array(self._edges)
        events = np.array(self._events, dtype=float).reshape(-1, 6)
        whole = events[:, 2:].astype(np.int64)
        columns, sign, w, rows, beta, counts = zip(*self._segments, strict=True)
        coefficients = np.concatenate([own[1:] for own in w])
        bias = np.array([own[0] for own in w])
        members = np.concatenate(beta)
        return ProgramRecord(
            edges[:, 0].copy(),
            edges[:, 1].copy(),
            bias[:, 0].copy(),
            bias[:, 1].copy(),
            _offsets(columns),
            np.concatenate(columns).astype(np.int64),
            np.concatenate(sign).astype(np.int64),
            coefficients[:, 0].copy(),
            coefficients[:, 1].copy(),
            _offsets(rows),
            np.concatenate(rows).astype(np.int64),
            members[:, 0].copy(),
            members[:, 1].copy(),
            events[:, 0].copy(),
            events[:, 1].copy(),
            whole[:, 0].astype(bool),
            whole[:, 1].copy(),
            whole[:, 2].copy(),
            whole[:, 3].copy(),
            np.array(counts, dtype=np.int64),
            self._initial,
        )


def _offsets(lists: tuple[Index, ...]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum([len(own) for own in lists])).astype(np.int64)
