"""Instances without labels that come and go."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.checks import check_weights
from weightpath.estimators.row_exchange import RowExchange
from weightpath.path import SolutionPath

__all__ = ["UnlabelledRowExchange"]


class UnlabelledRowExchange(RowExchange):
    """A model of instances alone to which some can be added, and over which a window can slide."""

    def _of_arrivals(self, n: int) -> dict:
        """Return the quantities of new instances, but for their weights."""
        return {}

    def add(self, X, y=None, sample_weight=None) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : object, default=None
            Not used.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last.
        """
        check_is_fitted(self)
        keep = np.ones(self._X.shape[0], dtype=bool)
        X, labels, new = self._arrivals(X, sample_weight)
        return self._exchange_rows(X, labels, new, keep, {})

    def slide(self, X, y=None, drop=0, sample_weight=None) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set. For a precomputed kernel as in ``add``.
        y : object, default=None
            Not used.
        drop : int, default=0
            How many of the first instances depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all instances afterwards. If not given, those that stay keep theirs
            and arrivals have one.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing instances.
        """
        check_is_fitted(self)
        X, labels, new = self._arrivals(X, None)
        keep, final = self._window(drop, sample_weight, labels)
        return self._exchange_rows(X, labels, new, keep, final)

    def _own_weights(self, sample_weight, labels) -> np.ndarray:
        return sample_weight

    def _arrivals(self, X, sample_weight):
        """Check new instances; return them, their labels and their quantities."""
        X = self._arriving(X)
        n = X.shape[0]
        weight = check_weights("sample_weight", sample_weight, n)
        return X, np.zeros(n, dtype=np.intp), {"weight": weight, **self._of_arrivals(n)}
