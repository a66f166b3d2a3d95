from weightpath.engine._pair_order cimport PairOrder
from weightpath.engine._quiet_queries cimport QuietQueries
from weightpath.engine._residuals cimport Residuals


cdef class PairResiduals(Residuals):
    cdef PairOrder order
    cdef readonly QuietQueries queries
    # Velocities of the documents' values without the margin's contribution.
    cdef double[::1] g
