r"""Gains and discounts of the normalised discounted cumulative gain.

For a row of relevance :math:`y` and rank :math:`j`, counted from 1, the conventions are

=============  ====================  ===================================================
"sklearn"      :math:`y`             :math:`1 / \log_2(j + 1)`, as
                                     :func:`sklearn.metrics.ndcg_score`
"exponential"  :math:`2^y - 1`       :math:`1 / \log_2(j + 1)`
"paper"        :math:`2^y - 1`       :math:`1 / \max(1, \log_2 j)`: no discount for the first two
                                     ranks, as in [1]_
=============  ====================  ===================================================

References
----------
.. [1] M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path
   algorithm for instance-weighted support vector machines. Machine Learning 88, 2012,
   section 5.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONVENTIONS", "Convention"]


@dataclass(frozen=True)
class Convention:
    """How relevance and rank count.

    Parameters
    ----------
    gain : callable
        From relevance to gain, array to array.
    discount : callable
        From ranks, counted from 1, to discounts.
    """

    gain: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    discount: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _relevance(y: NDArray[np.float64]) -> NDArray[np.float64]:
    return y


def _exponential(y: NDArray[np.float64]) -> NDArray[np.float64]:
    if y.max() > 1000:
        raise ValueError(
            f"A relevance of {y.max():g} is too large for gains 2**y - 1: use "
            "convention='sklearn', whose gain is y, or smaller grades."
        )
    return np.asarray(np.expm1(y * np.log(2.0)))


def _next_logarithm(place: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / np.log2(place + 1.0)


def _late_logarithm(place: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / np.maximum(1.0, np.log2(place))


CONVENTIONS = {
    "sklearn": Convention(_relevance, _next_logarithm),
    "exponential": Convention(_exponential, _next_logarithm),
    "paper": Convention(_exponential, _late_logarithm),
}
