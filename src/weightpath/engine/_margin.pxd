from weightpath.engine._factor cimport Factor, KeptFactor
from weightpath.kernels._columns cimport Columns


cdef class KeptMargin:
    # The members and values of a margin, in order, with its factor.
    cdef Py_ssize_t[::1] member
    cdef double[::1] value
    cdef KeptFactor factor


cdef class Margin:
    # The free members: their rows, values, slopes and columns, and their factor.
    cdef Columns columns
    cdef readonly Factor factor
    cdef readonly double ridge, scale
    cdef Py_ssize_t size, capacity
    cdef Py_ssize_t* member
    cdef const double** column
    # One block of memory, cut into vectors over the members.
    cdef double* value
    cdef double* slope
    cdef double* kernel       # kernel values of a candidate against the members
    cdef double* null         # its null direction on the members
    cdef double* right        # right-hand side of the margin system
    cdef double* correction   # Newton step of a refresh
    cdef double* level        # residual of each member where the last direction was aimed
    cdef double null_bias
    # The pivot of that candidate, and what rounding can do to it.
    cdef double null_pivot, null_rounding
    # The row that was tested last, -1 if the margin has changed since.
    cdef Py_ssize_t candidate
    # Whether the slopes are those of the present margin, and how often they were only updated.
    # Whether they are to be computed afresh nevertheless.
    cdef bint knows_direction, is_direction_old
    cdef Py_ssize_t updates
    # Whether the columns are unpinned, until the next line; changes since the factor was made.
    cdef bint resting
    cdef readonly Py_ssize_t n_changes
    cdef char apart[64]
    cdef int reserve(self, Py_ssize_t size) noexcept nogil
    cdef int depends(self, Py_ssize_t i, const double* col) noexcept nogil
    cdef int push(self, Py_ssize_t i, const double* col, double value) noexcept nogil
    cdef int push_all(self, const Py_ssize_t* rows, Py_ssize_t count,
                      const double* value) noexcept nogil
    cdef void drop(self, Py_ssize_t k) noexcept nogil
    cdef void release(self) noexcept nogil
    cdef void rest(self) noexcept nogil
    cdef int wake(self, const double* value) noexcept nogil
    cdef KeptMargin keep(self)
    cdef int restore(self, KeptMargin kept) noexcept nogil
