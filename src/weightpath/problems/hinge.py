r"""The weighted support vector machine as a staircase (Section 2 of the paper).

With :math:`\beta_i = y_i \alpha_i`, target :math:`y_i \delta_i` (a margin :math:`\delta_i` for each
row, one by default) and the residual :math:`r_i = y_i\delta_i - f(x_i)`, the three cases of its
Eq. 7 are the staircase with knots :math:`0, C_i` (mirrored for :math:`y_i = -1`) and the levels
:math:`-\infty, 0, \infty`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems.kind import INSIDE, MARGIN, OUTSIDE, Kind, Wording, register_kind
from weightpath.problems.position import Positions, at_knot, free_in
from weightpath.problems.staircase import Staircase

__all__ = ["HINGE", "hinge_sets", "hinge_staircase"]


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
    sign = np.asarray(sign, dtype=np.float64)
    signed = sign * np.asarray(weight, dtype=np.float64)
    knots, levels = np.zeros((sign.size, 2)), np.zeros((sign.size, 3))
    np.copyto(knots[:, 0], signed, where=sign < 0)
    np.copyto(knots[:, 1], signed, where=sign > 0)
    levels[:, 0], levels[:, 2] = -np.inf, np.inf
    target = np.multiply(sign, margin, out=np.empty(sign.size))
    return Staircase.of_own(target, knots, levels)


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
