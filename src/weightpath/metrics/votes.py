"""From pairwise decisions to classes, as scikit-learn does it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["one_vs_rest_slopes", "one_vs_rest_values", "vote"]


def vote(
    values: NDArray[np.float64], pairs: Sequence[tuple[int, int]], n_classes: int
) -> NDArray[np.float64]:
    """Return the votes of each class: a positive value is one for the first of its pair."""
    votes = np.zeros((values.shape[0], n_classes))
    for k, (a, b) in enumerate(pairs):
        positive = values[:, k] > 0
        votes[:, a] += positive
        votes[:, b] += ~positive
    return votes


def one_vs_rest_values(
    values: NDArray[np.float64], pairs: Sequence[tuple[int, int]], n_classes: int
) -> NDArray[np.float64]:
    """Return votes plus summed confidences, squeezed so that they only break ties."""
    confidence = _confidences(values, pairs, n_classes)
    return vote(values, pairs, n_classes) + confidence / (3.0 * (np.abs(confidence) + 1.0))


def one_vs_rest_slopes(
    values: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    n_classes: int,
    slopes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return derivatives by the values of pairs of what has these by :func:`one_vs_rest_values`.

    Votes are constant but for a jump where a value is zero.
    """
    confidence = _confidences(values, pairs, n_classes)
    by_class = slopes / (3.0 * (np.abs(confidence) + 1.0) ** 2)
    return np.column_stack([by_class[:, a] - by_class[:, b] for a, b in pairs])


def _confidences(
    values: NDArray[np.float64], pairs: Sequence[tuple[int, int]], n_classes: int
) -> NDArray[np.float64]:
    """Return the sums of the values of the pairs of each class."""
    confidence = np.zeros((values.shape[0], n_classes))
    for k, (a, b) in enumerate(pairs):
        confidence[:, a] += values[:, k]
        confidence[:, b] -= values[:, k]
    return confidence
