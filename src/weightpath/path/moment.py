"""The solution of one problem at a single theta."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import Positions

__all__ = ["Moment"]


class Moment(NamedTuple):
    """Coefficients, bias and positions at one theta.

    A path keeps those at its two ends, exactly as the model has them, whatever rounding does to the
    segments beside them.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Coefficients.
    bias : float
        The bias.
    position : ndarray of shape (n,)
        Where each row stands on its staircase.
    """

    beta: NDArray[np.float64]
    bias: float
    position: Positions
