"""Kernel sums of the knots at which rows stand, from one segment to the next."""

from libc.stdint cimport int64_t

from weightpath.kernels._columns cimport Columns


cdef class KnotSums:
    cdef Columns columns
    cdef double ridge
    cdef Py_ssize_t n, n_knots
    cdef const double[:, ::1] knots0, knots1
    cdef const double[::1] theta, value
    cdef const int64_t[::1] offset, member, event_count, event_index, event_to
    cdef int64_t[::1] position
    cdef int64_t[::1] entry_knot        # the knot of each margin entry of the segments visited
    cdef Py_ssize_t[::1] knot           # the knot of each row on the current segment
    cdef Py_ssize_t[::1] aim            # the knot that each row gets
    cdef Py_ssize_t[::1] changed        # the rows that get another knot
    cdef double[:, ::1] sums            # K k at theta = 0 and at theta = 1
    cdef double[:, ::1] own             # k at both ends
    cdef double[2] peak                 # the largest terms since the sums were computed afresh
    cdef Py_ssize_t segment, n_events, n_columns, fresh_after

    cdef int go_to(self, Py_ssize_t segment) except -1
    cdef void place(self, Py_ssize_t segment) noexcept
    cdef Py_ssize_t nearer_knot(self, Py_ssize_t entry, double theta) noexcept
    cdef Py_ssize_t note_changes(self) noexcept
    cdef bint have_fallen(self) noexcept
    cdef double size(self, const double[:, ::1] knots) noexcept
    cdef int add_columns(self, Py_ssize_t count) except -1
    cdef int add_column(self, Py_ssize_t i, double step0, double step1) except -1
    cdef int sum_up(self) except -1
