"""A chain of paths, each from the end of the last, on which rows gain their weights.

Every step is a branch of the solution that the last one has reached, see
:mod:`weightpath.engine._branches`; but where a branch goes back, a chain takes its end over, with
the margin and its factor. Every end is verified before it is taken over, and nothing is recorded
but the coefficients and the bias after each step.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memcpy

from weightpath.engine._branches cimport BranchRunner, Harvest
from weightpath.engine._loop cimport check
from weightpath.engine._results cimport GOING, NO_COLUMN, NO_MEMORY
from weightpath.engine._sweep cimport FAR
from weightpath.problems._position cimport at_knot, is_at_knot, knot_of

# As in `weightpath.engine._branches`: nothing has moved on the way but the knots themselves.
cdef enum:
    UNMOVED = 3

# After so many steps residuals are computed from all coefficients, not from those that changed.
cdef enum:
    FRESH_EVERY = 16

# Columns that are added up at a time, as in `weightpath.engine._branches`.
cdef enum:
    TOGETHER = 16


cdef class ChainRunner(BranchRunner):
    """Follow paths one after the other, from one solution on.

    Parameters
    ----------
    columns : Columns
        The kernel matrix of rows.
    stair : Staircase
        The problem, with a bias or without; its total stays zero.
    state : State
        Its exact solution.
    ridge : float
        Added to the diagonal of the kernel matrix.
    absent : ndarray of bool
        The rows without a weight, which nothing meets before the step on which they gain one.
    """

    def __init__(self, columns, stair, state, double ridge, absent):
        BranchRunner.__init__(self, columns, stair, state, ridge, absent)
        self.own_knots = np.array(stair.knots)
        self.base_knots = self.state.stairs.knot0 = self.own_knots
        self.own_position = np.array(self.base_position)
        self.base_position = self.own_position
        self.own_idle, self.own_absent = np.array(self.base_idle), np.array(self.absent)
        self.base_idle, self.absent = self.own_idle, self.own_absent
        self.n_steps = 0

    def follow_chain(self, goals, Py_ssize_t first, Py_ssize_t last):
        """Follow the steps from ``first`` to before ``last``, or to the first that is lost.

        Parameters
        ----------
        goals : BranchGoals
            Where each step goes: rows without a weight gain one.
        first, last : int
            Which of them to follow.

        Returns
        -------
        betas : ndarray of shape (n_done, n)
            The coefficients after each step.
        biases : ndarray of shape (n_done,)
            The bias after each step.
        loose : list
            Of each step after which the bias is not unique: its number from ``first`` on, the
            positions, the residuals and their tolerance.
        """
        cdef Py_ssize_t k, n_done = 0
        cdef int code = GOING
        cdef Harvest nothing = Harvest(goals, 0, 0)
        self._take(goals)
        self.loop.stops, self.loop.callback, self.loop.error = False, None, None
        self.betas = np.empty((last - first, self.state.stairs.n))
        self.biases, self.loose = np.empty(last - first), []
        try:
            code = self.state.margin.restore(self.base_margin)
            code = GOING if code == 0 else NO_COLUMN if code == -1 else NO_MEMORY
            if code == GOING:
                with nogil:
                    for k in range(first, last):
                        code = self._step(k, k - first, nothing)
                        if code != GOING or not self.has_arrived:
                            break
                        n_done += 1
            self._put_back()
            self.begin = self.end = 0
            if code == GOING and n_done == last - first:
                self.base_margin = self.state.margin.keep()
        finally:
            self.loop.close()
        check(self.loop, code)
        return np.asarray(self.betas)[:n_done], np.asarray(self.biases)[:n_done], self.loose

    @property
    def solution(self):
        """Coefficients, bias, positions, residuals and tolerance after the last step (copies)."""
        return (np.array(self.base_beta), self.base_bias, np.array(self.base_position),
                np.array(self.base_residual), self.base_scales.tolerance)

    # One step ------------------------------------------------------------------------------

    cdef int _step(self, Py_ssize_t k, Py_ssize_t at, Harvest nothing) noexcept nogil:
        """Follow one step and take its end over; GOING unless something is broken."""
        self.has_arrived = False
        self._sort_out_arrivals(k)
        return self._follow(k, nothing, at)

    cdef void _sort_out_arrivals(self, Py_ssize_t k) noexcept nogil:
        """Let the rows that gain a weight stand at the knot that their residual belongs to."""
        cdef Py_ssize_t e, i, j
        for e in range(self.offset[k], self.offset[k + 1]):
            i = self.row[e]
            if self.own_idle[i]:
                j = 0
                while (j < self.state.stairs.m - 1
                       and self.base_residual[i] > self.base_levels[i, j + 1]):
                    j += 1
                self.own_position[i] = at_knot(j)

    cdef int _set_out(self) noexcept nogil:
        """Set out from the end of the last step, with its margin."""
        cdef Py_ssize_t k, n = self.state.stairs.n
        self.residuals.reset(&self.base_residual[0], &self.base_lower[0], &self.base_upper[0])
        memcpy(&self.state.stairs.position[0], &self.base_position[0], n * sizeof(int))
        self.state._forget(&self.base_beta[0], self.base_bias)
        for k in range(self.state.margin.size):
            self.state.margin.value[k] = self.base_beta[self.state.margin.member[k]]
            self.state.margin.slope[k] = 0.0
        self.state.margin.knows_direction = False
        self.state.margin.candidate = -1
        if self._move_rows() < 0:
            return NO_COLUMN
        self.state.measure()
        return GOING

    # Its end -------------------------------------------------------------------------------

    cdef int _bring_in(self, Harvest harvest, Py_ssize_t at, int outcome) noexcept nogil:
        """Make the end of a step, which is verified, the solution that the next one begins at."""
        cdef int code = GOING
        self._take_over_rows()
        if outcome != UNMOVED:
            code = self._take_over_solution()
            if code != GOING:
                return code
        self.n_steps += 1
        memcpy(&self.betas[at, 0], &self.base_beta[0], self.state.stairs.n * sizeof(double))
        self.biases[at] = self.base_bias
        if not self.is_bias_fixed:
            self._keep_loose(at)
        self.has_arrived = True
        return GOING

    cdef void _take_over_rows(self) noexcept nogil:
        """The knots at the end are now those of the solution, and the rows are there."""
        cdef Py_ssize_t e, i, j
        self.largest_knot = self._largest_end_knot()
        for e in range(self.begin, self.end):
            i = self.row[e]
            self.base_size[i] = 0.0
            for j in range(self.state.stairs.m):
                self.own_knots[i, j] = self.knots[e, j]
                self.base_size[i] = max(self.base_size[i], fabs(self.knots[e, j]))
            self.own_idle[i] = self._is_idle(i)
            self.own_absent[i] = self.own_idle[i]
            self._take_over_levels(i)
        self.n_largest = 0
        for i in range(self.state.stairs.n):
            self.n_largest += self.base_size[i] >= self.largest_knot

    cdef int _take_over_solution(self) noexcept nogil:
        cdef Py_ssize_t i, n = self.state.stairs.n
        memcpy(&self.base_beta[0], &self.state.beta[0], n * sizeof(double))
        memcpy(&self.base_residual[0], &self.end_residual[0], n * sizeof(double))
        memcpy(&self.own_position[0], &self.state.stairs.position[0], n * sizeof(int))
        self.base_bias = self.state.bias
        if (self.n_steps + 1) % FRESH_EVERY == 0 and self._compute_residuals() < 0:
            return NO_COLUMN
        for i in range(n):
            self._take_over_levels(i)
        self.is_bias_fixed = not self.state.has_bias or self._has_free_member()
        # Roundings grow with the coefficients.
        self.state.scales.restore(self.base_scales)
        self.state.measure()
        self.state.measure_rounding()
        self.state.scales.peak_reach = self.state.reach()
        self.base_scales.restore(self.state.scales)
        return GOING

    cdef void _take_over_levels(self, Py_ssize_t i) noexcept nogil:
        # The levels that the residual of a row at a knot may meet.
        cdef Py_ssize_t j
        self.base_lower[i], self.base_upper[i] = -FAR, FAR
        if is_at_knot(self.own_position[i]) and not self.own_absent[i]:
            j = knot_of(self.own_position[i])
            self.base_lower[i] = self.base_levels[i, j]
            self.base_upper[i] = self.base_levels[i, j + 1]

    cdef int _compute_residuals(self) noexcept nogil:
        """All residuals from the kernel and the coefficients; -1 without a column."""
        cdef Py_ssize_t i, count = 0
        for i in range(self.state.stairs.n):
            self.end_residual[i] = (
                self.base_target[i] - self.base_bias - self.state.margin.ridge * self.base_beta[i])
            if self.base_beta[i] != 0.0:
                self.moved[count], self.move[count] = i, self.base_beta[i]
                count += 1
        i = 0
        while i < count:
            if self._subtract_columns(i, min(<Py_ssize_t> TOGETHER, count - i)) < 0:
                return -1
            i += TOGETHER
        memcpy(&self.base_residual[0], &self.end_residual[0],
               self.state.stairs.n * sizeof(double))
        return 0

    cdef void _keep_loose(self, Py_ssize_t at) noexcept nogil:
        with gil:
            self.loose.append((
                at, np.array(self.base_position), np.array(self.base_residual),
                self.base_scales.tolerance))
