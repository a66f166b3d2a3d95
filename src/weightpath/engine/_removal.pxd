from weightpath.engine._loop cimport Loop
from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._row_residuals cimport RowResiduals
from weightpath.engine._scales cimport Scales


cdef class Removals:
    cdef Loop loop
    cdef LoopState state
    cdef RowResiduals residuals
    # The shared solution: what every removal begins with.
    cdef const double[:, ::1] base_knots
    cdef double[::1] base_beta, base_residual, base_lower, base_upper
    cdef const int[::1] base_position
    cdef Py_ssize_t[::1] base_margin
    cdef double base_bias, base_total
    cdef Scales base_scales
    # The knots on the line of the present removal, and the rows that go.
    cdef double[:, ::1] knots_start, knots_end
    cdef Py_ssize_t[::1] gone
    # The rows of the margin that stay, in order; the residuals at the end.
    cdef Py_ssize_t[::1] staying
    cdef double[::1] end_residual
    cdef readonly bint has_free_member
    cdef _keep(self, stair)
    cdef void _restore_knots(self, const Py_ssize_t[::1] rows) noexcept nogil
    cdef int _begin(self, double total) noexcept nogil
    cdef int _depart(self, Py_ssize_t i) noexcept nogil
    cdef int _push_margin(self, Py_ssize_t count) noexcept nogil
    cdef int _verify(self) noexcept nogil
    cdef int _compute_end_residuals(self) noexcept nogil
    cdef double _row_violation(self, Py_ssize_t i) noexcept nogil
    cdef bint _is_free(self, Py_ssize_t k) noexcept nogil
