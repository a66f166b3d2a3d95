from weightpath.engine._watch cimport Watch

cdef extern from "order.h" nogil:
    ctypedef struct wp_place:
        double lift
        int document, own, marks, is_upper


cdef enum:
    # The state of a pair.
    OUTSIDE = 0
    INSIDE = 1
    FREE = 2


cdef class PairOrder(Watch):
    # Documents: rho = -f, its velocity without and with the part of the margin.
    cdef double[::1] x, g, dx
    # Pairs: target at the end, its slope (shared with the loop), state, number among the special.
    cdef double[::1] target_end, dt
    cdef unsigned char[::1] state
    cdef int[::1] special_of
    # Special pairs: those that are watched one by one.
    cdef int[::1] special
    cdef Py_ssize_t n_special
    # Tables.
    cdef Py_ssize_t n_tables
    cdef const int[::1] first, second
    cdef const Py_ssize_t[::1] pair_start
    cdef Py_ssize_t[::1] place_start, table_of, own_of
    cdef Py_ssize_t[::1] n_lower
    cdef wp_place* seats
    cdef wp_place* kept
    cdef int[::1] where_upper, where_lower
    cdef Py_ssize_t[::1] lower_start, upper_start
    cdef double[::1] value, clear
    cdef Py_ssize_t[::1] marked
    cdef double pending, rest
    cdef Py_ssize_t barred
    cdef bint built, fresh
    cdef void _build(self) noexcept nogil
    cdef void _sort_table(self, Py_ssize_t table) noexcept nogil
    cdef void _note_places(self, Py_ssize_t table, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t _table(self, Py_ssize_t pair) noexcept nogil
    cdef (Py_ssize_t, Py_ssize_t) _places(self, Py_ssize_t pair) noexcept nogil
    cdef void _watch_closely(self, Py_ssize_t pair) noexcept nogil
    cdef void _leave_to_order(self, Py_ssize_t pair) noexcept nogil
    cdef bint _fit_into_order(self, Py_ssize_t pair) noexcept nogil
    cdef void _tidy(self) noexcept nogil
    cdef double _now(self, Py_ssize_t pair) noexcept nogil
    cdef double _approach(self, Py_ssize_t pair, double* slack) noexcept nogil
