from weightpath.kernels._columns cimport Columns


cdef class Ledger:
    # The columns, and of each row in the ledger: its number, its column, how far it has moved
    # the residuals and their velocities.
    cdef Columns columns
    cdef Py_ssize_t size, most
    cdef Py_ssize_t* row
    cdef const double** column
    cdef double* move
    cdef double* speed
    cdef int open(self) noexcept nogil
    cdef bint is_full(self) noexcept nogil
    cdef void note(self, Py_ssize_t i, double move, double speed) noexcept nogil
    cdef void settle(self, Py_ssize_t n, double lag, double* g, double* r) noexcept nogil
    cdef void clear(self) noexcept nogil
