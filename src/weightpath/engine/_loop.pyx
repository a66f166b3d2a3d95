"""The path-following loop: one for every problem (Figure 3 of the paper, in staircase form).

A row at a knot moves with its knot; the free rows, the margin M, keep their residual at a level:

    [0  a' ] [db    ]   [de - a'dk            ]
    [a  K_M] [dbeta ] = [dt_M - ds_M - (K dk)_M]      dr = dt - K dk - K_M dbeta - a db

Until the next event everything is linear in theta. An event is a row meeting the end of its
interval or its knot's levels: its position changes by one, and the loop goes on. See
:mod:`weightpath.engine` for the whole algorithm and :mod:`weightpath.engine.tolerances` for the
constants.

A target may carry a shift that decays to zero at theta = 1: ``t = t_end - (1 - theta) dt`` with
``dt`` including the shift's slope, so that a start that is not optimal, or what rounding left
above tolerance, is followed out like any other change of the problem.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath.engine._factor cimport Factor
from weightpath.engine._margin cimport Margin
from weightpath.engine._record cimport RecordBuffer
from weightpath.engine._stairs cimport Stairs
from weightpath.engine._watch cimport RowWatch, Watch
from weightpath.engine import tolerances as _tolerances
from weightpath.kernels._columns cimport Columns

from cpython.exc cimport PyErr_CheckSignals

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"
    double wp_dot(Py_ssize_t n, const double* x, const double* y, double* size)

cdef double TOL_BETA = _tolerances.BETA
cdef double TOL_RESIDUAL = _tolerances.RESIDUAL
cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double SLOPE_NOISE = _tolerances.SLOPE_NOISE
cdef double BALANCE_NOISE = _tolerances.BALANCE_NOISE
cdef double BALANCE_LEFT = _tolerances.BALANCE_LEFT
cdef double ZERO_STEP = _tolerances.ZERO_STEP
cdef double OUT_OF_INTERVAL = _tolerances.OUT_OF_INTERVAL
cdef double REFINE_ABOVE = _tolerances.REFINE_ABOVE
cdef Py_ssize_t REFRESH_EVERY = _tolerances.REFRESH_EVERY
cdef Py_ssize_t PAUSE_EVERY = 512

# What the loop answers. GOING is internal: nothing to report, go on.
cdef enum:
    GOING = 0
    END = 1
    CAP = 2
    INFEASIBLE = 3
    UNBOUNDED = 4
    TIES = 5
    ASTRAY = 6
    INTERRUPTED = 7
    NO_COLUMN = 8
    NO_MEMORY = 9
    INDEFINITE = 10

ANSWERS = {
    END: "end", CAP: "cap", INFEASIBLE: "infeasible", UNBOUNDED: "unbounded", TIES: "ties",
    ASTRAY: "astray", INTERRUPTED: "interrupted", NO_COLUMN: "no column", NO_MEMORY: "no memory",
    INDEFINITE: "indefinite",
}


cdef class Loop:
    """Follow one straight line of staircases.

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
        self.stairs = Stairs(start, end, np.array(position, dtype=np.int32))
        self.beta = np.array(beta, dtype=np.float64)
        self.bias = bias if self.bordered else 0.0
        self.target_end = np.array(end.target)
        self.target_slope = end.target - start.target
        self.total_end = end.total
        self.total_slope = end.total - start.total
        self.residual_scale = max(start.residual_scale(), end.residual_scale())
        self.dt_scale = float(np.abs(end.target - start.target).max(initial=0.0))
        self.leg_scale = max(start.knot_scale(), end.knot_scale())
        self.product = np.zeros(n)
        self.speed = np.zeros(n)
        self.record = RecordBuffer()
        self.watch = Watch()
        self.theta = self.bias_slope = 0.0
        self.last = -1
        self.max_events = 1 << 62
        self.zero_limit = 50 + 5 * n
        self.full_every = 1 << 62
        self.shift_limit = _tolerances.SHIFT_LIMIT * (self.residual_scale or 1.0)
        self.rounding = 0.0
        self.tol_beta = TOL_BETA * max(start.knot_scale(), float(np.abs(beta).max(initial=0.0)))

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

    def set_positions(self, position):
        """Change where rows at equal knots stand, before the rows are watched."""
        np.asarray(self.stairs.position)[:] = position

    def tie_view(self):
        """Everything that the derivative problem at this theta is made of."""
        stairs, theta = self.stairs, self.theta
        self.watch.bar(-1, 0, 0.0)
        knot0, knot1 = np.asarray(stairs.knot0), np.asarray(stairs.knot1)
        level0, level1 = np.asarray(stairs.level0), np.asarray(stairs.level1)
        speed = self._knot_speeds()
        for k in range(self.margin.size):
            speed[self.margin.member[k]] = self.margin.slope[k]
        return {
            "position": self.position, "beta": self.coefficients, "residual": self.residuals,
            "knots": (1.0 - theta) * knot0 + theta * knot1, "knot_speed": knot1 - knot0,
            "levels": (1.0 - theta) * level0 + theta * level1, "level_speed": level1 - level0,
            "target_slope": np.array(self.target_slope), "total_slope": self.total_slope,
            "speed": speed, "bias_slope": self.bias_slope, "has_bias": bool(self.bordered),
        }

    @property
    def tolerance(self):
        """The tolerances of coefficients and residuals now in force."""
        return self.tol_beta, self.tol_residual

    def assemble(self, Py_ssize_t[::1] order):
        """Make the free rows in ``order`` the margin; return how many null moves it took.

        A dependent row is moved along its null direction, the shorter way, until it or a member
        meets a knot. No residual changes by that.
        """
        cdef Py_ssize_t i
        cdef const double* col
        cdef int code, moved = 0
        for i in order:
            col = self.columns.pin(i)
            if col == NULL:
                self.columns.raise_error()
            while True:
                code = self.margin.depends(i, col)
                if code == 0:
                    code = self.margin.push(i, col, self.beta[i])
                    if code == 0:
                        break
                if code == -2:
                    raise MemoryError("Not enough memory for the margin system.")
                if code == 2:
                    raise ArithmeticError("indefinite")
                moved += 1
                if self._null_move(i):
                    self.columns.unpin(i)
                    break
        return moved

    cdef bint _null_move(self, Py_ssize_t i) except -1:
        # One move of `assemble`: the first to meet a knot stands there. Whether it is i itself.
        cdef double up = FAR, down = FAR, v
        cdef Py_ssize_t k, who, above, below
        cdef int direction
        above = self.stairs.null_block(self.margin, i, self.beta[i], 1, 0.0, self.tol_beta, &up)
        below = self.stairs.null_block(self.margin, i, self.beta[i], -1, 0.0, self.tol_beta, &down)
        if above < 0 and below < 0:
            raise ValueError("A free direction of the start meets no knot.")
        direction = 1 if above >= 0 and (below < 0 or up <= down) else -1
        who, v = (above, up) if direction > 0 else (below, down)
        v *= direction
        self.beta[i] += v
        for k in range(self.margin.size):
            self.margin.value[k] -= v * self.margin.null[k]
        self.bias -= v * self.margin.null_bias
        if who == self.margin.size:
            self._snap(i, direction)
            return True
        self._snap(self.margin.member[who], -direction if self.margin.null[who] > 0 else direction)
        self.margin.drop(who)
        return False

    cdef _snap(self, Py_ssize_t i, int direction):
        # A free row stands at the knot on one side.
        cdef Py_ssize_t q = self.stairs.position[i] // 2
        self.stairs.position[i] += direction
        self.beta[i] = self.stairs.knot(i, q if direction > 0 else q - 1, 0.0)

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
        speed = self._knot_speeds()
        velocity = np.asarray(self.target_slope) - self.margin.ridge * speed
        if speed.any():
            velocity -= self.columns.product(speed)
        self.watch = RowWatch(residual, velocity, self.target_slope, self.stairs.levels_move)
        for i in range(self.stairs.n):
            if self.stairs.position[i] % 2:
                self._stand_at_knot(i, self.stairs.position[i])
            else:
                self._stand_free(i, self.stairs.position[i])
        self._measure()
        self._correct_margin_tolerance()

    def _knot_speeds(self):
        # Velocity of every row at a knot, zero for the margin.
        position = np.asarray(self.stairs.position)
        row = np.arange(self.stairs.n)
        knot = position // 2 * (position % 2)
        difference = np.asarray(self.stairs.knot1)[row, knot] - np.asarray(
            self.stairs.knot0)[row, knot]
        return np.where(position % 2 == 1, difference, 0.0)

    def _correct_margin_tolerance(self):
        # The first tolerance of residuals, before any refresh has measured the rounding.
        cdef Py_ssize_t k
        cdef double size = 0.0, largest = 0.0
        for k in range(self.margin.size):
            wp_dot(self.stairs.n, self.margin.column[k], &self.beta[0], &size)
            largest = max(largest, size)
        self.rounding = ROUNDINGS * DBL_EPSILON * largest
        self.tol_residual = TOL_RESIDUAL * self.residual_scale + self.rounding

    def run(self, callback=None):
        """Follow the line until something must be said; return the answer as a word."""
        cdef int answer
        self.callback = callback
        self.error = None
        with nogil:
            answer = self._run()
        if answer == INTERRUPTED and self.error is not None:
            raise self.error
        if answer == NO_COLUMN:
            self.columns.raise_error()
        if answer == NO_MEMORY:
            raise MemoryError("Not enough memory to follow the path.")
        return ANSWERS[answer]

    def finish(self):
        """Bring everything up to date from the kernel; return the largest violation found."""
        cdef int answer
        self.violation = 0.0
        with nogil:
            answer = self._refresh(True)
        if answer == NO_COLUMN:
            self.columns.raise_error()
        return self.violation

    def close(self):
        """Unpin all columns."""
        self.margin.release()

    # ------------------------------------------------------------------ the loop

    cdef int _run(self) noexcept nogil:
        cdef int answer = GOING
        while answer == GOING:
            if self.since >= REFRESH_EVERY:
                answer = self._refresh(self.since_full >= self.full_every)
                if answer != GOING:
                    return answer
            if self.theta >= 1.0:
                return END
            if self.n_events >= self.max_events:
                return CAP
            if self.zero_run > self.zero_limit and not self.least_index:
                return TIES
            self.checks += 1
            if self.checks % PAUSE_EVERY == 0 and self._pause() < 0:
                return INTERRUPTED
            if self.bordered and self.margin.size == 0:
                answer = self._empty_margin()
            else:
                self._direction()
                answer = self._to_next_event()
        return answer

    cdef void _direction(self) noexcept nogil:
        """Speeds of the margin and the bias per unit theta (Eq. 13 of the paper)."""
        cdef Py_ssize_t k, i
        for k in range(self.margin.size):
            i = self.margin.member[k]
            self.margin.kernel[k] = (self.watch.velocity(i)
                                     - self.stairs.level_speed(i, self.stairs.position[i] // 2))
        self.margin.factor.solve(self.margin.kernel, self.total_slope - self.knot_sum,
                                 self.margin.slope, &self.bias_slope)
        self.margin_sum += self.margin.size

    cdef int _to_next_event(self) noexcept nogil:
        """Ratio test, step, change of sets."""
        cdef int direction = 0
        cdef double step = 0.0, fastest = 0.0
        cdef bint on_margin = False
        cdef Py_ssize_t k, who = self._ratio_test(&direction, &step, &on_margin)
        cdef double* value = self.margin.value
        cdef double* slope = self.margin.slope
        if self._out_of_interval(step):
            return ASTRAY
        if self.theta + step > self.theta and self.record.segment(
                self.theta, self.bias, self.bias_slope, self.margin.size, self.margin.member,
                self.margin.value, self.margin.slope) < 0:
            return NO_MEMORY
        for k in range(self.margin.size):
            value[k] += step * slope[k]
            fastest = max(fastest, fabs(slope[k]))
        self.bias += step * self.bias_slope
        self.watch.advance(step)
        self.theta = 1.0 if who < 0 else min(1.0, self.theta + step)
        if step * max(1.0, fastest / max(self.beta_scale, 1e-300)) <= ZERO_STEP:
            self.zero_run += 1
            self.n_zero += 1
        else:
            self.zero_run = 0
            self.least_index = False
        self.since += 1
        self.since_full += 1
        if who < 0:
            return GOING
        if on_margin:
            self.last = self.margin.member[who]
            self.last_direction = direction
            return self._leave(who, direction)
        return self._enter(who, direction)

    cdef Py_ssize_t _ratio_test(self, int* direction, double* step,
                                bint* on_margin) noexcept nogil:
        """Harris' two passes over rows at knots and members of the margin.

        Returns the row (or the place in the margin) that changes, -1 if none does before
        theta = 1. Speeds at noise, or too slow to use up the tolerance by then, do not count.
        """
        cdef Py_ssize_t k, who, best = -1
        cdef double rem = 1.0 - self.theta, size = 0.0, largest = 0.0, noise, noise_beta
        cdef double slack, speed, ratio, bound, score = 0.0
        cdef int side
        for k in range(self.margin.size):
            size += fabs(self.margin.slope[k])
            largest = max(largest, fabs(self.margin.slope[k]))
        noise = max(self.tol_residual / rem, ROUNDINGS * DBL_EPSILON * (
            self.margin.scale * (self.knot_size + size) + self.dt_scale + fabs(self.bias_slope)))
        noise_beta = max(self.tol_beta / rem, max(SLOPE_NOISE * largest, 4.0 * DBL_EPSILON * (
            self.knot_size + fabs(self.total_slope))))
        if self.last >= 0 and self.stairs.position[self.last] % 2:
            self.watch.bar(self.last, -self.last_direction, self.tol_residual)
        else:
            self.watch.bar(-1, 0, 0.0)
        bound = min(rem, self.watch.sweep(self.margin.column, self.margin.slope, self.margin.size,
                                          self.bias_slope, self.tol_residual, noise))
        step[0] = rem
        if self.least_index:
            return self._least_index(noise_beta, noise, direction, step, on_margin)
        for k in range(self.margin.size):
            for side in range(-1, 2, 2):
                speed = self._member_speed(k, side, &slack)
                if speed > noise_beta:
                    bound = min(bound, (slack + self.tol_beta) / speed)
        for k in range(self.margin.size):
            for side in range(-1, 2, 2):
                speed = self._member_speed(k, side, &slack)
                if speed > noise_beta and slack <= bound * speed and (
                        speed > score * self.tol_beta):
                    best = k
                    score = speed / self.tol_beta
                    direction[0] = side
                    step[0] = slack / speed
                    on_margin[0] = True
        who = self.watch.choose(bound, noise, &side, &ratio, &speed)
        if who >= 0 and (best < 0 or speed > score * self.tol_residual):
            best = who
            direction[0] = side
            step[0] = ratio
            on_margin[0] = False
        return best

    cdef Py_ssize_t _least_index(self, double noise_beta, double noise, int* direction,
                                 double* step, bint* on_margin) noexcept nogil:
        # The slow rule that does not cycle: the least index among those at their limit now.
        cdef Py_ssize_t k, index, best = -1, best_index = -1
        cdef double slack, speed, ratio, first = step[0]
        cdef int side
        index = self.watch.least(self.tol_residual, noise, first, &side, &ratio, &speed)
        if index >= 0:
            best = best_index = index
            first = step[0] = ratio
            direction[0] = side
        for k in range(self.margin.size):
            for side in range(-1, 2, 2):
                speed = self._member_speed(k, side, &slack)
                if speed <= noise_beta or slack >= FAR / 2:
                    continue
                ratio = 0.0 if slack <= self.tol_beta else slack / speed
                index = self.margin.member[k]
                if ratio < first or (ratio == first and (best < 0 or index < best_index)):
                    best = k
                    best_index = index
                    first = step[0] = ratio
                    direction[0] = side
                    on_margin[0] = True
        return best

    cdef double _member_speed(self, Py_ssize_t k, int direction,
                                     double* slack) noexcept nogil:
        """Speed of a member towards the knot on one side and the slack left; 0 if there is none."""
        cdef Py_ssize_t i = self.margin.member[k], q = self.stairs.position[i] // 2
        cdef Py_ssize_t j = q if direction > 0 else q - 1
        slack[0] = FAR
        if j < 0 or j >= self.stairs.m:
            return 0.0
        slack[0] = direction * (self.stairs.knot(i, j, self.theta) - self.margin.value[k])
        if slack[0] < 0.0:
            slack[0] = 0.0
        if i == self.last and direction == -self.last_direction and slack[0] <= self.tol_beta:
            return 0.0
        return direction * (self.margin.slope[k] - self.stairs.knot_speed(i, j))

    cdef bint _out_of_interval(self, double step) noexcept nogil:
        # Whether the step takes a member clearly beyond its knots: the numbers have gone astray.
        cdef Py_ssize_t k, i, q
        cdef double limit = OUT_OF_INTERVAL * self.beta_scale
        cdef double x, theta = self.theta + step
        for k in range(self.margin.size):
            i = self.margin.member[k]
            q = self.stairs.position[i] // 2
            x = self.margin.value[k] + step * self.margin.slope[k]
            if not x == x:
                return True
            if q < self.stairs.m and x - self.stairs.knot(i, q, theta) > limit:
                return True
            if q > 0 and self.stairs.knot(i, q - 1, theta) - x > limit:
                return True
        return not self.bias_slope == self.bias_slope

    # ------------------------------------------------------------------ changes of sets

    cdef int _leave(self, Py_ssize_t k, int direction) noexcept nogil:
        """Member ``k`` of the margin stands at the knot on one side from now on."""
        cdef Py_ssize_t i = self.margin.member[k]
        cdef int p = self.stairs.position[i]
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self.watch.fix(i, self.stairs.level(i, p // 2, self.theta))
        self._stand_at_knot(i, p + direction)
        self._knot_speed(i, self.margin.column[k],
                         self.stairs.knot_speed(i, self.stairs.position[i] // 2))
        self.margin.drop(k)
        return GOING

    cdef int _enter(self, Py_ssize_t i, int direction) noexcept nogil:
        """Row ``i`` leaves its knot for the interval on one side."""
        cdef int p = self.stairs.position[i], code
        cdef Py_ssize_t j = p // 2
        cdef double level = self.stairs.level(i, (p + direction) // 2, self.theta)
        cdef const double* col
        self.last = -1
        if self.stairs.same_knot(i, j, j + direction):
            if (self.record.event(self.theta, i, p, p + direction) < 0
                    or self.record.event(self.theta, i, p + direction, p + 2 * direction) < 0):
                return NO_MEMORY
            self.n_events += 2
            self.watch.fix(i, level)
            self._stand_at_knot(i, p + 2 * direction)
            return GOING
        col = self.columns.pin(i)
        if col == NULL:
            return NO_COLUMN
        code = self.margin.depends(i, col)
        if code == 0:
            code = self.margin.push(i, col, self.stairs.knot(i, j, self.theta))
        if code == 2:
            self.columns.unpin(i)
            return INDEFINITE
        if code == -1 or code == 1:
            return self._exchange(i, direction, col)
        if code < 0:
            return NO_MEMORY
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self._knot_speed(i, col, -self.stairs.knot_speed(i, j))
        self.watch.fix(i, level)
        self._stand_free(i, p + direction)
        self.last = i
        self.last_direction = direction
        return GOING

    cdef int _exchange(self, Py_ssize_t i, int direction, const double* col) noexcept nogil:
        """Row ``i`` depends on the margin: move along the null direction at this theta.

        No residual changes but by rounding; the first to meet a knot leaves and i takes its place,
        or i itself goes on to its other knot. This is what replaces the ridge.
        """
        cdef int p = self.stairs.position[i]
        cdef Py_ssize_t k, j = p // 2, who, index
        cdef double length = 0.0, value = self.stairs.knot(i, j, self.theta), largest = 0.0
        cdef double* null = self.margin.null
        cdef double* member_value = self.margin.value
        self.stairs.position[i] = p + direction
        who = self.stairs.null_block(self.margin, i, value, direction, self.theta, self.tol_beta,
                                     &length)
        self.stairs.position[i] = p
        if who < 0:
            self.columns.unpin(i)
            return UNBOUNDED
        self.n_exchanges += 1
        self._knot_speed(i, col, -self.stairs.knot_speed(i, j))
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self.watch.settle()
        self._stand_free(i, p + direction)
        if length > 0.0:
            for k in range(self.margin.size):
                self.watch.add_move(self.margin.column[k], -direction * length * null[k])
                member_value[k] -= direction * length * null[k]
            self.watch.add_move(col, direction * length)
            if self.bordered:
                self.watch.lift(direction * length * self.margin.null_bias)
                self.bias -= direction * length * self.margin.null_bias
            for k in range(self.margin.size):
                index = self.margin.member[k]
                self.watch.fix(index, self.stairs.level(index, self.stairs.position[index] // 2,
                                                        self.theta))
            self.n_shifts += self.watch.clamp(self.tol_residual, 1.0 - self.theta, &largest)
            self.largest_shift = max(self.largest_shift, largest)
            if length > self.tol_beta:
                self.zero_run = 0
        self.watch.fix(i, self.stairs.level(i, (p + direction) // 2, self.theta))
        self.beta[i] = value + direction * length
        if largest > self.shift_limit and self.theta < 1.0:
            self.columns.unpin(i)
            return ASTRAY
        if who == self.margin.size:
            return self._pass_over(i, direction, col)
        value += direction * length
        if self._leave(who, -direction if self.margin.null[who] > 0 else direction) != GOING:
            return NO_MEMORY
        if self.margin.push(i, col, value) != 0:
            self.columns.unpin(i)
            return ASTRAY
        return GOING

    cdef int _pass_over(self, Py_ssize_t i, int direction, const double* col) noexcept nogil:
        # A free row that is not on the margin goes to the knot ahead.
        cdef int p = self.stairs.position[i]
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self._stand_at_knot(i, p + direction)
        self._knot_speed(i, col, self.stairs.knot_speed(i, self.stairs.position[i] // 2))
        self.columns.unpin(i)
        return GOING

    cdef int _empty_margin(self) noexcept nogil:
        """Without a margin only the bias can answer (Section 3.3 of the paper).

        Where the knots' balance changes, the bias moves until the first row meets its level on the
        side that can restore it. Where it does not, the nearer side enters as an anchor that
        moves with its knot, and ordinary events trace the interval of the bias.
        """
        cdef double balance = self.total_slope - self.knot_sum, slack = 0.0, other = 0.0
        cdef double size = max(self.knot_size, fabs(self.total_slope))
        cdef Py_ssize_t i, down
        cdef int direction = 1 if balance > 0 else -1, answer
        self.watch.settle()
        i = self.watch.nearest(direction, &slack)
        if fabs(balance) <= BALANCE_NOISE * size:
            i = self.watch.nearest(1, &slack)
            down = self.watch.nearest(-1, &other)
            direction = 1
            if i < 0 or (down >= 0 and other < slack):
                i = down
                slack = other
                direction = -1
            if i < 0:
                return self._coast()
        elif i < 0:
            if fabs(balance) * (1.0 - self.theta) <= BALANCE_LEFT * self.leg_scale:
                return self._coast()
            return INFEASIBLE
        self.bias -= direction * slack
        self.watch.lift(direction * slack)
        self.since += 1
        self.since_full += 1
        self.zero_run += 1
        answer = self._enter(i, direction)
        if slack > self.tol_residual:
            self.zero_run = 0
            self.least_index = False
        return answer

    cdef int _coast(self) noexcept nogil:
        # Nothing can ever happen: go straight to the end.
        self.bias_slope = 0.0
        if self.record.segment(self.theta, self.bias, 0.0, 0, NULL, NULL, NULL) < 0:
            return NO_MEMORY
        self.watch.bar(-1, 0, 0.0)
        self.watch.sweep(NULL, NULL, 0, 0.0, self.tol_residual, FAR)
        self.watch.advance(1.0 - self.theta)
        self.theta = 1.0
        return GOING

    cdef void _stand_at_knot(self, Py_ssize_t i, int position) noexcept nogil:
        cdef Py_ssize_t j = position // 2
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
        self.knot_sum += amount
        # An upper bound is enough here; the next refresh measures it.
        self.knot_size += fabs(amount)

    # ------------------------------------------------------------------ against drift

    cdef int _refresh(self, bint full) noexcept nogil:
        """Recompute what rounding may have moved; all rows from the kernel if ``full``."""
        cdef double largest = 0.0
        cdef Py_ssize_t k, i
        self.n_refreshes += 1
        self.since = 0
        self.watch.bar(-1, 0, 0.0)
        self.watch.settle()
        self._measure()
        self._correct_margin()
        if full:
            self.since_full = 0
            self._measure()
            if self._recompute_rows() < 0:
                return NO_COLUMN
        for k in range(self.margin.size):
            i = self.margin.member[k]
            self.violation = max(self.violation, fabs(
                self.watch.residual(i)
                - self.stairs.level(i, self.stairs.position[i] // 2, self.theta)))
            self.watch.fix(i, self.stairs.level(i, self.stairs.position[i] // 2, self.theta))
        self.n_shifts += self.watch.clamp(self.tol_residual, 1.0 - self.theta, &largest)
        self.largest_shift = max(self.largest_shift, largest)
        self.violation = max(self.violation, largest)
        return ASTRAY if largest > self.shift_limit and self.theta < 1.0 else GOING

    cdef void _measure(self) noexcept nogil:
        """Coefficients at theta, sums over the knots, and the scales that tolerances hang on."""
        cdef Py_ssize_t i, j, k
        cdef long double total = 0.0
        cdef double size = 0.0, scale = 0.0, v
        for i in range(self.stairs.n):
            for j in range(self.stairs.m):
                v = fabs(self.stairs.knot(i, j, self.theta))
                if scale < v < FAR / 2:
                    scale = v
            if self.stairs.position[i] % 2:
                j = self.stairs.position[i] // 2
                self.beta[i] = self.stairs.knot(i, j, self.theta)
                v = self.stairs.knot_speed(i, j)
                total += v
                size += fabs(v)
        for k in range(self.margin.size):
            self.beta[self.margin.member[k]] = self.margin.value[k]
            scale = max(scale, fabs(self.margin.value[k]))
        self.knot_sum = <double> total
        self.knot_size = size
        if scale == 0.0:
            # No box and nothing yet: the natural scale of a coefficient.
            scale = self.residual_scale / self.margin.scale
        self.beta_scale = scale
        self.tol_beta = TOL_BETA * scale

    cdef void _correct_margin(self) noexcept nogil:
        """Newton step on the margin where its residuals, from the kernel, are above rounding.

        Below it, an ill-conditioned factor would turn noise into coefficients. A step that leaves
        an interval is not taken: what is left becomes a shift.
        """
        cdef Py_ssize_t k, i, n = self.stairs.n
        cdef long double total = 0.0
        cdef double size = 0.0, roundings = 0.0, worst = 0.0, rest = 0.0, b = 0.0, x
        cdef double* value = self.margin.value
        if self.margin.size == 0:
            return
        for k in range(self.margin.size):
            i = self.margin.member[k]
            x = self._target(i) - wp_dot(n, self.margin.column[k], &self.beta[0], &size)
            x -= (self.margin.ridge * self.beta[i] + self.bias
                  + self.stairs.level(i, self.stairs.position[i] // 2, self.theta))
            self.margin.kernel[k] = x
            worst = max(worst, fabs(x))
            roundings = max(roundings, size)
        self.rounding = ROUNDINGS * DBL_EPSILON * roundings
        self.tol_residual = TOL_RESIDUAL * self.residual_scale + self.rounding
        if self.bordered:
            for i in range(n):
                total += self.beta[i]
            rest = self.total_end - (1.0 - self.theta) * self.total_slope - <double> total
        if max(worst, fabs(rest) * self.margin.scale) <= REFINE_ABOVE * self.tol_residual:
            return
        self.margin.factor.solve(self.margin.kernel, rest, self.margin.null, &b)
        for k in range(self.margin.size):
            i = self.margin.member[k]
            if (self.margin.null[k] > self.stairs.room(i, self.margin.value[k], 1, self.theta)
                    + self.tol_beta or -self.margin.null[k] > self.stairs.room(
                        i, self.margin.value[k], -1, self.theta) + self.tol_beta):
                self._shift_margin(rest)
                return
        for k in range(self.margin.size):
            value[k] += self.margin.null[k]
            self.watch.add_move(self.margin.column[k], self.margin.null[k])
        self.watch.lift(-b)
        self.bias += b

    cdef void _shift_margin(self, double rest) noexcept nogil:
        # What the margin's residuals (in `kernel`) and the sum are off becomes a shift.
        cdef Py_ssize_t k, i
        cdef double v, rem = 1.0 - self.theta
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

    cdef int _recompute_rows(self) noexcept nogil:
        """All residuals and velocities from the kernel."""
        cdef Py_ssize_t i, n = self.stairs.n
        cdef int p
        cdef double ridge = self.margin.ridge
        if self.columns.multiply(&self.beta[0], &self.product[0]) < 0:
            return -1
        for i in range(n):
            self.product[i] = (self._target(i) - self.product[i] - ridge * self.beta[i]
                               - self.bias)
            p = self.stairs.position[i]
            self.beta[i] = self.stairs.knot_speed(i, p // 2) if p % 2 else 0.0
        if not self.stairs.knots_move:
            for i in range(n):
                self.speed[i] = self.target_slope[i]
        else:
            if self.columns.multiply(&self.beta[0], &self.speed[0]) < 0:
                return -1
            for i in range(n):
                self.speed[i] = self.target_slope[i] - self.speed[i] - ridge * self.beta[i]
        self.watch.replace(&self.product[0], &self.speed[0])
        self._measure()
        return 0

    cdef double _target(self, Py_ssize_t i) noexcept nogil:
        return self.target_end[i] - (1.0 - self.theta) * self.target_slope[i]

    cdef int _pause(self) noexcept nogil:
        """Let the user interrupt, and tell who asked about the progress."""
        with gil:
            try:
                PyErr_CheckSignals()
                if self.callback is not None:
                    self.callback(self.theta, self.n_events, self.margin.size)
            except BaseException as error:
                self.error = error
                return -1
        return 0
