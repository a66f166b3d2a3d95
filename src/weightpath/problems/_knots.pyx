"""When a coefficient is at a knot, and at which of several knots that coincide.

:mod:`weightpath.problems.scales` and :mod:`weightpath.problems.position` explain both.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs, nextafter

from weightpath import tolerances as _tolerances
from weightpath.problems._position cimport at_knot, is_at_knot, knot_of

cdef double NEAR_KNOT = _tolerances.NEAR_KNOT
cdef double KNOT_ROUNDINGS = _tolerances.KNOT_ROUNDINGS


cdef double closeness_to(double beta, double knot, double way, double kappa,
                         double tolerance) noexcept nogil:
    """How far from a knot a coefficient still counts as being at it.

    ``way`` is the distance from this knot to the next one on the side of the coefficient, infinite
    if there is none.
    """
    cdef double close = tolerance / kappa if kappa > 0.0 else INFINITY
    close = min(close, NEAR_KNOT * way)
    if not close < INFINITY:
        close = 0.0
    return close + KNOT_ROUNDINGS * DBL_EPSILON * max(fabs(beta), fabs(knot))


cdef double _closeness_at(const double[:, ::1] knots, Py_ssize_t i, Py_ssize_t j, double beta,
                          double kappa, double tolerance) noexcept nogil:
    cdef double knot = knots[i, j], way = INFINITY
    if beta > knot and j + 1 < knots.shape[1]:
        way = knots[i, j + 1] - knot
    elif beta < knot and j > 0:
        way = knot - knots[i, j - 1]
    return closeness_to(beta, knot, way, kappa, tolerance)


def largest_sizes(const double[::1] target, const double[:, ::1] knots,
                  const double[:, ::1] levels, double far):
    """Return the largest absolute target or finite inner level, and the largest knot below far."""
    cdef Py_ssize_t i, j
    cdef double size, residual = 0.0, knot = 0.0
    for i in range(knots.shape[0]):
        residual = max(residual, fabs(target[i]))
        for j in range(knots.shape[1]):
            size = fabs(knots[i, j])
            if knot < size < far:
                knot = size
        for j in range(1, levels.shape[1] - 1):
            size = fabs(levels[i, j])
            if residual < size < INFINITY:
                residual = size
    return residual, knot


def hinge_rows(const double[::1] sign, const double[::1] weight, const double[::1] margin,
               double far):
    """Return targets and knots of hinge losses: see :mod:`weightpath.problems.hinge`.

    With them the largest absolute target, and the largest knot below far.
    """
    cdef Py_ssize_t n = sign.shape[0]
    targets, bounds = np.empty(n), np.empty((n, 2))
    cdef double[::1] target = targets
    cdef double[:, ::1] knots = bounds
    cdef double largest_target = 0.0, largest_knot = 0.0
    if n:
        with nogil:
            _lay_hinges(n, &sign[0], &weight[0], &margin[0], &target[0], &knots[0, 0])
            largest_target = _largest(n, &target[0], INFINITY)
            largest_knot = _largest(2 * n, &knots[0, 0], nextafter(far, 0.0))
    return targets, bounds, (largest_target, largest_knot)


cdef void _lay_hinges(Py_ssize_t n, const double* sign, const double* weight,
                      const double* margin, double* target, double* knot) noexcept nogil:
    cdef Py_ssize_t i
    cdef double bound
    for i in range(n):
        target[i] = sign[i] * margin[i]
        bound = sign[i] * weight[i]
        knot[2 * i] = bound if bound < 0.0 else 0.0
        knot[2 * i + 1] = bound if bound > 0.0 else 0.0


cdef double _largest(Py_ssize_t n, const double* values, double most) noexcept nogil:
    # The largest absolute value up to a limit. Four at once: each waits for the one before.
    cdef Py_ssize_t i
    cdef double first = 0.0, second = 0.0, third = 0.0, fourth = 0.0
    for i in range(0, n - 3, 4):
        first = max(first, fabs(values[i]))
        second = max(second, fabs(values[i + 1]))
        third = max(third, fabs(values[i + 2]))
        fourth = max(fourth, fabs(values[i + 3]))
    for i in range(n // 4 * 4, n):
        first = max(first, fabs(values[i]))
    first = max(max(first, second), max(third, fourth))
    if first <= most:
        return first
    first = 0.0
    for i in range(n):
        if first < fabs(values[i]) <= most:
            first = fabs(values[i])
    return first


def rows_closeness(const double[:, ::1] knots, const double[::1] beta, const double[::1] kappa,
                   double tolerance):
    """Return how far from each knot a coefficient still counts as being at it, (n, m)."""
    cdef Py_ssize_t i, j
    result = np.empty((knots.shape[0], knots.shape[1]))
    cdef double[:, ::1] close = result
    for i in range(knots.shape[0]):
        for j in range(knots.shape[1]):
            close[i, j] = _closeness_at(knots, i, j, beta[i], kappa[i], tolerance)
    return result


cdef Py_ssize_t nearest_knot(const double[:, ::1] knots, Py_ssize_t i, double beta, double kappa,
                             double tolerance, bint* near) noexcept nogil:
    """The knot of row ``i`` nearest to a coefficient; out: whether the coefficient is at it."""
    cdef Py_ssize_t j, nearest = 0
    cdef double distance, least = fabs(knots[i, 0] - beta)
    for j in range(1, knots.shape[1]):
        distance = fabs(knots[i, j] - beta)
        if distance < least:
            least = distance
            nearest = j
    near[0] = least <= _closeness_at(knots, i, nearest, beta, kappa, tolerance)
    return nearest


def rows_nearest_knots(const double[:, ::1] knots, const double[::1] beta,
                       const double[::1] kappa, double tolerance):
    """Return which coefficients are at a knot, and the nearest knot of each."""
    cdef Py_ssize_t i, n = knots.shape[0]
    cdef bint is_near = False
    at, nearest = np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.intp)
    cdef unsigned char[::1] near = at
    cdef Py_ssize_t[::1] knot = nearest
    for i in range(n):
        knot[i] = nearest_knot(knots, i, beta[i], kappa[i], tolerance, &is_near)
        near[i] = is_near
    return at.view(np.bool_), nearest


cpdef void sort_out_rows(const double[:, ::1] knots, const double[:, ::1] levels,
                         int[::1] position, const double[::1] residual):
    """Let rows whose knots coincide stand at the knot that their residual belongs to, in place."""
    cdef Py_ssize_t i, j, m = knots.shape[1]
    for i in range(knots.shape[0]):
        # Of two knots most are apart.
        if m <= 1 or (m == 2 and knots[i, 0] != knots[i, 1]) or not is_at_knot(position[i]):
            continue
        j = knot_of(position[i])
        while j + 1 < m and residual[i] > levels[i, j + 1] and knots[i, j + 1] == knots[i, j]:
            j += 1
        while j > 0 and residual[i] < levels[i, j] and knots[i, j - 1] == knots[i, j]:
            j -= 1
        position[i] = at_knot(j)
