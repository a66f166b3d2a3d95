"""Estimators that users hand in, fitted, and the rows that they take."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_array

from weightpath.estimators.input_data import check_instances
from weightpath.estimators.pipelines import last_and_preparation
from weightpath.path.preparation import last_step
from weightpath.selection.raw_rows import prepared_rows

__all__ = ["FittedModel", "copy_feature_names", "fitted_model"]


class FittedModel:
    """A fitted estimator, or the last step of a fitted pipeline, with the rows that it takes.

    Parameters
    ----------
    given : PathEstimator or Pipeline
        What was fitted.

    Attributes
    ----------
    model : PathEstimator
        The estimator, a copy that takes arrays without feature names.
    """

    def __init__(self, given: Any) -> None:
        self._last, self._preparation = last_and_preparation(given)
        self.model: Any = copy(self._last)
        self.model.__dict__.pop("feature_names_in_", None)

    def rows(self, X: Any) -> Any:
        """Return new rows, raw ones of a pipeline, checked, as ``add`` of the estimator takes them.

        For a precomputed kernel these have a last column, the value of the row with itself.
        """
        X = prepared_rows(self._preparation, X)
        if not getattr(self._last.training_set_, "is_precomputed", False):
            return check_instances(self._last, X)
        X = check_array(X, dtype=np.float64, order="C", input_name="X")
        n = len(self._last.training_set_)
        if X.shape[1] != n + 1:
            raise ValueError(
                f"For a precomputed kernel, a new row holds its kernel values with the {n} "
                f"training rows and then with itself: expected {n + 1} columns, got {X.shape[1]}."
            )
        return X


def fitted_model(estimator: Any, kinds: tuple[type, ...], X: Any, y: Any) -> Any:
    """Return a clone of an estimator or a pipeline that was fitted to rows.

    Parameters
    ----------
    estimator : estimator or Pipeline
        It is not changed.
    kinds : tuple of type
        What its last step may be.
    X, y
        The rows and their targets or labels.
    """
    last = last_step(estimator)
    if not isinstance(last, kinds) or isinstance(estimator, type):
        names = ", ".join(kind.__name__ for kind in kinds)
        given = last.__name__ if isinstance(last, type) else type(last).__name__
        raise TypeError(
            f"estimator must be one of {names} of weightpath, or a scikit-learn Pipeline whose "
            f"last step is one; got {given}."
        )
    return clone(estimator).fit(X, y)


def copy_feature_names(source: Any, target: Any) -> None:
    """Let one estimator have the features of another, as scikit-learn names them."""
    for name in ("n_features_in_", "feature_names_in_"):
        target.__dict__.pop(name, None)
        value = getattr(source, name, None)
        if value is not None:
            setattr(target, name, value)
