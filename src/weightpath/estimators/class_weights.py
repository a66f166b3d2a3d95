"""Factors of C for each class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.estimators._row_weights import are_all_weighted
from weightpath.estimators.checks import check_number

__all__ = [
    "are_all_weighted",
    "balanced_factors",
    "balanced_slopes",
    "is_balanced",
    "resolve_class_weight",
]


def is_balanced(class_weight: object) -> bool:
    """Whether the factors depend on the weights of the instances."""
    return isinstance(class_weight, str) and class_weight == "balanced"


def balanced_factors(
    n_classes: int, labels: NDArray[Any], sample_weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return total weight / (n_classes * weight of the class); weight 2 equals two instances."""
    total = np.bincount(labels, sample_weight, minlength=n_classes)
    factors: NDArray[np.float64] = total.sum() / (n_classes * total)
    return factors


def balanced_slopes(
    n_classes: int,
    labels: NDArray[Any],
    sample_weight: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return derivatives by sample weights of what has these by each :func:`balanced_factors`."""
    total = np.bincount(labels, sample_weight, minlength=n_classes)
    everyone = float((slopes / (n_classes * total)).sum())
    own: NDArray[np.float64] = slopes * total.sum() / (n_classes * total**2)
    return np.asarray(everyone - own[labels])


def resolve_class_weight(
    class_weight: object,
    classes: NDArray[Any],
    labels: NDArray[Any],
    sample_weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return one factor for each class."""
    if class_weight is None:
        return np.ones(len(classes))
    if is_balanced(class_weight):
        return balanced_factors(len(classes), labels, sample_weight)
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.')
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    # A dict may name classes that are not in y, but a class left out then looks like a slip.
    if unknown and not all(label in class_weight for label in known):
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is not among the classes {known}; classes "
            "that it leaves out have the factor 1."
        )
    return np.array(
        [
            check_number(f"class_weight[{label!r}]", class_weight.get(label, 1.0), strict=False)
            for label in known
        ]
    )
