"""Changes of a large margin that lie ahead, worked out together.

Whatever row enters or leaves the margin next, the direction changes along one vector: how all
coefficients of the margin, all residuals of other rows and the bias answer to a unit move of that
row. That is a column of the matrix H in

    (r of other rows, coefficients of the margin) = H (coefficients of other rows, r of the margin),

and needs a forward and a backward solve with the factor of the margin system, and a product with
the kernel values of the margin. Each of them reads megabytes for one column; for many columns
at once it reads them once. With a large margin a direction changes little from event to event, so
that most of the rows with the next few dozen events are those that would meet their knots and
levels first if it did not change at all. Their columns are worked out ahead, in one block.

After a change of row e, with its column h_e of that time, any other column becomes

    h_i - h_e (h_i)_e / (h_e)_e,    where its entry e becomes    -(h_i)_e / (h_e)_e

(Tucker's principal pivot transform: an entering row and a leaving one are the same to it). So a
column is brought up to date, when it is needed, by the columns of the changes since.
"""

import numpy as np

from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dtrsm

from weightpath.engine._sweep cimport wp_axpy, wp_rotate_rows, wp_subtract_rows

cdef enum:
    # Columns that are worked out together, at most, and changes before they are forgotten.
    BLOCK = 48
    CHANGES = 48
    # Room for so many more that were not foreseen.
    MORE = 16
    # Columns in a product with the kernel values: a multiple of the lanes of a processor.
    SIDE_BY_SIDE = 16


