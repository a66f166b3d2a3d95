"""Where each row is on consecutive segments of a path: at a knot, or on the margin.

Beside it stands what follows from the knots: the bounds of each response, the sums of coefficients,
and what the rows that came or went may have left in the kernel sums.
"""

cimport cython

import numpy as np

from libc.math cimport INFINITY, fabs, isinf

from weightpath.path._violations cimport ProblemLine
from weightpath.problems._position cimport is_free, knot_of


def add_columns(const double[:, ::1] K, const Py_ssize_t[::1] slot, const double[:, ::1] coef,
                double[:, ::1] share):
    """Add rows of ``K`` times coefficients of shape (2, len(slot)) to ``share``, (2, n)."""
    if slot.shape[0]:
        wp_add_columns(K.shape[1], &K[0, 0], slot.shape[0], &slot[0], &coef[0, 0], &coef[1, 0],
                       &share[0, 0], &share[1, 0])


@cython.final
cdef class SegmentSets:
    """The sets of one segment after the other.

    Parameters
    ----------
    line : ProblemLine
        The problems along the path.
    record : Record
        The path.
    """

    def __init__(self, ProblemLine line, record):
        cdef Py_ssize_t i, n = line.n
        self.line = line
        self._offset, self._member = record.offset, record.member
        self._event_count, self._event_index = record.event_count, record.event_index
        self._event_to = record.event_to
        self._position = record.initial_position.copy()
        self.knot, self._mark = (np.full(n, -1, dtype=np.int64) for _ in range(2))
        self.low, self.high = np.empty(n), np.empty(n)
        self.low_speed, self.high_speed = np.zeros(n), np.zeros(n)
        for i in range(n):
            self._put(i, self._knot_below(i))

    cdef void enter(self, Py_ssize_t s, const double* K, const Py_ssize_t* slot, double* share0,
                    double* share1) noexcept nogil:
        """Take the sets of segment ``s`` after those of the one before; the share, if given."""
        cdef Py_ssize_t e
        cdef Py_ssize_t events = self._event_count[s - 1] if s else 0
        cdef Py_ssize_t members = self._offset[s - 1] if s else 0
        for e in range(self._offset[s], self._offset[s + 1]):
            self._mark[self._member[e]] = s
        for e in range(events, self._event_count[s]):
            self._position[self._event_index[e]] = self._event_to[e]
        for e in range(events, self._event_count[s]):
            self._settle(self._event_index[e], s, K, slot, share0, share1)
        for e in range(members, self._offset[s + 1]):
            self._settle(self._member[e], s, K, slot, share0, share1)

    cdef void _settle(self, Py_ssize_t i, Py_ssize_t s, const double* K, const Py_ssize_t* slot,
                      double* share0, double* share1) noexcept nogil:
        """Put a row where it is on segment ``s``: on the margin if the record lists it there."""
        cdef Py_ssize_t old = self.knot[i]
        cdef Py_ssize_t new = NO_KNOT if self._mark[i] == s else self._knot_below(i)
        cdef double by0 = 0.0, by1 = 0.0
        if old == new:
            return
        if old != NO_KNOT:
            by0 -= self.line.knots0[i, old]
            by1 -= self.line.knots1[i, old]
            self._count(i, old, -1.0)
        if new != NO_KNOT:
            by0 += self.line.knots0[i, new]
            by1 += self.line.knots1[i, new]
            self._count(i, new, 1.0)
        self._put(i, new)
        self.carried0 += fabs(by0) * self.line.kappa[i]
        self.carried1 += fabs(by1) * self.line.kappa[i]
        if share0 != NULL and (by0 != 0.0 or by1 != 0.0):
            wp_add_columns(self.line.n, K, 1, &slot[i], &by0, &by1, share0, share1)

    cdef Py_ssize_t _knot_below(self, Py_ssize_t i) noexcept nogil:
        """The knot of a row that is not on the margin; of a free one the knot below, or the first.
        """
        cdef Py_ssize_t position = self._position[i]
        cdef Py_ssize_t knot = knot_of(position) - (1 if is_free(position) else 0)
        return min(max(knot, 0), self.line.m - 1)

    cdef void _put(self, Py_ssize_t i, Py_ssize_t knot) noexcept nogil:
        """Put a row at a knot, or on the margin: the bounds of its response with the bias."""
        self.knot[i] = knot
        self.low[i], self.high[i] = -INFINITY, INFINITY
        self.low_speed[i] = self.high_speed[i] = 0.0
        if knot != NO_KNOT:
            self._bound(i, knot + 1, &self.low[i], &self.low_speed[i])
            self._bound(i, knot, &self.high[i], &self.high_speed[i])

    cdef void _bound(self, Py_ssize_t i, Py_ssize_t level, double* bound,
                     double* speed) noexcept nogil:
        """The response with the bias at which a residual meets a level; an infinite one is none."""
        if not isinf(self.line.levels0[i, level]):
            bound[0] = self.line.target0[i] - self.line.levels0[i, level]
            speed[0] = self.line.target1[i] - self.line.levels1[i, level] - bound[0]

    cdef void _count(self, Py_ssize_t i, Py_ssize_t knot, double times) noexcept nogil:
        """Count a knot in the sums."""
        cdef double knot0 = self.line.knots0[i, knot], knot1 = self.line.knots1[i, knot]
        self.sum0 += times * knot0
        self.sum1 += times * knot1
        self.terms0 += times * fabs(knot0) * self.line.kappa[i]
        self.terms1 += times * fabs(knot1) * self.line.kappa[i]
        if (knot0 >= 0.0 and knot1 >= 0.0) or (knot0 <= 0.0 and knot1 <= 0.0):
            # Between the ends the absolute value is on a straight line.
            self.size0 += times * fabs(knot0)
            self.size1 += times * fabs(knot1)

    cdef bint is_within(self, Py_ssize_t i, double sums, double theta, double slack) noexcept nogil:
        """Whether a response with the bias is within its bounds, or beyond by no more than that."""
        return (sums >= self.low[i] + theta * self.low_speed[i] - slack
                and sums <= self.high[i] + theta * self.high_speed[i] + slack)

    cdef void sum_up(self) noexcept nogil:
        """Sum up all knots afresh."""
        cdef Py_ssize_t i
        self.sum0 = self.sum1 = 0.0
        self.size0 = self.size1 = self.terms0 = self.terms1 = 0.0
        for i in range(self.line.n):
            if self.knot[i] != NO_KNOT:
                self._count(i, self.knot[i], 1.0)
