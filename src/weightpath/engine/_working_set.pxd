"""A working-set solver for staircase problems: pairs of rows, one up and one down."""

from libc.stdint cimport int32_t

from weightpath.kernels._columns cimport Columns


# The column of an active row: pinned, or packed.
cdef struct Column:
    const double* full
    const float* packed


cdef class WorkingSet:
    cdef readonly Py_ssize_t n_steps
    cdef readonly double gap            # the largest violation, when it was looked at last
    cdef Columns columns
    cdef object callback, error
    cdef Py_ssize_t n, n_knots
    cdef double ridge, tolerance, largest, least_curvature
    cdef const double[:, ::1] knots, levels
    cdef double[::1] beta
    cdef double[::1] gradient           # of all rows, without the moves below
    cdef double[::1] moved              # of the coefficients, since the gradient was up to date
    # The rows that take part, packed: gradient, levels on both sides, diagonal, number.
    cdef Py_ssize_t n_active, n_movable
    cdef double[::1] g, above, below, diagonal
    cdef int32_t[::1] row
    cdef double top                     # the largest g - above
    cdef Py_ssize_t highest             # where it is, -1 if no row can rise
    cdef Py_ssize_t fill_from           # columns computed from which on the whole matrix is wanted
    cdef Py_ssize_t work                # rows read since the last look at signals
    # Entries of the active rows only, in single precision, where these are few; which columns are
    # there; how many rows at the most, and how often all rows were looked at again; the square of
    # what roundings have done since.
    cdef float* pool
    cdef double noise
    cdef unsigned char[::1] is_packed
    cdef Py_ssize_t most_packed, n_returns

    cdef int descend(self, Py_ssize_t max_steps) noexcept nogil
    cdef int choose_pair(self, Column* rising, Py_ssize_t* down, double* bottom) noexcept nogil
    cdef int move_pair(self, Py_ssize_t down, Column* rising) noexcept nogil
    cdef void move_row(self, Py_ssize_t i, double step) noexcept nogil
    cdef double knot_ahead(self, Py_ssize_t i, int direction) noexcept nogil
    cdef void place_row(self, Py_ssize_t k) noexcept nogil
    cdef void activate_all(self) noexcept nogil
    cdef void set_aside(self, double bottom) noexcept nogil
    cdef bint is_far(self, Py_ssize_t k, double bottom) noexcept nogil
    cdef int bring_back(self) noexcept nogil
    cdef void find_highest(self) noexcept nogil
    cdef const int32_t* index(self) noexcept nogil
    cdef bint open_column(self, Py_ssize_t k, Column* column) noexcept nogil
    cdef void close_column(self, Py_ssize_t k, Column* column) noexcept nogil
    cdef double entry(self, Py_ssize_t k, Py_ssize_t other, Column* packed) noexcept nogil
    cdef void pack(self) noexcept nogil
    cdef void unpack(self) noexcept nogil
    cdef const float* packed_column(self, Py_ssize_t k) noexcept nogil
    cdef const double* pin_row(self, Py_ssize_t i) noexcept nogil
    cdef bint wants_most(self) noexcept nogil
    cdef int pause(self) noexcept nogil
