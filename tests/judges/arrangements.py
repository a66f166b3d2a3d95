"""A slow judge of metrics over planes: points beside all vertices of all lines.

Every cell of an arrangement of lines in polygons has a vertex: a corner of a polygon, or a point
where two lines or a line and an edge meet. So each cell is met by points at a small distance from
all vertices, one in every sector between the lines through it. Of the library only the value of a
metric at one point is used.
"""

from __future__ import annotations

import numpy as np

RADIUS = 1e-7
DIRECTIONS = 48


def lines_of(metric, affine, rows, options):
    """The lines of one region where a metric may change or bend."""
    name = metric.name
    if name in ("auc", "average_precision", "ndcg", "precision_at_k"):
        i, j = np.triu_indices(len(affine), 1)
        return affine[i] - affine[j]
    if name == "hinge":
        sign = np.where(rows.target == 1, 1.0, -1.0)
        found = -sign[:, None] * affine
        found[:, 0] += 1.0
        return found
    if name in ("absolute", "epsilon_insensitive", "pinball"):
        epsilon = options.get("epsilon", 0.0)
        above, below = affine.copy(), affine.copy()
        above[:, 0] -= rows.target - epsilon
        below[:, 0] -= rows.target + epsilon
        return np.vstack((above, below))
    return affine


def edges_of(polygon):
    edge = np.roll(polygon, -1, axis=0) - polygon
    normal = np.stack((-edge[:, 1], edge[:, 0]), axis=1)
    return np.column_stack((-(normal * polygon).sum(axis=1), normal))


def vertices(lines, polygon):
    """All points of a polygon in which two of its edges or lines meet."""
    edges = edges_of(polygon)
    value = lines[:, 0, None] + lines[:, 1:] @ polygon.T
    lines = lines[(value.max(axis=1) > 0) & (value.min(axis=1) < 0)]
    both = np.vstack((edges, lines))
    both = both / np.linalg.norm(both[:, 1:], axis=1, keepdims=True)
    i, j = np.triu_indices(len(both), 1)
    det = both[i, 1] * both[j, 2] - both[i, 2] * both[j, 1]
    some = np.abs(det) > 1e-12
    i, j, det = i[some], j[some], det[some]
    x = (both[i, 2] * both[j, 0] - both[i, 0] * both[j, 2]) / det
    y = (both[i, 0] * both[j, 1] - both[i, 1] * both[j, 0]) / det
    points = np.column_stack((x, y))
    unit = edges / np.linalg.norm(edges[:, 1:], axis=1, keepdims=True)
    inside = (unit[:, 0] + points @ unit[:, 1:].T >= -1e-12).all(axis=1)
    return points[inside], unit


def samples(lines, polygon):
    """Points of all cells: those beside the vertices, and the middle."""
    found, unit = vertices(lines, polygon)
    angle = (np.arange(DIRECTIONS) + 0.5) * 2 * np.pi / DIRECTIONS
    around = RADIUS * np.column_stack((np.cos(angle), np.sin(angle)))
    points = (found[:, None] + around).reshape(-1, 2)
    inside = (unit[:, 0] + points @ unit[:, 1:].T > 0).all(axis=1)
    return np.vstack((points[inside], polygon.mean(axis=0)))


def best_by_force(plane, X, metric, rows, options):
    """The best value over all regions, by brute force."""
    found = []
    _, once, copy = np.unique(X, axis=0, return_index=True, return_inverse=True)
    first = once[copy.ravel()]
    for (_, affine), region in zip(plane.affine_values(X), plane.regions, strict=True):
        lines = lines_of(metric, affine[first], rows, options)
        lines = lines[np.abs(lines[:, 1:]).max(axis=1) > 0]
        if metric.name in ("hinge", "absolute", "epsilon_insensitive", "pinball"):
            points = vertices(lines, region.polygon)[0]
        else:
            points = samples(lines, region.polygon)
        # Equal rows of X have equal values, whatever rounding says.
        affine = affine[first]
        values = affine[:, 0] + points @ affine[:, 1:].T
        values = values[:, first]
        # Equal rows of signs or of orders have equal values.
        if metric.name in ("auc", "average_precision", "ndcg", "precision_at_k"):
            key = np.argsort(values, axis=1, kind="stable")
        elif metric.name in ("hinge", "absolute", "epsilon_insensitive", "pinball"):
            key = values
        else:
            key = values > 0
        _, some = np.unique(key, axis=0, return_index=True)
        found += [metric.at(values[k], rows, **options) for k in some]
    return max(found) if metric.greater_is_better else min(found)
