r"""A normal distribution that is cut down to a union of intervals, right far into its tails.

Everything is computed from logarithms of masses. The mass of an interval on which the density
hardly changes is a Gauss-Legendre sum; that of any other is a difference of two values of the
distribution function, as logarithms, taken on the side of the mean on which the interval lies, so
that nothing cancels. Masses below and above a point are summed separately: neither is one minus the
other.
"""

import numpy as np

from libc.math cimport INFINITY, erfc, exp, fabs, isfinite, log, log1p, sqrt

from scipy.special.cython_special cimport log_ndtr, ndtri

# Nodes and weights on [0, 1]. On an interval over which the exponent of the density changes by no
# more than one, so many nodes integrate it to rounding.
cdef enum:
    N_NODES = 12
cdef double[::1] NODES, WEIGHTS
cdef double CHANGE = 1.0

# The mean is searched for as far as this from the point, in standard deviations of the normal.
cdef double FARTHEST = 1e8

# Steps of a search: with halves alone more than enough for all digits.
cdef int MOST_STEPS = 400

# Below this the complementary error function of the library is subnormal or zero.
cdef double DEEP = -35.0

cdef double LOG_ROOT = 0.5 * log(2.0 * 3.141592653589793)
cdef double ROOT_HALF = sqrt(0.5)

_nodes, _weights = np.polynomial.legendre.leggauss(N_NODES)
NODES, WEIGHTS = 0.5 * _nodes, 0.5 * _weights


cdef double _log_below(double x) noexcept nogil:
    """The logarithm of the mass below ``x`` under the standard normal distribution."""
    return log(0.5 * erfc(-x * ROOT_HALF)) if x > DEEP else log_ndtr(x)


cdef double _log_mass(double low, double high) noexcept nogil:
    cdef double width, middle, offset, total = 0.0, upper
    cdef int k
    if not high > low:
        return -INFINITY
    if low + high > 0.0:
        # An interval whose middle is above zero is reflected: its mass is in the lower tail.
        low, high = -high, -low
    width = high - low
    if width * max(1.0, -low) <= CHANGE:
        middle = low + 0.5 * width
        for k in range(N_NODES):
            offset = NODES[k] * width
            total += WEIGHTS[k] * exp(-0.5 * offset * (offset + 2.0 * middle))
        return log(total * width) - 0.5 * middle * middle - LOG_ROOT
    upper = _log_below(high)
    if low == -INFINITY:
        return upper
    return upper + log1p(-exp(_log_below(low) - upper))


def log_mass(double low, double high):
    """Return the logarithm of the mass of an interval under the standard normal distribution.

    Parameters
    ----------
    low, high : float
        Its ends, which may be infinite; an interval without a length has no mass.
    """
    return _log_mass(low, high)


cdef double _log_add(double one, double other) noexcept nogil:
    cdef double larger = max(one, other), smaller = min(one, other)
    return larger if smaller == -INFINITY else larger + log1p(exp(smaller - larger))


cdef double _density_over(double x, double log_total) noexcept nogil:
    """The density of the standard normal distribution over a mass."""
    return exp(min(700.0, -0.5 * x * x - LOG_ROOT - log_total)) if isfinite(x) else 0.0


cdef class TruncatedNormal:
    """A point of a normal distribution that is cut down to a union of intervals.

    Parameters
    ----------
    intervals : ndarray of shape (k, 2)
        Their ends, in order; they do not overlap.
    point : float
        A point in one of them.
    scale : float
        The standard deviation of the normal distribution before it is cut down.
    """

    def __init__(self, intervals, double point, double scale):
        self.intervals = np.ascontiguousarray(intervals, dtype=np.float64)
        self.ends = self.intervals
        self.point, self.scale = point, scale

    def log_sides(self, double mean):
        """Return the logarithms of the masses below and above the point, before scaling to one."""
        cdef double below, above
        self._sides(mean, &below, &above)
        return below, above

    def log_total(self, double mean):
        """Return the logarithm of the mass of all intervals."""
        cdef double below, above
        self._sides(mean, &below, &above)
        return _log_add(below, above)

    def two_sided(self, double mean=0.0):
        """Return twice the smaller of the probabilities below and above the point."""
        cdef double below, above
        self._sides(mean, &below, &above)
        return min(1.0, 2.0 * exp(min(below, above) - _log_add(below, above)))

    def mean_at(self, double probability):
        """Return the mean with which the point has so much probability below it.

        It is infinite where no mean within reach has: where the point is at an end of all
        intervals.
        """
        # The log-odds fall as the mean rises. Newton's steps within a bracket, which grows while
        # one end is open. Without truncation the mean is as far away as a normal quantile.
        cdef double wanted = log(probability) - log1p(-probability), step = self.scale
        cdef double mean = self.point - ndtri(probability) * self.scale, ahead, close
        cdef double low = -INFINITY, high = INFINITY, left, right, odds, slope
        cdef double below, above, down, up
        cdef int _
        for _ in range(MOST_STEPS):
            self._side(mean, -1, &below, &down)
            self._side(mean, 1, &above, &up)
            odds, slope = 0.0 if below == above else below - above, down - up
            if odds == wanted:
                return mean
            if odds > wanted:
                low = mean
            else:
                high = mean
            close = max(1e-15 * max(self.scale, fabs(self.point)), 4e-16 * fabs(mean))
            if high - low <= close:
                return mean
            if fabs(mean - self.point) >= FARTHEST * self.scale:
                return INFINITY if odds > wanted else -INFINITY
            ahead = mean + (wanted - odds) / slope if slope < 0.0 and isfinite(odds) else INFINITY
            if fabs(ahead - mean) <= close:
                return ahead
            step *= 2.0
            left = low if low > -INFINITY else mean - step
            right = high if high < INFINITY else mean + step
            if not left < ahead < right:
                if low > -INFINITY and high < INFINITY:
                    ahead = 0.5 * (left + right)
                else:
                    ahead = right if odds > wanted else left
            mean = ahead
        return mean

    cdef int _side(self, double mean, int side, double* log_total, double* slope) noexcept nogil:
        """The logarithm of the mass on one side of the point; how fast it changes with the mean.

        The second is for steps of a search: it cancels where intervals are narrow.
        """
        cdef Py_ssize_t k
        cdef double low, high, total = -INFINITY
        slope[0] = 0.0
        for k in range(self.ends.shape[0]):
            low, high = self._cut(k, side, mean)
            total = _log_add(total, _log_mass(low, high))
        log_total[0] = total
        if total == -INFINITY:
            return 0
        for k in range(self.ends.shape[0]):
            low, high = self._cut(k, side, mean)
            if high > low:
                slope[0] += (_density_over(low, total) - _density_over(high, total)) / self.scale
        return 0

    cdef int _sides(self, double mean, double* below, double* above) noexcept nogil:
        cdef double slope
        self._side(mean, -1, below, &slope)
        self._side(mean, 1, above, &slope)
        return 0

    cdef (double, double) _cut(self, Py_ssize_t k, int side, double mean) noexcept nogil:
        # What of an interval is on one side of the point, seen from the mean.
        cdef double low = self.ends[k, 0], high = self.ends[k, 1]
        if side < 0:
            high = min(high, self.point)
        else:
            low = max(low, self.point)
        return (low - mean) / self.scale, (high - mean) / self.scale
