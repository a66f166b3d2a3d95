"""The exact solution where an approximate one has all rows in the right sets.

A good first solution mostly has: its free rows are those of the margin, and all others are at their
knots. Then one margin system gives the exact solution, and one product with the kernel matrix
verifies it. Nothing is returned that is not verified: where a free row leaves its interval, or
another row has a residual beyond its levels, the caller goes on from the approximate solution as
from any other, see :mod:`weightpath.engine.start`.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs, sqrt

from weightpath import tolerances as _tolerances
from weightpath.engine._factor cimport Factor
from weightpath.engine._margin cimport Margin
from weightpath.engine._start import place_rows
from weightpath.engine._sweep cimport wp_dot
from weightpath.kernels._columns cimport Columns
from weightpath.problems._knots cimport closeness_to
from weightpath.problems._position cimport interval_of, is_free, lower_level, upper_level
from weightpath.record.state import State

cdef double SNAP = _tolerances.SNAP
cdef double TOL_RESIDUAL = _tolerances.RESIDUAL
cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double KNOT_ROUNDINGS = _tolerances.KNOT_ROUNDINGS
cdef double POLISH_ABOVE = _tolerances.POLISH_ABOVE
cdef double SHARPEN_ABOVE = _tolerances.SHARPEN_ABOVE
cdef double LARGEST = _tolerances.LARGEST

# The first correction solves the margin system, further ones remove roundings.
cdef int CORRECTIONS = 3

# The sets are right and the solution is verified, they are not, or a column is missing.
cdef enum:
    FOUND = 1
    NOT_FOUND = 0
    FAILED = -1


def solution_on_known_sets(Columns columns, stair, beta, double bias, double ridge,
                           Py_ssize_t most_free):
    """Return the exact solution with the sets of an approximate one; ``None`` if they are wrong.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    beta : ndarray of shape (n,)
        Approximate coefficients.
    bias : float
        The approximate bias.
    ridge : float
        Added to the diagonal of the kernel matrix.
    most_free : int
        With more free rows nothing is tried.

    Returns
    -------
    State or None
    """
    cdef int code
    if columns.structure is not None or not 0.0 < stair.residual_scale <= LARGEST:
        return None
    cdef KnownSets sets = KnownSets(columns, stair, beta, bias, ridge)
    if not sets.are_usable(most_free):
        return None
    with nogil:
        code = sets.solve()
        sets.margin.release()
    if code == FAILED:
        columns.raise_error()
    return sets.state() if code == FOUND else None


cdef class KnownSets:
    """Coefficients that keep their sets on the way to the exact solution."""

    cdef Columns columns
    cdef Margin margin
    cdef Py_ssize_t n, n_knots, n_free
    cdef const double[::1] target
    cdef const double[:, ::1] knots, levels
    cdef double[::1] beta, kappa, residual
    cdef int[::1] position
    cdef Py_ssize_t[::1] free
    cdef double bias, ridge, total, scale, tolerance
    cdef bint has_bias

    def __init__(self, Columns columns, stair, beta, double bias, double ridge):
        self.columns, self.n, self.ridge = columns, columns.n, ridge
        self.target, self.knots, self.levels = stair.target, stair.knots, stair.levels
        self.n_knots, self.total, self.scale = stair.n_knots, stair.total, stair.residual_scale
        self.has_bias = stair.has_bias
        self.bias = bias if self.has_bias else 0.0
        self.kappa, self.residual = np.empty(self.n), np.empty(self.n)
        self.margin = self.measure()
        placed = np.array(beta, dtype=np.float64)
        position = place_rows(self.knots, self.levels, placed, self.kappa, SNAP * self.scale)
        self.beta, self.position = placed, position
        self.find_free()

    cdef Margin measure(self):
        """How far each coefficient reaches, and an empty margin; by the diagonal."""
        cdef Py_ssize_t i
        cdef double own, largest = 0.0, total = 0.0
        for i in range(self.n):
            own = max(self.columns.diag[i] + self.ridge, 0.0)
            largest, total = max(largest, own), total + own
            self.kappa[i] = sqrt(own)
        for i in range(self.n):
            self.kappa[i] *= sqrt(largest)
        return Margin(self.columns, Factor(self.has_bias, total / self.n or 1.0), self.ridge,
                      largest or 1.0)

    cdef find_free(self):
        cdef Py_ssize_t i, count = 0
        self.n_free = 0
        for i in range(self.n):
            self.n_free += is_free(self.position[i])
        self.free = np.empty(self.n_free, dtype=np.intp)
        for i in range(self.n):
            if is_free(self.position[i]):
                self.free[count] = i
                count += 1

    cdef bint are_usable(self, Py_ssize_t most_free) noexcept nogil:
        # Where knots coincide, only the residual says at which of them a row is.
        cdef Py_ssize_t i, j
        if self.n_free > most_free or (self.has_bias and self.n_free == 0):
            return False
        for i in range(self.n):
            if not self.columns.diag[i] + self.ridge >= 0.0:
                return False
            for j in range(1, self.n_knots):
                if self.knots[i, j] == self.knots[i, j - 1]:
                    return False
        return True

    cdef int solve(self) noexcept nogil:
        """Solve the margin system, and verify all rows."""
        cdef double error = 0.0, missing = 0.0, bias_move = 0.0
        cdef int code = 0, _
        if self.n_free:
            code = self.margin.push_all(&self.free[0], self.n_free, &self.beta[0])
        if code != 0:
            return FAILED if code == -1 else NOT_FOUND
        self.measure_margin()
        for _ in range(CORRECTIONS):
            self.margin.factor.solve(
                self.margin.right, self.missing_sum(), self.margin.correction, &bias_move)
            self.bias += bias_move
            if not self.move_margin():
                return NOT_FOUND
            if self.multiply(&error) < 0:
                return FAILED
            missing = self.missing_sum()
            if error <= POLISH_ABOVE * self.tolerance and missing == 0.0:
                break
        # Roundings may be left that no correction makes smaller.
        if not error <= self.allowed() or missing != 0.0:
            return NOT_FOUND
        return FOUND if self.are_right() else NOT_FOUND

    cdef void measure_margin(self) noexcept nogil:
        """The errors of the margin's residuals, and the tolerance, by the sizes of the terms."""
        cdef Py_ssize_t i, k
        cdef double product, size = 0.0, largest = 0.0
        cdef const double* beta = self.columns.gather(&self.beta[0])
        for i in range(self.n):
            largest = max(largest, (self.columns.diag[i] + self.ridge) * fabs(self.beta[i]))
        for k in range(self.n_free):
            i = self.free[k]
            product = wp_dot(self.columns.length(), self.margin.column[k], beta, &size)
            size = self.columns.term_size(self.margin.column[k], size)
            self.margin.right[k] = self.residual_from(i, product) - self.levels[
                i, lower_level(self.position[i])]
            largest = max(largest, size)
        self.tolerance = TOL_RESIDUAL * self.scale + ROUNDINGS * DBL_EPSILON * largest

    cdef double allowed(self) noexcept nogil:
        """By how much residuals may be off; more than that is left to those who can sharpen it."""
        cdef double own = TOL_RESIDUAL * self.scale
        return own + SHARPEN_ABOVE * (self.tolerance - own)

    cdef double residual_from(self, Py_ssize_t i, double product) noexcept nogil:
        """The residual of row ``i``, whose entry of the product with the kernel matrix is given."""
        return self.target[i] - product - self.ridge * self.beta[i] - self.bias

    cdef double missing_sum(self) noexcept nogil:
        """What the coefficients lack of their total; zero if it is no more than rounding."""
        cdef Py_ssize_t i
        cdef long double total = 0.0
        cdef double missing, sizes = 0.0
        if not self.has_bias:
            return 0.0
        for i in range(self.n):
            total += self.beta[i]
            sizes += fabs(self.beta[i])
        missing = self.total - <double> total
        return missing if fabs(missing) > KNOT_ROUNDINGS * DBL_EPSILON * sizes else 0.0

    cdef bint move_margin(self) noexcept nogil:
        """Correct the free coefficients; whether all are still between their knots, clearly."""
        cdef Py_ssize_t k, i
        for k in range(self.n_free):
            i = self.free[k]
            self.beta[i] += self.margin.correction[k]
            if not self.is_between(i, interval_of(self.position[i])):
                return False
        return True

    cdef bint is_between(self, Py_ssize_t i, Py_ssize_t q) noexcept nogil:
        # Whether row i is inside interval q, and not at one of its ends.
        cdef double beta = self.beta[i], way
        cdef bint bounded = 0 < q < self.n_knots
        way = self.knots[i, q] - self.knots[i, q - 1] if bounded else INFINITY
        if q > 0 and not beta - self.knots[i, q - 1] > closeness_to(
                beta, self.knots[i, q - 1], way, self.kappa[i], self.tolerance):
            return False
        return q == self.n_knots or self.knots[i, q] - beta > closeness_to(
            beta, self.knots[i, q], way, self.kappa[i], self.tolerance)

    cdef int multiply(self, double* error) noexcept nogil:
        """Compute all residuals from the kernel; -1 if a column could not be computed.

        Out: the largest error on the margin; ``margin.right`` has all of them.
        """
        cdef Py_ssize_t i, k
        if self.columns.multiply(&self.beta[0], &self.residual[0]) < 0:
            return -1
        for i in range(self.n):
            self.residual[i] = self.residual_from(i, self.residual[i])
        error[0] = 0.0
        for k in range(self.n_free):
            i = self.free[k]
            self.margin.right[k] = (
                self.residual[i] - self.levels[i, lower_level(self.position[i])])
            error[0] = max(error[0], fabs(self.margin.right[k]))
        return 0

    cdef bint are_right(self) noexcept nogil:
        """Whether no residual is beyond the levels of its row's set; roundings are put on them."""
        cdef Py_ssize_t i
        cdef double low, high, r, allowed = self.allowed()
        for i in range(self.n):
            r = self.residual[i]
            low = self.levels[i, lower_level(self.position[i])]
            high = self.levels[i, upper_level(self.position[i])]
            if not (low - allowed <= r <= high + allowed and fabs(r) <= LARGEST):
                return False
            self.residual[i] = min(max(r, low), high)
        return True

    cdef object state(self):
        cdef Py_ssize_t i
        cdef double reach = 0.0
        for i in range(self.n):
            reach += self.kappa[i] * fabs(self.beta[i])
        return State(
            np.asarray(self.beta), self.bias, np.asarray(self.position), np.asarray(self.residual),
            np.asarray(self.free), self.tolerance, 0, reach)
