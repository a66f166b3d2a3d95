r"""Weighted regression problems as staircases (Section 5.1 of the paper).

Epsilon-insensitive regression has knots :math:`-C_i, 0, C_i` and levels
:math:`-\infty, -\epsilon_i, \epsilon_i, \infty`: its loss is
:math:`C_i [|y_i - f(x_i)| - \epsilon_i]_+`. Quantile regression has knots
:math:`C_i(\tau - 1), C_i\tau` and levels :math:`-\infty, 0, \infty`: the pinball loss.
"""

from __future__ import annotations

import numpy as np

from weightpath.problems.position import at_knot, is_free
from weightpath.problems.staircase import Staircase

__all__ = ["pinball_staircase", "tube_sets", "tube_staircase"]


def tube_staircase(target, weight, epsilon, merged=None) -> Staircase:
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
    return Staircase(
        target,
        np.column_stack([-weight, middle, weight]),
        np.column_stack([-infinite, -epsilon, upper, infinite]),
    )


def tube_sets(sign, position) -> np.ndarray:
    """Read positions as outside the tube (0), at its edge (1) or inside it (2).

    ``sign`` is zero for merged rows, whose tube has no inside.
    """
    position = np.asarray(position)
    inside = (position == at_knot(1)) & (np.asarray(sign) != 0)
    return np.where(is_free(position), 1, np.where(inside, 2, 0))


def pinball_staircase(target, weight, quantile) -> Staircase:
    """Return the staircase of the weighted pinball loss.

    Parameters
    ----------
    target : ndarray of shape (n,)
        The values to fit.
    weight : ndarray of shape (n,)
        The ``C_i``.
    quantile : float
        Between 0 and 1.
    """
    target = np.asarray(target, dtype=np.float64)
    weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), target.shape)
    zero, infinite = np.zeros_like(target), np.full_like(target, np.inf)
    return Staircase(
        target,
        np.column_stack([weight * (quantile - 1.0), weight * quantile]),
        np.column_stack([-infinite, zero, infinite]),
    )
