"""From the start of a line to its end at once, where only the end is wanted.

With the sets as they are, one solve and one product lead to the end of the line, where some members
of the margin are beyond their knots and some rows beyond their levels. All of these change their
sets together, the margin is solved again, and so on until no row is wrong (a primal-dual active
set method, or a semismooth Newton method: Hintermueller, Ito, Kunisch, SIAM J. Optim. 13, 2002).
A few rounds replace dozens of events; but the sets need not settle, and nothing proves that they
do. So this is tried for some rounds, and where it fails the line is followed, event by event. What
it finds is verified like the end of any other line.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs

from weightpath.engine._loop cimport Loop, check
from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._results cimport ASTRAY, END, GOING, NO_COLUMN, NO_MEMORY
from weightpath.engine._sweep cimport FAR, wp_subtract
from weightpath.problems._position cimport interval_of, is_at_knot, knot_of

cdef enum:
    # Rounds before the sets are given up; three to six are usual. After some of them only rows that
    # are far beyond their levels enter: what does not settle is led astray by too many at once.
    ROUNDS = 20
    BOLD_ROUNDS = 4
    # Nor do sets settle where a round changes so many more of them than the first one.
    FEW = 8

# How far beyond, at least, as part of the farthest.
cdef double FAR_BEYOND = 0.3

cdef struct Turn:
    # Whether all rows enter that are beyond their levels, how many are, and what the coefficients
    # lack of their total; changes in this round, and in the first one.
    bint is_bold
    Py_ssize_t n_wrong, n_changes, n_at_first
    double missing


def leap(Loop loop):
    """Take a loop that has begun a line to its end; whether that is where it is.

    If not, the loop is of no further use.
    """
    cdef LoopState state = loop.state
    cdef int k, code
    cdef Turn turn
    if state.rows is None or state.margin.size == 0 or state.scales.follows_values:
        return False
    with nogil:
        _go_straight_on(state)
    turn.missing, turn.n_at_first = 0.0, 0
    for k in range(ROUNDS):
        turn.is_bold = k < BOLD_ROUNDS
        with nogil:
            code = _take_turn(state, &turn)
        if code != GOING:
            check(loop, code)
            return code == END
        if k == 0:
            turn.n_at_first = turn.n_changes
        elif turn.n_changes > FEW + turn.n_at_first:
            return False
        PyErr_CheckSignals()
    return False


cdef int _take_turn(LoopState state, Turn* turn) noexcept nogil:
    """Let rows change their sets, and solve the margin again; a code of the loop."""
    cdef Py_ssize_t before = state.recorder.n_events
    cdef int code = _change_sets(state, turn)
    if code != GOING:
        return code
    turn.n_changes = state.recorder.n_events - before
    if turn.n_changes == 0:
        return _arrive(state) if turn.n_wrong == 0 else ASTRAY
    if state.margin.size == 0:
        return ASTRAY
    _solve_margin(state, turn.missing)
    turn.missing = 0.0
    return GOING


cdef void _go_straight_on(LoopState state) noexcept nogil:
    """Take the whole line in the first direction, whatever is met on the way."""
    cdef Py_ssize_t k, i
    cdef double* r = &state.rows.r[0]
    cdef const double* g = &state.rows.g[0]
    for k in range(state.margin.size):
        i = state.margin.member[k]
        state.margin.correction[k] = g[i] - state.stairs.level_speed(
            i, interval_of(state.stairs.position[i]))
    for i in range(state.stairs.n):
        r[i] += g[i]
    if state.rows.levels_move:
        for i in range(state.stairs.n):
            state.rows.lo[i] += state.rows.dlo[i]
            state.rows.up[i] += state.rows.dup[i]
    _move_margin(state, state.balance())
    state.theta = 1.0


cdef void _solve_margin(LoopState state, double missing) noexcept nogil:
    """Put the margin on its levels, and its sum with all others to the total."""
    cdef Py_ssize_t k, i
    for k in range(state.margin.size):
        i = state.margin.member[k]
        state.margin.correction[k] = state.rows.r[i] - state.member_level(k)
    _move_margin(state, missing)


cdef void _move_margin(LoopState state, double total) noexcept nogil:
    """Move the margin so that its residuals change by ``correction``, and its sum by ``total``.

    There is no refinement: roundings are corrected at the end.
    """
    cdef Py_ssize_t k, i, m = state.margin.size
    cdef double bias, ridge = state.margin.ridge
    cdef double* r = &state.rows.r[0]
    cdef double* move = state.margin.correction
    cdef double* value = state.margin.value
    bias = state.margin.factor._solve_once(move, total, False)
    wp_subtract(state.stairs.n, m, state.margin.column, move, r)
    for k in range(m):
        value[k] += move[k]
        r[state.margin.member[k]] -= ridge * move[k]
    if state.has_bias:
        state.bias += bias
        for i in range(state.stairs.n):
            r[i] -= bias
    # Roundings of larger coefficients stay in the residuals.
    state.scales.note_peak(state.reach())


cdef int _change_sets(LoopState state, Turn* turn) noexcept nogil:
    """Let rows change their sets that are wrong now; a code of the loop."""
    cdef Py_ssize_t i, k, n_entering = 0
    cdef int side, code
    cdef double tol = state.scales.tolerance, beyond, most = 0.0
    cdef double* entering = &state.work.own[0]
    cdef double* distance = &state.work.own_speed[0]
    cdef const double* r = &state.rows.r[0]
    cdef const double* lo = &state.rows.lo[0]
    cdef const double* up = &state.rows.up[0]
    for i in range(state.stairs.n):
        if lo[i] - tol <= r[i] <= up[i] + tol:
            continue
        side = 1 if r[i] > up[i] else -1
        if _is_same_knot(state, i, side):
            if _note(state, i, side) < 0 or _note(state, i, side) < 0:
                return NO_MEMORY
            continue
        # They enter after the others have left, which moves residuals.
        beyond = r[i] - up[i] if side > 0 else lo[i] - r[i]
        entering[n_entering], distance[n_entering] = side * (i + 1), beyond
        n_entering += 1
        most = max(most, beyond)
    turn.n_wrong = n_entering
    for k in range(state.margin.size - 1, -1, -1):
        side = _side_beyond(state, k)
        if side != 0 and _put_at_knot(state, k, side, &turn.missing) < 0:
            return NO_MEMORY
    for k in range(n_entering):
        if not (turn.is_bold or distance[k] >= FAR_BEYOND * most):
            continue
        i, side = <Py_ssize_t> fabs(entering[k]) - 1, 1 if entering[k] > 0.0 else -1
        code = _let_in(state, i, side)
        if code != GOING:
            return code
    return GOING


cdef int _note(LoopState state, Py_ssize_t i, int side) noexcept nogil:
    """Row ``i`` changes its position by one, and has the levels of the new one; -1 if it fails."""
    cdef int p = state.stairs.position[i] + side
    cdef Py_ssize_t j
    state.stairs.position[i] = p
    if is_at_knot(p):
        j = knot_of(p)
        state.rows.lo[i] = state.stairs.level(i, j, 1.0)
        state.rows.up[i] = state.stairs.level(i, j + 1, 1.0)
    else:
        state.rows.lo[i], state.rows.up[i] = -FAR, FAR
    state.guard.count_change()
    return state.recorder.event(1.0, i, p - side, p)


cdef bint _is_same_knot(LoopState state, Py_ssize_t i, int side) noexcept nogil:
    """Whether the next knot on one side of row ``i`` has the same value at the end."""
    cdef Py_ssize_t j = knot_of(state.stairs.position[i])
    return (0 <= j + side < state.stairs.m
            and state.stairs.knot1[i, j + side] == state.stairs.knot1[i, j])


cdef int _side_beyond(LoopState state, Py_ssize_t k) noexcept nogil:
    """On which side member ``k`` is beyond its interval, or has none any more; 0 if it is not."""
    cdef Py_ssize_t i = state.margin.member[k], q = interval_of(state.stairs.position[i])
    cdef double value = state.margin.value[k], low = -INFINITY, high = INFINITY
    if q > 0:
        low = state.stairs.knot1[i, q - 1]
    if q < state.stairs.m:
        high = state.stairs.knot1[i, q]
    if low == high:
        return 1 if value > high else -1
    if value > high and value - high > state.stairs.closeness(
            i, value, 1, 1.0, state.scales.tolerance):
        return 1
    if value < low and low - value > state.stairs.closeness(
            i, value, -1, 1.0, state.scales.tolerance):
        return -1
    return 0


cdef int _put_at_knot(LoopState state, Py_ssize_t k, int side, double* missing) noexcept nogil:
    """Member ``k`` of the margin goes to the knot on one side; -1 without memory."""
    cdef Py_ssize_t i = state.margin.member[k], q = interval_of(state.stairs.position[i])
    cdef double move = state.stairs.knot1[i, q if side > 0 else q - 1] - state.margin.value[k]
    state.rows.add_move(state.margin.column[k], move)
    state.rows.r[i] -= state.margin.ridge * move
    missing[0] -= move
    state.margin.drop(k)
    return _note(state, i, side)


cdef int _let_in(LoopState state, Py_ssize_t i, int side) noexcept nogil:
    """Row ``i`` leaves its knot for the margin; a code of the loop."""
    cdef const double* col = state.columns.pin(i)
    cdef Py_ssize_t j = knot_of(state.stairs.position[i])
    if col == NULL:
        return NO_COLUMN
    if (state.margin.depends(i, col) != 0
            or state.margin.push(i, col, state.stairs.knot1[i, j]) != 0):
        # Its residual may be right when those of the others are.
        state.columns.unpin(i)
        return GOING
    return GOING if _note(state, i, side) >= 0 else NO_MEMORY


cdef int _arrive(LoopState state) noexcept nogil:
    """Measure the end; astray where no member of the margin says what the bias is."""
    cdef Py_ssize_t k
    cdef bint is_free = not state.has_bias
    for k in range(state.margin.size):
        is_free = is_free or state.knot_of_member(k) < 0
    state.measure()
    state.scales.note_peak(state.reach())
    return END if is_free else ASTRAY
