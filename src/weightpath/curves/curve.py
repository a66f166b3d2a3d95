"""A metric along a path: one polynomial of degree at most two for every interval of theta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.arithmetic import Arithmetic
from weightpath.curves.best import Best
from weightpath.curves.lowest import lowest_stretch
from weightpath.curves.points import checked_points, distinct_points, interval_table, overlay
from weightpath.curves.polynomials import EQUAL, about, polynomial, values_at
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from weightpath.plotting import CurveDisplay

__all__ = ["EQUAL", "Best", "Curve", "named", "polynomial"]

_NO_POINTS = np.empty(0)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Arithmetic):
    r"""A piecewise polynomial function of theta, exact everywhere.

    On interval ``e``, that is for ``edges[e] <= theta < edges[e + 1]``,

    .. math:: v(\theta) = \sum_{d} c_{ed} \, (\theta - \theta_e)^d .

    The curve is continuous from the right, and the last interval includes its right end. At an
    isolated point, exactly there, it has the value of the point.

    Curves of one direction on one domain can be added and subtracted, and curves can be multiplied
    and divided by numbers; the result is exact, on the edges and points of both. A negative factor
    turns a score into a loss: ``1 - accuracy`` is one, and its :attr:`best` is the lowest value.
    See also :func:`weightpath.curves.mean_curve`.

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
    point_theta, point_values : ndarray of shape (n_points,)
        Isolated points: increasing theta and the values there; none by default. One whose value
        the curve has there anyway is not kept.

    Notes
    -----
    Where the bias of a model is not unique at a single theta, the model there has the middle of
    the optimal ones, while from both sides of theta other biases are approached. A curve has
    the value of that model, as an isolated point.

    A label depends on the sign of decision values, so at a single theta where one of them is
    exactly zero a metric of labels may differ from its values on both sides. Such points have no
    edges and are no isolated points: a curve gives the value just to the right of them, and is
    exact at every theta except finitely many.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.curves import Curve
    >>> curve = Curve(np.array([0.0, 0.2, 0.6, 1.0]), np.array([[0.3], [0.1], [0.2]]), "zero_one")
    >>> float(curve(0.2)), float(curve(1.0))
    (0.1, 0.2)
    >>> curve.best
    Best(theta=0.4, value=0.1, interval=(0.2, 0.6))
    >>> (2 * curve + curve) / 3
    Curve('zero_one', 3 intervals of degree 0 on [0, 1])
    >>> lower = Curve(curve.edges, curve.coefficients, point_theta=[0.0], point_values=[0.05])
    >>> float(lower(0.0)), float(lower(1e-9)), lower.best
    (0.05, 0.3, Best(theta=0.0, value=0.05, interval=(0.0, 0.0)))
    """

    edges: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    metric: str = ""
    greater_is_better: bool = False
    point_theta: NDArray[np.float64] = field(default_factory=_NO_POINTS.copy)
    point_values: NDArray[np.float64] = field(default_factory=_NO_POINTS.copy)

    def __post_init__(self) -> None:
        edges = np.array(self.edges, dtype=float)
        coefficients = np.array(self.coefficients, dtype=float)
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
        theta = values = _NO_POINTS
        if np.size(self.point_theta) or np.size(self.point_values):
            theta, values = checked_points(edges, self.point_theta, self.point_values)
            own = values != values_at(edges, coefficients, theta)
            theta, values = theta[own], values[own]
        for array in (edges, coefficients, theta, values):
            array.setflags(write=False)
        self.__dict__.update(
            edges=edges, coefficients=coefficients, point_theta=theta, point_values=values
        )

    def __repr__(self) -> str:
        low, high = self.edges[0], self.edges[-1]
        n_points = len(self.point_theta)
        points = f" and {n_points} isolated point{'s'[: n_points - 1]}" if n_points else ""
        return (
            f"Curve({self.metric!r}, {len(self)} intervals of degree {self.degree}{points} "
            f"on [{low:g}, {high:g}])"
        )

    def _repr_html_(self) -> str:
        best = self.best
        return html_table(
            "Curve",
            [
                ("metric", self.metric),
                ("theta", f"{self.edges[0]:.6g} to {self.edges[-1]:.6g}"),
                ("intervals", f"{len(self)} of degree {self.degree}"),
                ("best value", float(best.value)),
                ("best theta", float(best.theta)),
            ],
        )

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def degree(self) -> int:
        """Degree of the polynomials: 0 for a step function."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def values(self) -> NDArray[np.float64]:
        """Limit at the left edge of every interval; of the whole interval when degree is 0."""
        return self.coefficients[:, 0]

    @property
    def end_values(self) -> NDArray[np.float64]:
        """Limit at the right edge of every interval, from inside it."""
        return polynomial(self.coefficients, np.diff(self.edges))

    @overload
    def __call__(self, theta: float) -> float: ...

    @overload
    def __call__(self, theta: NDArray[Any] | Sequence[Any]) -> NDArray[np.float64]: ...

    def __call__(self, theta: float | NDArray[Any] | Sequence[Any]) -> float | NDArray[np.float64]:
        """Value at theta, a number or an array of any shape.

        Parameters
        ----------
        theta : float or array-like
            Between the first and the last edge.

        Returns
        -------
        float or ndarray
            Of the shape of theta.
        """
        at = np.asarray(theta, dtype=float)
        if not np.all((at >= self.edges[0]) & (at <= self.edges[-1])):
            raise ValueError(f"theta must lie in [{self.edges[0]:g}, {self.edges[-1]:g}].")
        value = values_at(self.edges, self.coefficients, at)
        if self.point_theta.size:
            value = overlay(at, value, self.point_theta, self.point_values)
        return float(value) if at.ndim == 0 else value

    @property
    def best(self) -> Best:
        """Lowest value (highest for a score), where it is taken, and the interval it holds on.

        Of several intervals the longest is taken, and theta is its middle: a model there is the
        least sensitive to a small change of theta. So an isolated point is the best only if its
        value is better than that of every interval, and a worse point within an interval cuts it
        in two.
        """
        return self._lowest(-1.0 if self.greater_is_better else 1.0)

    def best_within(self, low: float, high: float) -> Best:
        """The best theta with ``low <= theta < high``, or up to the end of the curve.

        An edge at ``high`` begins the next interval, which is left out.

        Parameters
        ----------
        low, high : float
            Between the first and the last edge. If they are equal, only that theta is considered.

        Returns
        -------
        Best
            As :attr:`best`: the highest value of a score, the lowest of a loss.

        Examples
        --------
        >>> from weightpath.curves import Curve
        >>> curve = Curve([0.0, 0.2, 0.6, 1.0], [[0.3], [0.1], [0.2]])
        >>> curve.best_within(0.0, 0.3).interval
        (0.2, 0.3)
        """
        return self._lowest_within(low, high, -1.0 if self.greater_is_better else 1.0)

    def minimum_within(self, low: float, high: float) -> Best:
        """The lowest value for ``low <= theta < high``, whether or not lower is better.

        Parameters
        ----------
        low, high : float
            As for :meth:`best_within`.

        Returns
        -------
        Best
            The lowest value, where it is taken, and the interval it holds on.
        """
        return self._lowest_within(low, high, 1.0)

    def _lowest(self, sign: float) -> Best:
        theta, left, right = lowest_stretch(
            self.edges, sign * self.coefficients, self.point_theta, sign * self.point_values
        )
        return Best(theta, self(theta), (left, right))

    def _lowest_within(self, low: float, high: float, sign: float) -> Best:
        low, high = float(low), float(high)
        if low == high:
            return Best(low, self(low), (low, low))
        part = self.restricted(low, high)
        if high < self.edges[-1] and high in part.point_theta:
            inner = part.point_theta < high
            part = replace(
                part, point_theta=part.point_theta[inner], point_values=part.point_values[inner]
            )
        best = part._lowest(sign)
        if best.theta < self.edges[-1] and best.theta == high:
            # The value is the limit from the left, and the curve may jump right there.
            theta = float(np.nextafter(high, low))
            return Best(theta, self(theta), (theta, theta))
        return best._replace(value=self(best.theta))

    def restricted(self, low: float, high: float) -> Curve:
        """The piece of the curve from ``low`` to ``high``.

        Parameters
        ----------
        low, high : float
            Increasing, between the first and the last edge.

        Returns
        -------
        Curve
            Its value at ``high`` is the limit from the left, if there is no isolated point.
        """
        if not self.edges[0] <= low < high <= self.edges[-1]:
            raise ValueError(
                f"An interval within [{self.edges[0]:g}, {self.edges[-1]:g}] is needed, and its "
                f"ends must increase; got {low!r} and {high!r}."
            )
        first = np.searchsorted(self.edges, low, side="right") - 1
        last = np.searchsorted(self.edges, high, side="left")
        edges = self.edges[first : last + 1].copy()
        coefficients = self.coefficients[first:last].copy()
        coefficients[:1] = about(coefficients[:1], np.array([low - edges[0]]))
        edges[0], edges[-1] = low, high
        inside = (self.point_theta >= low) & (self.point_theta <= high)
        return replace(
            self,
            edges=edges,
            coefficients=coefficients,
            point_theta=self.point_theta[inside],
            point_values=self.point_values[inside],
        )

    def shifted(self, distance: float) -> Curve:
        """The curve moved along theta.

        Parameters
        ----------
        distance : float
            Added to every theta.

        Returns
        -------
        Curve
            ``curve.shifted(d)(theta + d) == curve(theta)``, up to the rounding of theta.
            Intervals that rounding leaves no length vanish, and of points that come together the
            last remains.
        """
        edges = self.edges + float(distance)
        kept = np.diff(edges) > 0
        theta, values = distinct_points(self.point_theta + float(distance), self.point_values)
        return replace(
            self,
            edges=np.append(edges[:-1][kept], edges[-1]),
            coefficients=self.coefficients[kept],
            point_theta=theta,
            point_values=values,
        )

    def to_frame(self) -> DataFrame:
        """Intervals and isolated points as a :class:`pandas.DataFrame`.

        Returns
        -------
        DataFrame
            Columns ``left``, ``right``, ``value`` (at the left edge) and, above degree 0,
            ``slope`` and ``quadratic``, the further coefficients. An isolated point is a row whose
            ``left`` and ``right`` are equal, before an interval that begins there.
        """
        pd = pandas_for("Curve.to_frame")
        names = ("left", "right", "value", "slope", "quadratic")
        return pd.DataFrame(dict(zip(names, interval_table(self).T, strict=False)))

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> CurveDisplay:
        """Draw the curve with its best interval; see :func:`weightpath.plotting.plot_curve`."""
        from weightpath.plotting import plot_curve

        return plot_curve(self, ax=ax, **kwargs)


def named(curve: Curve, metric: str, greater_is_better: bool) -> Curve:
    """Return a curve as that of a metric, with the same arrays: they are not checked again."""
    same = object.__new__(Curve)
    same.__dict__.update(curve.__dict__, metric=metric, greater_is_better=greater_is_better)
    return same
