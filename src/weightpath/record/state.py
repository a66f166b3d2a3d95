"""A solution with everything needed to go on from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import Positions

__all__ = ["State"]


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """An exact solution with everything needed to go on from it.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Coefficients.
    bias : float
        The bias.
    position : ndarray of shape (n,), int32
        The position of each row on its staircase.
    residual : ndarray of shape (n,)
        ``r = t - K beta - b``.
    margin : ndarray of shape (n_margin,)
        The free rows, in the order of the factor.
    tolerance : float
        How close to a level a residual can be told from it; 0 where it has not been measured.
    """

    beta: NDArray[np.float64]
    bias: float
    position: Positions
    residual: NDArray[np.float64]
    margin: NDArray[np.intp]
    tolerance: float = 0.0

    def __repr__(self) -> str:
        return (
            f"<State: {self.beta.size} rows, {self.margin.size} on the margin, "
            f"{np.count_nonzero(self.beta)} with a coefficient, bias={self.bias:.6g}>"
        )
