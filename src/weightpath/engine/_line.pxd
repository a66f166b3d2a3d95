cdef class Line:
    # Targets and the total of the coefficients on a straight line, with their shifts.
    cdef double[::1] target_end, target_slope
    # Their memory, with room for more rows.
    cdef double[:, ::1] room
    cdef double total_end, total_slope, fastest_target
    cdef void _lay(self, const double* first, const double* last, Py_ssize_t n) noexcept nogil
    cdef void reset_to_still(self, double total_start, double total_end) noexcept nogil
    cdef double target(self, Py_ssize_t i, double theta) noexcept nogil
    cdef double total(self, double theta) noexcept nogil
