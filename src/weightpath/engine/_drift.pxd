from weightpath.engine._changes cimport Changes


cdef class Drift(Changes):
    cdef int _refresh(self, bint full) noexcept nogil
    cdef double _correct_margin(self) noexcept nogil
    cdef bint _has_room(self, Py_ssize_t k, double move) noexcept nogil
    cdef double _shift_margin(self, double rest) noexcept nogil
    cdef int _recompute_rows(self) noexcept nogil
