"""Arithmetic on the pieces of a curve: one row of coefficients, lowest power first, each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EQUAL", "about", "polynomial", "values_at", "vertices"]

# Two values of a curve that differ by less than this, relative to its largest value, are equal:
# the sums over validation rows from which they come carry rounding errors of that size.
EQUAL = 1e-12


def polynomial(
    coefficients: NDArray[np.float64], distance: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Horner's rule over the last axis of the coefficients."""
    value = coefficients[..., -1]
    for d in range(coefficients.shape[-1] - 2, -1, -1):
        value = value * distance + coefficients[..., d]
    return value


def values_at(
    edges: NDArray[np.float64], coefficients: NDArray[np.float64], theta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of a piecewise polynomial, continuous from the right; the last piece is closed.

    Parameters
    ----------
    edges : ndarray of shape (n_pieces + 1,)
        Increasing.
    coefficients : ndarray of shape (n_pieces, degree + 1)
        In powers of the distance to the left edge.
    theta : ndarray
        Between the first and the last edge.

    Returns
    -------
    ndarray
        Of the shape of theta.
    """
    piece = np.searchsorted(edges, theta, side="right") - 1
    piece = np.minimum(piece, len(coefficients) - 1)
    return polynomial(coefficients[piece], theta - edges[piece])


def about(coefficients: NDArray[np.float64], distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same polynomials of degree two at most, in powers of the distance to another theta.

    Parameters
    ----------
    coefficients : ndarray of shape (n_pieces, degree + 1)
        In powers of the distance to the old theta.
    distance : ndarray of shape (n_pieces,)
        From the old theta to the new one.

    Returns
    -------
    ndarray of shape (n_pieces, degree + 1)
        Unchanged, to the last bit, where the distance is zero.
    """
    moved = coefficients.copy()
    moved[:, 0] = polynomial(coefficients, distance)
    if coefficients.shape[1] == 3:
        moved[:, 1] += 2 * coefficients[:, 2] * distance
    return moved


def vertices(
    cost: NDArray[np.float64], length: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance to the left edge and value of the inner minima of quadratic pieces.

    Parameters
    ----------
    cost : ndarray of shape (n_pieces, degree + 1)
        Coefficients.
    length : ndarray of shape (n_pieces,)
        Lengths of the pieces.

    Returns
    -------
    distance, value : ndarray of shape (n_pieces,)
        Zero and infinity where there is none.
    """
    distance, value = np.zeros(len(cost)), np.full(len(cost), np.inf)
    if cost.shape[1] == 3:
        convex = np.flatnonzero(cost[:, 2] > 0)
        place = -cost[convex, 1] / (2 * cost[convex, 2])
        inner = (place > 0) & (place < length[convex])
        distance[convex[inner]] = place[inner]
        value[convex[inner]] = polynomial(cost[convex[inner]], place[inner])
    return distance, value
