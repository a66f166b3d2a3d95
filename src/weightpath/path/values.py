"""Decision values of one problem at new points: at given theta, and on blocks of segments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from weightpath.path.part import PathPart
    from weightpath.path.segments import Block

__all__ = ["decision_values", "iter_blocks"]

Reals = NDArray[np.float64]


def decision_values(part: PathPart, X: Any, theta: Reals, block_mb: float) -> Reals:
    """Return the decision values at new points, of shape (n_theta, n_points)."""
    values = np.empty((theta.size, X.shape[0]))
    rows, points = part.own_rows, part.points(X)
    size = max(1, int(block_mb * 1e6 / (8 * len(rows.condensed(part.start.knots[:, 0])))))
    for first in range(0, theta.size, size):
        some = theta[first : first + size]
        moments = [part.moment(t) for t in some]
        coef = np.stack([rows.condensed(moment.beta) for moment in moments], axis=1)
        bias = np.array([moment.bias for moment in moments])
        found = rows.values(part.kernel, points, part.train, coef)
        values[first : first + size] = (found + rows.intercept(some, coef, bias)).T
    return values


def iter_blocks(part: PathPart, X: Any, block_mb: float) -> Iterator[tuple[Block, Reals, Reals]]:
    """Yield blocks of segments with decision values at their left ends, and their slopes."""
    rows = part.own_rows
    response = rows.response(part.kernel, part.points(X), part.train)
    blocks = part.blocks(response, X, block_mb)
    if not rows.has_offset:
        yield from blocks
        return
    first, last = rows.offset_at(np.array([0.0, 1.0]))
    for block, value, slope in blocks:
        value += rows.offset_at(block.left)[:, None]
        slope += last - first
        yield block, value, slope
