# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Kernel sums of the knots at which rows stand, from one segment to the next.

Between two segments few rows change their knots, so the sums are brought up to date by their
columns instead of being computed afresh.
"""

import numpy as np

from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.kernels._columns cimport mostly_nonzero
from weightpath.problems._position cimport interval_of

cdef enum:
    # After so many columns, or as many as there are rows, the sums are computed afresh: their
    # roundings have then added up to those of a product with all columns.
    FRESH_AFTER = 500

# They are computed afresh, too, where their terms have fallen by this factor.
cdef double FRESH_AFTER_FALL = _tolerances.FRESH_AFTER_FALL


cdef class KnotSums:
    """``K k`` with the knots ``k`` of all rows at both ends of the path, segment by segment.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The problem at theta = 0 and theta = 1.
    record : Record
        The path.
    ridge : float
        What was added to the diagonal of the kernel matrix.
    """

    def __init__(self, Columns columns not None, start, end, record, double ridge):
        self.columns, self.ridge = columns, ridge
        self.n, self.n_knots = start.knots.shape
        if not columns.length() == record.n_rows == self.n:
            raise ValueError(
                f"{self.n} rows need as many columns and positions, not {columns.length()} and "
                f"{record.n_rows}.")
        self.knots0, self.knots1 = start.knots, end.knots
        self.theta, self.value = record.theta, record.value
        self.offset, self.member = record.offset, record.member
        self.event_count, self.event_index = record.event_count, record.event_index
        self.event_to = record.event_to
        self.position = record.initial_position.copy()
        self.entry_knot = np.zeros(record.member.size, dtype=np.int64)
        self.knot, self.aim = np.zeros((2, self.n), dtype=np.intp)
        self.changed = np.empty(self.n, dtype=np.intp)
        self.sums, self.own = np.zeros((2, self.n)), np.zeros((2, self.n))
        self.fresh_after = max(<Py_ssize_t> FRESH_AFTER, self.n)
        self.segment, self.n_events, self.n_columns = -1, 0, 0

    def on(self, Py_ssize_t segment):
        """Return the knot of each row on a segment, and the sums of shape (2, n).

        Segments must be asked for in their order. Both arrays change with the next call.
        """
        if not self.segment <= segment < self.event_count.shape[0]:
            raise IndexError(f"Segment {segment} is not one of those after {self.segment}.")
        self.go_to(segment)
        return np.asarray(self.knot), np.asarray(self.sums)

    @property
    def knot_of_entry(self):
        """The knot of each margin entry of the segments asked for, zero for the others."""
        return np.asarray(self.entry_knot)

    cdef int go_to(self, Py_ssize_t segment) except -1:
        """Make knots and sums those of a segment, not before the last one asked for."""
        cdef Py_ssize_t count
        cdef bint is_first = self.segment < 0
        self.place(segment)
        count = self.note_changes()
        self.segment = segment
        if count == 0 and not is_first:
            return 0
        self.n_columns += count
        if (is_first or self.n_columns > self.fresh_after or 4 * count > self.n
                or self.have_fallen()):
            return self.sum_up()
        return self.add_columns(count)

    cdef void place(self, Py_ssize_t segment) noexcept:
        """Bring the positions to a segment, and find out at which knot each row is."""
        cdef Py_ssize_t e, i
        for e in range(self.n_events, self.event_count[segment]):
            self.position[self.event_index[e]] = self.event_to[e]
        self.n_events = self.event_count[segment]
        for i in range(self.n):
            # Of a free row the knot below it, or the first; those of the margin are found next.
            self.aim[i] = min(max((self.position[i] - 1) >> 1, 0), self.n_knots - 1)
        for e in range(self.offset[segment], self.offset[segment + 1]):
            self.entry_knot[e] = self.nearer_knot(e, self.theta[segment])
            self.aim[self.member[e]] = self.entry_knot[e]

    cdef Py_ssize_t nearer_knot(self, Py_ssize_t entry, double theta) noexcept:
        """The nearer of the two knots beside the interval that a margin entry is in."""
        cdef Py_ssize_t i = self.member[entry], q = interval_of(self.position[i])
        cdef Py_ssize_t below = max(q - 1, 0), above = min(q, self.n_knots - 1)
        cdef double value = self.value[entry], rest = 1.0 - theta
        cdef double down = fabs(rest * self.knots0[i, below] + theta * self.knots1[i, below]
                                - value)
        cdef double up = fabs(rest * self.knots0[i, above] + theta * self.knots1[i, above] - value)
        return below if down <= up else above

    cdef Py_ssize_t note_changes(self) noexcept:
        """List the rows that get another knot in ``changed``; return how many they are."""
        cdef Py_ssize_t i, count = 0
        for i in range(self.n):
            if self.aim[i] != self.knot[i]:
                self.changed[count] = i
                count += 1
        return count

    cdef bint have_fallen(self) noexcept:
        """Whether the roundings of larger sums than those that are wanted would be left in them."""
        cdef double size0 = self.size(self.knots0), size1 = self.size(self.knots1)
        if FRESH_AFTER_FALL * size0 < self.peak[0] or FRESH_AFTER_FALL * size1 < self.peak[1]:
            return True
        self.peak[0], self.peak[1] = max(self.peak[0], size0), max(self.peak[1], size1)
        return False

    cdef double size(self, const double[:, ::1] knots) noexcept:
        """What the terms of the sums that are wanted add up to at one end, about."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(self.n):
            total += fabs((self.columns.diag[i] + self.ridge) * knots[i, self.aim[i]])
        return total

    cdef int add_columns(self, Py_ssize_t count) except -1:
        """Bring the sums up to date for the rows that have another knot."""
        cdef Py_ssize_t c, i
        for c in range(count):
            i = self.changed[c]
            self.add_column(i, self.knots0[i, self.aim[i]] - self.knots0[i, self.knot[i]],
                            self.knots1[i, self.aim[i]] - self.knots1[i, self.knot[i]])
            self.knot[i] = self.aim[i]
        return 0

    cdef int add_column(self, Py_ssize_t i, double step0, double step1) except -1:
        """Add multiples of a column to both sums."""
        cdef Py_ssize_t j
        cdef double* sum0 = &self.sums[0, 0]
        cdef double* sum1 = &self.sums[1, 0]
        cdef const double* column
        with nogil:
            column = self.columns.pin(i)
        if column == NULL:
            self.columns.raise_error()
        for j in range(self.n):
            sum0[j] += step0 * column[j]
            sum1[j] += step1 * column[j]
        self.columns.unpin(i)
        sum0[i] += self.ridge * step0
        sum1[i] += self.ridge * step1
        return 0

    cdef int sum_up(self) except -1:
        """Compute the sums afresh: both at once, so that every column is needed once."""
        cdef Py_ssize_t i, end
        cdef int status = 0
        self.n_columns = 0
        self.peak[0], self.peak[1] = self.size(self.knots0), self.size(self.knots1)
        for i in range(self.n):
            self.knot[i] = self.aim[i]
            self.own[0, i] = self.knots0[i, self.knot[i]]
            self.own[1, i] = self.knots1[i, self.knot[i]]
        if self.columns.features is not None:
            # Products with a linear kernel need no columns.
            for end in range(2):
                product = self.columns.product(self.own[end])
                np.asarray(self.sums)[end] = product + self.ridge * np.asarray(self.own[end])
            return 0
        if mostly_nonzero(&self.own[0, 0], self.n) or mostly_nonzero(&self.own[1, 0], self.n):
            with nogil:
                status = self.columns.fill()
            if status < 0:
                self.columns.raise_error()
        self.sums[:, :] = 0.0
        for i in range(self.n):
            if self.own[0, i] != 0.0 or self.own[1, i] != 0.0:
                self.add_column(i, self.own[0, i], self.own[1, i])
        return 0
