from weightpath.engine._loop_state cimport LoopState


cdef struct Event:
    # The number of a member of the margin, or a row at a knot; -1 if nothing changes.
    Py_ssize_t index
    bint on_margin
    int direction
    # From the current theta to the event.
    double step

cdef void find_next_event(LoopState state, Event* event) noexcept nogil
cdef bint leaves_interval(LoopState state, double step) noexcept nogil
