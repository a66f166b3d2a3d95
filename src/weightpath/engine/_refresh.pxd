from weightpath.engine._loop_state cimport LoopState

cdef int refresh(LoopState state, bint full, bint last) noexcept nogil
cdef bint is_product_cheap(LoopState state) noexcept nogil
cdef int look_at_some_rows(LoopState state, bint* right) noexcept nogil
