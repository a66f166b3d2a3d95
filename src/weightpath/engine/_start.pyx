"""Row by row: where any coefficients stand, and the residuals at which they are optimal.

:mod:`weightpath.engine.start` says what for.
"""

import numpy as np

from libc.math cimport INFINITY, fabs

from weightpath.problems._knots cimport nearest_knot
from weightpath.problems._position cimport at_knot, free_in, is_at_knot, lower_level, upper_level


def place_rows(const double[:, ::1] knots, const double[:, ::1] levels, double[::1] beta,
               const double[::1] kappa, double tolerance):
    """Put coefficients into their bounds and on near knots, in place; return the positions.

    The outermost knots are bounds where the outer level is infinite.
    """
    cdef Py_ssize_t i, j, last = knots.shape[1] - 1
    cdef bint near = False
    result = np.empty(knots.shape[0], dtype=np.int32)
    cdef int[::1] position = result
    for i in range(knots.shape[0]):
        if beta[i] < knots[i, 0] and levels[i, 0] == -INFINITY:
            beta[i] = knots[i, 0]
        if beta[i] > knots[i, last] and levels[i, last + 1] == INFINITY:
            beta[i] = knots[i, last]
        j = nearest_knot(knots, i, beta[i], kappa[i], tolerance, &near)
        if near:
            beta[i] = knots[i, j]
            position[i] = at_knot(j)
            continue
        j = 0
        while j <= last and knots[i, j] < beta[i]:
            j += 1
        position[i] = free_in(j)
    return result


def largest_size(const double[::1] values):
    """Return the largest absolute value."""
    cdef Py_ssize_t i
    # Several at once: each maximum waits for the one before.
    cdef double[4] largest = [0.0, 0.0, 0.0, 0.0]
    for i in range(values.shape[0]):
        largest[i & 3] = max(largest[i & 3], fabs(values[i]))
    return max(largest)


def survey_rows(const double[::1] target, const double[:, ::1] knots,
                const double[:, ::1] levels):
    """Return the middle of the targets of rows that can move, half their range, and whether zeros
    are within all bounds.
    """
    cdef Py_ssize_t i, last = knots.shape[1] - 1
    cdef double lower, upper, low = INFINITY, high = -INFINITY
    cdef bint is_zero_within = True
    for i in range(knots.shape[0]):
        lower = knots[i, 0] if levels[i, 0] == -INFINITY else -INFINITY
        upper = knots[i, last] if levels[i, last + 1] == INFINITY else INFINITY
        is_zero_within = is_zero_within and lower <= 0.0 <= upper
        if lower < upper:
            low, high = min(low, target[i]), max(high, target[i])
    if low > high:
        return 0.0, 0.0, is_zero_within
    return 0.5 * high + 0.5 * low, 0.5 * high - 0.5 * low, is_zero_within


def put_within_bounds(const double[:, ::1] knots, const double[:, ::1] levels,
                      const double[::1] beta):
    """Return the coefficients, those beyond a bound on it."""
    cdef Py_ssize_t i, last = knots.shape[1] - 1
    result = np.empty(knots.shape[0])
    cdef double[::1] bounded = result
    for i in range(knots.shape[0]):
        bounded[i] = beta[i]
        if levels[i, 0] == -INFINITY and bounded[i] < knots[i, 0]:
            bounded[i] = knots[i, 0]
        if levels[i, last + 1] == INFINITY and bounded[i] > knots[i, last]:
            bounded[i] = knots[i, last]
    return result


def are_within_bounds(const double[:, ::1] knots, const double[:, ::1] levels,
                      const double[::1] beta):
    """Return whether no coefficient is beyond a bound."""
    cdef Py_ssize_t i, m = knots.shape[1]
    cdef const double* knot = &knots[0, 0] if knots.shape[0] else NULL
    cdef const double* level = &levels[0, 0] if knots.shape[0] else NULL
    cdef int beyond = 0
    # Without branches: there are hardly ever any.
    for i in range(knots.shape[0]):
        beyond |= (beta[i] < knot[i * m]) & (level[i * (m + 1)] == -INFINITY)
        beyond |= (beta[i] > knot[i * m + m - 1]) & (level[i * (m + 1) + m] == INFINITY)
    return not beyond


def optimal_residual(const double[:, ::1] levels, const int[::1] position,
                     const double[::1] residual, const double[::1] fraction):
    """Return residuals for which the positions are right.

    Free rows are on their level. At a knot a violator goes inside by a fraction of its violation,
    but not beyond the other level.
    """
    cdef Py_ssize_t i
    cdef double r, low, high
    result = np.empty(levels.shape[0])
    cdef double[::1] optimal = result
    for i in range(levels.shape[0]):
        r, low = residual[i], levels[i, lower_level(position[i])]
        high = levels[i, upper_level(position[i])]
        if not is_at_knot(position[i]):
            optimal[i] = low
        elif r > high:
            optimal[i] = max(high - fraction[i] * (r - high), low)
        elif r < low:
            optimal[i] = min(low + fraction[i] * (low - r), high)
        else:
            optimal[i] = r
    return result
