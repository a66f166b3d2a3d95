"""Changes of sets: a row leaves the margin or enters it, or is exchanged for another.

Every change is one step of a position, ``p`` to ``p + 1`` or ``p - 1``.
"""

from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.engine._answers cimport ASTRAY, GOING, INDEFINITE, NO_COLUMN, NO_MEMORY, UNBOUNDED
from weightpath.engine._standing cimport Standing
from weightpath.engine.definiteness import IndefiniteMarginError, is_indefinite
from weightpath.problems._position cimport interval_of, knot_of

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"

cdef double SHIFT_ROUNDINGS = _tolerances.SHIFT_ROUNDINGS

# A margin of more members than this is first tried in one factorisation.
cdef Py_ssize_t MANY = 24


cdef class Changes(Standing):
    """Standing, with the changes of sets."""

    def assemble(self, Py_ssize_t[::1] order):
        """Make the free rows in ``order`` the margin; return how many null moves it took.

        A dependent row is moved along its null direction, the shorter way, until it or a member
        meets a knot. No residual changes by that.
        """
        cdef Py_ssize_t i
        cdef const double* col
        cdef int code = 1, moved = 0
        if order.shape[0] > MANY:
            code = self.margin.push_all(&order[0], order.shape[0], &self.beta[0])
            if code == 0:
                return 0
            if code == -1:
                self.columns.raise_error()
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
                if code == 2 and is_indefinite(self.columns, [*self.margin.members, i],
                                               self.margin.ridge):
                    raise IndefiniteMarginError
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
        above = self.stairs.null_block(self.margin, i, self.beta[i], 1, 0.0, self.tol_residual,
                                       &up)
        below = self.stairs.null_block(self.margin, i, self.beta[i], -1, 0.0, self.tol_residual,
                                       &down)
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
        cdef Py_ssize_t q = interval_of(self.stairs.position[i])
        self.stairs.position[i] += direction
        self.beta[i] = self.stairs.knot(i, q if direction > 0 else q - 1, 0.0)

    cdef int _leave(self, Py_ssize_t k, int direction) noexcept nogil:
        """Member ``k`` of the margin stands at the knot on one side from now on."""
        cdef Py_ssize_t i = self.margin.member[k]
        cdef int p = self.stairs.position[i]
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self.watch.fix(i, self.stairs.level(i, interval_of(p), self.theta))
        self._stand_at_knot(i, p + direction)
        self._knot_speed(i, self.margin.column[k],
                         self.stairs.knot_speed(i, knot_of(self.stairs.position[i])))
        self.standing_reach += self.stairs.kappa[i] * fabs(
            self.stairs.knot(i, knot_of(self.stairs.position[i]), self.theta))
        self.margin.drop(k)
        return GOING

    cdef int _enter(self, Py_ssize_t i, int direction) noexcept nogil:
        """Row ``i`` leaves its knot for the interval on one side."""
        cdef int p = self.stairs.position[i], code
        cdef Py_ssize_t j = knot_of(p)
        cdef double level = self.stairs.level(i, interval_of(p + direction), self.theta)
        cdef const double* col
        self.last = -1
        if self.stairs.same_knot(i, j, j + direction):
            # Two knots that coincide on the whole line: over to the other one.
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
            self.suspect = i
            return INDEFINITE
        if code == -1 or code == 1:
            return self._exchange(i, direction, col)
        if code < 0:
            return NO_MEMORY
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self._knot_speed(i, col, -self.stairs.knot_speed(i, j))
        self.standing_reach -= self.stairs.kappa[i] * fabs(self.stairs.knot(i, j, self.theta))
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
        cdef Py_ssize_t k, j = knot_of(p), who, index
        cdef double length = 0.0, value = self.stairs.knot(i, j, self.theta), largest = 0.0
        cdef double* null = self.margin.null
        cdef double* member_value = self.margin.value
        self.stairs.position[i] = p + direction
        who = self.stairs.null_block(self.margin, i, value, direction, self.theta,
                                     self.tol_residual, &length)
        self.stairs.position[i] = p
        if who < 0:
            self.columns.unpin(i)
            return self._stay_out(i)
        self.n_exchanges += 1
        self._knot_speed(i, col, -self.stairs.knot_speed(i, j))
        self.standing_reach -= self.stairs.kappa[i] * fabs(value)
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
                self.watch.fix(index, self.stairs.level(
                    index, interval_of(self.stairs.position[index]), self.theta))
            self.n_shifts += self.watch.clamp(self.tol_residual, 1.0 - self.theta, &largest)
            self.largest_shift = max(self.largest_shift, largest)
            if self.stairs.kappa[i] * length > self.tol_residual:
                self.zero_run = 0
        self.watch.fix(i, self.stairs.level(i, interval_of(p + direction), self.theta))
        self.beta[i] = value + direction * length
        if self._is_astray(largest):
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

    cdef int _stay_out(self, Py_ssize_t i) noexcept nogil:
        """A row that depends on the margin would move for ever: the problem is unbounded.

        That is so only if its residual goes on beyond its level. Where penalties vanish at theta =
        1 it does not, but for a rounding that grows to no more than a residual's tolerance by then:
        the row stays at its knot, and is not looked at any more.
        """
        cdef double beyond = self.enter_speed * (1.0 - self.theta)
        if beyond > max(self.shift_limit, SHIFT_ROUNDINGS * self.tol_residual):
            return UNBOUNDED
        self.watch.place(i, -FAR, FAR, 0.0, 0.0)
        self.since += 1
        return GOING

    cdef int _pass_over(self, Py_ssize_t i, int direction, const double* col) noexcept nogil:
        # A free row that is not on the margin goes to the knot ahead.
        cdef int p = self.stairs.position[i]
        if self.record.event(self.theta, i, p, p + direction) < 0:
            return NO_MEMORY
        self.n_events += 1
        self._stand_at_knot(i, p + direction)
        self._knot_speed(i, col, self.stairs.knot_speed(i, knot_of(self.stairs.position[i])))
        self.standing_reach += self.stairs.kappa[i] * fabs(
            self.stairs.knot(i, knot_of(self.stairs.position[i]), self.theta))
        self.columns.unpin(i)
        return GOING
