from weightpath.engine._loop cimport Loop
from weightpath.engine._watch cimport RowWatch


cdef class RemovalLoop(Loop):
    # The shared solution, as `_begin` restores it.
    cdef RowWatch followed
    cdef const double[:, ::1] base_knots
    cdef double[:, ::1] knots_start, knots_end
    cdef double[::1] base_beta, base_residual, base_lo, base_up
    cdef const int[::1] base_position
    cdef Py_ssize_t[::1] base_margin, order
    cdef Py_ssize_t[::1] gone
    cdef double base_bias, base_total, base_rounding, base_tolerance
    cdef readonly bint has_free_member
    cdef _keep(self, stair)
    cdef int _begin(self, double total) noexcept nogil
    cdef int _depart(self, Py_ssize_t i) noexcept nogil
    cdef int _push_margin(self, Py_ssize_t count) noexcept nogil
    cdef int _arrive(self) noexcept nogil
    cdef double _row_violation(self, Py_ssize_t i) noexcept nogil
    cdef bint _is_free(self, Py_ssize_t k) noexcept nogil
