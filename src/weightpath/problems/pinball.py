r"""Weighted quantile regression as a staircase.

The knots are :math:`C_i(\tau - 1), C_i\tau`, the levels :math:`-\infty, 0, \infty`: the pinball
loss.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from weightpath.problems.kind import Kind, Wording, register_kind
from weightpath.problems.staircase import Staircase

__all__ = ["PINBALL", "pinball_staircase"]


def pinball_staircase(target: ArrayLike, weight: ArrayLike, quantile: ArrayLike) -> Staircase:
    """Return the staircase of the weighted pinball loss.

    Parameters
    ----------
    target : ndarray of shape (n,)
        The values to fit.
    weight : ndarray of shape (n,)
        The ``C_i``.
    quantile : float or ndarray of shape (n,)
        Between 0 and 1.
    """
    target = np.asarray(target, dtype=np.float64)
    weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), target.shape)
    quantile = np.asarray(quantile, dtype=np.float64)
    zero, infinite = np.zeros_like(target), np.full_like(target, np.inf)
    return Staircase.of_own(
        target.copy(),
        np.column_stack([weight * (quantile - 1.0), weight * quantile]),
        np.column_stack([-infinite, zero, infinite]),
    )


PINBALL = register_kind(Kind("quantile", wording=Wording(margin="rows met exactly")))
