"""The lowest value of a piecewise polynomial, and where it is taken."""

from __future__ import annotations

import numpy as np

from weightpath.curves.polynomials import EQUAL, polynomial, vertices

__all__ = ["lowest_stretch", "scale"]


def scale(edges, cost) -> float:
    """The largest absolute value at the edges, from both sides."""
    end = polynomial(cost, np.diff(edges))
    return max(np.abs(cost[:, 0]).max(), np.abs(end).max())


def lowest_stretch(edges, cost) -> tuple[float, float, float]:
    """The longest stretch on which the lowest value holds, or the one place where it is taken.

    Parameters
    ----------
    edges : ndarray of shape (n_pieces + 1,)
        Increasing.
    cost : ndarray of shape (n_pieces, degree + 1)
        As the coefficients of a :class:`~weightpath.curves.Curve`.

    Returns
    -------
    theta : float
        The middle of the stretch; the piece that holds there has the lowest value.
    left, right : float
        Its ends, equal where the value is taken at a single place.
    """
    length = np.diff(edges)
    tolerance = EQUAL * scale(edges, cost)
    stretch = _longest_level(edges, cost, length, tolerance)
    if stretch is None:
        theta = _lowest_point(edges, cost, length, tolerance)
        return theta, theta, theta
    left, right = stretch
    return middle(left, right), left, right


def middle(left: float, right: float) -> float:
    """The middle of an interval that does not include its right end.

    Between two neighbouring numbers there is none, and the mean is rounded to either.
    """
    theta = left + 0.5 * (right - left)
    return theta if theta < right else left


def _lowest_values(cost, length):
    end = polynomial(cost, length)
    return np.minimum(np.minimum(cost[:, 0], end), vertices(cost, length)[1])


def _longest_level(edges, cost, length, tolerance):
    """Longest run of intervals on which the curve stays at its lowest value, or None."""
    # A short piece at the bottom of a parabola varies little as well: there the whole parabola
    # must be level, all along the curve.
    reach = length if cost.shape[1] < 3 else np.full(len(cost), edges[-1] - edges[0])
    powers = reach[:, None] ** np.arange(1, cost.shape[1])
    variation = np.sum(np.abs(cost[:, 1:]) * powers, axis=1)
    lowest = _lowest_values(cost, length)
    level = (lowest <= lowest.min() + tolerance) & (variation <= tolerance)
    if not level.any():
        return None
    change = np.diff(np.concatenate(([0], level.astype(np.int8), [0])))
    left, right = edges[change == 1], edges[change == -1]
    longest = np.argmax(right - left)
    return float(left[longest]), float(right[longest])


def _lowest_point(edges, cost, length, tolerance):
    """Place of the lowest value of a curve that is level nowhere near it."""
    distance, vertex = vertices(cost, length)
    end = polynomial(cost, length)
    places = np.concatenate((edges[:-1], edges[:-1] + distance, edges[-1:]))
    taken = np.concatenate((cost[:, 0], vertex, end[-1:]))
    if taken.min() <= end.min() + tolerance:
        return float(places[np.argmin(taken)])
    # The curve jumps up right after its lowest value: the last number before the jump.
    return float(np.nextafter(edges[np.argmin(end) + 1], -np.inf))
