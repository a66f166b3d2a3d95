"""From sums over ranked rows to their curve: every order that scores take along the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves._measure import UNIT
from weightpath.curves._order import Order
from weightpath.curves.curve import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.queries import distinct_rows
from weightpath.curves.steps import RESOLUTION

__all__ = ["RankSums", "power_of_two", "rank_curve"]

# Sums of contributions are kept below two to this power; they are integers of 64 bits.
LARGEST_SUM = 61


@dataclass(frozen=True, eq=False)
class RankSums:
    """A mean over queries; the native module ``_measure`` explains the fields.

    Parameters
    ----------
    kind : str
        "pairs", "precision" or "discount".
    query : ndarray of int, shape (n_rows,)
        The query of every row; -1 for rows without influence.
    x, y : ndarray of shape (n_rows,)
        What a row contributes, as integers in floating-point numbers or with y = 1.
    factor, norm, share : ndarray of shape (n_queries,)
        Scale, largest sum and weight of every query.
    discount : ndarray
        One for each rank, as many as the longest query has; empty for the other kinds.
    limit : float
        Number of ranks that count.
    """

    kind: str
    query: NDArray[np.intp]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    factor: NDArray[np.float64]
    norm: NDArray[np.float64]
    share: NDArray[np.float64]
    discount: NDArray[np.float64]
    limit: float = np.inf


def power_of_two(largest: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Factors that take sums of at most this size to the largest that integers can hold."""
    factors: NDArray[np.float64] = np.ldexp(1.0, LARGEST_SUM - np.frexp(largest)[1])
    return factors


def rank_curve(path: DecisionPath, X: Any, sums: RankSums) -> Curve:
    """A mean of sums over ranked rows along a path with one decision function.

    Parameters
    ----------
    path : DecisionPath
        Its decision values are the scores: the highest is ranked first.
    X : ndarray or CSR matrix
        Validation rows.
    sums : RankSums
        What is measured.

    Returns
    -------
    Curve
        Of degree 0.
    """
    rows = np.flatnonzero(sums.query >= 0)
    if rows.size == 0:
        return Curve(path.theta[[0, -1]], np.zeros((1, 1)))
    kept, query = np.unique(sums.query[rows], return_inverse=True)
    first, item = distinct_rows(X[rows], query)
    offset = np.searchsorted(query[first], np.arange(len(kept) + 1))
    order = Order(
        sums.kind,
        offset,
        np.bincount(item, sums.x[rows]),
        np.bincount(item, sums.y[rows]),
        np.bincount(query, sums.y[rows]),
        sums.factor[kept],
        sums.norm[kept],
        sums.share[kept],
        sums.discount,
        sums.limit,
        resolution=RESOLUTION,
    )
    steps = [
        order.follow(*map(np.ascontiguousarray, block))
        for block in path.iter_segments(X[rows[first]])
    ]
    theta, level = (np.concatenate(part) for part in zip(*steps, strict=True))
    return _step_curve(path.theta, theta, level, len(first))


def _step_curve(
    span: NDArray[np.float64],
    theta: NDArray[np.float64],
    level: NDArray[np.int64],
    n_items: int,
) -> Curve:
    """Step function from its values; what happens within the resolution is one step."""
    start, stop = span[0], span[-1]
    theta[0] = start
    inside = theta < stop - RESOLUTION
    inside[0] = True
    theta, level = theta[inside], level[inside]
    fresh = np.append(True, np.diff(theta) > RESOLUTION)
    last = np.append(np.flatnonzero(fresh)[1:] - 1, len(level) - 1)
    # Every contribution is rounded to an integer; the products and quotients before that, which
    # are floating-point numbers, add a few units of rounding of the whole sum.
    level = _without_rounding(level[last], 2 * n_items + 2048)
    kept = np.append(True, np.diff(level) != 0)
    values = np.minimum(level[kept] / UNIT, 1.0)
    return Curve(np.append(theta[fresh][kept], stop), values[:, None])


def _without_rounding(level: NDArray[np.int64], tolerance: int) -> NDArray[np.int64]:
    """Make integers equal that differ by no more than rounding errors."""
    ordered = np.sort(level)
    gap = np.diff(ordered)
    close = (gap > 0) & (gap <= tolerance)
    if not close.any():
        return level
    # The highest of each group stands for it: a perfect order has the value one.
    highest = ordered[np.append(gap > tolerance, True)]
    lower = ordered[:-1][close]
    stands = highest[np.searchsorted(highest, lower)]
    place = np.minimum(np.searchsorted(lower, level), len(lower) - 1)
    return np.where(lower[place] == level, stands[place], level)
