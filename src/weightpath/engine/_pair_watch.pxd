from weightpath.engine._pair_order cimport PairOrder


cdef class PairWatch(PairOrder):
    cdef double _first_break(self, Py_ssize_t table, double bound, double tol,
                             double noise) noexcept nogil
    cdef Py_ssize_t _fastest_in(self, Py_ssize_t table, double bound, double* fastest,
                                double* slack) noexcept nogil
