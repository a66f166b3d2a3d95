"""A metric over the plane of a region map, with its exact best value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.errors import Advice, PathError
from weightpath.metrics import Metric, ValidationRows
from weightpath.metrics.plane import PlaneCounts, PlaneForm, PlaneOrder
from weightpath.regions.surface_build import (
    Frame,
    blocks_of,
    layer_of,
    require_complete,
    resolution_of,
)
from weightpath.regions.surface_geometry import centres, flat_polygons, pixels_in
from weightpath.regions.surface_layers import Layer
from weightpath.regions.surface_orders import tied
from weightpath.regions.surface_search import PlaneSearch

if TYPE_CHECKING:
    from weightpath.plotting.plane_display import SurfaceDisplay

__all__ = ["Surface", "SurfaceBest"]

Floats = NDArray[np.float64]

# By how much rounding may take a bound above the loss that it bounds, relative to the loss.
ROUNDING = 1e-12

# Values at one point, from the map and from the search, that differ by less than this are the same;
# where they are not, how far to go from the border of a polygon to its middle.
SAME = 1e-9
ZERO = 1e-12
STEPS_INSIDE = (0.0, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7)

# How often the best region may be one that the solutions do not confirm.
TRIES = 10


class SurfaceBest(NamedTuple):
    """Where a surface is best.

    Attributes
    ----------
    value : float
        The best value that the metric has on open cells of the plane: what it has only on a line
        or at a point does not count. A continuous metric may take it on the border of its polygon.
    z : ndarray of shape (2,)
        A point with this value: for step functions the centre of ``polygon``.
    polygon : ndarray of shape (n, 2)
        The vertices, counter-clockwise, of the cell on which a step function has this value (the
        widest of those that were compared), and of the region for other metrics.
    region : int
        The region of the map.
    """

    value: float
    z: Floats
    polygon: Floats
    region: int


@dataclass(frozen=True, eq=False)
class Surface:
    """An exact metric as a function of the two parameters of a region map.

    Made by ``map.surface(X, y, metric)``.

    Parameters
    ----------
    region_map : RegionMap
        The map.
    given : object
        The validation rows, as they were given.
    rows : ValidationRows
        The same, checked.
    metric : Metric
        The metric.
    options : mapping
        Its options, checked.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(40, random_state=0)
    >>> model = wp.SVC(C=0.1, gamma=0.5).fit(toy.X, toy.y)
    >>> plane = wp.region_map(
    ...     model, [{"class_weight": {-1: 1, 1: 100}}, {"class_weight": {-1: 100, 1: 1}}]
    ... )
    >>> surface = plane.surface(toy.X, toy.y, "zero_one")
    >>> surface.best.value == surface(surface.best.z) <= surface([0.5, 0.5])
    True
    """

    region_map: Any
    given: Any
    rows: ValidationRows
    metric: Metric
    options: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<Surface: {self.metric.name!r} over {len(self.region_map)} regions>"

    def __call__(self, z: ArrayLike) -> Any:
        """Return the metric at ``z``: a float at one point, an array at points of shape (n, 2)."""
        points = np.asarray(z, dtype=float)
        if points.ndim not in (1, 2) or points.shape[-1] != 2:
            raise ValueError(f"z must have shape (2,) or (n, 2), got {points.shape}.")
        if points.ndim == 1:
            return self._at(points)
        return np.array([self._at(point) for point in points])

    def _at(self, point: Floats) -> float:
        values = self.region_map.decision_function(self.given, point)
        if isinstance(self._form, PlaneOrder):
            values = tied(values)
        return float(self.metric.at(values, self.rows, **self.options))

    @cached_property
    def _form(self) -> PlaneForm:
        return self.metric.in_plane(self.rows, **self.options)

    @cached_property
    def best(self) -> SurfaceBest:
        """The best value over the plane, a point and the polygon; see :class:`SurfaceBest`."""
        require_complete(self.region_map)
        wrong: list[int] = []
        frame = Frame(self.region_map.bounds)
        sign = -1.0 if self.metric.greater_is_better else 1.0
        for _ in range(TRIES):
            layer, numbers = _promising(self.region_map, self.given, self._form, wrong)
            own, point, cell, loss = _least(layer, resolution_of(self.region_map))
            value = sign * loss + 0.0
            polygon = frame.from_unit(flat_polygons(cell[None])[0])
            z = self._confirmed(frame.from_unit(point), value, polygon.mean(axis=0))
            if z is not None:
                return SurfaceBest(value, z, polygon, int(numbers[own]))
            # A region that ties have left where none should be.
            wrong.append(int(numbers[own]))
        raise PathError(
            f"The best value of {self.metric.name!r} over the map was not confirmed by the "
            "solutions there: decision values are equal, or zero, up to rounding.",
            advice=Advice("Use other validation rows, or a kernel with another gamma."),
        )

    def _confirmed(self, z: Floats, value: float, middle: Floats) -> Floats | None:
        """Return a point with a value: this one or, where the surface jumps there, one beside it.

        A continuous metric may be best on the border of its region, where the bias may jump.
        """
        size = max(abs(value), abs(self(middle)))
        # Scores such as a correlation may be zero up to rounding.
        steps = isinstance(self._form, (PlaneCounts, PlaneOrder))
        for step in STEPS_INSIDE:
            point = z + step * (middle - z)
            if abs(self(point) - value) <= SAME * size + (ZERO if steps else 0.0):
                return point
        return None

    def sampled(self, resolution: int) -> Floats:
        """Return the metric on a regular grid over the plane, for pictures.

        Parameters
        ----------
        resolution : int
            Points on each side, in the middles of as many equal squares.

        Returns
        -------
        ndarray of shape (resolution, resolution)
            The second coordinate by rows.
        """
        values = np.full(resolution * resolution, np.nan)
        for _, corners, affine in blocks_of(self.region_map, self.given):
            region, row, column = pixels_in(corners, resolution)
            points = (np.stack((column, row), axis=-1) + 0.5) / resolution
            layer = layer_of(self._form, corners, affine)
            values[row * resolution + column] = layer.loss(region, points[:, None])[:, 0]
        values *= -1.0 if self.metric.greater_is_better else 1.0
        # Points in regions that are too narrow to count, or on their borders.
        frame = Frame(self.region_map.bounds)
        for k in np.flatnonzero(np.isnan(values)):
            down, across = divmod(int(k), resolution)
            values[k] = self(frame.from_unit(np.array([across + 0.5, down + 0.5]) / resolution))
        return values.reshape(resolution, resolution) + 0.0

    def plot(self, ax: Any = None, **options: Any) -> SurfaceDisplay:
        """Draw the metric over the plane, with its best point.

        See :func:`weightpath.plotting.plot_surface`.
        """
        from weightpath.plotting import plot_surface

        return plot_surface(self, ax, **options)


def _least(layer: Layer, resolution: float) -> tuple[int, Floats, Floats, float]:
    """Return the region, a point, the polygon and the value of the least loss of a layer."""
    search = PlaneSearch([layer], resolution)
    regions = np.arange(len(layer))[:, None]
    search.try_points(regions, centres(layer.corners))
    search.explore(regions, layer.corners)
    own, point, cell = search.largest_cell()
    return int(own[0]), point, cell, search.best


def _promising(
    region_map: Any, X: Any, form: PlaneForm, wrong: list[int]
) -> tuple[Layer, NDArray[np.intp]]:
    """Return the layer of the regions in which the best value may be, and their numbers.

    Some regions are wrong and left out.
    What was left of earlier blocks is looked at again when the best value so far has improved.
    """
    layers: list[Layer] = []
    numbers, bounds = [], []
    best = np.inf
    for number, corners, affine in blocks_of(region_map, X):
        right = ~np.isin(number, wrong)
        number, corners = number[right], corners[right]
        layer = layer_of(form, corners, affine[right])
        own = np.arange(len(layer))
        bound = layer.least(own, corners, sharp=False)
        best = min(best, float(layer.loss(own, centres(corners)[:, None]).min(initial=np.inf)))
        kept = bound <= best + ROUNDING * abs(best)
        layers.append(layer.restricted(kept))
        numbers.append(number[kept])
        bounds.append(bound[kept])
    kept = np.concatenate(bounds) <= best + ROUNDING * abs(best)
    joined = type(layers[0]).joined(layers)
    return joined.restricted(kept).detailed(), np.concatenate(numbers)[kept]
