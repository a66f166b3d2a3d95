"""Intervals from residuals of rows that were left out: jackknife+ and CV+."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, column_or_1d, indexable

from weightpath.conformal.given_models import copy_feature_names, fitted_model
from weightpath.conformal.ranks import n_rejected
from weightpath.estimators import SVR, Lasso, QuantileSVR
from weightpath.estimators.checks import check_fraction
from weightpath.path.preparation import last_step
from weightpath.selection.leave_one_out import leave_one_out

__all__ = ["CVPlus", "JackknifePlus"]

Reals = NDArray[np.float64]

# Predictions of all models that are held at a time.
_AT_ONCE = 4_000_000


class JackknifePlus(BaseEstimator):
    r"""Jackknife+ intervals from exact leave-one-out, without refits.

    With :math:`f_{-i}` the model without row i and :math:`R_i = |y_i - f_{-i}(x_i)|`, the interval
    at :math:`x` goes from the :math:`\lfloor \alpha (n + 1) \rfloor`-th smallest of
    :math:`f_{-i}(x) - R_i` to the :math:`\lceil (1 - \alpha)(n + 1) \rceil`-th smallest of
    :math:`f_{-i}(x) + R_i`, and to infinity where there is no such one [1]_. All
    :math:`f_{-i}` come from one fit: the weight of each row goes to zero along an exact path.

    Parameters
    ----------
    estimator : SVR, QuantileSVR, Lasso or Pipeline
        The model, not fitted, or a scikit-learn pipeline whose last step is one. It is not changed.
    alpha : float, default=0.1
        The fraction of targets that the intervals may miss; see the notes.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them. The result does not depend on it.
    verbose : int, default=0
        From 1 on a progress bar is shown while rows are left out.

    Attributes
    ----------
    estimator_ : estimator or Pipeline
        The model, fitted to all training rows.
    left_out_ : LeaveOneOut
        The models without each of them.
    residuals_ : ndarray of shape (n_samples,)
        The :math:`R_i`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    CVPlus : The same with folds, for any regression.
    weightpath.leave_one_out : The models without each row.

    Notes
    -----
    If all rows are exchangeable and the method treats its rows alike, the interval holds the target
    of a new row with probability at least :math:`1 - 2 \alpha`, on average over all of them; in
    practice it is mostly close to :math:`1 - \alpha`. The kernel stays that of the fit to all rows
    (``gamma="scale"`` is not resolved again), and so do the transformers of a pipeline.

    References
    ----------
    .. [1] R. Barber, E. Candès, A. Ramdas, R. Tibshirani, "Predictive inference with the
       jackknife+", Annals of Statistics 49, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.conformal import JackknifePlus
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (100, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=100)
    >>> conformal = JackknifePlus(wp.SVR(C=1.0, gamma=1.0), alpha=0.1).fit(X, y)
    >>> ((low, high),) = conformal.predict_interval([[0.5]])
    >>> bool(low < np.sin(1.0) < high)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        alpha: float = 0.1,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the model, and leave out every row once.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for a precomputed kernel its matrix.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : JackknifePlus
        """
        alpha = check_fraction("alpha", self.alpha)
        given = SVR() if self.estimator is None else self.estimator
        fitted = fitted_model(given, (SVR, QuantileSVR, Lasso), X, y)
        target = last_step(fitted).quantities_["target"]
        if len(target) < 2:
            raise ValueError("Rows cannot be left out of a single one: give at least two.")
        left_out = leave_one_out(fitted, n_jobs=self.n_jobs, verbose=self.verbose)
        self.estimator_, self.left_out_, self._alpha = fitted, left_out, alpha
        self.residuals_ = np.abs(target - left_out.decision_values)
        copy_feature_names(fitted, self)
        return self

    def predict(self, X: Any) -> Reals:
        """Return the predictions of the model that was fitted to all training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self, "estimator_")
        found: Reals = self.estimator_.predict(X)
        return found

    def predict_interval(self, X: Any) -> Reals:
        """Return the interval of each new row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows, raw ones of a pipeline; for a precomputed kernel their values with all
            training rows.

        Returns
        -------
        ndarray of shape (m, 2)
            The ends of the intervals; they are infinite where there are too few training rows.
        """
        check_is_fitted(self, "estimator_")
        values = self.left_out_.decision_function(X)
        return _plus_intervals(values, self.residuals_, self._alpha)


