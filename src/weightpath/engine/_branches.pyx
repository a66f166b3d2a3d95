"""Many paths that begin at one solution: its branches.

The loop is set up once. Each branch goes back to the shared solution, where only what the last one
has touched is put back (the knots of a few rows, a part of the factor; residuals and positions by
plain copies), follows its own straight line, and is verified at its end from the columns of what
has changed. Nothing is recorded. What a branch gives does not depend on those before it.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.math cimport fabs
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from weightpath import tolerances as _tolerances
from weightpath.engine._freedom cimport freedom_of_bias
from weightpath.engine._waiting_threads cimport take_thread
from weightpath.engine._loop cimport Loop, check
from weightpath.engine._pivots cimport leave
from weightpath.engine._results cimport END, GOING, INTERRUPTED, NO_COLUMN, NO_MEMORY
from weightpath.engine._sweep cimport FAR, wp_subtract
from weightpath.problems._position cimport (
    interval_of, is_at_knot, is_free, knot_of, lower_level, upper_level,
)

cdef double TOL_END = _tolerances.END
cdef double LEG_GROWTH = _tolerances.LEG_GROWTH

# Knots beyond this are as good as absent, as in `weightpath.problems.staircase`.
cdef double FAR_KNOT = 1e100

# Columns that are added up at a time; fixed, so that roundings are the same in every thread.
cdef enum:
    TOGETHER = 16

# Branches that a thread takes for itself at a time, at most, and of those that are left no more
# than one out of so many; and those between two chances to interrupt.
cdef enum:
    CHUNK = 16
    AT_THE_END = 4
    AT_ONCE = 256

# What becomes of a branch: it is lost (the caller follows it otherwise), it has arrived at its end
# or was stopped by a rule on the way, both verified; UNMOVED is told as ARRIVED.
cdef enum:
    LOST = 0
    ARRIVED = 1
    STOPPED = 2
    UNMOVED = 3

# Where a rule stops a branch: its row is at a bound, between knots, or no longer where it was.
cdef enum:
    NOWHERE = 0
    AT_BOUND = 1
    ON_MARGIN = 2
    AT_CHANGE = 3

# What a loop returns, beside the codes of all loops, when its rule has stopped it, and when all
# threads are to end at once; and what a runner does when there are no more branches.
cdef enum:
    RULE = 64
    NONE_LEFT = 65
    HALTED = 66


cdef class BranchLoop(Loop):
    """A loop that a rule may stop at any of its events."""

    cdef int _look_after(self) noexcept nogil:
        cdef int code = Loop._look_after(self), answer
        if self.halted != NULL and wp_count_now(self.halted) != 0:
            return HALTED
        if code != GOING or not self.stops:
            return code
        if self.until != NOWHERE:
            return RULE if self._is_there() else GOING
        answer = self._ask()
        return INTERRUPTED if answer < 0 else RULE if answer else GOING

    cdef int _record_segment(self, double step) noexcept nogil:
        # Nothing is recorded; members that rest at their knots are put on them all the same.
        if self.state.theta + step > self.state.theta:
            freedom_of_bias(self.state, step)
        return 0

    cdef bint _is_there(self) noexcept nogil:
        cdef int p = self.state.stairs.position[self.watched]
        if self.until == AT_CHANGE:
            return p != self.before
        if self.until == ON_MARGIN:
            return is_free(p)
        return is_at_knot(p) and (
            self.state.stairs.level1[self.watched, lower_level(p)] <= -FAR
            or self.state.stairs.level1[self.watched, upper_level(p)] >= FAR)

    cdef int _ask(self) noexcept nogil:
        """The rule's answer; -1 if it fails, and the error is kept."""
        with gil:
            try:
                return bool(self.ask(self.state.theta, self.state.coefficients, self.state.bias))
            except BaseException as error:
                self.error = error
                return -1


