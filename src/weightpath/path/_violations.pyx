"""How far solutions along a line of problems are from optimal, one pass over the rows each.

:mod:`weightpath.path.certificate` says what a violation is; nothing here knows how a solution was
found.
"""

cimport cython

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, NAN, fabs, isfinite, isinf

from weightpath import tolerances as _tolerances

cdef double KNOT_ROUNDINGS = _tolerances.KNOT_ROUNDINGS


cdef inline double _between(double start, double end, double theta) noexcept nogil:
    # What does not move, as an infinite level, is not rounded.
    return start if start == end else (1.0 - theta) * start + theta * end


cdef inline double _distance(Py_ssize_t m, const double* knot, const double* level, double beta,
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


@cython.final
cdef class ProblemLine:
    """The problems on a line between two, read row by row.

    Parameters
    ----------
    start, end : Staircase
        The ends of the line.
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual.
    """

    def __init__(self, start, end, const double[::1] kappa):
        self.target0, self.target1, self.kappa = start.target, end.target, kappa
        self.knots0, self.knots1 = start.knots, end.knots
        self.levels0, self.levels1 = start.levels, end.levels
        self.total0, self.total1, self.has_bias = start.total, end.total, start.has_bias
        self.n, self.m = self.knots0.shape[0], self.knots0.shape[1]
        self._knot, self._level = np.empty(self.m), np.empty(self.m + 1)

    cdef double knot(self, Py_ssize_t i, Py_ssize_t j, double theta) noexcept nogil:
        """A knot of a row."""
        return _between(self.knots0[i, j], self.knots1[i, j], theta)

    cdef double width(self, Py_ssize_t i, double theta) noexcept nogil:
        """How far a coefficient can move between its bounds; zero if it has none."""
        if isinf(self.levels0[i, 0]) and isinf(self.levels0[i, self.m]):
            return self.knot(i, self.m - 1, theta) - self.knot(i, 0, theta)
        return 0.0

    cdef void read(self, Py_ssize_t i, double theta, double scale) noexcept nogil:
        """Read a row where ``scale`` is what is large."""
        cdef Py_ssize_t j, m = self.m
        cdef const double* knots0 = &self.knots0[i, 0]
        cdef const double* knots1 = &self.knots1[i, 0]
        cdef const double* levels0 = &self.levels0[i, 0]
        cdef const double* levels1 = &self.levels1[i, 0]
        cdef double* knot = &self._knot[0]
        cdef double* level = &self._level[0]
        cdef double width, unit = scale / self.kappa[i] if self.kappa[i] > 0.0 else INFINITY
        cdef bint is_bounded
        for j in range(m):
            knot[j] = _between(knots0[j], knots1[j], theta)
        for j in range(m + 1):
            level[j] = _between(levels0[j], levels1[j], theta) / scale
        # The unit of a coefficient: weightpath.problems.scales.coefficient_units.
        is_bounded = isinf(level[0]) and isinf(level[m])
        width = knot[m - 1] - knot[0]
        if not unit > 0.0:
            unit = INFINITY
        if is_bounded and 0.0 < width < unit:
            unit = width
        self.unit, self.is_rigid = unit, is_bounded and width == 0.0

    cdef double distance(self, Py_ssize_t i, double theta, double scale, double beta,
                         double response, double bias) noexcept nogil:
        """How far a coefficient and its residual are from their staircase; reads the row."""
        cdef double residual = _between(self.target0[i], self.target1[i], theta) - response
        if self.has_bias:
            residual -= bias
        self.read(i, theta, scale)
        return _distance(self.m, &self._knot[0], &self._level[0], beta, residual / scale, self.unit)

    cdef double lends(self) noexcept nogil:
        """What the row that was read last can lend to the sum of all: its unit, or nothing.

        A row whose knots coincide cannot make up for what the sum lacks.
        """
        return self.unit if isfinite(self.unit) and not self.is_rigid else 0.0

    cdef double total(self, double theta) noexcept nogil:
        """What the coefficients are to add up to."""
        return _between(self.total0, self.total1, theta)

    cdef double off_total(self, double theta, long double total, double size) noexcept nogil:
        """How far a sum is off its total; the sum of numbers of a joint size is rounded, too."""
        cdef double off = fabs(<double> (total - self.total(theta)))
        return off - KNOT_ROUNDINGS * DBL_EPSILON * size


def residual_scales(start, end, const double[::1] theta):
    """Return the largest target or inner level at each theta; zero if there is none.

    Parameters
    ----------
    start, end : Staircase
        The ends of the line.
    theta : ndarray of shape (s,)
    """
    still, moving = _still_and_moving(start, end)
    cdef double at_rest = still, largest
    cdef const double[:, ::1] line = moving
    cdef Py_ssize_t k, i
    scales = np.empty(theta.shape[0])
    cdef double[::1] scale = scales
    with nogil:
        for k in range(theta.shape[0]):
            largest = at_rest
            for i in range(line.shape[1]):
                largest = max(largest, fabs(_between(line[0, i], line[1, i], theta[k])))
            scale[k] = largest
    return scales


def _still_and_moving(start, end):
    """Return the largest target or inner level that does not move, and both ends of the others."""
    ends = np.stack([np.column_stack([stair.target, stair.levels[:, 1:-1]]).ravel()
                     for stair in (start, end)])
    ends = ends[:, np.isfinite(ends).all(axis=0)]
    moves = ends[0] != ends[1]
    return np.abs(ends[0, ~moves]).max(initial=0.0), np.ascontiguousarray(ends[:, moves])


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
    cdef ProblemLine line = ProblemLine(start, end, kappa)
    cdef Py_ssize_t k, i
    cdef double distance, size, largest, worst, off
    cdef long double total
    found = np.empty(theta.shape[0])
    cdef double[::1] violation = found
    with nogil:
        for k in range(theta.shape[0]):
            worst = size = largest = 0.0
            total = 0.0
            for i in range(line.n):
                distance = line.distance(i, theta[k], scale[k], beta[k, i], response[k, i], bias[k])
                largest = max(largest, line.lends())
                # What is not a number stays.
                if worst == worst and not distance <= worst:
                    worst = distance
                total += beta[k, i]
                size += fabs(beta[k, i])
            if line.has_bias:
                off = line.off_total(theta[k], total, size)
                off /= largest if largest > 0.0 else 1.0
                if worst == worst and not off <= worst:
                    worst = off
            violation[k] = worst
    return found
