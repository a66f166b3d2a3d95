cdef class Factor:
    # The margin system: append, delete, solve, pivot, refresh.
    cdef readonly Py_ssize_t size
    cdef Py_ssize_t capacity
    cdef readonly bint bordered
    cdef readonly double lift
    cdef double* chol        # L by rows
    cdef double* gram        # K_M by rows, all of it
    cdef double* border      # L^-1 a
    cdef double* work        # five vectors
    cdef int reserve(self, Py_ssize_t size) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void solve(self, const double* rhs, double total, double* x, double* b) noexcept nogil
    cdef double pivot(self, const double* k, double kii, double scale, double* x, double* b,
                      double* threshold, double* rounding) noexcept nogil
    cdef int append(self, const double* k, double kii) noexcept nogil
    cdef void delete(self, Py_ssize_t at) noexcept nogil
    cdef int refactor(self) noexcept nogil
    cdef void _forward(self, double* x) noexcept nogil
    cdef void _backward(self, double* x) noexcept nogil
    cdef double _solve_once(self, double* x, double total) noexcept nogil
    cdef void _restore_border(self, Py_ssize_t start) noexcept nogil
