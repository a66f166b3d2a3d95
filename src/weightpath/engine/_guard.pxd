cdef class Guard:
    # Limits: events in all, and between two refreshes (of the margin, of all rows).
    cdef public Py_ssize_t max_events, zero_limit, refresh_every, full_every
    # Since the last refresh; zero-length steps in a row; changes at one theta; turns of the loop.
    cdef Py_ssize_t since, since_full, zero_run, still, turns
    # The row that changed last and its direction, -1 if there is none to remember.
    cdef Py_ssize_t last
    cdef int last_direction
    # The speed at which the last row that entered passed its level.
    cdef double enter_speed
    # The row whose pivot was negative.
    cdef readonly Py_ssize_t suspect
    cdef char apart[64]
    cdef void reset(self) noexcept nogil
    cdef void remember(self, Py_ssize_t i, int direction) noexcept nogil
    cdef void forget(self) noexcept nogil
    cdef void count_change(self) noexcept nogil
    cdef void count_step(self, bint moves) noexcept nogil
    cdef void count_bias_move(self, bint moves) noexcept nogil
    cdef void ask_for_fresh_rows(self) noexcept nogil
    cdef bint wants_refresh(self) noexcept nogil
    cdef bint wants_fresh_rows(self) noexcept nogil
    cdef bint is_tied(self) noexcept nogil
    cdef bint is_time_to_pause(self, Py_ssize_t margin_size) noexcept nogil
