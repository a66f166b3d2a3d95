from weightpath.engine._standing cimport Standing


cdef class Changes(Standing):
    cdef int _leave(self, Py_ssize_t k, int direction) noexcept nogil
    cdef int _enter(self, Py_ssize_t i, int direction) noexcept nogil
    cdef int _exchange(self, Py_ssize_t i, int direction, const double* col) noexcept nogil
    cdef int _stay_out(self, Py_ssize_t i) noexcept nogil
    cdef int _pass_over(self, Py_ssize_t i, int direction, const double* col) noexcept nogil
    cdef bint _null_move(self, Py_ssize_t i) except -1
    cdef _snap(self, Py_ssize_t i, int direction)
