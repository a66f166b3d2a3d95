"""Methods of a search that call the model it has chosen."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.base import PathEstimator

Method = TypeVar("Method", bound=Callable[..., Any])

__all__ = ["ChosenModel"]


def _if_model_has(name: str) -> Callable[[Method], Method]:
    """Let a method exist where the model, or before ``fit`` the estimator, has it."""

    def check(search: ChosenModel) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    def decorate(method: Method) -> Method:
        # The decorator of scikit-learn has no types.
        available: Method = available_if(check)(method)
        return available

    return decorate


class ChosenModel(MetaEstimatorMixin):
    """Methods and attributes of ``best_estimator_``, as methods and attributes of the search."""

    estimator: Any
    refit: bool
    best_estimator_: PathEstimator | Pipeline

    @_if_model_has("predict")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predictions of ``best_estimator_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            Labels or values.
        """
        predictions: NDArray[Any] = self._model("predict").predict(X)
        return predictions

    @_if_model_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of ``best_estimator_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Decision values.
        """
        values: NDArray[np.float64] = self._model("decision_function").decision_function(X)
        return values

    @_if_model_has("score_samples")
    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the sample scores of ``best_estimator_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            Scores.
        """
        scores: NDArray[np.float64] = self._model("score_samples").score_samples(X)
        return scores

    @_if_model_has("score")
    def score(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the score of ``best_estimator_``: accuracy, or R squared.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.
        y : array-like of shape (n,)
            Labels or values.
        sample_weight : array-like of shape (n,), optional
            Weights.

        Returns
        -------
        float
            Greater is better; not the metric of the search.
        """
        return float(self._model("score").score(X, y, sample_weight=sample_weight))

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels of ``best_estimator_``."""
        classes: NDArray[Any] = self._model("classes_").classes_
        return classes

    @property
    def n_features_in_(self) -> int:
        """Number of features of ``best_estimator_``."""
        return int(self._of_model("n_features_in_"))

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features of ``best_estimator_``, if ``X`` had any."""
        names: NDArray[Any] = self._of_model("feature_names_in_")
        return names

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = deepcopy(get_tags(self.estimator))
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.sparse = inner.input_tags.sparse
        return tags

    def _model(self, wanted: str) -> PathEstimator | Pipeline:
        if not self.refit:
            raise AttributeError(
                f"{wanted} needs the model on all rows, which refit=False does not make. Set "
                "refit=True, or fit an estimator yourself with the weights best_weights_."
            )
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def _of_model(self, name: str) -> Any:
        """Return an attribute that, as scikit-learn expects, is missing before ``fit``."""
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")
        return getattr(self.best_estimator_, name)
