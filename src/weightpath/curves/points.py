"""Isolated points of a curve: single theta at which its value differs from its limits.

Where the bias of a solution is not unique, the model takes the middle of the optimal ones. If that
happens at one theta only, the metric of the model there is neither of the two limits of the curve.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.curves.polynomials import EQUAL

if TYPE_CHECKING:
    from weightpath.curves.curve import Curve

__all__ = ["checked_points", "distinct_points", "interval_table", "overlay", "with_points"]


def checked_points(
    edges: NDArray[np.float64], theta: ArrayLike, values: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return copies of theta and values, or raise an error where a curve cannot have them.

    Parameters
    ----------
    edges : ndarray of shape (n_intervals + 1,)
        Of the curve.
    theta, values : array-like of shape (n_points,)
        Isolated points.

    Returns
    -------
    theta, values : ndarray of shape (n_points,)
    """
    theta, values = np.array(theta, dtype=float), np.array(values, dtype=float)
    if theta.ndim != 1 or theta.shape != values.shape:
        raise ValueError(
            "point_theta and point_values must be one-dimensional and of equal length, got the "
            f"shapes {theta.shape} and {values.shape}."
        )
    if theta.size:
        if not (np.isfinite(theta).all() and np.isfinite(values).all()):
            raise ValueError("point_theta and point_values must be finite.")
        if not np.all(np.diff(theta) > 0) or theta[0] < edges[0] or theta[-1] > edges[-1]:
            raise ValueError(
                f"point_theta must be increasing and within [{edges[0]:g}, {edges[-1]:g}]."
            )
    return theta, values


def overlay(
    theta: NDArray[np.float64],
    values: NDArray[np.float64],
    point_theta: NDArray[np.float64],
    point_values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return values at theta, with those of the points where theta is exactly one of them.

    Parameters
    ----------
    theta, values : ndarray
        Of one shape.
    point_theta, point_values : ndarray of shape (n_points,)
        At least one point; increasing.

    Returns
    -------
    ndarray
        Of the shape of theta.
    """
    index = np.minimum(np.searchsorted(point_theta, theta), len(point_theta) - 1)
    return np.where(point_theta[index] == theta, point_values[index], values)


def distinct_points(
    theta: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Keep the last of the points that rounding has brought to one theta; they are sorted."""
    last = np.append(np.diff(theta) > 0, True)[: len(theta)]
    return theta[last], values[last]


def with_points(
    curve: Curve,
    theta: NDArray[np.float64],
    values: NDArray[np.float64],
    tolerance: float | NDArray[np.float64] | None = None,
) -> Curve:
    """Return a curve with isolated points where they differ from it by more than rounding.

    Parameters
    ----------
    curve : Curve
        Without points.
    theta, values : ndarray of shape (n_points,)
        Points.
    tolerance : float or ndarray of shape (n_points,), optional
        How far equal values may be apart; by default the rounding of sums over validation rows.

    Returns
    -------
    Curve
        A point of a step function that has the value of a step has it to the last bit.
    """
    if len(theta) == 0:
        return curve
    if tolerance is None:
        tolerance = EQUAL * max(np.abs(curve.values).max(), np.abs(curve.end_values).max())
    if curve.degree == 0:
        values = _on_levels(values, np.unique(curve.values), tolerance)
    own = np.abs(values - curve(theta)) > tolerance
    if not own.any():
        return curve
    return replace(curve, point_theta=theta[own], point_values=values[own])


def _on_levels(
    values: NDArray[np.float64], levels: NDArray[np.float64], tolerance: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Replace values that are close to a level, which are sorted, by that level."""
    after = np.minimum(np.searchsorted(levels, values), len(levels) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(levels[before] - values) < np.abs(levels[after] - values)
    level = levels[np.where(nearer, before, after)]
    return np.where(np.abs(level - values) <= tolerance, level, values)


def interval_table(curve: Curve) -> NDArray[np.float64]:
    """Return the left and right end and the coefficients of all intervals and points.

    Parameters
    ----------
    curve : Curve

    Returns
    -------
    ndarray of shape (n_intervals + n_points, 2 + degree + 1)
        Sorted by their left ends. Both ends of a point are its theta, and all of its coefficients
        except the first are zero; it stands before an interval that begins there.
    """
    table = np.column_stack((curve.edges[:-1], curve.edges[1:], curve.coefficients))
    if not curve.point_theta.size:
        return table
    points = np.zeros((len(curve.point_theta), table.shape[1]))
    points[:, 0] = points[:, 1] = curve.point_theta
    points[:, 2] = curve.point_values
    place = np.searchsorted(curve.edges[:-1], curve.point_theta, side="left")
    return np.insert(table, place, points, axis=0)
