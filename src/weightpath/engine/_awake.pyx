"""Sleeping rows: most rows cannot meet their level for many events, and need not be looked at.

At a reference all residuals and velocities are known. Rows whose course keeps a larger distance
from their levels than the function can deviate (:mod:`weightpath.engine._course`), up to some theta
ahead, sleep: they have no velocity until the next reference. The others are awake; their residuals,
levels and kernel values with the margin are packed together.

Of the awake rows only those that are *near* their levels get a velocity at every event. The others,
the *far* ones, are looked at together now and then, by the same rule with a simpler bound. When row
i enters or leaves the margin, the direction v of the coefficients changes by dv, and

    dv' K dv = |dv_i ddr_i|,

where ddr_i is the change of its residual's velocity: all other residuals of the margin keep to
their levels, and the sum of dv is zero. With h_j the way of theta since event j, the function is no
farther from its course since the last look than the sum over j of h_j |dv_j|.

With a small margin all awake rows are near, and what moves sleepers is only noted
(:mod:`weightpath.engine._ledger`).
"""

from libc.math cimport fabs, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

from weightpath.engine._course cimport Course
from weightpath.engine._landmarks cimport Landmarks
from weightpath.engine._margin cimport Margin
from weightpath.engine._packed_rows cimport PackedRows
from weightpath.engine._sweep cimport (
    BLOCK,
    FAR,
    wp_choose,
    wp_look_at_all,
    wp_mark_wanted,
    wp_near_choose,
    wp_near_sweep,
    wp_sweep_moving,
    wp_sweep_still,
)

# With fewer members the margin is small. With fewer rows, and even fewer if it is not, a pass over
# all rows is as cheap as the book-keeping; and so it is with so few kernel values of a large margin
# that they stay in the processor's own cache.
cdef Py_ssize_t MEMBERS = 32
cdef Py_ssize_t ROWS = 256
cdef Py_ssize_t MANY_ROWS = 1024
cdef Py_ssize_t MANY_VALUES = 1 << 17

# At most one row out of so many may be awake; otherwise all are looked at for so many events.
cdef Py_ssize_t PART = 3
cdef Py_ssize_t PATIENCE = 2

# With a small margin, where looking at all rows is cheap: one out of so many, a reference should
# serve for so many events, and one waits longer with every reference that does not.
cdef Py_ssize_t SMALL_PART = 8
cdef Py_ssize_t SERVED = 6
cdef Py_ssize_t LONGEST = 256

# An anchor is taken if it makes the norms smaller by this factor, in the mean. It is chosen among
# so many members; their differences are known to this part of their squares.
cdef double ANCHORED = 0.7
cdef Py_ssize_t CANDIDATES = 32
cdef double CANCELLED = 1e-14

# Paths that may be short look at all rows for so many events at first.
cdef Py_ssize_t AT_FIRST = 10

# What is provided for, as a multiple of what is expected.
cdef double AMPLE = 1.5

# Landmarks are not taken before so many events have passed; where there are none, not for so many.
cdef Py_ssize_t LONG = 4
cdef Py_ssize_t NEVER = 1_000_000_000

# Room for so many rows that leave the margin before the next reference.
cdef Py_ssize_t EXTRA = 128

# Safety for what rounding does to the numbers that are carried along, and to a direction.
cdef double CAUTION = 1.0 + 1e-6
cdef double ROUNDED = 1e-10


