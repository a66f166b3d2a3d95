from weightpath.engine._margin cimport Margin
from weightpath.kernels._columns cimport Columns


cdef class Ledger:
    # The columns, and of each row in the ledger: its number, its column, how far it has moved
    # the residuals and their velocities.
    cdef Columns columns
    cdef Py_ssize_t size, most
    # Whether the columns of the rows are not needed.
    cdef bint is_light
    cdef Py_ssize_t* row
    cdef const double** column
    cdef double* move
    cdef double* speed
    cdef double* slope
    cdef int open(self) noexcept nogil
    cdef bint is_full(self) noexcept nogil
    cdef void note(self, Py_ssize_t i, double move, double speed) noexcept nogil
    cdef void settle_lightly(self, Margin margin, const double* before, double lag, double* g,
                             double* r, double* product) noexcept nogil
    cdef void settle(self, Py_ssize_t n, double lag, double* g, double* r) noexcept nogil
    cdef Py_ssize_t _line_of(self, Py_ssize_t i) noexcept nogil
    cdef void clear(self) noexcept nogil
