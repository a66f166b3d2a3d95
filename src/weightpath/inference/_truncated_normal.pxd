cdef class TruncatedNormal:
    cdef readonly double point, scale
    cdef readonly object intervals
    # The ends of the intervals, in order.
    cdef const double[:, ::1] ends
    cdef int _side(self, double mean, int side, double* log_total, double* slope) noexcept nogil
    cdef (double, double) _cut(self, Py_ssize_t k, int side, double mean) noexcept nogil
    cdef int _sides(self, double mean, double* below, double* above) noexcept nogil
