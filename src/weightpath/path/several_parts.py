"""The values of a path whose parts share theta, be they quadratic problems or linear programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.path.given import check_points, check_theta

__all__ = ["iter_segments", "values_of_parts"]

Reals = NDArray[np.float64]


def values_of_parts(path: Any, X: Any, theta: ArrayLike) -> Reals:
    """Return the values of the functions of all parts, with a last axis for several."""
    X = check_points(path, X)
    at = check_theta(path, theta)
    values = [part.decision_values(X, np.atleast_1d(at)) for part in path.parts]
    result = values[0] if path.is_single else np.stack(values, axis=-1)
    return result[0] if at.ndim == 0 else result


def iter_segments(
    path: Any, X: Any, block_mb: float, part: int
) -> Iterator[tuple[Reals, Reals, Reals, Reals]]:
    """Yield the decision values of one part in blocks of segments, up to the end of the path."""
    X = check_points(path, X, nameless=True)
    end = path.theta[-1]
    for left, right, value, slope in path.parts[part].iter_values(X, block_mb):
        right = np.minimum(right, end)
        kept = left < right
        if kept.all():
            yield left, right, value, slope
        elif kept.any():
            yield left[kept], right[kept], value[kept], slope[kept]
