from weightpath.engine._loop_state cimport LoopState

cdef const double* foreseen_column(LoopState state, Py_ssize_t i) noexcept nogil
