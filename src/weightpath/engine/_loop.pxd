from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._ratio_test cimport Event


cdef class Loop:
    cdef readonly LoopState state
    cdef object callback, error
    cdef int follow(self) noexcept nogil
    cdef int _look_after(self) noexcept nogil
    cdef int _to_next_event(self) noexcept nogil
    cdef int _record_segment(self, double step) noexcept nogil
    cdef void _step(self, Event* event) noexcept nogil
    cdef int _change_sets(self, Event* event) noexcept nogil
    cdef int _fill_empty_margin(self) noexcept nogil
    cdef int _move_bias(self, int direction) noexcept nogil
    cdef int _rest_bias(self) noexcept nogil
    cdef int _pause(self) noexcept nogil


cdef int check(Loop loop, int code) except -1
