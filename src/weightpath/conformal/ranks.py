"""Ranks from a level: how many of n + 1 scores make up the fraction alpha, and what they bound."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import NDArray

__all__ = ["n_rejected", "plus_intervals"]

Reals = NDArray[np.float64]

# A product this close to a whole number, in units of its own rounding, is that number: 0.29 * 100
# is 28.999999999999996 in double precision, and means 29.
_ROUNDINGS = 4.0


def n_rejected(alpha: float, n: int) -> int:
    """Return the largest whole number that is not above ``alpha * (n + 1)``.

    All ranks follow from it: ``ceil((1 - alpha) * (n + 1))`` is ``n + 1`` minus this number, and a
    p-value ``count / (n + 1)`` is above ``alpha`` exactly if ``count`` is above this number.

    Parameters
    ----------
    alpha : float
        The level, above 0 and below 1, as the decimal number that it was written as.
    n : int
        The number of rows beside the new one.
    """
    product = alpha * (n + 1)
    nearest = round(product)
    if abs(product - nearest) <= _ROUNDINGS * sys.float_info.epsilon * product:
        return nearest
    return math.floor(product)


def plus_intervals(values: Reals, residuals: Reals, alpha: float) -> Reals:
    """Return the jackknife+ or CV+ intervals of new rows, of shape (m, 2).

    Parameters
    ----------
    values : ndarray of shape (n, m)
        The values of the models without each of the n training rows at the m new ones.
    residuals : ndarray of shape (n,)
        The absolute residual of each training row under the model without it.
    alpha : float
        The level, above 0 and below 1.
    """
    n, m = values.shape
    rank = n_rejected(alpha, n)
    if rank < 1:
        return np.tile([-np.inf, np.inf], (m, 1))
    low = np.partition(values - residuals[:, None], rank - 1, axis=0)[rank - 1]
    high = np.partition(values + residuals[:, None], n - rank, axis=0)[n - rank]
    return np.column_stack([low, high])
