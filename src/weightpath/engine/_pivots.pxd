from weightpath.engine._loop_state cimport LoopState

cdef int leave(LoopState state, Py_ssize_t k, int direction) noexcept nogil
cdef int enter(LoopState state, Py_ssize_t i, int direction) noexcept nogil
