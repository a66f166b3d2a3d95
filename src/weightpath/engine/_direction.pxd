from weightpath.engine._loop_state cimport LoopState

cdef void compute_direction(LoopState state) noexcept nogil
cdef bint _refine(LoopState state) noexcept nogil
cdef double _refine_by_product(LoopState state) noexcept nogil
