"""Polyhedra ``A z <= b``: which of their half-spaces are redundant, and the corners of polygons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial import cKDTree

__all__ = ["irredundant", "polygon_of"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# A half-space is redundant if without it nothing is beyond it by more than this fraction.
_BEYOND = 1e-11


def irredundant(A: Reals, b: Reals) -> Index:
    """Return which half-spaces are needed, by their numbers, increasing.

    One axis is an interval. In two axes, around an inner point, half-planes are points of the dual
    plane, and those on their convex hull are needed. Beyond that there is a linear program for each
    half-space.

    Parameters
    ----------
    A : ndarray of shape (k, n_axes)
    b : ndarray of shape (k,)
        The origin is in the polyhedron: no number is negative.
    """
    A, b = _scaled(A, b)
    if A.shape[1] == 1:
        at = b * np.sign(A[:, 0])
        sides = [np.flatnonzero(A[:, 0] > 0.0), np.flatnonzero(A[:, 0] < 0.0)]
        ends = [side[np.abs(at[side]).argmin()] for side in sides if side.size]
        return np.sort(np.array(ends, dtype=np.intp))
    distinct = _distinct(A, b)
    if A.shape[1] == 2:
        center = np.zeros(2) if b.min(initial=1.0) > 0.0 else _inner_point(A, b)
        if center is not None:
            return np.sort(distinct[_dual_hull(A[distinct], (b - A @ center)[distinct])])
    return _by_programs(A, b, distinct)


def _scaled(A: Reals, b: Reals) -> tuple[Reals, Reals]:
    length = np.linalg.norm(A, axis=1)
    return A / length[:, None], b / length


def _distinct(A: Reals, b: Reals) -> Index:
    """Return the tightest of each set of half-spaces that only roundings tell apart."""
    points = np.column_stack([A, b / max(1.0, float(np.abs(b).max(initial=0.0)))])
    pairs = cKDTree(points).query_pairs(_BEYOND, output_type="ndarray")
    wider = np.where(b[pairs[:, 0]] > b[pairs[:, 1]], pairs[:, 0], pairs[:, 1])
    return np.setdiff1d(np.arange(len(A)), wider)


def _inner_point(A: Reals, b: Reals) -> Reals | None:
    """Return the center of a large ball in the polyhedron; ``None`` if it has no inner point."""
    d = A.shape[1]
    objective = np.append(np.zeros(d), -1.0)
    rows = np.column_stack([A, np.ones(len(A))])
    largest = float(np.abs(b).max(initial=0.0)) or 1.0
    found = linprog(objective, rows, b, bounds=[(None, None)] * d + [(0.0, largest)])
    if found.status != 0 or found.x[-1] <= 1e-12 * largest:
        return None
    return np.asarray(found.x[:-1])


def _dual_hull(A: Reals, slack: Reals) -> Index:
    """Return the half-planes that bound a polygon around the origin: the hull of the dual points.

    The origin is one of the points: half-planes are needed only on the sides where it is not on the
    hull. Andrew's monotone chain.
    """
    with np.errstate(over="ignore"):
        points = np.vstack([A / slack[:, None], np.zeros(2)])
    order = np.lexsort((points[:, 1], points[:, 0]))
    hull: list[int] = []
    for chain in (order, order[::-1]):
        first = len(hull)
        for k in chain:
            while len(hull) >= first + 2 and _turns_right(points[[hull[-2], hull[-1], k]]):
                hull.pop()
            hull.append(int(k))
        hull.pop()
    return np.array(sorted({k for k in hull if k < len(A)}), dtype=np.intp)


def _turns_right(points: Reals) -> bool:
    (ax, ay), (bx, by) = points[1] - points[0], points[2] - points[0]
    return bool(ax * by - ay * bx <= _BEYOND * (abs(ax * by) + abs(ay * bx)))


def _by_programs(A: Reals, b: Reals, distinct: Index) -> Index:
    """Return the half-spaces that linear programs find to be needed."""
    kept = list(distinct)
    free = [(None, None)] * A.shape[1]
    for k in distinct:
        others = [j for j in kept if j != k]
        # One more half-space beyond its own keeps the program bounded.
        rows, limits = np.vstack([A[others], A[k]]), np.append(b[others], b[k] + 1.0)
        found = linprog(-A[k], rows, limits, bounds=free)
        if found.status == 0 and -found.fun <= b[k] + _BEYOND * (1.0 + abs(b[k])):
            kept = others
    return np.array(kept, dtype=np.intp)


def polygon_of(A: Reals, b: Reals) -> Reals:
    """Return the corners of the polygon of half-planes without redundancy, counter-clockwise."""
    order = np.argsort(np.arctan2(A[:, 1], A[:, 0]))
    A, b = A[order], b[order]
    corners = []
    for k in range(len(A)):
        after = (k + 1) % len(A)
        turn = A[k, 0] * A[after, 1] - A[k, 1] * A[after, 0]
        # Two sides that turn by half a circle or more have no corner between them.
        if turn > 0.0 and after != k:
            pair = np.array([A[k], A[after]])
            corners.append(np.linalg.solve(pair, [b[k], b[after]]))
    return np.array(corners).reshape(-1, 2)
