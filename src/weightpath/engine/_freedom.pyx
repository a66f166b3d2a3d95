"""How free the bias is on a segment of the path."""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.engine._loop_state cimport LoopState
from weightpath.problems._position cimport interval_of

# The codes of `Record.freedom`.
cdef enum:
    UNIQUE = 0
    LOOSE = 1
    SHORT = 2
    RESTS = 3

cdef double SLOPE_NOISE = _tolerances.SLOPE_NOISE


cdef int freedom_of_bias(LoopState state, double step) noexcept nogil:
    """The code for the step ahead.

    The bias is unique as soon as one member is between its knots. Members that rest at their knots
    only carry it along: they are put on their knots exactly.
    """
    cdef Py_ssize_t k, i, j
    cdef int code = RESTS
    if not state.has_bias:
        return UNIQUE
    for k in range(state.margin.size):
        j = state.knot_of_member(k)
        if j < 0:
            return UNIQUE
        code = min(code, _freedom_of_member(state, k, j, step))
    if code == RESTS:
        for k in range(state.margin.size):
            i, j = state.margin.member[k], state.knot_of_member(k)
            state.margin.value[k] = state.stairs.knot(i, j, state.theta)
            state.margin.slope[k] = state.stairs.knot_speed(i, j)
    return code


cdef int _freedom_of_member(LoopState state, Py_ssize_t k, Py_ssize_t j,
                            double step) noexcept nogil:
    # Whether member k, at knot j, stays there; if not, whether it gets away on this step.
    cdef Py_ssize_t i = state.margin.member[k]
    cdef int side = 1 if j == interval_of(state.stairs.position[i]) else -1
    cdef double drift = fabs(state.margin.slope[k] - state.stairs.knot_speed(i, j))
    cdef double rounding = 16.0 * DBL_EPSILON * (
        state.scales.knot_size + fabs(state.line.total_slope))
    if drift <= rounding + state.stairs.noise(
            i, SLOPE_NOISE, state.scales.fastest, state.scales.felt):
        return RESTS if _rests_to_the_end(state, k, j, side, step) else UNIQUE
    return SHORT if step * drift <= state.stairs.closeness(
        i, state.margin.value[k], side, state.theta, state.scales.tolerance) else LOOSE


cdef bint _rests_to_the_end(LoopState state, Py_ssize_t k, Py_ssize_t j, int side,
                            double step) noexcept nogil:
    # Whether member k, which moves with knot j, is at it at the end of the step, too: where its
    # bounds come down to a small part, what was close to a knot may then be in between.
    cdef Py_ssize_t i = state.margin.member[k]
    cdef double value = state.margin.value[k] + step * state.margin.slope[k]
    cdef double theta = min(1.0, state.theta + step)
    return fabs(value - state.stairs.knot(i, j, theta)) <= state.stairs.closeness(
        i, value, side, theta, state.scales.tolerance)
