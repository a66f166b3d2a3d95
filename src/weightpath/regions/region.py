"""One region of a map: its polygon, its sets and its solutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.path import Solution
from weightpath.problems.kind import INSIDE, MARGIN, OUTSIDE
from weightpath.regions.solutions import solution_of

if TYPE_CHECKING:
    from weightpath.regions.maps import RegionMap

__all__ = ["Region", "Regions"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]


class Regions(Sequence["Region"]):
    """The regions of a map, made when they are read."""

    def __init__(self, owner: RegionMap):
        self._owner = owner

    def __len__(self) -> int:
        return len(self._owner)

    @overload
    def __getitem__(self, index: int) -> Region: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Region]: ...
    def __getitem__(self, index: int | slice) -> Region | Sequence[Region]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return Region(self._owner, number)

    def __repr__(self) -> str:
        return f"<{len(self)} regions>"


@dataclass(frozen=True, eq=False, repr=False)
class Region:
    """One polygon of a map, on which every training row stays in its set.

    Attributes
    ----------
    map : RegionMap
        The map that it belongs to.
    number : int
        Its number there.
    """

    map: RegionMap
    number: int

    def __repr__(self) -> str:
        return (
            f"<Region {self.number}: {len(self.polygon)} vertices, area {self.area:.3g}, "
            f"{self.margin.size} at the margin>"
        )

    @property
    def polygon(self) -> Reals:
        """The vertices, counter-clockwise, of shape (n_vertices, 2)."""
        offset = self.map.offset
        return self.map.vertices[offset[self.number] : offset[self.number + 1]]

    @property
    def area(self) -> float:
        """The area of the polygon."""
        return float(self.map.areas[self.number])

    @property
    def position(self) -> NDArray[np.int8]:
        """The position of each training row on its staircase."""
        return self.map.labels[self.number]

    def _rows_in(self, code: int) -> Index:
        subproblem = self.map.problem.subproblem
        of_row = subproblem.reading.sets(self.position)
        return np.asarray(subproblem.rows[of_row == code], dtype=np.intp)

    @property
    def margin(self) -> Index:
        """The training rows at the margin."""
        return self._rows_in(MARGIN)

    @property
    def outside(self) -> Index:
        """The training rows outside."""
        return self._rows_in(OUTSIDE)

    @property
    def inside(self) -> Index:
        """The training rows inside."""
        return self._rows_in(INSIDE)

    def solution(self, z: ArrayLike) -> Solution:
        """Return the exact solution at a point of the polygon; see :meth:`RegionMap.at`."""
        point = self.map.checked_point(z)
        state = self.map.state_at(point, self.number)
        return solution_of(self.map.problem, point, state)
