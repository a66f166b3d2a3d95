"""The least mean loss of one or several layers over polygons of the plane, exactly.

A polygon that lies in one region of every layer is cut by the lines of all layers into cells, on
each of which step functions are constant and sums of hinges linear; a sum of squares needs no cut.
Only polygons whose lower bound is below the best loss so far are cut, the most promising first, and
those with many lines are halved before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.regions.surface_geometry import centres, clip, cut, edge_lines, halves, widths
from weightpath.regions.surface_layers import RESOLUTION, HingeLayer, Layer, Lines
from weightpath.regions.surface_squares import SquareLayer, least_of_squares

__all__ = ["PlaneSearch"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Polygons that are cut at a time, and with how many lines a polygon is halved instead.
BATCH = 256
MANY_LINES = 16

# Narrower polygons are cut even by many lines: these may all meet in a point.
NARROW = 1e-6

# Lines of equal rows, whose numbers agree to so many digits, are one line.
EQUAL_LINES = 12

# Two losses that differ by less than this, relative to the larger, are equal.
ROUNDING = 64 * np.finfo(float).eps

# Points with the best loss whose cells are compared.
CANDIDATES = 64


@dataclass(eq=False)
class PlaneSearch:
    """A search for the least mean loss.

    Parameters
    ----------
    layers : sequence of Layer
        All of one form; what is minimised is the mean of their losses.
    resolution : float
        Polygons that are not wider do not count.

    Attributes
    ----------
    best : float
        The least loss so far.
    regions : ndarray of int, shape (n, n_layers)
        The regions of the points where it was found.
    points : ndarray of shape (n, 2)
        These points.
    """

    layers: Sequence[Layer]
    resolution: float = RESOLUTION
    best: float = np.inf
    regions: Integers = field(init=False)
    points: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.regions = np.empty((0, len(self.layers)), dtype=np.intp)
        self.points = np.empty((0, 2))

    @property
    def limit(self) -> float:
        """A loss must be below this to be better than the best."""
        return self.best - _rounding(self.best)

    def loss(self, regions: Integers, points: Floats) -> Floats:
        """Return mean losses (n, k) at points (n, k, 2) in regions (n, n_layers)."""
        terms = [layer.loss(regions[:, k], points) for k, layer in enumerate(self.layers)]
        return np.asarray(sum(terms) / len(terms))

    def least(self, regions: Integers, corners: Floats) -> Floats:
        """Return lower bounds of the mean loss over polygons in these regions."""
        terms = [layer.least(regions[:, k], corners) for k, layer in enumerate(self.layers)]
        return np.asarray(sum(terms) / len(terms))

    def offer(self, regions: Integers, points: Floats, losses: Floats) -> None:
        """Take the points with the least loss, if it is as good as the best."""
        if not len(losses):
            return
        least = float(losses.min())
        if least < self.limit:
            self.best = least
            self.regions, self.points = self.regions[:0], self.points[:0]
        equal = losses <= self.best + _rounding(self.best)
        self.regions = np.concatenate((self.regions, regions[equal]))
        self.points = np.concatenate((self.points, points[equal]))

    def try_points(self, regions: Integers, points: Floats) -> Floats:
        """Offer points (n, 2), and return their losses."""
        losses = self.loss(regions, points[:, None])[:, 0]
        self.offer(regions, points, losses)
        return losses

    def explore(self, regions: Integers, corners: Floats, bound: Floats | None = None) -> None:
        """Find the least loss over polygons, each of which lies in one region of every layer."""
        if isinstance(self.layers[0], SquareLayer):
            losses, points = least_of_squares(self.layers, regions, corners)  # type: ignore[arg-type]
            self.offer(regions, points, losses / len(self.layers))
            return
        bound = self.least(regions, corners) if bound is None else bound
        waiting = [(bound, regions, corners)]
        while waiting:
            bound, regions, corners = waiting.pop()
            kept = np.flatnonzero(bound < self.limit)
            kept = kept[np.argsort(bound[kept], kind="stable")]
            if kept.size > BATCH:
                later = kept[BATCH:]
                waiting.append((bound[later], regions[later], corners[later]))
                kept = kept[:BATCH]
            if kept.size:
                waiting += self._step(regions[kept], corners[kept])

    def _step(self, regions: Integers, corners: Floats) -> list[tuple[Floats, Integers, Floats]]:
        """Cut polygons that have few lines; return the halves of the others."""
        lines, start = self._lines(regions, corners)
        many = (np.diff(start) > MANY_LINES) & (widths(corners) > NARROW)
        few = np.flatnonzero(~many)
        if few.size:
            self._cut(regions[few], corners[few], _chosen(lines, start, few))
        if not many.any():
            return []
        pieces, owner = halves(corners[many])
        owners = regions[many][owner]
        return [(self.least(owners, pieces), owners, pieces)]

    def _cut(self, regions: Integers, corners: Floats, lines: Lines) -> None:
        """Offer all cells of polygons."""
        cells, owner = cut(corners, *lines, RESOLUTION)
        wide = widths(cells) > self.resolution
        cells, owner = cells[wide], regions[owner[wide]]
        if not isinstance(self.layers[0], HingeLayer):
            self.try_points(owner, centres(cells))
            return
        losses = self.loss(owner, cells)
        least = losses.argmin(axis=1)
        rows = np.arange(len(cells))
        self.offer(owner, cells[rows, least], losses[rows, least])

    def _lines(self, regions: Integers, corners: Floats) -> Lines:
        """Return the lines of all layers that cut each polygon."""
        parts = [layer.lines(regions[:, k], corners) for k, layer in enumerate(self.layers)]
        owner = np.concatenate(
            [np.repeat(np.arange(len(regions)), np.diff(start)) for _, start in parts]
        )
        lines, owner = _distinct(np.concatenate([line for line, _ in parts]), owner)
        count = np.bincount(owner, minlength=len(regions))
        return lines, np.append(0, np.cumsum(count)).astype(np.intp)

    def largest_cell(self) -> tuple[Integers, Floats, Floats]:
        """Return regions, a point and the polygon of the largest cell with the best loss.

        Of the cells that were found; for losses that are no step functions the polygon is the one
        in which all layers have one region.
        """
        some = np.unique(np.linspace(0, len(self.points) - 1, CANDIDATES).astype(np.intp))
        cells = [self._cell(self.regions[k], self.points[k]) for k in some]
        chosen = int(np.argmax([widths(cell[None])[0] for cell in cells]))
        regions, cell, point = self.regions[some[chosen]], cells[chosen], self.points[some[chosen]]
        if not isinstance(self.layers[0], (HingeLayer, SquareLayer)):
            point = centres(cell[None])[0]
        return regions, point, cell

    def _cell(self, regions: Integers, point: Floats) -> Floats:
        """Return the polygon around a point on which the regions, and step functions, stay."""
        cell: Floats = np.array([[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]])
        for k, layer in enumerate(self.layers):
            corners = layer.corners[regions[k]]
            for line in edge_lines(corners[None])[0]:
                cell = clip(cell, line[None])[0]
        if isinstance(self.layers[0], (HingeLayer, SquareLayer)):
            return np.asarray(cell[0])
        lines, _ = self._lines(regions[None], cell)
        for line in lines:
            side = np.sign(line[0] + line[1:] @ point)
            cell = clip(cell, (side or 1.0) * line[None])[0]
        return np.asarray(cell[0])


def _distinct(lines: Floats, owner: Integers) -> tuple[Floats, Integers]:
    """Return the lines in the order of their polygons; those that are equal are one line."""
    turned = (lines[:, 1] < 0) | ((lines[:, 1] == 0) & (lines[:, 2] < 0))
    key = np.round(np.where(turned[:, None], -lines, lines), EQUAL_LINES)
    order = np.lexsort((*key.T, owner))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (key[order[1:]] != key[order[:-1]]).any(axis=1)
    fresh[1:] |= owner[order[1:]] != owner[order[:-1]]
    return lines[order[fresh]], owner[order[fresh]]


def _rounding(loss: float) -> float:
    return ROUNDING * abs(loss) if np.isfinite(loss) else 0.0


def _chosen(lines: Floats, start: Integers, few: Integers) -> Lines:
    """Return the lines of some polygons."""
    if len(few) == len(start) - 1:
        return lines, start
    count = np.diff(start)[few]
    entry: Any = np.repeat(start[few] - np.cumsum(count) + count, count) + np.arange(count.sum())
    return lines[entry], np.append(0, np.cumsum(count)).astype(np.intp)
