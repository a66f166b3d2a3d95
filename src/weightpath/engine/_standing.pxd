from weightpath.engine._margin cimport Margin
from weightpath.record._record cimport RecordBuffer
from weightpath.engine._stairs cimport Stairs
from weightpath.engine._watch cimport Watch
from weightpath.kernels._columns cimport Columns


cdef class Standing:
    cdef readonly Columns columns
    cdef readonly Margin margin
    cdef readonly Stairs stairs
    cdef readonly Watch watch
    cdef readonly RecordBuffer record
    cdef readonly double theta, bias, bias_slope
    cdef readonly Py_ssize_t n_events, n_exchanges, n_zero, n_shifts, n_refreshes, margin_sum
    cdef readonly double largest_shift, violation
    cdef public Py_ssize_t max_events, zero_limit, full_every, refresh_every
    cdef public double shift_limit
    cdef double[::1] beta, target_end, target_slope, product, speed, pace
    cdef double total_end, total_slope, dt_scale
    cdef readonly double residual_scale
    cdef double enter_speed, standing_reach, peak_reach
    cdef double knot_sum, knot_lost, knot_size, knot_reach, tol_residual, rounding
    cdef Py_ssize_t since, since_full, zero_run, still, last, checks
    cdef readonly Py_ssize_t suspect
    cdef int last_direction
    cdef bint bordered, follows_scale
    cdef object callback, error
    cdef readonly object initial_position
    cdef object outer_levels
    cdef void _stand_at_knot(self, Py_ssize_t i, int position) noexcept nogil
    cdef void _stand_free(self, Py_ssize_t i, int position) noexcept nogil
    cdef void _knot_speed(self, Py_ssize_t i, const double* col, double amount) noexcept nogil
    cdef void _add_to_sum(self, double amount) noexcept nogil
    cdef double _balance(self) noexcept nogil
    cdef void _measure(self) noexcept nogil
    cdef double _reach(self) noexcept nogil
    cdef void _note_reach(self) noexcept nogil
    cdef void _follow_scale(self, double scale) noexcept nogil
    cdef Py_ssize_t _knot_of_member(self, Py_ssize_t k) noexcept nogil
    cdef bint _is_at_knot(self, Py_ssize_t k, int side) noexcept nogil
    cdef double _target(self, Py_ssize_t i) noexcept nogil
    cdef void _measure_rounding(self) noexcept nogil
    cdef bint _is_astray(self, double shift) noexcept nogil
