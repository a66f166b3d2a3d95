"""The path-following loop: one for every problem (Figure 3 of the paper, in staircase form).

A row at a knot moves with its knot; the free rows, the margin M, keep their residual at a level:

    [0  a' ] [db    ]   [de - a'dk            ]
    [a  K_M] [dbeta ] = [dt_M - ds_M - (K dk)_M]      dr = dt - K dk - K_M dbeta - a db

Until the next event everything is linear in theta. An event is a row meeting the end of its
interval or its knot's levels: its position changes by one, and the loop goes on. One turn of the
loop is: compute the direction, find the next event (``_ratio_test``), step to it, change the sets
and with them the factor (``_pivots``). Now and then the numbers are recomputed from the kernel
(``_refresh``). The constants are explained in :mod:`weightpath.tolerances`.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.engine._direction cimport compute_direction
from weightpath.engine._freedom cimport freedom_of_bias
from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._pivots cimport enter, leave
from weightpath.engine._pivots import assemble
from weightpath.engine._ratio_test cimport Event, find_next_event, leaves_interval
from weightpath.engine._refresh cimport is_product_cheap, look_at_some_rows, refresh
from weightpath.engine._results cimport (
    ASTRAY, CAP, END, GOING, INFEASIBLE, INTERRUPTED, NO_COLUMN, NO_MEMORY, TIES, result_of,
)
from weightpath.engine._sweep cimport FAR

cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double BALANCE_NOISE = _tolerances.BALANCE_NOISE
cdef double BALANCE_LEFT = _tolerances.BALANCE_LEFT
cdef double ZERO_STEP = _tolerances.ZERO_STEP
cdef double END_STEP = _tolerances.END_STEP


cdef class Loop:
    """Follow straight lines of staircases.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    has_bias : bool
        Whether the function has a bias.
    ridge : float
        Added to the diagonal of the kernel matrix.
    """

    def __init__(self, columns, bint has_bias, double ridge=0.0):
        self.state = LoopState(columns, has_bias, ridge)

    def reset(self, start, end, position, beta, double bias, margin):
        """Begin the line from one staircase to another; return how many null moves it took.

        Parameters
        ----------
        start, end : Staircase
            The ends of the line.
        position : ndarray of shape (n,)
            Where each row is on its staircase at the start.
        beta : ndarray of shape (n,)
            The coefficients at the start.
        bias : float
            The bias at the start.
        margin : ndarray of int
            The free rows, in the order in which the factor takes them. Dependent ones are moved to
            knots, which changes coefficients but no residual.
        """
        beta = np.ascontiguousarray(beta, dtype=np.float64)
        self.state.reset(start, end, position, beta, bias)
        try:
            return assemble(self.state, np.ascontiguousarray(margin, dtype=np.intp))
        except BaseException:
            self.close()
            raise

    def go_on(self, start, end, position, beta, double bias):
        """Begin another line with the margin, and its factor, with which the last one ended.

        Parameters
        ----------
        start, end : Staircase
            The ends of the line; it starts where the last one ended.
        position, beta, bias
            As in :meth:`reset`; the free rows are those of the margin.
        """
        self.state.go_on(start, end, position, np.ascontiguousarray(beta, dtype=np.float64), bias)

    def heir(self, columns, number):
        """Return a loop with the margin of this one, which is at rest, for a changed set of rows.

        Parameters
        ----------
        columns : Columns
            The kernel matrix of the new rows.
        number : ndarray of intp
            The new row of each old one; those of the margin are all there.
        """
        cdef Loop heir = Loop(columns, self.state.has_bias, self.state.margin.ridge)
        heir.state.margin.adopt(self.state.margin, number)
        return heir

    def rest(self):
        """Unpin all columns; the margin and its factor are kept for :meth:`go_on`."""
        self.state.residuals.let_go()
        self.state.margin.rest()

    def run(self, callback=None):
        """Run until the path ends or the caller must act; return the reason.

        Parameters
        ----------
        callback : callable or None, default=None
            Called now and then as ``callback(theta, n_events, margin_size)``; an exception that it
            raises is passed on.

        Returns
        -------
        Result
        """
        cdef int code
        self.callback = callback
        self.error = None
        with nogil:
            code = self.follow()
        return result_of(check(self, code))

    def finish(self, bint full=True):
        """Correct the margin at the end of the line; return the largest violation found.

        Parameters
        ----------
        full : bool, default=True
            Whether all residuals are computed from the kernel. Otherwise they are those that the
            rows carry, if they prove right at some random rows.
        """
        cdef int code
        cdef bint right = True
        cdef Py_ssize_t k
        self.state.counts.violation = 0.0
        with nogil:
            full = full or is_product_cheap(self.state)
            code = refresh(self.state, full, True)
            if not full and code == GOING:
                code = look_at_some_rows(self.state, &right)
            if not right:
                self.state.counts.violation = 0.0
                code = refresh(self.state, True, True)
        if code == NO_COLUMN:
            self.state.columns.raise_error()
        self.state.recorder.end_freedom = self.state.has_bias
        for k in range(self.state.margin.size):
            if self.state.knot_of_member(k) < 0:
                self.state.recorder.end_freedom = 0
        return self.state.counts.violation

    def close(self):
        """Unpin all columns."""
        self.state.residuals.let_go()
        self.state.margin.release()

    # The loop ------------------------------------------------------------------------------

    cdef int follow(self) noexcept nogil:
        """Figure 3 of the paper: from event to event until theta = 1."""
        cdef int code = GOING
        while code == GOING:
            code = self._look_after()
            if code != GOING:
                return code
            if self.state.has_bias and self.state.margin.size == 0:
                code = self._fill_empty_margin()
            else:
                self.state.counts.margin_sum += self.state.margin.size
                compute_direction(self.state)
                code = self._to_next_event()
        return code

    cdef int _look_after(self) noexcept nogil:
        """Before every turn: refresh if it is time, and decide whether to go on."""
        cdef int code
        self.state.note_reach()
        if self.state.guard.wants_refresh():
            code = refresh(self.state, self.state.guard.wants_fresh_rows(), False)
            if code != GOING:
                return code
        if self.state.theta >= 1.0:
            return END
        if self.state.guard.is_tied():
            return TIES
        if self.state.guard.is_time_to_pause(self.state.margin.size) and self._pause() < 0:
            return INTERRUPTED
        return GOING

    cdef int _to_next_event(self) noexcept nogil:
        """Ratio test, step, change of sets with update of the factor."""
        cdef Event event
        find_next_event(self.state, &event)
        if leaves_interval(self.state, event.step):
            return ASTRAY
        if self._record_segment(event.step) < 0:
            return NO_MEMORY
        self._step(&event)
        return self._change_sets(&event)

    cdef int _record_segment(self, double step) noexcept nogil:
        # A segment too short for theta to move is not recorded. On the others theta is rounded:
        # the slopes lead to the values at its end over the length that it has then.
        cdef int freedom
        cdef double end = self.state.theta + step
        if end <= self.state.theta:
            return 0
        freedom = freedom_of_bias(self.state, step)
        return self.state.recorder.segment(
            self.state.theta, self.state.bias, self.state.bias_slope, self.state.margin.size,
            self.state.margin.member, self.state.margin.value, self.state.margin.slope, freedom,
            step / (end - self.state.theta))

    cdef void _step(self, Event* event) noexcept nogil:
        """Move everything along the direction, up to the event."""
        cdef Py_ssize_t k
        cdef double step = event.step, fastest = 0.0
        cdef double* value = self.state.margin.value
        cdef const double* slope = self.state.margin.slope
        # Only steps that are short without regard to speeds may be short with it.
        if step <= ZERO_STEP or 1.0 - (self.state.theta + step) <= END_STEP:
            for k in range(self.state.margin.size):
                fastest = max(fastest, fabs(slope[k]) / self.state.stairs.unit(
                    self.state.margin.member[k], self.state.theta,
                    self.state.scales.residual_scale))
        for k in range(self.state.margin.size):
            value[k] += step * slope[k]
        self.state.bias += step * self.state.bias_slope
        self.state.residuals.advance(step)
        self.state.theta += step
        if event.index < 0 or (1.0 - self.state.theta) * max(1.0, fastest) <= END_STEP:
            # What happens at the end must not leave a segment of roundings before it.
            self.state.theta = 1.0
        # Just before an exchange coefficients may be far larger than after it.
        self.state.scales.note_peak(self.state.reach())
        if step * max(1.0, fastest) <= ZERO_STEP:
            self.state.counts.n_zero += 1
            self.state.guard.count_step(False)
        else:
            self.state.guard.count_step(True)

    cdef int _change_sets(self, Event* event) noexcept nogil:
        if event.index < 0:
            return GOING
        if self.state.recorder.n_events >= self.state.guard.max_events:
            return CAP
        if event.on_margin:
            self.state.guard.remember(self.state.margin.member[event.index], event.direction)
            return leave(self.state, event.index, event.direction)
        return enter(self.state, event.index, event.direction)

    # The empty margin ----------------------------------------------------------------------

    cdef int _fill_empty_margin(self) noexcept nogil:
        """Without a margin only the bias can move (Section 3.3 of the paper).

        Where the knots' balance changes, the bias moves until the first row meets its level on the
        side that can restore it. Where it does not, the row nearer to its level enters as an anchor
        that moves with its knot, and ordinary events trace the interval of the bias.
        """
        cdef double balance = self.state.balance(), slack = 0.0, other = 0.0
        cdef double size = max(self.state.scales.knot_size, fabs(self.state.line.total_slope))
        cdef Py_ssize_t up, down
        cdef int direction = 1 if balance > 0 else -1
        cdef const unsigned char* idle = &self.state.stairs.idle[0]
        self.state.residuals.apply_pending_step()
        if fabs(balance) <= BALANCE_NOISE * size:
            up = self.state.residuals.nearest(1, idle, &slack)
            down = self.state.residuals.nearest(-1, idle, &other)
            if up < 0 and down < 0:
                return self._rest_bias()
            direction = 1 if down < 0 or (up >= 0 and slack <= other) else -1
        elif self.state.residuals.nearest(direction, idle, &slack) < 0:
            if _is_forgiven(self.state, fabs(balance) * (1.0 - self.state.theta)):
                return self._rest_bias()
            return INFEASIBLE
        return self._move_bias(direction)

    cdef int _move_bias(self, int direction) noexcept nogil:
        """Move the bias until a row enters; rows without weight are passed on the way."""
        cdef Py_ssize_t i
        cdef double slack = 0.0
        cdef int code = GOING
        while code == GOING and self.state.margin.size == 0:
            if self.state.recorder.n_events >= self.state.guard.max_events:
                return CAP
            i = self.state.residuals.nearest(direction, NULL, &slack)
            self.state.bias -= direction * slack
            self.state.residuals.lift(direction * slack)
            self.state.guard.enter_speed = FAR
            code = enter(self.state, i, direction)
            self.state.guard.count_bias_move(slack > self.state.scales.tolerance)
        return code

    cdef int _rest_bias(self) noexcept nogil:
        # No row can ever enter: go on with the bias as it is.
        self.state.bias_slope = 0.0
        return self._to_next_event()

    # The caller ----------------------------------------------------------------------------

    cdef int _pause(self) noexcept nogil:
        """Let the user interrupt, and report the progress to the callback."""
        with gil:
            try:
                PyErr_CheckSignals()
                if self.callback is not None:
                    self.callback(
                        self.state.theta, self.state.recorder.n_events, self.state.margin.size)
            except BaseException as error:
                self.error = error
                return -1
        return 0


cdef bint _is_forgiven(LoopState state, double left) noexcept nogil:
    # Whether what is left of a balance is rounding beside the coefficients that matter.
    cdef Py_ssize_t i
    cdef double size = 0.0
    state.measure()
    for i in range(state.stairs.n):
        size += fabs(state.beta[i])
    return left <= (
        BALANCE_LEFT * state.stairs.largest_unit(state.theta, state.scales.residual_scale)
        + ROUNDINGS * DBL_EPSILON * size)


cdef int check(Loop loop, int code) except -1:
    """Raise the exception that a code stands for, if there is one; return the code."""
    if code == INTERRUPTED:
        raise loop.error
    if code == NO_COLUMN:
        loop.state.columns.raise_error()
    if code == NO_MEMORY:
        raise MemoryError("Not enough memory to follow the path.")
    return code
