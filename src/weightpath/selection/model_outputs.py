"""What the decision values of a fitted model stand for."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_outlier_detector

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
    classes = getattr(model, "classes_", None)
    several = classes is not None and len(classes) > 2
    return Outputs(
        classes,
        list(combinations(range(len(classes)), 2)) if several else None,
        predicts=not is_outlier_detector(model),
        told=partial(_told_by_model, model),
        break_ties=getattr(model, "break_ties", False),
        owner="model",
    )


def _told_by_model(model: Any, name: str) -> list[NDArray[np.float64]]:
    value = getattr(model, name + "_", None)
    return [] if value is None else [np.ravel(value).astype(float)]
