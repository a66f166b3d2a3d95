"""Classification by pairs of classes: the solution in scikit-learn's layout, and predictions."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.votes import one_vs_rest_values, vote

__all__ = ["OneVsOneClassifier"]


class OneVsOneClassifier(ClassifierMixin, PathEstimator):
    """A classifier with one part for each pair of classes.

    With two classes there is one part, positive for the second class; with more there is one for
    each pair, positive for the first of the pair.
    """

    decision_function_shape: str
    break_ties: bool
    classes_: np.ndarray

    def _check_shape(self) -> None:
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(
                'decision_function_shape must be "ovr" or "ovo", got '
                f"{self.decision_function_shape!r}."
            )
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError('break_ties=True needs decision_function_shape="ovr", got "ovo".')

    def _publish(self) -> None:
        n, n_classes = self._X.shape[0], len(self.classes_)
        coef = np.zeros((n, len(self._parts)))
        for k, part in enumerate(self._parts):
            coef[part.rows, k] = part.state.beta
        used = np.flatnonzero(coef.any(axis=1))
        self.support_ = used[np.argsort(self._labels[used], kind="stable")].astype(np.int32)
        labels = self._labels[self.support_]
        self.n_support_ = np.bincount(labels, minlength=n_classes).astype(np.int32)
        precomputed = self._kernel.name == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if precomputed else self._X[self.support_]
        self.intercept_ = np.array([part.state.bias for part in self._parts])
        self._coef = coef[self.support_]
        self.dual_coef_ = self._coef.T.copy()
        if n_classes > 2:
            # Row r of a class's columns: its coefficients against the r-th of the other classes.
            self.dual_coef_ = np.zeros((n_classes - 1, len(self.support_)))
            for k, (a, b) in enumerate(self._pairs):
                self.dual_coef_[b - 1, labels == a] = self._coef[labels == a, k]
                self.dual_coef_[a, labels == b] = self._coef[labels == b, k]
        for values in self._quantities.values():
            values.setflags(write=False)
        self.weights_ = self._quantities["weight"]
        self.margin_ = self._quantities["margin"]

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, one row for each pair of classes; linear kernel only."""
        check_is_fitted(self)
        if self._kernel.name != "linear":
            raise AttributeError(
                f'coef_ exists only with kernel="linear"; this kernel is {self._kernel.name}.'
            )
        return np.asarray((self.support_vectors_.T @ self._coef).T)

    def _pairwise(self, X) -> np.ndarray:
        """Return the decision value of each part, of shape (n, n_parts)."""
        check_is_fitted(self)
        X = self._validate(X)
        if self.support_.size == 0:
            return np.tile(self.intercept_, (X.shape[0], 1))
        if self._kernel.name == "precomputed":
            X = X[:, self.support_]
        return self._kernel.product(X, self.support_vectors_, self._coef) + self.intercept_

    def decision_function(self, X) -> np.ndarray:
        """Return the decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_classes * (n_classes - 1) / 2)
            Two classes: positive for ``classes_[1]``. More: by ``decision_function_shape``.
        """
        values = self._pairwise(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        self._check_shape()
        if self.decision_function_shape == "ovo":
            return values
        return one_vs_rest_values(values, self._pairs, len(self.classes_))

    def predict(self, X) -> np.ndarray:
        """Return the predicted classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            Labels of the classes.
        """
        values = self._pairwise(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return self.classes_[(values[:, 0] > 0).astype(np.intp)]
        self._check_shape()
        if self.break_ties:
            best = one_vs_rest_values(values, self._pairs, n_classes).argmax(axis=1)
        else:
            best = vote(values, self._pairs, n_classes).argmax(axis=1)
        return self.classes_[best]
