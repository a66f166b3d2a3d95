"""Changes of sets: a row leaves the margin or enters it, or is exchanged for another.

Every change is one step of a position, ``p`` to ``p + 1`` or ``p - 1``, and updates the factor of
the margin system.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs, sqrt

from weightpath import tolerances as _tolerances
from weightpath.engine._candidates cimport foreseen_column
from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._results cimport (
    ASTRAY, GOING, INDEFINITE, NO_COLUMN, NO_MEMORY, UNBOUNDED,
)
from weightpath.engine._sweep cimport FAR
from weightpath.engine.definiteness import IndefiniteMarginError, is_indefinite
from weightpath.problems._position cimport interval_of, knot_of

# Margins up to this size compute their direction afresh after every change, and so do larger ones
# after a row with a pivot below this part of the largest diagonal.
cdef Py_ssize_t LARGE = 64
cdef double CLEAR_PIVOT = 1e-6

# What `_replace` returns, beside the codes of the loop, where row i still depends on the margin.
cdef enum:
    DEPENDENT = -1

cdef double SHIFT_ROUNDINGS = _tolerances.SHIFT_ROUNDINGS
cdef double NULL_ROUNDINGS = _tolerances.NULL_ROUNDINGS

# A margin of more members than this is first tried in one factorisation.
cdef Py_ssize_t MANY = 24


def assemble(LoopState state, Py_ssize_t[::1] order):
    """Make the free rows in ``order`` the margin; return how many null moves it took.

    A dependent row is moved along its null direction, the shorter way, until it or a member meets a
    knot. No residual changes by that.
    """
    cdef Py_ssize_t i
    cdef const double* col
    cdef int code = 1, moved = 0
    cdef Py_ssize_t[::1] placed
    if order.shape[0] > MANY:
        placed = order
        if order.shape[0] > LARGE and state.columns.multiplies_quickly(order.shape[0]):
            placed = _by_room(state, order)
        code = state.margin.push_all(&placed[0], placed.shape[0], &state.beta[0])
        if code == 0:
            return 0
        if code == -1:
            state.columns.raise_error()
    for i in order:
        col = state.columns.pin(i)
        if col == NULL:
            state.columns.raise_error()
        while True:
            code = state.margin.depends(i, col)
            if code == 0 or (code == 1 and _is_felt_at_start(state, i)):
                code = state.margin.push(i, col, state.beta[i])
                if code == 0:
                    break
            if code == -2:
                raise MemoryError("Not enough memory for the margin system.")
            if code == 2 and is_indefinite(state.columns, [*state.margin.members, i],
                                           state.margin.ridge):
                raise IndefiniteMarginError
            moved += 1
            if _null_move(state, i):
                state.columns.unpin(i)
                break
    return moved


cdef Py_ssize_t[::1] _by_room(LoopState state, Py_ssize_t[::1] order):
    """Rows far from their knots first: the others will leave sooner, and those behind are moved.

    Where rows are packed, at references of sleepers, they are read faster in their own order.
    """
    cdef Py_ssize_t k
    cdef double[::1] room = np.empty(order.shape[0])
    for k in range(order.shape[0]):
        room[k] = -min(state.stairs.room(order[k], state.beta[order[k]], 1, 0.0),
                       state.stairs.room(order[k], state.beta[order[k]], -1, 0.0))
    return np.asarray(order)[np.argsort(room, kind="stable")]


cdef bint _null_move(LoopState state, Py_ssize_t i) except -1:
    # One move of `assemble`: the first row to meet a knot stays there. Whether it is row i itself.
    cdef double v = 0.0
    cdef Py_ssize_t k, which = _shorter_way(state, i, &v)
    cdef int direction = 1 if v > 0.0 else -1
    if which < 0:
        raise ValueError("A free direction of the start meets no knot.")
    state.beta[i] += v
    for k in range(state.margin.size):
        # Those that meet a knot within tolerance stay at it, or many moves would add up.
        state.margin.value[k] = state.stairs.within(
            state.margin.member[k], state.margin.value[k] - v * state.margin.null[k], 0.0)
    state.bias -= v * state.margin.null_bias
    if which == state.margin.size:
        _snap(state, i, direction)
        return True
    _snap(state, state.margin.member[which],
          -direction if state.margin.null[which] > 0 else direction)
    state.margin.drop(which)
    return False


cdef Py_ssize_t _shorter_way(LoopState state, Py_ssize_t i, double* move) noexcept nogil:
    # Who ends a move of free row i along its null direction at theta = 0; out: the move.
    cdef double up = FAR, down = FAR
    cdef Py_ssize_t above, below
    above = state.stairs.null_block(state.margin, i, state.beta[i], 1, 0.0,
                                    state.scales.tolerance, &up)
    below = state.stairs.null_block(state.margin, i, state.beta[i], -1, 0.0,
                                    state.scales.tolerance, &down)
    if above >= 0 and (below < 0 or up <= down):
        move[0] = up
        return above
    move[0] = -down
    return below


cdef bint _is_felt_at_start(LoopState state, Py_ssize_t i) noexcept nogil:
    cdef double move = 0.0
    return _shorter_way(state, i, &move) >= 0 and _is_real(state, fabs(move))


cdef bint _is_real(LoopState state, double length) noexcept nogil:
    """Whether a small pivot is real: a move along its direction would change residuals too much.

    The pivot is the square of that direction's norm, so no residual changes by more than its root
    times that of the largest diagonal. If that is felt, and rounding cannot have made the
    pivot, it is real, however small it is beside the diagonal.
    """
    cdef double kii = state.columns.diag[state.margin.candidate] + state.margin.ridge
    return (state.margin.null_pivot > state.margin.null_rounding
            and sqrt(state.margin.null_pivot * state.margin.scale) * length
            > SHIFT_ROUNDINGS * state.scales.tolerance
            and state.margin.factor.energy(state.margin.kernel, kii, state.margin.null)
            > state.margin.null_rounding)


cdef void _snap(LoopState state, Py_ssize_t i, int direction) noexcept nogil:
    # Put a free row at the knot on one side, at theta = 0.
    cdef Py_ssize_t q = interval_of(state.stairs.position[i])
    state.stairs.position[i] += direction
    state.beta[i] = state.stairs.knot(i, q if direction > 0 else q - 1, 0.0)


cdef int leave(LoopState state, Py_ssize_t k, int direction) noexcept nogil:
    """Member ``k`` of the margin goes to the knot on one side."""
    cdef Py_ssize_t i = state.margin.member[k]
    cdef int p = state.stairs.position[i]
    if state.recorder.event(state.theta, i, p, p + direction) < 0:
        return NO_MEMORY
    cdef double slope = state.margin.slope[k]
    cdef bint known = _direction_without(state, k, p + direction)
    if _lacks_column(state):
        return NO_COLUMN
    state.residuals.part(
        k, state.member_level(k), state.stairs.knot_speed(i, knot_of(p + direction)), slope,
        state.stairs.level_speed(i, interval_of(p)))
    state.residuals.set_residual(i, state.member_level(k))
    _arrive_at_knot(state, i, p + direction, state.margin.column[k])
    state.margin.drop(k)
    state.margin.knows_direction = known
    if known and state.residuals.foresight is not None:
        state.residuals.foresight.shrink(k)
    return GOING


cdef int enter(LoopState state, Py_ssize_t i, int direction) noexcept nogil:
    """Row ``i`` leaves its knot for the interval on one side."""
    cdef int p = state.stairs.position[i], code
    cdef Py_ssize_t j = knot_of(p)
    cdef double level = state.stairs.level(i, interval_of(p + direction), state.theta)
    cdef const double* col
    cdef bint known, is_foreseen
    state.guard.forget()
    if state.stairs.same_knot(i, j, j + direction):
        # Two knots that coincide on the whole line: over to the other one.
        if (state.recorder.event(state.theta, i, p, p + direction) < 0
                or state.recorder.event(state.theta, i, p + direction, p + 2 * direction) < 0):
            return NO_MEMORY
        state.residuals.set_residual(i, level)
        state.put_at_knot(i, p + 2 * direction)
        return GOING
    col = state.columns.pin_watched(i)
    if col == NULL:
        return NO_COLUMN
    known = state.margin.knows_direction
    is_foreseen = known and _foresees_entry(state, i, col)
    if _lacks_column(state):
        state.columns.unpin(i)
        return NO_COLUMN
    code = 0 if is_foreseen else state.margin.depends(i, col)
    if code == 0 or (code == 1 and _is_felt(state, i, direction)):
        code = state.margin.push(i, col, state.stairs.knot(i, j, state.theta))
    if code == 2:
        state.columns.unpin(i)
        state.guard.suspect = i
        return INDEFINITE
    if code == -1 or code == 1:
        return _exchange(state, i, direction, col)
    if code < 0:
        return NO_MEMORY
    if state.recorder.event(state.theta, i, p, p + direction) < 0:
        return NO_MEMORY
    if is_foreseen:
        state.residuals.foresight.grow(col)
    _depart_from_knot(state, i, col)
    state.residuals.set_residual(i, level)
    state.put_free(i, p + direction)
    state.margin.knows_direction = known and _direction_with(
        state, direction, state.stairs.knot_speed(i, j), is_foreseen)
    state.residuals.join(state.stairs.knot_speed(i, j), state.guard.enter_speed)
    state.guard.remember(i, direction)
    return GOING


cdef bint _lacks_column(LoopState state) noexcept nogil:
    # Whether a column that foresight has asked for could not be computed, or the user interrupts.
    return state.residuals.foresight is not None and state.residuals.foresight.lacks_column


cdef bint _foresees_entry(LoopState state, Py_ssize_t i, const double* col) noexcept nogil:
    """Whether row ``i`` is known, without a solve, to be clear of the margin.

    Then its pivot and its null direction are in the margin.
    """
    cdef Py_ssize_t k
    cdef const double* column = foreseen_column(state, i)
    if column == NULL or state.margin.reserve(state.margin.size + 1) < 0:
        return False
    for k in range(state.margin.size):
        state.margin.null[k] = -column[state.margin.member[k]]
    state.margin.null_bias, state.margin.null_pivot = -column[state.stairs.n], -column[i]
    state.margin.candidate = -1
    if state.residuals.foresight.hand_over(i):
        state.margin.candidate = i
        for k in range(state.margin.size):
            state.margin.kernel[k] = col[state.margin.member[k]]
    if not (state.margin.null_pivot > CLEAR_PIVOT * state.margin.scale
            and state.margin.factor.is_clear(
                state.margin.null_pivot, state.columns.diag[i] + state.margin.ridge,
                state.margin.scale, state.margin.null, state.margin.null_bias)):
        return False
    state.residuals.foresight.note_change(i)
    return True


# The direction of a large margin. Where a row enters, the direction changes along the null
# direction that its pivot has found; where one leaves, along its column of the inverse. So one
# solve serves the pivot and the direction.

cdef bint _direction_with(LoopState state, int direction, double speed,
                          bint is_foreseen) noexcept nogil:
    """Update the slopes for the last member, which moved with its knot; whether they are known."""
    cdef Py_ssize_t k, last = state.margin.size - 1
    cdef double change
    cdef double* slope = state.margin.slope
    if (last < LARGE or state.guard.enter_speed >= FAR
            or not state.margin.null_pivot > CLEAR_PIVOT * state.margin.scale):
        return False
    # Its residual moved on at this speed beyond its level; now it keeps to it.
    change = direction * state.guard.enter_speed / state.margin.null_pivot
    for k in range(last):
        slope[k] -= change * state.margin.null[k]
    slope[last] = speed + change
    state.bias_slope -= change * state.margin.null_bias
    state.margin.updates += 1
    if is_foreseen:
        state.residuals.turn(state.residuals.foresight.last_change(), change, -1)
    return True


cdef bint _direction_without(LoopState state, Py_ssize_t k, int position) noexcept nogil:
    """Update the slopes for member ``k``, which goes to a knot; whether they are known."""
    cdef Py_ssize_t j, i = state.margin.member[k], m = state.margin.size
    cdef double change, bias = 0.0
    cdef double* slope = state.margin.slope
    cdef const double* column
    if m <= LARGE or not state.margin.knows_direction:
        return False
    column = foreseen_column(state, i)
    if column == NULL:
        state.margin.factor.solve_unit(k, state.margin.null, &bias)
    else:
        bias = -column[state.stairs.n]
        for j in range(m):
            state.margin.null[j] = -column[state.margin.member[j]]
    # The pivot that the member had is the inverse of this.
    if not (state.margin.null[k] > 0.0
            and state.margin.null[k] * CLEAR_PIVOT * state.margin.scale < 1.0):
        return False
    change = (state.stairs.knot_speed(state.margin.member[k], knot_of(position))
              - slope[k]) / state.margin.null[k]
    for j in range(m):
        slope[j] += change * state.margin.null[j]
    state.bias_slope += change * bias
    state.margin.updates += 1
    if column != NULL:
        state.residuals.foresight.note_change(i)
        state.residuals.turn(state.residuals.foresight.last_change(), -change, i)
    return True


cdef bint _is_felt(LoopState state, Py_ssize_t i, int direction) noexcept nogil:
    cdef double length = 0.0
    return _find_block(state, i, direction, &length) >= 0 and _is_real(state, length)


cdef Py_ssize_t _find_block(LoopState state, Py_ssize_t i, int direction,
                            double* length) noexcept nogil:
    # Who ends the move of row i along the null direction, and how long it is.
    cdef int p = state.stairs.position[i]
    cdef Py_ssize_t which
    state.stairs.position[i] = p + direction
    which = state.stairs.null_block(
        state.margin, i, state.stairs.knot(i, knot_of(p), state.theta), direction, state.theta,
        state.scales.tolerance, length)
    state.stairs.position[i] = p
    return which


cdef void _depart_from_knot(LoopState state, Py_ssize_t i, const double* col) noexcept nogil:
    # Row i no longer moves with its knot.
    cdef Py_ssize_t j = knot_of(state.stairs.position[i])
    state.add_knot_speed(i, col, -state.stairs.knot_speed(i, j))
    state.scales.standing_reach -= state.stairs.kappa[i] * fabs(
        state.stairs.knot(i, j, state.theta))


cdef void _arrive_at_knot(LoopState state, Py_ssize_t i, int position,
                          const double* col) noexcept nogil:
    # Row i is at a knot from now on, and moves with it.
    cdef Py_ssize_t j = knot_of(position)
    state.put_at_knot(i, position)
    state.add_knot_speed(i, col, state.stairs.knot_speed(i, j))
    state.scales.standing_reach += state.stairs.kappa[i] * fabs(
        state.stairs.knot(i, j, state.theta))


cdef int _exchange(LoopState state, Py_ssize_t i, int direction, const double* col) noexcept nogil:
    """Row ``i`` depends on the margin: move along the null direction at this theta.

    Residuals change only by rounding. The first member to meet a knot leaves and row i replaces
    it, or i itself goes on to its other knot. This is what replaces the ridge.
    """
    cdef int p = state.stairs.position[i], code
    cdef Py_ssize_t which
    cdef double length = 0.0
    which = _find_block(state, i, direction, &length)
    if which < 0:
        state.columns.unpin(i)
        return _stay_out(state, i)
    state.counts.n_exchanges += 1
    state.margin.knows_direction = False
    state.beta[i] = state.stairs.knot(i, knot_of(p), state.theta)
    _depart_from_knot(state, i, col)
    if state.recorder.event(state.theta, i, p, p + direction) < 0:
        return NO_MEMORY
    state.residuals.apply_pending_step()
    state.put_free(i, p + direction)
    while which >= 0:
        code = _replace(state, i, which, direction, length, col)
        if code != DEPENDENT:
            return code
        # By rounding it depends on those that are left, too: it moves on until another one leaves.
        if state.margin.depends(i, col) < 0:
            return NO_MEMORY
        which = state.stairs.null_block(state.margin, i, state.beta[i], direction, state.theta,
                                        state.scales.tolerance, &length)
    state.columns.unpin(i)
    return ASTRAY


cdef int _replace(LoopState state, Py_ssize_t i, Py_ssize_t which, int direction, double length,
                  const double* col) noexcept nogil:
    """Free row ``i`` moves along its null direction and replaces the member that ends the move."""
    cdef double largest = 0.0
    if length > 0.0:
        largest = _move_along_null(state, i, direction * length, col)
    state.residuals.set_residual(
        i, state.stairs.level(i, interval_of(state.stairs.position[i]), state.theta))
    state.beta[i] += direction * length
    if state.is_astray(largest):
        state.columns.unpin(i)
        return ASTRAY
    if largest > state.scales.tolerance:
        state.scales.carry(largest, 1.0 - state.theta)
    if which == state.margin.size:
        return _pass_over(state, i, direction, col)
    if leave(state, which, -direction if state.margin.null[which] > 0 else direction) != GOING:
        return NO_MEMORY
    return DEPENDENT if state.margin.push(i, col, state.beta[i]) != 0 else GOING


cdef double _move_along_null(LoopState state, Py_ssize_t i, double move,
                             const double* col) noexcept nogil:
    """Move row ``i`` by ``move`` and the margin with it; return the largest shift that it takes."""
    cdef Py_ssize_t k
    cdef double largest = 0.0
    cdef double* value = state.margin.value
    for k in range(state.margin.size):
        state.residuals.add_move(state.margin.column[k], -move * state.margin.null[k])
        value[k] = _moved(state, state.margin.member[k], value[k], -move * state.margin.null[k])
    state.residuals.add_move(col, move)
    if state.has_bias:
        state.residuals.lift(move * state.margin.null_bias)
        state.bias -= move * state.margin.null_bias
    for k in range(state.margin.size):
        state.residuals.set_residual(state.margin.member[k], state.member_level(k))
    state.counts.n_shifts += state.residuals.clamp(
        state.scales.tolerance, 1.0 - state.theta, &largest)
    if state.stairs.kappa[i] * fabs(move) > state.scales.tolerance:
        state.guard.zero_run = 0
    return largest


cdef double _moved(LoopState state, Py_ssize_t i, double value, double move) noexcept nogil:
    """The value of member ``i`` after a move: its knot where only roundings are left of the way."""
    cdef Py_ssize_t j, q = interval_of(state.stairs.position[i])
    cdef double knot
    for j in range(max(q - 1, <Py_ssize_t> 0), min(q + 1, state.stairs.m)):
        knot = state.stairs.knot(i, j, state.theta)
        if fabs(value + move - knot) <= NULL_ROUNDINGS * DBL_EPSILON * fabs(value - knot):
            return knot
    return value + move


cdef int _stay_out(LoopState state, Py_ssize_t i) noexcept nogil:
    """A row that depends on the margin would move for ever: the problem is unbounded.

    That is so only if its residual goes on beyond its level. Where penalties vanish at theta = 1 it
    does not, except for rounding that stays within the tolerance of residuals: the row
    stays at its knot, and its levels are ignored.
    """
    cdef double beyond = state.guard.enter_speed * (1.0 - state.theta)
    if beyond > state.scales.largest_carried_shift():
        return UNBOUNDED
    state.residuals.set_levels(i, -FAR, FAR, 0.0, 0.0)
    state.guard.since += 1
    return GOING


cdef int _pass_over(LoopState state, Py_ssize_t i, int direction,
                    const double* col) noexcept nogil:
    # A free row that is not on the margin goes to the knot ahead.
    cdef int p = state.stairs.position[i]
    if state.recorder.event(state.theta, i, p, p + direction) < 0:
        return NO_MEMORY
    _arrive_at_knot(state, i, p + direction, col)
    state.columns.unpin(i)
    return GOING
