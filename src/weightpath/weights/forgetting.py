"""Weights of a time series: the older, the lighter."""

from __future__ import annotations

import math
import operator

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["forgetting"]


def forgetting(n: int, a: float) -> NDArray[np.float64]:
    r"""Weights that fade with age along a sigmoid.

    .. math:: w_i = \frac{2}{1 + \exp(a - 2 a \, i / n)}, \qquad i = 1, \dots, n,

    so that the newest instance, the last, has the weight :math:`2 / (1 + e^{-a})` and the middle
    one has 1.

    Parameters
    ----------
    n : int
        Number of instances, oldest first.
    a : float
        How fast to forget; 0 forgets nothing, all weights are 1. The paper takes 3.

    Returns
    -------
    ndarray of shape (n,)
        Increasing weights between 0 and 2.

    References
    ----------
    .. [1] L. Cao and F. Tay. Support vector machine with adaptive parameters in financial time
       series forecasting. IEEE Transactions on Neural Networks 14, 2003.

    Examples
    --------
    >>> from weightpath.weights import forgetting
    >>> forgetting(4, 3).round(3)
    array([0.365, 1.   , 1.635, 1.905])
    """
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"n must be at least 1; got {n}.")
    if not (math.isfinite(a) and a >= 0):
        raise ValueError(f"a must be finite and not negative; got {a}.")
    weights: NDArray[np.float64] = 2 * expit(a * (2 * np.arange(1, n + 1) / n - 1))
    return weights
