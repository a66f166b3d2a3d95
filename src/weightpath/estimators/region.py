"""The method of all estimators that looks up to regions, and only when called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from weightpath.estimators.base import PathEstimator
    from weightpath.regions import CriticalRegion

__all__ = ["critical_region"]


def critical_region(
    self: PathEstimator, axes: Sequence[Mapping[str, Any] | ArrayLike]
) -> CriticalRegion:
    """Return the region around the model on which every instance stays in its set.

    Of two classes, a regression or one class, with a kernel; others raise an error.

    Parameters
    ----------
    axes : sequence of dicts or arrays
        Each axis leads from where the model is (z = 0) to a destination (z = 1): a dict of what
        ``move`` takes, or an array of shape (n_samples,) of changes of the sample weights.

    Returns
    -------
    CriticalRegion
        A polyhedron, on which the solution is affine in z.
    """
    from weightpath.regions import critical_region as region_of

    return region_of(self, axes)
