"""Changes of a large margin that lie ahead, worked out together.

Whatever row enters or leaves the margin next, the direction changes along one vector: how all
coefficients of the margin, all residuals of other rows and the bias answer to a unit move of that
row. That is a column of the matrix H in

    (r of other rows, coefficients of the margin) = H (coefficients of other rows, r of the margin),

and needs a forward and a backward solve with the factor of the margin system, and a product with
the kernel values of the margin. Each of them reads megabytes for one column; for many columns
at once it reads them once. With a large margin a direction changes little from event to event, so
that most of the rows with the next few dozen events are those that would meet their knots and
levels first if it did not change at all. Their columns are worked out ahead, side by side; a row
that was not among them brings further ones along.

After a change of row e, with its column h_e of that time, any other column becomes

    h_i - h_e (h_i)_e / (h_e)_e,    where its entry e becomes    -(h_i)_e / (h_e)_e

(Tucker's principal pivot transform: an entering row and a leaving one are the same to it). So a
column is brought up to date, when it is needed, by the columns of the changes since.
"""

import numpy as np

from libc.string cimport memcpy, memset

from weightpath.engine._sweep cimport (
    wp_axpy, wp_rotate_rows, wp_subtract_products, wp_subtract_rows,
)

cdef extern from "triangles.h" nogil:
    enum: WP_PANEL
    void wp_forward_panel(Py_ssize_t first, Py_ssize_t m, const double** row, double* X)
    void wp_backward_panel(Py_ssize_t m, const double** row, double* X)

cdef enum:
    # Columns are solved for, and multiplied with the kernel values, in panels of WP_PANEL: so many
    # of them at once at most.
    PANELS = 2
    # Columns that are worked out together, at most, and changes before they are forgotten.
    BLOCK = 32
    CHANGES = 96
    # Room for so many more that were not foreseen.
    MORE = 64

# Rows of a panel that are turned into columns at once.
cdef Py_ssize_t STRIP = 32

