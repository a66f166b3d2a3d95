"""What conformal methods share that fit one model to all training rows."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from weightpath.conformal.given_models import copy_feature_names

__all__ = ["ModelOfAllRows"]


class ModelOfAllRows(BaseEstimator):
    """The base of methods that have a model of all training rows: its features and predictions.

    Attributes
    ----------
    estimator_ : estimator or Pipeline
        The model, once ``fit`` has published it.
    """

    estimator_: Any

    def predict(self, X: Any) -> NDArray[Any]:
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
        found: NDArray[Any] = self.estimator_.predict(X)
        return found

    def _publish(self, fitted: Any) -> None:
        """Keep the model, and take over the names of its features."""
        self.estimator_ = fitted
        copy_feature_names(fitted, self)
