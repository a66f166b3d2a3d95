cdef class Counts:
    # What happened on a line; the recorder counts the events.
    cdef readonly Py_ssize_t n_exchanges, n_zero, n_shifts, n_refreshes, margin_sum
    cdef double violation
    cdef char apart[64]
    cdef void reset(self) noexcept nogil
