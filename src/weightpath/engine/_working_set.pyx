"""A working-set solver for staircase problems: pairs of rows, one up and one down.

The sum of the coefficients stays as it is, so the smallest step moves two rows. With the gradient
``g = t - K beta``, a row can rise if ``g`` minus the level above it exceeds the bias, and fall if
``g`` minus the level below it is less than the bias; at the solution

    max_i (g_i - above_i)  <=  b  <=  min_j (g_j - below_j) .

The row that violates this most rises, and the one that promises the largest gain to second order
[1] falls; the step ends at the optimum or where one of the two meets a knot. Rows that are at a
knot and far from moving are set aside for a while, and looked at again before the end. Where few
rows are left, their part of each column is packed, in single precision: most steps are those, and
reading columns is what they cost. The gradient is made up to date from the columns themselves when
all rows are looked at again. Columns come from the cache that the path uses afterwards. The result
is approximate: :func:`weightpath.engine.solve` makes it exact.

References
----------
.. [1] R.-E. Fan, P.-H. Chen and C.-J. Lin, Working set selection using second order information for
   training support vector machines, JMLR 6, 2005.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.float cimport FLT_EPSILON
from libc.math cimport INFINITY, fabs, isfinite, sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from weightpath.engine._results cimport CAP, END, INTERRUPTED, NO_COLUMN
from weightpath.kernels._columns cimport Columns, add_multiple

cdef extern from "working_set.h" nogil:
    double ws_apply_step(Py_ssize_t n, const int32_t* index, double step, const double* up,
                         const double* down, const float* packed_up, const float* packed_down,
                         double* g, const double* above, Py_ssize_t* where)
    double ws_choose_partner(Py_ssize_t n, const int32_t* index, double top, double own,
                             double least, const double* column, const float* packed,
                             const double* diag, const double* g, const double* below,
                             Py_ssize_t* where)

# Equal rows have no curvature between them; so much of the largest diagonal entry stands for it.
cdef double LEAST_CURVATURE = 1e-12

# Once so large a share of the columns was needed, and rows that have a coefficient or want one are
# at least this share of all, the other columns are expected to be needed, too.
cdef double FILL_SHARE = 0.25
cdef double WANTED_SHARE = 0.5
cdef Py_ssize_t NEVER = 1 << 62

# Steps between two looks at which rows can be set aside, or as many as there are rows.
cdef Py_ssize_t SET_ASIDE_EVERY = 1000

# Rows read between two looks at whether the user interrupts: a few milliseconds. While columns are
# computed, these look, too.
cdef Py_ssize_t PAUSE_AFTER = 1 << 22


# Entries of the active rows are packed where they are at most this part of what is there, in memory
# of at most this part of the budget for columns; but no more once all rows were looked at so often.
# Otherwise they are picked out of columns if they are at most this part: as each costs more then.
cdef double PICKED_PART = 0.4
cdef double PACKED_PART = 0.7
cdef double PACKED_MEMORY = 0.1
cdef Py_ssize_t MOST_RETURNS = 10
# They serve until their roundings, in steps of both signs, come to this part of the tolerance.
cdef double NOISY_PART = 0.1
# Kernel values outside of these are none for single precision.
cdef double TINY = 1e-20
cdef double HUGE = 1e20


cdef class WorkingSet:
    """Coefficients on their way to an approximate solution.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem, with a bias.
    beta : ndarray of shape (n,)
        Coefficients within their bounds that have the right sum.
    gradient : ndarray of shape (n,)
        Targets minus the kernel matrix, with its ridge, times ``beta``.
    ridge : float
        Added to the diagonal of the kernel matrix.

    Attributes
    ----------
    n_steps : int
        Steps so far.
    gap : float
        What was left of the largest violation when it was looked at last.
    """

    def __init__(self, Columns columns, stair, beta, gradient, double ridge=0.0):
        cdef Py_ssize_t i
        cdef double largest = 0.0
        self.columns = columns
        self.n, self.n_knots = stair.knots.shape
        self.knots, self.levels = stair.knots, stair.levels
        self.ridge = ridge
        for i in range(self.n):
            largest = max(largest, columns.diag[i])
        self.largest = largest
        self.least_curvature = LEAST_CURVATURE * largest or 1.0
        self.beta, self.gradient = np.array(beta, dtype=float), np.array(gradient, dtype=float)
        self.moved, self.diagonal = np.zeros(self.n), np.empty(self.n)
        self.g, self.above, self.below = np.empty((3, self.n))
        self.row = np.empty(self.n, dtype=np.int32)
        self.is_packed = np.empty(self.n, dtype=np.uint8)
        # Of all that is packed, with four bytes for a number.
        budget = getattr(columns, "cache_mb", 0.0)
        self.most_packed = <Py_ssize_t> sqrt(PACKED_MEMORY * 1e6 * budget / 4.0)
        if not TINY < largest < HUGE:
            self.most_packed = 0
        self.gap = INFINITY
        self.fill_from = columns.n_computed + <Py_ssize_t> (FILL_SHARE * self.n)
        self.activate_all()

    def __dealloc__(self):
        free(self.pool)

    def run(self, double tolerance, Py_ssize_t max_steps, callback=None):
        """Take steps until no violation exceeds the tolerance; return whether that was reached.

        Parameters
        ----------
        tolerance : float
            The largest difference of the two sides of the condition above that may be left.
        max_steps : int
            The most steps to take.
        callback : callable or None, default=None
            Called now and then as ``callback(n_steps, gap)``; an exception that it raises is passed
            on.
        """
        cdef int code
        self.tolerance, self.callback, self.error = tolerance, callback, None
        with nogil:
            code = self.descend(self.n_steps + max_steps)
        if code == INTERRUPTED:
            raise self.error
        if code == NO_COLUMN:
            self.columns.raise_error()
        return code == END

    @property
    def coefficients(self):
        """The coefficients now (a copy)."""
        return np.array(self.beta)

    @property
    def bias(self):
        """The bias that suits the free rows in the mean; without any, the middle of its bounds."""
        cdef Py_ssize_t k, n_free = 0
        cdef double total = 0.0
        for k in range(self.n_active):
            if self.above[k] == self.below[k]:
                total += self.g[k] - self.above[k]
                n_free += 1
        return total / n_free if n_free else self.top - 0.5 * self.gap

    @property
    def is_finite(self):
        """Whether no number has overflowed."""
        cdef Py_ssize_t i
        for i in range(self.n):
            if not isfinite(self.beta[i]):
                return False
        return isfinite(self.bias)

    # The steps -----------------------------------------------------------------------------

    cdef int descend(self, Py_ssize_t max_steps) noexcept nogil:
        """Choose a pair of rows, move it, and again until nothing is left to gain."""
        cdef Py_ssize_t down = -1, last_look = self.n_steps
        cdef Py_ssize_t look_every = min(self.n, SET_ASIDE_EVERY)
        cdef Column rising
        cdef double bottom
        while True:
            if self.work > PAUSE_AFTER and self.pause() < 0:
                return INTERRUPTED
            if self.choose_pair(&rising, &down, &bottom) < 0:
                return NO_COLUMN
            if down < 0:
                if self.n_active == self.n_movable:
                    return END
                if self.bring_back() < 0:
                    return NO_COLUMN
                last_look = self.n_steps
                continue
            if self.n_steps >= max_steps:
                self.close_column(self.highest, &rising)
                return CAP
            if self.move_pair(down, &rising) < 0:
                return NO_COLUMN
            if self.pool != NULL and self.noise > (NOISY_PART * self.tolerance) ** 2:
                if self.bring_back() < 0:
                    return NO_COLUMN
                last_look = self.n_steps
            elif self.n_steps - last_look >= look_every:
                self.set_aside(bottom)
                last_look = self.n_steps

    cdef int choose_pair(self, Column* rising, Py_ssize_t* down, double* bottom) noexcept nogil:
        """Find the row that falls while the highest rises; -1 if a column could not be computed.

        Out: the column of the highest row, open; the row that falls, -1 if there is nothing to
        gain, and then no column is open; the least ``g - below``.
        """
        down[0] = -1
        if self.highest < 0:
            return 0
        if not self.open_column(self.highest, rising):
            return -1
        bottom[0] = ws_choose_partner(
            self.n_active, self.index(), self.top, self.diagonal[self.highest],
            self.least_curvature, rising.full, rising.packed, &self.diagonal[0], &self.g[0],
            &self.below[0], down)
        self.gap = self.top - bottom[0]
        if self.gap <= self.tolerance or down[0] < 0:
            self.close_column(self.highest, rising)
            down[0] = -1
        return 0

    cdef int move_pair(self, Py_ssize_t down, Column* rising) noexcept nogil:
        """Let the highest row rise and another fall, to the optimum or the first knot."""
        cdef Py_ssize_t up = self.highest, i = self.row[up], j = self.row[down]
        cdef double step, curvature
        cdef Column falling
        if not self.open_column(down, &falling):
            self.close_column(up, rising)
            return -1
        curvature = rising.full[j] if rising.full != NULL else self.entry(up, down, rising)
        curvature = self.diagonal[up] + self.diagonal[down] - 2.0 * curvature
        step = (self.top - self.g[down] + self.below[down]) / max(curvature, self.least_curvature)
        step = min(step, self.knot_ahead(i, 1) - self.beta[i],
                   self.beta[j] - self.knot_ahead(j, -1))
        self.move_row(i, step)
        self.move_row(j, -step)
        self.g[up] -= self.ridge * step
        self.g[down] += self.ridge * step
        self.place_row(up)
        self.place_row(down)
        self.top = ws_apply_step(
            self.n_active, self.index(), step, rising.full, falling.full, rising.packed,
            falling.packed, &self.g[0], &self.above[0], &self.highest)
        self.close_column(up, rising)
        self.close_column(down, &falling)
        self.n_steps += 1
        self.work += 2 * self.n_active
        if rising.packed != NULL:
            self.noise += (step * FLT_EPSILON * self.largest) ** 2
        return 0

    cdef void move_row(self, Py_ssize_t i, double step) noexcept nogil:
        # A step that ends at a knot ends there exactly: rows at knots are told by equality.
        cdef double before = self.beta[i], knot = self.knot_ahead(i, 1 if step > 0.0 else -1)
        self.beta[i] = knot if fabs(knot - before) <= fabs(step) else before + step
        self.moved[i] += self.beta[i] - before

    cdef double knot_ahead(self, Py_ssize_t i, int direction) noexcept nogil:
        """The next knot of row ``i`` above or below its coefficient, infinite if there is none."""
        cdef Py_ssize_t q
        if direction > 0:
            for q in range(self.n_knots):
                if self.knots[i, q] > self.beta[i]:
                    return self.knots[i, q]
            return INFINITY
        for q in range(self.n_knots - 1, -1, -1):
            if self.knots[i, q] < self.beta[i]:
                return self.knots[i, q]
        return -INFINITY

    cdef void place_row(self, Py_ssize_t k) noexcept nogil:
        """The levels above and below an active row; between knots they are one."""
        cdef Py_ssize_t i = self.row[k], below = 0, above
        while below < self.n_knots and self.knots[i, below] < self.beta[i]:
            below += 1
        above = below
        while above < self.n_knots and self.knots[i, above] == self.beta[i]:
            above += 1
        self.below[k], self.above[k] = self.levels[i, below], self.levels[i, above]

    # The active rows -----------------------------------------------------------------------

    cdef void activate_all(self) noexcept nogil:
        """Pack all rows that can move; those whose knots coincide never do."""
        cdef Py_ssize_t i, k = 0
        self.unpack()
        for i in range(self.n):
            self.row[k] = <int32_t> i
            self.place_row(k)
            if self.above[k] < INFINITY or self.below[k] > -INFINITY:
                self.g[k] = self.gradient[i]
                self.diagonal[k] = self.columns.diag[i] + self.ridge
                k += 1
        self.n_active = self.n_movable = k
        self.find_highest()

    cdef void set_aside(self, double bottom) noexcept nogil:
        """Keep only rows that could be chosen if the bias is between ``bottom`` and ``top``.

        But only where they are few: then their entries are packed, or picked out of columns.
        """
        cdef Py_ssize_t k, kept = 0
        cdef bint packing
        for k in range(self.n_active):
            kept += not self.is_far(k, bottom)
        packing = (kept <= PACKED_PART * self.n_active and kept <= self.most_packed
                   and self.n_returns <= MOST_RETURNS)
        if not packing and (self.pool != NULL or kept > PICKED_PART * self.n):
            return
        kept = 0
        for k in range(self.n_active):
            if self.is_far(k, bottom):
                continue
            self.row[kept], self.g[kept] = self.row[k], self.g[k]
            self.above[kept], self.below[kept] = self.above[k], self.below[k]
            self.diagonal[kept] = self.diagonal[k]
            kept += 1
        self.n_active = kept
        if packing:
            self.pack()
        self.find_highest()

    cdef bint is_far(self, Py_ssize_t k, double bottom) noexcept nogil:
        # Whether an active row can neither rise nor fall.
        return self.g[k] - self.above[k] < bottom and self.g[k] - self.below[k] > self.top

    cdef int bring_back(self) noexcept nogil:
        """Bring the gradient of all rows up to date and let them all take part again."""
        cdef Py_ssize_t i
        cdef const double* column
        for i in range(self.n):
            if self.moved[i] == 0.0:
                continue
            column = self.pin_row(i)
            if column == NULL:
                return -1
            add_multiple(-self.moved[i], column, self.n, &self.gradient[0])
            self.columns.unpin(i)
            self.gradient[i] -= self.ridge * self.moved[i]
            self.moved[i] = 0.0
            self.work += self.n
        self.n_returns += 1
        self.activate_all()
        return 0

    cdef void find_highest(self) noexcept nogil:
        cdef Py_ssize_t k
        self.top, self.highest = -INFINITY, -1
        for k in range(self.n_active):
            if self.g[k] - self.above[k] > self.top:
                self.top, self.highest = self.g[k] - self.above[k], k

    cdef const int32_t* index(self) noexcept nogil:
        """The place of each active row in a column; NULL if they are all, in order."""
        return NULL if self.pool != NULL or self.n_active == self.n else &self.row[0]

    # Packed columns ------------------------------------------------------------------------

    cdef void pack(self) noexcept nogil:
        """Go over to columns of the active rows only."""
        self.unpack()
        self.noise = 0.0
        # Memory that is not written to is not used.
        self.pool = <float*> malloc(self.n_active * self.n_active * sizeof(float) + 1)
        memset(&self.is_packed[0], 0, self.n)

    cdef void unpack(self) noexcept nogil:
        free(self.pool)
        self.pool = NULL

    cdef const float* packed_column(self, Py_ssize_t k) noexcept nogil:
        """The entries of an active row's column, packed when it is first asked for."""
        cdef Py_ssize_t j
        cdef float* packed = self.pool + k * self.n_active
        cdef const double* column
        if not self.is_packed[k]:
            column = self.pin_row(self.row[k])
            if column == NULL:
                return NULL
            for j in range(self.n_active):
                packed[j] = <float> column[self.row[j]]
            self.columns.unpin(self.row[k])
            self.is_packed[k] = True
            self.work += self.n_active
        return packed

    # Columns and the caller ----------------------------------------------------------------

    cdef bint open_column(self, Py_ssize_t k, Column* column) noexcept nogil:
        """The column of an active row, to be closed; False if it could not be computed."""
        column.full, column.packed = NULL, NULL
        if self.pool == NULL:
            column.full = self.pin_row(self.row[k])
            return column.full != NULL
        column.packed = self.packed_column(k)
        return column.packed != NULL

    cdef void close_column(self, Py_ssize_t k, Column* column) noexcept nogil:
        if column.full != NULL:
            self.columns.unpin(self.row[k])

    cdef double entry(self, Py_ssize_t k, Py_ssize_t other, Column* packed) noexcept nogil:
        """The kernel value of two active rows, in double precision where it is at hand."""
        cdef double value = packed.packed[other]
        cdef const double* column = NULL
        if self.columns.holds(self.row[k]):
            column = self.columns.pin(self.row[k])
        if column != NULL:
            value = column[self.row[other]]
            self.columns.unpin(self.row[k])
        return value

    cdef const double* pin_row(self, Py_ssize_t i) noexcept nogil:
        if self.columns.n_computed >= self.fill_from:
            self.fill_from += <Py_ssize_t> (0.25 * FILL_SHARE * self.n) + 1
            if self.wants_most():
                self.fill_from = NEVER
                if self.columns.fill() < 0:
                    return NULL
        return self.columns.pin(i)

    cdef bint wants_most(self) noexcept nogil:
        """Whether many rows have a coefficient, or are on their way to one."""
        cdef Py_ssize_t i, k, count = 0
        cdef double bias = self.top - (0.5 * self.gap if self.gap < INFINITY else 0.0)
        for i in range(self.n):
            count += self.beta[i] != 0.0
        for k in range(self.n_active):
            count += self.beta[self.row[k]] == 0.0 and (
                self.g[k] - self.above[k] > bias or self.g[k] - self.below[k] < bias)
        return count >= WANTED_SHARE * self.n

    cdef int pause(self) noexcept nogil:
        """Let the user interrupt, and report the progress to the callback."""
        self.work = 0
        with gil:
            try:
                PyErr_CheckSignals()
                if self.callback is not None:
                    self.callback(self.n_steps, self.gap)
            except BaseException as error:
                self.error = error
                return -1
        return 0
