"""Convex polygons by the thousand: clipping, cutting by lines, widths and centres.

Polygons are rows of an array of shape (n, v, 2), counter-clockwise, in which the last vertex of a
shorter polygon is repeated. A repeated vertex changes no extreme value and no area. A line is
``(l0, l1, l2)``, the zeros of ``l0 + l1 x + l2 y``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "centres",
    "clip",
    "cut",
    "edge_lines",
    "expand",
    "flat_polygons",
    "halves",
    "line_values",
    "padded",
    "padded_from",
    "pixels_in",
    "unit_lines",
    "widths",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def padded(polygons: Sequence[Floats]) -> Floats:
    """Return polygons of different sizes as one array."""
    flat = np.concatenate([np.asarray(polygon, dtype=float) for polygon in polygons])
    start = np.append(0, np.cumsum([len(polygon) for polygon in polygons]))
    return padded_from(flat, start, np.arange(len(polygons)))


def padded_from(vertices: Floats, start: NDArray[Any], some: Integers) -> Floats:
    """Return some of the polygons whose vertices stand one after the other, as one array."""
    size = np.diff(start)[some]
    place = np.minimum(np.arange(size.max())[None], size[:, None] - 1)
    return np.ascontiguousarray(vertices[start[some][:, None] + place])


def flat_polygons(corners: Floats) -> list[Floats]:
    """Return polygons without their repeated vertices, as a list."""
    fresh = np.ones(corners.shape[:2], dtype=bool)
    fresh[:, 1:] = (corners[:, 1:] != corners[:, :-1]).any(axis=2)
    return [one[some] for one, some in zip(corners, fresh, strict=True)]


def line_values(lines: Floats, points: Floats) -> Floats:
    """Return the values of lines (..., 3) at points (..., v, 2), as (..., v)."""
    value = points[..., 0] * lines[..., 1, None]
    value += points[..., 1] * lines[..., 2, None]
    value += lines[..., 0, None]
    return value


def unit_lines(lines: Floats) -> Floats:
    """Return lines with gradients of length one, so that values are distances."""
    length = np.hypot(lines[..., 1], lines[..., 2])
    return np.asarray(lines / np.where(length > 0, length, 1.0)[..., None])


def expand(start: Integers, owner: Integers) -> tuple[Integers, Integers]:
    """Return the entries of lists that stand one after the other in an array.

    Parameters
    ----------
    start : ndarray of int, shape (n_lists + 1,)
        Where each list begins, and the last one ends.
    owner : ndarray of int, shape (n,)
        The lists that are asked for.

    Returns
    -------
    place, entry : ndarray of int
        For every entry of these lists the place in ``owner``, and its index in the array.
    """
    count = start[owner + 1] - start[owner]
    place = np.repeat(np.arange(len(owner)), count)
    first = np.cumsum(count) - count
    entry = np.arange(len(place)) - np.repeat(first - start[owner], count)
    return place, entry


def clip(corners: Floats, lines: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return what polygons have where a line of each is not negative, and whether it is anything.

    Parameters
    ----------
    corners : ndarray of shape (n, v, 2)
        Polygons.
    lines : ndarray of shape (n, 3)
        A line for each.

    Returns
    -------
    corners : ndarray of shape (n, w, 2)
        The clipped polygons; of one without a rest any point.
    left : ndarray of bool, shape (n,)
        Whether three vertices are left.
    """
    n, v = corners.shape[:2]
    value = line_values(lines, corners)
    after, following = np.roll(value, -1, axis=1), np.roll(corners, -1, axis=1)
    crosses = ((value > 0) & (after < 0)) | ((value < 0) & (after > 0))
    share = np.where(crosses, value, 0.0) / np.where(crosses, value - after, 1.0)
    both = np.empty((n, v, 2, 2))
    both[:, :, 0] = corners
    both[:, :, 1] = corners + share[..., None] * (following - corners)
    kept = np.empty((n, v, 2), dtype=bool)
    kept[:, :, 0] = value >= 0
    kept[:, 1:, 0] &= (corners[:, 1:] != corners[:, :-1]).any(axis=2)
    kept[:, :, 1] = crosses
    return _compact(both.reshape(n, 2 * v, 2), kept.reshape(n, 2 * v))


