cdef extern from "order.h" nogil:
    ctypedef struct wp_seat:
        double lift
        int document, own, marks, is_upper


cdef enum:
    # The state of a pair.
    OUTSIDE = 0
    INSIDE = 1
    FREE = 2


cdef class PairOrder:
    # Documents: rho = -f, and its velocity.
    cdef readonly Py_ssize_t n
    cdef double[::1] x, dx
    # Pairs: target at the end, its slope (shared with the loop), state, number among the special.
    cdef double[::1] target_end, dt
    cdef unsigned char[::1] state
    cdef int[::1] special_of
    # Special pairs: those that are followed one by one.
    cdef int[::1] special, special_query
    cdef Py_ssize_t n_special
    # Tables.
    cdef Py_ssize_t n_tables
    cdef const int[::1] first, second
    cdef const Py_ssize_t[::1] pair_start
    cdef Py_ssize_t[::1] seat_start, table_of, own_of
    cdef Py_ssize_t[::1] n_lower
    cdef wp_seat* seats
    cdef wp_seat* kept
    cdef int[::1] where_upper, where_lower
    cdef Py_ssize_t[::1] lower_start, upper_start
    cdef double[::1] value, clear
    cdef Py_ssize_t[::1] marked, n_marks
    # The query of each table, and whether no pair of it can meet its level for a while.
    cdef Py_ssize_t[::1] query_of
    cdef unsigned char[::1] quiet
    cdef double pending, rest
    cdef Py_ssize_t barred
    cdef bint built
    cdef void build(self) noexcept nogil
    cdef void sort_table(self, Py_ssize_t table) noexcept nogil
    cdef void _note_seats(self, Py_ssize_t table, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t table(self, Py_ssize_t pair) noexcept nogil
    cdef (Py_ssize_t, Py_ssize_t) _seats_of(self, Py_ssize_t pair) noexcept nogil
    cdef void add_special(self, Py_ssize_t pair) noexcept nogil
    cdef void _drop_special(self, Py_ssize_t pair) noexcept nogil
    cdef bint _fit_into_order(self, Py_ssize_t pair) noexcept nogil
    cdef bint _is_in_order(self, Py_ssize_t pair) noexcept nogil
    cdef void tidy(self, Py_ssize_t query, double ahead) noexcept nogil
    cdef void check(self, double tol, double* largest) noexcept nogil
    cdef Py_ssize_t worst_pair(self, Py_ssize_t table, double step, double* worst) noexcept nogil
    cdef void worst_twice(self, Py_ssize_t table, double step, double* now,
                          double* then) noexcept nogil
    cdef Py_ssize_t fastest_in(self, Py_ssize_t table, double bound, double* fastest,
                               double* slack) noexcept nogil
    cdef double first_break(self, Py_ssize_t table, double bound, double tol,
                            double noise) noexcept nogil
    cdef double residual(self, Py_ssize_t pair) noexcept nogil
    cdef double approach(self, Py_ssize_t pair, double* slack) noexcept nogil
