r"""The weighted support vector machine as a staircase (Section 2 of the paper).

With :math:`\beta_i = y_i \alpha_i`, target :math:`y_i \delta_i` (a margin :math:`\delta_i` for each
row, one by default) and the residual :math:`r_i = y_i\delta_i - f(x_i)`, the three cases of its
Eq. 7 are the staircase with knots :math:`0, C_i` (mirrored for :math:`y_i = -1`) and the levels
:math:`-\infty, 0, \infty`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems._knots import hinge_rows
from weightpath.problems.kind import INSIDE, MARGIN, OUTSIDE, Kind, Wording, register_kind
from weightpath.problems.position import Positions, at_knot, free_in
from weightpath.problems.staircase import FAR, Staircase

__all__ = ["HINGE", "hinge_sets", "hinge_staircase"]

# Up to so many rows, levels are made with room for more.
_MANY = 1 << 16


def hinge_staircase(sign: ArrayLike, weight: ArrayLike, margin: ArrayLike = 1.0) -> Staircase:
    """Return the staircase of the weighted hinge loss.

    Parameters
    ----------
    sign : ndarray of shape (n,)
        Labels, +1 or -1.
    weight : ndarray of shape (n,)
        The ``C_i``.
    margin : float or ndarray of shape (n,), default=1.0
        The margin asked of each instance.
    """
    signs = np.ascontiguousarray(sign, dtype=np.float64)
    weights = np.ascontiguousarray(weight, dtype=np.float64)
    margins = np.ascontiguousarray(margin, dtype=np.float64)
    if not signs.shape == weights.shape == margins.shape:
        weights, margins = (np.full(signs.shape, values) for values in (weights, margins))
    target, knots, scales = hinge_rows(signs, weights, margins, FAR)
    return Staircase.of_own(target, knots, hinge_levels(signs.size), scales=scales)


@lru_cache(maxsize=16)
def hinge_levels(n: int) -> NDArray[np.float64]:
    """Return the levels of ``n`` hinges, read-only: all staircases of as many rows share them."""
    # A part of those of more rows: where rows come one by one, they are not made anew each time.
    return _many_levels(max(64, 1 << (n - 1).bit_length()) if n < _MANY else n)[:n]


@lru_cache(maxsize=4)
def _many_levels(n: int) -> NDArray[np.float64]:
    levels = np.zeros((n, 3))
    levels[:, 0], levels[:, 2] = -np.inf, np.inf
    levels.setflags(write=False)
    return levels


def hinge_sets(sign: ArrayLike, position: Positions) -> NDArray[np.intp]:
    """Read positions as the paper's sets: ``OUTSIDE``, ``MARGIN`` or ``INSIDE`` for each row."""
    position = np.asarray(position)
    return np.where(
        position == free_in(1),
        MARGIN,
        np.where((position == at_knot(0)) == (np.asarray(sign) > 0), OUTSIDE, INSIDE),
    )


HINGE = register_kind(
    Kind("svc", hinge_sets, wording=Wording("|coefficient|  (units of $C$)", signed=False))
)