cdef class Foresight:
    """Columns of the changes that lie ahead (final).

    Parameters
    ----------
    margin : Margin
        The margin, of a problem in which all products with the kernel matrix are quick.
    n : int
        The rows of the problem.
    """

    def __init__(self, Margin margin, Py_ssize_t n):
        self.margin, self.n = margin, n
        self.on = False
        self.row, self.stamp = np.zeros((2, BLOCK + MORE), dtype=np.intp)
        self.changed = np.zeros(CHANGES, dtype=np.intp)
        self.place = np.full(n, -1, dtype=np.intp)
        self.ahead = np.empty((BLOCK + MORE, n + 1))
        self.change = np.empty((CHANGES + 1, n + 1))
        self.right, self.bias = np.empty(BLOCK * n), np.empty(BLOCK)
        self.coef, self.product = np.zeros((n, SIDE_BY_SIDE)), np.empty((n, SIDE_BY_SIDE))
        self.is_member = np.zeros(n, dtype=np.uint8)
        self.was_member = np.zeros(BLOCK + MORE, dtype=np.uint8)
        self.carried = np.empty((n + 1, BLOCK + MORE))
        self.expected = self.n_ahead = self.n_changes = 0
        self.lacks_column = False

    cdef void clear(self) noexcept nogil:
        """Forget all columns."""
        cdef Py_ssize_t c
        for c in range(self.n_ahead):
            self.place[self.row[c]] = -1
        self.n_ahead = self.n_changes = 0
        self.lacks_column = False

    cdef bint is_fresh(self) noexcept nogil:
        """Whether the columns are those of this margin."""
        return self.n_ahead > 0 and self.expected == self.margin.n_changes

    cdef bint is_used_up(self) noexcept nogil:
        """Whether a row that was not foreseen is a reason to look ahead anew."""
        return self.n_changes >= CHANGES or self.n_ahead >= BLOCK + MORE

    cdef int look_ahead(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        """Work out the columns of up to ``BLOCK`` rows; -1 if that fails."""
        self.clear()
        self.expected = self.margin.n_changes
        return self._work_out(rows, min(count, <Py_ssize_t> BLOCK))

    cdef int look_further(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        """Work out the columns of more rows, as many as there is room for; -1 if that fails."""
        return self._work_out(rows, min(count, BLOCK + MORE - self.n_ahead))

    cdef const double* find(self, Py_ssize_t i) noexcept nogil:
        """The column of row ``i`` for the present margin, -1 for the bias; NULL if not foreseen."""
        cdef Py_ssize_t c = self.place[i], e, n = self.n + 1
        cdef double part
        cdef double* h
        cdef const double* pivot
        if c < 0 or self.n_changes >= CHANGES:
            return NULL
        h = &self.change[self.n_changes, 0]
        memcpy(h, &self.ahead[c, 0], n * sizeof(double))
        for e in range(self.stamp[c], self.n_changes):
            pivot = &self.change[e, 0]
            part = h[self.changed[e]] / pivot[self.changed[e]]
            wp_axpy(n, -part, pivot, h)
            h[self.changed[e]] = -part
        return h

    cdef void note_change(self, Py_ssize_t i) noexcept nogil:
        """Row ``i``, whose column was found last, enters the margin or leaves it."""
        cdef Py_ssize_t j, c = self.place[i]
        cdef const double* h = &self.change[self.n_changes, 0]
        for j in range(self.n + 1):
            self.ahead[c, j] = h[j] / h[i]
        self.ahead[c, i] = 1.0 / h[i]
        self.changed[self.n_changes] = i
        self.n_changes += 1
        self.stamp[c] = self.n_changes
        self.expected += 1

    cdef const double* last_change(self) noexcept nogil:
        """The column of the last change, as it was then."""
        return &self.change[self.n_changes - 1, 0]

    # What the factor needs when a row enters. L^-1 k of any row is to the factor what its own rows
    # are: it grows and shrinks with it.

    cdef bint hand_over(self, Py_ssize_t i) noexcept nogil:
        """Give the factor L^-1 k of row ``i``, which was found last; whether it is known."""
        cdef Py_ssize_t j, c = self.place[i]
        if self.was_member[c]:
            return False
        for j in range(self.margin.size):
            self.margin.factor.ahead[j] = self.carried[j, c]
        return True

    cdef void grow(self, const double* col) noexcept nogil:
        """A row with these kernel values has entered the margin."""
        cdef Py_ssize_t c, m = self.margin.size - 1
        cdef const double* row = self.margin.factor.chol + m * self.margin.factor.capacity
        cdef double* last = &self.carried[m, 0]
        if not self.is_fresh():
            return
        for c in range(self.n_ahead):
            last[c] = col[self.row[c]]
        wp_subtract_rows(m, self.n_ahead, BLOCK + MORE, row, &self.carried[0, 0], last)
        for c in range(self.n_ahead):
            last[c] /= row[m]

    cdef void shrink(self, Py_ssize_t at) noexcept nogil:
        """Member ``at`` has just left the margin; the factor still knows its rotations."""
        cdef Py_ssize_t m = self.margin.size
        if not self.is_fresh():
            return
        wp_rotate_rows(at, m, self.n_ahead, BLOCK + MORE, self.margin.factor.work,
                       self.margin.factor.work + self.margin.factor.capacity,
                       &self.carried[0, 0])

    cdef void _carry(self, Py_ssize_t count) noexcept nogil:
        # Keep what the way forward has found.
        cdef Py_ssize_t j, c, m = self.margin.size
        cdef const double* found = &self.right[0] if count > 1 else self.margin.factor.ahead
        for j in range(m):
            for c in range(count):
                self.carried[j, self.n_ahead + c] = found[c * m + j]

    # Columns from the factor ---------------------------------------------------------------

    cdef int _work_out(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t first, c, k
        cdef int status
        for k in range(self.margin.size):
            self.is_member[self.margin.member[k]] = 1
        status = self._lay_right_sides(rows, count)
        if status == 0:
            self._solve(count)
            if count == 1:
                self._multiply_one()
            first = 0 if count > 1 else 1
            while status == 0 and first < count:
                status = self._multiply(first, min(<Py_ssize_t> SIDE_BY_SIDE, count - first))
                first += SIDE_BY_SIDE
        if status == 0:
            for c in range(count):
                self.row[self.n_ahead] = rows[c]
                self.stamp[self.n_ahead] = self.n_changes
                self.place[rows[c]] = self.n_ahead
                self.n_ahead += 1
        for k in range(self.margin.size):
            self.is_member[self.margin.member[k]] = 0
        return status

    cdef int _lay_right_sides(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        # Of a member, a unit vector; of any other row its kernel values with the margin, and those
        # with all rows into its column. What the solution must add up to: zero, or one.
        cdef Py_ssize_t c, k, i, m = self.margin.size
        cdef const double* col
        cdef double* right
        cdef double* h
        for c in range(count):
            i, right, h = rows[c], &self.right[c * m], &self.ahead[self.n_ahead + c, 0]
            self.bias[c] = 0.0 if self.is_member[i] else 1.0
            self.was_member[self.n_ahead + c] = self.is_member[i]
            if self.is_member[i]:
                memset(h, 0, self.n * sizeof(double))
                for k in range(m):
                    right[k] = 1.0 if self.margin.member[k] == i else 0.0
                continue
            col = self.margin.columns.pin(i)
            if col == NULL:
                self.lacks_column = True
                return -1
            memcpy(h, col, self.n * sizeof(double))
            h[i] += self.margin.ridge
            for k in range(m):
                right[k] = col[self.margin.member[k]]
            self.margin.columns.unpin(i)
        return 0

    cdef void _solve(self, Py_ssize_t count) noexcept nogil:
        # As `Factor._solve_once`, for all right-hand sides; the biases take the place of the sums.
        cdef Py_ssize_t c, k, m = self.margin.size
        cdef bint bordered = self.margin.factor.bordered
        cdef const double* border = self.margin.factor.border
        cdef double* L = self.margin.factor.chol
        cdef int size = <int> m, width = <int> self.margin.factor.capacity, many = <int> count
        cdef double unit = 1.0, wy, ww = 0.0, b
        cdef double* x
        if count == 1:
            # A block of one would be packed in vain.
            self.bias[0] = self.margin.factor._solve_once(&self.right[0], self.bias[0], True)
            self._carry(1)
            return
        dtrsm(b"L", b"U", b"T", b"N", &size, &many, &unit, L, &width, &self.right[0], &size)
        self._carry(count)
        for k in range(m):
            ww += border[k] * border[k]
        for c in range(count if bordered else 0):
            x, wy = &self.right[c * m], 0.0
            for k in range(m):
                wy += border[k] * x[k]
            b = (wy - self.bias[c]) / ww
            for k in range(m):
                x[k] -= b * border[k]
            self.bias[c] = b + self.margin.factor.lift * self.bias[c]
        if not bordered:
            for c in range(count):
                self.bias[c] = 0.0
        dtrsm(b"L", b"U", b"N", b"N", &size, &many, &unit, L, &width, &self.right[0],
              &size)

    cdef int _multiply(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        # From the solutions the columns, of which the kernel values are there; -1 without memory.
        cdef Py_ssize_t c, k, j, m = self.margin.size
        cdef double* h
        for k in range(m):
            j = self.margin.member[k]
            for c in range(SIDE_BY_SIDE):
                self.coef[j, c] = self.right[(first + c) * m + k] if c < count else 0.0
        if self.margin.columns.multiply_side_by_side(
                &self.is_member[0], &self.coef[0, 0], SIDE_BY_SIDE, &self.product[0, 0]) < 0:
            return -1
        for c in range(count):
            h = &self.ahead[self.n_ahead + first + c, 0]
            for j in range(self.n):
                h[j] = self.product[j, c] + self.bias[first + c] - h[j]
            for k in range(m):
                h[self.margin.member[k]] = -self.right[(first + c) * m + k]
            h[self.n] = -self.bias[first + c]
        return 0

    cdef void _multiply_one(self) noexcept nogil:
        # The same for one column.
        cdef Py_ssize_t k, j, m = self.margin.size
        cdef double* coef = &self.right[self.n]
        cdef double* product = &self.right[2 * self.n]
        cdef double* h = &self.ahead[self.n_ahead, 0]
        memset(coef, 0, self.n * sizeof(double))
        for k in range(m):
            coef[self.margin.member[k]] = self.right[k]
        self.margin.columns.multiply_rest(coef, product)
        for j in range(self.n):
            h[j] = -coef[j] if self.is_member[j] else product[j] + self.bias[0] - h[j]
        h[self.n] = -self.bias[0]
