"""What the kernel classifiers share: from their data to a problem, from values to labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from weightpath.estimators.checks import check_weights, per_row
from weightpath.estimators.class_weights import is_balanced, resolve_class_weight
from weightpath.estimators.classification import HingeProblem
from weightpath.estimators.input_data import check_settings, keep_X_y, make_training_set
from weightpath.estimators.problem import Quantities
from weightpath.estimators.training_set import TrainingSet
from weightpath.metrics.votes import one_vs_rest_values

__all__ = ["classification", "predicted_labels", "shaped_values"]


def classification(
    model: Any, C: float, X: Any, y: Any, sample_weight: Any, margin: Any = None
) -> tuple[TrainingSet, HingeProblem, Quantities]:
    """Check the parameters and the data of a fit; return what they define.

    Parameters
    ----------
    model : estimator
        Its parameters name kernel, class weights and the shape of decision values.
    C : float
        The trade-off parameter.
    X, y, sample_weight, margin
        What ``fit`` takes.
    """
    check_shape(model)
    check_settings(model, X)
    X, y = keep_X_y(model, X, y)
    check_classification_targets(y)
    n = X.shape[0]
    weight = check_weights("sample_weight", sample_weight, n)
    margins = np.ones(n) if margin is None else per_row("margin", margin, n)
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"{type(model).__name__} needs at least two classes in y: the number of classes has to "
            f"be greater than one, got {len(classes)} class."
        )
    ones = HingeProblem(classes, C, np.ones(len(classes)), is_balanced(model.class_weight))
    ones.check({"weight": weight}, labels)
    training = make_training_set(model, X, labels, weight)
    factors = resolve_class_weight(model.class_weight, classes, labels, weight)
    problem = replace(ones, class_weight=factors)
    return training, problem, {"weight": problem.weights(weight, labels), "margin": margins}


def check_shape(model: Any) -> None:
    """Raise unless the parameters name a shape of decision values."""
    shape = model.decision_function_shape
    if shape not in ("ovr", "ovo"):
        raise ValueError(f'decision_function_shape must be "ovr" or "ovo", got {shape!r}.')
    if model.break_ties and shape == "ovo":
        raise ValueError('break_ties=True needs decision_function_shape="ovr", got "ovo".')


def shaped_values(
    model: Any, problem: HingeProblem, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values of all pairs of classes in the shape that the parameters name."""
    n_classes = len(problem.classes)
    if n_classes == 2:
        return values[:, 0]
    check_shape(model)
    if model.decision_function_shape == "ovo":
        return values
    return one_vs_rest_values(values, problem.pairs, n_classes)


def predicted_labels(
    model: Any, problem: HingeProblem, values: NDArray[np.float64]
) -> NDArray[Any]:
    """Return the labels that the values of all pairs of classes stand for."""
    if len(problem.classes) > 2:
        check_shape(model)
    labels: NDArray[Any] = problem.classes[problem.predicted(values, model.break_ties)]
    return labels
