# Memory with room for more rows: where they come one by one, arrays are not made anew each time.

# For how many rows memory is made where n are needed.
cdef inline Py_ssize_t with_room(Py_ssize_t n) noexcept nogil:
    return n + n // 8 + 8


# Whether memory for some rows serves n of them, and most of it is used.
cdef inline bint fits(Py_ssize_t n, Py_ssize_t room) noexcept nogil:
    return n <= room <= 2 * n + 16
