"""What sleeping rows have still to move by: which rows have moved them since, and how far.

A row that enters or leaves a small margin changes the residuals of all rows by a multiple of its
column. Sleepers do not need theirs before they wake up; until then a line in the ledger stands for
the pass over all rows, and one pass over the columns in it makes up for all of them. The columns
stay pinned as long.
"""

from libc.stdlib cimport free, malloc

from weightpath.engine._sweep cimport wp_settle

cdef enum:
    # Lines; how many there must be, and how many are left when it counts as full: an event needs
    # a few.
    MOST = 128
    LEAST = 24
    SPARE = 8


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
            self.row = <Py_ssize_t*> malloc(MOST * sizeof(Py_ssize_t))
        if self.column == NULL:
            self.column = <const double**> malloc(MOST * sizeof(double*))
        if self.move == NULL:
            self.move = <double*> malloc(2 * MOST * sizeof(double))
        if self.row == NULL or self.column == NULL or self.move == NULL:
            return -1
        self.speed = self.move + MOST
        self.most = min(<Py_ssize_t> MOST, self.columns.room() // 2)
        return 0 if self.most >= LEAST else -1

    cdef bint is_full(self) noexcept nogil:
        """Whether it may have no room for the lines of another event."""
        return self.size > self.most - SPARE

    cdef void note(self, Py_ssize_t i, double move, double speed) noexcept nogil:
        """Row ``i``, whose column is pinned, has moved, and moves, by this much more."""
        cdef Py_ssize_t k = self.size - 1
        while k >= 0 and self.row[k] != i:
            k -= 1
        if k < 0:
            k = self.size
            self.row[k], self.column[k] = i, self.columns.pin(i)
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
        wp_settle(n, lag, self.size, self.column, self.move, self.speed, g, r)
        self.clear()

    cdef void clear(self) noexcept nogil:
        """Forget all lines and unpin their columns."""
        cdef Py_ssize_t k
        for k in range(self.size):
            self.columns.unpin(self.row[k])
        self.size = 0
