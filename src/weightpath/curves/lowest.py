"""The lowest value of a piecewise polynomial with isolated points, and where it is taken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.points import overlay
from weightpath.curves.polynomials import EQUAL, polynomial, values_at, vertices

__all__ = ["lowest_stretch", "scale"]


NO_POINTS = np.empty(0)


def scale(edges: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
    """The largest absolute value at the edges, from both sides."""
    end = polynomial(cost, np.diff(edges))
    return max(float(np.abs(cost[:, 0]).max()), float(np.abs(end).max()))


def lowest_stretch(
    edges: NDArray[np.float64],
    cost: NDArray[np.float64],
    point_theta: NDArray[np.float64] = NO_POINTS,
    point_cost: NDArray[np.float64] = NO_POINTS,
) -> tuple[float, float, float]:
    """The longest stretch on which the lowest value holds, or the one theta where it is taken.

    Parameters
    ----------
    edges : ndarray of shape (n_pieces + 1,)
        Increasing.
    cost : ndarray of shape (n_pieces, degree + 1)
        As the coefficients of a :class:`~weightpath.curves.Curve`.
    point_theta, point_cost : ndarray of shape (n_points,)
        Isolated points. Those with more than the lowest value cut a stretch in two.

    Returns
    -------
    theta : float
        The middle of the stretch; the piece that holds there has the lowest value.
    left, right : float
        Its ends, equal where the value is taken at a single theta.
    """
    length = np.diff(edges)
    tolerance = EQUAL * scale(edges, cost)
    lowest = _lowest_values(cost, length)
    if not np.any(point_cost < lowest.min() - tolerance):
        worse = point_theta[point_cost > lowest.min() + tolerance]
        stretch = _longest_level(edges, cost, lowest, tolerance, worse)
        if stretch is not None:
            left, right = stretch
            return middle(left, right), left, right
    if point_theta.size:
        theta = _lowest_place(edges, cost, length, tolerance, point_theta, point_cost)
    else:
        theta = _lowest_point(edges, cost, length, tolerance)
    return theta, theta, theta


def middle(left: float, right: float) -> float:
    """The middle of an interval that does not include its right end.

    Between two neighbouring numbers there is none, and the mean is rounded to either.
    """
    theta = left + 0.5 * (right - left)
    return theta if theta < right else left


def _lowest_values(cost: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.float64]:
    end = polynomial(cost, length)
    return np.minimum(np.minimum(cost[:, 0], end), vertices(cost, length)[1])


def _longest_level(
    edges: NDArray[np.float64],
    cost: NDArray[np.float64],
    lowest: NDArray[np.float64],
    tolerance: float,
    worse: NDArray[np.float64],
) -> tuple[float, float] | None:
    """Longest run of intervals, without worse points, at the lowest value; None without any."""
    # A short piece at the bottom of a parabola varies little as well: there the whole parabola
    # must be level, all along the curve.
    reach = np.diff(edges) if cost.shape[1] < 3 else np.full(len(cost), edges[-1] - edges[0])
    powers = reach[:, None] ** np.arange(1, cost.shape[1])
    variation = np.sum(np.abs(cost[:, 1:]) * powers, axis=1)
    level = (lowest <= lowest.min() + tolerance) & (variation <= tolerance)
    if not level.any():
        return None
    change = np.diff(np.concatenate(([0], level.astype(np.int8), [0])))
    left, right = edges[change == 1], edges[change == -1]
    if worse.size:
        left, right = cut_at(left, right, worse)
        if not left.size:
            return None
    longest = np.argmax(right - left)
    return float(left[longest]), float(right[longest])


def cut_at(
    left: NDArray[np.float64], right: NDArray[np.float64], theta: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cut intervals that do not overlap at points that do not belong to them.

    Parameters
    ----------
    left, right : ndarray of shape (n_intervals,)
        Ends of the intervals, in their order.
    theta : ndarray of shape (n_points,)
        Increasing.

    Returns
    -------
    left, right : ndarray
        Ends of what remains, without pieces that have no number between their ends.
    """
    if not (left.size and theta.size):
        return left, right
    index = np.searchsorted(left, theta, side="right") - 1
    inner = theta[(index >= 0) & (theta > left[index]) & (theta < right[index])]
    left, right = np.sort(np.append(left, inner)), np.sort(np.append(right, inner))
    some = ~np.isin(left, theta) | (np.nextafter(left, np.inf) < right)
    return left[some], right[some]


def _lowest_point(
    edges: NDArray[np.float64],
    cost: NDArray[np.float64],
    length: NDArray[np.float64],
    tolerance: float,
) -> float:
    """Theta of the lowest value of a curve that is not level there."""
    distance, vertex = vertices(cost, length)
    end = polynomial(cost, length)
    places = np.concatenate((edges[:-1], _inside(edges, distance), edges[-1:]))
    taken = np.concatenate((cost[:, 0], vertex, end[-1:]))
    if taken.min() <= end.min() + tolerance:
        return float(places[np.argmin(taken)])
    # The curve jumps up right after its lowest value: the last number before the jump.
    return float(np.nextafter(edges[np.argmin(end) + 1], -np.inf))


def _inside(edges: NDArray[np.float64], distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Theta at these distances from the left ends, before the right ends.

    Rounding may put the minimum of a piece on its right end, where the next piece holds.
    """
    return np.minimum(edges[:-1] + distance, np.nextafter(edges[1:], -np.inf))


def _lowest_place(
    edges: NDArray[np.float64],
    cost: NDArray[np.float64],
    length: NDArray[np.float64],
    tolerance: float,
    theta: NDArray[np.float64],
    point_cost: NDArray[np.float64],
) -> float:
    """As :func:`_lowest_point`, for a curve with isolated points; of equal values the first."""
    distance, vertex = vertices(cost, length)
    places = np.concatenate((edges[:-1], _inside(edges, distance), edges[-1:], theta))
    end = polynomial(cost[-1:], length[-1:])
    taken = np.concatenate((cost[:, 0], vertex, end, point_cost))
    taken = overlay(places, taken, theta, point_cost)
    # Values that are not taken, beside jumps and worse points, are nearly taken next to them.
    beside = np.concatenate(
        (np.nextafter(np.append(edges[1:], theta), -np.inf), np.nextafter(theta, np.inf))
    )
    beside = beside[(beside >= edges[0]) & (beside <= edges[-1])]
    near = overlay(beside, values_at(edges, cost, beside), theta, point_cost)
    if taken.min() <= near.min() + tolerance:
        return float(places[taken == taken.min()].min())
    return float(beside[np.argmin(near)])
