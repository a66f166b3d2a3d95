"""The margin: the free members with their values, columns and factor.

Members keep the order in which they came; all arrays here are in that order. Columns are pinned
while their member is on the margin, so that a pass over the rows reads them in place.
"""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

from weightpath import tolerances as _tolerances
from weightpath.engine._factor cimport Factor
from weightpath.kernels._columns cimport Columns

cdef double SMALLEST_DIAGONAL = _tolerances.SMALLEST_DIAGONAL
cdef double NEGATIVE = _tolerances.NEGATIVE_PIVOT
cdef double NEGATIVE_ROUNDINGS = _tolerances.NEGATIVE_ROUNDINGS

# The vectors over the members that share one block of memory.
cdef Py_ssize_t N_VECTORS = 7


cdef class KeptMargin:
    """What a margin was, to be come back to."""


cdef class Margin:
    """Free members of a staircase problem.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    factor : Factor
        The factor of the margin system.
    ridge : float
        Added to the diagonal of the kernel matrix.
    scale : float
        The largest diagonal.
    """

    def __cinit__(self, Columns columns, Factor factor, double ridge, double scale):
        self.columns = columns
        self.factor = factor
        self.ridge = ridge
        self.scale = scale
        self.size = self.capacity = self.updates = 0
        self.candidate = -1
        self.knows_direction = self.is_direction_old = self.resting = False
        self.n_changes = 0
        self.member = NULL
        self.column = NULL
        self.value = self.slope = self.kernel = self.null = self.right = self.correction = NULL
        self.level = NULL

    def __dealloc__(self):
        free(self.member)
        free(<void*> self.column)
        free(self.value)

    @property
    def members(self):
        """The members in order."""
        return [self.member[k] for k in range(self.size)]

    def solve(self, const double[::1] right, double total, bint refined=True):
        """Solve the margin system for one right-hand side; return its solution and the bias.

        Parameters
        ----------
        right : ndarray of shape (n_margin,)
            In the order of the members.
        total : float
            What the sum of the solution must be; without a bias it is not used.
        refined : bool, default=True
            Whether a step of refinement follows; not needed where the caller takes it.
        """
        if right.shape[0] != self.size:
            raise ValueError(f"The margin has {self.size} members, got {right.shape[0]} numbers.")
        found = np.empty(self.size)
        cdef double[::1] x = found
        cdef double b = 0.0
        if self.size and refined:
            self.factor.solve(&right[0], total, &x[0], &b)
        elif self.size:
            memcpy(&x[0], &right[0], self.size * sizeof(double))
            b = self.factor._solve_once(&x[0], total, False)
        return found, b

    cdef int reserve(self, Py_ssize_t size) noexcept nogil:
        """Make room for ``size`` members here and in the factor; -1 when memory is short."""
        cdef Py_ssize_t cap, m = self.size
        cdef Py_ssize_t* member
        cdef double* block
        cdef const double** column
        if self.factor.reserve(size) < 0:
            return -1
        if size <= self.capacity:
            return 0
        # A multiple of eight, so that all vectors of the block are aligned alike.
        cap = (max(16, size + size // 2) + 7) // 8 * 8
        member = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        column = <const double**> malloc(cap * sizeof(double*))
        block = <double*> malloc(N_VECTORS * cap * sizeof(double))
        if member == NULL or column == NULL or block == NULL:
            free(member)
            free(<void*> column)
            free(block)
            return -1
        if m:
            memcpy(member, self.member, m * sizeof(Py_ssize_t))
            memcpy(<void*> column, <void*> self.column, m * sizeof(double*))
            memcpy(block, self.value, m * sizeof(double))
            memcpy(block + cap, self.slope, m * sizeof(double))
        free(self.member)
        free(<void*> self.column)
        free(self.value)
        self.member, self.column, self.capacity = member, column, cap
        self.value, self.slope, self.kernel = block, block + cap, block + 2 * cap
        self.null, self.right, self.correction = block + 3 * cap, block + 4 * cap, block + 5 * cap
        self.level = block + 6 * cap
        return 0

    cdef int depends(self, Py_ssize_t i, const double* col) noexcept nogil:
        """Whether row ``i`` depends on the members: 1 yes, 0 no, 2 indefinite, -2 no memory.

        Where it is, ``null`` and ``null_bias`` hold x of ``(1, -x)``: moving i by +1 and the
        members by -null, the bias by -null_bias, changes no residual.
        """
        cdef Py_ssize_t k
        cdef double delta, threshold = 0.0, kii = self.columns.diag[i] + self.ridge, largest = kii
        if self.reserve(self.size + 1) < 0:
            return -2
        for k in range(self.size):
            self.kernel[k] = self.columns.entry(col, self.member[k])
            largest = max(largest, self.columns.diag[self.member[k]] + self.ridge)
        self.candidate = i
        if self.size == 0 and self.factor.bordered:
            self.null_pivot = kii
            return 0
        delta = self.factor.pivot(self.kernel, kii, max(kii, SMALLEST_DIAGONAL * largest),
                                  self.null, &self.null_bias, &threshold, &self.null_rounding)
        self.null_pivot = delta
        if delta > threshold:
            return 0
        return 2 if delta < -max(NEGATIVE * self.scale, NEGATIVE_ROUNDINGS * threshold) else 1

    cdef int push(self, Py_ssize_t i, const double* col, double value) noexcept nogil:
        """Append a pinned member; 0, -1 (dependent after all) or -2 (memory)."""
        cdef Py_ssize_t k, m = self.size
        cdef int code
        if self.reserve(m + 1) < 0:
            return -2
        if i != self.candidate:
            for k in range(m):
                self.kernel[k] = self.columns.entry(col, self.member[k])
        code = self.factor.append(
            self.kernel, self.columns.diag[i] + self.ridge, i == self.candidate)
        self.candidate = -1
        self.knows_direction = False
        if code < 0:
            return code
        self.member[m] = i
        self.value[m] = value
        self.slope[m] = 0.0
        self.column[m] = col
        self.size = m + 1
        self.n_changes += 1
        return 0

    cdef int push_all(self, const Py_ssize_t* rows, Py_ssize_t count,
                      const double* value) noexcept nogil:
        """Make rows that are known to be independent the margin, in one factorisation.

        0, 1 (not clearly independent: the margin is empty again), -1 (no column) or -2 (memory).
        """
        cdef Py_ssize_t k, j, cap
        cdef const double* col
        if self.reserve(count) < 0:
            return -2
        cap = self.factor.capacity
        for k in range(count):
            col = self.columns.pin(rows[k])
            if col == NULL:
                self.release()
                return -1
            self.member[k] = rows[k]
            self.value[k] = value[rows[k]]
            self.slope[k] = 0.0
            self.column[k] = col
            self.size = k + 1
            for j in range(k):
                self.factor.gram[k * cap + j] = self.factor.gram[j * cap + k] = (
                    self.columns.entry(col, rows[j]))
            self.factor.gram[k * cap + k] = self.columns.diag[rows[k]] + self.ridge
            self.factor.slot[k] = k
        self.factor.size = count
        self.n_changes = 0
        if self.factor.refactor() < 0:
            self.release()
            return 1
        return 0

    cdef void drop(self, Py_ssize_t k) noexcept nogil:
        """Remove member ``k`` and unpin its column."""
        cdef Py_ssize_t rest = self.size - k - 1
        self.columns.unpin(self.member[k])
        memmove(self.member + k, self.member + k + 1, rest * sizeof(Py_ssize_t))
        memmove(self.value + k, self.value + k + 1, rest * sizeof(double))
        memmove(self.slope + k, self.slope + k + 1, rest * sizeof(double))
        memmove(<void*> (self.column + k), <void*> (self.column + k + 1), rest * sizeof(double*))
        self.size -= 1
        self.n_changes += 1
        self.candidate = -1
        self.knows_direction = False
        self.factor.delete(k)

    cdef void release(self) noexcept nogil:
        """Empty the margin: unpin all columns."""
        self.rest()
        self.resting = False
        self.size = self.n_changes = 0
        self.factor.clear()

    cdef void rest(self) noexcept nogil:
        """Unpin all columns, but keep the members and the factor until :meth:`wake`."""
        cdef Py_ssize_t k
        self.candidate = -1
        self.knows_direction = False
        if not self.resting:
            for k in range(self.size):
                self.columns.unpin(self.member[k])
        self.resting = True

    def adopt(self, Margin other, const Py_ssize_t[::1] number):
        """Take over the members and the factor of another margin, which is at rest.

        Parameters
        ----------
        other : Margin
            It is empty afterwards.
        number : ndarray of intp
            The row here of each of its rows.
        """
        cdef Py_ssize_t k
        if self.reserve(other.size) < 0:
            raise MemoryError("Not enough memory for the margin.")
        for k in range(other.size):
            self.member[k] = number[other.member[k]]
        self.factor, other.factor = other.factor, self.factor
        self.size, self.n_changes, self.resting = other.size, other.n_changes, True
        other.size = 0

    cdef int wake(self, const double* value) noexcept nogil:
        """Pin all columns again, and take over the coefficients; -1 (no column, empty again)."""
        cdef Py_ssize_t k
        for k in range(self.size):
            self.column[k] = self.columns.pin(self.member[k])
            if self.column[k] == NULL:
                self.size = k
                self.resting = False
                self.release()
                return -1
            self.value[k] = value[self.member[k]]
            self.slope[k] = 0.0
        self.resting = False
        return 0

    cdef KeptMargin keep(self):
        """Return a copy of the margin; go back to it by ``restore``."""
        cdef Py_ssize_t k
        cdef KeptMargin kept = KeptMargin()
        kept.member = np.empty(self.size, dtype=np.intp)
        kept.value = np.empty(self.size)
        for k in range(self.size):
            kept.member[k], kept.value[k] = self.member[k], self.value[k]
        kept.factor = self.factor.keep()
        return kept

    cdef int restore(self, KeptMargin kept) noexcept nogil:
        """Make the margin what it was when it was kept last; -1 (no column) or -2 (memory)."""
        cdef Py_ssize_t k, count = kept.member.shape[0]
        self.release()
        if self.reserve(count) < 0:
            return -2
        for k in range(count):
            self.column[k] = self.columns.pin(kept.member[k])
            if self.column[k] == NULL:
                self.release()
                return -1
            self.member[k], self.value[k], self.slope[k] = kept.member[k], kept.value[k], 0.0
            self.size = k + 1
        self.factor.restore(kept.factor)
        return 0