# Numbers in a line of the processor's cache, at which panels begin.
cdef Py_ssize_t CACHE_LINE = 8


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
        self.panel = _from_cache_line(np.empty((PANELS + 1) * WP_PANEL * n + CACHE_LINE))
        self.bias, self.share = np.zeros((2, BLOCK))
        self.is_member, self.position = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.intp)
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
        cdef const double* row = self.margin.factor.row[m]
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

    cdef void _carry(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        # Keep what the way forward has found for some columns, of one panel.
        cdef Py_ssize_t k
        cdef const double* X = self._panel_of(first)
        for k in range(self.margin.size):
            memcpy(&self.carried[k, self.n_ahead + first], X + k * WP_PANEL,
                   count * sizeof(double))

    # Columns from the factor ---------------------------------------------------------------

    cdef int _work_out(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t first, c, k
        cdef Py_ssize_t[BLOCK] ordered
        cdef int status
        for k in range(self.margin.size):
            self.is_member[self.margin.member[k]] = 1
            self.position[self.margin.member[k]] = k
        self._order(rows, count, &ordered[0])
        status = self._lay_right_sides(&ordered[0], count)
        if status == 0 and count == 1:
            self._work_out_one()
        first = 0 if count > 1 else 1
        while status == 0 and first < count:
            self._solve(&ordered[0], first, min(<Py_ssize_t> WP_PANEL, count - first))
            status = self._multiply(first, min(<Py_ssize_t> WP_PANEL, count - first))
            first += WP_PANEL
        if status == 0:
            for c in range(count):
                self.row[self.n_ahead] = ordered[c]
                self.stamp[self.n_ahead] = self.n_changes
                self.place[ordered[c]] = self.n_ahead
                self.n_ahead += 1
        for k in range(self.margin.size):
            self.is_member[self.margin.member[k]] = 0
        return status

    cdef void _order(self, const Py_ssize_t* rows, Py_ssize_t count,
                     Py_ssize_t* ordered) noexcept nogil:
        # The right-hand side of a member is zero before it. Members that came last leave first,
        # more often than not: side by side they need only the end of the triangle on the way
        # forward.
        cdef Py_ssize_t c, d, i
        for c in range(count):
            i, d = rows[c], c
            while d > 0 and self._beginning(ordered[d - 1]) > self._beginning(i):
                ordered[d] = ordered[d - 1]
                d -= 1
            ordered[d] = i

    cdef Py_ssize_t _beginning(self, Py_ssize_t i) noexcept nogil:
        # Where the right-hand side of a row is not zero any more.
        return self.position[i] if self.is_member[i] else 0

    cdef double* _panel_of(self, Py_ssize_t c) noexcept nogil:
        # The panel of right-hand sides whose first column is c; the last one is for products.
        return &self.panel[c * self.n]

    cdef int _lay_right_sides(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        # Of a member, a unit vector; of any other row its kernel values with the margin, and those
        # with all rows into its column. What the solution must add up to: zero, or one. One
        # right-hand side alone is no panel.
        cdef Py_ssize_t c, k, i, m = self.margin.size, apart = 1 if count == 1 else WP_PANEL
        cdef const double* col
        cdef double* right
        cdef double* h
        memset(&self.panel[0], 0, (count + WP_PANEL - 1) // WP_PANEL * WP_PANEL * self.n
               * sizeof(double))
        for c in range(count):
            i, h = rows[c], &self.ahead[self.n_ahead + c, 0]
            right = self._panel_of(c // WP_PANEL * WP_PANEL) + c % WP_PANEL
            self.bias[c] = 0.0 if self.is_member[i] else 1.0
            self.was_member[self.n_ahead + c] = self.is_member[i]
            if self.is_member[i]:
                memset(h, 0, self.n * sizeof(double))
                right[self.position[i] * apart] = 1.0
                continue
            col = self.margin.columns.pin(i)
            if col == NULL:
                self.lacks_column = True
                return -1
            memcpy(h, col, self.n * sizeof(double))
            h[i] += self.margin.ridge
            for k in range(m):
                right[k * apart] = col[self.margin.member[k]]
            self.margin.columns.unpin(i)
        return 0

    cdef void _solve(self, const Py_ssize_t* rows, Py_ssize_t first,
                     Py_ssize_t count) noexcept nogil:
        # As `Factor._solve_once`, for a panel; the biases take the place of the sums.
        cdef Py_ssize_t c, m = self.margin.size
        cdef const double** L = <const double**> self.margin.factor.row
        cdef const double* border = self.margin.factor.border
        cdef double* X = self._panel_of(first)
        cdef double* b = &self.bias[first]
        cdef double* share = &self.share[first]
        cdef double ww = 0.0, total
        wp_forward_panel(self._beginning(rows[first]), m, L, X)
        self._carry(first, count)
        if self.margin.factor.bordered:
            memset(share, 0, WP_PANEL * sizeof(double))
            wp_subtract_rows(m, WP_PANEL, WP_PANEL, border, X, share)
            for c in range(m):
                ww += border[c] * border[c]
            for c in range(count):
                total = b[c]
                share[c] = (-share[c] - total) / ww
                b[c] = share[c] + self.margin.factor.lift * total
            wp_subtract_products(m, WP_PANEL, border, share, X)
        else:
            memset(b, 0, count * sizeof(double))
        wp_backward_panel(m, L, X)

    cdef int _multiply(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        # From the solutions the columns, of which the kernel values are there; -1 without memory.
        cdef Py_ssize_t c, k, j, end, strip = 0, m = self.margin.size
        cdef const double* X = self._panel_of(first)
        cdef double* product = self._panel_of(PANELS * WP_PANEL)
        cdef double* h
        if self.margin.columns.multiply_side_by_side(
                &self.is_member[0], self.margin.member, m, X, WP_PANEL, product) < 0:
            return -1
        # Panels are turned strip by strip, which stay in the cache.
        while strip < self.n:
            end = min(strip + STRIP, self.n)
            for c in range(count):
                h = &self.ahead[self.n_ahead + first + c, 0]
                for j in range(strip, end):
                    h[j] = product[j * WP_PANEL + c] + self.bias[first + c] - h[j]
            strip = end
        for k in range(m):
            for c in range(count):
                self.ahead[self.n_ahead + first + c, self.margin.member[k]] = -X[k * WP_PANEL + c]
        for c in range(count):
            self.ahead[self.n_ahead + first + c, self.n] = -self.bias[first + c]
        return 0

    cdef void _work_out_one(self) noexcept nogil:
        # The same for one column, for which a panel would be in vain.
        cdef Py_ssize_t k, j, m = self.margin.size
        cdef double* right = &self.panel[0]
        cdef double* coef = &self.panel[self.n]
        cdef double* product = &self.panel[2 * self.n]
        cdef double* h = &self.ahead[self.n_ahead, 0]
        self.bias[0] = self.margin.factor._solve_once(right, self.bias[0], True)
        for k in range(m):
            self.carried[k, self.n_ahead] = self.margin.factor.ahead[k]
        memset(coef, 0, self.n * sizeof(double))
        for k in range(m):
            coef[self.margin.member[k]] = right[k]
        self.margin.columns.multiply_rest(coef, product)
        for j in range(self.n):
            h[j] = -coef[j] if self.is_member[j] else product[j] + self.bias[0] - h[j]
        h[self.n] = -self.bias[0]


cdef double[::1] _from_cache_line(double[::1] numbers):
    # The same numbers, without some, or all, of the first few.
    cdef Py_ssize_t beyond = <size_t> &numbers[0] % (CACHE_LINE * sizeof(double))
    return numbers[(CACHE_LINE - beyond // <Py_ssize_t> sizeof(double)) % CACHE_LINE:]
