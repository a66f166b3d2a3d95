from weightpath.engine._margin cimport Margin


cdef class Landmarks:
    cdef Py_ssize_t n, size, wanted, capacity
    # Their rows; with a bias, that of the origin, -1 if there is none.
    cdef Py_ssize_t* row
    cdef Py_ssize_t origin
    # One vector over all rows for each landmark, and how much of each row's square is left.
    cdef double* part
    cdef double* left
    # How far each row is from what the landmarks span.
    cdef double* norm
    cdef bint has_norm
    # Scratch space: an order of the members, and a small matrix.
    cdef Py_ssize_t* order
    cdef double* gram
    cdef Py_ssize_t room
    cdef int open(self, Py_ssize_t n, Py_ssize_t m) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef bint are_due(self) noexcept nogil
    cdef int choose(self, Margin margin, bint has_bias, const double* root,
                    const double* time) noexcept nogil
    cdef void _pick(self, Margin margin, const double* time) noexcept nogil
    cdef double _entry(self, Margin margin, Py_ssize_t k, Py_ssize_t j,
                       const double* origin) noexcept nogil
    cdef Py_ssize_t _factorise(self, Margin margin, const double* origin) noexcept nogil
    cdef bint remove(self, Py_ssize_t i) noexcept nogil
    cdef const double* norms(self) noexcept nogil
