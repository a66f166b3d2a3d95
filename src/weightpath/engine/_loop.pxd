from weightpath.engine._drift cimport Drift


cdef class Loop(Drift):
    # The largest slope of a margin member, and the largest in residual units.
    cdef double fastest, felt
    cdef int _run(self) noexcept nogil
    cdef void _direction(self) noexcept nogil
    cdef int _to_next_event(self) noexcept nogil
    cdef Py_ssize_t _ratio_test(self, int* direction, double* step, bint* on_margin) noexcept nogil
    cdef double _member_speed(self, Py_ssize_t k, int direction, double rem, double* slack,
                              double* close) noexcept nogil
    cdef double _slope_noise(self, Py_ssize_t i) noexcept nogil
    cdef bint _is_forgiven(self, double left) noexcept nogil
    cdef int _freedom(self, double step) noexcept nogil
    cdef bint _out_of_interval(self, double step) noexcept nogil
    cdef int _empty_margin(self) noexcept nogil
    cdef int _move_bias(self, int direction) noexcept nogil
    cdef int _coast(self) noexcept nogil
    cdef int _pause(self) noexcept nogil