cdef class Sheaf:
    """The changes of the branches that one thread has followed, one after the other."""

    def __cinit__(self):
        self.n_changes = self.room = 0
        self.row = NULL
        self.change = NULL
        self.loose = []

    def __dealloc__(self):
        free(self.row)
        free(self.change)

    cdef int add(self, Py_ssize_t count, const Py_ssize_t* row,
                 const double* change) noexcept nogil:
        """Add the changes of one branch; -1 when memory is short."""
        cdef Py_ssize_t room = max(self.n_changes + count, 2 * self.room)
        cdef void* block
        if self.n_changes + count > self.room:
            block = realloc(self.row, room * sizeof(Py_ssize_t))
            if block == NULL:
                return -1
            self.row = <Py_ssize_t*> block
            block = realloc(self.change, room * sizeof(double))
            if block == NULL:
                return -1
            self.change = <double*> block
            self.room = room
        if count:
            memcpy(self.row + self.n_changes, row, count * sizeof(Py_ssize_t))
            memcpy(self.change + self.n_changes, change, count * sizeof(double))
            self.n_changes += count
        return 0

    cdef void copy(self, Py_ssize_t first, Py_ssize_t count, Py_ssize_t* row,
                   double* change) noexcept nogil:
        """Copy some of the changes."""
        memcpy(row, self.row + first, count * sizeof(Py_ssize_t))
        memcpy(change, self.change + first, count * sizeof(double))


