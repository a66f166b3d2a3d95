"""From a region map and a metric to layers: region by region, in blocks that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.errors import Advice, PathError
from weightpath.metrics.plane import PlaneCounts, PlaneForm, PlaneHinges, PlaneOrder, PlaneSquares
from weightpath.regions.surface_geometry import padded_from, widths
from weightpath.regions.surface_layers import RESOLUTION, CountLayer, HingeLayer, Layer
from weightpath.regions.surface_orders import OrderLayer
from weightpath.regions.surface_squares import SquareLayer

__all__ = ["Frame", "blocks_of", "layer_of", "require_complete", "resolution_of"]

Floats = NDArray[np.float64]

# Numbers in the functions of one block of regions.
BLOCK = 1 << 20

# How much wider than a shift of the targets a region may be that is there because of it.
SHIFTED = 1e3

LAYERS: Mapping[type, Any] = {
    PlaneCounts: CountLayer,
    PlaneOrder: OrderLayer,
    PlaneHinges: HingeLayer,
    PlaneSquares: SquareLayer,
}


def layer_of(form: PlaneForm, corners: Floats, affine: Floats) -> Layer:
    """Return the layer of a metric over regions with these functions.

    Parameters
    ----------
    form : PlaneCounts, PlaneOrder, PlaneHinges or PlaneSquares
        The metric on its validation rows.
    corners : ndarray of shape (n_regions, v, 2)
        Polygons of the regions, in the unit square.
    affine : ndarray of shape (n_regions, n_rows, 3)
        Decision values of the rows.
    """
    layer: Layer = LAYERS[type(form)].of(form, corners, affine)
    return layer


class Frame:
    """The bounds of a map, and how its plane is taken to the unit square.

    Parameters
    ----------
    bounds : array-like of shape (2, 2)
        The least and the largest value on each axis.
    """

    def __init__(self, bounds: Any):
        low, high = np.asarray(bounds, dtype=float).T
        self.low, self.size = low, high - low

    def to_unit(self, z: Floats) -> Floats:
        """Return points of the unit square."""
        return np.asarray((z - self.low) / self.size)

    def from_unit(self, point: Floats) -> Floats:
        """Return points of the plane."""
        return np.asarray(self.low + point * self.size)

    def functions(self, affine: Floats) -> Floats:
        """Return linear functions of points of the unit square, in place."""
        affine[..., 0] += affine[..., 1:] @ self.low
        affine[..., 1:] *= self.size
        return affine


def require_complete(region_map: Any) -> None:
    """Raise unless the regions of a map cover its plane."""
    if region_map.status != "complete":
        raise PathError(
            f"The map of {len(region_map)} regions does not cover its plane ({region_map.status}), "
            "so its best value is not known.",
            advice=Advice("Use a larger {max_regions}, or narrower bounds.", {"max_regions": None}),
        )


def resolution_of(region_map: Any) -> float:
    """Return the width, as a share of the plane, below which polygons are lines or points.

    Where targets were shifted because of ties, regions that are no regions without the shift are
    about as wide as the shift, relative to the targets; so it is with a ridge.
    """
    shift = np.abs(getattr(region_map, "tie_shift", np.zeros(1))).max()
    ridge = getattr(region_map, "tie_ridge", 0.0)
    if shift == 0 and ridge == 0:
        return RESOLUTION
    problem = region_map.problem
    finite = np.isfinite(problem.levels[..., 0])
    size = max(np.abs(problem.target).max(), np.abs(problem.levels[finite]).max(initial=0.0))
    relative = shift / (size if size > 0 else 1.0)
    if ridge > 0:
        relative = max(relative, ridge / problem.kappa.max())
    return max(RESOLUTION, float(SHIFTED * relative))


def blocks_of(region_map: Any, X: Any) -> Iterator[tuple[NDArray[np.intp], Floats, Floats]]:
    """Yield numbers, polygons and functions of blocks of regions, in the unit square.

    Regions that are no wider than rounding are left out.
    """
    frame, least = Frame(region_map.bounds), resolution_of(region_map)
    number: list[int] = []
    affine: list[Floats] = []
    for region, values in region_map.affine_values(X):
        number.append(region)
        affine.append(values)
        if len(number) * values.size >= BLOCK:
            yield from _block(frame, region_map, least, np.array(number), affine)
            number, affine = [], []
    if number:
        yield from _block(frame, region_map, least, np.array(number), affine)


def _block(
    frame: Frame,
    region_map: Any,
    least: float,
    number: NDArray[np.intp],
    affine: list[Floats],
) -> Iterator[tuple[NDArray[np.intp], Floats, Floats]]:
    corners = frame.to_unit(padded_from(region_map.vertices, region_map.offset, number))
    wide = widths(corners) > least
    if wide.any():
        functions = frame.functions(np.array(affine)[wide])
        yield number[wide], corners[wide], functions
