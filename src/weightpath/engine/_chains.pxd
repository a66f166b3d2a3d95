from weightpath.engine._branches cimport BranchRunner, Harvest


cdef class ChainRunner(BranchRunner):
    # What the shared solution of branches is made of, and changes here with every step.
    cdef double[:, ::1] own_knots
    cdef int[::1] own_position
    cdef unsigned char[::1] own_idle, own_absent
    cdef bint has_arrived
    cdef Py_ssize_t n_steps
    # The coefficients and the bias after every step, and which biases are not unique.
    cdef double[:, ::1] betas
    cdef double[::1] biases
    cdef list loose
    cdef int _step(self, Py_ssize_t k, Py_ssize_t at, Harvest nothing) noexcept nogil
    cdef void _sort_out_arrivals(self, Py_ssize_t k) noexcept nogil
    cdef int _set_out(self) noexcept nogil
    cdef int _bring_in(self, Harvest harvest, Py_ssize_t at, int outcome) noexcept nogil
    cdef void _take_over_rows(self) noexcept nogil
    cdef int _take_over_solution(self) noexcept nogil
    cdef void _take_over_levels(self, Py_ssize_t i) noexcept nogil
    cdef int _compute_residuals(self) noexcept nogil
    cdef void _keep_loose(self, Py_ssize_t at) noexcept nogil
