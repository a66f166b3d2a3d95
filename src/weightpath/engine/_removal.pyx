"""Rows taken out of one solved problem, again and again from the same solution.

A row goes when its knots go to zero. What a loop sets up for one line is set up once here; each
removal restores the few arrays that a path changes. Nothing but the knots of the rows that go, and
perhaps the total, moves.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from weightpath import tolerances as _tolerances
from weightpath.engine._answers cimport ASTRAY, END, GOING, NO_COLUMN, NO_MEMORY
from weightpath.engine._loop cimport Loop
from weightpath.engine._loop import ANSWERS
from weightpath.engine._watch cimport RowWatch
from weightpath.problems._position cimport (
    at_knot, interval_of, is_at_knot, is_free, knot_of, lower_level, upper_level,
)

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"
    void wp_axpy(Py_ssize_t n, double a, const double* x, double* y)

cdef double TOL_END = _tolerances.END


cdef class RemovalLoop(Loop):
    """Removals of rows from a solved problem.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem; its levels and targets stay.
    state : State
        Its exact solution, with rows at equal knots sorted out.
    ridge : float
        Added to the diagonal of the kernel matrix.
    """

    def __init__(self, columns, stair, state, double ridge=0.0):
        super().__init__(columns, stair, stair, state.position, state.beta, state.bias, ridge)
        try:
            if self.assemble(np.ascontiguousarray(state.margin, dtype=np.intp)):
                raise ValueError("The margin of the shared solution depends on itself.")
            self.watch_rows(state.residual)
            self._keep(stair)
        finally:
            self.close()

    cdef _keep(self, stair):
        # What every removal begins with.
        cdef RowWatch watch = self.watch
        self.followed = watch
        self.base_knots = stair.knots
        self.knots_start, self.knots_end = np.array(stair.knots), np.array(stair.knots)
        self.stairs.knot0, self.stairs.knot1 = self.knots_start, self.knots_end
        self.stairs.knots_move = True
        self.base_beta = np.array(self.beta)
        self.base_residual = np.array(watch.r)
        self.base_lo, self.base_up = np.array(watch.lo), np.array(watch.up)
        self.base_position = np.array(self.stairs.position)
        self.base_margin = np.array(self.margin.members, dtype=np.intp)
        self.order = np.empty(max(1, self.base_margin.shape[0]), dtype=np.intp)
        self.gone = np.empty(0, dtype=np.intp)
        self.base_bias, self.base_total = self.bias, stair.total
        self.base_rounding, self.base_tolerance = self.rounding, self.tol_residual

    def without(self, const Py_ssize_t[::1] rows, double total):
        """Take rows out, while the total goes to ``total``; return the answer as a word.

        It is "end" only where the end was verified from the kernel.
        """
        cdef int answer
        cdef Py_ssize_t k
        self.callback = self.error = None
        for k in range(self.gone.shape[0]):
            self.knots_start[self.gone[k], :] = self.base_knots[self.gone[k], :]
            self.knots_end[self.gone[k], :] = self.base_knots[self.gone[k], :]
        self.gone = np.array(rows)
        try:
            with nogil:
                answer = self._begin(total)
                if answer == GOING:
                    answer = self._run()
                if answer == END:
                    answer = self._arrive()
        finally:
            self.close()
        if self.error is not None:
            raise self.error
        if answer == NO_COLUMN:
            self.columns.raise_error()
        if answer == NO_MEMORY:
            raise MemoryError("Not enough memory to follow the path.")
        return ANSWERS[answer]

    def changes(self):
        """Return the rows whose coefficients changed, and by how much."""
        change = np.asarray(self.beta) - np.asarray(self.base_beta)
        rows = np.flatnonzero(change)
        return rows, change[rows]

    @property
    def arrived(self):
        """Coefficients and residuals where the path has arrived (copies)."""
        return np.array(self.beta), np.array(self.product)

    def residuals_at(self, rows):
        """Return the residuals of some rows where the path has arrived."""
        return np.asarray(self.product)[rows]

    cdef int _begin(self, double total) noexcept nogil:
        """Restore the shared solution and set out for the one without the rows in ``gone``."""
        cdef Py_ssize_t n = self.stairs.n, size = n * sizeof(double), k, count = 0
        memcpy(&self.followed.r[0], &self.base_residual[0], size)
        memcpy(&self.followed.lo[0], &self.base_lo[0], size)
        memcpy(&self.followed.up[0], &self.base_up[0], size)
        memset(&self.followed.g[0], 0, size)
        memset(&self.followed.dr[0], 0, size)
        memset(&self.target_slope[0], 0, size)
        memcpy(&self.beta[0], &self.base_beta[0], size)
        memcpy(&self.stairs.position[0], &self.base_position[0], n * sizeof(int))
        self.followed.pending = 0.0
        self.followed.barred = -1
        self.theta = self.bias_slope = self.largest_shift = self.violation = 0.0
        self.bias, self.rounding, self.tol_residual = (
            self.base_bias, self.base_rounding, self.base_tolerance)
        self.total_end, self.total_slope = total, total - self.base_total
        self.since = self.since_full = self.zero_run = self.still = self.checks = 0
        self.n_events = self.n_exchanges = self.n_zero = self.n_shifts = self.n_refreshes = 0
        self.margin_sum = 0
        self.last = -1
        self.record.n_segments = self.record.n_events = self.record.n_entries = 0
        for k in range(self.gone.shape[0]):
            if self._depart(self.gone[k]) < 0:
                return NO_COLUMN
        for k in range(self.base_margin.shape[0]):
            if is_free(self.stairs.position[self.base_margin[k]]):
                self.order[count] = self.base_margin[k]
                count += 1
        self._measure()
        return self._push_margin(count)

    cdef int _depart(self, Py_ssize_t i) noexcept nogil:
        """Let the knots of a row go to zero; those of a free row begin where it stands."""
        cdef Py_ssize_t j
        cdef int p = self.stairs.position[i]
        cdef double factor, speed
        cdef const double* col
        if is_free(p) and self.beta[i] != 0.0:
            j = interval_of(p) if self.beta[i] > 0.0 else interval_of(p) - 1
            factor = self.beta[i] / self.base_knots[i, j]
            p = at_knot(j)
            for j in range(self.stairs.m):
                self.knots_start[i, j] = factor * self.base_knots[i, j]
            self.knots_start[i, knot_of(p)] = self.beta[i]
            self._stand_at_knot(i, p)
        for j in range(self.stairs.m):
            self.knots_end[i, j] = 0.0
        speed = -self.knots_start[i, knot_of(p)] if is_at_knot(p) else 0.0
        if speed != 0.0:
            col = self.columns.pin(i)
            if col == NULL:
                return -1
            self._knot_speed(i, col, speed)
            self.columns.unpin(i)
        return 0

    cdef int _push_margin(self, Py_ssize_t count) noexcept nogil:
        """Make the free rows that stay, in ``order``, the margin."""
        cdef Py_ssize_t k
        cdef const double* col
        cdef int code
        if count == 0:
            return GOING
        code = self.margin.push_all(&self.order[0], count, &self.beta[0])
        if code == 0:
            return GOING
        if code == -1:
            return NO_COLUMN
        if code == -2:
            return NO_MEMORY
        for k in range(count):
            col = self.columns.pin(self.order[k])
            if col == NULL:
                return NO_COLUMN
            if (self.margin.depends(self.order[k], col) != 0
                    or self.margin.push(self.order[k], col, self.beta[self.order[k]]) != 0):
                self.columns.unpin(self.order[k])
                return ASTRAY
        return GOING

    cdef int _arrive(self) noexcept nogil:
        """Residuals at the end from the columns of what has changed; END if they are right.

        They are added up row by row, so that they do not depend on which columns are kept.
        """
        cdef Py_ssize_t i, k, n = self.stairs.n, last = self.stairs.m - 1
        cdef long double total = 0.0
        cdef double change, limit = TOL_END * (self.residual_scale or 1.0)
        cdef const double* col
        self._measure()
        limit += 2.0 * self.tol_residual
        for i in range(n):
            self.product[i] = self.base_residual[i] - (self.bias - self.base_bias)
            # Rounding must not put a coefficient beyond its bounds.
            if self.stairs.level1[i, 0] <= -FAR:
                self.beta[i] = max(self.beta[i], self.knots_end[i, 0])
            if self.stairs.level1[i, last + 1] >= FAR:
                self.beta[i] = min(self.beta[i], self.knots_end[i, last])
            total += self.beta[i]
        for i in range(n):
            change = self.beta[i] - self.base_beta[i]
            if change == 0.0:
                continue
            col = self.columns.pin(i)
            if col == NULL:
                return NO_COLUMN
            wp_axpy(n, -change, col, &self.product[0])
            self.columns.unpin(i)
            self.product[i] -= self.margin.ridge * change
        if self.bordered:
            self.violation = self.margin.scale * fabs(<double> total - self.total_end)
        for i in range(n):
            self.violation = max(self.violation, self._row_violation(i))
        self.has_free_member = False
        for k in range(self.margin.size):
            self.has_free_member = self.has_free_member or self._is_free(k)
        return END if self.violation <= limit else ASTRAY

    cdef double _row_violation(self, Py_ssize_t i) noexcept nogil:
        # How far the residual of a row is from where its position wants it.
        cdef Py_ssize_t p = self.stairs.position[i]
        return max(self.stairs.level1[i, lower_level(p)] - self.product[i],
                   self.product[i] - self.stairs.level1[i, upper_level(p)])

    cdef bint _is_free(self, Py_ssize_t k) noexcept nogil:
        # Whether a member of the margin is away from both its knots.
        cdef int side
        for side in range(-1, 2, 2):
            if self._is_at_knot(k, side):
                return False
        return True
