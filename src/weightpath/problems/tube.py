r"""Weighted epsilon-insensitive regression as a staircase (Section 5.1 of the paper).

The knots are :math:`-C_i, 0, C_i`, the levels
:math:`-\infty, -\epsilon_i, \epsilon_i, \infty`, and the loss is
:math:`C_i [|y_i - f(x_i)| - \epsilon_i]_+`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems.kind import (
    INSIDE,
    MARGIN,
    OUTSIDE,
    Kind,
    Wording,
    register_kind,
    upper_knot,
)
from weightpath.problems.position import Positions, at_knot, is_free
from weightpath.problems.staircase import Staircase

__all__ = ["TUBE", "tube_sets", "tube_staircase"]


def tube_staircase(
    target: ArrayLike,
    weight: ArrayLike,
    epsilon: ArrayLike,
    merged: NDArray[np.bool_] | None = None,
) -> Staircase:
    """Return the staircase of the weighted epsilon-insensitive loss.

    Parameters
    ----------
    target : ndarray of shape (n,)
        The values to fit.
    weight : ndarray of shape (n,)
        The ``C_i``.
    epsilon : ndarray of shape (n,)
        Half the width of each instance's tube.
    merged : ndarray of bool of shape (n,) or None, default=None
        Rows whose tube has no width anywhere on a path: their knot at zero has no height, and is
        merged away (the upper knot stands twice, with nothing beyond it).
    """
    target = np.asarray(target, dtype=np.float64)
    weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), target.shape)
    epsilon = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), target.shape)
    zero, infinite = np.zeros_like(target), np.full_like(target, np.inf)
    middle, upper = zero, epsilon
    if merged is not None:
        middle, upper = np.where(merged, weight, zero), np.where(merged, infinite, epsilon)
    return Staircase.of_own(
        target.copy(),
        np.column_stack([-weight, middle, weight]),
        np.column_stack([-infinite, -epsilon, upper, infinite]),
    )


def tube_sets(sign: ArrayLike, position: Positions) -> NDArray[np.intp]:
    """Read positions as ``OUTSIDE`` the tube, at its edge (``MARGIN``) or ``INSIDE`` it.

    ``sign`` is zero for merged rows, whose tube has no inside.
    """
    position = np.asarray(position)
    inside = (position == at_knot(1)) & (np.asarray(sign) != 0)
    return np.where(is_free(position), MARGIN, np.where(inside, INSIDE, OUTSIDE))


TUBE = register_kind(
    Kind("svr", tube_sets, upper_knot, wording=Wording(margin="rows on the tube's edge"))
)
