"""Weights chosen by cross-validation, with exact curves instead of a grid."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, process_routing

from weightpath.curves import Best, Curve, mean_curve, one_standard_error
from weightpath.estimators.pipelines import last_step
from weightpath.metrics import Metric, get
from weightpath.path import SolutionPath
from weightpath.progress import Hook
from weightpath.selection.chosen_model import ChosenModel
from weightpath.selection.dispatch import run_tasks
from weightpath.selection.folds import (
    FoldTask,
    SearchData,
    fitted_at_start,
    moves_rows,
    trace_fold,
)
from weightpath.selection.grid import best_point, fold_table, grid_points, place_table
from weightpath.selection.polyline import walk
from weightpath.selection.search_data import (
    Fold,
    check_data,
    check_rows_of_options,
    routes_of,
    split_rows,
)

__all__ = ["PathSearchCV"]

CHOICES = ("best", "one_standard_error")

# What only some fits set.
OPTIONAL = ("best_estimator_", "path_", "refit_time_", "one_standard_error_")


class PathSearchCV(ChosenModel, BaseEstimator):
    r"""Choose weights by cross-validation: the exact mean curve over folds, never a grid.

    On the training rows of every fold the model follows the exact path from the weights ``start``
    to the weights ``end``. The metric on the other rows is an exact function of the position
    :math:`\theta` on it, and so is the mean over folds. The best :math:`\theta` is the best of all
    between 0 and 1, and the model on all rows is that of this :math:`\theta`.

    Parameters
    ----------
    estimator : estimator
        One that can ``reweight``, such as :class:`~weightpath.SVC` or :class:`~weightpath.SVR`, or
        a scikit-learn pipeline whose last step can. It is not changed. The transformers of a
        pipeline are fitted inside each fold, on its training rows.
    metric : str or Metric, default="zero_one"
        Any metric of :meth:`weightpath.SolutionPath.curve`: a name of
        :func:`weightpath.metrics.names`, or a metric itself.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of folds (stratified for classifiers), a splitter, or pairs of
        training and test rows.
    n_jobs : int or None, default=None
        How many tasks run at once, each the path of one fold. As everywhere with joblib, a context
        ``joblib.parallel_config(...)`` chooses where.
    metric_params : dict or None, default=None
        Options of the metric, such as ``k``, ``epsilon`` or ``cost_matrix``. Those with an entry
        for each row, such as ``groups``, are split into folds with the rows.
    param_grid : dict or list of dict, default=None
        A plain grid of parameters around the paths, as in scikit-learn: at every point of it there
        is one exact path per fold.
    choice : {"best", "one_standard_error"}, default="best"
        The best theta, or the one nearest to one end that is as good up to one standard error over
        folds; see :func:`weightpath.curves.one_standard_error`.
    towards : {"start", "end"}, default="start"
        The end that "one_standard_error" stays near to.
    refit : bool, default=True
        Whether to fit on all rows, and make ``best_estimator_``.
    verbose : int, default=0
        From 1 on, progress is shown on standard error.
    progress : callable or None, default=None
        Called as ``progress(done, total)`` after every task, to show progress elsewhere.
    pre_dispatch : int or str, default="2*n_jobs"
        How many tasks joblib hands out ahead.

    Attributes
    ----------
    best_theta_ : float
        The chosen theta: 0 at ``start``, 1 at ``end``; of several legs, leg j is from j to j + 1.
    best_score_ : float
        The mean over folds of the metric there, ``curve_(best_theta_)``. Of a loss, lower is
        better; of a score, such as "accuracy", higher.
    best_interval_ : tuple of float
        Where the choice holds.
    best_weights_ : ndarray
        The weights there; of a ranking model, those of its pairs after a refit.
    curve_ : Curve
        The mean over folds. All folds count the same, as in scikit-learn.
    fold_curves_ : list of Curve
        The curve of every fold.
    best_estimator_ : estimator
        The model on all rows at the chosen theta, an ordinary fitted estimator or pipeline.
    path_ : SolutionPath
        The path on all rows on which it lies; of several legs that one.
    best_params_ : dict
        The chosen parameters of ``param_grid``.
    best_index_ : int
        Its index in the following.
    curves_ : list of Curve
        The mean curve of every point of the grid.
    results_ : dict
        A table, ``pandas.DataFrame(search.results_)``: for every point of the grid its parameters,
        its chosen theta, the value there and the interval.
    cv_results_ : dict
        The values of single folds at these theta, under the names of scikit-learn (but always the
        metric itself, also where lower is better).
    one_standard_error_ : Best
        The choice of that name, if it was asked for.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds for the fit on all rows.

    Notes
    -----
    Tasks hold no random numbers and use one thread each, so that serial runs, threads, processes
    and clusters give the same curves to the last bit on the same kind of machine. Tasks of a
    worker that died are done again.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> search = wp.PathSearchCV(wp.SVC(C=10, gamma=0.5), "zero_one", cv=4)
    >>> search.fit(toy.X, toy.y, start=toy.w_old, end=toy.w_new).best_score_
    0.2125
    >>> search.best_score_ == search.curve_(search.best_theta_) <= search.curve_(0.37)
    True
    >>> search.best_estimator_.predict(toy.X[:3]).tolist()
    [1, -1, 1]
    """

    # Of the splitter alone.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        metric: str | Metric = "zero_one",
        cv: Any = 5,
        n_jobs: int | None = None,
        *,
        metric_params: Mapping[str, Any] | None = None,
        param_grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        choice: str = "best",
        towards: str = "start",
        refit: bool = True,
        verbose: int = 0,
        progress: Hook | None = None,
        pre_dispatch: int | str = "2*n_jobs",
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.cv = cv
        self.n_jobs = n_jobs
        self.metric_params = metric_params
        self.param_grid = param_grid
        self.choice = choice
        self.towards = towards
        self.refit = refit
        self.verbose = verbose
        self.progress = progress
        self.pre_dispatch = pre_dispatch

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        start: Any = None,
        end: Any = None,
        patterns: Sequence[Any] | None = None,
        groups: ArrayLike | None = None,
        validation_weight: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Find the best theta between two sets of weights, and the model there.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Instances, raw ones for a pipeline; for a precomputed kernel its matrix of shape
            (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels or values.
        start, end : array-like of shape (n_samples,)
            The weights to walk between, not negative. (For the lasso, penalty weights of the
            features; for ranking "uniform", "relevance" or a function of the relevances of both
            documents of a pair.) Every fold uses those of its training rows.
        patterns : sequence of array-like of shape (n_samples,), optional
            Instead of the two: sets of weights to walk through, one after the other.
        groups : array-like of shape (n_samples,), optional
            For splitters that need groups.
        validation_weight : array-like of shape (n_samples,), optional
            Weights of the held-out rows in the metric: costs, or importance weights if the future
            is distributed differently from the data.
        qid : array-like of shape (n_samples,), optional
            Queries, for ranking metrics and ranking models. With a model of ranking and a number
            of folds, folds are made of whole queries.
        **params
            Passed on to ``fit`` of the estimator; what has an entry for each row is split. Of a
            pipeline, ``step__name`` is for that step, and a plain name for the last.

        Returns
        -------
        self : PathSearchCV
        """
        self._check_settings()
        splitting, fitting = self._routed(groups, params)
        corners = start, end, patterns
        data = check_data(self.estimator, X, y, corners, validation_weight, qid, fitting)
        folds = split_rows(self.estimator, self.cv, data, splitting)
        points = grid_points(self.estimator, self.param_grid)
        fold_curves = self._trace(data, folds, points)
        self._choose(points, fold_curves, data)
        if self.refit:
            began = time.perf_counter()
            self._fit_all_rows(X, y, data)
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
        if not hasattr(last, "reweight"):
            raise TypeError(
                "PathSearchCV needs an estimator that can reweight, such as weightpath.SVC, or a "
                f"Pipeline whose last step can; {type(last).__name__} cannot."
            )
        if self.choice not in CHOICES:
            raise ValueError(f"choice must be one of {', '.join(CHOICES)}, got {self.choice!r}.")
        if self.towards not in ("start", "end"):
            raise ValueError(f'towards must be "start" or "end", got {self.towards!r}.')

    def _routed(
        self, groups: ArrayLike | None, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the splitter gets, and what the estimator gets."""
        if "sample_weight" in params and moves_rows(self.estimator):
            raise TypeError(
                "fit takes no sample_weight: the weights of rows are start and end. Weights of "
                "held-out rows are validation_weight."
            )
        if groups is not None:
            params = {**params, "groups": groups}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params)
            return dict(routed.splitter.split), dict(routed.estimator.fit)
        fitting = {name: value for name, value in params.items() if name != "groups"}
        return ({} if groups is None else {"groups": groups}), fitting

    def _trace(
        self, data: SearchData, folds: list[Fold], points: list[dict[str, Any]]
    ) -> list[list[Curve]]:
        """Return the curves of all folds, for every point of the grid."""
        metric = get(self.metric)
        check_rows_of_options(metric, self.metric_params or {}, data.n_rows)
        tasks = []
        for point in points:
            at = "".join(f", {name}={value!r}" for name, value in point.items())
            for k, (train, test) in enumerate(folds):
                label = f"Fold {k + 1} of {len(folds)}{at}"
                options = dict(self.metric_params or {})
                tasks.append(FoldTask(self.estimator, point, train, test, metric, options, label))
        curves = run_tasks(
            trace_fold,
            data,
            tasks,
            description="Folds",
            n_jobs=self.n_jobs,
            pre_dispatch=self.pre_dispatch,
            verbose=self.verbose,
            hook=self.progress,
        )
        return [curves[k : k + len(folds)] for k in range(0, len(curves), len(folds))]

    def _choose(
        self, points: list[dict[str, Any]], fold_curves: list[list[Curve]], data: SearchData
    ) -> None:
        """Set everything that the curves tell."""
        curves = [mean_curve(folds) for folds in fold_curves]
        chosen = [self._place(*pair) for pair in zip(curves, fold_curves, strict=True)]
        for name in OPTIONAL:
            self.__dict__.pop(name, None)
        self.best_index_ = best_point(curves)
        self.best_params_ = points[self.best_index_]
        self.curves_ = curves
        self.curve_ = curves[self.best_index_]
        self.fold_curves_ = fold_curves[self.best_index_]
        self.n_splits_ = len(self.fold_curves_)
        best = chosen[self.best_index_]
        if self.choice == "one_standard_error":
            self.one_standard_error_ = best
        self.best_theta_, self.best_score_, self.best_interval_ = best
        self.best_weights_ = data.line.at(best.theta)
        self.results_ = place_table(points, chosen)
        self.cv_results_ = fold_table(points, chosen, fold_curves)

    def _place(self, curve: Curve, folds: list[Curve]) -> Best:
        if self.choice == "best":
            return curve.best
        return one_standard_error(curve, folds, self.towards)

    def _fit_all_rows(self, X: Any, y: Any, data: SearchData) -> None:
        """Set the model on all rows at the chosen theta, and the path on which it lies."""
        leg, position = data.line.place(self.best_theta_)
        model = fitted_at_start(self.estimator, self.best_params_, X, y, data.line, data.fit_params)
        for number, path in enumerate(walk(model, data.line)):
            if number == leg:
                self.path_: SolutionPath = path
                break
        self.best_estimator_ = self.path_.model_at(position)
        if self.best_weights_ is None:
            last = last_step(self.best_estimator_)
            self.best_weights_ = last.weights_ / last.C_
