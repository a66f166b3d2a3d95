"""Against drift: recompute from the kernel what rounding may have moved.

Every so many events the margin's residuals are recomputed from its columns and corrected; all rows
are recomputed from the kernel now and then, and at the end of a line.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs
from libc.string cimport memset

from weightpath import tolerances as _tolerances
from weightpath.engine._answers cimport ASTRAY, GOING, NO_COLUMN
from weightpath.engine._changes cimport Changes
from weightpath.problems._position cimport interval_of, is_at_knot, knot_of

cdef extern from "sweep.h" nogil:
    double wp_dot(Py_ssize_t n, const double* x, const double* y, double* size)

cdef double TOL_RESIDUAL = _tolerances.RESIDUAL
cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double REFINE_ABOVE = _tolerances.REFINE_ABOVE


cdef class Drift(Changes):
    """Changes, with what keeps the numbers right."""

    def finish(self):
        """Bring everything up to date from the kernel; return the largest violation found."""
        cdef int answer
        self.violation = 0.0
        with nogil:
            answer = self._refresh(True)
        if answer == NO_COLUMN:
            self.columns.raise_error()
        self.record.end_freedom = self.bordered and all(
            self._knot_of_member(k) >= 0 for k in range(self.margin.size))
        return self.violation

    cdef int _refresh(self, bint full) noexcept nogil:
        """Recompute what rounding may have moved; all rows from the kernel if ``full``."""
        cdef double largest = 0.0, shift
        cdef Py_ssize_t k, i
        self.n_refreshes += 1
        self.since = 0
        self.watch.bar(-1, 0, 0.0)
        self.watch.settle()
        self._measure()
        shift = self._correct_margin()
        if full:
            self.since_full = 0
            self._measure()
            if self._recompute_rows() < 0:
                return NO_COLUMN
        for k in range(self.margin.size):
            i = self.margin.member[k]
            self.violation = max(self.violation, fabs(
                self.watch.residual(i)
                - self.stairs.level(i, interval_of(self.stairs.position[i]), self.theta)))
            self.watch.fix(
                i, self.stairs.level(i, interval_of(self.stairs.position[i]), self.theta))
        self.n_shifts += self.watch.clamp(self.tol_residual, 1.0 - self.theta, &largest)
        self.largest_shift = max(self.largest_shift, largest)
        self.violation = max(self.violation, largest)
        return ASTRAY if self._is_astray(max(largest, shift)) else GOING

    cdef double _correct_margin(self) noexcept nogil:
        """Newton step on the margin where its residuals, from the kernel, are above rounding.

        Below it, an ill-conditioned factor would turn noise into coefficients. A step that leaves
        an interval is not taken: what is left becomes a shift, and is returned in residual units.
        """
        cdef Py_ssize_t k, i, n = self.stairs.n, length = self.columns.length()
        cdef const double* beta
        cdef long double total = 0.0
        cdef double size = 0.0, roundings = 0.0, worst = 0.0, rest = 0.0, b = 0.0, x, sizes = 0.0
        cdef double unit, felt = 0.0
        cdef double* value = self.margin.value
        if self.margin.size == 0:
            return 0.0
        beta = self.columns.gather(&self.beta[0])
        for k in range(self.margin.size):
            i = self.margin.member[k]
            x = self._target(i) - wp_dot(length, self.margin.column[k], beta, &size)
            x -= (self.margin.ridge * self.beta[i] + self.bias
                  + self.stairs.level(i, interval_of(self.stairs.position[i]), self.theta))
            self.margin.kernel[k] = x
            worst = max(worst, fabs(x))
            roundings = max(roundings, size)
        self.rounding = ROUNDINGS * DBL_EPSILON * roundings
        self.tol_residual = TOL_RESIDUAL * self.residual_scale + self.rounding
        if self.bordered:
            for i in range(n):
                total += self.beta[i]
                sizes += fabs(self.beta[i])
            rest = self.total_end - (1.0 - self.theta) * self.total_slope - <double> total
            if fabs(rest) <= 4.0 * DBL_EPSILON * sizes:
                rest = 0.0
            else:
                # In the unit of a sum, and as the residuals feel it.
                unit = self.stairs.largest_unit(self.theta, self.residual_scale)
                felt = fabs(rest) * max(self.margin.scale, self.residual_scale / unit)
        if max(worst, felt) <= REFINE_ABOVE * self.tol_residual:
            return 0.0
        self.margin.factor.solve(self.margin.kernel, rest, self.margin.null, &b)
        for k in range(self.margin.size):
            i = self.margin.member[k]
            if not self._has_room(k, self.margin.null[k]):
                return self._shift_margin(rest)
        for k in range(self.margin.size):
            value[k] += self.margin.null[k]
            self.watch.add_move(self.margin.column[k], self.margin.null[k])
        self.watch.lift(-b)
        self.bias += b
        return 0.0

    cdef bint _has_room(self, Py_ssize_t k, double move) noexcept nogil:
        # Whether a member can move so far without leaving its interval.
        cdef Py_ssize_t i = self.margin.member[k]
        cdef double value = self.margin.value[k]
        cdef int direction = 1 if move > 0.0 else -1
        cdef double room = self.stairs.room(i, value, direction, self.theta)
        return fabs(move) <= room or fabs(move) <= room + self.stairs.closeness(
            i, value, direction, self.theta, self.tol_residual)

    cdef double _shift_margin(self, double rest) noexcept nogil:
        # What the margin's residuals (in `kernel`) and the sum are off becomes a shift. That of the
        # sum, in residual units, is returned.
        cdef Py_ssize_t k, i
        cdef double v, rem = 1.0 - self.theta
        cdef double felt = fabs(rest) * self.residual_scale / self.stairs.largest_unit(
            self.theta, self.residual_scale)
        for k in range(self.margin.size):
            i = self.margin.member[k]
            v = self.margin.kernel[k]
            self.violation = max(self.violation, fabs(v))
            if rem > 0.0 and fabs(v) > self.tol_residual:
                self.target_slope[i] += v / rem
                self.watch.push_velocity(i, v / rem)
                self.largest_shift = max(self.largest_shift, fabs(v))
                self.n_shifts += 1
        if rem > 0.0:
            self.total_slope += rest / rem
        else:
            self.violation = max(self.violation, felt)
        return felt

    cdef int _recompute_rows(self) noexcept nogil:
        """All residuals and velocities from the kernel."""
        cdef Py_ssize_t i, n = self.stairs.n, length = self.columns.length()
        cdef int p
        cdef double ridge = self.margin.ridge
        if self.columns.spread(&self.beta[0], &self.product[0]) < 0:
            return -1
        for i in range(n):
            p = self.stairs.position[i]
            self.pace[i] = self.stairs.knot_speed(i, knot_of(p)) if is_at_knot(p) else 0.0
        if not self.stairs.knots_move or self.theta >= 1.0:
            # At the end nobody asks for velocities any more.
            memset(&self.speed[0], 0, length * sizeof(double))
        elif self.columns.spread(&self.pace[0], &self.speed[0]) < 0:
            return -1
        for i in range(n):
            self.beta[i] = self._target(i) - ridge * self.beta[i] - self.bias
            self.pace[i] = self.target_slope[i] - ridge * self.pace[i]
        self.watch.replace(&self.product[0], &self.speed[0], &self.beta[0], &self.pace[0])
        self._measure()
        self.peak_reach = self._reach()
        return 0
