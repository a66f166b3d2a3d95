"""Against drift: recompute from the kernel what rounding may have moved.

Every so many events the margin's residuals are recomputed from its columns and corrected; all rows
are recomputed from the kernel now and then, and at the end of a line.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from weightpath import tolerances as _tolerances
from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._random cimport next_random
from weightpath.engine._results cimport ASTRAY, GOING, NO_COLUMN, STALE
from weightpath.engine._sweep cimport wp_eight_rows, wp_four_dots
from weightpath.problems._position cimport interval_of, is_at_knot, knot_of

cdef double TOL_RESIDUAL = _tolerances.RESIDUAL
cdef double FLOOR_ROUNDINGS = _tolerances.FLOOR_ROUNDINGS
cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double REFINE_ABOVE = _tolerances.REFINE_ABOVE
cdef double POLISH_ABOVE = _tolerances.POLISH_ABOVE
cdef double MISSED = _tolerances.MISSED
cdef Py_ssize_t LOOKED_AT = _tolerances.LOOKED_AT
cdef Py_ssize_t MOVED_LOOKED_AT = _tolerances.MOVED_LOOKED_AT
cdef Py_ssize_t COMPUTED = _tolerances.COMPUTED_TO_LOOK


cdef int refresh(LoopState state, bint full, bint last) noexcept nogil:
    """Correct the margin, and all rows from the kernel if ``full``.

    At the end of a line, the ``last`` time, smaller errors are corrected, too.
    """
    cdef double largest = 0.0, shift, worst = 0.0
    cdef bint moved = False
    cdef Py_ssize_t k, i
    state.counts.n_refreshes += 1
    state.guard.since = 0
    state.margin.is_direction_old = True
    state.residuals.bar(-1, 0, 0.0)
    if full or last or not state.residuals.stays_asleep(state.scales.tolerance):
        state.residuals.apply_pending_step()
    state.measure()
    shift = _correct_margin(state, full or last, &moved, &worst)
    if moved:
        state.measure()
    if full:
        state.guard.since_full = 0
        if _recompute_rows(state) < 0:
            return NO_COLUMN
    elif last and state.margin.size:
        # The other rows keep what they carry; the margin's residuals are those of the kernel.
        _note_violation(state, _margin_errors(state) if moved else worst)
    if not state.residuals.sleeps():
        for k in range(state.margin.size):
            i = state.margin.member[k]
            if full:
                # What members carry otherwise lacks their own moves times the ridge.
                _note_violation(state, state.residuals.residual(i) - state.member_level(k))
            state.residuals.set_residual(i, state.member_level(k))
        state.counts.n_shifts += state.residuals.clamp(
            state.scales.tolerance, 1.0 - state.theta, &largest)
        _note_violation(state, largest)
    if last:
        _note_violation(state, _farthest_beyond(state))
    # A margin that was very far off its levels has left them where events were missed.
    if state.is_astray(max(largest, shift, worst / MISSED)):
        return ASTRAY
    # A shift was small beside the roundings of that time, but may no longer be beside those of now.
    if state.is_astray(state.scales.shift_slope * (1.0 - state.theta)):
        return STALE
    if max(largest, shift) > state.scales.tolerance:
        state.scales.carry(max(largest, shift), 1.0 - state.theta)
    return GOING


cdef bint is_product_cheap(LoopState state) noexcept nogil:
    """Whether computing all residuals costs no more than looking at some."""
    cdef Py_ssize_t i, n_terms = 0
    if state.columns.length() != state.stairs.n:
        return False
    for i in range(state.stairs.n):
        if state.beta[i] != 0.0:
            n_terms += 1
            if n_terms > LOOKED_AT or not state.columns.holds(i):
                return False
    return True


cdef int look_at_some_rows(LoopState state, bint* right) noexcept nogil:
    """Compare the residuals of some rows with those of the kernel; out: whether they agree.

    They are random rows, and rows that had an event, the last ones first: on their way through the
    margin most can go wrong. Returns a code of the loop.
    """
    cdef Py_ssize_t i, k, s, n_computed = 0, count = 0, n_events = state.recorder.n_events
    cdef Py_ssize_t first = 0
    cdef uint64_t seed = n_events
    cdef Py_ssize_t row[4]
    cdef const double* col[4]
    cdef const double* beta = state.columns.gather(&state.beta[0])
    right[0] = True
    if _look_at_blocks(state, &seed, right):
        if not right[0]:
            return GOING
        first = LOOKED_AT
    for k in range(first, LOOKED_AT + min(n_events, MOVED_LOOKED_AT)):
        if k < LOOKED_AT:
            i = <Py_ssize_t> (next_random(&seed) % <uint64_t> state.stairs.n)
        else:
            i = state.recorder.event_index[n_events - 1 - (k - LOOKED_AT)]
        if not state.columns.holds(i):
            n_computed += 1
            if n_computed > COMPUTED:
                continue
        row[count], col[count] = i, state.columns.pin(i)
        if col[count] == NULL:
            for s in range(count):
                state.columns.unpin(row[s])
            return NO_COLUMN
        count += 1
        if count == 4:
            right[0] = _are_right(state, row, col, count, beta)
            count = 0
            if not right[0]:
                return GOING
    if count:
        right[0] = _are_right(state, row, col, count, beta)
    return GOING


cdef bint _look_at_blocks(LoopState state, uint64_t* seed, bint* right) noexcept nogil:
    """Look at random blocks of eight rows, twice as many rows as otherwise; whether that was done.

    Where the columns of all coefficients are at hand, as those of a path are, a part of each is
    read, and not one column, far away in memory, for every row. A block is what the processor
    fetches at once, if columns begin where that does.
    """
    cdef Py_ssize_t _, i, k, start, first = 0, n = state.stairs.n, count = 0
    cdef double own, floor = TOL_RESIDUAL * state.scales.residual_scale
    cdef double total[8]
    cdef double size[8]
    cdef double* coef = &state.work.product[0]
    cdef const double** col
    if n < 4 * LOOKED_AT or state.columns.length() != n:
        return False
    col = <const double**> malloc(n * sizeof(double*))
    if col == NULL:
        return False
    for i in range(n):
        if state.beta[i] != 0.0:
            col[count], coef[count] = state.columns.row(i), state.beta[i]
            if col[count] == NULL:
                free(col)
                return False
            count += 1
    if count:
        # The block before the first one that is fetched at once.
        first = -((<Py_ssize_t> col[0]) // <Py_ssize_t> sizeof(double) % 8)
    for _ in range(2 * LOOKED_AT // 8):
        start = first + 8 * <Py_ssize_t> (next_random(seed) % <uint64_t> (n // 8 + 2))
        start = min(max(start, <Py_ssize_t> 0), n - 8)
        wp_eight_rows(count, col, coef, start, total, size)
        for k in range(8):
            i = start + k
            own = state.line.target(i, state.theta) - total[k]
            own -= state.margin.ridge * state.beta[i] + state.bias
            right[0] = right[0] and (fabs(own - state.residuals.residual(i))
                                     <= floor + FLOOR_ROUNDINGS * DBL_EPSILON * size[k])
    free(col)
    return True


cdef bint _are_right(LoopState state, const Py_ssize_t* row, const double** col, Py_ssize_t count,
                     const double* beta) noexcept nogil:
    # Whether the residuals of up to four rows are those of their columns, which are unpinned.
    cdef Py_ssize_t i, k
    cdef double own, limit, floor = TOL_RESIDUAL * state.scales.residual_scale
    cdef double dot[4]
    cdef double size[4]
    cdef bint right = True
    for k in range(count, 4):
        col[k] = col[0]
    wp_four_dots(state.columns.length(), col, beta, dot, size)
    for k in range(count):
        i = row[k]
        own = state.line.target(i, state.theta) - dot[k]
        own -= state.margin.ridge * state.beta[i] + state.bias
        limit = FLOOR_ROUNDINGS * DBL_EPSILON * state.columns.term_size(col[k], size[k])
        right = right and fabs(own - state.residuals.residual(i)) <= floor + limit
        state.columns.unpin(i)
    return right


cdef void _note_violation(LoopState state, double amount) noexcept nogil:
    state.counts.violation = max(state.counts.violation, fabs(amount))


cdef double _correct_margin(LoopState state, bint polish, bint* moved,
                            double* worst) noexcept nogil:
    """Take a Newton step on the margin where its residuals, from the kernel, exceed rounding.

    Below it, an ill-conditioned factor would turn noise into coefficients. A step that leaves an
    interval is not taken: what is left becomes a shift, and is returned in residual units. To
    ``polish`` is to correct smaller errors too, where there is room. Out: whether a step was taken,
    and the largest error before it.
    """
    cdef Py_ssize_t k
    cdef bint large
    cdef double rest = 0.0, felt = 0.0, bias_move = 0.0
    cdef double* value = state.margin.value
    if state.margin.size:
        worst[0] = _margin_errors(state)
    if state.has_bias:
        rest = _missing_sum(state, &felt)
    large = max(worst[0], felt) > REFINE_ABOVE * state.scales.tolerance
    if not large and not (polish and max(worst[0], felt) > POLISH_ABOVE * state.scales.tolerance):
        return 0.0
    state.residuals.apply_pending_step()
    if state.margin.size == 0:
        # Nobody can take up what the sum lacks: the bias must move.
        return _shift_margin(state, rest) if large else 0.0
    state.margin.factor.solve(state.margin.right, rest, state.margin.correction, &bias_move)
    for k in range(state.margin.size):
        if not _has_room(state, k, state.margin.correction[k]):
            return _shift_margin(state, rest) if large else 0.0
    for k in range(state.margin.size):
        value[k] += state.margin.correction[k]
        state.residuals.add_move(state.margin.column[k], state.margin.correction[k])
    state.residuals.lift(-bias_move)
    state.bias += bias_move
    moved[0] = True
    return 0.0


cdef double _margin_errors(LoopState state) noexcept nogil:
    """How far the margin's residuals are from their levels, into ``margin.right``; the largest.

    Sets the tolerance of residuals on the way, by the sizes of the terms.
    """
    cdef Py_ssize_t k, i, s, first, last = state.margin.size - 1
    cdef bint quick = state.columns.multiplies_quickly(state.margin.size)
    cdef const double* beta = NULL
    cdef const double* col[4]
    cdef double dot[4]
    cdef double size[4]
    cdef double error, roundings = state.largest_term(), worst = 0.0
    if quick:
        state.columns.multiply(&state.beta[0], &state.work.product[0])
        state.columns.multiply_terms(&state.beta[0], &state.work.product_speed[0])
    else:
        beta = state.columns.gather(&state.beta[0])
    for first in range(0, state.margin.size, 4):
        for s in range(4):
            k = min(first + s, last)
            i, col[s] = state.margin.member[k], state.margin.column[k]
            if quick:
                dot[s], size[s] = state.work.product[i], state.work.product_speed[i]
        if not quick:
            wp_four_dots(state.columns.length(), col, beta, dot, size)
        for k in range(first, min(first + 4, state.margin.size)):
            i, s = state.margin.member[k], k - first
            error = state.line.target(i, state.theta) - dot[s]
            error -= state.margin.ridge * state.beta[i] + state.bias + state.member_level(k)
            state.margin.right[k] = error
            worst = max(worst, fabs(error))
            if not quick:
                size[s] = state.columns.term_size(col[s], size[s])
            roundings = max(roundings, size[s])
    state.scales.set_rounding(roundings)
    return worst


cdef double _missing_sum(LoopState state, double* felt) noexcept nogil:
    """What the coefficients lack of their total; out: as the residuals feel it."""
    cdef Py_ssize_t i
    cdef long double total = 0.0
    cdef double rest, unit, sizes = 0.0
    cdef const double* beta = &state.beta[0] if state.stairs.n else NULL
    for i in range(state.stairs.n):
        total += beta[i]
        sizes += fabs(beta[i])
    rest = state.line.total(state.theta) - <double> total
    if fabs(rest) <= DBL_EPSILON * sizes:
        return 0.0
    unit = state.stairs.largest_unit(state.theta, state.scales.residual_scale)
    felt[0] = fabs(rest) * max(state.margin.scale, state.scales.residual_scale / unit)
    return rest


cdef bint _has_room(LoopState state, Py_ssize_t k, double move) noexcept nogil:
    # Whether a member can move so far without leaving its interval.
    cdef Py_ssize_t i = state.margin.member[k]
    cdef double value = state.margin.value[k]
    cdef int direction = 1 if move > 0.0 else -1
    cdef double room = state.stairs.room(i, value, direction, state.theta)
    return fabs(move) <= room or fabs(move) <= room + state.stairs.closeness(
        i, value, direction, state.theta, state.scales.tolerance)


cdef double _farthest_beyond(LoopState state) noexcept nogil:
    """How far members are beyond their intervals, in residual units; 0 if they are at the knot.

    What was close to a knot of a wide interval may be far beyond that of a narrow one. A member
    also carries what the sum of all coefficients rounds off.
    """
    cdef Py_ssize_t k, i, q
    cdef double value, beyond, grain = 0.0, farthest = 0.0, scale = state.scales.residual_scale
    cdef int side
    if state.has_bias:
        for i in range(state.stairs.n):
            grain += fabs(state.beta[i])
        grain *= ROUNDINGS * DBL_EPSILON
    for k in range(state.margin.size):
        i, value = state.margin.member[k], state.margin.value[k]
        q = interval_of(state.stairs.position[i])
        for side in range(-1, 2, 2):
            if (q if side > 0 else q - 1) < 0 or (q if side > 0 else q - 1) >= state.stairs.m:
                continue
            beyond = side * (value - state.stairs.knot(i, q if side > 0 else q - 1, state.theta))
            if beyond > grain and beyond > state.stairs.closeness(
                    i, value, side, state.theta, state.scales.tolerance):
                farthest = max(
                    farthest, beyond / state.stairs.unit(i, state.theta, scale) * scale)
    return farthest


cdef double _shift_margin(LoopState state, double rest) noexcept nogil:
    """Turn the errors of the margin's residuals, and of the sum, into shifts.

    That of the sum, in residual units, is returned.
    """
    cdef Py_ssize_t k, i
    cdef double error, remaining = 1.0 - state.theta
    cdef double felt = fabs(rest) * state.scales.residual_scale / state.stairs.largest_unit(
        state.theta, state.scales.residual_scale)
    for k in range(state.margin.size):
        i = state.margin.member[k]
        error = state.margin.right[k]
        _note_violation(state, error)
        if remaining > 0.0 and fabs(error) > state.scales.tolerance:
            state.line.target_slope[i] += error / remaining
            state.residuals.push_velocity(i, error / remaining)
            state.scales.carry(fabs(error), remaining)
            state.counts.n_shifts += 1
    if remaining > 0.0:
        state.line.total_slope += rest / remaining
    else:
        _note_violation(state, felt)
    return felt


cdef int _recompute_rows(LoopState state) noexcept nogil:
    """All residuals and velocities from the kernel; -1 if a column could not be computed."""
    cdef Py_ssize_t i, n = state.stairs.n
    cdef int p
    cdef double ridge = state.margin.ridge
    if state.columns.spread(&state.beta[0], &state.work.product[0]) < 0:
        return -1
    for i in range(n):
        p = state.stairs.position[i]
        state.work.knot_speed[i] = (
            state.stairs.knot_speed(i, knot_of(p)) if is_at_knot(p) else 0.0)
    if not state.stairs.knots_move or state.theta >= 1.0:
        # At the end velocities are not needed any more.
        memset(&state.work.product_speed[0], 0, state.columns.length() * sizeof(double))
    elif state.columns.spread(&state.work.knot_speed[0], &state.work.product_speed[0]) < 0:
        return -1
    for i in range(n):
        state.work.own[i] = (state.line.target(i, state.theta) - ridge * state.beta[i]
                             - state.bias)
        state.work.own_speed[i] = state.line.target_slope[i] - ridge * state.work.knot_speed[i]
    state.residuals.replace(&state.work.product[0], &state.work.product_speed[0],
                            &state.work.own[0], &state.work.own_speed[0])
    state.scales.peak_reach = state.reach()
    return 0