cdef class AwakeRows:
    """The rows that may meet a level before the next reference (final).

    Parameters
    ----------
    root : ndarray of shape (n,)
        Roots of the diagonal of the kernel matrix, with the ridge.
    """

    def __cinit__(self, double[::1] root):
        self.root = root
        self.course, self.rows, self.landmarks = Course(), PackedRows(), Landmarks()
        self.index = self.place = self.fresh = self.near = self.near_at = NULL
        self.norm = self.first = NULL
        self.wanted = NULL
        self.r = self.value = NULL
        self.n = self.count = self.capacity = self.room = self.n_near = 0
        self.on = self.is_light = False
        self.allowed = True
        self.anyway = False
        self.begin_anew()
        self.wait = 0

    def __dealloc__(self):
        free(self.index)
        free(self.place)
        free(self.fresh)
        free(self.wanted)
        free(self.near)
        free(self.near_at)
        free(self.norm)
        free(self.first)
        free(self.r)
        free(self.value)

    cdef int open(self, Py_ssize_t n, bint levels_move) noexcept nogil:
        """Get memory for a problem of ``n`` rows; -1 if there is none."""
        cdef Py_ssize_t i, cap = (n // PART + EXTRA + 7) // 8 * 8
        self.levels_move = levels_move
        if self.n == n:
            return 0
        self.index = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        self.near = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        self.near_at = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        self.fresh = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        self.place = <Py_ssize_t*> malloc(n * sizeof(Py_ssize_t))
        self.wanted = <unsigned char*> malloc(n)
        self.norm = <double*> malloc(n * sizeof(double))
        self.first = <double*> malloc((cap // BLOCK + 1) * sizeof(double))
        self.r = <double*> malloc(7 * cap * sizeof(double))
        if (self.index == NULL or self.near == NULL or self.near_at == NULL or self.fresh == NULL
                or self.place == NULL or self.wanted == NULL or self.norm == NULL
                or self.first == NULL or self.r == NULL
                or self.course.open(n) < 0 or self.rows.open(cap) < 0):
            return -1
        self.dr, self.g, self.lo = self.r + cap, self.r + 2 * cap, self.r + 3 * cap
        self.up, self.dlo, self.dup = self.r + 4 * cap, self.r + 5 * cap, self.r + 6 * cap
        for i in range(n):
            self.place[i] = -1
        self.n, self.capacity = n, cap
        return 0

    cdef int _reserve(self, Py_ssize_t m) noexcept nogil:
        """Room for ``m`` members; -1 when memory is short."""
        cdef Py_ssize_t room
        cdef double* block
        if self.rows.reserve(m, self.count) < 0:
            return -1
        room = self.rows.width
        if room <= self.room:
            return 0
        block = <double*> malloc(4 * room * sizeof(double))
        if block == NULL:
            return -1
        if self.room:
            memcpy(block, self.value, self.room * sizeof(double))
            memcpy(block + room, self.seen, self.room * sizeof(double))
        free(self.value)
        self.value, self.seen = block, block + room
        self.coef, self.move, self.room = block + 2 * room, block + 3 * room, room
        return 0

    cdef bint _is_worth_it(self, Py_ssize_t m) noexcept nogil:
        cdef Py_ssize_t n = self.root.shape[0]
        if not self.allowed or m == 0 or n < (ROWS if m >= MEMBERS else MANY_ROWS):
            return False
        return self.anyway or m < MEMBERS or n * m > MANY_VALUES

    cdef bint needs_aim(self, Py_ssize_t m) noexcept nogil:
        """Whether rows sleep, or may from the next step on."""
        return self.on or (self.wait == 0 and self._is_worth_it(m))

    cdef bint is_wanted(self, Py_ssize_t m) noexcept nogil:
        """Whether rows should sleep from now on."""
        if not self._is_worth_it(m):
            return False
        if self.wait > 0:
            self.wait -= 1
            return False
        return True

    cdef void begin_anew(self) noexcept nogil:
        """Forget what former steps have taught, so that a path does not depend on those before.

        It may be short, and then references do not pay: at first all rows are looked at.
        """
        self.course.begin_anew()
        self.provision = 4.0
        self.usual_turn = self.usual_lift = 0.0
        self.wait = AT_FIRST
        self.patience = PATIENCE
        self.is_anchored = self.is_held = self.expired = False
        self.anchor = -1
        self.events = 0
        self.landmarks.clear()

    cdef bint wants_landmarks(self, Py_ssize_t m) noexcept nogil:
        """Whether landmarks should be taken now, from a margin of ``m`` members."""
        return (m >= MEMBERS and self.events >= LONG and self.landmarks.are_due()
                and not (self.on and self.is_light))

    cdef void hold(self, Margin margin, bint has_bias, const double* time) noexcept nogil:
        """Take landmarks: see :meth:`Landmarks.choose`. A reference from before does not serve."""
        self.expired = self.on
        if self.landmarks.choose(margin, has_bias, &self.root[0], time) < 0:
            self.events = -NEVER

    cdef void let_go(self, Py_ssize_t i) noexcept nogil:
        """Row ``i`` leaves the margin; a reference that rests on it serves no longer."""
        if self.landmarks.remove(i) and self.is_held:
            self.expired = True

    cdef const double* _norms(self) noexcept nogil:
        return self.landmarks.norms() if self.is_held else self.norm

    cdef int anchor_at(self, Margin margin) noexcept nogil:
        """Take an anchor, if there is a good one, once for a path; -1 when memory is short.

        It is the member that is nearest to the others.
        """
        cdef Py_ssize_t i, j, k, best = 0, m = min(margin.size, CANDIDATES)
        cdef double square, total, least = FAR, sum_of_roots = 0.0
        cdef const double* col
        if self.is_anchored:
            return 0
        if self.open(self.root.shape[0], self.levels_move) < 0:
            return -1
        self.is_anchored = True
        for k in range(m):
            total = 0.0
            for j in range(m):
                i = margin.member[j]
                total += self.root[i] * self.root[i] - 2.0 * margin.column[k][i]
            total += m * self.root[margin.member[k]] * self.root[margin.member[k]]
            if total < least:
                best, least = k, total
        self.anchor = margin.member[best]
        col, total = margin.column[best], 0.0
        least = self.root[self.anchor] * self.root[self.anchor]
        for i in range(self.n):
            square = self.root[i] * self.root[i]
            square = (square - 2.0 * col[i]) + least + CANCELLED * (square + least)
            self.norm[i] = sqrt(max(square, 0.0))
            total += self.norm[i]
            sum_of_roots += self.root[i]
        if total > ANCHORED * sum_of_roots:
            self.anchor = -1
            memcpy(self.norm, &self.root[0], self.n * sizeof(double))
        self.course.usual_norm = min(total, sum_of_roots) / self.n
        return 0

    # A reference ---------------------------------------------------------------------------

    cdef int begin(self, double step, const double* r, const double* dr, const double* g,
                   const double* lo, const double* up, const double* dlo, const double* dup,
                   const double* dt, Margin margin, bint is_packed) noexcept nogil:
        """Take a reference that is good for a step of at least this length; -1 if it fails.

        ``dr`` are the velocities of all rows in the direction that was aimed at last. The rows of
        the last reference are still packed if ``is_packed``.
        """
        cdef Py_ssize_t i, a, n_fresh, m = margin.size
        if not is_packed:
            self.end()
        # Rows that are packed are packed one after the other.
        self.still = m < MEMBERS and not is_packed
        if self._take_hold() < 0:
            self._put_to_rest()
            return -1
        self.course.provide(step, self.still)
        # A still course leaves a row its own target's velocity.
        n_fresh = self._list_rows(r, dt if self.still else dr, lo, up, dlo, dup, margin)
        if n_fresh < 0 or self._reserve(m) < 0:
            self._put_to_rest()
            return -1
        if not is_packed:
            self.rows.begin(m, self.still)
        n_fresh = self._arrange(n_fresh)
        self.is_light = self.still and margin.columns.watch(self.index, self.count)
        self.rows.fill(self.fresh, self.index, n_fresh, margin)
        self.course.set_out(r, dr, dt, margin)
        self.course.read = 0.0
        for a in range(self.count):
            i = self.index[a]
            self.r[a], self.dr[a], self.g[a] = r[i], dr[i], g[i]
            self.lo[a], self.up[a] = lo[i], up[i]
            if self.levels_move:
                self.dlo[a], self.dup[a] = dlo[i], dup[i]
        memcpy(self.value, margin.value, m * sizeof(double))
        self.pending = 0.0
        self.n_changes = 0
        self.bias_speed = self.course.bias_speed
        self._set_out(margin.value, step, -1)
        self.on = True
        return 0

    cdef int _take_hold(self) noexcept nogil:
        # Let a reference rest on the landmarks, if there are any; -1 if the speed of the lift,
        # which it needs without them, is not known.
        cdef bint was_held = self.is_held
        self.is_held = not self.still and self.landmarks.size > 0
        self.expired = False
        if self.is_held:
            self.course.lift_speed = self.course.usual_lift = self.usual_lift = 0.0
        return -1 if was_held and not self.is_held else 0

    cdef Py_ssize_t _list_rows(self, const double* r, const double* dr, const double* lo,
                               const double* up, const double* dlo,
                               const double* dup, Margin margin) noexcept nogil:
        # Mark the rows whose course comes close to a level, and list those that are not packed;
        # their number, or -1 if too many are marked.
        cdef Py_ssize_t i, n_fresh = 0, count = 0
        cdef Py_ssize_t most = self.n // SMALL_PART if self.still else self.capacity - EXTRA
        wp_mark_wanted(self.n, self.course.reach, self.course.lift_reach, self.course.theta_reach,
                       self._norms(), r, dr, lo, up, dlo, dup, self.wanted)
        for i in range(self.n):
            if self.wanted[i]:
                if count >= most:
                    return -1
                count += 1
                if self.place[i] < 0:
                    self.fresh[n_fresh] = i
                    n_fresh += 1
        return self._list_members(margin, n_fresh) if self.still else n_fresh

    cdef Py_ssize_t _list_members(self, Margin margin, Py_ssize_t n_fresh) noexcept nogil:
        # The velocities of members, and of the anchor, must be up to date; there is room for them.
        cdef Py_ssize_t i, k
        for k in range(margin.size + (self.anchor >= 0)):
            i = margin.member[k] if k < margin.size else self.anchor
            if not self.wanted[i]:
                self.wanted[i] = True
                if self.place[i] < 0:
                    self.fresh[n_fresh] = i
                    n_fresh += 1
        return n_fresh

    cdef Py_ssize_t _arrange(self, Py_ssize_t n_fresh) noexcept nogil:
        # Drop the rows that are not wanted any more, and put the fresh ones in their places and
        # behind them. Then `fresh` says where those are that must be packed; their number.
        cdef Py_ssize_t a = 0, i, s = 0
        while a < self.count:
            if self.wanted[self.index[a]]:
                a += 1
                continue
            self.place[self.index[a]] = -1
            if s < n_fresh:
                i = self.fresh[s]
                self.index[a], self.place[i] = i, a
                self.fresh[s] = a
                s += 1
                a += 1
                continue
            self.count -= 1
            if a < self.count:
                i = self.index[self.count]
                self.index[a], self.place[i] = i, a
                self.rows.move_row(self.count, a)
        while s < n_fresh:
            i = self.fresh[s]
            self.index[self.count], self.place[i] = i, self.count
            self.fresh[s] = self.count
            self.count += 1
            s += 1
        return n_fresh

    cdef void _put_to_rest(self) noexcept nogil:
        # Too many rows are awake, or there is no memory: look at all rows for a while.
        self.end()
        self.wait = PATIENCE
        self.course.provision = max(1.5, self.course.provision / 2.0)
        self.judge(0)

    cdef void judge(self, Py_ssize_t served) noexcept nogil:
        """With a small margin, wait before the next reference if the last one has served badly."""
        if not self.still:
            return
        self.patience = PATIENCE if served >= SERVED else min(2 * self.patience, LONGEST)
        if served < SERVED:
            self.wait = self.patience

    cdef void end(self) noexcept nogil:
        """Forget the reference."""
        cdef Py_ssize_t a
        for a in range(self.count):
            self.place[self.index[a]] = -1
        self.count = self.n_near = 0
        self.rows.size = 0
        self.on = self.is_held = self.expired = False

    cdef bint covers(self, double step) noexcept nogil:
        """Whether no sleeper can be met on a step ahead."""
        return not self.expired and self.course.covers(step)

    # Near rows and far ones ----------------------------------------------------------------

    cdef double sweep(self, Margin margin, double db, double tol, double noise, double limit,
                      Py_ssize_t barred) noexcept nogil:
        """The longest step on which no awake row passes its level by more than ``tol``.

        Steps beyond ``limit`` are not asked for. Row ``barred`` has lost a level for this event
        only.
        """
        cdef double bound
        self.rows.place(margin.slope, self.coef)
        if self.still:
            self.bias_speed = db
            return self._sweep_awake(db, tol, noise, limit)
        bound = self._sweep_near(db, tol, noise)
        self._note_turn(margin.slope, db)
        if not self.expired and not self._covers_far(min(bound, limit)):
            self._look_at_all(margin, db, min(bound, limit), barred)
            bound = self._sweep_near(db, tol, noise)
        return bound

    cdef double _sweep_near(self, double db, double tol, double noise) noexcept nogil:
        cdef double step = self.pending
        self.pending = 0.0
        self.course.read += self.n_near * (self.rows.size + 8)
        return wp_near_sweep(
            self.n_near, self.near, self.rows.kernel, self.rows.width, self.rows.padded(),
            self.coef, db, step, self.g, self.lo, self.up, self.dlo if self.levels_move else NULL,
            self.dup if self.levels_move else NULL, self.r, self.dr, tol, noise)

    cdef double _sweep_awake(self, double db, double tol, double noise,
                             double limit) noexcept nogil:
        # All awake rows, with a small margin: as all rows where none sleeps.
        cdef double step = self.pending
        self.pending = 0.0
        self.course.read += self.count * (self.rows.size + 8)
        if self.levels_move:
            return wp_sweep_moving(
                self.count, step, db, self.rows.size, self.rows.column, self.coef, self.g,
                self.lo, self.up, self.dlo, self.dup, self.r, self.dr, tol, noise, self.first)
        return wp_sweep_still(
            self.count, step, db, self.rows.size, self.rows.column, self.coef, self.g, self.lo,
            self.up, self.r, self.dr, tol, noise, limit, self.first)

    cdef void _note_turn(self, const double* slope, double db) noexcept nogil:
        # By how much the last event has changed the direction of the function.
        cdef double turn
        if self.n_changes == 1:
            if self.changed < 0:
                turn = (slope[self.rows.size - 1] - self.speed_change) * self.residual_change
            else:
                turn = self.speed_change * (self.dr[self.changed] - self.level_speed)
            turn = CAUTION * sqrt(fabs(turn)) + ROUNDED * sqrt(max(self.course.ahead, 0.0))
            self.turn += turn
            self.usual_turn += 0.2 * (turn - self.usual_turn)
            self.usual_lift += 0.2 * (
                fabs(self.course.lift_speed - self.lift_speed) - self.usual_lift)
        elif self.n_changes > 1:
            self.turn = FAR
        self.n_changes = 0
        self.bias_speed, self.lift_speed = db, self.course.lift_speed

    cdef bint _covers_far(self, double step) noexcept nogil:
        """Whether no far row can be met on a step ahead."""
        cdef double way = self.lag + step
        cdef double lift = self.lift_move + step * self.lift_speed - way * self.lift_course
        return (way <= self.theta_reach and self.deviation + step * self.turn <= self.reach
                and fabs(lift) <= self.lift_reach)

    cdef void _look_at_all(self, Margin margin, double db, double step,
                           Py_ssize_t barred) noexcept nogil:
        """Bring all awake rows up to date, and choose those that are near anew."""
        cdef Py_ssize_t k
        # The rows that are near grow with the square of the steps provided for: one spends least
        # where looks cost twice as much as the near rows between them.
        if 2 * self.served * self.n_near < self.count:
            self.provision = min(200.0, 1.3 * self.provision)
        else:
            self.provision = max(1.5, self.provision / 1.3)
        for k in range(margin.size):
            self.seen[k] = margin.value[k] - self.seen[k]
        self.rows.place(self.seen, self.move)
        wp_look_at_all(
            self.count, self.near_at, self.rows.kernel, self.rows.width, self.rows.padded(),
            self.move, self.coef, self.lag, self.bias_move, db, self.g, self.lo, self.up,
            self.dlo if self.levels_move else NULL, self.dup if self.levels_move else NULL,
            self.r, self.dr)
        self.course.read += self.count * (1.5 * self.rows.size + 12.0)
        self._set_out(margin.value, step, barred)

    cdef void _set_out(self, const double* value, double step,
                       Py_ssize_t barred) noexcept nogil:
        memcpy(self.seen, value, self.rows.size * sizeof(double))
        self.lag = self.bias_move = self.lift_move = self.deviation = self.turn = 0.0
        self.lift_course = self.lift_speed = self.course.lift_speed
        self.served = 0
        self._provide(step)
        self._choose_near(barred)

    cdef void _provide(self, double step) noexcept nogil:
        # Some steps like the usual ones, and certainly the one ahead. Each of them turns, so the
        # deviation grows with the square of their number.
        cdef double way = AMPLE * self.provision * self.course.usual_step
        cdef double turns = AMPLE * 0.5 * self.provision
        self.theta_reach = CAUTION * max(step, way)
        self.reach = turns * self.usual_turn * way
        self.lift_reach = turns * self.usual_lift * way + self.course.rounding(way)

    cdef void _choose_near(self, Py_ssize_t barred) noexcept nogil:
        cdef Py_ssize_t a
        cdef double reach, above, below
        cdef const double* norm = self._norms()
        self.n_near = 0
        for a in range(self.count):
            reach = norm[self.index[a]] * self.reach + self.lift_reach
            above = below = self.dr[a]
            if self.levels_move:
                above -= self.dup[a]
                below -= self.dlo[a]
            self.near_at[a] = -1
            if (not self.still and self.index[a] != barred
                    and self.up[a] - self.r[a] > reach + self.theta_reach * max(above, 0.0)
                    and self.r[a] - self.lo[a] > reach + self.theta_reach * max(-below, 0.0)):
                continue
            self.near[self.n_near], self.near_at[a] = a, self.n_near
            self.n_near += 1

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction, double* ratio,
                           double* speed) noexcept nogil:
        """The row that meets its level first, -1 if there is none."""
        cdef Py_ssize_t a
        if self.still:
            a = wp_choose(
                self.count, self.lo, self.up, self.dlo if self.levels_move else NULL,
                self.dup if self.levels_move else NULL, self.r, self.dr, bound, noise, self.first,
                direction, ratio, speed)
            return self.index[a] if a >= 0 else -1
        a = wp_near_choose(
            self.n_near, self.near, self.lo, self.up, self.dlo if self.levels_move else NULL,
            self.dup if self.levels_move else NULL, self.r, self.dr, bound, noise, direction,
            ratio, speed)
        return self.index[a] if a >= 0 else -1

    cdef void advance(self, double step) noexcept nogil:
        """Move everything along the direction that was swept."""
        self.course.advance(step)
        self.pending += step
        self.lag += step
        self.bias_move += step * self.bias_speed
        self.lift_move += step * self.lift_speed
        self.deviation += step * self.turn
        self.served += 1

    cdef void apply_pending_step(self) noexcept nogil:
        """Bring the near rows up to date."""
        cdef Py_ssize_t s, a
        for s in range(self.n_near):
            a = self.near[s]
            self.r[a] += self.pending * self.dr[a]
            if self.levels_move:
                self.lo[a] += self.pending * self.dlo[a]
                self.up[a] += self.pending * self.dup[a]
        self.pending = 0.0

    cdef bint calm_down(self, double tol) noexcept nogil:
        """Put near rows that are beyond a level back on it; whether none is beyond ``tol``."""
        cdef Py_ssize_t s, a
        for s in range(self.n_near):
            a = self.near[s]
            if self.r[a] > self.up[a] + tol or self.r[a] < self.lo[a] - tol:
                return False
            self.r[a] = min(max(self.r[a], self.lo[a]), self.up[a])
        return True

    # One row -------------------------------------------------------------------------------

    cdef void set_levels(self, Py_ssize_t i, double lo, double up, double dlo,
                         double dup) noexcept nogil:
        cdef Py_ssize_t a = self.place[i]
        cdef double behind
        if a < 0:
            return
        self.lo[a], self.up[a] = lo, up
        if self.levels_move:
            behind = self.pending if self.near_at[a] >= 0 else self.lag
            self.dlo[a], self.dup[a] = dlo, dup
            self.lo[a] -= behind * dlo
            self.up[a] -= behind * dup

    cdef void add_velocity(self, const double* col, double amount) noexcept nogil:
        """The row of this column moves with its knot from now on, at this speed."""
        cdef Py_ssize_t a
        cdef double change
        for a in range(self.count):
            change = amount * col[self.index[a]]
            self.g[a] -= change
            if self.near_at[a] < 0:
                # The way so far was gone with the velocity of before.
                self.r[a] += self.lag * change
        self.course.read += 8 * self.count

    cdef int join(self, const double* col, double value, double knot_speed,
                  double enter_speed) noexcept nogil:
        """A row has entered the margin with this coefficient; -1 when memory is short."""
        cdef Py_ssize_t k = self.rows.size
        if self._reserve(k + 1) < 0 or self.rows.add_member(col, self.index, self.count) < 0:
            return -1
        self.value[k] = self.seen[k] = value
        self.n_changes += 1
        self.changed, self.speed_change, self.residual_change = -1, knot_speed, enter_speed
        self.course.read += 8 * self.count
        return 0

    cdef double part(self, Py_ssize_t k, double residual, double g, double knot_speed,
                     double slope, double level_speed, Margin margin) noexcept nogil:
        """Member ``k`` leaves with this residual: it is near. Return how far it has moved.

        Its coefficient moved at speed ``slope`` and moves with its knot from now on.
        """
        cdef Py_ssize_t i = margin.member[k], a = self.place[i], last = self.rows.size - 1
        cdef Py_ssize_t j, at = self.rows.slot[k]
        cdef double value = margin.value[k], move = value - self.value[k]
        cdef double since = value - self.seen[k]
        if a < 0:
            a = self._add_row(i, margin)
        elif self.near_at[a] < 0:
            self.near[self.n_near], self.near_at[a] = a, self.n_near
            self.n_near += 1
        for j in range(0 if self.still else self.count):
            if self.near_at[j] < 0:
                self.r[j] -= since * self.rows.kernel[j * self.rows.width + at]
        self.dr[a] = 0.0
        self.r[a], self.g[a], self.lo[a], self.up[a] = residual, g, -FAR, FAR
        if self.levels_move:
            self.dlo[a] = self.dup[a] = 0.0
        self.rows.drop_member(k, self.count)
        memmove(self.value + k, self.value + k + 1, (last - k) * sizeof(double))
        memmove(self.seen + k, self.seen + k + 1, (last - k) * sizeof(double))
        self.n_changes += 1
        self.changed, self.speed_change, self.level_speed = a, knot_speed - slope, level_speed
        self.course.read += 12 * self.count
        return move

    cdef Py_ssize_t _add_row(self, Py_ssize_t i, Margin margin) noexcept nogil:
        # A row that was asleep is awake from now on, and near; there is room for it.
        cdef Py_ssize_t a = self.count
        self.count += 1
        self.index[a], self.place[i] = i, a
        self.near[self.n_near], self.near_at[a] = a, self.n_near
        self.n_near += 1
        self.rows.fill(&a, self.index, 1, margin)
        return a
