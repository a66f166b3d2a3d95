"""Methods, arguments and shapes of MAPIE 1.x, for programs that are written for it.

MAPIE itself is not needed. Its own classes take the estimators of this library, too, as any of
scikit-learn, but fit them again and again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from weightpath.conformal.conditional import ConditionalConformal

__all__ = ["ConditionalMapieAdapter", "MapieAdapter"]

Reals = NDArray[np.float64]


class _IntervalAdapter(BaseEstimator, ABC):
    """Intervals in MAPIE's shapes."""

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predictions at new rows, of shape (m,)."""

    def predict_interval(self, X: Any) -> tuple[Reals, Reals]:
        """Return predictions and intervals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        points : ndarray of shape (m,)
            The predictions.
        intervals : ndarray of shape (m, 2, 1)
            The ends of the intervals, for the one confidence level. Where no label is kept (a
            cutoff below zero), the lower end is above the upper one.
        """
        points = self.predict(X)
        return points, self._ends(X, points)[:, :, None]

    @abstractmethod
    def _ends(self, X: Any, points: Reals) -> Reals:
        """Return the ends of the intervals around these predictions, of shape (m, 2)."""


class MapieAdapter(_IntervalAdapter):
    """A conformal method with the methods and shapes of MAPIE's cross-conformal classes.

    Parameters
    ----------
    conformal : FullConformal, JackknifePlus or CVPlus
        The method, with its estimator and its ``alpha``, one minus MAPIE's ``confidence_level``. It
        is not changed.

    Attributes
    ----------
    conformal_ : FullConformal, JackknifePlus or CVPlus
        The method, fitted.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.conformal import JackknifePlus, MapieAdapter
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (60, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=60)
    >>> mapie = MapieAdapter(JackknifePlus(wp.SVR(gamma=1.0), alpha=0.1)).fit_conformalize(X, y)
    >>> points, intervals = mapie.predict_interval(X[:5])
    >>> points.shape, intervals.shape
    ((5,), (5, 2, 1))
    """

    def __init__(self, conformal: Any) -> None:
        self.conformal = conformal

    def fit_conformalize(self, X: Any, y: ArrayLike) -> Self:
        """Fit the method.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets or labels.

        Returns
        -------
        self : MapieAdapter
        """
        self.conformal_ = clone(self.conformal).fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predictions of the model that was fitted to all training rows.

        MAPIE's cross-conformal classes return the mean over the folds, unless they are told
        ``aggregate_point_predictions=None``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (m,)
        """
        if not hasattr(self, "conformal_"):
            raise NotFittedError("This MapieAdapter is not fitted yet: call fit_conformalize.")
        found: NDArray[Any] = self.conformal_.predict(X)
        return found

    def _ends(self, X: Any, points: Reals) -> Reals:
        found: Reals = self.conformal_.predict_interval(X)
        return found

    def predict_set(self, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return predicted labels and label sets; for classifiers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        labels : ndarray of shape (m,)
            The predictions.
        sets : ndarray of bool of shape (m, n_classes, 1)
            Which classes are in each set, for the one confidence level.
        """
        labels = self.predict(X)
        classes = getattr(self.conformal_.estimator_, "classes_", None)
        if classes is None:
            raise TypeError("Label sets are for classifiers: use predict_interval.")
        sets = [np.isin(classes, one) for one in self.conformal_.predict_set(X)]
        return labels, np.array(sets, dtype=bool).reshape(-1, len(classes), 1)


class ConditionalMapieAdapter(_IntervalAdapter):
    r"""Split conformal intervals with conditional cutoffs, with MAPIE's methods and shapes.

    The interval is the prediction plus and minus the cutoff of a
    :class:`~weightpath.conformal.ConditionalConformal` for the score :math:`|y - f(x)|`. MAPIE's
    ``ConditionalSplitConformalRegressor`` raises ``NotImplementedError`` where a kernel is asked
    for.

    Parameters
    ----------
    estimator : estimator
        A regression of any kind.
    conformal : ConditionalConformal or None, default=None
        The cutoffs; those with default settings if not given. It is not changed.
    prefit : bool, default=True
        Whether the estimator is fitted already, as MAPIE has it; otherwise ``fit`` fits a clone.

    Attributes
    ----------
    estimator_ : estimator
        The fitted regression.
    conformal_ : ConditionalConformal
        The fitted cutoffs.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.conformal import ConditionalConformal, ConditionalMapieAdapter
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 2, (200, 1))
    >>> y = X[:, 0] + 0.3 * X[:, 0] * rng.normal(size=200)
    >>> model = wp.SVR(gamma=1.0).fit(X[:100], y[:100])
    >>> mapie = ConditionalMapieAdapter(model, ConditionalConformal(gamma=1.0))
    >>> points, intervals = mapie.conformalize(X[100:], y[100:]).predict_interval([[0.2], [1.8]])
    >>> width = np.diff(intervals[:, :, 0], axis=1)[:, 0]
    >>> bool(width[0] < width[1])
    True
    """

    def __init__(
        self,
        estimator: Any,
        conformal: ConditionalConformal | None = None,
        *,
        prefit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.conformal = conformal
        self.prefit = prefit

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the regression; only with ``prefit=False``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : ConditionalMapieAdapter
        """
        if self.prefit:
            raise ValueError("The estimator is fitted already: call conformalize, or prefit=False.")
        self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def conformalize(self, X: Any, y: ArrayLike) -> Self:
        """Fit the cutoffs to rows that the regression has not seen.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Calibration rows.
        y : array-like of shape (n,)
            Their targets.

        Returns
        -------
        self : ConditionalMapieAdapter
        """
        if self.prefit:
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
        check_is_fitted(self, "estimator_")
        scores = np.abs(np.asarray(y, dtype=np.float64) - self.estimator_.predict(X))
        given = ConditionalConformal() if self.conformal is None else clone(self.conformal)
        self.conformal_ = given.fit(X, scores)
        return self

    def predict(self, X: Any) -> Reals:
        """Return the predictions of the regression.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self, "conformal_")
        found: Reals = self.estimator_.predict(X)
        return found

    def _ends(self, X: Any, points: Reals) -> Reals:
        cutoff = self.conformal_.cutoff(X)
        return np.stack([points - cutoff, points + cutoff], axis=1)
