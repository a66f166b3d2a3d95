"""The next event on the line: which row or member of the margin changes its set first.

Harris' ratio test, in two passes: the first finds the longest step on which nothing passes its end
by more than its tolerance, the second takes, among all that meet their ends within that step, the
one that moves fastest in units of its tolerance.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath import tolerances as _tolerances
from weightpath.engine._loop_state cimport LoopState
from weightpath.problems._position cimport interval_of, is_at_knot

cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double SLOPE_NOISE = _tolerances.SLOPE_NOISE
cdef double OUT_OF_INTERVAL = _tolerances.OUT_OF_INTERVAL
cdef double SHIFT_ROUNDINGS = _tolerances.SHIFT_ROUNDINGS

# A rounding must not decide which members are looked at closely.
cdef double LENIENT = 1.0 + 1e-12

cdef enum:
    # Members that may meet a knot first, of which a list is kept; where there are more, all are
    # looked at again.
    FEW = 32


cdef void find_next_event(LoopState state, Event* event) noexcept nogil:
    """Find the row, or member of the margin, that changes next before theta = 1.

    Speeds at noise, or too slow to use up the tolerance by then, do not count.
    """
    cdef Py_ssize_t row, n_near = 0
    cdef Py_ssize_t near[FEW]
    cdef double remaining = 1.0 - state.theta, noise = _residual_noise(state)
    cdef double speed, step, score, bound
    cdef bint arrives
    cdef int side
    event.index, event.on_margin, event.direction, event.step = -1, False, 0, remaining
    _bar_last(state)
    bound = _first_bound(state, noise, near, &n_near)
    # Where no row passes its level by more than the tolerance, those that meet it just at the
    # end, as all do where penalties vanish there, need not change.
    arrives = bound >= remaining
    # The one that bounds the step must not fail to meet the bound by a rounding.
    bound = min(remaining, bound * (1.0 + 4.0 * DBL_EPSILON))
    score = _fastest_member(state, bound, event, near, n_near)
    row = -1 if arrives else state.residuals.choose(bound, noise, &side, &step, &speed)
    if row >= 0 and (event.index < 0 or speed > score * state.scales.tolerance):
        state.guard.enter_speed = speed
        event.index, event.on_margin, event.direction, event.step = row, False, side, step


cdef double _residual_noise(LoopState state) noexcept nogil:
    """Below this the speed of a residual is rounding, or too slow to matter before theta = 1.

    Measures the margin's slopes on the way.
    """
    cdef Py_ssize_t k
    cdef double speed, felt, reach = 0.0
    state.scales.fastest = state.scales.felt = 0.0
    for k in range(state.margin.size):
        speed = fabs(state.margin.slope[k])
        felt = state.stairs.kappa[state.margin.member[k]] * speed
        reach += felt
        state.scales.fastest = max(state.scales.fastest, speed)
        state.scales.felt = max(state.scales.felt, felt)
    return max(state.scales.tolerance / (1.0 - state.theta), ROUNDINGS * DBL_EPSILON * (
        state.scales.knot_reach + reach + state.line.fastest_target + fabs(state.bias_slope)))


cdef void _bar_last(LoopState state) noexcept nogil:
    # The row that has just arrived at its knot does not go straight back.
    cdef Py_ssize_t last = state.guard.last
    if last >= 0 and is_at_knot(state.stairs.position[last]):
        state.residuals.bar(last, -state.guard.last_direction, state.scales.tolerance)
    else:
        state.residuals.bar(-1, 0, 0.0)


cdef double _first_bound(LoopState state, double noise, Py_ssize_t* near,
                         Py_ssize_t* n_near) noexcept nogil:
    """Harris' first pass: the longest step on which nothing passes its end beyond tolerance.

    Out: the members that may meet a knot by then, ``FEW`` at the most, and how many there are.
    """
    cdef Py_ssize_t k, i, j, q, m = state.stairs.m
    cdef double slack, close, speed, bound = 1.0 - state.theta
    cdef int side
    cdef bint is_near
    # Local pointers and no calls: only few members come close to a knot.
    cdef const double* before = &state.stairs.knot0[0, 0] if state.stairs.n else NULL
    cdef const double* after = &state.stairs.knot1[0, 0] if state.stairs.n else NULL
    cdef const int* position = &state.stairs.position[0] if state.stairs.n else NULL
    for k in range(state.margin.size):
        i = state.margin.member[k]
        q = interval_of(position[i])
        is_near = False
        for side in range(-1, 2, 2):
            j = q if side > 0 else q - 1
            # Twice the bound: a rounding must not decide who is looked at.
            if j < 0 or j >= m or not _may_meet(
                    side, state.margin.slope[k], state.margin.value[k], before[i * m + j],
                    after[i * m + j], state.theta, 2.0 * bound):
                continue
            is_near = True
            speed = _member_speed(state, k, side, 2.0 * bound, &slack, &close)
            if speed > 0.0:
                bound = min(bound, (slack + close) / speed)
        if is_near:
            if n_near[0] < FEW:
                near[n_near[0]] = k
            n_near[0] += 1
    state.aim()
    return min(bound, state.residuals.sweep(
        state.margin.column, state.margin.slope, state.margin.size, state.bias_slope,
        state.scales.tolerance, noise, bound))


cdef inline bint _may_meet(int side, double slope, double value, double before, double after,
                           double theta, double limit) noexcept nogil:
    # Whether a member may meet the knot on one side within a limit; `_member_speed` looks closely.
    cdef double speed = side * (slope - (after - before))
    if speed <= 0.0:
        return False
    return not side * ((1.0 - theta) * before + theta * after - value) > limit * speed * LENIENT


cdef double _fastest_member(LoopState state, double bound, Event* event, const Py_ssize_t* near,
                            Py_ssize_t n_near) noexcept nogil:
    """Harris' second pass over the margin; return the speed in units of the closeness."""
    cdef Py_ssize_t k, s
    cdef double slack, close, speed, score = 0.0
    cdef int side
    for s in range(n_near if n_near <= FEW else state.margin.size):
        k = near[s] if n_near <= FEW else s
        for side in range(-1, 2, 2):
            speed = _member_speed(state, k, side, bound, &slack, &close)
            if speed > 0.0 and slack <= bound * speed and speed > score * close:
                score = speed / max(close, 1e-300)
                event.index, event.on_margin = k, True
                event.direction, event.step = side, slack / speed
    return score


