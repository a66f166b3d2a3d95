r"""Curves from the segments of a path: sums of hinges, cut at their kinks, and merging.

On every segment the decision values are linear in theta, so for fixed numbers :math:`a_i, c_i` each

.. math:: g_i(\theta) = a_i f(x_i, \theta) + c_i

is linear as well, and :math:`\max(0, g_i)` is linear except for at most one kink, the zero of
:math:`g_i`, where the slope of :math:`\sum_i v_i \max(0, g_i)` grows by :math:`v_i |g_i'|`. Every
convex piecewise linear loss is a sum of such hinges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.curve import EQUAL, Curve, polynomial
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.sign_changes import pieces, zeros

__all__ = ["Hinge", "curve_of_hinges", "merge"]


@dataclass(frozen=True, eq=False)
class Hinge:
    """One hinge for every validation row: ``share * max(0, factor * f + offset)``.

    Parameters
    ----------
    factor : float or ndarray of shape (n_rows,)
        Multiplies the decision value.
    offset : float or ndarray of shape (n_rows,)
        Added to it.
    share : ndarray of shape (n_rows,)
        Not negative.
    """

    factor: float | NDArray[np.float64]
    offset: float | NDArray[np.float64]
    share: NDArray[np.float64]

    def total(self, values: NDArray[np.float64]) -> float:
        """Sum over all rows at these decision values."""
        return float(self.share @ np.maximum(self.factor * values + self.offset, 0.0))


def curve_of_hinges(path: DecisionPath, X: Any, hinges: Sequence[Hinge]) -> Curve:
    """Sum of hinges along a path with one decision function.

    Parameters
    ----------
    path : DecisionPath
        With one decision function.
    X : array-like
        Validation rows.
    hinges : sequence of Hinge
        What is added, over all of them and over all rows.

    Returns
    -------
    Curve
        Of degree 1.
    """
    starts, lines = [], []
    owners, kinks, bends = [], [], []
    n_segments = 0
    for left, right, F, F_slope in pieces(path.iter_segments(X)):
        line = np.zeros((len(left), 2))
        for hinge in hinges:
            gap = F * hinge.factor
            gap += hinge.offset
            gap_slope = F_slope * hinge.factor
            active, _, segment, row, theta = zeros(left, right, gap, gap_slope)
            line[:, 0] += np.maximum(gap, 0.0) @ hinge.share
            line[:, 1] += np.where(active, gap_slope, 0.0) @ hinge.share
            owners.append(segment + n_segments)
            kinks.append(theta)
            bends.append(hinge.share[row] * np.abs(gap_slope[segment, row]))
        starts.append(left)
        lines.append(line)
        n_segments += len(left)
    edges, coefficients = _cut(
        np.append(np.concatenate(starts), path.theta[-1]),
        np.concatenate(lines),
        np.concatenate(owners),
        np.concatenate(kinks),
        np.concatenate(bends),
    )
    edges, coefficients = merge(edges, coefficients)
    return Curve(edges, coefficients)


def _cut(
    breaks: NDArray[np.float64],
    lines: NDArray[np.float64],
    owners: NDArray[np.intp],
    kinks: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cut the segments at their kinks.

    Parameters
    ----------
    breaks : ndarray of shape (n_segments + 1,)
        Breakpoints.
    lines : ndarray of shape (n_segments, 2)
        Value and slope at the start of every segment.
    owners, kinks, bends : ndarray of shape (n_kinks,)
        Segment, theta and change of slope of every kink.

    Returns
    -------
    edges : ndarray of shape (n_pieces + 1,)
    coefficients : ndarray of shape (n_pieces, 2)
    """
    n_segments = len(lines)
    segment = np.concatenate((np.arange(n_segments), owners))
    place = np.concatenate((breaks[:-1], kinks))
    bend = np.concatenate((np.zeros(n_segments), bends))
    # The start of a segment stays before a kink at the same theta: lexsort is stable.
    order = np.lexsort((place, segment))
    segment, place, bend = segment[order], place[order], bend[order]
    length = np.diff(np.append(place, breaks[-1]))
    value, slope = lines[segment].T.copy()
    first = np.searchsorted(segment, np.arange(n_segments + 1))
    # One running sum over all segments would be quicker, but after a short and steep segment it
    # would carry that segment's rounding errors, which are large, to the end of the path.
    for owner in np.flatnonzero(np.diff(first) > 1):
        begin, end = first[owner], first[owner + 1]
        slope[begin:end] += np.cumsum(bend[begin:end])
        value[begin + 1 : end] += np.cumsum(slope[begin : end - 1] * length[begin : end - 1])
    # A sum of hinges is not negative; rounding may say otherwise.
    np.maximum(value, 0.0, out=value)
    kept = length > 0
    return np.append(place[kept], breaks[-1]), np.column_stack((value, slope))[kept]


def merge(
    edges: NDArray[np.float64], coefficients: NDArray[np.float64], tolerance: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join neighbours that are one polynomial, up to rounding of the values.

    Parameters
    ----------
    edges : ndarray of shape (n_pieces + 1,)
        Increasing.
    coefficients : ndarray of shape (n_pieces, degree + 1)
        As those of a :class:`~weightpath.curves.Curve`.
    tolerance : float, optional
        How far values may be apart; by default the rounding of sums over validation rows.

    Returns
    -------
    edges, coefficients : ndarray
        Of the pieces that remain.
    """
    length = np.diff(edges)
    # Values at as many theta as a polynomial has coefficients determine it.
    steps = [share * length for share in np.linspace(0.0, 1.0, coefficients.shape[1])]
    values = [polynomial(coefficients, step) for step in steps]
    if not np.isfinite(values).all():
        # No piece would be equal to itself, and the search below would not end.
        raise ValueError("The metric overflows: the decision values on these rows are too large.")
    if tolerance is None:
        tolerance = EQUAL * max(np.abs(values).max(), np.finfo(float).tiny)
    index = np.arange(len(coefficients))

    def continues(leader: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether piece ``leader[e]``, drawn further, gives the values of piece ``e``."""
        distance = edges[:-1] - edges[leader]
        same = np.ones(len(index), dtype=bool)
        for step, value in zip(steps, values, strict=True):
            drawn = polynomial(coefficients[leader], distance + step)
            same &= np.abs(drawn - value) <= tolerance
        return same

    fresh = ~continues(np.maximum(index - 1, 0))
    fresh[0] = True
    # A chain of joins may drift away from its first piece: cut it where that shows.
    while True:
        leader = np.maximum.accumulate(np.where(fresh, index, 0))
        drifted = ~continues(leader)
        if not drifted.any():
            break
        fresh |= drifted
    return np.append(edges[:-1][fresh], edges[-1]), coefficients[fresh]
