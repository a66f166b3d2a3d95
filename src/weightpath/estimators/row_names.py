"""The names of training rows: the index of the frame, or of the series, that they came in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.estimators.problem import Arrivals
from weightpath.estimators.training_set import NAMES, TrainingSet

__all__ = ["names_of_training", "with_arriving_names", "with_names"]


# Entries of an index that are kept as they are.
_KEPT = (str, int, float, tuple, type(None))


def names_of_training(training: TrainingSet) -> NDArray[Any] | None:
    """Return the names of the training rows; ``None`` where they are only numbered."""
    return training.per_row.get(NAMES)


def with_names(training: TrainingSet, X: Any, data: Sequence[Any]) -> TrainingSet:
    """Return a training set with the names that its rows had when they were handed in.

    Parameters
    ----------
    training : TrainingSet
        The rows, checked.
    X : object
        The rows as they were given. In a pipeline they have often lost their index, but labels and
        weights have it.
    data : sequence
        What was given with them: labels, weights.
    """
    names = _names(len(training), X, *data)
    if names is None:
        return training
    return replace(training, per_row={**training.per_row, NAMES: names})


def with_arriving_names(training: TrainingSet, arrivals: Arrivals, X: Any, y: Any) -> Arrivals:
    """Return arrivals with the names that they have, if the training rows have such."""
    names = _names(len(arrivals.labels), X, y) if NAMES in training.per_row else None
    if names is None:
        return arrivals
    return arrivals._replace(per_row={**arrivals.per_row, NAMES: names})


def _names(n: int, *given: Any) -> NDArray[Any] | None:
    """Return the first index of ``n`` entries among frames and series, unless it only counts."""
    for one in given:
        index = getattr(one, "index", None) if hasattr(one, "iloc") else None
        if index is not None and len(index) == n:
            names = np.array(index)
            counts = names.dtype.kind in "iu" and np.array_equal(names, np.arange(n))
            return None if counts else _plain(names)
    return None


def _plain(names: NDArray[Any]) -> NDArray[Any]:
    """Return names as arrays and files can hold them: what is no text, number or tuple as text."""
    if names.dtype != object or all(isinstance(name, _KEPT) for name in names):
        return names
    plain = np.empty(len(names), dtype=object)
    plain[:] = [str(name) for name in names]
    return plain
