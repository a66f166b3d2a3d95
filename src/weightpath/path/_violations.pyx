"""How far solutions along a line of problems are from optimal, one pass over the rows each.

:mod:`weightpath.path.certificate` says what a violation is; nothing here knows how a solution was
found.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, NAN, fabs, isfinite, isinf

from weightpath import tolerances as _tolerances

cdef double KNOT_ROUNDINGS = _tolerances.KNOT_ROUNDINGS


cdef inline double _between(double start, double end, double theta) noexcept nogil:
    # What does not move, as an infinite level, is not rounded.
    return start if start == end else (1.0 - theta) * start + theta * end


def residual_scales(start, end, const double[::1] theta):
    """Return the largest target or inner level at each theta; zero if there is none.

    Parameters
    ----------
    start, end : Staircase
        The ends of the line.
    theta : ndarray of shape (s,)
    """
    cdef const double[::1] target0 = start.target, target1 = end.target
    cdef const double[:, ::1] levels0 = start.levels, levels1 = end.levels
    cdef Py_ssize_t k, i, j, n = target0.shape[0], last = levels0.shape[1] - 1
    cdef double largest, level
    scales = np.empty(theta.shape[0])
    cdef double[::1] scale = scales
    with nogil:
        for k in range(theta.shape[0]):
            largest = 0.0
            for i in range(n):
                largest = max(largest, fabs(_between(target0[i], target1[i], theta[k])))
                for j in range(1, last):
                    level = fabs(_between(levels0[i, j], levels1[i, j], theta[k]))
                    if level > largest and isfinite(level):
                        largest = level
            scale[k] = largest
    return scales


def relative_violations(start, end, const double[::1] theta, const double[:, :] beta,
                        const double[::1] bias, const double[:, :] response,
                        const double[::1] kappa, const double[::1] scale):
    """Return the violation at each theta, relative to what is large there.

    Parameters
    ----------
    start, end : Staircase
        The ends of the line.
    theta, bias, scale : ndarray of shape (s,)
        Where, the bias there, and what is large there.
    beta, response : ndarray of shape (s, n)
        Coefficients, and the kernel matrix times them.
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual.
    """
    cdef const double[::1] target0 = start.target, target1 = end.target
    cdef const double[:, ::1] knots0 = start.knots, knots1 = end.knots
    cdef const double[:, ::1] levels0 = start.levels, levels1 = end.levels
    cdef double total0 = start.total, total1 = end.total
    cdef bint has_bias = start.has_bias, is_bounded
    cdef Py_ssize_t k, i, j, n = target0.shape[0], m = knots0.shape[1]
    cdef double[::1] knot = np.empty(m), level = np.empty(m + 1)
    cdef double residual, unit, distance, width, size, largest, worst, off
    cdef long double total
    found = np.empty(theta.shape[0])
    cdef double[::1] violation = found
    with nogil:
        for k in range(theta.shape[0]):
            worst = size = largest = 0.0
            total = 0.0
            for i in range(n):
                for j in range(m):
                    knot[j] = _between(knots0[i, j], knots1[i, j], theta[k])
                for j in range(m + 1):
                    level[j] = _between(levels0[i, j], levels1[i, j], theta[k]) / scale[k]
                residual = _between(target0[i], target1[i], theta[k]) - response[k, i]
                if has_bias:
                    residual -= bias[k]
                # The unit of a coefficient: weightpath.problems.scales.coefficient_units.
                is_bounded = isinf(level[0]) and isinf(level[m])
                width = knot[m - 1] - knot[0]
                unit = scale[k] / kappa[i] if kappa[i] > 0.0 else INFINITY
                if not unit > 0.0:
                    unit = INFINITY
                if is_bounded and 0.0 < width < unit:
                    unit = width
                # A row whose knots coincide cannot make up for what the sum lacks.
                if unit > largest and isfinite(unit) and not (is_bounded and width == 0.0):
                    largest = unit
                distance = _distance(m, &knot[0], &level[0], beta[k, i], residual / scale[k], unit)
                # What is not a number stays.
                if worst == worst and not distance <= worst:
                    worst = distance
                total += beta[k, i]
                size += fabs(beta[k, i])
            if has_bias:
                # The sum of n numbers is rounded, too.
                off = fabs(<double> (total - _between(total0, total1, theta[k])))
                off -= KNOT_ROUNDINGS * DBL_EPSILON * size
                off /= largest if largest > 0.0 else 1.0
                if worst == worst and not off <= worst:
                    worst = off
            violation[k] = worst
    return found


cdef double _distance(Py_ssize_t m, const double* knot, const double* level, double beta,
                      double residual, double unit) noexcept nogil:
    """The distance of a coefficient and a residual from their staircase, each in its unit."""
    cdef Py_ssize_t j
    cdef double off, least = INFINITY
    if beta != beta or residual != residual:
        return NAN
    for j in range(m + 1):
        # The piece between two knots; an infinite level has none.
        if isinf(level[j]):
            continue
        off = 0.0
        if j > 0:
            off = max(off, knot[j - 1] - beta)
        if j < m:
            off = max(off, beta - knot[j])
        least = min(least, max(off / unit, fabs(residual - level[j])))
    for j in range(m):
        # The riser at a knot.
        off = max(0.0, max(level[j] - residual, residual - level[j + 1]))
        least = min(least, max(off, fabs(beta - knot[j]) / unit))
    return least
