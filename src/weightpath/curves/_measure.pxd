cdef class Measure:
    # A metric of ranked units, kept up to date while units swap their ranks.
    cdef int kind
    cdef Py_ssize_t n_items, n_queries
    cdef double limit
    cdef Py_ssize_t[::1] offset, query_of
    cdef double[::1] item_x, item_y, discount, cumulative
    # One entry for each unit, those of a query from its offset on, in the order they start in.
    cdef double[::1] x, y, above_x, above_y
    cdef long long[::1] part
    cdef Py_ssize_t[::1] rank, occupants
    # One entry for each query.
    cdef double[::1] rest, factor, norm, share
    cdef long long[::1] sum, level
    cdef Py_ssize_t[::1] misplaced
    cdef long long total
    cdef void measure(self, Py_ssize_t q, Py_ssize_t n_units,
                      const unsigned char* deep) noexcept nogil
    cdef void swap(self, Py_ssize_t u, Py_ssize_t v) noexcept nogil
    cdef void settle(self, Py_ssize_t q) noexcept nogil
    cdef long long _part(self, Py_ssize_t q, Py_ssize_t u) noexcept nogil
    cdef void _vacate(self, Py_ssize_t q, Py_ssize_t place) noexcept nogil
    cdef void _occupy(self, Py_ssize_t q, Py_ssize_t place) noexcept nogil
