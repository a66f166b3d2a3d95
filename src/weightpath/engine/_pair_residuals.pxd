from weightpath.engine._pair_order cimport PairOrder
from weightpath.engine._residuals cimport Residuals


cdef class PairResiduals(Residuals):
    cdef PairOrder order
    # Velocities of the documents' values without the margin's contribution.
    cdef double[::1] g
    cdef double _first_break(self, Py_ssize_t table, double bound, double tol,
                             double noise) noexcept nogil
