"""Positions: how the position of a row on its staircase is written as a number, decided here only.

Knots are counted from 0 to ``m - 1``, the intervals between them from 0 to ``m``: interval ``q``
lies between knots ``q - 1`` and ``q``. A position counts both from left to right: ``2 q`` is free
in interval ``q``, ``2 j + 1`` is at knot ``j``. A step of a position by one leads from an interval
to the knot at its end, or from a knot to the interval beside it. The native counterpart of this
module is ``_position.pxd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weightpath.problems._knots import sort_out_rows

if TYPE_CHECKING:
    from weightpath.problems.staircase import Staircase

__all__ = [
    "Positions",
    "at_knot",
    "free_in",
    "interval_of",
    "is_at_knot",
    "is_free",
    "knot_below",
    "knot_of",
    "lower_level",
    "n_positions",
    "sort_out_equal_knots",
    "upper_level",
]

Positions = NDArray[np.integer[Any]]

# Many at once, or one.
Index = TypeVar("Index", Positions, int)


def is_free(position: Positions) -> NDArray[np.bool_]:
    """Return which positions are free, between two knots."""
    return np.asarray((position & 1) == 0)


def is_at_knot(position: Positions) -> NDArray[np.bool_]:
    """Return which positions are at a knot."""
    return np.asarray((position & 1) == 1)


def knot_of(position: Index) -> Index:
    """Return the knot of positions that are at one."""
    return position // 2


def knot_below(position: Positions, n_knots: int) -> Positions:
    """Return the knot of each position: of a free one the knot below it, or the first."""
    return np.clip((position - 1) // 2, 0, n_knots - 1)


def interval_of(position: Positions) -> Positions:
    """Return the interval of positions that are free."""
    return position // 2


def lower_level(position: Positions) -> Positions:
    """Return the level that bounds the residual from below; on an interval its only level."""
    return position // 2


def upper_level(position: Positions) -> Positions:
    """Return the level that bounds the residual from above; on an interval its only level."""
    return (position + 1) // 2


def at_knot(knot: Index) -> Index:
    """Return the positions at these knots."""
    return 2 * knot + 1


def free_in(interval: Index) -> Index:
    """Return the positions free in these intervals."""
    return 2 * interval


def n_positions(n_knots: int) -> int:
    """Return how many positions a staircase with so many knots has."""
    return 2 * n_knots + 1


def sort_out_equal_knots(
    stair: Staircase, position: Positions, residual: NDArray[np.float64]
) -> Positions:
    """Let rows whose knots coincide stand at the knot that their residual belongs to."""
    sorted_out = np.array(position, dtype=np.int32)
    sort_out_rows(stair.knots, stair.levels, sorted_out, residual)
    return sorted_out.astype(position.dtype, copy=False)
