"""Factors of C for each class."""

from __future__ import annotations

import numpy as np

__all__ = ["resolve_class_weight"]


def resolve_class_weight(class_weight, classes, labels, sample_weight) -> np.ndarray:
    """Return one factor for each class.

    "balanced" means total weight / (n_classes * weight of the class), so that an instance of
    weight 2 equals two instances.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.'
            )
        total = np.bincount(labels, sample_weight, minlength=len(classes))
        return total.sum() / (len(classes) * total)
    if not hasattr(class_weight, "items"):
        raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.')
    factors = np.ones(len(classes))
    for label, factor in class_weight.items():
        where = np.flatnonzero(classes == label)
        if where.size:
            if not np.isfinite(factor) or factor < 0:
                raise ValueError(f"class_weight of {label!r} must be a number >= 0, got {factor!r}.")
            factors[where] = factor
    return factors