cdef double _member_speed(LoopState state, Py_ssize_t k, int direction, double limit,
                          double* slack, double* close) noexcept nogil:
    """Speed of a member towards the knot on one side, 0 if there is none that counts.

    A knot that is not met within ``limit`` does not. Out: the slack left and the closeness at
    which the member is at the knot.
    """
    cdef Py_ssize_t i = state.margin.member[k], q = interval_of(state.stairs.position[i])
    cdef Py_ssize_t j = q if direction > 0 else q - 1
    cdef double speed, noise, remaining = 1.0 - state.theta
    if j < 0 or j >= state.stairs.m:
        return 0.0
    speed = direction * (
        state.margin.slope[k] - (state.stairs.knot1[i, j] - state.stairs.knot0[i, j]))
    if speed <= 0.0:
        return 0.0
    slack[0] = direction * (state.stairs.knot(i, j, state.theta) - state.margin.value[k])
    if slack[0] < 0.0:
        slack[0] = 0.0
    if slack[0] > limit * speed:
        # Far from its knot, whatever the tolerance.
        return 0.0
    close[0] = state.stairs.closeness(i, state.margin.value[k], direction, state.theta,
                                      state.scales.tolerance)
    if (i == state.guard.last and direction == -state.guard.last_direction
            and slack[0] <= close[0]):
        return 0.0
    noise = max(close[0] / remaining, _slope_noise(state, i))
    return speed if speed > noise else 0.0


cdef double _slope_noise(LoopState state, Py_ssize_t i) noexcept nogil:
    # What rounding can do to the slope of a member.
    return max(
        state.stairs.noise(i, SLOPE_NOISE, state.scales.fastest, state.scales.felt),
        4.0 * DBL_EPSILON * (fabs(state.balance()) + fabs(state.line.total_slope)))


cdef bint leaves_interval(LoopState state, double step) noexcept nogil:
    """Whether a step takes a member clearly beyond its knots: the numbers have gone astray."""
    cdef Py_ssize_t k, i, j, q, m = state.stairs.m
    cdef double limit, x, beyond, theta = state.theta + step
    cdef const double* before = &state.stairs.knot0[0, 0] if state.stairs.n else NULL
    cdef const double* after = &state.stairs.knot1[0, 0] if state.stairs.n else NULL
    for k in range(state.margin.size):
        i = state.margin.member[k]
        q = interval_of(state.stairs.position[i])
        x = state.margin.value[k] + step * state.margin.slope[k]
        if not x == x:
            return True
        beyond = 0.0
        # The knots at theta, written out.
        j = i * m + q
        if q < m:
            beyond = x - ((1.0 - theta) * before[j] + theta * after[j])
        if q > 0:
            beyond = max(beyond, ((1.0 - theta) * before[j - 1] + theta * after[j - 1]) - x)
        if beyond <= 0.0:
            continue
        # A speed below the noise does not stop a member, and its rounding is no sign of an error.
        limit = (OUT_OF_INTERVAL * state.stairs.unit(i, state.theta, state.scales.residual_scale)
                 + 64.0 * DBL_EPSILON * (fabs(x) + fabs(state.margin.value[k]))
                 + 2.0 * step * _slope_noise(state, i))
        if state.stairs.kappa[i] > 0.0:
            limit += SHIFT_ROUNDINGS * state.scales.tolerance / state.stairs.kappa[i]
        if beyond > limit:
            return True
    return not state.bias_slope == state.bias_slope