def _compact(points: Floats, kept: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Put the vertices that are kept in front of each other, and repeat the last."""
    count = kept.sum(axis=1)
    size = max(3, int(count.max(initial=0)))
    order = np.argsort(~kept, axis=1, kind="stable")
    place = np.minimum(np.arange(size)[None], np.maximum(count, 1)[:, None] - 1)
    index = np.take_along_axis(order, place, axis=1)
    return np.take_along_axis(points, index[..., None], axis=1), count >= 3


def cut(
    corners: Floats, lines: Floats, start: Integers, tolerance: float
) -> tuple[Floats, Integers]:
    """Return all cells into which lines cut polygons.

    Parameters
    ----------
    corners : ndarray of shape (n, v, 2)
        Polygons.
    lines : ndarray of shape (n_lines, 3)
        Lines with gradients of length one, those of a polygon one after the other.
    start : ndarray of int, shape (n + 1,)
        Where the lines of each polygon begin.
    tolerance : float
        A line cuts where a polygon has points farther from it than this on both sides.

    Returns
    -------
    corners : ndarray of shape (n_cells, w, 2)
        The cells.
    owner : ndarray of int, shape (n_cells,)
        The polygon that each belongs to.
    """
    count = np.diff(start)
    cells, owners = [], []
    owner = np.arange(len(corners))
    for step in range(int(count.max(initial=0))):
        more = count[owner] > step
        cells.append(corners[~more])
        owners.append(owner[~more])
        corners, owner = corners[more], owner[more]
        line = lines[start[owner] + step]
        value = line_values(line, corners)
        cuts = (value.max(axis=1) > tolerance) & (value.min(axis=1) < -tolerance)
        halves = [clip(corners[cuts], sign * line[cuts])[0] for sign in (1.0, -1.0)]
        corners = _stacked([corners[~cuts], *halves])
        owner = np.concatenate((owner[~cuts], owner[cuts], owner[cuts]))
    return _stacked([*cells, corners]), np.concatenate([*owners, owner])


def _stacked(parts: Sequence[Floats]) -> Floats:
    """Concatenate polygons of different sizes."""
    size = max(part.shape[1] for part in parts)
    wide = [
        np.concatenate((part, np.repeat(part[:, -1:], size - part.shape[1], axis=1)), axis=1)
        for part in parts
    ]
    return np.concatenate(wide)


def _fans(corners: Floats) -> tuple[Floats, Floats]:
    """Return the sides from the first vertex, and twice the areas of the triangles between."""
    side = corners[:, 1:] - corners[:, :1]
    twice = side[:, :-1, 0] * side[:, 1:, 1] - side[:, :-1, 1] * side[:, 1:, 0]
    return side, twice


def widths(corners: Floats) -> Floats:
    """Return twice the area over half of the circumference: how narrow a polygon is."""
    edge = np.roll(corners, -1, axis=1) - corners
    length = np.hypot(edge[..., 0], edge[..., 1]).sum(axis=1)
    area = 0.5 * np.abs(_fans(corners)[1].sum(axis=1))
    return np.asarray(4.0 * area / np.where(length > 0, length, 1.0))


def centres(corners: Floats) -> Floats:
    """Return the centres of gravity, of shape (n, 2)."""
    side, twice = _fans(corners)
    total = twice.sum(axis=1)
    third = (side[:, :-1] + side[:, 1:]) / 3.0
    offset = (third * twice[..., None]).sum(axis=1) / np.where(total > 0, total, 1.0)[:, None]
    offset = np.where((total > 0)[:, None], offset, side.mean(axis=1))
    return np.asarray(corners[:, 0] + offset)


def halves(corners: Floats) -> tuple[Floats, Integers]:
    """Cut each polygon in two, across its longer extent; return the halves and their polygons."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    wide = (high - low)[:, 0] >= (high - low)[:, 1]
    middle = centres(corners)
    line = np.column_stack(
        (-np.where(wide, middle[:, 0], middle[:, 1]), wide.astype(float), (~wide).astype(float))
    )
    found = [clip(corners, sign * line) for sign in (1.0, -1.0)]
    owner = [np.flatnonzero(left) for _, left in found]
    return _stacked([half[left] for half, left in found]), np.concatenate(owner)


def edge_lines(corners: Floats) -> Floats:
    """Return the lines of all edges of polygons, positive inside, as (n, v, 3)."""
    edge = np.roll(corners, -1, axis=1) - corners
    normal = np.stack((-edge[..., 1], edge[..., 0]), axis=-1)
    offset = -(normal * corners).sum(axis=-1, keepdims=True)
    return np.concatenate((offset, normal), axis=-1)


def pixels_in(corners: Floats, resolution: int) -> tuple[Integers, Integers, Integers]:
    """Return the pixels of the unit square whose middles are in polygons.

    Parameters
    ----------
    corners : ndarray of shape (n, v, 2)
        Polygons.
    resolution : int
        Pixels on each side.

    Returns
    -------
    polygon, row, column : ndarray of int
        Of every such pixel.
    """
    first = np.ceil(corners.min(axis=1) * resolution - 0.5).astype(np.intp)
    last = np.floor(corners.max(axis=1) * resolution - 0.5).astype(np.intp)
    first, last = np.maximum(first, 0), np.minimum(last, resolution - 1)
    count = np.maximum(last - first + 1, 0)
    start = np.append(0, np.cumsum(count.prod(axis=1))).astype(np.intp)
    polygon, entry = expand(start, np.arange(len(corners)))
    down, across = np.divmod(entry - start[polygon], np.maximum(count[polygon, 0], 1))
    column, row = first[polygon, 0] + across, first[polygon, 1] + down
    edges = edge_lines(corners)
    inside = np.ones(len(polygon), dtype=bool)
    point = (np.stack((column, row), axis=-1) + 0.5) / resolution
    for k in range(corners.shape[1]):
        line = edges[polygon, k]
        inside &= line[:, 0] + (line[:, 1:] * point).sum(axis=1) >= 0
    return polygon[inside], row[inside], column[inside]
