# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The bounds of a bias that is free, on one segment: envelopes of one line for each row."""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite


cdef class BiasBounds:
    """The lines that bound the bias, and their envelopes.

    Parameters
    ----------
    start, end : Staircase
        The problem at theta = 0 and theta = 1.
    low, high : ndarray of shape (n, n_knots)
        The levels, as indices, that bound the residual at each knot.
    noise : float
        Differences below this fraction of the largest bound are rounding errors.
    """

    cdef const double[::1] target0, target1
    cdef const double[:, ::1] levels0, levels1
    cdef const Py_ssize_t[:, ::1] low, high
    cdef double[::1] value, slope
    cdef double noise

    def __init__(self, start, end, low, high, double noise):
        self.target0 = np.ascontiguousarray(start.target)
        self.target1 = np.ascontiguousarray(end.target)
        self.levels0 = np.ascontiguousarray(start.levels)
        self.levels1 = np.ascontiguousarray(end.levels)
        self.low = np.ascontiguousarray(low, dtype=np.intp)
        self.high = np.ascontiguousarray(high, dtype=np.intp)
        self.value = np.empty(len(start))
        self.slope = np.empty(len(start))
        self.noise = noise

    def envelope(self, const double[:, ::1] response, const Py_ssize_t[::1] knot, double theta,
                 double rest, double length, int sign):
        """Return where the tightest bound changes on [0, length], its values there and its slopes.

        Parameters
        ----------
        response : ndarray of shape (2, n)
            ``K k`` with the knots of the rows at theta = 0 and theta = 1.
        knot : ndarray of shape (n,)
            The knot at which each row stands.
        theta, rest, length : float
            Where the segment begins, ``1 - theta`` with all its digits, and how long it is.
        sign : {1, -1}
            1 for the largest of the lower bounds, -1 for the smallest of the upper ones.
        """
        cdef Py_ssize_t i, k, n = knot.shape[0], count = 0, best
        cdef double gap0, gap1, a, b, tolerance, largest = 0.0, here = 0.0
        for i in range(n):
            k = self.high[i, knot[i]] if sign > 0 else self.low[i, knot[i]]
            a, b = self.levels0[i, k], self.levels1[i, k]
            if not isfinite(a):
                continue
            gap0 = self.target0[i] - response[0, i]
            gap1 = self.target1[i] - response[1, i]
            self.value[count] = sign * (rest * (gap0 - a) + theta * (gap1 - b))
            self.slope[count] = sign * ((gap1 - gap0) - (b - a))
            largest = max(largest, fabs(self.value[count]),
                          fabs(self.value[count] + length * self.slope[count]))
            count += 1
        if count == 0:
            return None
        tolerance = self.noise * largest
        best = self.first(count, tolerance)
        at, line = [0.0], [best]
        while True:
            best = self.next(count, best, length, tolerance, &here)
            if best < 0:
                break
            at.append(max(at[len(at) - 1], here))
            line.append(best)
        where = np.array(at)
        slope = np.asarray(self.slope)[line]
        value = np.asarray(self.value)[line] + where * slope
        return where, sign * value, sign * slope

    def tightest(self, const double[:, ::1] response, const Py_ssize_t[::1] knot, double theta,
                 double rest, int sign):
        """Return the tightest bound at one theta, infinite if there is none; see `envelope`."""
        cdef Py_ssize_t i, k
        cdef double a, b, bound, found = -INFINITY
        for i in range(knot.shape[0]):
            k = self.high[i, knot[i]] if sign > 0 else self.low[i, knot[i]]
            a, b = self.levels0[i, k], self.levels1[i, k]
            if isfinite(a):
                bound = sign * (rest * (self.target0[i] - response[0, i] - a)
                                + theta * (self.target1[i] - response[1, i] - b))
                found = max(found, bound)
        return sign * found

    cdef Py_ssize_t first(self, Py_ssize_t count, double tolerance) noexcept:
        """The largest line at 0; of equal ones the steepest."""
        cdef Py_ssize_t i, best = -1
        cdef double most = -INFINITY
        for i in range(count):
            most = max(most, self.value[i])
        for i in range(count):
            if self.value[i] >= most - tolerance and (
                    best < 0 or self.slope[i] > self.slope[best]):
                best = i
        return best

    cdef Py_ssize_t next(self, Py_ssize_t count, Py_ssize_t best, double length,
                         double tolerance, double* where) noexcept:
        """The line that first rises above ``best``; of those that do it at once the steepest."""
        cdef Py_ssize_t i, found = -1
        cdef double cross, soonest = INFINITY
        cdef double reach = self.value[best] + length * self.slope[best] + tolerance
        for i in range(count):
            if self.slope[i] > self.slope[best] and self.value[i] + length * self.slope[i] > reach:
                cross = (self.value[best] - self.value[i]) / (self.slope[i] - self.slope[best])
                soonest = min(soonest, cross)
        if soonest == INFINITY:
            return -1
        for i in range(count):
            if self.slope[i] > self.slope[best] and self.value[i] + length * self.slope[i] > reach:
                cross = (self.value[best] - self.value[i]) / (self.slope[i] - self.slope[best])
                if cross <= soonest + self.noise * length and (
                        found < 0 or self.slope[i] > self.slope[found]):
                    found = i
        where[0] = soonest
        return found
