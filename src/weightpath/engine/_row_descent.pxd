"""Coordinate descent for staircase problems with a linear kernel, in the space of the features."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from weightpath.kernels._feature_rows cimport FeatureRows


cdef class RowDescent:
    cdef readonly Py_ssize_t n_epochs
    cdef readonly double gap            # the largest violation of the last epoch
    cdef readonly double bias
    cdef object callback, error
    cdef Py_ssize_t n, n_features, n_knots, n_active
    cdef double ridge, bias_rate, total, sum
    cdef const double[::1] target
    cdef const double[:, ::1] knots, levels
    # The rows: where they lie, or their entries that are not zero with their features.
    cdef bint is_sparse
    cdef FeatureRows rows
    cdef const double[::1] entries
    cdef const int32_t[::1] feature
    cdef const int64_t[::1] first
    cdef double[::1] beta, normal, curvature
    cdef int32_t[::1] order             # the rows that take part come first
    cdef uint64_t random
    cdef Py_ssize_t work                # entries read since the last look at signals

    cdef int descend(self, double tolerance, Py_ssize_t max_epochs) noexcept nogil
    cdef int sweep(self, double aside, double* worst) noexcept nogil
    cdef double visit(self, Py_ssize_t i, double residual, double* slack) noexcept nogil
    cdef double value(self, Py_ssize_t i) noexcept nogil
    cdef void add_row(self, Py_ssize_t i, double factor) noexcept nogil
    cdef int pause(self) noexcept nogil
