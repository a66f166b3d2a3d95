"""Targets and the total of the coefficients, on the straight line that a loop follows.

A target may carry a shift that decays to zero at theta = 1: ``t = t_end - (1 - theta) dt`` with
``dt`` including the shift's slope. A start that is not optimal, or what rounding left above
tolerance, is then followed out like any other change of the problem. The total of the coefficients
is treated in the same way.
"""

import numpy as np

from libc.string cimport memset


cdef class Line:
    """The moving right-hand sides of a problem.

    ``target_slope`` is shared with the residuals, which change it in place by shifts.
    ``fastest_target`` is the largest speed of a target at the start of the line.
    """

    def reset(self, start, end):
        """Go from one staircase to another."""
        self.target_end = np.array(end.target)
        self.target_slope = end.target - start.target
        self.total_end = end.total
        self.total_slope = end.total - start.total
        self.fastest_target = float(np.abs(end.target - start.target).max(initial=0.0))

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
