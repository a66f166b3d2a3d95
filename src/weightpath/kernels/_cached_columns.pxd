"""A cache of columns; a subclass says how they are computed."""

from weightpath.kernels._columns cimport Columns

cdef extern from "column_cache.h" nogil:
    ctypedef struct column_cache:
        Py_ssize_t n
        Py_ssize_t capacity
        Py_ssize_t held
        Py_ssize_t stride
        Py_ssize_t offset
        double** column
        int* pins
        Py_ssize_t* newer

cdef enum:
    # Columns computed together: data read once serve all of them.
    BLOCK = 32
    # Pinned columns that may have values at some rows only.
    PARTIAL = 64


cdef class CachedColumns(Columns):
    cdef column_cache cache
    cdef double[:, ::1] full            # room for the whole matrix, and perhaps for more rows
    cdef double* matrix                 # the whole matrix, once it is built
    cdef Py_ssize_t width               # doubles from one of its rows to the next
    cdef bint is_symmetric              # whether its values are, to the last bit
    cdef bint may_build                 # whether the whole matrix fits the budget
    cdef bint is_shown                  # whether others may read the matrix where it lies
    cdef double[::1] passing
    cdef double* scratch                # columns that only pass through, once there are any
    cdef Py_ssize_t unheard             # values computed since the last look at signals
    cdef readonly double cache_mb
    cdef double price                   # of a value, beside that of fresh memory for it
    cdef float[::1] paid                # what computing each column has cost so far, likewise
    cdef double paid_in_all
    cdef Py_ssize_t n_watched           # rows at which some columns have values; 0: all of them
    cdef Py_ssize_t n_partial           # pinned columns without values at other rows
    cdef Py_ssize_t[PARTIAL] partial

    cdef void compute_watched(self, Py_ssize_t i, double* out) noexcept nogil
    cdef void complete(self) noexcept nogil
    cdef Py_ssize_t find_partial(self, Py_ssize_t i) noexcept nogil
    cdef int compute(self, const Py_ssize_t* index, Py_ssize_t count, Py_ssize_t begin,
                     Py_ssize_t end, double** out) noexcept nogil
    cdef open_cache(self, Py_ssize_t n, cache_mb)
    cdef Py_ssize_t affordable(self, Py_ssize_t stride)
    cdef double* slot(self) noexcept nogil
    cdef double* slot_for(self, Py_ssize_t i) noexcept nogil
    cdef bint is_worth_memory(self, Py_ssize_t i, double cost) noexcept nogil
    cdef bint is_worth_building(self, double cost) noexcept nogil
    cdef bint is_dear(self) noexcept nogil
    cdef void pay(self, Py_ssize_t i, double cost) noexcept nogil
    cdef int build(self) noexcept nogil
    cdef int add_panels(self, const double* v, double* out) noexcept nogil
    cdef int add_columns(self, const double* v, double* out) noexcept nogil
    cdef int add_block(self, const Py_ssize_t* index, Py_ssize_t count, const double* v,
                       double* out) noexcept nogil
    cdef int pause(self, Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t n_passing(self) noexcept nogil
    cdef int open_scratch(self) noexcept nogil
    cdef const double* known(self, Py_ssize_t i) noexcept nogil


cdef double[:, ::1] square(Py_ssize_t width)
