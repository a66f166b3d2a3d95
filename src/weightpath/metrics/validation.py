"""Validation rows, checked: what a metric is computed on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.outputs import Outputs

__all__ = ["ValidationRows", "check_rows"]


@dataclass(frozen=True, eq=False)
class ValidationRows:
    """Rows with their true labels or values, and what the decision values at them stand for.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows; for a precomputed kernel their values with the training rows.
    target : ndarray of shape (n_rows,)
        With classes the index of the true class among ``outputs.classes``, else the true value.
    weight : ndarray of shape (n_rows,)
        Sample weights, not negative and not all zero; ones if none were given.
    outputs : Outputs
        What decision values stand for.
    """

    X: Any
    target: NDArray[Any]
    weight: NDArray[np.float64]
    outputs: Outputs

    def __len__(self) -> int:
        return len(self.target)

    @property
    def share(self) -> NDArray[np.float64]:
        """The weights, with a sum of one."""
        return np.asarray(self.weight / self.weight.sum())

    def numbered(self) -> ValidationRows:
        """Return the same rows with their numbers instead of their features."""
        return replace(self, X=np.arange(len(self), dtype=float)[:, None])


def check_rows(X: Any, y: Any, sample_weight: Any, outputs: Outputs) -> ValidationRows:
    """Check labels or values and weights of validation rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows, already checked.
    y : array-like of shape (n_rows,)
        Labels or values.
    sample_weight : array-like of shape (n_rows,) or None
        Weights.
    outputs : Outputs
        What decision values stand for.

    Returns
    -------
    ValidationRows
    """
    target = _numbers(y, outputs) if outputs.classes is None else _encode(y, outputs)
    if len(target) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows but y has {len(target)}.")
    return ValidationRows(X, target, _weights(sample_weight, len(target)), outputs)


def _column(y: Any) -> NDArray[Any]:
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got the shape {y.shape}.")
    return np.asarray(y)


def _numbers(y: Any, outputs: Outputs) -> NDArray[np.float64]:
    """The true values of regression."""
    y = _column(y)
    message = f"y must be numbers for {outputs}, got values of type {y.dtype}."
    if y.dtype.kind not in "biufO":
        raise ValueError(message)
    try:
        values = y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(message) from error
    if not np.isfinite(values).all():
        raise ValueError("y must be finite: it has infinite values or NaN.")
    return np.asarray(values)


def _encode(y: Any, outputs: Outputs) -> NDArray[np.intp]:
    """Index of every label among the classes."""
    y = _column(y)
    index = {label: i for i, label in enumerate(np.asarray(outputs.classes).tolist())}
    labels = y.tolist()
    unknown = [label for label in dict.fromkeys(labels) if label not in index]
    if unknown:
        shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        known = ", ".join(map(repr, index))
        raise ValueError(
            f"y has labels the {outputs.owner} does not know: {shown}. Its classes are: {known}."
        )
    return np.array([index[label] for label in labels], dtype=np.intp)


def _weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=float)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")
    if weight.sum() <= 0:
        raise ValueError("sample_weight is zero everywhere: a weighted mean needs some weight.")
    return weight
