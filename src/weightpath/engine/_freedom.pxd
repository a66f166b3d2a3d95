from weightpath.engine._loop_state cimport LoopState

cdef int freedom_of_bias(LoopState state, double step) noexcept nogil
