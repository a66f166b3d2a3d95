"""The regions of a plane as the script of a page reads them.

A region has a polygon, and follows from another one, its parent, by an exchange: one row or two
change their positions. Coefficients and bias are continuous, so that the affine functions of two
neighbours agree on the line between them: they differ by a vector times one affine function that is
zero there. A page has only these two for most regions, a third of what the functions would take.
Some regions are written out, so that no way is long, and so is each that would not come out
exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.page.packing import packed
from weightpath.problems.position import is_free, knot_below

__all__ = ["on_unit_square", "regions_data"]

Reals = NDArray[np.float64]
Bytes = NDArray[np.int8]

# From a region that is written out to any other one there are fewer steps.
MOST_STEPS = 24

# A step is written if no coefficient is off by more than this fraction of the largest one, at any
# corner of the region: about as much as rounding does to the functions themselves.
SAME = 1e-14


class _Known(NamedTuple):
    """A region that others follow from.

    Attributes
    ----------
    position : ndarray of int8, shape (n,)
    affine : ndarray of shape (n + 1, 3)
        Bias and coefficients as the script will compute them; of rows at knots their knots.
    n_steps : int
        How many steps away the region is that was written out.
    """

    position: Bytes
    affine: Reals
    n_steps: int


def on_unit_square(parts: Reals, bounds: Reals) -> Reals:
    """Return coefficients of functions of z as those on the unit square."""
    low, high = bounds.T
    finite = np.where(np.isfinite(parts), parts, 0.0)
    constant = parts[..., 0] + finite[..., 1:] @ low
    return np.concatenate([constant[..., None], finite[..., 1:] * (high - low)], axis=-1)


def regions_data(region_map: Any) -> dict[str, Any]:
    """Return polygons, exchanges and affine functions of all regions."""
    tiles = region_map.tiles
    knots = on_unit_square(region_map.problem.knots, region_map.bounds)
    children = np.bincount(tiles.parent[1:], minlength=len(region_map))
    known: dict[int, _Known] = {}
    written = _Written()
    for region, beta, bias in region_map.affine_solutions():
        parent = int(tiles.parent[region])
        before = known.get(parent)
        position = _position(tiles, region, before)
        exact = _exact(position, knots, beta, bias)
        here = tiles.vertices[tiles.offset[region] : tiles.offset[region + 1]]
        found = written.add(region, position, exact, before, _ones(here))
        if children[region]:
            known[region] = found
        if before is not None:
            children[parent] -= 1
            if children[parent] == 0:
                del known[parent]
    return {
        "corners": packed(np.diff(tiles.offset)),
        "x": packed(tiles.vertices[:, 0]),
        "y": packed(tiles.vertices[:, 1]),
        "up": packed(np.maximum(np.arange(len(region_map)) - tiles.parent, 0)),
        "row": packed(tiles.step["row"].astype(np.int64) + 1),
        "to": packed(np.maximum(tiles.step["to"], 0)),
        "secondRow": packed(tiles.step["second_row"].astype(np.int64) + 1),
        "secondTo": packed(np.maximum(tiles.step["second_to"], 0)),
        **written.packs(),
    }


def _ones(vertices: Reals) -> Reals:
    return np.concatenate([np.ones((len(vertices), 1)), vertices], axis=1)


def _position(tiles: Any, region: int, before: _Known | None) -> Bytes:
    if before is None:
        return np.asarray(tiles.first)
    step, position = tiles.step[region], before.position.copy()
    for row, to in (("row", "to"), ("second_row", "second_to")):
        if step[row] >= 0:
            position[step[row]] = step[to]
    return position


def _exact(position: Bytes, knots: Reals, beta: Reals, bias: Reals) -> Reals:
    """Return bias and coefficients; rows at knots have exactly their knots."""
    at = knots[np.arange(len(position)), knot_below(position, knots.shape[1])]
    own = np.where(is_free(position)[:, None], beta, at)
    return np.concatenate([bias[None], own])


class _Written:
    """What is written of all regions so far."""

    def __init__(self) -> None:
        self.whole: list[int] = []
        self.positions: list[Bytes] = []
        self.functions: list[Reals] = []
        self.sizes: list[Reals] = []
        self.lines: list[Reals] = []
        self.margins: list[int] = []

    def add(
        self, region: int, position: Bytes, exact: Reals, before: _Known | None, corners: Reals
    ) -> _Known:
        """Write a region, by a step or as a whole; return it as the script will have it."""
        own = np.append(True, is_free(position))
        self.margins.append(int(own.sum()) - 1)
        if before is not None and before.n_steps + 1 < MOST_STEPS:
            scale = _scales(exact[own] @ corners.T)
            size, line = _step(exact[own] - before.affine[own], scale)
            made = before.affine[own] + size[:, None] * line
            off = np.abs((made - exact[own]) @ corners.T).max(axis=1)
            if (off <= SAME * scale).all():
                self.sizes.append(size)
                self.lines.append(line)
                affine = exact.copy()
                affine[own] = made
                return _Known(position, affine, before.n_steps + 1)
        self.whole.append(region)
        self.positions.append(position)
        self.functions.append(exact[own].ravel())
        return _Known(position, exact, 0)

    def packs(self) -> dict[str, Any]:
        """Return all of it."""
        return {
            "margin": packed(np.array(self.margins, dtype=np.int64)),
            "whole": packed(np.array(self.whole, dtype=np.int64)),
            "position": packed(np.concatenate(self.positions).astype(np.int64)),
            "function": packed(np.concatenate(self.functions)),
            "size": packed(np.concatenate([np.zeros(0), *self.sizes])),
            "line": packed(np.concatenate([np.zeros(0), *self.lines])),
        }


def _scales(values: Reals) -> Reals:
    """Return how large the bias, in the first row, and the coefficients are at the corners."""
    largest = np.abs(values).max(axis=1)
    scale = np.full(len(values), largest[1:].max(initial=0.0))
    scale[0] = largest[0]
    return np.where(scale > 0.0, scale, 1.0)


def _step(difference: Reals, scale: Reals) -> tuple[Reals, Reals]:
    """Return a vector and an affine function whose product is nearest to a difference."""
    left, size, right = np.linalg.svd(difference / scale[:, None], full_matrices=False)
    return scale * left[:, 0] * size[0], right[0]
