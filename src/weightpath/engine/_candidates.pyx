"""Which rows are likely to enter or leave the margin next: those that would in this direction."""

from libc.math cimport fabs
from libc.stdlib cimport free, malloc, qsort

from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._sweep cimport FAR
from weightpath.problems._position cimport interval_of

# Smaller margins compute their direction afresh after every change.
cdef Py_ssize_t LARGE = 64

# Rows that are worked out beside one that was not foreseen: a panel costs what one of them does, or
# little more.
cdef Py_ssize_t FEW = 15

cdef struct Candidate:
    double time
    Py_ssize_t row


cdef int _compare(const void* one, const void* other) noexcept nogil:
    # Those that come first; the order of the rows decides between equals.
    cdef const Candidate* a = <const Candidate*> one
    cdef const Candidate* b = <const Candidate*> other
    if a.time != b.time:
        return -1 if a.time < b.time else 1
    return -1 if a.row < b.row else 1


cdef const double* foreseen_column(LoopState state, Py_ssize_t i) noexcept nogil:
    """How everything answers to a move of row ``i``, which enters the margin or leaves it.

    See :mod:`weightpath.engine._foresight`; NULL where nothing is foreseen.
    """
    cdef const double* column = NULL
    cdef int status = 0
    if (state.residuals.foresight is None or not state.residuals.foresight.on
            or state.margin.size <= LARGE):
        return NULL
    if state.residuals.foresight.is_fresh():
        column = state.residuals.foresight.find(i)
        if column != NULL:
            return column
        if not state.residuals.foresight.is_used_up():
            status = _look_ahead(state, i, FEW)
            return state.residuals.foresight.find(i) if status == 0 else NULL
    status = _look_ahead(state, i, 0)
    return state.residuals.foresight.find(i) if status == 0 else NULL


cdef int _look_ahead(LoopState state, Py_ssize_t i, Py_ssize_t few) noexcept nogil:
    """Work out row ``i``, with which something happens now, and those that come next.

    Only a ``few`` more if that is not zero, and beside those that are foreseen.
    """
    cdef Py_ssize_t s, c, count = 1, n = state.stairs.n
    cdef int status = -1
    cdef Candidate* list_of = <Candidate*> malloc((n + 1) * sizeof(Candidate))
    cdef Py_ssize_t* rows = <Py_ssize_t*> malloc((n + 1) * sizeof(Py_ssize_t))
    if list_of != NULL and rows != NULL:
        list_of[0].row, list_of[0].time = i, -1.0
        count = _list_members(state, i, list_of, count)
        count = _list_others(state, i, list_of, count)
        if few:
            c = 1
            for s in range(1, count):
                if state.residuals.foresight.place[list_of[s].row] < 0:
                    list_of[c] = list_of[s]
                    c += 1
            count = c
        qsort(list_of, count, sizeof(Candidate), _compare)
        for s in range(count):
            rows[s] = list_of[s].row
        if few:
            status = state.residuals.foresight.look_further(rows, min(count, 1 + few))
        else:
            status = state.residuals.foresight.look_ahead(rows, count)
    free(list_of)
    free(rows)
    return status


cdef Py_ssize_t _list_members(LoopState state, Py_ssize_t i, Candidate* list_of,
                              Py_ssize_t count) noexcept nogil:
    # The members that would leave on the rest of the line.
    cdef Py_ssize_t k, row, q
    cdef double time, value, slope
    for k in range(state.margin.size):
        row, value, slope = state.margin.member[k], state.margin.value[k], state.margin.slope[k]
        q, time = interval_of(state.stairs.position[row]), FAR
        if q < state.stairs.m:
            time = _meeting(state.stairs.knot(row, q, state.theta) - value,
                            slope - state.stairs.knot_speed(row, q))
        if q > 0:
            time = min(time, _meeting(value - state.stairs.knot(row, q - 1, state.theta),
                                      state.stairs.knot_speed(row, q - 1) - slope))
        if row != i and state.theta + time <= 1.0:
            list_of[count].row, list_of[count].time = row, time
            count += 1
    return count


cdef double _meeting(double room, double speed) noexcept nogil:
    # After which way of theta a room is used up.
    return max(room, 0.0) / speed if speed > 0.0 else FAR


cdef Py_ssize_t _list_others(LoopState state, Py_ssize_t i, Candidate* list_of,
                             Py_ssize_t count) noexcept nogil:
    # The rows that would enter; members have no levels to meet.
    cdef Py_ssize_t row
    cdef double room, speed, time
    for row in range(state.stairs.n):
        speed = state.rows.dr[row]
        room = state.rows.residual(row)
        room = state.rows.up[row] - room if speed > 0.0 else room - state.rows.lo[row]
        time = _meeting(room, fabs(speed))
        if row != i and state.theta + time <= 1.0:
            list_of[count].row, list_of[count].time = row, time
            count += 1
    return count
