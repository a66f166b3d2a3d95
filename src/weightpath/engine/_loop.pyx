"""The path-following loop: one for every problem (Figure 3 of the paper, in staircase form).

A row at a knot moves with its knot; the free rows, the margin M, keep their residual at a level:

    [0  a' ] [db    ]   [de - a'dk            ]
    [a  K_M] [dbeta ] = [dt_M - ds_M - (K dk)_M]      dr = dt - K dk - K_M dbeta - a db

Until the next event everything is linear in theta. An event is a row meeting the end of its
interval or its knot's levels: its position changes by one, and the loop goes on. The four classes
build on each other: where everything stands (``_standing``), how sets change (``_changes``), what
keeps the numbers right (``_drift``), and here the loop itself. The constants are explained in
:mod:`weightpath.engine.tolerances`.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.engine._answers cimport (
    ASTRAY, CAP, END, GOING, INDEFINITE, INFEASIBLE, INTERRUPTED, NO_COLUMN, NO_MEMORY, TIES,
    UNBOUNDED,
)
from weightpath.engine._drift cimport Drift
from weightpath.problems._position cimport interval_of, is_at_knot

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"

# How free the bias is on a segment; see weightpath.record.record.
cdef enum:
    UNIQUE = 0
    LOOSE = 1
    SHORT = 2
    RESTS = 3

cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double SLOPE_NOISE = _tolerances.SLOPE_NOISE
cdef double BALANCE_NOISE = _tolerances.BALANCE_NOISE
cdef double BALANCE_LEFT = _tolerances.BALANCE_LEFT
cdef double ZERO_STEP = _tolerances.ZERO_STEP
cdef double OUT_OF_INTERVAL = _tolerances.OUT_OF_INTERVAL
cdef double SHIFT_ROUNDINGS = _tolerances.SHIFT_ROUNDINGS

# Finite moves of the bias or of an exchange are progress, but not for ever: so many times the limit
# of zero-length steps may be spent at one theta.
cdef Py_ssize_t STILL_LIMIT = 4

# Turns between two looks at whether the user interrupts.
cdef Py_ssize_t PAUSE_EVERY = 512

ANSWERS = {
    END: "end", CAP: "cap", INFEASIBLE: "infeasible", UNBOUNDED: "unbounded", TIES: "ties",
    ASTRAY: "astray", INTERRUPTED: "interrupted", NO_COLUMN: "no column", NO_MEMORY: "no memory",
    INDEFINITE: "indefinite",
}


cdef class Loop(Drift):
    """Follow one straight line of staircases; see :class:`Standing` for the parameters."""

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

    def close(self):
        """Unpin all columns."""
        self.margin.release()

    cdef int _run(self) noexcept nogil:
        cdef int answer = GOING
        while answer == GOING:
            self._note_reach()
            if self.since >= self.refresh_every:
                answer = self._refresh(self.since_full >= self.full_every)
                if answer != GOING:
                    return answer
            if self.theta >= 1.0:
                return END
            if self.zero_run > self.zero_limit or self.still > STILL_LIMIT * self.zero_limit:
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
                                     - self.stairs.level_speed(
                i, interval_of(self.stairs.position[i])))
        self.margin.factor.solve(self.margin.kernel, self._balance(), self.margin.slope,
                                 &self.bias_slope)
        self.margin_sum += self.margin.size

    cdef int _to_next_event(self) noexcept nogil:
        """Ratio test, step, change of sets."""
        cdef int direction = 0, freedom
        cdef double step = 0.0, fastest = 0.0
        cdef bint on_margin = False
        cdef Py_ssize_t k, who = self._ratio_test(&direction, &step, &on_margin)
        cdef double* value = self.margin.value
        cdef double* slope = self.margin.slope
        if self._out_of_interval(step):
            return ASTRAY
        if self.theta + step > self.theta:
            freedom = self._freedom(step)
            if self.record.segment(
                    self.theta, self.bias, self.bias_slope, self.margin.size, self.margin.member,
                    self.margin.value, self.margin.slope, freedom) < 0:
                return NO_MEMORY
        for k in range(self.margin.size):
            value[k] += step * slope[k]
            fastest = max(fastest, fabs(slope[k]) / self.stairs.unit(
                self.margin.member[k], self.theta, self.residual_scale))
        self.bias += step * self.bias_slope
        self.watch.advance(step)
        self.theta = 1.0 if who < 0 else min(1.0, self.theta + step)
        if step * max(1.0, fastest) <= ZERO_STEP:
            self.zero_run += 1
            self.still += 1
            self.n_zero += 1
        else:
            self.zero_run = self.still = 0
        self.since += 1
        self.since_full += 1
        if who < 0:
            return GOING
        if self.n_events >= self.max_events:
            return CAP
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
        cdef double rem = 1.0 - self.theta, reach = 0.0, noise
        cdef double slack, close, speed, ratio, bound, score = 0.0
        cdef bint arrives
        cdef int side
        self.fastest = self.felt = 0.0
        for k in range(self.margin.size):
            speed = fabs(self.margin.slope[k])
            ratio = self.stairs.kappa[self.margin.member[k]] * speed
            reach += ratio
            self.fastest = max(self.fastest, speed)
            self.felt = max(self.felt, ratio)
        noise = max(self.tol_residual / rem, ROUNDINGS * DBL_EPSILON * (
            self.knot_reach + reach + self.dt_scale + fabs(self.bias_slope)))
        if self.last >= 0 and is_at_knot(self.stairs.position[self.last]):
            self.watch.bar(self.last, -self.last_direction, self.tol_residual)
        else:
            self.watch.bar(-1, 0, 0.0)
        bound = step[0] = rem
        for k in range(self.margin.size):
            for side in range(-1, 2, 2):
                speed = self._member_speed(k, side, rem, &slack, &close)
                if speed > 0.0:
                    bound = min(bound, (slack + close) / speed)
        bound = min(bound, self.watch.sweep(
            self.margin.column, self.margin.slope, self.margin.size, self.bias_slope,
            self.tol_residual, noise, bound))
        # Where no row passes its level by more than the tolerance, those that meet it just at the
        # end, as all do where penalties vanish there, need not change.
        arrives = bound >= rem
        # The one that bounds the step must not fail to meet the bound by a rounding.
        bound = min(rem, bound * (1.0 + 4.0 * DBL_EPSILON))
        for k in range(self.margin.size):
            for side in range(-1, 2, 2):
                speed = self._member_speed(k, side, rem, &slack, &close)
                if speed > 0.0 and slack <= bound * speed and speed > score * close:
                    best = k
                    score = speed / max(close, 1e-300)
                    direction[0] = side
                    step[0] = slack / speed
                    on_margin[0] = True
        who = -1 if arrives else self.watch.choose(bound, noise, &side, &ratio, &speed)
        if who >= 0 and (best < 0 or speed > score * self.tol_residual):
            best = who
            self.enter_speed = speed
            direction[0] = side
            step[0] = ratio
            on_margin[0] = False
        return best

    cdef double _member_speed(self, Py_ssize_t k, int direction, double rem, double* slack,
                              double* close) noexcept nogil:
        """Speed of a member towards the knot on one side, 0 if there is none that counts.

        Out: the slack left and the closeness at which the member is at the knot.
        """
        cdef Py_ssize_t i = self.margin.member[k], q = interval_of(self.stairs.position[i])
        cdef Py_ssize_t j = q if direction > 0 else q - 1
        cdef double speed, noise
        if j < 0 or j >= self.stairs.m:
            return 0.0
        speed = direction * (self.margin.slope[k] - self.stairs.knot_speed(i, j))
        if speed <= 0.0:
            return 0.0
        slack[0] = direction * (self.stairs.knot(i, j, self.theta) - self.margin.value[k])
        if slack[0] < 0.0:
            slack[0] = 0.0
        if slack[0] > 2.0 * rem * speed:
            # Far from its knot for the rest of the line, whatever the tolerance.
            return 0.0
        close[0] = self.stairs.closeness(i, self.margin.value[k], direction, self.theta,
                                         self.tol_residual)
        if i == self.last and direction == -self.last_direction and slack[0] <= close[0]:
            return 0.0
        noise = max(close[0] / rem, self._slope_noise(i))
        return speed if speed > noise else 0.0

    cdef double _slope_noise(self, Py_ssize_t i) noexcept nogil:
        # What rounding can do to the slope of a member.
        return max(self.stairs.noise(i, SLOPE_NOISE, self.fastest, self.felt),
                   4.0 * DBL_EPSILON * (fabs(self._balance()) + fabs(self.total_slope)))

    cdef int _freedom(self, double step) noexcept nogil:
        """How free the bias is on the step ahead; the codes are those of :class:`Record`.

        The bias is unique as soon as one member is between its knots. Members that rest at their
        knots only carry it along: they are put on their knots exactly.
        """
        cdef Py_ssize_t k, i, j
        cdef int code = RESTS, own
        cdef double drift, rounding = 16.0 * DBL_EPSILON * (self.knot_size + fabs(self.total_slope))
        if not self.bordered:
            return UNIQUE
        for k in range(self.margin.size):
            j = self._knot_of_member(k)
            if j < 0:
                return UNIQUE
            i = self.margin.member[k]
            drift = fabs(self.margin.slope[k] - self.stairs.knot_speed(i, j))
            if drift > rounding + self.stairs.noise(i, SLOPE_NOISE, self.fastest, self.felt):
                own = SHORT if step * drift <= self.stairs.closeness(
                    i, self.margin.value[k], 1 if j == interval_of(self.stairs.position[i]) else -1,
                    self.theta, self.tol_residual) else LOOSE
                code = min(code, own)
        if code == RESTS:
            for k in range(self.margin.size):
                i, j = self.margin.member[k], self._knot_of_member(k)
                self.margin.value[k] = self.stairs.knot(i, j, self.theta)
                self.margin.slope[k] = self.stairs.knot_speed(i, j)
        return code

    cdef bint _out_of_interval(self, double step) noexcept nogil:
        # Whether the step takes a member clearly beyond its knots: the numbers have gone astray.
        cdef Py_ssize_t k, i, q
        cdef double limit, x, theta = self.theta + step
        for k in range(self.margin.size):
            i = self.margin.member[k]
            q = interval_of(self.stairs.position[i])
            x = self.margin.value[k] + step * self.margin.slope[k]
            if not x == x:
                return True
            # A speed at noise has not stopped it, and rounding is none of its faults.
            limit = (OUT_OF_INTERVAL * self.stairs.unit(i, self.theta, self.residual_scale)
                     + 64.0 * DBL_EPSILON * (fabs(x) + fabs(self.margin.value[k]))
                     + 2.0 * step * self._slope_noise(i))
            if self.stairs.kappa[i] > 0.0:
                limit += SHIFT_ROUNDINGS * self.tol_residual / self.stairs.kappa[i]
            if q < self.stairs.m and x - self.stairs.knot(i, q, theta) > limit:
                return True
            if q > 0 and self.stairs.knot(i, q - 1, theta) - x > limit:
                return True
        return not self.bias_slope == self.bias_slope

    cdef int _empty_margin(self) noexcept nogil:
        """Without a margin only the bias can answer (Section 3.3 of the paper).

        Where the knots' balance changes, the bias moves until the first row meets its level on the
        side that can restore it. Where it does not, the nearer side enters as an anchor that
        moves with its knot, and ordinary events trace the interval of the bias.
        """
        cdef double balance = self._balance(), slack = 0.0, other = 0.0
        cdef double size = max(self.knot_size, fabs(self.total_slope))
        cdef Py_ssize_t up, down
        cdef int direction = 1 if balance > 0 else -1
        cdef const unsigned char* idle = &self.stairs.idle[0]
        self.watch.settle()
        if fabs(balance) <= BALANCE_NOISE * size:
            up = self.watch.nearest(1, idle, &slack)
            down = self.watch.nearest(-1, idle, &other)
            if up < 0 and down < 0:
                return self._coast()
            direction = 1 if down < 0 or (up >= 0 and slack <= other) else -1
        elif self.watch.nearest(direction, idle, &slack) < 0:
            if self._is_forgiven(fabs(balance) * (1.0 - self.theta)):
                return self._coast()
            return INFEASIBLE
        return self._move_bias(direction)

    cdef bint _is_forgiven(self, double left) noexcept nogil:
        # Whether what is left of a balance is rounding beside the coefficients that matter.
        cdef Py_ssize_t i
        cdef double size = 0.0
        self._measure()
        for i in range(self.stairs.n):
            size += fabs(self.beta[i])
        return left <= (BALANCE_LEFT * self.stairs.largest_unit(self.theta, self.residual_scale)
                        + ROUNDINGS * DBL_EPSILON * size)

    cdef int _move_bias(self, int direction) noexcept nogil:
        """Move the bias until a row enters; rows without weight are passed on the way."""
        cdef Py_ssize_t i
        cdef double slack = 0.0
        cdef int answer = GOING
        while answer == GOING and self.margin.size == 0:
            if self.n_events >= self.max_events:
                return CAP
            i = self.watch.nearest(direction, NULL, &slack)
            self.bias -= direction * slack
            self.watch.lift(direction * slack)
            self.enter_speed = FAR
            answer = self._enter(i, direction)
            self.since += 1
            self.since_full += 1
            self.still += 1
            self.zero_run = 0 if slack > self.tol_residual else self.zero_run + 1
        return answer

    cdef int _coast(self) noexcept nogil:
        # Nobody can ever enter: go on with the bias as it is.
        self.bias_slope = 0.0
        return self._to_next_event()

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
