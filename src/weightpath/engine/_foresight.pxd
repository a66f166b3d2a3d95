from weightpath.engine._margin cimport Margin


cdef class Foresight:
    # Whether the line is one for it; the rows, and the margin whose changes it foresees.
    cdef bint on
    # Whether a kernel column could not be computed: the columns know why.
    cdef bint lacks_column
    cdef Py_ssize_t n
    cdef Margin margin
    # What the count of the margin's changes is if none has passed it by.
    cdef Py_ssize_t expected
    # Columns worked out ahead, one after the other, n + 1 numbers each: their rows, and after how
    # many changes each was worked out. Where in them the column of each row is, -1 if nowhere.
    # Whether each was a member of the margin then.
    cdef Py_ssize_t n_ahead
    cdef Py_ssize_t[::1] row, stamp, place
    cdef unsigned char[::1] was_member
    cdef double[:, ::1] ahead
    # The columns of the changes since, likewise, and their rows.
    cdef Py_ssize_t n_changes
    cdef Py_ssize_t[::1] changed
    cdef double[:, ::1] change
    # L^-1 k of these rows, side by side, for the factor L of the present margin.
    cdef double[:, ::1] carried
    # Scratch space: panels of right-hand sides, and one of products; the bias and the share of the
    # border of each column; who is a member, and which.
    cdef double[::1] panel, bias, share
    cdef unsigned char[::1] is_member
    cdef Py_ssize_t[::1] position
    cdef void clear(self) noexcept nogil
    cdef bint is_fresh(self) noexcept nogil
    cdef bint is_used_up(self) noexcept nogil
    cdef int look_ahead(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil
    cdef int look_further(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil
    cdef const double* find(self, Py_ssize_t i) noexcept nogil
    cdef void note_change(self, Py_ssize_t i) noexcept nogil
    cdef const double* last_change(self) noexcept nogil
    cdef bint hand_over(self, Py_ssize_t i) noexcept nogil
    cdef void grow(self, const double* col) noexcept nogil
    cdef void shrink(self, Py_ssize_t at) noexcept nogil
    cdef void _carry(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef int _work_out(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil
    cdef void _order(self, const Py_ssize_t* rows, Py_ssize_t count,
                     Py_ssize_t* ordered) noexcept nogil
    cdef Py_ssize_t _beginning(self, Py_ssize_t i) noexcept nogil
    cdef double* _panel_of(self, Py_ssize_t c) noexcept nogil
    cdef int _lay_right_sides(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil
    cdef void _solve(self, const Py_ssize_t* rows, Py_ssize_t first,
                     Py_ssize_t count) noexcept nogil
    cdef int _multiply(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef void _work_out_one(self) noexcept nogil


cdef double[::1] _from_cache_line(double[::1] numbers)
