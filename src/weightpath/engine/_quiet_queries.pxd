from weightpath.engine._pair_order cimport PairOrder


cdef class QuietQueries:
    cdef PairOrder order
    cdef readonly Py_ssize_t n
    # The tables and documents of each query; documents that follow one another need no list.
    cdef Py_ssize_t[::1] table_start, document_start
    cdef int[::1] document
    cdef unsigned char[::1] in_a_row
    # The straight lines of the documents, and the interval of theta (as what is left of it) with
    # the least slack at both of its ends.
    cdef double[::1] anchor, course
    cdef double[::1] since, until, slack_since, slack_until
    # Bounds of the spread and of its speed, and the last change of velocity in each block.
    cdef double[::1] spread, speed, turn
    cdef Py_ssize_t[::1] first_block, last_block
    # Slack that the spread has used up, and sweeps to wait until the next attempt.
    cdef double[::1] lost
    cdef int[::1] wait
    cdef double usual_step
    # Of the present sweep: tolerance and noise, and when a pair singled out in it meets its level.
    cdef double tolerance, noise, next_meeting
    cdef readonly Py_ssize_t n_settled, n_passes, n_scanned
    cdef void wake_all(self) noexcept nogil
    cdef void advance(self, const double** col, const double* coef, Py_ssize_t m,
                      const double* g) noexcept nogil
    cdef void note_step(self) noexcept nogil
    cdef double first_break(self, double bound, double tol, double noise) noexcept nogil
    cdef double _scan(self, Py_ssize_t query, double bound) noexcept nogil
    cdef bint _stays_quiet(self, Py_ssize_t query, double bound) noexcept nogil
    cdef bint _settle(self, Py_ssize_t query) noexcept nogil
    cdef bint _single_out(self, Py_ssize_t query, double ahead) noexcept nogil
