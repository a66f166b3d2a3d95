"""A plane of two parameters, tiled by the polygons on which the solution is affine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_whole_number
from weightpath.path import Preparation, Solution
from weightpath.path.given import check_points
from weightpath.progress import Hook
from weightpath.record.state import State
from weightpath.regions.buckets import Buckets
from weightpath.regions.labels import Labels, Tiles
from weightpath.regions.parameters import Axis, ParametricProblem, checked_model
from weightpath.regions.region import Region, Regions
from weightpath.regions.shown import ShownMap
from weightpath.regions.solutions import solution_of, state_at
from weightpath.regions.tiling import TieBreak, native_tiling, tile
from weightpath.small_tables import html_table

if TYPE_CHECKING:
    from weightpath.metrics import Metric
    from weightpath.regions.surface import Surface

__all__ = ["RegionMap", "region_map"]

Reals = NDArray[np.float64]

# Memory of the values of regions that are worked out together, in units of 1e6 bytes.
_BLOCK_MB = 16.0

# Destinations with more signs than this are left out of the names of axes.
_SHORT = 24
_SYMBOLS = ("z₁", "z₂")


def region_map(
    model: Any,
    axes: Sequence[Axis],
    bounds: Sequence[Sequence[float]] = ((0.0, 1.0), (0.0, 1.0)),
    max_regions: int = 2_000_000,
    *,
    verbose: int = 0,
    progress: Hook | None = None,
) -> RegionMap:
    """Tile a plane of two parameters by the regions on which the solution is affine.

    The solution is a piecewise affine function of the weights, margins, targets and tubes of the
    instances. In a plane its pieces are convex polygons: inside each, every instance stays in its
    set. The map has all of them.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted: a :class:`~weightpath.SVC` of two classes, :class:`~weightpath.SVR`,
        :class:`~weightpath.QuantileSVR` or :class:`~weightpath.OneClassSVM`, or a scikit-learn
        pipeline that ends in one. It stays where it is.
    axes : sequence of two dicts or arrays
        Each axis leads from where the model is (z = 0) to a destination (z = 1): a dict of what
        ``move`` of the model takes, or an array of shape (n_samples,) of changes of the sample
        weights. Axes add in weights, margins, targets and half-widths of tubes.
    bounds : ((float, float), (float, float)), default=((0, 1), (0, 1))
        The least and the greatest z of each axis.
    max_regions : int, default=2_000_000
        The map stops there; its ``status`` then says so.
    verbose : int, default=0
        Whether to show progress.
    progress : callable or None, default=None
        Called now and then as ``progress(done, total)``, in thousandths of the plane.

    Returns
    -------
    RegionMap

    Notes
    -----
    Where rows are equal to others, or depend on them, several change at once, and their sets are
    not unique. The regions are then those of targets that were moved by about 1e-9, each by another
    amount (``tie_shift``), so that some of them are that narrow. Solutions and decision values are
    always those of the true targets. The areas of all polygons are compared with that of the plane:
    a map whose ``status`` is "complete" has no gaps and no overlaps.

    Examples
    --------
    The two class costs of a classifier, each from 1 to 10:

    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(60, random_state=0)
    >>> model = wp.SVC(C=1.0, gamma=0.5).fit(toy.X, toy.y)
    >>> costs = [dict(class_weight={-1: 10}), dict(class_weight={1: 10})]
    >>> plane = wp.region_map(model, costs)
    >>> plane.status, len(plane) > 1000
    ('complete', True)
    >>> solution = plane.at((0.3, 0.8))
    >>> solution.margin.size == plane.regions[plane.locate((0.3, 0.8))].margin.size
    True
    """
    last, preparation = checked_model(model, "region_map")
    if hasattr(axes, "__len__") and len(axes) != 2:
        raise ValueError(f"A map has two axes; got {len(axes)}. See critical_region for more.")
    problem = ParametricProblem.of(last, axes)
    box = _checked_bounds(bounds, problem)
    most = check_whole_number("max_regions", max_regions, 1)
    tiles, ties = tile(problem, box, most, verbose, progress)
    first, second = (_axis_name(axis, k) for k, axis in enumerate(axes))
    return RegionMap(
        last, problem, box, tiles, ties.shift, preparation, ties.ridge, (first, second)
    )


def _axis_name(axis: Axis, number: int) -> str:
    """Return what an axis moves, and where to if that is short."""
    if not isinstance(axis, Mapping):
        return f"{_SYMBOLS[number]}: sample_weight"
    ends = {name: repr(value) for name, value in axis.items()}
    words = (f"{name}={end}" if len(end) <= _SHORT else name for name, end in ends.items())
    return f"{_SYMBOLS[number]}: {', '.join(words)}"


def _checked_bounds(bounds: Any, problem: ParametricProblem) -> Reals:
    """Return bounds as an array; the problem must have a solution in all corners."""
    box = np.array(bounds, dtype=np.float64)
    if box.shape != (2, 2) or not np.isfinite(box).all() or not (box[:, 0] < box[:, 1]).all():
        raise ValueError(
            f"bounds must be ((low, high), (low, high)) with low < high; got {bounds!r}."
        )
    for x in box[0]:
        for y in box[1]:
            if not problem.is_possible((x, y)):
                raise ValueError(
                    f"At z = ({x:g}, {y:g}), a corner of the bounds, a weight or a width is "
                    "negative, or the weights are too small for a solution. Use narrower bounds."
                )
    return box


@dataclass(frozen=True, eq=False, repr=False)
class RegionMap(ShownMap):
    """The plane of two parameters, tiled; made by :func:`weightpath.region_map`.

    Attributes
    ----------
    estimator : PathEstimator
        The model at z = (0, 0); of a pipeline its last step.
    problem : ParametricProblem
        Its problem along the two axes.
    bounds : ndarray of shape (2, 2)
        The least and the greatest z of each axis.
    tiles : Tiles
        The regions as arrays.
    tie_shift : ndarray of shape (n,)
        What was added to the targets, where ties made that necessary, to say which regions there
        are; all zero otherwise. Solutions are those of the true targets.
    preparation : Preparation or None
        The transformers of a pipeline; rows given to the map are then raw.
    tie_ridge : float
        What was added to the diagonal of the kernel matrix for the same purpose; zero otherwise.
    axis_names : (str, str)
        What the axes are called on a page.
    """

    estimator: PathEstimator
    problem: ParametricProblem
    bounds: Reals
    tiles: Tiles
    tie_shift: Reals
    preparation: Preparation | None = None
    tie_ridge: float = 0.0
    axis_names: tuple[str, str] = _SYMBOLS

    def __len__(self) -> int:
        return len(self.tiles.parent)

    def __repr__(self) -> str:
        (left, right), (bottom, top) = self.bounds.tolist()
        return (
            f"<RegionMap: {len(self)} regions of [{left:g}, {right:g}] x [{bottom:g}, {top:g}], "
            f"{self.status}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def _repr_html_(self) -> str:
        rows = [
            ("regions", len(self)),
            ("bounds", str(self.bounds.tolist())),
            ("training rows", len(self.problem)),
            ("status", self.status),
        ]
        return html_table("RegionMap", rows)

    @property
    def status(self) -> str:
        """Whether the plane is "complete", or why not."""
        return self.tiles.status

    @property
    def regions(self) -> Sequence[Region]:
        """The regions, made when they are read."""
        return Regions(self)

    # What the checks of new rows need to know.

    @property
    def X(self) -> Any:  # noqa: N802 - as paths have it
        """The training rows."""
        return self.problem.fitted.training.X

    @property
    def kernel(self) -> Any:
        """The kernel."""
        return self.problem.fitted.training.kernel

    @property
    def params(self) -> dict[str, Any]:
        """The names of the training columns, if they had any."""
        names = getattr(self.estimator, "feature_names_in_", None)
        return {} if names is None else {"fixed": {"feature_names_in_": names}}

    @cached_property
    def labels(self) -> Labels:
        """The positions of all rows in each region."""
        return Labels(self.tiles)

    @cached_property
    def areas(self) -> Reals:
        """The areas of all regions, in units of z."""
        offset, vertices = self.tiles.offset, self.vertices
        first = vertices[offset[:-1]]
        own = np.repeat(np.arange(len(self)), np.diff(offset))
        x, y = (vertices - first[own]).T
        following = np.arange(1, len(vertices) + 1)
        following[offset[1:] - 1] = offset[:-1]
        areas: Reals = 0.5 * np.add.reduceat(x * y[following] - x[following] * y, offset[:-1])
        return areas

    @cached_property
    def vertices(self) -> Reals:
        """The vertices of all polygons, in units of z; those of region k from ``offset[k]`` on."""
        low, high = self.bounds.T
        vertices: Reals = low + self.tiles.vertices * (high - low)
        # Sides of the plane are met exactly.
        return np.where(self.tiles.vertices == 1.0, high, vertices)

    @property
    def offset(self) -> NDArray[np.int64]:
        """Where the vertices of each region begin, of shape (n_regions + 1,)."""
        return self.tiles.offset

    @cached_property
    def _buckets(self) -> Buckets:
        return Buckets(self.tiles.offset, self.tiles.vertices)

    def locate(self, z: ArrayLike) -> int:
        """Return the number of the region that holds a point.

        Parameters
        ----------
        z : array-like of shape (2,)
            A point within the bounds. Where a map is not complete, the nearest region around it.
        """
        point = self.checked_point(z)
        low, high = self.bounds.T
        return self._buckets.find((point - low) / (high - low))

    def at(self, z: ArrayLike) -> Solution:
        """Return the exact solution at a point, worked out from the data.

        Parameters
        ----------
        z : array-like of shape (2,)

        Returns
        -------
        Solution
            As :meth:`weightpath.SolutionPath.at` returns it, with ``z`` in place of theta.
        """
        point = self.checked_point(z)
        state = self.state_at(point, self.locate(point))
        return solution_of(self.problem, point, state)

    def state_at(self, point: Reals, region: int) -> State:
        """Return the exact solution at a point of a region as the engine has it."""
        return state_at(self.problem, point, self.labels[region], self.tie_ridge)

    def decision_function(self, X: Any, z: ArrayLike) -> Reals:
        """Return the exact decision values at one point of the plane, or at several.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_points, n_features)
            Raw rows where the map is that of a pipeline; for a precomputed kernel its values
            between points and training rows.
        z : array-like of shape (2,) or (n_z, 2)

        Returns
        -------
        ndarray of shape (n_points,) or (n_z, n_points)
        """
        X = check_points(self, X)
        where = np.asarray(z, dtype=np.float64)
        several = np.atleast_2d(where)
        coef, bias = np.empty((len(self.problem), len(several))), np.empty(len(several))
        for k, point in enumerate(several):
            point = self.checked_point(point)
            state = self.state_at(point, self.locate(point))
            coef[:, k], bias[k] = state.beta, state.bias
        values = (self.kernel.product(X, self.X, coef) + bias).T
        return np.ascontiguousarray(values[0] if where.ndim == 1 else values)

    def affine_values(self, X: Any) -> Iterator[tuple[int, Reals]]:
        """Yield the decision values of rows as affine functions, region by region.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_points, n_features)
            As for :meth:`decision_function`.

        Yields
        ------
        region : int
            The number of the region; they come in order.
        values : ndarray of shape (n_points, 3)
            ``a`` with f(x; z) = a[0] + a[1] z_1 + a[2] z_2 in this region.
        """
        X = check_points(self, X)
        points = self.kernel.between(self.X, X)
        low, high = self.bounds.T
        for begin, found in self._walked(points):
            found[:, 1:] /= (high - low)[:, None]
            found[:, 0] -= np.einsum("k,rkm->rm", low, found[:, 1:])
            for k, values in enumerate(found):
                yield begin + k, values.T

    def affine_solutions(self) -> Iterator[tuple[int, Reals, Reals]]:
        """Yield coefficients and bias as affine functions, region by region.

        They are functions of where a point is in the plane, from (0, 0) at the least z to (1, 1) at
        the greatest.

        Yields
        ------
        region : int
            The number of the region; they come in order.
        beta : ndarray of shape (n, 3)
            Of each training row, what is constant and what each of the two numbers adds.
        bias : ndarray of shape (3,)
        """
        n, factor = len(self.problem), self._coefficient_factor()
        # The value at a point whose kernel value is one with a single row and zero with all others
        # is its coefficient plus the bias.
        for begin, found in self._walked(factor * np.eye(n, n + 1, 1)):
            for k, values in enumerate(found):
                bias = values[:, 0]
                yield begin + k, (values[:, 1:] - bias[:, None]).T / factor, bias

    def _coefficient_factor(self) -> float:
        """Return a power of two that makes coefficients as large as the bias, or larger."""
        problem = self.problem
        targets, knots = (np.abs(own).max(initial=0.0) for own in (problem.target, problem.knots))
        sums = len(problem) * np.abs(problem.matrix.diagonal()).max(initial=0.0)
        return float(
            np.exp2(np.ceil(np.log2(max(sums + (targets / knots if knots else 0.0), 1e-300))))
        )

    def _walked(self, points: Reals) -> Iterator[tuple[int, Reals]]:
        """Yield the values of points in blocks of regions: (n_regions, 3, n_points) each."""
        # The sets may be those of moved targets; the values are those of the true ones.
        ties = TieBreak(np.zeros(len(self.problem)), self.tie_ridge)
        walk = native_tiling(self.problem, self.bounds, ties, points)
        tree = self.tiles.parent.view(np.int8), self.tiles.step.view(np.int8)
        walk.return_to(self.tiles.first, *tree)
        block = max(1, int(_BLOCK_MB * 1e6 / (24 * max(1, points.shape[1]))))
        for begin in range(0, len(self), block):
            end = min(begin + block, len(self))
            found = np.empty((end - begin, 3, points.shape[1]))
            walk.values(begin, end, found.ravel())
            yield begin, found

    def surface(
        self,
        X: Any,
        y: ArrayLike,
        metric: str | Metric,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Surface:
        """Return an exact metric on ``X``, ``y`` over the plane, with its best value.

        Metrics, weights and options are those of :func:`weightpath.metrics.trace_curve`.
        """
        from weightpath.regions.validation import surface_of

        return surface_of(self, X, y, metric, sample_weight, options)

    def checked_point(self, z: Any) -> Reals:
        """Return a point of the plane as an array; raise unless it is within the bounds."""
        try:
            point = np.asarray(z, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"z must be two numbers; got {z!r}.") from error
        if point.shape != (2,) or not np.isfinite(point).all():
            raise ValueError(f"z must be two numbers; got {z!r}.")
        low, high = self.bounds.T
        slack = 1e-12 * (high - low)
        if ((point < low - slack) | (point > high + slack)).any():
            raise ValueError(f"z={point.tolist()} is outside the bounds {self.bounds.tolist()}.")
        return np.asarray(np.clip(point, low, high))
