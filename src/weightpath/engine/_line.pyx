"""Targets and the total of the coefficients, on the straight line that a loop follows.

A target may carry a shift that decays to zero at theta = 1: ``t = t_end - (1 - theta) dt`` with
``dt`` including the shift's slope. A start that is not optimal, or what rounding left above
tolerance, is then followed out like any other change of the problem. The total of the coefficients
is treated in the same way.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memset
from weightpath.engine._room cimport fits, with_room


cdef class Line:
    """The moving right-hand sides of a problem.

    ``target_slope`` is shared with the residuals, which change it in place by shifts.
    ``fastest_target`` is the largest speed of a target at the start of the line.
    """

    def reset(self, start, end, bint reuse=False):
        """Go from one staircase to another; ``reuse`` the arrays of the last line, if asked."""
        cdef const double[::1] first = start.target, last = end.target
        cdef Py_ssize_t n = last.shape[0]
        if not reuse:
            self.target_end, self.target_slope = np.empty((2, n))
        elif self.target_end is None or self.target_end.shape[0] != n:
            if self.room is None or not fits(n, self.room.shape[1]):
                self.room = np.empty((2, with_room(n)))
            self.target_end, self.target_slope = self.room[0, :n], self.room[1, :n]
        self.total_end = end.total
        self.total_slope = end.total - start.total
        self.fastest_target = 0.0
        if n:
            self._lay(&first[0], &last[0], n)

    cdef void _lay(self, const double* first, const double* last, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t i
        cdef double* end = &self.target_end[0]
        cdef double* slope = &self.target_slope[0]
        cdef double fastest = 0.0
        for i in range(n):
            end[i] = last[i]
            slope[i] = last[i] - first[i]
            if slope[i] != 0.0:
                fastest = max(fastest, fabs(slope[i]))
        self.fastest_target = fastest

    cdef void reset_to_still(self, double total_start, double total_end) noexcept nogil:
        """Let all targets rest; only the total moves."""
        memset(&self.target_slope[0], 0, self.target_slope.shape[0] * sizeof(double))
        self.total_end = total_end
        self.total_slope = total_end - total_start

    def shift(self, target, double total):
        """Begin at this target and total instead."""
        slope = np.asarray(self.target_end) - target
        np.asarray(self.target_slope)[:] = slope
        self.fastest_target = float(np.abs(slope).max(initial=0.0))
        self.total_slope = self.total_end - total

    cdef double target(self, Py_ssize_t i, double theta) noexcept nogil:
        return self.target_end[i] - (1.0 - theta) * self.target_slope[i]

    cdef double total(self, double theta) noexcept nogil:
        return self.total_end - (1.0 - theta) * self.total_slope

    def targets(self, double theta):
        """All targets at theta, with their shifts."""
        return np.asarray(self.target_end) - (1.0 - theta) * np.asarray(self.target_slope)
