# Where each row is on consecutive segments of a path: see _segment_sets.pyx.

from libc.stdint cimport int64_t

from weightpath.path._violations cimport ProblemLine

cdef extern from "segment_pass.h" nogil:
    void wp_add_columns(Py_ssize_t n, const double* K, Py_ssize_t m, const Py_ssize_t* slot,
                        const double* f, const double* g, double* a, double* b)

# The knot of a row on the margin.
cdef enum:
    NO_KNOT = -1


cdef class SegmentSets:
    cdef ProblemLine line
    cdef const int64_t[::1] _offset, _member, _event_count, _event_index, _event_to
    # The position of each row, and the last segment on whose margin it was.
    cdef int64_t[::1] _position, _mark
    # The knot of its coefficient.
    cdef int64_t[::1] knot
    # The bounds of its response with the bias, at theta = 0, and how fast they move.
    cdef double[::1] low, high, low_speed, high_speed
    # What the coefficients at knots add up to at both ends, at least in absolute value, and by how
    # much their absolute values can move a residual; and that of all that came or went.
    cdef long double sum0, sum1
    cdef double size0, size1, terms0, terms1, carried0, carried1

    cdef void enter(self, Py_ssize_t s, const double* K, const Py_ssize_t* slot, double* share0,
                    double* share1) noexcept nogil
    cdef bint is_within(self, Py_ssize_t i, double sums, double theta, double slack) noexcept nogil
    cdef void sum_up(self) noexcept nogil
    cdef void _settle(self, Py_ssize_t i, Py_ssize_t s, const double* K, const Py_ssize_t* slot,
                      double* share0, double* share1) noexcept nogil
    cdef Py_ssize_t _knot_below(self, Py_ssize_t i) noexcept nogil
    cdef void _put(self, Py_ssize_t i, Py_ssize_t knot) noexcept nogil
    cdef void _bound(self, Py_ssize_t i, Py_ssize_t level, double* bound,
                     double* speed) noexcept nogil
    cdef void _count(self, Py_ssize_t i, Py_ssize_t knot, double times) noexcept nogil
