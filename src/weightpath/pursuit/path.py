"""All solutions of basis pursuit between two weightings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.curves.curve import Curve, named
from weightpath.curves.decision_path import Block
from weightpath.curves.isolated import with_isolated_values
from weightpath.kernels import Kernel
from weightpath.metrics import Metric
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.registry import get, resolve
from weightpath.metrics.validation import check_rows
from weightpath.path.given import check_points, check_scalar, check_theta
from weightpath.pursuit.certificate import duality_gap
from weightpath.pursuit.parametric import Segment, Theta
from weightpath.pursuit.program import Program
from weightpath.pursuit.solution import PursuitSolution
from weightpath.record.status import COMPLETE, Status
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.pursuit.display import PursuitDisplay

__all__ = ["PursuitPath"]

Reals = NDArray[np.float64]
Side = Literal["left", "right"]

_EVENT = np.dtype([("theta", np.float64), ("entered", np.intp), ("left", np.intp)])


class PathModelMaker(Protocol):
    """Makes the models on a path."""

    def model_from(self, path: PursuitPath, theta: float) -> Any:
        """Return a fitted estimator at ``theta``."""


@dataclass(frozen=True, eq=False, repr=False)
class PursuitPath:
    """All solutions of basis pursuit between two weightings, exactly.

    Made by :meth:`weightpath.BasisPursuit.reweight`. Weights move on a straight line, from
    theta = 0 to theta = 1. Coefficients are constant between breakpoints and jump at them; the
    dual vector is piecewise linear, and the least cost is a concave piecewise linear function.

    Parameters
    ----------
    program : Program
        The data.
    before, after : ndarray of shape (n_features,)
        The penalty weights at both ends.
    segments : tuple of Segment
        The path.
    start, end : PursuitSolution
        The solutions of the model at both ends.
    last_exchanges : tuple of (int, int)
        What was exchanged at theta = 1.
    template : PathModelMaker or None
        Makes models: ``template.model_from(path, theta)``.
    params : dict
        With the names of the features, if there are any.

    Notes
    -----
    At a breakpoint all solutions between the two neighbouring ones are optimal; :meth:`at` gives
    their middle, and one of the two by ``side``.
    """

    program: Program
    before: Reals
    after: Reals
    segments: tuple[Segment, ...]
    start: PursuitSolution
    end: PursuitSolution
    last_exchanges: tuple[tuple[int, int], ...] = ()
    template: PathModelMaker | None = None
    params: dict[str, Any] = field(default_factory=dict)

    kernel: ClassVar[Kernel] = Kernel("linear")

    def __len__(self) -> int:
        return len(self.segments)

    def __repr__(self) -> str:
        n = self.before.size
        return f"<PursuitPath: {n} features, {self.n_events} events, {len(self)} segments>"

    def _repr_html_(self) -> str:
        rows = [("features", self.before.size), ("events", self.n_events)]
        return html_table("Path of basis pursuit", [*rows, ("segments", len(self))])

    @property
    def X(self) -> Reals:  # noqa: N802
        """The training rows."""
        return self.program.matrix

    @property
    def status(self) -> Status:
        """How the path ended: it is complete."""
        return COMPLETE

    @cached_property
    def theta(self) -> Reals:
        """The breakpoints: distinct, increasing, from 0 to 1."""
        theta = np.unique([0.0, *(segment.right.theta for segment in self.segments)])
        theta.setflags(write=False)
        return theta

    @cached_property
    def isolated_theta(self) -> Reals:
        """The theta at which the solution differs from one of its limits."""
        jumps = [
            theta
            for theta in self.theta.tolist()
            if not np.array_equal(self.at(theta).coef, self.at(theta, side="right").coef)
        ]
        return np.array(jumps, dtype=np.float64)

    @cached_property
    def events(self) -> NDArray[np.void]:
        """Every exchange of two features in the basis, as a structured array.

        Fields ``theta``, ``entered`` and ``left`` (features); ``pandas.DataFrame(path.events)`` is
        a table.
        """
        rows = [
            (segment.left.theta, entered, left)
            for segment in self.segments
            for entered, left in segment.exchanges
        ]
        rows += [(1.0, entered, left) for entered, left in self.last_exchanges]
        events = np.array(rows, dtype=_EVENT)
        events.setflags(write=False)
        return events

    @property
    def n_events(self) -> int:
        """The number of exchanges."""
        return int(self.events.size)

    def at(self, theta: float, side: Side | None = None) -> PursuitSolution:
        """Return the exact solution at ``theta``.

        Parameters
        ----------
        theta : float
            Between 0 and 1.
        side : {"left", "right"} or None, default=None
            Which of the two solutions at a breakpoint; their middle if not given, and at the ends
            of the path the solution of the model there.

        Returns
        -------
        PursuitSolution
        """
        theta = check_scalar(self, theta)
        if side not in (None, "left", "right"):
            raise ValueError(f'side must be "left", "right" or None; got {side!r}.')
        if side is None and theta in (0.0, 1.0):
            return self.start if theta == 0.0 else self.end
        weights = Theta.of(theta).mix(self.before, self.after)
        found = [self._on(segment, theta) for segment in self._segments_at(theta, side)]
        coef, dual = (sum(values) / len(found) for values in zip(*found, strict=True))
        return PursuitSolution(theta, coef, dual, weights)

    def decision_function(self, X: Any, theta: ArrayLike) -> Reals:
        """Return the predictions at ``theta``, as the model there has them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_points, n_features)
        theta : float or array of shape (n_theta,)

        Returns
        -------
        ndarray of shape (n_points,), or (n_theta, n_points) for an array of theta
        """
        X, at = check_points(self, X), check_theta(self, theta)
        values = np.array([X @ self.at(float(one)).coef for one in np.atleast_1d(at)])
        return np.asarray(values[0] if at.ndim == 0 else values)

    def predict(self, X: Any, theta: ArrayLike) -> Reals:
        """Return the predictions at ``theta``; see :meth:`decision_function`."""
        return self.decision_function(X, theta)

    def subproblem_values(self, X: Any, theta: float) -> Reals:
        """Return the predictions at ``theta``, for curves."""
        values: Reals = X @ self.at(theta).coef
        return values

    def iter_segments(self, X: Any, block_mb: float = 64.0, part: int = 0) -> Iterator[Block]:
        """Yield the predictions on each segment, with slopes of zero."""
        for segment in self.segments:
            left, right = segment.left.theta, segment.right.theta
            if left < right:
                value = np.asarray(X[:, segment.used] @ segment.coef)[None]
                yield np.array([left]), np.array([right]), value, np.zeros_like(value)

    def kkt_violation(self, theta: ArrayLike | None = None) -> float:
        """Return how far the path is from optimal, computed from the data and the dual vector.

        Parameters
        ----------
        theta : float, array of shape (n_theta,) or None, default=None
            Where; ``None`` for the largest over all breakpoints (from both sides) and the middles
            of all segments.

        Returns
        -------
        float
            The largest of: the misfit of the equations, the excess of the dual vector over the
            weights, and the duality gap, each relative to its terms; about 1e-15.
        """
        if theta is not None:
            found = [self.at(float(one)) for one in np.atleast_1d(check_theta(self, theta))]
            return max(self._violation(one.weights, one.coef, one.dual) for one in found)
        ends = (self.start, self.end)
        worst = max(self._violation(one.weights, one.coef, one.dual) for one in ends)
        for one in self.segments:
            coef = self._whole(one)
            middle = Theta(*(0.5 * (a + b) for a, b in zip(one.left, one.right, strict=True)))
            between = 0.5 * (one.dual_left + one.dual_right)
            for at, dual in (
                (one.left, one.dual_left),
                (middle, between),
                (one.right, one.dual_right),
            ):
                worst = max(worst, self._violation(at.mix(self.before, self.after), coef, dual))
        return worst

    def duality_gap(self, theta: float, relative: bool = False) -> float:
        """Return the duality gap at ``theta``, computed from the data.

        With ``relative=True`` it is divided by the objective. It is infinite if the dual vector
        exceeds a weight by more than rounding.
        """
        found = self.at(theta)
        gap = duality_gap(self.program.matrix, found.weights, found.coef, found.dual)
        return gap / found.objective if relative and found.objective > 0 else gap

    def curve(
        self,
        X: Any,
        y: ArrayLike,
        metric: str | Metric,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Curve:
        """Return an exact metric on ``X``, ``y`` as a function of theta, a step function.

        See :func:`weightpath.metrics.trace_curve` for metrics of regression and their options.
        """
        outputs = Outputs()
        chosen = get(metric, outputs)
        rows = check_rows(check_points(self, X), y, sample_weight, outputs)
        resolved = resolve(chosen, options, rows)
        curve = chosen.along(self, rows, **resolved)
        if self.isolated_theta.size:
            along = partial(chosen.along, rows=rows, **resolved)
            curve = with_isolated_values(curve, self, along)
        return named(curve, chosen.name, chosen.greater_is_better)

    def model_at(self, theta: float) -> Any:
        """Return a fitted estimator at ``theta``, independent of this path."""
        theta = check_scalar(self, theta)
        if self.template is None:
            raise ValueError("This path was made without an estimator.")
        return self.template.model_from(self, theta)

    def to_frame(self) -> DataFrame:
        """Return the segments as a :class:`pandas.DataFrame`, one row for each.

        Returns
        -------
        DataFrame
            Columns ``left`` and ``right`` (theta), ``events`` (exchanges at the left end),
            ``active`` (the number of features in use) and ``objective`` at the left end.
        """
        rows = [
            {
                "left": one.left.theta,
                "right": one.right.theta,
                "events": len(one.exchanges),
                "active": one.used.size,
                "objective": float(
                    one.left.mix(self.before, self.after)[one.used] @ np.abs(one.coef)
                ),
            }
            for one in self.segments
        ]
        frame: DataFrame = pandas_for("path.to_frame()").DataFrame(rows)
        return frame

    def plot(self, **options: Any) -> PursuitDisplay:
        """Plot coefficients and least cost. See :func:`weightpath.pursuit.display.plot_pursuit`."""
        from weightpath.pursuit.display import plot_pursuit

        return plot_pursuit(self, **options)

    def to_html(self, *args: Any, **options: Any) -> None:
        """Refuse: there is no page of such a path."""
        self._refuse("page")

    def show(self, *args: Any, **options: Any) -> None:
        """Refuse: there is no page of such a path."""
        self._refuse("page")

    def widget(self, *args: Any, **options: Any) -> None:
        """Refuse: there is no widget of such a path."""
        self._refuse("widget")

    def _refuse(self, what: str) -> None:
        raise TypeError(
            f"A path of basis pursuit has no {what}: its coefficients are constant between "
            "breakpoints. path.plot() draws it, path.to_frame() lists them."
        )

    def _violation(self, weights: Reals, coef: Reals, dual: Reals) -> float:
        return self.program.violation(weights, coef, dual)

    def segment_at(self, theta: float, side: Side) -> Segment:
        """Return the segment of ``theta``; at a breakpoint the one on a side."""
        return self._segments_at(theta, side)[0]

    def _segments_at(self, theta: float, side: Side | None) -> list[Segment]:
        """Return the segment of ``theta``; at a breakpoint the one on a side, or both."""
        last = len(self.segments) - 1
        ends, rest = self._right_ends
        left, right = (
            min(int(np.searchsorted(ends, theta, side=one)), last) for one in ("left", "right")
        )
        if side is not None:
            return [self.segments[left if side == "left" else right]]
        if right - left == 1:
            return [self.segments[left], self.segments[right]]
        # Close to one, the distance from there tells breakpoints apart that theta cannot.
        return [self.segments[min(int(np.searchsorted(-rest, theta - 1.0)), last)]]

    @cached_property
    def _right_ends(self) -> tuple[Reals, Reals]:
        """The right ends of all segments, and their distances from one."""
        theta, rest = np.array([segment.right for segment in self.segments]).T
        return theta, rest

    def _on(self, segment: Segment, theta: float) -> tuple[Reals, Reals]:
        """Return coefficients and dual vector of a segment at ``theta``."""
        left, right = segment.left, segment.right
        if right.theta <= 0.5:
            share = (right.theta - theta) / (right.theta - left.theta)
        else:
            share = (1.0 - theta - right.rest) / (left.rest - right.rest)
        share = min(max(share, 0.0), 1.0)
        dual = share * segment.dual_left + (1.0 - share) * segment.dual_right
        return self._whole(segment), dual

    def _whole(self, segment: Segment) -> Reals:
        """Return all coefficients of a segment."""
        coef = np.zeros(self.before.size)
        coef[segment.used] = segment.coef
        return coef
