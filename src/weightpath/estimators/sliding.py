"""A model that slides with a window whose rows were checked elsewhere."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from weightpath.estimators.base import PathEstimator
from weightpath.path import SolutionPath

__all__ = ["slid"]


def slid(
    model: PathEstimator, X: Any, y: Any, drop: int, sample_weight: ArrayLike
) -> tuple[PathEstimator, SolutionPath]:
    """Slide a copy of a model; return it and the path.

    Parameters
    ----------
    model : PathEstimator
        A fitted estimator; it is not changed.
    X : ndarray or CSR matrix of shape (n_new, n_features)
        Arrivals, which have been checked.
    y, drop, sample_weight
        As in :meth:`PathEstimator.slide`. There is no warning where ``max_events`` ends the path:
        its status says so.
    """
    draft = model._draft()
    path = draft._slide_checked(draft._ready(), X, y, drop, sample_weight, {}, warns=False)
    return draft, path
