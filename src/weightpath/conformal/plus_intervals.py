"""Jackknife+ and CV+ intervals from the values and residuals of models without each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.conformal.ranks import n_rejected

__all__ = ["plus_intervals"]

Reals = NDArray[np.float64]


def plus_intervals(values: Reals, residuals: Reals, alpha: float) -> Reals:
    """Return the intervals of new rows, of shape (m, 2).

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
