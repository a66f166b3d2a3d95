"""Weights of a regression whose noise differs between inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["heteroscedastic"]


def heteroscedastic(residuals: ArrayLike, floor: float = 1e-3) -> NDArray[np.float64]:
    r"""Weights inverse to the size of residuals.

    .. math:: w_i = \frac{\hat\sigma}{\max(|e_i|, \text{floor} \cdot \hat\sigma)},
              \qquad \hat\sigma = \sqrt{\frac1n \sum_j e_j^2}.

    Where the residuals of a fit stand for the unknown size of the noise, fitting again with these
    weights, and so on in turns, models unequal noise (the paper's section 5.1.2).

    Parameters
    ----------
    residuals : array of shape (n,)
        Targets minus fitted values.
    floor : float
        Residuals below this fraction of :math:`\hat\sigma` count as that large, so that no weight
        exceeds 1 / floor: an instance that happens to be fitted exactly would otherwise have an
        infinite weight. 0 is the paper's formula.

    Returns
    -------
    ndarray of shape (n,)
        Positive weights; all are 1 if all residuals are zero, which tells nothing about noise.

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path
       algorithm for instance-weighted support vector machines. Machine Learning 88, 2012.

    Examples
    --------
    >>> from weightpath.weights import heteroscedastic
    >>> heteroscedastic([1.0, -1.0, 7.0, 7.0])
    array([5.        , 5.        , 0.71428571, 0.71428571])
    """
    size = np.abs(np.asarray(residuals, dtype=float))
    if size.ndim != 1 or size.size == 0:
        raise ValueError(f"residuals must be a non-empty vector; got shape {size.shape}.")
    if not np.isfinite(size).all():
        first = np.flatnonzero(~np.isfinite(size))[0]
        raise ValueError(f"residuals must be finite; residual {first} is not.")
    if not (np.isfinite(floor) and floor >= 0):
        raise ValueError(f"floor must be finite and not negative; got {floor}.")
    largest = size.max()
    if largest == 0:
        return np.ones(size.size)
    # Relative to the largest, so that squares neither overflow nor vanish.
    size = size / largest
    sigma = np.sqrt(np.mean(size**2))
    size = np.maximum(size, floor * sigma)
    with np.errstate(divide="ignore", over="ignore"):
        weights: NDArray[np.float64] = sigma / size
    if not np.isfinite(weights).all():
        first = np.flatnonzero(~np.isfinite(weights))[0]
        raise ValueError(
            f"Residual {first} vanishes, so that its weight would be infinite: use floor > 0."
        )
    return weights
