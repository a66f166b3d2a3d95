r"""The largest violation on consecutive segments, from kernel values and the record alone.

On a segment the coefficients of the margin move on straight lines and all others stay at their
knots, so that kernel sums are one column for each member of the margin beside the share of the
knots, which changes by one column at an event. A row at a knot is off by no more than its residual
is beyond the two levels there. One pass compares that with the largest violation so far, and only
rows that may exceed it are measured as :mod:`weightpath.path.certificate` says.
"""

cimport cython

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t

from weightpath import tolerances as _tolerances

from weightpath.path._segment_sets cimport NO_KNOT, SegmentSets
from weightpath.path._violations cimport ProblemLine

cdef extern from "segment_pass.h" nogil:
    ctypedef struct wp_place:
        double theta
        double bias
        double slack
        const double* margin
        const double* sums
        double* response
    enum:
        WP_PLACES
    int wp_pass(Py_ssize_t n, const double* K, Py_ssize_t m, const Py_ssize_t* slot,
                const double* share0, const double* share1, const double* low,
                const double* high, const double* low_speed, const double* high_speed,
                const wp_place* places, bint keeps)
    void wp_member_responses(Py_ssize_t n, const double* K, Py_ssize_t m, const Py_ssize_t* slot,
                             const double* share0, const double* share1, Py_ssize_t count,
                             const int64_t* member, const wp_place* places)

cdef double FRESH_AFTER_FALL = _tolerances.FRESH_AFTER_FALL
cdef double ROUNDED_AWAY = _tolerances.ROUNDED_AWAY


