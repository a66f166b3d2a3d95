"""Two parameters chosen by cross-validation, exactly, over a whole plane."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, process_routing
from sklearn.utils.validation import check_consistent_length

from weightpath.estimators.checks import check_weights
from weightpath.estimators.pipelines import last_step
from weightpath.metrics import Metric, get
from weightpath.progress import Hook
from weightpath.regions.models import model_in_plane
from weightpath.regions.surface_boxes import search_overlay
from weightpath.regions.surface_build import Frame
from weightpath.regions.surface_geometry import flat_polygons
from weightpath.selection.chosen_model import ChosenModel
from weightpath.selection.dispatch import run_tasks
from weightpath.selection.region_folds import (
    FoldPlane,
    PlaneData,
    PlaneTask,
    fitted_in_plane,
    trace_plane,
)
from weightpath.selection.search_data import Fold, check_rows_of_options, routes_of, split_rows

__all__ = ["RegionSearchCV"]


class RegionSearchCV(ChosenModel, BaseEstimator):
    r"""Choose two parameters by cross-validation: the exact best over a plane, never a grid.

    On the training rows of every fold the plane of the two parameters is tiled by the regions on
    which the model is affine. There the metric on the other rows is known exactly, and the best
    mean over folds is found over the whole plane, by bounds and exact enumeration where these do
    not decide. The classical example are the costs of two classes, C+ and C-.

    Parameters
    ----------
    estimator : estimator
        An :class:`~weightpath.SVC`, :class:`~weightpath.SVR`, :class:`~weightpath.QuantileSVR` or
        :class:`~weightpath.OneClassSVM`, or a scikit-learn pipeline that ends in one. It is not
        changed. The transformers of a pipeline are fitted inside each fold.
    axes : sequence of two dicts or arrays
        As for :func:`weightpath.region_map`: each axis leads from the model as it is fitted (z = 0)
        to a destination (z = 1). What has an entry for each row is split into folds.
    bounds : ((float, float), (float, float)), default=((0, 1), (0, 1))
        The plane.
    metric : str or Metric, default="zero_one"
        A metric that is exact over a plane: all of the library are.
    cv : int, splitter or iterable, default=5
        As in scikit-learn.
    n_jobs : int or None, default=None
        How many folds are worked on at once, by joblib.
    metric_params : dict or None, default=None
        Options of the metric; those with an entry for each row are split into folds.
    max_regions : int, default=2_000_000
        A fold with more regions is an error.
    refit : bool, default=True
        Whether to fit on all rows, and make ``best_estimator_``.
    verbose : int, default=0
        From 1 on, progress is shown on standard error.
    progress : callable or None, default=None
        Called as ``progress(done, total)`` after every fold.
    pre_dispatch : int or str, default="2*n_jobs"
        How many tasks joblib hands out ahead.

    Attributes
    ----------
    best_z_ : ndarray of shape (2,)
        The chosen point of the plane.
    best_score_ : float
        The mean over folds of the metric there. Of a loss, lower is better; of a score, higher.
    best_polygon_ : ndarray of shape (n, 2)
        The polygon around ``best_z_`` on which, in all folds, the regions and the metric stay (for
        continuous metrics, the regions).
    fold_scores_ : ndarray of shape (n_splits,)
        The metric of every fold at ``best_z_``.
    best_estimator_ : estimator
        The model on all rows there, an ordinary fitted estimator or pipeline.
    n_regions_ : ndarray of int, shape (n_splits,)
        How many regions the map of every fold has.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds for the fit on all rows.

    Notes
    -----
    Values that the mean takes only on a line or at a point of the plane do not count. Of several
    cells with the best value the widest that was seen is chosen.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> costs = [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}]
    >>> search = wp.RegionSearchCV(wp.SVC(C=0.1, gamma=0.5), costs, cv=4).fit(toy.X, toy.y)
    >>> round(search.best_score_, 4)
    0.175
    >>> search.best_estimator_.predict(toy.X[:3]).tolist()
    [1, -1, 1]
    """

    # Of the splitter alone.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        axes: Sequence[Any] | None = None,
        bounds: Sequence[Sequence[float]] = ((0.0, 1.0), (0.0, 1.0)),
        metric: str | Metric = "zero_one",
        cv: Any = 5,
        n_jobs: int | None = None,
        *,
        metric_params: Mapping[str, Any] | None = None,
        max_regions: int = 2_000_000,
        refit: bool = True,
        verbose: int = 0,
        progress: Hook | None = None,
        pre_dispatch: int | str = "2*n_jobs",
    ) -> None:
        self.estimator = estimator
        self.axes = axes
        self.bounds = bounds
        self.metric = metric
        self.cv = cv
        self.n_jobs = n_jobs
        self.metric_params = metric_params
        self.max_regions = max_regions
        self.refit = refit
        self.verbose = verbose
        self.progress = progress
        self.pre_dispatch = pre_dispatch

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        validation_weight: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Find the best point of the plane, and the model there.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Instances, raw ones for a pipeline; for a precomputed kernel its matrix.
        y : array-like of shape (n_samples,)
            Labels or values.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the instances in the model at z = 0.
        groups : array-like of shape (n_samples,), optional
            For splitters that need groups.
        validation_weight : array-like of shape (n_samples,), optional
            Weights of the held-out rows in the metric.
        **params
            Passed on to ``fit`` of the estimator; what has an entry for each row is split.

        Returns
        -------
        self : RegionSearchCV
        """
        self._check_settings()
        splitting, fitting = self._routed(groups, params)
        data = self._checked(X, y, sample_weight, validation_weight, fitting)
        folds = split_rows(self.estimator, self.cv, data, splitting)
        metric = get(self.metric)
        planes = self._trace(data, folds, metric)
        self._choose(planes, metric)
        self.__dict__.pop("best_estimator_", None)
        if self.refit:
            began = time.perf_counter()
            model = fitted_in_plane(self.estimator, X, y, data.sample_weight, data.fit_params)
            self.best_estimator_ = model_in_plane(model, data.axes, self.best_z_)
            self.refit_time_ = time.perf_counter() - began
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what goes where: ``groups`` to the splitter, the rest of ``fit`` to the model.

        Returns
        -------
        MetadataRouter
            Requests of this object, of the splitter and of the estimator.
        """
        return routes_of(self)

    # Behind them ---------------------------------------------------------------------------

    def _check_settings(self) -> None:
        last = last_step(self.estimator)
        if not hasattr(last, "path_to"):
            raise TypeError(
                "RegionSearchCV needs an SVC, SVR, QuantileSVR or OneClassSVM of weightpath, or a "
                f"Pipeline that ends in one; got {type(last).__name__}."
            )
        if self.axes is None:
            raise ValueError(
                "RegionSearchCV needs axes=, two destinations as region_map takes them, such as "
                '[{"class_weight": {-1: 10}}, {"class_weight": {1: 10}}].'
            )
        if len(self.axes) != 2:
            raise ValueError(f"A plane has two axes; got {len(self.axes)}.")

    def _routed(
        self, groups: ArrayLike | None, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the splitter gets, and what the estimator gets."""
        if groups is not None:
            params = {**params, "groups": groups}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params)
            return dict(routed.splitter.split), dict(routed.estimator.fit)
        fitting = {name: value for name, value in params.items() if name != "groups"}
        return ({} if groups is None else {"groups": groups}), fitting

    def _checked(
        self, X: Any, y: Any, weight: Any, validation_weight: Any, fitting: dict[str, Any]
    ) -> PlaneData:
        """Check the data, and put them into one object."""
        if isinstance(self.estimator, Pipeline):
            # Its transformers check the rows, which may hold texts and missing values.
            (X,) = indexable(X)
        else:
            X = check_array(
                X, accept_sparse="csr", dtype=np.float64, order="C", estimator="RegionSearchCV"
            )
        y = None if y is None else np.asarray(y)
        check_consistent_length(X, y)
        data = PlaneData(X, y, list(self.axes or ()), fit_params=fitting)
        if weight is not None:
            data.sample_weight = check_weights("sample_weight", weight, data.n_rows)
        if validation_weight is not None:
            data.validation_weight = check_weights(
                "validation_weight", validation_weight, data.n_rows
            )
        return data

    def _trace(self, data: PlaneData, folds: list[Fold], metric: Metric) -> list[FoldPlane]:
        """Return the metric over the plane, for every fold."""
        options = dict(self.metric_params or {})
        check_rows_of_options(metric, options, data.n_rows)
        tasks = [
            PlaneTask(
                self.estimator,
                self.bounds,
                self.max_regions,
                train,
                test,
                metric,
                options,
                f"Fold {k + 1} of {len(folds)}",
            )
            for k, (train, test) in enumerate(folds)
        ]
        return run_tasks(
            trace_plane,
            data,
            tasks,
            description="Folds",
            n_jobs=self.n_jobs,
            pre_dispatch=self.pre_dispatch,
            verbose=self.verbose,
            hook=self.progress,
        )

    def _choose(self, planes: list[FoldPlane], metric: Metric) -> None:
        """Set everything that the planes of the folds tell."""
        layers = [plane.with_form(metric) for plane in planes]
        search = search_overlay(layers, max(plane.resolution for plane in planes))
        regions, point, cell = search.largest_cell()
        frame = Frame(self.bounds)
        sign = -1.0 if metric.greater_is_better else 1.0
        losses = [
            layer.loss(regions[k : k + 1], point[None, None])[0, 0]
            for k, layer in enumerate(layers)
        ]
        self.best_z_ = frame.from_unit(point)
        self.best_score_ = float(sign * search.best) + 0.0
        self.best_polygon_ = frame.from_unit(flat_polygons(cell[None])[0])
        self.fold_scores_ = sign * np.array(losses) + 0.0
        self.n_regions_ = np.array([plane.n_regions for plane in planes])
        self.n_splits_ = len(planes)
