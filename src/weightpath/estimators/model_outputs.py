"""What the decision values of a fitted model stand for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_outlier_detector

from weightpath.metrics import Outputs

__all__ = ["outputs_of_model"]


def outputs_of_model(model: Any) -> Outputs:
    """Return what the decision values of a fitted model stand for.

    Parameters
    ----------
    model : PathEstimator
        A fitted model.

    Returns
    -------
    Outputs
        With the parameters of its loss, where metrics have such as well.
    """
    if is_classifier(model):
        return Outputs.of_classes(model.classes_, break_ties=model.break_ties, owner="model")
    told = partial(_told_by_model, model)
    return Outputs(predicts=not is_outlier_detector(model), told=told, owner="model")


def _told_by_model(model: Any, name: str) -> list[NDArray[np.float64]]:
    value = getattr(model, name + "_", None)
    return [] if value is None else [np.ravel(value).astype(float)]
