# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The bounds of a bias that is free: envelopes of one line for each row, segment by segment."""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int64_t
from weightpath.record._knot_sums cimport KnotSums

cdef enum:
    # The two bounds of the bias: the largest of the lower ones, the smallest of the upper ones. A
    # smallest line is found as the largest of those turned upside down.
    LOWER = 0
    UPPER = 1


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
    cdef double[:, :, ::1] at0, at1     # the levels at each knot that a bound depends on
    cdef double[:, ::1] value, slope    # the lines of each bound
    cdef Py_ssize_t[2] count            # how many they are
    cdef double[2] largest, highest     # their largest size, the largest at 0
    cdef double[:, ::1] begin           # where each piece of a bound begins
    cdef Py_ssize_t[:, ::1] line        # the line that it is a piece of
    cdef Py_ssize_t[2] n_pieces
    cdef double noise

    def __init__(self, start, end, low, high, double noise):
        row = np.arange(len(start))[:, None]
        index = [np.asarray(levels, dtype=np.intp) for levels in (high, low)]
        self.target0, self.target1 = start.target, end.target
        self.levels0, self.levels1 = start.levels, end.levels
        self.at0 = np.stack([start.levels[row, levels] for levels in index])
        self.at1 = np.stack([end.levels[row, levels] for levels in index])
        self.value, self.slope = np.empty((2, len(start))), np.empty((2, len(start)))
        self.begin = np.empty((2, len(start)))
        self.line = np.empty((2, len(start)), dtype=np.intp)
        self.noise = noise

    def along(self, KnotSums sums, record, segments, is_free):
        """Return the middle between both bounds on some segments, and both where others begin.

        Parameters
        ----------
        sums : KnotSums
            Kernel sums of the path.
        record : Record
            The path.
        segments : ndarray of int
            Which segments, increasing.
        is_free : ndarray of bool
            Of each of them, whether the bias is free on all of it, or where it begins.

        Returns
        -------
        count : ndarray of shape (n_free,)
            How many pieces the middle has on each free segment.
        pieces : ndarray of shape (n_pieces, 3)
            How far from the left end of its segment each begins, its value there, its slope.
        points : ndarray of shape (n_others, 3)
            Where the others begin: the lower bound, the upper bound (infinite if there is none),
            and the largest target or level; if there is none, the largest kernel sum.
        """
        cdef const double[::1] theta = record.theta, rest = record.rest, length = record.lengths()
        cdef const int64_t[::1] segment = np.ascontiguousarray(segments, dtype=np.int64)
        cdef const unsigned char[::1] free = np.ascontiguousarray(is_free, dtype=np.uint8)
        cdef Py_ssize_t c, s
        cdef double here
        cdef list count = [], pieces = [], points = []
        for c in range(segment.shape[0]):
            s = segment[c]
            sums.go_to(s)
            if free[c]:
                self.gather(sums.sums, sums.knot, theta[s], rest[s], length[s])
                count.append(self.add_middle(length[s], pieces))
            else:
                # At this very double, as a reader of the path takes the problem: `rest` may have
                # more digits, and a bias that changes fast would be that of another problem.
                here = theta[s]
                self.gather(sums.sums, sums.knot, here, 1.0 - here, 0.0)
                points.append((self.highest[LOWER], -self.highest[UPPER],
                               self.scale_at(sums.sums, here)))
        return (np.array(count, dtype=np.int64), np.array(pieces).reshape(-1, 3),
                np.array(points).reshape(-1, 3))

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
            1 for the largest of the lower bounds, -1 for the smallest of the upper ones, 0 for the
            middle between both.

        Returns
        -------
        tuple of three arrays, or None if there is no such bound
            The middle of an unbounded interval is its finite end, and zero if it has none.
        """
        cdef Py_ssize_t p, side = LOWER if sign > 0 else UPPER
        self.gather(response, knot, theta, rest, length)
        pieces = []
        if sign == 0:
            self.add_middle(length, pieces)
        else:
            self.trace(side, length)
            for p in range(self.n_pieces[side]):
                begin, slope = self.begin[side, p], self.slope[side, self.line[side, p]]
                pieces.append((begin, sign * self.height(side, p, begin), sign * slope))
        return tuple(np.array(pieces).T) if pieces else None

    cdef void gather(self, const double[:, ::1] response, const Py_ssize_t[::1] knot,
                     double theta, double rest, double length) noexcept:
        """The lines of all rows, for both bounds."""
        cdef Py_ssize_t i, k, c, side
        cdef double gap0, gap1, a, b, value, slope, sign
        for side in range(2):
            self.count[side] = 0
            self.largest[side] = 0.0
            self.highest[side] = -INFINITY
        for i in range(knot.shape[0]):
            k = knot[i]
            gap0 = self.target0[i] - response[0, i]
            gap1 = self.target1[i] - response[1, i]
            for side in range(2):
                a, b = self.at0[side, i, k], self.at1[side, i, k]
                if not isfinite(a):
                    continue
                sign = 1.0 if side == LOWER else -1.0
                value = sign * (rest * (gap0 - a) + theta * (gap1 - b))
                slope = sign * ((gap1 - gap0) - (b - a))
                c = self.count[side]
                self.value[side, c] = value
                self.slope[side, c] = slope
                self.count[side] = c + 1
                self.largest[side] = max(self.largest[side], fabs(value),
                                         fabs(value + length * slope))
                self.highest[side] = max(self.highest[side], value)

    cdef Py_ssize_t add_middle(self, double length, list pieces) except -1:
        """Add the pieces of the middle to a list: where each begins, its value there, its slope.

        The middle of an unbounded interval is its end, and zero if it has none: the counterpart of
        ``middle`` in ``bias.py``. Returns how many pieces there are.
        """
        cdef Py_ssize_t side, p, count = 0, n_sides = 0
        cdef Py_ssize_t[2] piece
        cdef double here = 0.0, soonest, value, slope, sign
        for side in range(2):
            self.trace(side, length)
            piece[side] = 0
            n_sides += self.n_pieces[side] > 0
        while count == 0 or here < length:
            value = slope = 0.0
            soonest = INFINITY
            for side in range(2):
                if self.n_pieces[side] == 0:
                    continue
                sign = 1.0 if side == LOWER else -1.0
                p = piece[side]
                while p + 1 < self.n_pieces[side] and self.begin[side, p + 1] <= here:
                    p += 1
                piece[side] = p
                value += sign * self.height(side, p, here) / n_sides
                slope += sign * self.slope[side, self.line[side, p]] / n_sides
                if p + 1 < self.n_pieces[side]:
                    soonest = min(soonest, self.begin[side, p + 1])
            pieces.append((here, value, slope))
            count += 1
            here = soonest
        return count

    cdef double height(self, Py_ssize_t side, Py_ssize_t p, double where) noexcept:
        """The value of a piece of a bound (of the upper one turned upside down)."""
        cdef Py_ssize_t i = self.line[side, p]
        cdef double first = self.value[side, i] + self.begin[side, p] * self.slope[side, i]
        return first + (where - self.begin[side, p]) * self.slope[side, i]

    cdef void trace(self, Py_ssize_t side, double length) noexcept:
        """Find the pieces of a bound."""
        cdef Py_ssize_t best = -1, p = 0
        cdef double tolerance = self.noise * self.largest[side], at = 0.0, here = 0.0
        if self.count[side] > 0:
            best = self.first(side, tolerance)
        while best >= 0:
            # Each line is steeper than the one before, so there are no more pieces than lines.
            at = max(at, here)
            self.begin[side, p] = at
            self.line[side, p] = best
            p += 1
            best = self.next(side, best, length, tolerance, &here)
        self.n_pieces[side] = p

    cdef Py_ssize_t first(self, Py_ssize_t side, double tolerance) noexcept:
        """The largest line at 0; of equal ones the steepest."""
        cdef Py_ssize_t i, best = -1
        cdef double enough = self.highest[side] - tolerance
        cdef const double* value = &self.value[side, 0]
        cdef const double* slope = &self.slope[side, 0]
        for i in range(self.count[side]):
            if value[i] >= enough and (best < 0 or slope[i] > slope[best]):
                best = i
        return best

    cdef Py_ssize_t next(self, Py_ssize_t side, Py_ssize_t best, double length,
                         double tolerance, double* where) noexcept:
        """The line that first rises above ``best``; of those that do it at once the steepest."""
        cdef Py_ssize_t i, found = -1
        cdef const double* value = &self.value[side, 0]
        cdef const double* slope = &self.slope[side, 0]
        cdef double cross, soonest = INFINITY
        cdef double reach = value[best] + length * slope[best] + tolerance
        for i in range(self.count[side]):
            if value[i] + length * slope[i] > reach and slope[i] > slope[best]:
                cross = (value[best] - value[i]) / (slope[i] - slope[best])
                soonest = min(soonest, cross)
        if soonest == INFINITY:
            return -1
        for i in range(self.count[side]):
            if value[i] + length * slope[i] > reach and slope[i] > slope[best]:
                cross = (value[best] - value[i]) / (slope[i] - slope[best])
                if cross <= soonest + self.noise * length and (
                        found < 0 or slope[i] > slope[found]):
                    found = i
        where[0] = soonest
        return found

    cdef double scale_at(self, const double[:, ::1] response, double theta) noexcept:
        """The largest target or inner level; without any, the largest kernel sum."""
        cdef Py_ssize_t i, j, n = self.target0.shape[0]
        cdef double rest = 1.0 - theta, level, largest = 0.0
        for i in range(n):
            largest = max(largest, fabs(rest * self.target0[i] + theta * self.target1[i]))
            for j in range(1, self.levels0.shape[1] - 1):
                level = self.levels0[i, j]
                if isfinite(level):
                    largest = max(largest, fabs(rest * level + theta * self.levels1[i, j]))
        if largest > 0.0:
            return largest
        for i in range(n):
            largest = max(largest, fabs(rest * response[0, i] + theta * response[1, i]))
        return largest
