"""The kernel matrix times the speeds of the rows at knots, carried from leg to leg of a path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.legs import Theta
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import Positions, is_at_knot, knot_of

__all__ = ["LineProduct"]

# Where more than this share of the rows have gone elsewhere, the product is made anew: it is cheap
# beside the events that they took.
_FEW = 0.1

# Terms that have come and gone leave their roundings behind: the product is made anew where its
# terms were larger by this factor.
_FALL = 2.0


class LineProduct:
    """A product that all legs of a path share.

    All legs lie on one line, and the speed of a knot along the whole path is the same on all of
    them. From one leg to the next only rows that came to a knot, or left one, change the product.

    Parameters
    ----------
    columns : Columns
        The kernel matrix of rows.
    start, end : Staircase
        The two ends of the path.
    """

    def __init__(self, columns: Columns, start: Staircase, end: Staircase) -> None:
        self._columns, self._start, self._end = columns, start, end
        self._speed = np.zeros(len(start))
        self._product = np.zeros(len(start))
        self._length, self._peak = 1.0, 0.0
        self._reach = np.sqrt(np.maximum(columns.diagonal, 0.0))

    def on_leg(self, left: Theta, right: Theta) -> LineProduct:
        """Return this product, for a leg between two thetas."""
        self._length = left[1] - right[1] if left[0] > 0.5 else right[0] - left[0]
        return self

    def __call__(self, position: Positions) -> NDArray[np.float64]:
        """Return the product with the speeds on the leg of rows at these positions."""
        rows = np.flatnonzero(is_at_knot(position))
        at = rows, knot_of(position[rows])
        speed = np.zeros(len(position))
        speed[rows] = self._end.knots[at] - self._start.knots[at]
        change, size = speed - self._speed, float(np.abs(speed) @ self._reach)
        if np.count_nonzero(change) > _FEW * len(change) or self._peak > _FALL * size:
            self._product, self._peak = self._columns.product(speed), size
        else:
            self._product = self._product + self._columns.product(change)
        self._speed, self._peak = speed, max(self._peak, size)
        return self._length * self._product
