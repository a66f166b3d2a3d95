"""The solution of one problem at a single theta."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.record.state import State

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
    position: NDArray[np.int64]

    @classmethod
    def of(cls, state: State) -> Moment:
        """Return the moment of a state, frozen."""
        beta, position = np.array(state.beta), np.array(state.position, dtype=np.int64)
        beta.setflags(write=False)
        position.setflags(write=False)
        return cls(beta, float(state.bias), position)
