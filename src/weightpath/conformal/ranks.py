"""Ranks from a level: how many of n + 1 scores make up the fraction alpha."""

from __future__ import annotations

import math
import sys

__all__ = ["n_rejected"]

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