@cython.final
cdef class SegmentJudge:
    """Looks at the segments of a path, one after the other, for the largest violation.

    Parameters
    ----------
    start, end : Staircase
        The problem at both ends of the path.
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual.
    record : Record
        The path.
    interval : ndarray of int
        The interval that each margin entry of the record is free in.
    relative : bool
        Whether what is large at each theta is the unit there.

    Attributes
    ----------
    worst : float
        The largest violation so far; NaN if something is not a number.
    """

    cdef readonly double worst
    cdef ProblemLine _line
    cdef bint _relative, _moving
    cdef SegmentSets _sets
    cdef const double[::1] _theta, _rest, _bias, _bias_slope, _value, _slope
    cdef const int64_t[::1] _offset, _member, _interval
    # A row whose unit is large, which bounds the largest from below.
    cdef Py_ssize_t _lender
    # Of the present segment: slots of the margin, its coefficients in order and by row, responses.
    cdef Py_ssize_t[::1] _slot
    cdef double[:, ::1] _margin, _beta, _response
    cdef wp_place[WP_PLACES] _place

    def __init__(self, start, end, const double[::1] kappa, record, const int64_t[::1] interval,
                 bint relative):
        self.worst, self._relative, self._lender = 0.0, relative, -1
        self._line = ProblemLine(start, end, kappa)
        self._sets = SegmentSets(self._line, record)
        self._moving = ((start.target != end.target).any() or (start.levels != end.levels).any())
        self._theta, self._rest = record.theta, record.rest
        self._bias, self._bias_slope = record.bias, record.bias_slope
        self._offset, self._member, self._interval = record.offset, record.member, interval
        self._value, self._slope = record.value, record.slope
        n, widest = len(start), max(1, int(np.diff(record.offset).max(initial=0)))
        self._slot = np.empty(widest, dtype=np.intp)
        self._margin = np.empty((WP_PLACES, widest))
        self._beta, self._response = np.empty((WP_PLACES, n)), np.empty((WP_PLACES, n))

    def enter(self, Py_ssize_t segment):
        """Take the sets of a segment, after those of the one before.

        Returns
        -------
        ndarray of int, shape (n,)
            The knot of each row's coefficient; -1 on the margin.
        """
        self._sets.enter(segment, NULL, NULL, NULL, NULL)
        return np.array(self._sets.knot)

    def look_at(self, Py_ssize_t first, const double[:, ::1] theta, const double[:, ::1] scale,
                const double[:, ::1] K, const Py_ssize_t[::1] slot, double[:, ::1] share,
                const double[::1] carried, const double[:, :, ::1] margins=None):
        """Look at segments from ``first`` on, whose sets were entered.

        Parameters
        ----------
        first : int
        theta, scale : ndarray of shape (n_segments, 3)
            Where to look, and what is large there; zero where no target or level says it.
        K : ndarray of shape (n_slots, n)
            Kernel values, with the ridge, of some rows with all.
        slot : ndarray of shape (n,)
            Where in ``K`` a row is; every row that changes on these segments is there.
        share : ndarray of shape (2, n)
            Kernel sums of all rows that are not on the margin of the first segment, with their
            knots at theta = 0 and theta = 1. Changed: those of the last segment.
        carried : ndarray of shape (2,)
            By how much knots that came or went since the share was computed afresh could move a
            residual, in all, at theta = 0 and theta = 1.
        margins : ndarray of shape (3, n_segments, n), optional
            Kernel sums of the margins at all these theta; computed here if not given.

        Returns
        -------
        int
            The first segment that was not looked at: the one after the last, or one where the
            share should be computed afresh.
        """
        cdef Py_ssize_t s, k, p
        cdef double* share0 = &share[0, 0]
        cdef double* share1 = &share[1, 0]
        # An empty margin all along needs no kernel values.
        cdef const double* values = &K[0, 0] if K.shape[0] else NULL
        self._sets.sum_up()
        self._sets.carried0, self._sets.carried1 = carried[0], carried[1]
        with nogil:
            for k in range(theta.shape[0]):
                s = first + k
                if k > 0:
                    self._sets.enter(s, values, &slot[0], share0, share1)
                # Segments whose ends have more digits than theta are not looked at.
                if self._rest[s] != 1.0 - self._theta[s]:
                    continue
                self._prepare(s, &theta[k, 0], &scale[k, 0], &slot[0])
                if self._is_stale(s):
                    break
                for p in range(WP_PLACES):
                    self._place[p].sums = NULL if margins is None else &margins[p, k, 0]
                self._judge(s, &scale[k, 0], values, share0, share1)
            else:
                s = first + theta.shape[0]
        return s

    def coefficients(self, Py_ssize_t first, const double[:, ::1] theta):
        """Return the coefficients of margins from segment ``first`` on, one for each entry.

        Parameters
        ----------
        first : int
        theta : ndarray of shape (n_segments, 3)

        Returns
        -------
        ndarray of shape (3, n_entries)
        """
        cdef Py_ssize_t k, e, p, begin = self._offset[first]
        cdef double step
        found = np.empty((WP_PLACES, self._offset[first + theta.shape[0]] - begin))
        cdef double[:, ::1] beta = found
        for k in range(theta.shape[0]):
            for p in range(WP_PLACES):
                step = self._step(first + k, theta[k, p])
                for e in range(self._offset[first + k], self._offset[first + k + 1]):
                    beta[p, e - begin] = self._entry(e, theta[k, p], step)
        return found

    cdef double _step(self, Py_ssize_t s, double theta) noexcept nogil:
        """How far ``theta`` is from where a segment begins: weightpath.record.record.way."""
        if self._theta[s] > 0.5:
            return max(self._rest[s] - (1.0 - theta), 0.0)
        return theta - self._theta[s]

    cdef double _entry(self, Py_ssize_t e, double theta, double step) noexcept nogil:
        """The coefficient of a member, between its knots: theta is a rounded number."""
        cdef Py_ssize_t i = self._member[e], q = self._interval[e]
        cdef double beta = self._value[e] + step * self._slope[e]
        cdef double low = self._line.knot(i, q - 1, theta) if q > 0 else -INFINITY
        cdef double high = self._line.knot(i, q, theta) if q < self._line.m else INFINITY
        if beta < low:
            return low
        return max(low, high) if beta > max(low, high) else beta

    cdef void _prepare(self, Py_ssize_t s, const double* theta, const double* scale,
                       const Py_ssize_t* slot) noexcept nogil:
        """Note the margin of a segment and its places."""
        cdef Py_ssize_t first = self._offset[s], m = self._offset[s + 1] - first, p, e
        cdef wp_place* place
        cdef double step
        for e in range(m):
            self._slot[e] = slot[self._member[first + e]]
        for p in range(WP_PLACES):
            place, step = &self._place[p], self._step(s, theta[p])
            place.theta, place.slack = theta[p], self._limit(scale[p]) * scale[p]
            place.bias = 0.0
            if self._line.has_bias:
                place.bias = self._bias[s] + step * self._bias_slope[s]
            place.margin, place.response = &self._margin[p, 0], &self._response[p, 0]
            for e in range(m):
                self._margin[p, e] = self._entry(first + e, theta[p], step)
                self._beta[p, self._member[first + e]] = self._margin[p, e]

    cdef bint _is_stale(self, Py_ssize_t s) noexcept nogil:
        """Whether the share carries roundings of rows that were much larger than those present."""
        cdef Py_ssize_t p, e, i
        cdef double theta, rest, terms
        for p in range(WP_PLACES):
            theta = self._place[p].theta
            rest = 1.0 - theta
            terms = rest * self._sets.terms0 + theta * self._sets.terms1
            for e in range(self._offset[s], self._offset[s + 1]):
                i = self._member[e]
                terms += fabs(self._beta[p, i]) * self._line.kappa[i]
            if rest * self._sets.carried0 + theta * self._sets.carried1 > FRESH_AFTER_FALL * terms:
                return True
        return False

    cdef void _judge(self, Py_ssize_t s, const double* scale, const double* K,
                     const double* share0, const double* share1) noexcept nogil:
        """Look at one segment."""
        cdef Py_ssize_t p, m = self._offset[s + 1] - self._offset[s]
        # Members whose sums are given add nothing; without a scale every row is measured.
        cdef Py_ssize_t summed = m if self._place[0].sums == NULL else 0
        cdef bint keeps = not min(scale[0], scale[1], scale[2]) > 0.0
        cdef int beyond = self._pass(K, summed, share0, share1, keeps)
        if beyond and not keeps:
            self._pass(K, summed, share0, share1, True)
        elif not keeps and m > 0:
            wp_member_responses(
                self._line.n, K, summed, &self._slot[0], share0, share1, m,
                &self._member[self._offset[s]], &self._place[0])
        for p in range(WP_PLACES):
            if scale[p] > 0.0:
                self._judge_place(s, p, scale[p], beyond >> p & 1)
            else:
                self._judge_place(s, p, self._reach(p), True)

    cdef int _pass(self, const double* K, Py_ssize_t m, const double* share0,
                   const double* share1, bint keeps) noexcept nogil:
        """Look at all rows: a bit for each place where one is off; whether to keep responses."""
        return wp_pass(
            self._line.n, K, m, &self._slot[0], share0, share1, &self._sets.low[0],
            &self._sets.high[0], &self._sets.low_speed[0] if self._moving else NULL,
            &self._sets.high_speed[0] if self._moving else NULL, &self._place[0], keeps)

    cdef void _judge_place(self, Py_ssize_t s, Py_ssize_t p, double scale,
                           bint beyond) noexcept nogil:
        """Measure the margin, the rows that may be off by more than all before, and the sum."""
        cdef Py_ssize_t i, e
        cdef double theta = self._place[p].theta, bias = self._place[p].bias, slack
        cdef double* response = self._place[p].response
        for e in range(self._offset[s], self._offset[s + 1]):
            i = self._member[e]
            self._note(self._line.distance(i, theta, scale, self._beta[p, i], response[i], bias),
                       scale)
        if beyond:
            slack = self._limit(scale) * scale
            for i in range(self._line.n):
                if (self._sets.knot[i] != NO_KNOT
                        and not self._sets.is_within(i, response[i] + bias, theta, slack)):
                    self._note(self._line.distance(i, theta, scale, self._coefficient(i, p),
                                                   response[i], bias), scale)
        if self._line.has_bias:
            self._judge_sum(s, p, scale)

    cdef void _judge_sum(self, Py_ssize_t s, Py_ssize_t p, double scale) noexcept nogil:
        """Measure how far the sum of all coefficients is off, if that may be more than before."""
        cdef Py_ssize_t i, e
        cdef double theta = self._place[p].theta, rest = 1.0 - theta, lent = 0.0, largest = 0.0
        cdef double size = rest * self._sets.size0 + theta * self._sets.size1
        cdef long double total = rest * self._sets.sum0 + theta * self._sets.sum1
        for e in range(self._offset[s], self._offset[s + 1]):
            total += self._beta[p, self._member[e]]
            size += fabs(self._beta[p, self._member[e]])
        if self._lender >= 0:
            self._line.read(self._lender, theta, scale)
            lent = self._line.lends()
        if self._line.off_total(theta, total, size) <= self._limit(scale) * lent:
            return
        total = size = 0.0
        for i in range(self._line.n):
            total += self._coefficient(i, p)
            size += fabs(self._coefficient(i, p))
            self._line.read(i, theta, scale)
            if self._line.lends() > largest:
                self._lender, largest = i, self._line.lends()
        self._note(self._line.off_total(theta, total, size) / (largest if largest > 0.0 else 1.0),
                   scale)

    cdef double _reach(self, Py_ssize_t p) noexcept nogil:
        """What is large without targets and levels: ``_reach`` of certificate.py."""
        cdef Py_ssize_t i
        cdef double theta = self._place[p].theta, largest = 0.0, sizes = 0.0, at_bound = 0.0
        for i in range(self._line.n):
            largest = max(largest, fabs(self._place[p].response[i]))
            sizes += fabs(self._coefficient(i, p)) * self._line.kappa[i]
            at_bound = max(at_bound, self._line.width(i, theta) * self._line.kappa[i])
        largest = max(largest, ROUNDED_AWAY * sizes)
        if self._line.total(theta) == 0.0:
            largest = max(largest, at_bound)
        return largest if largest > 0.0 else 1.0

    cdef double _coefficient(self, Py_ssize_t i, Py_ssize_t p) noexcept nogil:
        """The coefficient of a row at one of the places."""
        if self._sets.knot[i] == NO_KNOT:
            return self._beta[p, i]
        return self._line.knot(i, self._sets.knot[i], self._place[p].theta)

    cdef double _limit(self, double scale) noexcept nogil:
        """The largest violation so far, relative to what is large here."""
        if self._relative:
            return self.worst
        return self.worst / scale if scale > 0.0 else 0.0

    cdef void _note(self, double violation, double scale) noexcept nogil:
        """Note a violation, relative to what is large here; what is not a number stays."""
        if not self._relative:
            violation *= scale
        if self.worst == self.worst and not violation <= self.worst:
            self.worst = violation
