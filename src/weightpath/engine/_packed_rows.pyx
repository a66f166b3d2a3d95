"""Kernel values of some rows with the members of the margin, one row after the other.

The members of a margin come and go; each has a slot, the same in all rows, so that a change of the
margin changes one number of each row. Slots that are not in use have zeros.

With a small margin the values lie member by member instead, as in the columns they come from.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove, memset

from weightpath.engine._margin cimport Margin
from weightpath.engine._sweep cimport LANES, wp_pack_row

cdef enum:
    # Rows that are read from the columns of the members in one pass over them.
    TOGETHER = 64


cdef class PackedRows:
    """A matrix with one row for each of some rows and one slot for each member (final)."""

    def __cinit__(self):
        self.kernel = NULL
        self.slot = NULL
        self.column = NULL
        self.capacity = self.width = self.size = 0
        self.by_member = False

    def __dealloc__(self):
        free(self.kernel)
        free(self.slot)
        free(<void*> self.column)

    cdef int open(self, Py_ssize_t capacity) noexcept nogil:
        """Provide for so many rows."""
        self.capacity = capacity
        return 0

    cdef int reserve(self, Py_ssize_t m, Py_ssize_t count) noexcept nogil:
        """Room for ``m`` members; the first ``count`` rows are kept. -1 when memory is short."""
        cdef Py_ssize_t a, width = (m + max(8, m // 8) + LANES - 1) // LANES * LANES
        cdef double* kernel
        cdef Py_ssize_t* slot
        cdef const double** column
        if m <= self.width:
            return 0
        kernel = <double*> malloc(self.capacity * width * sizeof(double))
        slot = <Py_ssize_t*> malloc(width * sizeof(Py_ssize_t))
        column = <const double**> malloc(width * sizeof(double*))
        if kernel == NULL or slot == NULL or column == NULL:
            free(kernel)
            free(slot)
            free(<void*> column)
            return -1
        for a in range(width):
            column[a] = kernel + a * self.capacity
        if self.by_member:
            for a in range(self.size):
                memcpy(kernel + a * self.capacity, self.column[a], count * sizeof(double))
        else:
            for a in range(count):
                memcpy(kernel + a * width, self.kernel + a * self.width,
                       self.width * sizeof(double))
        if self.size:
            memcpy(slot, self.slot, self.size * sizeof(Py_ssize_t))
        free(self.kernel)
        free(self.slot)
        free(<void*> self.column)
        self.kernel, self.slot, self.column, self.width = kernel, slot, column, width
        return 0

    cdef Py_ssize_t padded(self) noexcept nogil:
        """The slots that a product reads: those in use, and zeros up to whole vectors."""
        return (self.size + LANES - 1) // LANES * LANES

    cdef void begin(self, Py_ssize_t m, bint by_member) noexcept nogil:
        """Forget all rows; the members are the ``m`` of the margin, in their order."""
        cdef Py_ssize_t k
        self.by_member = by_member
        self.size = m
        for k in range(m):
            self.slot[k] = k

    cdef void fill(self, const Py_ssize_t* at, const Py_ssize_t* index, Py_ssize_t count,
                   Margin margin) noexcept nogil:
        """Row ``at[s]`` here becomes row ``index[at[s]]`` of the columns of the members."""
        cdef Py_ssize_t first = self.size // LANES * LANES, padding = self.padded() - first
        cdef Py_ssize_t a, k, s = 0, last
        cdef Py_ssize_t together[TOGETHER]
        cdef double* base
        cdef const double* row
        cdef const double* ahead
        if self.by_member:
            for k in range(self.size):
                base, row = self.kernel + self.slot[k] * self.capacity, margin.column[k]
                for s in range(count):
                    base[at[s]] = row[index[at[s]]]
            return
        while s < count:
            last = 0
            while s < count and last < TOGETHER:
                a = at[s]
                s += 1
                memset(self.kernel + a * self.width + first, 0, padding * sizeof(double))
                row = margin.columns.row(index[a])
                if row == NULL:
                    together[last] = a
                    last += 1
                    continue
                # From the row itself, whose numbers lie near each other, and not from column after
                # column.
                ahead = margin.columns.row(index[at[s]]) if s < count else NULL
                wp_pack_row(self.size, margin.member, self.slot, row,
                            row if ahead == NULL else ahead, self.kernel + a * self.width)
            if last == 0:
                continue
            for k in range(self.size):
                base, row = self.kernel + self.slot[k], margin.column[k]
                for a in range(last):
                    base[together[a] * self.width] = row[index[together[a]]]

    cdef void move_row(self, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        # Only of rows that lie one after the other: see `AwakeRows.begin`.
        memcpy(self.kernel + target * self.width, self.kernel + source * self.width,
               self.padded() * sizeof(double))

    cdef int add_member(self, const double* col, const Py_ssize_t* index,
                        Py_ssize_t count) noexcept nogil:
        """A member with this column comes; -1 when memory is short."""
        cdef Py_ssize_t a, at = self.size
        if self.reserve(at + 1, count) < 0:
            return -1
        for a in range(count):
            if self.by_member:
                self.kernel[at * self.capacity + a] = col[index[a]]
                continue
            if at % LANES == 0:
                memset(self.kernel + a * self.width + at, 0, LANES * sizeof(double))
            self.kernel[a * self.width + at] = col[index[a]]
        self.slot[at] = at
        self.size = at + 1
        return 0

    cdef void drop_member(self, Py_ssize_t k, Py_ssize_t count) noexcept nogil:
        """Member ``k`` goes; the last slot's values take its place."""
        cdef Py_ssize_t a, j, vacant = self.slot[k], last = self.size - 1
        cdef double* row
        if self.by_member and vacant != last:
            memcpy(self.kernel + vacant * self.capacity, self.column[last],
                   count * sizeof(double))
        for a in range(0 if self.by_member else count):
            row = self.kernel + a * self.width
            row[vacant] = row[last]
            row[last] = 0.0
        for j in range(self.size):
            if self.slot[j] == last:
                self.slot[j] = vacant
        memmove(self.slot + k, self.slot + k + 1, (last - k) * sizeof(Py_ssize_t))
        self.size = last

    cdef void place(self, const double* x, double* out) noexcept nogil:
        """Put one number for each member into its slot; zeros behind them."""
        cdef Py_ssize_t k
        for k in range(self.size, self.padded()):
            out[k] = 0.0
        for k in range(self.size):
            out[self.slot[k]] = x[k]
