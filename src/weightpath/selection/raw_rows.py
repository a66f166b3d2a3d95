"""Rows that users hand in, as the estimator at the end of a pipeline takes them."""

from __future__ import annotations

from typing import Any

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.input_data import check_instances
from weightpath.path import Preparation

__all__ = ["check_raw_rows", "prepared_rows"]


def prepared_rows(preparation: Preparation | None, X: Any) -> Any:
    """Return rows after the transformers of a pipeline, if there are both."""
    return X if preparation is None or X is None else preparation.rows(X)


def check_raw_rows(model: PathEstimator, preparation: Preparation | None, X: Any) -> Any:
    """Return raw rows in the form in which a fitted model takes them, checked."""
    return check_instances(model, prepared_rows(preparation, X))
