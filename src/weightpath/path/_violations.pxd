# What a violation is, row by row: see _violations.pyx.

cdef class ProblemLine:
    # The ends of the line; kappa says how far a change of each coefficient moves any residual.
    cdef const double[::1] target0, target1, kappa
    cdef const double[:, ::1] knots0, knots1, levels0, levels1
    cdef double total0, total1
    cdef bint has_bias
    cdef Py_ssize_t n, m
    # The row that was read last: knots, levels over the scale, the unit of its coefficient, and
    # whether its knots coincide.
    cdef double[::1] _knot, _level
    cdef double unit
    cdef bint is_rigid

    cdef double knot(self, Py_ssize_t i, Py_ssize_t j, double theta) noexcept nogil
    cdef void read(self, Py_ssize_t i, double theta, double scale) noexcept nogil
    cdef double distance(self, Py_ssize_t i, double theta, double scale, double beta,
                         double response, double bias) noexcept nogil
    cdef double lends(self) noexcept nogil
    cdef double width(self, Py_ssize_t i, double theta) noexcept nogil
    cdef double total(self, double theta) noexcept nogil
    cdef double off_total(self, double theta, long double total, double size) noexcept nogil
