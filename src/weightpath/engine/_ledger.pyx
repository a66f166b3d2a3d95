"""What sleeping rows have still to move by: which rows have moved them since, and how far.

A row that enters or leaves a small margin changes the residuals of all rows by a multiple of its
column. Sleepers do not need theirs before they wake up; until then a line in the ledger stands for
the pass over all rows, and one pass over the columns in it makes up for all of them. The columns
stay pinned as long; where the kernel can do without them the ledger is *light*.
"""

from libc.stdlib cimport free, malloc

from weightpath.engine._margin cimport Margin
from weightpath.engine._sweep cimport wp_axpy, wp_settle

cdef enum:
    # Lines; how many there must be, and how many are left when it counts as full: an event needs
    # a few.
    MOST = 128
    LEAST = 24
    SPARE = 8
    # Room for the members of a small margin, which a light ledger takes in when it is settled.
    MEMBERS = 64


cdef class Ledger:
    """Rows, their columns and how far they have moved the residuals of sleepers (final).

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    """

    def __cinit__(self, Columns columns):
        self.columns = columns
        self.size = self.most = 0
        self.is_light = False
        self.row = NULL
        self.column = NULL
        self.move = self.speed = NULL

    def __dealloc__(self):
        free(self.row)
        free(<void*> self.column)
        free(self.move)

    cdef int open(self) noexcept nogil:
        """Get memory; -1 if there is none, or none to pin the columns in."""
        if self.row == NULL:
            self.row = <Py_ssize_t*> malloc((MOST + MEMBERS) * sizeof(Py_ssize_t))
        if self.column == NULL:
            self.column = <const double**> malloc(MOST * sizeof(double*))
        if self.move == NULL:
            self.move = <double*> malloc(3 * (MOST + MEMBERS) * sizeof(double))
        if self.row == NULL or self.column == NULL or self.move == NULL:
            return -1
        self.speed, self.slope = self.move + MOST + MEMBERS, self.move + 2 * (MOST + MEMBERS)
        self.most = min(<Py_ssize_t> MOST, self.columns.room() // 2)
        return 0 if self.most >= LEAST else -1

    cdef bint is_full(self) noexcept nogil:
        """Whether it may have no room for the lines of another event."""
        return self.size > self.most - SPARE

    cdef void note(self, Py_ssize_t i, double move, double speed) noexcept nogil:
        """Row ``i``, whose column is pinned now, has moved, and moves, by this much more."""
        cdef Py_ssize_t k = self._line_of(i)
        if k < 0:
            k = self.size
            self.row[k] = i
            if not self.is_light:
                self.column[k] = self.columns.pin(i)
            self.move[k] = self.speed[k] = 0.0
            self.size += 1
        self.move[k] += move
        self.speed[k] += speed

    cdef void settle(self, Py_ssize_t n, double lag, double* g, double* r) noexcept nogil:
        """Move ``n`` residuals, and their velocities, by all that was noted, and forget it.

        They are behind by ``lag``: the way since a change of velocity was gone with the new one.
        """
        cdef Py_ssize_t k
        for k in range(self.size):
            self.move[k] += lag * self.speed[k]
        cdef const double* coef[2]
        cdef double* v[2]
        if self.is_light:
            coef[0], coef[1] = self.move, self.speed
            v[0], v[1] = r, g
            wp_axpy(n, lag, g, r)
            self.columns.subtract(self.row, self.size, coef, 2, v)
        else:
            wp_settle(n, lag, self.size, self.column, self.move, self.speed, g, r)
        self.clear()

    cdef void settle_lightly(self, Margin margin, const double* before, double lag, double* g,
                             double* r, double* product) noexcept nogil:
        """The same with the moves of the margin from ``before`` on, but for ``lag * g``.

        ``product -= K @ slopes`` of the margin.
        """
        cdef Py_ssize_t k
        cdef const double* coef[3]
        cdef double* v[3]
        for k in range(margin.size):
            self.note(margin.member[k], margin.value[k] - before[k], 0.0)
        for k in range(self.size):
            self.move[k] += lag * self.speed[k]
            self.slope[k] = 0.0
        for k in range(margin.size):
            self.slope[self._line_of(margin.member[k])] = margin.slope[k]
        coef[0], coef[1], coef[2] = self.move, self.speed, self.slope
        v[0], v[1], v[2] = r, g, product
        self.columns.subtract(self.row, self.size, coef, 3, v)
        self.clear()

    cdef Py_ssize_t _line_of(self, Py_ssize_t i) noexcept nogil:
        # The line of row i, -1 if there is none.
        cdef Py_ssize_t k = self.size - 1
        while k >= 0 and self.row[k] != i:
            k -= 1
        return k

    cdef void clear(self) noexcept nogil:
        """Forget all lines and unpin their columns."""
        cdef Py_ssize_t k
        for k in range(0 if self.is_light else self.size):
            self.columns.unpin(self.row[k])
        self.size = 0
