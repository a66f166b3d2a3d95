"""The least mean loss of several maps of one plane: branch and bound over boxes.

Each layer has its own regions, so a cell of the whole is an intersection of one region of every
layer. The plane is halved into boxes; the least loss in a box is at least the mean of the least
bounds of the regions that each layer has there. Boxes that cannot be better than the best loss so
far are dropped, those in which few intersections are possible are cut into them and searched
exactly, and the others are halved on both sides again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.regions.surface_geometry import clip, edge_lines, line_values, widths
from weightpath.regions.surface_layers import RESOLUTION, Layer
from weightpath.regions.surface_search import PlaneSearch

__all__ = ["search_overlay"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Bools = NDArray[np.bool_]

# Boxes on each side of the plane to begin with.
FIRST = 8

# A box is searched if it has up to so many possible intersections, and after so many halvings.
FEW = 12
DEEPEST = 30

UNIT = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])

# Numbers in one table of values of edges.
TABLE = 1 << 21


@dataclass(eq=False)
class Pairs:
    """Which regions of a layer are in which boxes.

    Attributes
    ----------
    box, region : ndarray of int, shape (n_pairs,)
        In the order of boxes.
    bound : ndarray of shape (n_pairs,)
        Lower bound of the loss of the layer in the common part.
    """

    box: Integers
    region: Integers
    bound: Floats

    def some(self, kept: Bools | Integers) -> Pairs:
        """Return some pairs."""
        return Pairs(self.box[kept], self.region[kept], self.bound[kept])

    def of_boxes(self, kept: Bools) -> Pairs:
        """Return the pairs of some boxes, which are numbered anew."""
        own = self.some(kept[self.box])
        own.box = (np.cumsum(kept) - 1)[own.box]
        return own

    def least(self, n_boxes: int) -> Floats:
        """Return the least bound in every box; infinite where no region is left."""
        found = np.full(n_boxes, np.inf)
        np.minimum.at(found, self.box, self.bound)
        return found

    def counts(self, n_boxes: int) -> Integers:
        """Return the number of regions in every box."""
        return np.bincount(self.box, minlength=n_boxes)


class Ground:
    """The polygons of one layer, for tests against boxes.

    Parameters
    ----------
    layer : Layer
        The layer.
    """

    def __init__(self, layer: Layer):
        self.layer = layer
        self.low, self.high = layer.corners.min(axis=1), layer.corners.max(axis=1)
        self.edges = edge_lines(layer.corners)
        self.bound = layer.least(np.arange(len(layer)), layer.corners, sharp=False)

    def meets(self, region: Integers, low: Floats, high: Floats) -> Bools:
        """Return whether regions have a common part with boxes, up to rounding."""
        found = np.asarray(
            ((self.low[region] < high) & (low < self.high[region])).all(axis=1), dtype=bool
        )
        near = np.flatnonzero(found)
        for some in np.array_split(near, 1 + near.size * self.edges.shape[1] // TABLE):
            edge = self.edges[region[some]]
            corner = np.where(edge[..., 1:] > 0, high[some, None], low[some, None])
            value = edge[..., 0] + (edge[..., 1:] * corner).sum(axis=-1)
            found[some] = ((value > 0) | (edge[..., 1:] == 0).all(axis=-1)).all(axis=1)
        return found

    def contains(self, region: Integers, point: Floats) -> Bools:
        """Return whether regions contain points."""
        value = line_values(self.edges[region], point[:, None, None])[..., 0]
        return np.asarray((value >= 0).all(axis=1))

    def sharpened(self, pairs: Pairs, low: Floats, high: Floats) -> Pairs:
        """Return pairs with bounds over boxes where these are smaller than the regions."""
        size = (self.high[pairs.region] - self.low[pairs.region]).prod(axis=1)
        small = np.flatnonzero((high - low).prod(axis=1)[pairs.box] < 2.0 * size)
        own = pairs.box[small]
        corners = low[own, None] + UNIT * (high - low)[own, None]
        bound = self.layer.least(pairs.region[small], corners)
        pairs.bound[small] = np.maximum(pairs.bound[small], bound)
        return pairs


def search_overlay(layers: Sequence[Layer], resolution: float = RESOLUTION) -> PlaneSearch:
    """Find the least mean loss of several layers over the unit square.

    Parameters
    ----------
    layers : sequence of Layer
        All of one form.
    resolution : float
        Polygons that are not wider do not count.

    Returns
    -------
    PlaneSearch
        With its best loss, and where it was found.
    """
    search = PlaneSearch(layers, resolution)
    grounds = [Ground(layer) for layer in layers]
    low, high = _first_boxes()
    tables = [_first_pairs(ground, low, high) for ground in grounds]
    for depth in range(DEEPEST + 1):
        tables, low, high = _promising(search, tables, low, high)
        if not len(low):
            break
        _try_middles(search, grounds, tables, low, high)
        number = np.prod([table.counts(len(low)).astype(float) for table in tables], axis=0)
        ready = (number <= FEW) | (depth == DEEPEST)
        if ready.any():
            own = [table.of_boxes(ready) for table in tables]
            _search_boxes(search, grounds, own, low[ready], high[ready])
        tables = [table.of_boxes(~ready) for table in tables]
        tables, low, high = _halved(grounds, tables, low[~ready], high[~ready])
    return search


def _first_boxes() -> tuple[Floats, Floats]:
    side = np.arange(FIRST) / FIRST
    low = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    return low, low + 1.0 / FIRST


def _first_pairs(ground: Ground, low: Floats, high: Floats) -> Pairs:
    near = [
        np.flatnonzero(((ground.low < top) & (bottom < ground.high)).all(axis=1))
        for bottom, top in zip(low, high, strict=True)
    ]
    box = np.repeat(np.arange(len(low)), [len(one) for one in near])
    region = np.concatenate(near)
    meets = ground.meets(region, low[box], high[box])
    return Pairs(box[meets], region[meets], ground.bound[region[meets]])


def _promising(
    search: PlaneSearch, tables: list[Pairs], low: Floats, high: Floats
) -> tuple[list[Pairs], Floats, Floats]:
    """Leave out boxes, and regions in them, that cannot be better than the best loss so far."""
    least = np.stack([table.least(len(low)) for table in tables])
    total = least.sum(axis=0)
    limit = search.limit * len(tables)
    kept = total < limit
    found = []
    for k, table in enumerate(tables):
        with np.errstate(invalid="ignore"):
            others = total - least[k]
        own = kept[table.box] & (table.bound + others[table.box] < limit)
        found.append(table.some(own).of_boxes(kept))
    return found, low[kept], high[kept]


def _try_middles(
    search: PlaneSearch, grounds: list[Ground], tables: list[Pairs], low: Floats, high: Floats
) -> None:
    """Offer the middles of boxes."""
    middle = 0.5 * (low + high)
    regions = np.full((len(low), len(tables)), -1, dtype=np.intp)
    for k, (ground, table) in enumerate(zip(grounds, tables, strict=True)):
        inside = ground.contains(table.region, middle[table.box])
        regions[table.box[inside], k] = table.region[inside]
    known = (regions >= 0).all(axis=1)
    if known.any():
        search.try_points(regions[known], middle[known])


def _halved(
    grounds: list[Ground], tables: list[Pairs], low: Floats, high: Floats
) -> tuple[list[Pairs], Floats, Floats]:
    """Halve boxes on both sides."""
    half = 0.5 * (high - low)
    child_low = (low[:, None] + UNIT * half[:, None]).reshape(-1, 2)
    child_high = child_low + np.repeat(half, 4, axis=0)
    found = []
    for ground, table in zip(grounds, tables, strict=True):
        box = (4 * table.box[:, None] + np.arange(4)).ravel()
        region, bound = np.repeat(table.region, 4), np.repeat(table.bound, 4)
        meets = np.flatnonzero(ground.meets(region, child_low[box], child_high[box]))
        meets = meets[np.argsort(box[meets], kind="stable")]
        pairs = Pairs(box[meets], region[meets], bound[meets])
        found.append(ground.sharpened(pairs, child_low, child_high))
    return found, child_low, child_high


def _search_boxes(
    search: PlaneSearch, grounds: list[Ground], tables: list[Pairs], low: Floats, high: Floats
) -> None:
    """Cut boxes into the intersections of regions of all layers, and search these."""
    cells = low[:, None] + UNIT * (high - low)[:, None]
    box = np.arange(len(low))
    regions = np.empty((len(low), 0), dtype=np.intp)
    for ground, table in zip(grounds, tables, strict=True):
        first = np.append(0, np.cumsum(table.counts(len(low))))
        count = np.diff(first)[box]
        place = np.repeat(np.arange(len(box)), count)
        entry = (
            first[box[place]] + np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        )
        region = table.region[entry]
        cells, kept = _common(cells[place], ground.edges[region], search.resolution)
        place = place[kept]
        box, regions = box[place], np.column_stack((regions[place], region[kept]))
    if len(cells):
        search.explore(regions, cells)


def _common(cells: Floats, edges: Floats, resolution: float) -> tuple[Floats, Integers]:
    """Return the common parts of cells and polygons with these edges, and which are left."""
    kept = np.arange(len(cells))
    for k in range(edges.shape[1]):
        line = edges[kept, k]
        if (line_values(line, cells) < 0).any():
            cells, _ = clip(cells, line)
            left = widths(cells) > resolution
            cells, kept = cells[left], kept[left]
    return cells, kept
