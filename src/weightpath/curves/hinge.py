r"""The mean hinge loss along a path between two classes.

.. math:: \frac{\sum_i v_i \max(0, 1 - y_i f(x_i, \theta))}{\sum_i v_i}

as :func:`sklearn.metrics.hinge_loss`. On every segment each row's :math:`g_i = 1 - y_i f_i` is
linear, so its loss is linear but for one kink at most, the zero of :math:`g_i`, where the slope of
the mean grows by :math:`v_i |g_i'|`.
"""

from __future__ import annotations

import numpy as np

from weightpath.curves.curve import EQUAL, Curve
from weightpath.curves.sign_changes import pieces, zeros

__all__ = ["binary_hinge"]


def binary_hinge(path, X, target, weight) -> Curve:
    """Mean hinge loss of a path between two classes.

    Parameters
    ----------
    path : SolutionPath
        With one decision function.
    X : array-like
        Validation rows.
    target : ndarray of int, shape (n_rows,)
        Index of the true class, 0 or 1.
    weight : ndarray of shape (n_rows,)
        Costs.

    Returns
    -------
    Curve
        Of degree 1.
    """
    minus_sign = np.where(target == 1, -1.0, 1.0)
    share = weight / weight.sum()
    starts, values, slopes = [], [], []
    kinks, owners, bends = [], [], []
    n_segments = 0
    for left, right, F, F_slope in pieces(path.iter_segments(X)):
        gap = F * minus_sign
        gap += 1.0
        gap_slope = F_slope * minus_sign
        active, _, segment, row, theta = zeros(left, right, gap, gap_slope)
        starts.append(left)
        values.append(np.maximum(gap, 0.0) @ share)
        slopes.append(np.where(active, gap_slope, 0.0) @ share)
        kinks.append(theta)
        owners.append(segment + n_segments)
        bends.append(share[row] * np.abs(gap_slope[segment, row]))
        n_segments += len(left)
    edges, coefficients = _assemble(
        np.append(np.concatenate(starts), path.theta[-1]),
        np.column_stack((np.concatenate(values), np.concatenate(slopes))),
        np.concatenate(kinks),
        np.concatenate(owners),
        np.concatenate(bends),
    )
    edges, coefficients = _merge(edges, coefficients)
    return Curve(edges, coefficients, "hinge")


def _assemble(breaks, lines, kinks, owners, bends):
    """Cut the segments at their kinks.

    Parameters
    ----------
    breaks : ndarray of shape (n_segments + 1,)
        Breakpoints.
    lines : ndarray of shape (n_segments, 2)
        Value and slope at the start of every segment.
    kinks, owners, bends : ndarray of shape (n_kinks,)
        Place, segment and change of slope of every kink.

    Returns
    -------
    edges : ndarray of shape (n_pieces + 1,)
    coefficients : ndarray of shape (n_pieces, 2)
    """
    n_segments = len(lines)
    segment = np.concatenate((np.arange(n_segments), owners))
    place = np.concatenate((breaks[:-1], kinks))
    bend = np.concatenate((np.zeros(n_segments), bends))
    # A segment's own start stays before a kink at the same place: lexsort is stable.
    order = np.lexsort((place, segment))
    segment, place, bend = segment[order], place[order], bend[order]
    first = np.flatnonzero(np.append(True, np.diff(segment) > 0))
    length = np.diff(np.append(place, breaks[-1]))
    slope = lines[segment, 1] + _running_sum(bend, first, segment)
    rise = np.append(0.0, (slope * length)[:-1])
    rise[first] = 0.0
    value = lines[segment, 0] + _running_sum(rise, first, segment)
    # The loss is a mean of numbers that are not negative; rounding may say otherwise.
    np.maximum(value, 0.0, out=value)
    kept = length > 0
    return np.append(place[kept], breaks[-1]), np.column_stack((value, slope))[kept]


def _running_sum(step, first, segment):
    """Cumulative sum that starts afresh at every segment, whose first entry is zero."""
    total = np.cumsum(step)
    return total - total[first][segment]


def _merge(edges, coefficients):
    """Join neighbours that are one line, up to rounding of the values."""
    scale = max(np.abs(coefficients[:, 0]).max(), np.finfo(float).tiny)
    end = coefficients[:, 0] + coefficients[:, 1] * np.diff(edges)

    def continues(line):
        """Whether piece ``line[e]``, drawn further, gives the values of piece ``e``."""
        value, slope = coefficients[line].T
        start_error = value + slope * (edges[:-1] - edges[line]) - coefficients[:, 0]
        end_error = value + slope * (edges[1:] - edges[line]) - end
        return np.maximum(np.abs(start_error), np.abs(end_error)) <= EQUAL * scale

    index = np.arange(len(coefficients))
    fresh = ~continues(np.maximum(index - 1, 0))
    fresh[0] = True
    # A chain of joins may drift away from its first line: cut it where that shows.
    while True:
        line = np.maximum.accumulate(np.where(fresh, index, 0))
        drifted = ~continues(line)
        if not drifted.any():
            break
        fresh |= drifted
    return np.append(edges[:-1][fresh], edges[-1]), coefficients[fresh]
