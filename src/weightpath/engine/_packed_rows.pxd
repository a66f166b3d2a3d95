from weightpath.engine._margin cimport Margin


cdef class PackedRows:
    # Row a begins at kernel + a * width; the value of member k is at slot[k] of each row.
    cdef double* kernel
    cdef Py_ssize_t* slot
    # Whether values lie member by member, and where each slot's then are.
    cdef bint by_member
    cdef const double** column
    cdef Py_ssize_t capacity, width, size
    cdef int open(self, Py_ssize_t capacity) noexcept nogil
    cdef int reserve(self, Py_ssize_t m, Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t padded(self) noexcept nogil
    cdef void begin(self, Py_ssize_t m, bint by_member) noexcept nogil
    cdef void fill(self, const Py_ssize_t* at, const Py_ssize_t* index, Py_ssize_t count,
                   Margin margin) noexcept nogil
    cdef void move_row(self, Py_ssize_t source, Py_ssize_t target) noexcept nogil
    cdef int add_member(self, const double* col, const Py_ssize_t* index,
                        Py_ssize_t count) noexcept nogil
    cdef void drop_member(self, Py_ssize_t k, Py_ssize_t count) noexcept nogil
    cdef void place(self, const double* x, double* out) noexcept nogil
