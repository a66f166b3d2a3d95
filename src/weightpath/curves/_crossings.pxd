cdef struct Crossing:
    # Where, which one is above before it, and which one afterwards.
    double key
    int upper, lower


cdef class Crossings:
    # A growing list of crossings; also sorts indices by a key.
    cdef Crossing* items
    cdef Crossing* spare
    cdef Py_ssize_t size, room
    cdef int add(self, int upper, int lower) noexcept nogil
    cdef void sort(self) noexcept nogil
    cdef int sort_indices(self, int* index, Py_ssize_t n, const double* score) noexcept nogil
    cdef int _merge_indices(self, int* index, Py_ssize_t n, const double* score) noexcept nogil
    cdef int _make_room(self, Py_ssize_t count) noexcept nogil


cdef class Steps:
    # A growing list of the theta at which a step function takes a new value.
    cdef double* theta
    cdef long long* level
    cdef Py_ssize_t size, room
    cdef int add(self, double theta, long long level) noexcept nogil
