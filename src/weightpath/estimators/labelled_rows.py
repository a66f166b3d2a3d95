"""Labelled instances with margins that come and go."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.checks import check_weights, encode_labels, per_row, products
from weightpath.estimators.row_exchange import RowExchange
from weightpath.path import SolutionPath

__all__ = ["LabelledRowExchange"]


class LabelledRowExchange(RowExchange):
    """A classifier to which instances can be added, and over which a window can slide."""

    classes_: np.ndarray
    C_: float
    class_weight_: np.ndarray

    def add(self, X, y, sample_weight=None, margin=None) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : array-like of shape (n_new,)
            Their labels, of classes that the model knows.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.
        margin : float or array-like of shape (n_new,) or None, default=None
            Their margins; one if not given.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last.
        """
        check_is_fitted(self)
        keep = np.ones(self._X.shape[0], dtype=bool)
        X, labels, new = self._arrivals(X, y, sample_weight, margin)
        return self._exchange_rows(X, labels, new, keep, {})

    def slide(self, X, y, drop=0, sample_weight=None, margin=None) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set. For a precomputed kernel as in ``add``.
        y : array-like of shape (n_new,)
            Their labels.
        drop : int, default=0
            How many of the first instances depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all instances afterwards. If not given, those that stay keep theirs
            and arrivals have one.
        margin : float or array-like of shape (n_new,) or None, default=None
            Margins of the arrivals; one if not given.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing instances.
        """
        check_is_fitted(self)
        X, labels, new = self._arrivals(X, y, None, margin)
        keep, final = self._window(drop, sample_weight, labels)
        return self._exchange_rows(X, labels, new, keep, final)

    def _own_weights(self, sample_weight, labels) -> np.ndarray:
        return products(self.C_, self.class_weight_[labels], sample_weight)

    def _arrivals(self, X, y, sample_weight, margin):
        """Check new instances; return them, their labels and their quantities."""
        X = self._arriving(X)
        n = X.shape[0]
        labels = encode_labels(y, self.classes_, n)
        weight = check_weights("sample_weight", sample_weight, n)
        margin = np.ones(n) if margin is None else per_row("margin", margin, n)
        return X, labels, {"weight": self._own_weights(weight, labels), "margin": margin}
