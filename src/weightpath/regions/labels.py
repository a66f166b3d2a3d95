"""The positions of all rows in any region, from the steps that lead there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Labels", "Tiles"]

Reals = NDArray[np.float64]

# Positions are kept in one of so many generations of regions; from there to any other region there
# are fewer steps.
_GENERATIONS = 64


@dataclass(frozen=True, eq=False)
class Tiles:
    """The regions of a plane, in the order in which they were found.

    Attributes
    ----------
    parent : ndarray of int32, shape (n_regions,)
        The region from which each was found; -1 for the first.
    step : structured ndarray of shape (n_regions,)
        How the positions differ from those of the parent.
    offset : ndarray of int64, shape (n_regions + 1,)
        Where the vertices of each polygon begin.
    vertices : ndarray of shape (n_vertices, 2)
        Counter-clockwise, in units of the plane: (0, 0) to (1, 1).
    edge : ndarray of int32, shape (n_vertices,)
        What bounds the edge that begins at a vertex: twice the row that changes, plus one if it
        rises; negative for the sides of the plane.
    first : ndarray of int8, shape (n,)
        The positions in the first region.
    status : str
    """

    parent: NDArray[np.int32]
    step: NDArray[np.void]
    offset: NDArray[np.int64]
    vertices: Reals
    edge: NDArray[np.int32]
    first: NDArray[np.int8]
    status: str


class Labels:
    """Positions in the regions of a tiling.

    Parameters
    ----------
    tiles : Tiles
    """

    def __init__(self, tiles: Tiles):
        self._tiles = tiles
        self._kept: dict[int, NDArray[np.int8]] | None = None

    def __getitem__(self, region: int) -> NDArray[np.int8]:
        """Return the positions of all rows in a region."""
        kept = self._keep() if self._kept is None else self._kept
        way = []
        while region not in kept:
            way.append(region)
            region = int(self._tiles.parent[region])
        position = kept[region].copy()
        for region in reversed(way):
            for row, _, to in self._changes(region):
                position[row] = to
        return position

    def _changes(self, region: int) -> list[tuple[int, int, int]]:
        """Return the rows that change on the way to a region, from where and to where."""
        step = self._tiles.step[region]
        first = int(step["row"]), int(step["from"]), int(step["to"])
        second = int(step["second_row"]), int(step["second_from"]), int(step["second_to"])
        return [change for change in (first, second) if change[0] >= 0]

    def _keep(self) -> dict[int, NDArray[np.int8]]:
        """Walk through all regions once and keep some positions."""
        tiles = self._tiles
        parent = tiles.parent.tolist()
        depth = np.zeros(len(parent), dtype=np.int64)
        for region in range(1, len(parent)):
            depth[region] = depth[parent[region]] + 1
        generation = np.bincount(depth % _GENERATIONS, minlength=_GENERATIONS).argmin()
        wanted = depth % _GENERATIONS == generation
        names = ("row", "from", "to", "second_row", "second_from", "second_to")
        steps = list(zip(*(tiles.step[name].tolist() for name in names), strict=True))
        position, here = tiles.first.copy(), 0
        kept = {0: tiles.first}
        for region in range(1, len(parent)):
            while here != parent[region]:
                row, old, _, second, second_old, _ = steps[here]
                if second >= 0:
                    position[second] = second_old
                if row >= 0:
                    position[row] = old
                here = parent[here]
            row, _, new, second, _, second_new = steps[region]
            if row >= 0:
                position[row] = new
            if second >= 0:
                position[second] = second_new
            here = region
            if wanted[region]:
                kept[region] = position.copy()
        self._kept = kept
        return kept
