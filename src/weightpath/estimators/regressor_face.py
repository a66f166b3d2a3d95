"""From the data of a regression to its problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from weightpath.estimators.checks import (
    check_epsilon,
    check_some_weight,
    check_weights,
    products,
)
from weightpath.estimators.input_data import check_settings, keep_X_y, make_training_set
from weightpath.estimators.problem import Quantities
from weightpath.estimators.regression import TubeProblem
from weightpath.estimators.training_set import TrainingSet

__all__ = ["regression"]


def regression(
    model: Any, C: float, epsilon: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[TrainingSet, TubeProblem, Quantities]:
    """Check the parameters and the data of a fit; return what they define.

    Parameters
    ----------
    model : estimator
        Its parameters name the kernel.
    C : float
        The trade-off parameter.
    epsilon : float or array-like of shape (n_samples,)
        Half the widths of the tubes.
    X, y, sample_weight
        What ``fit`` takes.
    """
    check_settings(model, X)
    X, y = keep_X_y(model, X, y, y_numeric=True)
    n = X.shape[0]
    weight = check_weights("sample_weight", sample_weight, n)
    check_some_weight(weight)
    half_width = check_epsilon(epsilon, n)
    training = make_training_set(model, X, np.zeros(n, dtype=np.intp), weight)
    target = np.array(y, dtype=np.float64)
    quantities = {"weight": products(C, weight), "target": target, "epsilon": half_width}
    return training, TubeProblem(C), quantities
