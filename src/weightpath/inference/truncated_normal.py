r"""A normal distribution that is cut down to a union of intervals, right far into its tails.

Everything is computed from logarithms of masses. The mass of an interval on which the density
hardly changes is a Gauss-Legendre sum; that of any other is a difference of two values of
:func:`scipy.special.log_ndtr`, taken on the side of the mean on which the interval lies, so that
nothing cancels. Values below and above a point are summed separately: neither is one minus the
other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr, logsumexp

__all__ = ["TruncatedNormal", "log_masses"]

Reals = NDArray[np.float64]

# Nodes and weights on [0, 1]. On an interval over which the exponent of the density changes by no
# more than one, so many nodes integrate it to rounding.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS
_CHANGE = 1.0

# The mean is searched for as far as this from the point, in standard deviations of the normal.
_FARTHEST = 1e8

_LOG_ROOT = 0.5 * np.log(2.0 * np.pi)


def log_masses(low: Reals, high: Reals) -> Reals:
    """Return the logarithms of the masses of intervals under the standard normal distribution.

    Parameters
    ----------
    low, high : ndarray of shape (k,)
        The ends, which may be infinite; ``low <= high``.
    """
    # An interval whose middle is above zero is reflected: its mass is in the lower tail.
    turn = low + high > 0.0
    low, high = np.where(turn, -high, low), np.where(turn, -low, high)
    found = np.full(low.shape, -np.inf)
    with np.errstate(invalid="ignore"):
        width = high - low
        change = width * np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
    narrow = (width > 0.0) & (change <= _CHANGE)
    if narrow.any():
        point = low[narrow, None] + width[narrow, None] * _NODES
        exponent = -0.5 * point * point
        found[narrow] = (
            logsumexp(exponent, b=_WEIGHTS, axis=1) + np.log(width[narrow]) - _LOG_ROOT
        )
    wide = (width > 0.0) & ~narrow
    if wide.any():
        upper, lower = log_ndtr(high[wide]), log_ndtr(low[wide])
        found[wide] = upper + np.log1p(-np.exp(lower - upper))
    return found


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

    def log_sides(self, mean: float) -> tuple[float, float]:
        """Return the logarithms of the masses below and above the point, before scaling to one."""
        low, high = self.intervals.T
        below = low < self.point, low, np.minimum(high, self.point)
        above = high > self.point, np.maximum(low, self.point), high
        sides = []
        for there, left, right in (below, above):
            ends = ((end[there] - mean) / self.scale for end in (left, right))
            masses = log_masses(*ends)
            sides.append(float(logsumexp(masses)) if masses.size else -np.inf)
        return sides[0], sides[1]

    def log_total(self, mean: float) -> float:
        """Return the logarithm of the mass of all intervals."""
        return float(np.logaddexp(*self.log_sides(mean)))

    def two_sided(self, mean: float = 0.0) -> float:
        """Return twice the smaller of the probabilities below and above the point."""
        below, above = self.log_sides(mean)
        smaller = min(below, above) - np.logaddexp(below, above)
        return float(min(1.0, 2.0 * np.exp(smaller)))

    def log_odds(self, mean: float) -> float:
        """Return the logarithm of the mass below over the mass above; it falls with the mean."""
        below, above = self.log_sides(mean)
        if below == above:
            return 0.0
        return below - above

    def mean_at(self, probability: float) -> float:
        """Return the mean with which the point has so much probability below it.

        It is infinite where no mean within reach has: where the point is at an end of all
        intervals.
        """
        wanted = float(np.log(probability) - np.log1p(-probability))
        step = self.scale
        # The log-odds fall as the mean rises.
        sign = 1.0 if self.log_odds(self.point) > wanted else -1.0
        near, far = self.point, self.point + sign * step
        while sign * (self.log_odds(far) - wanted) > 0.0:
            step *= 2.0
            if step > _FARTHEST * self.scale:
                return sign * np.inf
            near, far = far, self.point + sign * step
        if near == far:
            return far
        ends = sorted((near, far))
        return float(
            brentq(
                lambda mean: np.clip(self.log_odds(mean) - wanted, -1e300, 1e300),
                *ends,
                xtol=1e-13 * max(self.scale, abs(self.point)),
                rtol=8.9e-16,
                maxiter=500,
            )
        )
