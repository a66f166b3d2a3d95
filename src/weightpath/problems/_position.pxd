# Positions in native code; weightpath/problems/position.py explains them. They are never negative,
# and are halved by shifts: code compiled for size would divide, which takes old processors forty
# cycles.

cdef inline bint is_free(Py_ssize_t position) noexcept nogil:
    return (position & 1) == 0


cdef inline bint is_at_knot(Py_ssize_t position) noexcept nogil:
    return (position & 1) == 1


# The knot of a position at one.
cdef inline Py_ssize_t knot_of(Py_ssize_t position) noexcept nogil:
    return position >> 1


# The interval of a free position.
cdef inline Py_ssize_t interval_of(Py_ssize_t position) noexcept nogil:
    return position >> 1


# The levels that bound the residual; on an interval both are its only level.
cdef inline Py_ssize_t lower_level(Py_ssize_t position) noexcept nogil:
    return position >> 1


cdef inline Py_ssize_t upper_level(Py_ssize_t position) noexcept nogil:
    return (position + 1) >> 1


cdef inline int at_knot(Py_ssize_t knot) noexcept nogil:
    return <int> (2 * knot + 1)


cdef inline int free_in(Py_ssize_t interval) noexcept nogil:
    return <int> (2 * interval)
