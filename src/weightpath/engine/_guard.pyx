"""Counters that keep the loop from cycling: ties, steps of length zero, refreshes, the last row."""

from weightpath import tolerances as _tolerances

cdef Py_ssize_t REFRESH_EVERY = _tolerances.REFRESH_EVERY
cdef Py_ssize_t ROWS_PER_REFRESH = _tolerances.ROWS_PER_REFRESH
cdef Py_ssize_t LENGTH_PER_REFRESH = _tolerances.LENGTH_PER_REFRESH
cdef Py_ssize_t LONGEST_REFRESH = _tolerances.LONGEST_REFRESH

# Finite moves of the bias or of an exchange are progress, but not for ever: so many times the limit
# of zero-length steps may be spent at one theta.
cdef Py_ssize_t STILL_LIMIT = 4

# Turns between two looks at whether the user interrupts; one with a margin of so many members,
# whose factor it goes through, counts twice.
cdef Py_ssize_t PAUSE_EVERY = 512
cdef Py_ssize_t LIGHT_MARGIN = 64

cdef Py_ssize_t NEVER = 1 << 62


cdef class Guard:
    """Counters and limits of one loop; the limits stay when the counters are reset.

    Parameters
    ----------
    n_rows : int
        The rows of the problem.
    length : int
        The length of a column.
    """

    def __init__(self, Py_ssize_t n_rows, Py_ssize_t length):
        self.max_events = self.full_every = NEVER
        self.zero_limit = 50 + 5 * length
        self.refresh_every = max(REFRESH_EVERY, n_rows // ROWS_PER_REFRESH,
                                 min(length // LENGTH_PER_REFRESH, LONGEST_REFRESH))
        self.reset()

    cdef void reset(self) noexcept nogil:
        self.since = self.since_full = self.zero_run = self.still = self.turns = 0
        self.last = self.suspect = -1
        self.last_direction = 0
        self.enter_speed = 0.0

    cdef void remember(self, Py_ssize_t i, int direction) noexcept nogil:
        # The row that changed must not go straight back for a rounding.
        self.last = i
        self.last_direction = direction

    cdef void forget(self) noexcept nogil:
        self.last = -1

    cdef void count_change(self) noexcept nogil:
        self.since += 1
        self.since_full += 1

    cdef void count_step(self, bint moves) noexcept nogil:
        if moves:
            self.zero_run = self.still = 0
        else:
            self.zero_run += 1
            self.still += 1
        self.count_change()

    cdef void count_bias_move(self, bint moves) noexcept nogil:
        self.still += 1
        self.zero_run = 0 if moves else self.zero_run + 1
        self.count_change()

    cdef void ask_for_fresh_rows(self) noexcept nogil:
        self.since, self.since_full = self.refresh_every, self.full_every

    cdef bint wants_refresh(self) noexcept nogil:
        return self.since >= self.refresh_every

    cdef bint wants_fresh_rows(self) noexcept nogil:
        return self.since_full >= self.full_every

    cdef bint is_tied(self) noexcept nogil:
        return self.zero_run > self.zero_limit or self.still > STILL_LIMIT * self.zero_limit

    cdef bint is_time_to_pause(self, Py_ssize_t margin_size) noexcept nogil:
        self.turns += 1 + margin_size * margin_size // (LIGHT_MARGIN * LIGHT_MARGIN)
        if self.turns < PAUSE_EVERY:
            return False
        self.turns = 0
        return True
