r"""A normal distribution that is cut down to a union of intervals, right far into its tails.

Everything is computed from logarithms of masses. The mass of an interval on which the density
hardly changes is a Gauss-Legendre sum; that of any other is a difference of two values of
:func:`scipy.special.log_ndtr`, taken on the side of the mean on which the interval lies, so that
nothing cancels. Values below and above a point are summed separately: neither is one minus the
other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import erfc, exp, inf, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtri

__all__ = ["TruncatedNormal", "log_mass"]

Reals = NDArray[np.float64]

# Nodes and weights on [0, 1]. On an interval over which the exponent of the density changes by no
# more than one, so many nodes integrate it to rounding.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_RULE = list(zip((0.5 * (_NODES + 1.0)).tolist(), (0.5 * _WEIGHTS).tolist(), strict=True))
_CHANGE = 1.0

# The mean is searched for as far as this from the point, in standard deviations of the normal.
_FARTHEST = 1e8

# Below this the complementary error function of the library is subnormal or zero.
_DEEP = -35.0

_LOG_ROOT = 0.5 * log(2.0 * pi)
_ROOT_HALF = sqrt(0.5)


def _log_below(x: float) -> float:
    """Return the logarithm of the mass below ``x`` under the standard normal distribution."""
    return log(0.5 * erfc(-x * _ROOT_HALF)) if x > _DEEP else float(log_ndtr(x))


def log_mass(low: float, high: float) -> float:
    """Return the logarithm of the mass of an interval under the standard normal distribution.

    Parameters
    ----------
    low, high : float
        Its ends, which may be infinite; an interval without a length has no mass.
    """
    # Numbers, not arrays: unions have few intervals, and this is asked for very often.
    if not high > low:
        return -inf
    if low + high > 0.0:
        # An interval whose middle is above zero is reflected: its mass is in the lower tail.
        low, high = -high, -low
    width = high - low
    if width * max(1.0, -low) <= _CHANGE:
        middle = low + 0.5 * width
        total = sum(
            weight * exp(-0.5 * (offset * (offset + 2.0 * middle)))
            for node, weight in _RULE
            for offset in ((node - 0.5) * width,)
        )
        return log(total * width) - 0.5 * middle * middle - _LOG_ROOT
    upper = _log_below(high)
    if low == -inf:
        return upper
    return upper + log1p(-exp(_log_below(low) - upper))


def _log_sum(logarithms: list[float]) -> float:
    """Return the logarithm of a sum."""
    if len(logarithms) == 1:
        return logarithms[0]
    largest = max(logarithms, default=-inf)
    if largest == -inf:
        return -inf
    return largest + log(sum(exp(one - largest) for one in logarithms))


@dataclass(frozen=True, eq=False)
class TruncatedNormal:
    """A point of a normal distribution that is cut down to a union of intervals.

    Attributes
    ----------
    intervals : ndarray of shape (k, 2)
        Their ends, in order; they do not overlap.
    point : float
        A point in one of them.
    scale : float
        The standard deviation of the normal distribution before it is cut down.
    """

    intervals: Reals
    point: float
    scale: float

    @cached_property
    def _sides(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """The intervals below and above the point."""
        low, high = self.intervals.T
        below, above = low < self.point, high > self.point
        return (
            list(zip(low[below].tolist(), np.minimum(high, self.point)[below].tolist(), strict=True)),
            list(zip(np.maximum(low, self.point)[above].tolist(), high[above].tolist(), strict=True)),
        )

    def log_sides(self, mean: float) -> tuple[float, float]:
        """Return the logarithms of the masses below and above the point, before scaling to one."""
        scale, (below, above) = self.scale, self._sides
        return (
            _log_sum([log_mass((a - mean) / scale, (b - mean) / scale) for a, b in below]),
            _log_sum([log_mass((a - mean) / scale, (b - mean) / scale) for a, b in above]),
        )

    def log_total(self, mean: float) -> float:
        """Return the logarithm of the mass of all intervals."""
        return _log_sum(list(self.log_sides(mean)))

    def two_sided(self, mean: float = 0.0) -> float:
        """Return twice the smaller of the probabilities below and above the point."""
        sides = self.log_sides(mean)
        return min(1.0, 2.0 * exp(min(sides) - _log_sum(list(sides))))

    def log_odds(self, mean: float) -> float:
        """Return the logarithm of the mass below over the mass above; it falls with the mean."""
        below, above = self.log_sides(mean)
        return 0.0 if below == above else min(max(below - above, -1e300), 1e300)

    def mean_at(self, probability: float) -> float:
        """Return the mean with which the point has so much probability below it.

        It is infinite where no mean within reach has: where the point is at an end of all
        intervals.
        """
        wanted = float(np.log(probability) - np.log1p(-probability))
        # The log-odds fall as the mean rises. Without truncation the mean is where the search
        # begins, as far from the point as a normal quantile.
        near = self.point - float(ndtri(probability)) * self.scale
        sign = 1.0 if self.log_odds(near) > wanted else -1.0
        step = 0.5 * self.scale
        far = near + sign * step
        while sign * (self.log_odds(far) - wanted) > 0.0:
            step *= 3.0
            if step > _FARTHEST * self.scale:
                return sign * np.inf
            near, far = far, far + sign * step
        ends = sorted((near, far))
        return float(
            brentq(
                lambda mean: self.log_odds(mean) - wanted,
                *ends,
                xtol=1e-13 * max(self.scale, abs(self.point)),
                rtol=8.9e-16,
                maxiter=500,
            )
        )
