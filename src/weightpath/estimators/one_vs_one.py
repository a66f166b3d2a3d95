"""Classification by pairs of classes: the solution in scikit-learn's layout, and predictions."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin

from weightpath.estimators.expansion import KernelExpansion
from weightpath.path.votes import one_vs_rest_values, vote

__all__ = ["OneVsOneClassifier"]


class OneVsOneClassifier(ClassifierMixin, KernelExpansion):
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
        super()._publish()
        labels, n_classes = self._labels[self.support_], len(self.classes_)
        self.n_support_ = np.bincount(labels, minlength=n_classes).astype(np.int32)
        if n_classes > 2:
            # Row r of a class's columns: its coefficients against the r-th of the other classes.
            self.dual_coef_ = np.zeros((n_classes - 1, len(self.support_)))
            for k, (a, b) in enumerate(self._pairs):
                self.dual_coef_[b - 1, labels == a] = self._coef[labels == a, k]
                self.dual_coef_[a, labels == b] = self._coef[labels == b, k]

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
        values = self._values(X)
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
        values = self._values(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return self.classes_[(values[:, 0] > 0).astype(np.intp)]
        self._check_shape()
        if self.break_ties:
            best = one_vs_rest_values(values, self._pairs, n_classes).argmax(axis=1)
        else:
            best = vote(values, self._pairs, n_classes).argmax(axis=1)
        return self.classes_[best]
