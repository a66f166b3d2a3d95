"""An estimator with one coefficient for each feature, and observations that come and go."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import COMPLETE, STOPPED_AT_CAP, Options, State, follow
from weightpath.engine.trace import Trace
from weightpath.errors import EventCapWarning
from weightpath.estimators.base import COLUMN_SHARE, PathEstimator
from weightpath.estimators.checks import (
    check_number,
    check_weights,
    check_whole_number,
    per_row,
)
from weightpath.estimators.feature_problem import FeatureProblem, shifted_to
from weightpath.estimators.parts import Part
from weightpath.estimators.snapshot import Snapshot
from weightpath.frozen import freeze
from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading, SolutionPath
from weightpath.path.certificate import kkt_violation
from weightpath.path.moment import Moment
from weightpath.problems import Staircase
from weightpath.problems.scales import reach_of

__all__ = ["FeaturePathEstimator"]


class FeaturePathEstimator(PathEstimator):
    """Base of the lasso: a single part, whose rows are the features."""

    fit_intercept: bool
    _centred: bool
    _sample_weight: np.ndarray
    coef_: np.ndarray

    def add(self, X, y, sample_weight=None) -> SolutionPath:
        """Add observations; the model then equals a fresh fit with them.

        New observations change the products of the features, so theta does not weigh them. The
        whole path lies on the *new* data: at theta = 0 its correlations ``X'y`` are shifted so
        that the present coefficients are optimal, and the shift falls to zero at theta = 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New observations; they come last.
        y : array-like of shape (n_new,)
            Their targets.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.

        Returns
        -------
        SolutionPath
            From the present coefficients (theta = 0) to those of the new data (theta = 1).
        """
        check_is_fitted(self)
        X, y = self._arrivals(X, y)
        weight = check_weights("sample_weight", sample_weight, X.shape[0])
        return self._exchange(X, y, weight, np.arange(self._X.shape[0]), None)

    def remove(self, indices) -> SolutionPath:
        """Take observations out; the model then equals a fresh fit without them.

        Parameters
        ----------
        indices : int or array-like of int
            Rows of the training set, negative ones from its end. The others keep their order.

        Returns
        -------
        SolutionPath
            As of ``add``: on the new data, from the present coefficients to the new ones.
        """
        check_is_fitted(self)
        n = self._X.shape[0]
        index = np.atleast_1d(np.asarray(indices))
        if index.size == 0:
            raise ValueError("remove() needs at least one index.")
        if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
            raise ValueError(
                f"indices must be a list of whole numbers, got {indices!r}; of a mask take "
                "np.flatnonzero(mask)."
            )
        outside = index[(index < -n) | (index >= n)]
        if outside.size:
            raise IndexError(f"There is no observation {outside[0]}: the rows are 0 to {n - 1}.")
        keep = np.delete(np.arange(n), index)
        if keep.size == 0:
            raise ValueError("All observations would go; at least one must stay.")
        nothing = np.zeros(0)
        return self._exchange(np.zeros((0, self._X.shape[1])), nothing, nothing, keep, None)

    def slide(self, X, y, drop=0, sample_weight=None) -> SolutionPath:
        """Add observations, drop the oldest and change all sample weights, on one path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last.
        y : array-like of shape (n_new,)
            Their targets.
        drop : int, default=0
            How many of the first observations depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all observations afterwards. If not given, those that stay keep theirs
            and arrivals have one.

        Returns
        -------
        SolutionPath
            As of ``add``: on the new data, from the present coefficients to the new ones.
        """
        check_is_fitted(self)
        n = self._X.shape[0]
        drop = check_whole_number("drop", drop, 0, n)
        X, y = self._arrivals(X, y)
        if sample_weight is not None:
            sample_weight = check_weights("sample_weight", sample_weight, n - drop + len(y))
        return self._exchange(X, y, np.ones(len(y)), np.arange(drop, n), sample_weight)

    def kkt_violation(self, relative: bool = True) -> float:
        """Return how far the model is from optimal, computed from the data.

        Parameters
        ----------
        relative : bool, default=True
            Relative to the largest correlation or penalty; otherwise in their units.

        Returns
        -------
        float
            The largest excess of a correlation over its penalty, or distance from it where the
            coefficient is not zero.
        """
        check_is_fitted(self)
        (part,) = self._parts
        beta, rows = part.state.beta, self._problem().rows
        response = rows @ (rows.T @ beta) + self._ridge * beta
        kappa = reach_of(np.einsum("ij,ij->i", rows, rows) + self._ridge)
        return kkt_violation(part.stair, beta, 0.0, response, kappa, relative)

    # Behind them ---------------------------------------------------------------------------

    def _is_precomputed(self) -> bool:
        return False

    def _arrivals(self, X, y):
        X = self._validate(X)
        X = X.toarray() if issparse(X) else X
        return X, per_row("y", np.atleast_1d(np.asarray(y)), X.shape[0])

    def _problem(self) -> FeatureProblem:
        return FeatureProblem(self._X, self._sample_weight, self._centred)

    def _cache(self) -> float:
        return COLUMN_SHARE * check_number("cache_size", self.cache_size)

    def _columns(self, X, rows, n_parts: int):
        return FeatureProblem(X, self._sample_weight, self._centred).columns(self._cache())

    def _options(self) -> Options:
        most = check_whole_number("max_events", self.max_events, 1)
        return Options(ridge=self._ridge, max_events=most)

    def _travel(self, parts, X, labels, start: dict, end: dict, attributes: dict):
        """Follow the part to the new quantities; return the path and the part there."""
        (part,) = parts
        problem = self._problem()
        stair = problem.staircase(end["target"], end["penalty"])
        trace = follow(part.columns, part.stair, stair, part.state, self._options())
        evaluation = problem.evaluation(start["target"], end["target"])
        path = self._path(
            part.stair, stair, part.state, trace, evaluation, X, (start, end), attributes
        )
        self._warn(trace, 5)
        return path, (self._part(part.columns, stair, trace.state),)

    def _exchange(self, X_new, y_new, weight_new, keep, weight) -> SolutionPath:
        """Change the observations: keep some, add new ones, perhaps weigh all anew."""
        X = freeze(np.vstack([self._X[keep], X_new]))
        y = np.append(self._quantities["target"][keep], y_new)
        if weight is None:
            weight = np.append(self._sample_weight[keep], weight_new)
        if not weight.sum() > 0:
            raise ValueError("All sample weights would be zero: keep one observation.")
        quantities = {**self._quantities, "target": y}
        with self._all_or_nothing() as draft:
            draft._X, draft._sample_weight, draft._quantities = X, weight, quantities
            problem = draft._problem()
            columns = problem.columns(draft._cache())
            end = problem.staircase(y, quantities["penalty"])
            start, state = shifted_to(columns, end, self._parts[0].state.beta, self._ridge)
            trace = follow(columns, start, end, state, draft._options())
            evaluation = problem.evaluation(y, y)
            ends = quantities, quantities
            path = draft._path(start, end, state, trace, evaluation, X, ends, {})
            draft._warn(trace, 4)
            if trace.status != COMPLETE:
                draft.__dict__ = dict(self.__dict__)
            else:
                draft._parts = (draft._part(columns, end, trace.state),)
                draft._publish()
        return path

    def _warn(self, trace: Trace, depth: int) -> None:
        """Warn of the event cap; ``depth`` leads to the line that called the public method."""
        if trace.status == STOPPED_AT_CAP:
            warnings.warn(
                f"{trace.status.message} The model stays where it was.",
                EventCapWarning,
                stacklevel=depth,
            )

    def _path(
        self,
        start: Staircase,
        end: Staircase,
        before: State,
        trace: Trace,
        evaluation,
        X,
        quantities: tuple[dict, dict],
        attributes: dict,
    ) -> SolutionPath:
        """Return a path in a form that needs no engine."""
        snapshot = Snapshot.of(self, self._labels, *quantities, attributes)
        part = PathPart(
            self._kernel,
            X,
            None,
            start,
            end,
            trace.record,
            self._reading(None, None, None),
            ridge=self._ridge,
            evaluation=evaluation,
            ends=(
                Moment.of(before),
                Moment.of(trace.state) if trace.status == COMPLETE else None,
            ),
        )
        return SolutionPath(
            [part],
            X,
            self._kernel,
            params=snapshot.to_params(),
            status=trace.status,
            template=snapshot,
        )

    def _reading(self, rows, pair, labels) -> Reading:
        return Reading("lasso", np.ones(self._X.shape[1]))

    def _part(self, columns, stair: Staircase, state: State) -> Part:
        rows = np.arange(len(stair))
        return Part(rows, self._reading(None, None, None), columns, stair, state)

    def _set_data(self, X, y, sample_weight) -> None:
        """Keep the data; what the base wants besides is trivial here."""
        self._X, self._sample_weight, self._centred = X, sample_weight, bool(self.fit_intercept)
        self._kernel, self._labels, self._pairs = Kernel("linear"), np.zeros(0), [(1, 0)]
