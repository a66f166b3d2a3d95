"""CV+: intervals from residuals of rows whose fold was left out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, column_or_1d, indexable

from weightpath.conformal.model_of_all_rows import ModelOfAllRows
from weightpath.conformal.ranks import plus_intervals
from weightpath.estimators import SVR
from weightpath.estimators.checks import check_fraction
from weightpath.path.preparation import last_step

__all__ = ["CVPlus"]

Reals = NDArray[np.float64]

# Predictions of all models that are held at a time.
_AT_ONCE = 4_000_000


class CVPlus(ModelOfAllRows):
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
        *self.fold_estimators_, fitted = fits
        self.fold_, self._alpha, self.residuals_ = fold, alpha, np.empty(len(target))
        for model, (_, test) in zip(self.fold_estimators_, folds, strict=True):
            values = model.predict(_safe_indexing(X, test))
            self.residuals_[test] = np.abs(target[test] - values)
        self._publish(fitted)
        return self

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
            plus_intervals(values[self.fold_, first : first + step], self.residuals_, self._alpha)
            for first in range(0, values.shape[1], step)
        ]
        return np.concatenate(found)


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
