from weightpath.engine._margin cimport Margin
from weightpath.engine._record cimport RecordBuffer
from weightpath.engine._stairs cimport Stairs
from weightpath.engine._watch cimport Watch
from weightpath.kernels._columns cimport Columns


cdef class Loop:
    cdef readonly Columns columns
    cdef readonly Margin margin
    cdef readonly Stairs stairs
    cdef readonly Watch watch
    cdef readonly RecordBuffer record
    cdef readonly double theta, bias, bias_slope
    cdef readonly Py_ssize_t n_events, n_exchanges, n_zero, n_shifts, n_refreshes, margin_sum
    cdef readonly double largest_shift, violation
    cdef public Py_ssize_t max_events, zero_limit, full_every
    cdef public bint least_index
    cdef public double shift_limit
    cdef double[::1] beta, target_end, target_slope, product, speed
    cdef double total_end, total_slope, residual_scale, dt_scale, leg_scale
    cdef double knot_sum, knot_size, beta_scale, tol_beta, tol_residual, rounding
    cdef Py_ssize_t since, since_full, zero_run, last, checks
    cdef int last_direction
    cdef bint bordered
    cdef object callback, error
    cdef readonly object initial_position
    # the steps of the loop
    cdef int _run(self) noexcept nogil
    cdef void _direction(self) noexcept nogil
    cdef int _to_next_event(self) noexcept nogil
    cdef Py_ssize_t _ratio_test(self, int* direction, double* step, bint* on_margin) noexcept nogil
    cdef Py_ssize_t _least_index(self, double noise_beta, double noise, int* direction, double* step,
                                 bint* on_margin) noexcept nogil
    cdef double _member_speed(self, Py_ssize_t k, int direction, double* slack) noexcept nogil
    cdef bint _out_of_interval(self, double step) noexcept nogil
    cdef int _leave(self, Py_ssize_t k, int direction) noexcept nogil
    cdef int _enter(self, Py_ssize_t i, int direction) noexcept nogil
    cdef int _exchange(self, Py_ssize_t i, int direction, const double* col) noexcept nogil
    cdef int _pass_over(self, Py_ssize_t i, int direction, const double* col) noexcept nogil
    cdef int _empty_margin(self) noexcept nogil
    cdef int _coast(self) noexcept nogil
    cdef void _stand_at_knot(self, Py_ssize_t i, int position) noexcept nogil
    cdef void _stand_free(self, Py_ssize_t i, int position) noexcept nogil
    cdef void _knot_speed(self, Py_ssize_t i, const double* col, double amount) noexcept nogil
    cdef int _refresh(self, bint full) noexcept nogil
    cdef void _measure(self) noexcept nogil
    cdef void _correct_margin(self) noexcept nogil
    cdef void _shift_margin(self, double rest) noexcept nogil
    cdef int _recompute_rows(self) noexcept nogil
    cdef double _target(self, Py_ssize_t i) noexcept nogil
    cdef int _pause(self) noexcept nogil
    cdef bint _null_move(self, Py_ssize_t i) except -1
    cdef _snap(self, Py_ssize_t i, int direction)
