"""Mean squared errors over the regions of one map, and the least values of quadratic functions.

A quadratic function is six numbers, ``q0 + q1 x + q2 y + q3 x^2 + q4 x y + q5 y^2``, with x and y
counted from the centre of its region, so that little is lost by cancellation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.plane import PlaneSquares
from weightpath.regions.surface_geometry import centres, line_values
from weightpath.regions.surface_layers import Layer

__all__ = ["SquareLayer", "least_of_squares"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SquareLayer(Layer):
    """Of a mean squared error: one convex quadratic function for each region."""

    centre: Floats
    square: Floats
    per_region: ClassVar[tuple[str, ...]] = ("corners", "centre", "square")

    @classmethod
    def of(cls, form: PlaneSquares, corners: Floats, affine: Floats) -> Self:
        """Return the layer of regions with these functions."""
        centre = centres(corners)
        error = form.target - line_values(affine, centre[:, None, None])[..., 0]
        x, y = -affine[..., 1], -affine[..., 2]
        terms = [
            (error, error, 1.0),
            (error, x, 2.0),
            (error, y, 2.0),
            (x, x, 1.0),
            (x, y, 2.0),
            (y, y, 1.0),
        ]
        square = [factor * ((a * b) @ form.share) for a, b, factor in terms]
        start = np.zeros(len(corners) + 1, dtype=np.intp)
        return cls(corners, start, centre, np.stack(square, axis=1))

    def least(self, region: Integers, corners: Floats, sharp: bool = True) -> Floats:
        """Return lower bounds, by a tangent; see :class:`Layer`."""
        middle = centres(corners)
        moved = _moved(self.square[region], middle - self.centre[region])
        away = corners - middle[:, None]
        return np.asarray(line_values(moved[:, :3], away).min(axis=1))

    def loss(self, region: Integers, points: Floats) -> Floats:
        """Return losses; see :class:`Layer`."""
        return _values(self.square[region], points - self.centre[region, None])


def _moved(square: Floats, by: Floats) -> Floats:
    """Return quadratic functions with another origin."""
    x, y = by[:, 0], by[:, 1]
    q0, q1, q2, q3, q4, q5 = square.T
    value = q0 + q1 * x + q2 * y + q3 * x * x + q4 * x * y + q5 * y * y
    return np.stack((value, q1 + 2 * q3 * x + q4 * y, q2 + q4 * x + 2 * q5 * y, q3, q4, q5), axis=1)


def _values(square: Floats, points: Floats) -> Floats:
    """Return values (n, k) of quadratic functions at points (n, k, 2)."""
    x, y = points[..., 0], points[..., 1]
    q = square[:, None]
    rest = x * (q[..., 1] + q[..., 3] * x + q[..., 4] * y) + y * (q[..., 2] + q[..., 5] * y)
    return np.asarray(q[..., 0] + rest)


def least_of_squares(
    layers: Sequence[SquareLayer], regions: Integers, corners: Floats
) -> tuple[Floats, Floats]:
    """Return the least sums of squares over polygons, and where they are.

    Parameters
    ----------
    layers : sequence of SquareLayer
        What is added up.
    regions : ndarray of int, shape (n, n_layers)
        The region of each layer in which each polygon lies.
    corners : ndarray of shape (n, v, 2)
        Polygons.

    Returns
    -------
    values : ndarray of shape (n,)
    points : ndarray of shape (n, 2)
    """
    middle = centres(corners)
    total = np.zeros((len(corners), 6))
    for k, layer in enumerate(layers):
        own = regions[:, k]
        total += _moved(layer.square[own], middle - layer.centre[own])
    away = corners - middle[:, None]
    edge = np.roll(away, -1, axis=1) - away
    # A convex function is least at its stationary point, if that is inside, or on an edge.
    points = np.concatenate(
        (_stationary(total, away, edge)[:, None], _least_on_edges(total, away, edge), away), axis=1
    )
    values = _values(total, points)
    best = values.argmin(axis=1)
    rows = np.arange(len(corners))
    return values[rows, best], points[rows, best] + middle


def _stationary(square: Floats, away: Floats, edge: Floats) -> Floats:
    """Return the stationary points that are inside; elsewhere the middle."""
    _, q1, q2, q3, q4, q5 = square.T
    det = 4.0 * q3 * q5 - q4 * q4
    regular = det > 1e-14 * np.square(q3 + q5)
    det = np.where(regular, det, 1.0)
    point = np.stack(((q4 * q2 - 2.0 * q5 * q1) / det, (q4 * q1 - 2.0 * q3 * q2) / det), axis=1)
    point = np.where(regular[:, None], point, 0.0)
    seen = point[:, None] - away
    inside = (edge[..., 0] * seen[..., 1] - edge[..., 1] * seen[..., 0] >= 0).all(axis=1)
    return np.where((inside & regular)[:, None], point, 0.0)


def _least_on_edges(square: Floats, away: Floats, edge: Floats) -> Floats:
    """Return the least points of all edges."""
    q = square[:, None]
    x, y = away[..., 0], away[..., 1]
    dx, dy = edge[..., 0], edge[..., 1]
    slope = dx * (q[..., 1] + 2 * q[..., 3] * x + q[..., 4] * y)
    slope += dy * (q[..., 2] + q[..., 4] * x + 2 * q[..., 5] * y)
    bend = 2.0 * (q[..., 3] * dx * dx + q[..., 4] * dx * dy + q[..., 5] * dy * dy)
    share = np.where(bend > 0, -slope / np.where(bend > 0, bend, 1.0), 0.0)
    return np.asarray(away + np.clip(share, 0.0, 1.0)[..., None] * edge)
