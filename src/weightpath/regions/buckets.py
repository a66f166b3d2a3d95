"""Which polygon of a tiling holds a point: a grid of cells, each with the polygons that meet it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Buckets"]

Reals = NDArray[np.float64]

# Cells for each polygon, about; and cells that are looked at together.
_CELLS = 0.125
_AT_ONCE = 2_000_000


class Buckets:
    """Polygons by cells of the unit square.

    Parameters
    ----------
    offset : ndarray of shape (n_polygons + 1,)
        Where the vertices of each polygon begin.
    vertices : ndarray of shape (n_vertices, 2)
        Counter-clockwise.
    """

    def __init__(self, offset: NDArray[np.int64], vertices: Reals):
        self._offset, self._vertices = offset, vertices
        n = len(offset) - 1
        self._size = size = max(1, int(np.sqrt(_CELLS * n)))
        first = np.stack([np.minimum.reduceat(v, offset[:-1]) for v in vertices.T], axis=1)
        last = np.stack([np.maximum.reduceat(v, offset[:-1]) for v in vertices.T], axis=1)
        low = np.clip((first * size - 1e-9).astype(np.int64), 0, size - 1)
        high = np.clip((last * size + 1e-9).astype(np.int64), 0, size - 1)
        cells, owners = [], []
        count = np.prod(high - low + 1, axis=1)
        begin = 0
        while begin < n:
            end = begin + max(1, int(np.searchsorted(np.cumsum(count[begin:]), _AT_ONCE)))
            cell, owner = self._meeting(low[begin:end], high[begin:end], begin)
            cells.append(cell)
            owners.append(owner)
            begin = end
        cell, owner = np.concatenate(cells), np.concatenate(owners)
        order = np.argsort(cell, kind="stable")
        self._owner = owner[order].astype(np.int32)
        self._begin = np.searchsorted(cell[order], np.arange(size * size + 1))

    def _meeting(
        self, low: NDArray[np.int64], high: NDArray[np.int64], begin: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of cells and polygons that meet."""
        wide = high - low + 1
        count = wide.prod(axis=1)
        owner = np.repeat(np.arange(len(low)), count)
        number = np.arange(owner.size) - np.repeat(np.cumsum(count) - count, count)
        x = low[owner, 0] + number % wide[owner, 0]
        y = low[owner, 1] + number // wide[owner, 0]
        # A cell is beside a polygon if all its corners are beyond one of the polygon's edges.
        meets = np.ones(owner.size, dtype=bool)
        several = np.flatnonzero(count[owner] > 2)
        meets[several] = ~self._is_beside(owner[several] + begin, x[several], y[several])
        return (y * self._size + x)[meets], (owner + begin)[meets]

    def _is_beside(
        self, polygon: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        center = (np.stack([x, y], axis=1) + 0.5) / self._size
        beside = np.zeros(len(polygon), dtype=bool)
        sides = np.diff(self._offset)[polygon]
        for k in range(int(sides.max(initial=0))):
            own = np.flatnonzero(sides > k)
            at = self._offset[polygon[own]]
            start = self._vertices[at + k]
            along = self._vertices[at + (k + 1) % sides[own]] - start
            across = np.stack([-along[:, 1], along[:, 0]], axis=1)
            inner = ((center[own] - start) * across).sum(axis=1)
            reach = (0.5 / self._size + 1e-9) * np.abs(across).sum(axis=1)
            beside[own] |= inner < -reach
        return beside

    def find(self, point: Reals) -> int:
        """Return the polygon that holds a point of the unit square, or the nearest one around."""
        cell = np.clip((point * self._size).astype(np.int64), 0, self._size - 1)
        number = int(cell[1] * self._size + cell[0])
        candidates = self._owner[self._begin[number] : self._begin[number + 1]]
        if candidates.size == 0:
            candidates = np.arange(len(self._offset) - 1, dtype=np.int32)
        return int(candidates[int(self._excess(candidates, point).argmin())])

    def _excess(self, polygons: NDArray[np.int32], point: Reals) -> Reals:
        """How far a point is outside each of some polygons; negative inside."""
        sides = self._offset[polygons + 1] - self._offset[polygons]
        begin = np.cumsum(sides) - sides
        within = np.arange(int(sides.sum())) - np.repeat(begin, sides)
        first = np.repeat(self._offset[polygons], sides)
        start = self._vertices[first + within]
        along = self._vertices[first + (within + 1) % np.repeat(sides, sides)] - start
        length = np.hypot(along[:, 0], along[:, 1])
        out = along[:, 1] * (point[0] - start[:, 0]) - along[:, 0] * (point[1] - start[:, 1])
        beyond = np.where(length > 0.0, out / np.where(length > 0.0, length, 1.0), -np.inf)
        return np.asarray(np.maximum.reduceat(beyond, begin))
