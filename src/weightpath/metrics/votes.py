"""From pairwise decisions to classes, as scikit-learn does it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["one_vs_rest_values", "vote"]


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
    confidence = np.zeros((values.shape[0], n_classes))
    for k, (a, b) in enumerate(pairs):
        confidence[:, a] += values[:, k]
        confidence[:, b] -= values[:, k]
    return vote(values, pairs, n_classes) + confidence / (3.0 * (np.abs(confidence) + 1.0))