class CVPlus(BaseEstimator):
    r"""CV+ intervals: as :class:`JackknifePlus`, with whole folds left out.

    :math:`f_{-i}` is the model without the fold of row i. One fit for each fold; any regression of
    scikit-learn will do, and pipelines are fitted afresh in each.

    Parameters
    ----------
    estimator : estimator
        A regression, not fitted. It is not changed.
    alpha : float, default=0.1
        The fraction of targets that the intervals may miss; see :class:`JackknifePlus`.
    cv : int, splitter or iterable, default=5
        Folds, as in scikit-learn; every row must be in exactly one of the test folds.
    n_jobs : int or None, default=None
        How many folds are fitted at once, by joblib.

    Attributes
    ----------
    estimator_ : estimator
        The model, fitted to all training rows.
    fold_estimators_ : list of estimator
        The models without each fold.
    fold_ : ndarray of int of shape (n_samples,)
        The fold of each row.
    residuals_ : ndarray of shape (n_samples,)
        The absolute residuals of the rows, each by the model without its fold.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn, if the estimator has them.

    See Also
    --------
    JackknifePlus : Every row is its own fold, without refits.

    Notes
    -----
    If all rows are exchangeable, with K folds of equal size the interval holds the target of a new
    row with probability at least :math:`1 - 2 \alpha - \sqrt{2 / n}` (Theorem 4 of [1]_).

    References
    ----------
    .. [1] R. Barber, E. Candès, A. Ramdas, R. Tibshirani, "Predictive inference with the
       jackknife+", Annals of Statistics 49, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.conformal import CVPlus
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (100, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=100)
    >>> conformal = CVPlus(wp.SVR(C=1.0, gamma=1.0), alpha=0.1, cv=10).fit(X, y)
    >>> conformal.predict_interval(X[:5]).shape
    (5, 2)
    """

    def __init__(
        self, estimator: Any = None, alpha: float = 0.1, cv: Any = 5, *, n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the model without each fold, and with all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : CVPlus
        """
        alpha = check_fraction("alpha", self.alpha)
        given = SVR() if self.estimator is None else self.estimator
        if getattr(last_step(given), "kernel", None) == "precomputed":
            raise ValueError("CVPlus takes rows with features, not a precomputed kernel.")
        X, y = indexable(X, y)
        target = np.asarray(column_or_1d(y), dtype=np.float64)
        folds = list(check_cv(self.cv, target, classifier=False).split(X, target))
        fold = _fold_of_each(folds, len(target))
        fits = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_to)(given, X, target, rows)
            for rows in [*(train for train, _ in folds), None]
        )
        *self.fold_estimators_, self.estimator_ = fits
        self.fold_, self._alpha, self.residuals_ = fold, alpha, np.empty(len(target))
        for model, (_, test) in zip(self.fold_estimators_, folds, strict=True):
            values = model.predict(_safe_indexing(X, test))
            self.residuals_[test] = np.abs(target[test] - values)
        copy_feature_names(self.estimator_, self)
        return self

    def predict(self, X: Any) -> Reals:
        """Return the predictions of the model that was fitted to all training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self, "estimator_")
        found: Reals = self.estimator_.predict(X)
        return found

    def predict_interval(self, X: Any) -> Reals:
        """Return the interval of each new row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (m, 2)
            The ends of the intervals; they are infinite where there are too few training rows.
        """
        check_is_fitted(self, "estimator_")
        values = np.array([model.predict(X) for model in self.fold_estimators_])
        step = max(1, _AT_ONCE // len(self.fold_))
        found = [
            _plus_intervals(values[self.fold_, first : first + step], self.residuals_, self._alpha)
            for first in range(0, values.shape[1], step)
        ]
        return np.concatenate(found)


def _plus_intervals(values: Reals, residuals: Reals, alpha: float) -> Reals:
    """Return the intervals from the values of all models at new rows, of shape (n, m)."""
    n, m = values.shape
    rank = n_rejected(alpha, n)
    if rank < 1:
        return np.tile([-np.inf, np.inf], (m, 1))
    low = np.partition(values - residuals[:, None], rank - 1, axis=0)[rank - 1]
    high = np.partition(values + residuals[:, None], n - rank, axis=0)[n - rank]
    return np.column_stack([low, high])


def _fit_to(estimator: Any, X: Any, y: Reals, rows: NDArray[np.intp] | None) -> Any:
    """Return a clone of an estimator that was fitted to some rows, all if not given."""
    if rows is None:
        return clone(estimator).fit(X, y)
    return clone(estimator).fit(_safe_indexing(X, rows), y[rows])


def _fold_of_each(folds: list[Any], n: int) -> NDArray[np.intp]:
    """Return the fold of each row; every row must be in exactly one test fold."""
    fold = np.full(n, -1, dtype=np.intp)
    for number, (_, test) in enumerate(folds):
        if (fold[test] >= 0).any():
            raise ValueError("cv puts a row into several test folds; CV+ needs each in one.")
        fold[test] = number
    if (fold < 0).any():
        row = np.flatnonzero(fold < 0)[0]
        raise ValueError(f"cv puts row {row} into no test fold; CV+ needs every row in one.")
    return fold
