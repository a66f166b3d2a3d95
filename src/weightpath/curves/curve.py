"""A metric along a path: one polynomial of degree at most two for every interval of theta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Best", "Curve", "polynomial"]

# Two values of a curve that differ by less than this, relative to its largest value, are equal:
# the sums over validation rows from which they come carry rounding errors of that size.
EQUAL = 1e-12


class Best(NamedTuple):
    """The best place of a curve.

    Attributes
    ----------
    theta : float
        Where: the middle of ``interval``.
    value : float
        ``curve(theta)``.
    interval : tuple of float
        The longest stretch of theta on which the curve keeps that value; its two ends are equal
        where the best value is taken at a single place.
    """

    theta: float
    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    r"""A piecewise polynomial function of theta, exact everywhere.

    On interval ``e``, that is for ``edges[e] <= theta < edges[e + 1]``,

    .. math:: v(\theta) = \sum_{d} c_{ed} \, (\theta - \theta_e)^d .

    The curve is continuous from the right, and the last interval includes its right end.

    Parameters
    ----------
    edges : ndarray of shape (n_intervals + 1,)
        Increasing. The curve really changes at every inner edge.
    coefficients : ndarray of shape (n_intervals, degree + 1)
        The polynomial of every interval in powers of the distance to its left edge; the degree
        is 0 (a step function), 1 or 2.
    metric : str
        Name of the metric.
    greater_is_better : bool
        Whether :attr:`best` looks for the highest value rather than the lowest.

    Notes
    -----
    A label depends on the sign of decision values, so at a single theta where one of them is
    exactly zero a metric of labels may differ from its values on both sides. Such points carry no
    length and no edges: a curve gives the value just to the right of them, and is exact at every
    theta but finitely many.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.curves import Curve
    >>> curve = Curve(np.array([0.0, 0.2, 0.6, 1.0]), np.array([[0.3], [0.1], [0.2]]), "zero_one")
    >>> float(curve(0.2)), float(curve(1.0))
    (0.1, 0.2)
    >>> curve.best
    Best(theta=0.4, value=0.1, interval=(0.2, 0.6))
    """

    edges: np.ndarray
    coefficients: np.ndarray
    metric: str = ""
    greater_is_better: bool = False

    def __post_init__(self):
        edges = _frozen(self.edges)
        coefficients = _frozen(self.coefficients)
        if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0):
            raise ValueError("edges must be one-dimensional, increasing, and at least two.")
        if coefficients.ndim != 2 or not 1 <= coefficients.shape[1] <= 3:
            raise ValueError("coefficients must have one row per interval and 1 to 3 columns.")
        if len(coefficients) != len(edges) - 1:
            raise ValueError(
                f"{len(edges)} edges need {len(edges) - 1} rows of coefficients, "
                f"got {len(coefficients)}."
            )
        if not (np.isfinite(edges).all() and np.isfinite(coefficients).all()):
            raise ValueError("edges and coefficients must be finite.")
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "coefficients", coefficients)

    def __repr__(self):
        low, high = self.edges[0], self.edges[-1]
        return (
            f"Curve({self.metric!r}, {len(self)} intervals of degree {self.degree} "
            f"on [{low:g}, {high:g}])"
        )

    def __len__(self):
        return len(self.coefficients)

    @property
    def degree(self) -> int:
        """Degree of the polynomials: 0 for a step function."""
        return self.coefficients.shape[1] - 1

    @property
    def values(self) -> np.ndarray:
        """Value at the left edge of every interval; of the whole interval when degree is 0."""
        return self.coefficients[:, 0]

    @property
    def end_values(self) -> np.ndarray:
        """Limit at the right edge of every interval, from inside it."""
        return polynomial(self.coefficients, np.diff(self.edges))

    def __call__(self, theta):
        """Value at theta, a number or an array of any shape.

        Parameters
        ----------
        theta : float or array-like
            Places between the first and the last edge.

        Returns
        -------
        float or ndarray
            Of the shape of theta.
        """
        theta = np.asarray(theta, dtype=float)
        if not np.all((theta >= self.edges[0]) & (theta <= self.edges[-1])):
            raise ValueError(f"theta must lie in [{self.edges[0]:g}, {self.edges[-1]:g}].")
        interval = np.searchsorted(self.edges, theta, side="right") - 1
        interval = np.minimum(interval, len(self) - 1)
        value = polynomial(self.coefficients[interval], theta - self.edges[interval])
        return float(value) if theta.ndim == 0 else value

    @property
    def best(self) -> Best:
        """Lowest value (highest for a score), where it is taken, and the interval it holds on.

        Of several places the one with the longest interval is taken, and theta is its middle: a
        model there is the least sensitive to a small change of theta.
        """
        cost = -self.coefficients if self.greater_is_better else self.coefficients
        length = np.diff(self.edges)
        tolerance = EQUAL * max(np.abs(self.values).max(), np.abs(self.end_values).max())
        stretch = _longest_level(self.edges, cost, length, tolerance)
        if stretch is None:
            theta = _lowest_point(self.edges, cost, length, tolerance)
            stretch = (theta, theta)
        else:
            theta = 0.5 * (stretch[0] + stretch[1])
        return Best(theta, self(theta), stretch)

    def to_frame(self):
        """Intervals as a :class:`pandas.DataFrame`.

        Returns
        -------
        DataFrame
            Columns ``left``, ``right``, ``value`` (at the left edge) and, above degree 0,
            ``slope`` and ``quadratic``, the further coefficients.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("Curve.to_frame needs pandas: pip install pandas.") from error
        columns = {"left": self.edges[:-1], "right": self.edges[1:]}
        columns.update(zip(("value", "slope", "quadratic"), self.coefficients.T, strict=False))
        return pd.DataFrame(columns)

    def plot(self, ax=None, **kwargs):
        """Draw the curve with its best interval; see :func:`weightpath.plotting.plot_curve`."""
        from weightpath.plotting import plot_curve

        return plot_curve(self, ax=ax, **kwargs)


def _frozen(array) -> np.ndarray:
    copy = np.array(array, dtype=float)
    copy.setflags(write=False)
    return copy


def polynomial(coefficients, distance) -> np.ndarray:
    """Horner's rule over the last axis of the coefficients."""
    value = coefficients[..., -1]
    for d in range(coefficients.shape[-1] - 2, -1, -1):
        value = value * distance + coefficients[..., d]
    return value


def _vertices(cost, length):
    """Distance to the left edge and value of the inner minima of quadratic pieces."""
    distance, value = np.zeros(len(cost)), np.full(len(cost), np.inf)
    if cost.shape[1] == 3:
        convex = np.flatnonzero(cost[:, 2] > 0)
        place = -cost[convex, 1] / (2 * cost[convex, 2])
        inner = (place > 0) & (place < length[convex])
        distance[convex[inner]] = place[inner]
        value[convex[inner]] = polynomial(cost[convex[inner]], place[inner])
    return distance, value


def _lowest_values(cost, length):
    end = polynomial(cost, length)
    return np.minimum(np.minimum(cost[:, 0], end), _vertices(cost, length)[1])


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
    distance, vertex = _vertices(cost, length)
    end = polynomial(cost, length)
    places = np.concatenate((edges[:-1], edges[:-1] + distance, edges[-1:]))
    taken = np.concatenate((cost[:, 0], vertex, end[-1:]))
    if taken.min() <= end.min() + tolerance:
        return float(places[np.argmin(taken)])
    # The curve jumps up right after its lowest value: the last number before the jump.
    return float(np.nextafter(edges[np.argmin(end) + 1], -np.inf))
