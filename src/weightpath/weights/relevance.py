"""Weights of preference pairs: the further apart the two, the heavier."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["relevance"]


def relevance(y_i: ArrayLike, y_j: ArrayLike) -> NDArray[np.float64]:
    r"""Weights of pairs by the gap in relevance, :math:`w_{ij} = 2^{y_i} - 2^{y_j}`.

    Parameters
    ----------
    y_i, y_j : array-like
        Relevance of the preferred and of the other item of each pair.

    Returns
    -------
    ndarray or float
        One weight for each pair, 0 where both are equally relevant.

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path
       algorithm for instance-weighted support vector machines. Machine Learning 88, 2012.

    Examples
    --------
    >>> from weightpath.weights import relevance
    >>> relevance([2, 2, 1], [0, 1, 0])
    array([3., 2., 1.])
    """
    y_i, y_j = np.asarray(y_i, dtype=float), np.asarray(y_j, dtype=float)
    if not (np.isfinite(y_i).all() and np.isfinite(y_j).all()):
        raise ValueError("Relevance must be finite.")
    with np.errstate(over="ignore"):
        high, low = np.exp2(y_i), np.exp2(y_j)
    if not (np.isfinite(high).all() and np.isfinite(low).all()):
        raise ValueError("Relevance above 1023 makes infinite weights: use smaller grades.")
    if (high < low).any():
        raise ValueError(
            "y_i must be the relevance of the preferred item of each pair; somewhere it is below "
            "y_j, which would make the weight negative."
        )
    gap: NDArray[np.float64] = high - low
    return gap
