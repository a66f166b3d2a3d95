"""Where everything stands at the current theta, and the scales that tolerances hang on.

A target may carry a shift that decays to zero at theta = 1: ``t = t_end - (1 - theta) dt`` with
``dt`` including the shift's slope, so that a start that is not optimal, or what rounding left
above tolerance, is followed out like any other change of the problem. The total of the
coefficients is treated in the same way.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.engine._factor cimport Factor
from weightpath.engine._margin cimport Margin
from weightpath.record._record cimport RecordBuffer
from weightpath.engine._stairs cimport Stairs
from weightpath.engine._pair_watch cimport PairWatch
from weightpath.engine._watch cimport RowWatch, Watch
from weightpath.kernels._columns cimport Columns
from weightpath.problems import position as positions
from weightpath.problems._position cimport interval_of, is_at_knot, knot_of
from weightpath.problems.scales import bound_reach, reach_of

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"
    double wp_dot(Py_ssize_t n, const double* x, const double* y, double* size)

cdef double TOL_RESIDUAL = _tolerances.RESIDUAL
cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double REFINE_ABOVE = _tolerances.REFINE_ABOVE
cdef double FRESH_AFTER_FALL = _tolerances.FRESH_AFTER_FALL
cdef double ROUNDED_AWAY = _tolerances.ROUNDED_AWAY
cdef double SHIFT_LIMIT = _tolerances.SHIFT_LIMIT
cdef double SHIFT_ROUNDINGS = _tolerances.SHIFT_ROUNDINGS
cdef Py_ssize_t REFRESH_EVERY = _tolerances.REFRESH_EVERY
cdef Py_ssize_t ROWS_PER_REFRESH = _tolerances.ROWS_PER_REFRESH


cdef class Standing:
    """One straight line of staircases and a place on it.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The ends of the line; ``start.target`` and ``start.total`` may carry a shift.
    position : ndarray of shape (n,), int32
        Where each row stands at the start; a copy is kept.
    beta : ndarray of shape (n,)
        Coefficients at the start.
    bias : float
        Bias at the start.
    ridge : float
        Added to the diagonal of the kernel matrix.
    """

    def __init__(self, Columns columns, start, end, position, beta, double bias, double ridge=0.0):
        n = len(start)
        self.columns = columns
        self.bordered = start.has_bias
        diagonal = np.asarray(columns.diagonal) + ridge
        scale = float(diagonal.max(initial=0.0)) or 1.0
        self.margin = Margin(
            columns, Factor(self.bordered, float(diagonal.mean()) or 1.0), ridge, scale
        )
        self.stairs = Stairs(start, end, np.array(position, dtype=np.int32), reach_of(diagonal))
        self.beta = np.array(beta, dtype=np.float64)
        self.bias = bias if self.bordered else 0.0
        self.outer_levels = end.levels[:, [0, -1]]
        self.target_end = np.array(end.target)
        self.target_slope = end.target - start.target
        self.total_end = end.total
        self.total_slope = end.total - start.total
        self.residual_scale = max(start.residual_scale(), end.residual_scale())
        self.dt_scale = float(np.abs(end.target - start.target).max(initial=0.0))
        self.product = np.zeros(columns.length())
        self.speed = np.zeros(columns.length())
        self.pace = np.zeros(n)
        self.record = RecordBuffer()
        self.watch = Watch()
        self.theta = self.bias_slope = 0.0
        self.last = -1
        self.max_events = 1 << 62
        self.zero_limit = 50 + 5 * columns.length()
        self.refresh_every = max(REFRESH_EVERY, n // ROWS_PER_REFRESH)
        self.full_every = 1 << 62
        self.shift_limit = _tolerances.SHIFT_LIMIT * (self.residual_scale or 1.0)
        self.rounding = 0.0
        self.tol_residual = TOL_RESIDUAL * self.residual_scale

    @property
    def position(self):
        """Where each row stands (a copy)."""
        return np.array(self.stairs.position)

    @property
    def coefficients(self):
        """``beta`` now (a copy)."""
        self._measure()
        return np.array(self.beta)

    @property
    def target(self):
        """The target now, with all shifts."""
        return np.asarray(self.target_end) - (1.0 - self.theta) * np.asarray(self.target_slope)

    @property
    def total(self):
        """The total now, with its shift."""
        return self.total_end - (1.0 - self.theta) * self.total_slope

    @property
    def residuals(self):
        """The residuals now (a copy)."""
        return self.watch.residuals

    @property
    def tolerance(self):
        """The tolerance of residuals now in force."""
        return self.tol_residual

    def set_positions(self, position):
        """Change where rows at equal knots stand, before the rows are watched."""
        np.asarray(self.stairs.position)[:] = position

    def shift(self, target, double total):
        """Let the line begin at this target and total: a start that is optimal there."""
        slope = np.asarray(self.target_end) - target
        np.asarray(self.target_slope)[:] = slope
        self.dt_scale = float(np.abs(slope).max(initial=0.0))
        self.total_slope = self.total_end - total

    def watch_rows(self, residual):
        """Begin to follow the rows from these residuals (of the shifted problem)."""
        cdef Py_ssize_t i
        self.initial_position = self.position
        self._measure()
        if self.residual_scale == 0.0:
            # No target and no level: the residuals themselves say what is large.
            self.residual_scale = float(np.abs(residual).max(initial=0.0)) + fabs(self.bias)
            if self.total_end == 0.0 and self.total_slope == 0.0:
                # Zero solves it: what a coefficient at its bound could do is large.
                kappa = np.asarray(self.stairs.kappa)
                for knots in (np.asarray(self.stairs.knot0), np.asarray(self.stairs.knot1)):
                    reach = float(bound_reach(knots, self.outer_levels, kappa))
                    self.residual_scale = max(self.residual_scale, reach)
            else:
                self.follows_scale = True
            self.shift_limit = _tolerances.SHIFT_LIMIT * (self.residual_scale or 1.0)
        speed = self._knot_speeds()
        product = self.columns.points(speed) if speed.any() else np.zeros(self.columns.length())
        if self.columns.structure is None:
            velocity = np.asarray(self.target_slope) - self.margin.ridge * speed - product
            self.watch = RowWatch(residual, velocity, self.target_slope, self.stairs.levels_move)
        else:
            self.watch = PairWatch(self.columns.structure, np.asarray(residual) - self.target,
                                   product, self.target_end, self.target_slope)
        for i in range(self.stairs.n):
            if is_at_knot(self.stairs.position[i]):
                self._stand_at_knot(i, self.stairs.position[i])
            else:
                self._stand_free(i, self.stairs.position[i])
        self._measure()
        self._measure_rounding()
        self.peak_reach = self._reach()

    def _knot_speeds(self):
        # Velocity of every row at a knot, zero for the margin.
        position = np.asarray(self.stairs.position)
        row = np.arange(self.stairs.n)
        at = positions.is_at_knot(position)
        knot = np.where(at, positions.knot_of(position), 0)
        difference = np.asarray(self.stairs.knot1)[row, knot] - np.asarray(
            self.stairs.knot0)[row, knot]
        return np.where(at, difference, 0.0)

    cdef void _measure_rounding(self) noexcept nogil:
        """Set the tolerance of residuals by the roundings that ``beta`` now has."""
        cdef Py_ssize_t i, k
        cdef double size = 0.0, largest = 0.0
        cdef const double* beta
        if self.margin.size:
            beta = self.columns.gather(&self.beta[0])
            for k in range(self.margin.size):
                wp_dot(self.columns.length(), self.margin.column[k], beta, &size)
                largest = max(largest, size)
        else:
            for i in range(self.stairs.n):
                largest = max(largest, self.stairs.kappa[i] * fabs(self.beta[i]))
        self.rounding = ROUNDINGS * DBL_EPSILON * largest
        self.tol_residual = TOL_RESIDUAL * self.residual_scale + self.rounding

    cdef void _stand_at_knot(self, Py_ssize_t i, int position) noexcept nogil:
        cdef Py_ssize_t j = knot_of(position)
        self.stairs.position[i] = position
        self.watch.place(i, self.stairs.level(i, j, self.theta),
                         self.stairs.level(i, j + 1, self.theta),
                         self.stairs.level_speed(i, j), self.stairs.level_speed(i, j + 1))

    cdef void _stand_free(self, Py_ssize_t i, int position) noexcept nogil:
        self.stairs.position[i] = position
        self.watch.place(i, -FAR, FAR, 0.0, 0.0)

    cdef void _knot_speed(self, Py_ssize_t i, const double* col, double amount) noexcept nogil:
        """A row that moves with its knot at speed ``amount`` joins (or leaves, negative)."""
        if amount == 0.0:
            return
        self.watch.add_velocity(col, amount)
        self.watch.push_velocity(i, -self.margin.ridge * amount)
        self._add_to_sum(amount)
        # Upper bounds are enough here; the next refresh measures them.
        self.knot_size += fabs(amount)
        self.knot_reach += self.stairs.kappa[i] * fabs(amount)

    cdef void _add_to_sum(self, double amount) noexcept nogil:
        # A sum in which weights of very different size come and go: what it rounds off is kept.
        cdef double total = self.knot_sum + amount
        if fabs(self.knot_sum) >= fabs(amount):
            self.knot_lost += (self.knot_sum - total) + amount
        else:
            self.knot_lost += (amount - total) + self.knot_sum
        self.knot_sum = total

    cdef double _balance(self) noexcept nogil:
        # What the margin must add to the sum of the coefficients per unit theta.
        return (self.total_slope - self.knot_sum) - self.knot_lost

    cdef void _measure(self) noexcept nogil:
        """Coefficients at theta, and the sums over the knots."""
        cdef Py_ssize_t i, j, k
        cdef double size = 0.0, reach = 0.0, standing = 0.0, v
        self.knot_sum = self.knot_lost = 0.0
        for i in range(self.stairs.n):
            if is_at_knot(self.stairs.position[i]):
                j = knot_of(self.stairs.position[i])
                self.beta[i] = self.stairs.knot(i, j, self.theta)
                standing += self.stairs.kappa[i] * fabs(self.beta[i])
                v = self.stairs.knot_speed(i, j)
                if v != 0.0:
                    self._add_to_sum(v)
                    size += fabs(v)
                    reach += self.stairs.kappa[i] * fabs(v)
        for k in range(self.margin.size):
            self.beta[self.margin.member[k]] = self.margin.value[k]
        self.knot_size = size
        self.knot_reach = reach
        self.standing_reach = standing

    cdef double _reach(self) noexcept nogil:
        # A bound of what all coefficients add up to in a residual; its roundings hang on it.
        cdef Py_ssize_t k
        cdef double reach = fabs(self.standing_reach)
        for k in range(self.margin.size):
            reach += self.stairs.kappa[self.margin.member[k]] * fabs(self.margin.value[k])
        return reach

    cdef void _note_reach(self) noexcept nogil:
        """Ask for fresh residuals where those at hand carry roundings of far larger coefficients.

        The sum of a bound over the rows at knots is kept up to date by those that come and go.
        """
        cdef double reach = self._reach()
        if self.follows_scale:
            self._follow_scale(max(fabs(self.bias), ROUNDED_AWAY * reach))
        if reach > self.peak_reach:
            self.peak_reach = reach
        elif FRESH_AFTER_FALL * reach < self.peak_reach and (
                ROUNDINGS * DBL_EPSILON * self.peak_reach
                > REFINE_ABOVE * TOL_RESIDUAL * self.residual_scale):
            self.since, self.since_full = self.refresh_every, self.full_every

    cdef void _follow_scale(self, double scale) noexcept nogil:
        # Without targets and levels the values on the margin, minus the bias, say what is large.
        if 0.0 < scale and FRESH_AFTER_FALL * scale < self.residual_scale:
            self.residual_scale = scale
            self.shift_limit = SHIFT_LIMIT * scale
            self.since, self.since_full = self.refresh_every, self.full_every

    cdef Py_ssize_t _knot_of_member(self, Py_ssize_t k) noexcept nogil:
        # The knot that member k of the margin is at, -1 if it is at none; of two the nearer.
        cdef Py_ssize_t i = self.margin.member[k], q = interval_of(self.stairs.position[i])
        cdef bint below = self._is_at_knot(k, -1), above = self._is_at_knot(k, 1)
        if below and above:
            above = (self.stairs.room(i, self.margin.value[k], 1, self.theta)
                     < self.stairs.room(i, self.margin.value[k], -1, self.theta))
            below = not above
        return q if above else q - 1 if below else -1

    cdef bint _is_at_knot(self, Py_ssize_t k, int side) noexcept nogil:
        # Whether member k of the margin is at the knot on one side of its interval.
        cdef Py_ssize_t i = self.margin.member[k]
        cdef double value = self.margin.value[k]
        cdef double room = self.stairs.room(i, value, side, self.theta)
        return room < FAR / 2 and room <= self.stairs.closeness(i, value, side, self.theta,
                                                                self.tol_residual)

    cdef double _target(self, Py_ssize_t i) noexcept nogil:
        return self.target_end[i] - (1.0 - self.theta) * self.target_slope[i]

    cdef bint _is_astray(self, double shift) noexcept nogil:
        # Whether a shift is too large to be carried along; at the end it is judged elsewhere.
        if self.theta >= 1.0 or shift <= max(self.shift_limit, SHIFT_ROUNDINGS * self.tol_residual):
            return False
        # Since it was measured last, coefficients may have grown, and their roundings with them.
        self._measure()
        self._measure_rounding()
        return shift > SHIFT_ROUNDINGS * self.tol_residual
