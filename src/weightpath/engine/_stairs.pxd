cimport cython

from weightpath.engine._margin cimport Margin


# What the loop asks for all members or rows is defined here, so that it is compiled into each
# module that asks.
@cython.final
cdef class Stairs:
    # Knots and levels on a straight line, and the position of each row on its staircase.
    cdef readonly Py_ssize_t n, m
    cdef const double[:, ::1] knot0, knot1
    cdef double[:, ::1] level0, level1
    cdef int[::1] position
    # The same as an array.
    cdef object places
    cdef double[::1] kappa
    cdef bint knots_move, levels_move
    cdef unsigned char[::1] idle
    cdef object start_levels, end_levels
    # The memory of some of these arrays, with room for more rows.
    cdef double[:, :, ::1] level_room
    cdef unsigned char[::1] idle_room
    cdef object place_room
    cdef _make_room(self)
    cdef bint read_speeds(self, double* speed) noexcept nogil
    cdef sort_out(self, residual)
    cdef void _read_knots(self) noexcept nogil
    cdef void _read_levels(self, const double[:, ::1] start, const double[:, ::1] end) noexcept

    cdef inline double knot(self, Py_ssize_t i, Py_ssize_t j, double theta) noexcept nogil:
        return (1.0 - theta) * self.knot0[i, j] + theta * self.knot1[i, j]

    cdef inline double knot_speed(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        return self.knot1[i, j] - self.knot0[i, j]

    cdef inline double level(self, Py_ssize_t i, Py_ssize_t q, double theta) noexcept nogil:
        return (1.0 - theta) * self.level0[i, q] + theta * self.level1[i, q]

    cdef inline double level_speed(self, Py_ssize_t i, Py_ssize_t q) noexcept nogil:
        return self.level1[i, q] - self.level0[i, q]

    cdef bint same_knot(self, Py_ssize_t i, Py_ssize_t j, Py_ssize_t other) noexcept nogil
    cdef double room(self, Py_ssize_t i, double value, int direction,
                     double theta) noexcept nogil
    cdef double within(self, Py_ssize_t i, double value, double theta) noexcept nogil
    cdef double closeness(self, Py_ssize_t i, double value, int direction, double theta,
                          double tol) noexcept nogil
    cdef double unit(self, Py_ssize_t i, double theta, double scale) noexcept nogil
    cdef double largest_unit(self, double theta, double scale) noexcept nogil
    cdef double noise(self, Py_ssize_t i, double fraction, double largest,
                      double felt) noexcept nogil
    cdef Py_ssize_t null_block(self, Margin margin, Py_ssize_t i, double value, int direction,
                               double theta, double tol, double* length) noexcept nogil
    cdef (double, double) _null_room(self, Margin margin, Py_ssize_t k, Py_ssize_t i,
                                     double value, int direction, double theta) noexcept nogil
