from weightpath.engine._loop_state cimport LoopState

cdef int refresh(LoopState state, bint full) noexcept nogil