cdef class Harvest:
    """What some branches have come to; several threads may bring it in.

    Parameters
    ----------
    goals : BranchGoals
        Where all branches go.
    first, last : int
        Which of them are followed.
    """

    def __cinit__(self, goals, Py_ssize_t first, Py_ssize_t last):
        cdef Py_ssize_t k, count = last - first
        cdef const Py_ssize_t[::1] offset = goals.offset
        self.first, self.last, self.next = first, last, first
        self.first_entry = offset[first]
        # Few arrays: each takes as long to make as a branch that meets nothing.
        self.kind = np.zeros(count, dtype=np.int8)
        self.reals = np.zeros((2, count))
        self.whole = np.zeros((2, count), dtype=np.intp)
        self.at_rows = np.zeros(offset[last] - offset[first])
        self.places = np.empty((2, count), dtype=np.intp)
        cdef double[:, ::1] reals = self.reals
        cdef Py_ssize_t[:, ::1] whole = self.whole, places = self.places
        self.outcome, self.residual = self.kind, self.at_rows
        self.theta, self.bias = reals[0], reals[1]
        self.n_events, self.count = whole[0], whole[1]
        self.owner, self.begin = places[0], places[1]
        for k in range(count):
            self.theta[k] = 1.0
        self.sheaves = []

    def stop(self):
        """Let no thread begin anything more."""
        self.next = self.last

    def halt(self):
        """Let all threads end at once, in the middle of what they have begun."""
        self.stop()
        wp_take_next(&self.halted, 1)

    def ends(self):
        """What there is one of for each branch, and the residuals, as a dict of arrays."""
        return {
            "outcome": self.kind,
            "theta": self.reals[0],
            "bias": self.reals[1],
            "n_events": self.whole[0],
            "residual": self.at_rows,
        }

    def loose(self):
        """The states of the ends whose bias is not unique."""
        return [one for sheaf in self.sheaves for one in (<Sheaf> sheaf).loose]

    def moved(self):
        """The coefficients that changed as a dict of arrays; they are put together here."""
        cdef Py_ssize_t k, n_all = 0, count = self.count.shape[0]
        cdef Sheaf sheaf
        offset = np.empty(count + 1, dtype=np.intp)
        cdef Py_ssize_t[::1] ends = offset
        ends[0] = 0
        for k in range(count):
            n_all += self.count[k]
            ends[k + 1] = n_all
        row, change = np.empty(n_all, dtype=np.intp), np.empty(n_all)
        cdef Py_ssize_t[::1] rows = row
        cdef double[::1] changes = change
        for k in range(count):
            if self.count[k]:
                sheaf = self.sheaves[self.owner[k]]
                sheaf.copy(self.begin[k], self.count[k], &rows[ends[k]], &changes[ends[k]])
        return {"offset": offset, "row": row, "change": change}

    cdef Py_ssize_t take(self, Py_ssize_t* first) noexcept nogil:
        """Give the next branches to one of the threads; return how many, none if all are taken.

        Fewer towards the end, so that no thread waits long for another.
        """
        cdef Py_ssize_t left = self.last - wp_count_now(&self.next)
        cdef Py_ssize_t count = min(max(left // AT_THE_END, <Py_ssize_t> 1), <Py_ssize_t> CHUNK)
        first[0] = wp_take_next(&self.next, count)
        return max(min(count, self.last - first[0]), <Py_ssize_t> 0)


cdef class BranchRunner:
    """Follow paths that all begin at one solution.

    Parameters
    ----------
    columns : Columns
        The kernel matrix of rows.
    stair : Staircase
        The problem.
    state : State
        Its exact solution, with rows at equal knots sorted out.
    ridge : float
        Added to the diagonal of the kernel matrix.
    absent : ndarray of bool or None, default=None
        Rows without a weight that are met by no branch but those in which they move.
    """

    def __init__(self, columns, stair, state, double ridge=0.0, absent=None):
        try:
            self._go_there(columns, stair, state, ridge)
            self._keep(stair, absent)
        finally:
            if self.loop is not None:
                self.loop.close()

    def twin(self, columns):
        """Return a runner of the same paths for another thread, which shares what stays as it is.

        Parameters
        ----------
        columns : Columns
            The same matrix; this runner may be under way with its own.
        """
        cdef BranchRunner twin = BranchRunner.__new__(BranchRunner)
        try:
            twin._go_there(columns, self.stair, self.solution, self.state.margin.ridge)
            twin._share(self)
        finally:
            if twin.loop is not None:
                twin.loop.close()
        twin.limit_events(self.state.guard.max_events)
        return twin

    cdef _go_there(self, columns, stair, solution, double ridge):
        """Set the loop up at the shared solution."""
        self.stair, self.solution = stair, solution
        self.loop = BranchLoop(columns, stair.has_bias, ridge)
        self.state = self.loop.state
        self.state.margin.factor.be_brief()
        if self.loop.reset(stair, stair, solution.position, solution.beta, solution.bias,
                           solution.margin):
            raise ValueError("The margin of the shared solution depends on itself.")
        self.state.begin(self.state.position, solution.residual)
        self.residuals = self.state.residuals
        self.begin = self.end = 0

    cdef _let_knots_move(self, stair):
        self.end_knots = stair.knots.copy()
        self.state.stairs.knot1 = self.end_knots
        self.state.stairs.knots_move = True

    cdef _share(self, BranchRunner other):
        """Begin every branch with what another runner begins with, which nobody writes to."""
        cdef Py_ssize_t n = self.state.stairs.n
        cdef double[:, ::1] reals = np.empty((2, n))
        self.end_residual, self.move = reals[0], reals[1]
        self.moved = np.empty(n, dtype=np.intp)
        self.ignored = np.array(other.absent)
        self._let_knots_move(self.stair)
        self.base_knots, self.base_target = other.base_knots, other.base_target
        self.base_levels, self.base_position = other.base_levels, other.base_position
        self.base_beta, self.base_residual = other.base_beta, other.base_residual
        self.base_lower, self.base_upper = other.base_lower, other.base_upper
        self.base_size, self.base_idle, self.absent = other.base_size, other.base_idle, other.absent
        self.base_margin, self.base_scales = other.base_margin, other.base_scales
        self.base_bias, self.base_total = other.base_bias, other.base_total
        self.base_scale, self.largest_knot = other.base_scale, other.largest_knot
        self.n_largest, self.is_bias_fixed = other.n_largest, other.is_bias_fixed

    cdef _keep(self, stair, absent):
        # What every branch begins with.
        cdef Py_ssize_t i, j, n = self.state.stairs.n
        self._make_room(n)
        if absent is not None:
            np.asarray(self.ignored)[:] = absent
        for i in range(n):
            if self.ignored[i]:
                self.residuals.lo[i], self.residuals.up[i] = -FAR, FAR
        self.base_knots, self.base_target = stair.knots, stair.target
        self.base_levels = np.array(self.state.stairs.level0)
        self._let_knots_move(stair)
        self.largest_knot, self.n_largest = stair.knot_scale, 0
        for i in range(n):
            self.base_size[i] = 0.0
            for j in range(self.state.stairs.m):
                self.base_size[i] = max(self.base_size[i], fabs(self.base_knots[i, j]))
            self.n_largest += self.base_size[i] >= self.largest_knot
        self._copy_rows(n)
        self.base_position = self.state.initial_position
        self.base_margin = self.state.margin.keep()
        self.base_bias, self.base_total = self.state.bias, stair.total
        self.base_scale = stair.residual_scale
        self.base_scales = self.state.scales.copy()
        self.is_bias_fixed = not self.state.has_bias or self._has_free_member()

    cdef _make_room(self, Py_ssize_t n):
        """Take arrays for ``n`` rows, few large ones: they are made while branches wait."""
        cdef double[:, ::1] reals = np.empty((7, n))
        cdef unsigned char[:, ::1] flags = np.zeros((3, n), dtype=np.uint8)
        self.base_beta, self.base_residual = reals[0], reals[1]
        self.base_lower, self.base_upper = reals[2], reals[3]
        self.base_size, self.end_residual, self.move = reals[4], reals[5], reals[6]
        self.idle_room, self.absent_room, self.ignored = flags[0], flags[1], flags[2]
        self.base_idle, self.absent = self.idle_room, self.absent_room
        self.moved = np.empty(n, dtype=np.intp)

    cdef void _copy_rows(self, Py_ssize_t n) noexcept nogil:
        """Keep the numbers of the rows as they are now."""
        cdef Py_ssize_t size = n * sizeof(double)
        if n == 0:
            return
        memcpy(&self.base_beta[0], &self.state.beta[0], size)
        memcpy(&self.base_residual[0], &self.residuals.r[0], size)
        memcpy(&self.base_lower[0], &self.residuals.lo[0], size)
        memcpy(&self.base_upper[0], &self.residuals.up[0], size)
        memcpy(&self.idle_room[0], &self.state.stairs.idle[0], n)
        memcpy(&self.absent_room[0], &self.ignored[0], n)

    def limit_events(self, Py_ssize_t max_events):
        """Lose branches of more events."""
        self.state.guard.max_events = max_events

    def follow(self, goals, Py_ssize_t first, Py_ssize_t last, stop=None):
        """Follow the branches from ``first`` to before ``last``; return what they came to.

        Parameters
        ----------
        goals : BranchGoals
            Where all branches go.
        first, last : int
            Which of them to follow.
        stop : callable or None, default=None
            Gives for the number of a branch what may end it early: the row to watch, where
            (``AT_BOUND``, ``ON_MARGIN``, ``AT_CHANGE``; 0 for nowhere) and what else to ask, a
            function of theta, the coefficients and the bias.

        Returns
        -------
        arrays : dict
            The ``outcome`` of each branch (``LOST``, ``ARRIVED``, ``STOPPED``), ``theta``, ``bias``
            and ``n_events``; the entries of branch k from ``offset[k]`` on are the ``row`` and
            ``change`` of the coefficients that changed; ``residual``, at the rows that moved, has
            an entry for each of the goals.
        loose : list
            Branch, coefficients, bias, positions, residuals and tolerance of each end at which the
            bias is not unique.
        """
        harvest = Harvest(goals, first, last)
        self.help(goals, harvest, stop)
        return {**harvest.ends(), **harvest.moved()}, harvest.loose()

    def help(self, goals, Harvest harvest, stop=None):
        """Follow branches of a harvest until none is left; others may help in other threads.

        Parameters
        ----------
        goals, stop
            As in :meth:`follow`.
        harvest : Harvest
            What all threads bring in.
        """
        cdef int code = GOING
        self._begin(goals, harvest, stop)
        try:
            while code == GOING:
                if stop is None:
                    with nogil:
                        code = self._follow_some(harvest)
                else:
                    code = self._follow_asked(harvest, stop)
                PyErr_CheckSignals()
        finally:
            self._end()
        check(self.loop, code)

    def start(self, goals, Harvest harvest):
        """Do the same in a thread that never waits for Python; every start is to be joined.

        Parameters
        ----------
        goals, harvest
            As in :meth:`help`.
        """
        self._begin(goals, harvest, None)
        self.harvest, self.code, self.thread = harvest, NONE_LEFT, take_thread()
        if self.thread is not None:
            # The thread has a share in this runner until it is joined.
            Py_INCREF(self)
            self.thread.give(<void (*)(void*) noexcept nogil> _help, <void*> self)

    def join(self):
        """Wait until the thread that was started is done; raise what has stopped it."""
        if self.thread is not None:
            self.thread.wait()
            self.thread = None
            Py_DECREF(self)
        self._end()
        check(self.loop, self.code)

    cdef _begin(self, goals, Harvest harvest, stop):
        self.sheaf, self.number, self.failed = Sheaf(), len(harvest.sheaves), harvest.last
        harvest.sheaves.append(self.sheaf)
        self._take(goals)
        self.loop.halted = &harvest.halted
        self.loop.stops, self.loop.callback, self.loop.error = stop is not None, None, None

    cdef _end(self):
        self.loop.close()
        self._put_back()
        self.begin = self.end = 0
        self.loop.halted = NULL
        # A runner may be kept: what was asked of it and what it came to are not its own.
        self.sheaf = self.harvest = None
        self.offset = self.row = None
        self.knots = self.target = self.levels = self.total = None

    cdef int _follow_some(self, Harvest harvest) noexcept nogil:
        """Follow some of the branches that are left; GOING if there may be more."""
        cdef Py_ssize_t k, first = 0, count, n_done = 0
        cdef int code
        while n_done < AT_ONCE:
            count = harvest.take(&first)
            if count == 0:
                return NONE_LEFT
            for k in range(first, first + count):
                code = self._follow_next(k, harvest)
                if code != GOING:
                    return code
            n_done += count
        return GOING

    cdef int _follow_asked(self, Harvest harvest, stop) except -1:
        """The same one by one, each with a rule that may stop it."""
        cdef Py_ssize_t k, first = 0, count = harvest.take(&first)
        cdef int code = GOING if count else NONE_LEFT
        for k in range(first, first + count):
            self.loop.watched, self.loop.until, self.loop.ask = stop(k)
            self.loop.before = self.base_position[self.loop.watched]
            with nogil:
                code = self._follow_next(k, harvest)
            if code != GOING:
                break
        return code

    cdef int _follow_next(self, Py_ssize_t k, Harvest harvest) noexcept nogil:
        cdef int code = self._follow(k, harvest, k - harvest.first)
        if code != GOING:
            self.failed = k
        return code

    cdef _take(self, goals):
        self.offset, self.row, self.knots = goals.offset, goals.row, goals.knots
        self.target, self.levels, self.total = goals.target, goals.levels, goals.total
        self.targets_move, self.levels_move = goals.target is not None, goals.levels is not None
        self.state.stairs.levels_move = self.residuals.levels_move = self.levels_move
        if self.levels_move:
            self.residuals.dlo, self.residuals.dup = np.zeros((2, self.state.stairs.n))

    # One branch ----------------------------------------------------------------------------

    cdef int _follow(self, Py_ssize_t k, Harvest harvest, Py_ssize_t at) noexcept nogil:
        """Follow one branch and bring in what it came to; GOING unless something is broken."""
        cdef Py_ssize_t member = -1
        cdef int code, direction = 0
        cdef bint rests
        self._put_back()
        self.begin, self.end = self.offset[k], self.offset[k + 1]
        if not self._lay_line(self.total[k]):
            return GOING
        rests = not self.loop.stops and self._nothing_moves()
        if rests and self._first_met(&member, &direction) >= 1.0:
            return self._bring_in(harvest, at, UNMOVED)
        code = self._set_out()
        if code == GOING and rests:
            code = self._go_to_first_met()
        if code == GOING:
            code = self.loop.follow()
        if code == NO_COLUMN or code == NO_MEMORY or code == INTERRUPTED or code == HALTED:
            return code
        if code != END and code != RULE:
            return GOING
        if self._find_moves() < 0:
            return NO_COLUMN
        if not self._is_solution():
            return GOING
        return self._bring_in(harvest, at, STOPPED if code == RULE else ARRIVED)

    cdef void _put_back(self) noexcept nogil:
        """Take the ends of the last branch back: the problem is the shared one again."""
        cdef Py_ssize_t e, i, j, m = self.state.stairs.m
        for e in range(self.begin, self.end):
            i = self.row[e]
            for j in range(m):
                self.end_knots[i, j] = self.base_knots[i, j]
            for j in range(m + 1):
                self.state.stairs.level1[i, j] = self.base_levels[i, j]
            self.state.line.target_end[i] = self.base_target[i]
            self.state.stairs.idle[i] = self.base_idle[i]
            self.ignored[i] = self.absent[i]

    cdef bint _lay_line(self, double total) noexcept nogil:
        """Lay the line to the ends of this branch; False where it takes several legs."""
        cdef Py_ssize_t e, i, j, m = self.state.stairs.m
        cdef double scale = self.base_scale, slope, fastest = 0.0, level
        self.state.line.reset_to_still(self.base_total, total)
        for e in range(self.begin, self.end):
            i = self.row[e]
            for j in range(m):
                self.end_knots[i, j] = self.knots[e, j]
            self.state.stairs.idle[i] = self._is_idle(i)
            self.ignored[i] = False
            if self.targets_move:
                slope = self.target[e] - self.base_target[i]
                self.state.line.target_end[i] = self.target[e]
                self.state.line.target_slope[i] = slope
                fastest = max(fastest, fabs(slope))
                scale = max(scale, fabs(self.target[e]))
            if self.levels_move:
                for j in range(m + 1):
                    level = min(max(self.levels[e, j], -FAR), FAR)
                    self.state.stairs.level1[i, j] = level
                    if 0 < j < m and fabs(level) < FAR:
                        scale = max(scale, fabs(level))
        self.state.line.fastest_target = fastest
        self.state.scales.restore(self.base_scales)
        if scale > self.base_scale:
            if not scale <= LEG_GROWTH * self.base_scale:
                return False
            self.state.scales.widen(scale)
        return self._is_one_leg()

    cdef bint _is_one_leg(self) noexcept nogil:
        # Whether what is large changes little on the way; `weightpath.engine.legs` has the rule.
        cdef double before = self.largest_knot, after = self._largest_end_knot(), scale
        if before > 0.0 and after > 0.0 and not (
                before <= LEG_GROWTH * after and after <= LEG_GROWTH * before):
            return False
        if before > 0.0 and after == 0.0:
            return False
        if self.targets_move or self.levels_move:
            scale = self._end_scale()
            return self.base_scale <= LEG_GROWTH * scale
        return True

    cdef double _largest_end_knot(self) noexcept nogil:
        cdef Py_ssize_t e, i, j, m = self.state.stairs.m
        cdef Py_ssize_t n_left = self.n_largest
        cdef double size, largest = 0.0
        for e in range(self.begin, self.end):
            n_left -= self.base_size[self.row[e]] >= self.largest_knot
            for j in range(m):
                size = fabs(self.knots[e, j])
                if largest < size < FAR_KNOT:
                    largest = size
        if n_left > 0:
            return max(largest, self.largest_knot)
        for i in range(self.state.stairs.n):
            for j in range(m):
                size = fabs(self.end_knots[i, j])
                if largest < size < FAR_KNOT:
                    largest = size
        return largest

    cdef double _end_scale(self) noexcept nogil:
        # The largest target or inner level at the end.
        cdef Py_ssize_t i, j
        cdef double size, scale = 0.0
        for i in range(self.state.stairs.n):
            scale = max(scale, fabs(self.state.line.target_end[i]))
            for j in range(1, self.state.stairs.m):
                size = fabs(self.state.stairs.level1[i, j])
                if scale < size < FAR:
                    scale = size
        return scale

    cdef bint _is_idle(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(1, self.state.stairs.m):
            if not self.state.stairs.same_knot(i, j, 0):
                return False
        return self.state.stairs.m > 1

    # Where only knots move that no row is at, nothing changes until one of them meets its row.

    cdef bint _nothing_moves(self) noexcept nogil:
        """Whether all that moves are knots, and none of them takes its row along."""
        cdef Py_ssize_t e, i
        cdef int p
        if (self.targets_move or self.levels_move or not self.is_bias_fixed
                or self.state.line.total_slope != 0.0):
            return False
        for e in range(self.begin, self.end):
            i = self.row[e]
            p = self.base_position[i]
            if is_at_knot(p) and self.state.stairs.knot_speed(i, knot_of(p)) != 0.0:
                return False
        return True

    cdef double _first_met(self, Py_ssize_t* member, int* direction) noexcept nogil:
        """The theta at which a knot meets its free row, 1 if none does; out: its row and side."""
        cdef Py_ssize_t e, i, j, q
        cdef int p, side
        cdef double theta, first = 1.0, before, after
        for e in range(self.begin, self.end):
            i = self.row[e]
            p = self.base_position[i]
            if not is_free(p):
                continue
            q = interval_of(p)
            for side in range(-1, 2, 2):
                j = q if side > 0 else q - 1
                if j < 0 or j >= self.state.stairs.m:
                    continue
                before = side * (self.base_knots[i, j] - self.base_beta[i])
                after = side * (self.end_knots[i, j] - self.base_beta[i])
                if after >= 0.0:
                    continue
                theta = max(0.0, before) / (max(0.0, before) - after)
                if theta < first:
                    first, member[0], direction[0] = theta, i, side
        return first

    cdef int _go_to_first_met(self) noexcept nogil:
        """Take the first event of a branch on which nothing moves before it."""
        cdef Py_ssize_t k, row = -1
        cdef int direction = 0
        cdef double theta = self._first_met(&row, &direction)
        for k in range(self.state.margin.size):
            if self.state.margin.member[k] == row:
                self.state.theta = theta
                self.state.guard.remember(row, direction)
                return leave(self.state, k, direction)
        return GOING

    cdef int _set_out(self) noexcept nogil:
        """Go back to the shared solution, and set out for the end of this branch."""
        cdef Py_ssize_t n = self.state.stairs.n
        cdef int code
        self.residuals.reset(&self.base_residual[0], &self.base_lower[0], &self.base_upper[0])
        memcpy(&self.state.stairs.position[0], &self.base_position[0], n * sizeof(int))
        self.state.restart(&self.base_beta[0], self.base_bias)
        code = self.state.margin.restore(self.base_margin)
        if code < 0:
            return NO_COLUMN if code == -1 else NO_MEMORY
        if self._move_rows() < 0:
            return NO_COLUMN
        self.state.measure()
        return GOING

    cdef int _move_rows(self) noexcept nogil:
        """Let the rows that move begin to; column by column, so that no cache changes roundings."""
        cdef Py_ssize_t e, i
        cdef int p
        cdef double speed
        cdef const double* col
        for e in range(self.begin, self.end):
            i = self.row[e]
            p = self.state.stairs.position[i]
            if self.targets_move:
                self.residuals.push_velocity(i, self.state.line.target_slope[i])
            if self.levels_move or self.absent[i]:
                if is_at_knot(p):
                    self.state.put_at_knot(i, p)
                else:
                    self.state.put_free(i, p)
            speed = self.state.stairs.knot_speed(i, knot_of(p)) if is_at_knot(p) else 0.0
            if speed != 0.0:
                col = self.state.columns.pin(i)
                if col == NULL:
                    return -1
                self.state.add_knot_speed(i, col, speed)
                self.state.columns.unpin(i)
        return 0

    # Its end -------------------------------------------------------------------------------

    cdef int _find_moves(self) noexcept nogil:
        """Which coefficients have moved, and the residuals that follow; -1 without a column."""
        cdef Py_ssize_t i, e, n = self.state.stairs.n
        cdef double theta = self.state.theta, move, lift = self.state.bias - self.base_bias
        self.state.measure()
        self._put_within_bounds()
        self.n_moved = 0
        for i in range(n):
            self.end_residual[i] = self.base_residual[i] - lift
            move = self.state.beta[i] - self.base_beta[i]
            if move != 0.0:
                self.moved[self.n_moved], self.move[self.n_moved] = i, move
                self.n_moved += 1
                self.end_residual[i] -= self.state.margin.ridge * move
        if self.targets_move:
            for e in range(self.begin, self.end):
                i = self.row[e]
                self.end_residual[i] += theta * (self.target[e] - self.base_target[i])
        i = 0
        while i < self.n_moved:
            if self._subtract_columns(i, min(<Py_ssize_t> TOGETHER, self.n_moved - i)) < 0:
                return -1
            i += TOGETHER
        return 0

    cdef int _subtract_columns(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        """What some of the coefficients that moved take from all residuals; -1 without a column."""
        cdef Py_ssize_t k, pinned = 0
        cdef const double* col[TOGETHER]
        for k in range(count):
            col[k] = self.state.columns.pin(self.moved[first + k])
            if col[k] == NULL:
                break
            pinned += 1
        if pinned == count:
            wp_subtract(
                self.state.stairs.n, count, col, &self.move[first], &self.end_residual[0])
        for k in range(pinned):
            self.state.columns.unpin(self.moved[first + k])
        return 0 if pinned == count else -1

    cdef void _put_within_bounds(self) noexcept nogil:
        # Rounding must not put a coefficient beyond its bounds; those at knots are on them.
        cdef Py_ssize_t k, i, last = self.state.stairs.m - 1
        cdef double theta = self.state.theta
        for k in range(self.state.margin.size):
            i = self.state.margin.member[k]
            if self.state.stairs.level1[i, 0] <= -FAR:
                self.state.beta[i] = max(self.state.beta[i], self.state.stairs.knot(i, 0, theta))
            if self.state.stairs.level1[i, last + 1] >= FAR:
                self.state.beta[i] = min(self.state.beta[i], self.state.stairs.knot(i, last, theta))

    cdef bint _is_solution(self) noexcept nogil:
        """Whether the coefficients are a solution, judged from the columns of what has changed."""
        cdef Py_ssize_t i
        cdef long double total = 0.0
        cdef double theta = self.state.theta, violation = 0.0, scale = 0.0
        if self.targets_move or self.levels_move:
            scale = self._end_scale()
        if self.state.has_bias:
            for i in range(self.state.stairs.n):
                total += self.state.beta[i]
            violation = self.state.margin.scale * fabs(<double> total - (
                (1.0 - theta) * self.base_total + theta * self.state.line.total_end))
        for i in range(self.state.stairs.n):
            if not self.ignored[i]:
                violation = max(violation, self._row_violation(i))
        return violation <= (TOL_END * (scale or self.state.scales.residual_scale or 1.0)
                             + 2.0 * self.state.scales.tolerance)

    cdef double _row_violation(self, Py_ssize_t i) noexcept nogil:
        # How far the residual of a row is from the levels of its position.
        cdef Py_ssize_t p = self.state.stairs.position[i]
        cdef double theta = self.state.theta, r = self.end_residual[i]
        if not self.levels_move:
            return max(self.base_levels[i, lower_level(p)] - r,
                       r - self.base_levels[i, upper_level(p)])
        return max(self.state.stairs.level(i, lower_level(p), theta) - r,
                   r - self.state.stairs.level(i, upper_level(p), theta))

    cdef bint _has_free_member(self) noexcept nogil:
        # Whether a member of the margin is away from both its knots: then the bias is unique.
        cdef Py_ssize_t k
        for k in range(self.state.margin.size):
            if not (self.state.is_member_at_knot(k, -1) or self.state.is_member_at_knot(k, 1)):
                return True
        return False

    cdef int _bring_in(self, Harvest harvest, Py_ssize_t at, int outcome) noexcept nogil:
        """Keep what a branch came to: it is verified, or nothing has changed on it."""
        cdef Py_ssize_t e
        cdef const double* residual = &self.end_residual[0]
        if outcome == UNMOVED:
            harvest.outcome[at], harvest.bias[at] = ARRIVED, self.base_bias
            residual = &self.base_residual[0]
        else:
            harvest.outcome[at], harvest.bias[at] = outcome, self.state.bias
            harvest.theta[at] = self.state.theta
            harvest.n_events[at] = self.state.recorder.n_events
            harvest.count[at] = self.n_moved
            harvest.owner[at], harvest.begin[at] = self.number, self.sheaf.n_changes
            if self.sheaf.add(self.n_moved, &self.moved[0], &self.move[0]) < 0:
                return NO_MEMORY
            if self.state.has_bias and not self._has_free_member():
                self._keep_loose_end(at)
        for e in range(self.begin, self.end):
            harvest.residual[e - harvest.first_entry] = residual[self.row[e]]
        return GOING

    cdef void _keep_loose_end(self, Py_ssize_t at) noexcept nogil:
        with gil:
            self.sheaf.loose.append((
                at, np.array(self.state.beta), self.state.bias, self.state.position,
                np.array(self.end_residual), self.state.scales.tolerance))


cdef void _help(BranchRunner runner) noexcept nogil:
    """What a thread of a runner does. A thread that Python knows would begin with its lock."""
    runner.code = GOING
    while runner.code == GOING:
        runner.code = runner._follow_some(runner.harvest)
