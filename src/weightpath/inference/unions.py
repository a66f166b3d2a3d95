"""Unions of intervals: arrays of shape (k, 2), in order, without overlaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["intersection", "joined", "where_true"]

Reals = NDArray[np.float64]


def joined(intervals: Reals) -> Reals:
    """Return intervals in order, those that touch or overlap as one; empty ones are left out."""
    intervals = np.asarray(intervals, dtype=np.float64).reshape(-1, 2)
    intervals = intervals[intervals[:, 1] > intervals[:, 0]]
    if not len(intervals):
        return intervals
    intervals = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(intervals[:, 1])
    begins = np.append(True, intervals[1:, 0] > reach[:-1])
    return np.column_stack((intervals[begins, 0], reach[np.append(begins[1:], True)]))


def intersection(one: Reals, other: Reals) -> Reals:
    """Return what is in both unions."""
    low = np.maximum(one[:, None, 0], other[None, :, 0])
    high = np.minimum(one[:, None, 1], other[None, :, 1])
    return joined(np.column_stack((low.ravel(), high.ravel())))


def where_true(edges: Reals, holds: NDArray[np.bool_]) -> Reals:
    """Return the pieces between edges, which may go down, on which something holds."""
    pieces = np.column_stack((edges[:-1], edges[1:]))[holds]
    return joined(np.sort(pieces, axis=1))
