"""Rows removed from one solved problem, each time from the same solution.

A row goes when its knots go to zero. The loop is set up once; each removal goes back to the shared
solution and restores the few arrays that a path changes. Only the knots of the rows that go, and
perhaps the total, move.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memcpy

from weightpath import tolerances as _tolerances
from weightpath.engine._loop cimport Loop, check
from weightpath.engine._results cimport ASTRAY, END, GOING, NO_COLUMN, NO_MEMORY, result_of
from weightpath.engine._row_residuals cimport RowResiduals
from weightpath.engine._sweep cimport FAR, wp_axpy
from weightpath.problems._position cimport (
    at_knot, interval_of, is_at_knot, is_free, knot_of, lower_level, upper_level,
)

cdef double TOL_END = _tolerances.END


cdef class Removals:
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
        self.loop = Loop(columns, stair.has_bias, ridge)
        self.state = self.loop.state
        try:
            if self.loop.reset(stair, stair, state.position, state.beta, state.bias, state.margin):
                raise ValueError("The margin of the shared solution depends on itself.")
            self.state.begin(self.state.position, state.residual)
            self._keep(stair)
        finally:
            self.loop.close()

    cdef _keep(self, stair):
        # What every removal begins with.
        cdef RowResiduals residuals = self.state.residuals
        self.residuals = residuals
        self.base_knots = stair.knots
        self.knots_start, self.knots_end = np.array(stair.knots), np.array(stair.knots)
        self.state.stairs.knot0, self.state.stairs.knot1 = self.knots_start, self.knots_end
        self.state.stairs.knots_move = True
        self.base_beta = np.array(self.state.beta)
        self.base_residual = np.array(residuals.r)
        self.base_lower, self.base_upper = np.array(residuals.lo), np.array(residuals.up)
        self.base_position = np.array(self.state.stairs.position)
        self.base_margin = np.array(self.state.margin.members, dtype=np.intp)
        self.base_bias, self.base_total = self.state.bias, stair.total
        self.base_scales = self.state.scales.copy()
        self.staying = np.empty(max(1, self.base_margin.shape[0]), dtype=np.intp)
        self.gone = np.empty(0, dtype=np.intp)
        self.end_residual = np.empty(self.base_beta.shape[0])

    def limit_events(self, Py_ssize_t max_events):
        """Stop removals after so many events."""
        self.state.guard.max_events = max_events

    def without(self, const Py_ssize_t[::1] rows, double total):
        """Take rows out, while the total goes to ``total``; return why the loop stopped.

        It is ``Result.END`` only where the end was verified from the kernel.
        """
        cdef int code
        self.loop.callback = self.loop.error = None
        self._restore_knots(self.gone)
        self.gone = np.array(rows)
        try:
            with nogil:
                code = self._begin(total)
                if code == GOING:
                    code = self.loop.follow()
                if code == END:
                    code = self._verify()
        finally:
            self.loop.close()
        return result_of(check(self.loop, code))

    @property
    def bias(self):
        """The bias at the end."""
        return self.state.bias

    @property
    def n_events(self):
        """The events on the path."""
        return self.state.recorder.n_events

    @property
    def position(self):
        """Where each row is on its staircase at the end (a copy)."""
        return self.state.position

    @property
    def arrived(self):
        """Coefficients and residuals at the end (copies)."""
        return np.array(self.state.beta), np.array(self.end_residual)

    def changes(self):
        """Return the rows whose coefficients changed, and by how much."""
        change = np.asarray(self.state.beta) - np.asarray(self.base_beta)
        rows = np.flatnonzero(change)
        return rows, change[rows]

    def residuals_at(self, rows):
        """Return the residuals of some rows at the end."""
        return np.asarray(self.end_residual)[rows]

    cdef void _restore_knots(self, const Py_ssize_t[::1] rows) noexcept nogil:
        cdef Py_ssize_t k, j
        for k in range(rows.shape[0]):
            for j in range(self.state.stairs.m):
                self.knots_start[rows[k], j] = self.base_knots[rows[k], j]
                self.knots_end[rows[k], j] = self.base_knots[rows[k], j]

    cdef int _begin(self, double total) noexcept nogil:
        """Go back to the shared solution and set out for the one without the rows in ``gone``."""
        cdef Py_ssize_t k, count = 0
        self.state.line.reset_to_still(self.base_total, total)
        self.state.scales.restore(self.base_scales)
        self.residuals.reset(&self.base_residual[0], &self.base_lower[0], &self.base_upper[0])
        memcpy(&self.state.stairs.position[0], &self.base_position[0],
               self.state.stairs.n * sizeof(int))
        self.state.restart(&self.base_beta[0], self.base_bias)
        for k in range(self.gone.shape[0]):
            if self._depart(self.gone[k]) < 0:
                return NO_COLUMN
        for k in range(self.base_margin.shape[0]):
            if is_free(self.state.stairs.position[self.base_margin[k]]):
                self.staying[count] = self.base_margin[k]
                count += 1
        self.state.measure()
        return self._push_margin(count)

    cdef int _depart(self, Py_ssize_t i) noexcept nogil:
        """Let the knots of a row go to zero; those of a free row begin at its coefficient."""
        cdef Py_ssize_t j
        cdef int p = self.state.stairs.position[i]
        cdef double factor, speed, value = self.state.beta[i]
        cdef const double* col
        if is_free(p) and value != 0.0:
            j = interval_of(p) if value > 0.0 else interval_of(p) - 1
            factor = value / self.base_knots[i, j]
            p = at_knot(j)
            for j in range(self.state.stairs.m):
                self.knots_start[i, j] = factor * self.base_knots[i, j]
            self.knots_start[i, knot_of(p)] = value
            self.state.put_at_knot(i, p)
        for j in range(self.state.stairs.m):
            self.knots_end[i, j] = 0.0
        speed = -self.knots_start[i, knot_of(p)] if is_at_knot(p) else 0.0
        if speed != 0.0:
            col = self.state.columns.pin(i)
            if col == NULL:
                return -1
            self.state.add_knot_speed(i, col, speed)
            self.state.columns.unpin(i)
        return 0

    cdef int _push_margin(self, Py_ssize_t count) noexcept nogil:
        """Make the free rows that stay the margin."""
        cdef Py_ssize_t k, i
        cdef const double* col
        cdef int code
        if count == 0:
            return GOING
        code = self.state.margin.push_all(&self.staying[0], count, &self.state.beta[0])
        if code == 0:
            return GOING
        if code == -1:
            return NO_COLUMN
        if code == -2:
            return NO_MEMORY
        for k in range(count):
            i = self.staying[k]
            col = self.state.columns.pin(i)
            if col == NULL:
                return NO_COLUMN
            if (self.state.margin.depends(i, col) != 0
                    or self.state.margin.push(i, col, self.state.beta[i]) != 0):
                self.state.columns.unpin(i)
                return ASTRAY
        return GOING

    cdef int _verify(self) noexcept nogil:
        """END if the coefficients are a solution, judged from the columns of what has changed."""
        cdef Py_ssize_t i, k, n = self.state.stairs.n, last = self.state.stairs.m - 1
        cdef long double total = 0.0
        cdef double violation = 0.0, limit = TOL_END * (self.state.scales.residual_scale or 1.0)
        self.state.measure()
        limit += 2.0 * self.state.scales.tolerance
        for i in range(n):
            # Rounding must not put a coefficient beyond its bounds.
            if self.state.stairs.level1[i, 0] <= -FAR:
                self.state.beta[i] = max(self.state.beta[i], self.knots_end[i, 0])
            if self.state.stairs.level1[i, last + 1] >= FAR:
                self.state.beta[i] = min(self.state.beta[i], self.knots_end[i, last])
            total += self.state.beta[i]
        if self._compute_end_residuals() < 0:
            return NO_COLUMN
        if self.state.has_bias:
            violation = self.state.margin.scale * fabs(<double> total - self.state.line.total_end)
        for i in range(n):
            violation = max(violation, self._row_violation(i))
        self.has_free_member = False
        for k in range(self.state.margin.size):
            self.has_free_member = self.has_free_member or self._is_free(k)
        return END if violation <= limit else ASTRAY

    cdef int _compute_end_residuals(self) noexcept nogil:
        # Added up row by row, so that they do not depend on which columns are cached.
        cdef Py_ssize_t i, n = self.state.stairs.n
        cdef double change
        cdef const double* col
        for i in range(n):
            self.end_residual[i] = self.base_residual[i] - (self.state.bias - self.base_bias)
        for i in range(n):
            change = self.state.beta[i] - self.base_beta[i]
            if change == 0.0:
                continue
            col = self.state.columns.pin(i)
            if col == NULL:
                return -1
            wp_axpy(n, -change, col, &self.end_residual[0])
            self.state.columns.unpin(i)
            self.end_residual[i] -= self.state.margin.ridge * change
        return 0

    cdef double _row_violation(self, Py_ssize_t i) noexcept nogil:
        # How far the residual of a row is from the levels of its position.
        cdef Py_ssize_t p = self.state.stairs.position[i]
        return max(self.state.stairs.level1[i, lower_level(p)] - self.end_residual[i],
                   self.end_residual[i] - self.state.stairs.level1[i, upper_level(p)])

    cdef bint _is_free(self, Py_ssize_t k) noexcept nogil:
        # Whether a member of the margin is away from both its knots.
        return not (self.state.is_member_at_knot(k, -1) or self.state.is_member_at_knot(k, 1))
