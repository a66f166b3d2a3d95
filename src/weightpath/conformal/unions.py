"""Unions of closed intervals, as arrays of shape (k, 2) with increasing rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["EVERYTHING", "NOTHING", "united"]

Reals = NDArray[np.float64]

EVERYTHING = np.array([[-np.inf, np.inf]])
NOTHING = np.empty((0, 2))


def united(pieces: Sequence[Reals], tolerance: float) -> Reals:
    """Return the union of intervals; gaps that are no longer than ``tolerance`` are closed.

    Parameters
    ----------
    pieces : sequence of ndarray of shape (k, 2)
        Intervals in any order; they may overlap.
    tolerance : float
        How far apart the ends of two intervals may be by rounding alone.
    """
    together = np.concatenate([*pieces, NOTHING])
    together = together[together[:, 0] <= together[:, 1]]
    if len(together) < 2:
        return together
    together = together[np.argsort(together[:, 0], kind="stable")]
    reach = np.maximum.accumulate(together[:, 1])
    begins = np.append(True, together[1:, 0] > reach[:-1] + tolerance)
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(together)) - 1
    return np.column_stack([together[first, 0], reach[last]])
