"""Sleeping rows: most rows cannot meet their level for many events, and need not be looked at.

At a *reference* the residual and the velocity of every row are known, and so is the *course*: the
straight line on which everything goes on if the direction stays as it is. An event changes the
direction only a little. With e the deviation of the function from its course, and c that of the
bias, no residual of a row at a knot is farther from its own course than

    sqrt(K_ii) |e| + |c|.

Rows whose course keeps a larger distance from their levels, up to some theta ahead, sleep: they
have no velocity until the next reference. The others are awake; their residuals, levels and kernel
values against the margin are packed together, so that a pass over them reads memory in order.

The squared norm is carried along as a number. With d the change of the coefficients since the
reference, h the way of theta, u the velocities of the rows at knots, s the slopes of the margin,
v = u + s, and v0 the v of the reference:

    |e|^2 = d'Kd - 2 h d'Kv0 + h^2 v0'Kv0,    d'Kv = u'Kd + sum of s_i (Kd)_i over the margin,

where the margin's (Kd)_i follows from its residuals, (Kv0)_i is known for all rows, and u'Kd, u'Ku
and u'Kv0 change by numbers that are at hand where a row enters or leaves. An affine function's norm
is convex: it is enough to test the bound at the end of a step before taking it.
"""

from libc.math cimport fabs, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

from weightpath.engine._margin cimport Margin
from weightpath.engine._sweep cimport (
    BLOCK,
    FAR,
    wp_axpy,
    wp_choose,
    wp_sweep_moving,
    wp_sweep_still,
)

# With fewer members, or rows, a pass over all rows is as cheap as the book-keeping.
cdef Py_ssize_t MEMBERS = 32
cdef Py_ssize_t ROWS = 256

# At most this part of the rows may be awake; otherwise all are looked at for so many events.
cdef Py_ssize_t PART = 3
cdef Py_ssize_t PATIENCE = 2

# Many short paths from one state look at all rows for so many events at first.
cdef Py_ssize_t AT_FIRST = 10

# What is provided for, as a multiple of what is expected.
cdef double AMPLE = 1.5

# Passes over all rows that a reference costs: to bring residuals up to date, for their velocities,
# and to pack the columns.
cdef Py_ssize_t PASSES = 3

# Packed columns have room for so many rows that leave the margin before the next reference.
cdef Py_ssize_t EXTRA = 128

# Safety for what rounding does to the numbers that are carried along, and to their differences.
cdef double CAUTION = 1.0 + 1e-6
cdef double CANCELLED = 1e-10


cdef double _turned(double turning, double found, double way, Py_ssize_t served) noexcept nogil:
    # How far one deviates, as a part of the way, after one event: it grows with the root of their
    # number. The last guess in the light of what was found.
    cdef double now = found / (way * sqrt(<double> served)) if way > 0.0 else turning
    return sqrt(turning * min(max(now, 0.1 * turning), 10.0 * turning))


cdef class AwakeRows:
    """The rows that may meet a level before the next reference (final).

    Parameters
    ----------
    root : ndarray of shape (n,)
        Roots of the diagonal of the kernel matrix, with the ridge.
    """

    def __cinit__(self, double[::1] root):
        self.root = root
        self.index = self.place = NULL
        self.r = self.value = self.reference = self.course = NULL
        self.column = NULL
        self.spare = NULL
        self.n = self.count = self.capacity = self.size = self.n_spare = self.room = 0
        self.on = False
        self.begin_anew()
        self.wait = 0

    def __dealloc__(self):
        self._free_columns()
        free(self.index)
        free(self.place)
        free(self.r)
        free(self.value)
        free(self.reference)
        free(self.course)
        free(<void*> self.column)
        free(self.spare)

    cdef void _free_columns(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.size):
            free(<void*> self.column[k])
        for k in range(self.n_spare):
            free(self.spare[k])
        self.size = self.n_spare = 0

    cdef int open(self, Py_ssize_t n, bint levels_move) noexcept nogil:
        """Get memory for a problem of ``n`` rows; -1 if there is none."""
        cdef Py_ssize_t i, cap = (n // PART + EXTRA + 7) // 8 * 8
        self.levels_move = levels_move
        if self.n == n:
            return 0
        self.index = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        self.place = <Py_ssize_t*> malloc(n * sizeof(Py_ssize_t))
        self.reference = <double*> malloc(n * sizeof(double))
        self.course = <double*> malloc(n * sizeof(double))
        self.r = <double*> malloc((7 * cap + cap // BLOCK + 1) * sizeof(double))
        if (self.index == NULL or self.place == NULL or self.reference == NULL
                or self.course == NULL or self.r == NULL):
            return -1
        self.dr, self.g, self.lo = self.r + cap, self.r + 2 * cap, self.r + 3 * cap
        self.up, self.dlo, self.dup = self.r + 4 * cap, self.r + 5 * cap, self.r + 6 * cap
        self.first = self.r + 7 * cap
        for i in range(n):
            self.place[i] = -1
        self.n, self.capacity = n, cap
        return 0

    cdef int _reserve(self, Py_ssize_t m) noexcept nogil:
        """Room for ``m`` packed columns; -1 when memory is short."""
        cdef Py_ssize_t room = max(64, m + m // 2)
        cdef double* value
        cdef const double** column
        cdef double** spare
        if m <= self.room:
            return 0
        value = <double*> malloc(room * sizeof(double))
        column = <const double**> malloc(room * sizeof(double*))
        spare = <double**> malloc(room * sizeof(double*))
        if value == NULL or column == NULL or spare == NULL:
            free(value)
            free(<void*> column)
            free(spare)
            return -1
        if self.size:
            memcpy(value, self.value, self.size * sizeof(double))
            memcpy(<void*> column, <void*> self.column, self.size * sizeof(double*))
        if self.n_spare:
            memcpy(spare, self.spare, self.n_spare * sizeof(double*))
        free(self.value)
        free(<void*> self.column)
        free(self.spare)
        self.value, self.column, self.spare, self.room = value, column, spare, room
        return 0

    cdef double* _new_column(self) noexcept nogil:
        if self.n_spare:
            self.n_spare -= 1
            return self.spare[self.n_spare]
        return <double*> malloc(self.capacity * sizeof(double))

    cdef bint needs_aim(self, Py_ssize_t m) noexcept nogil:
        """Whether rows sleep, or may from the next step on."""
        return self.on or (self.wait == 0 and m >= MEMBERS and self.root.shape[0] >= ROWS)

    cdef bint is_wanted(self, Py_ssize_t m) noexcept nogil:
        """Whether rows should sleep from now on."""
        if m < MEMBERS or self.root.shape[0] < ROWS:
            return False
        if self.wait > 0:
            self.wait -= 1
            return False
        return True

    # A reference ---------------------------------------------------------------------------

    cdef int begin(self, double step, const double* r, const double* dr, const double* g,
                   const double* lo, const double* up, const double* dlo, const double* dup,
                   const double* dt, Margin margin) noexcept nogil:
        """Take a reference that is good for a step of at least this length; -1 if it fails.

        ``dr`` are the velocities of all rows in the direction that was aimed at last.
        """
        cdef Py_ssize_t i, a, k, m = margin.size
        cdef const double** col = margin.column
        cdef double* packed
        self._learn()
        self.end()
        self._provide(step)
        if not self._wake(r, dr, lo, up, dlo, dup) or self._reserve(m) < 0:
            self._put_to_rest()
            return -1
        memcpy(self.reference, r, self.n * sizeof(double))
        self._set_course(dr, dt, margin)
        for a in range(self.count):
            i = self.index[a]
            self.r[a], self.dr[a], self.g[a] = r[i], dr[i], g[i]
            self.lo[a], self.up[a] = lo[i], up[i]
            if self.levels_move:
                self.dlo[a], self.dup[a] = dlo[i], dup[i]
        for k in range(m):
            packed = self._new_column()
            if packed == NULL:
                self._put_to_rest()
                return -1
            for a in range(self.count):
                packed[a] = col[k][self.index[a]]
            self.column[k] = packed
            self.size = k + 1
            self.value[k] = margin.value[k]
        self.pending = self.lag = self.bias_move = self.energy = self.along = 0.0
        self.towards = self.shared = 0.0
        self.across = self.ahead
        self.served = 0
        self.on = True
        return 0

    cdef void _learn(self) noexcept nogil:
        # How far the last reference has served says how far the next one should reach.
        cdef double deviation, lift
        if self.served == 0:
            return
        if self.served * self.count < PASSES * self.n:
            self.provision = min(500.0, 1.4 * self.provision)
        else:
            self.provision = max(1.5, self.provision / 1.4)
        deviation = sqrt(max(self._deviation(0.0), 0.0))
        lift = fabs(self.bias_move - self.lag * self.bias_course)
        self.turning = _turned(
            self.turning, deviation, self.lag * sqrt(max(self.speed, 0.0)), self.served)
        self.bias_turning = _turned(
            self.bias_turning, lift, self.lag * max(fabs(self.bias_course), self.usual_bias),
            self.served)
        self.served = 0

    cdef void _set_course(self, const double* dr, const double* dt, Margin margin) noexcept nogil:
        # K v0 at all rows; and what the rows at knots have of v0'Kv0.
        cdef Py_ssize_t i, k
        self.bias_course, self.speed = self.bias_speed, self.ahead
        for i in range(self.n):
            self.course[i] = dt[i] - dr[i] - self.bias_speed
        self.standing = self.ahead
        for k in range(margin.size):
            i = margin.member[k]
            # A sweep leaves the ridge of members out.
            self.course[i] += margin.ridge * margin.slope[k]
            self.standing -= margin.slope[k] * self.course[i]

    cdef void _provide(self, double step) noexcept nogil:
        # How far one may go: some steps like the usual ones, and certainly the one ahead.
        cdef double speed = sqrt(max(self.ahead, 0.0)), part = AMPLE * sqrt(self.provision)
        cdef double lift = max(fabs(self.bias_speed), self.usual_bias)
        self.theta_reach = CAUTION * max(step, AMPLE * self.provision * self.usual_step)
        self.reach = part * self.turning * self.theta_reach * speed
        self.bias_reach = part * self.bias_turning * self.theta_reach * lift

    cdef bint _wake(self, const double* r, const double* dr, const double* lo, const double* up,
                    const double* dlo, const double* dup) noexcept nogil:
        # List the rows whose course comes close to a level; False if they are too many.
        cdef Py_ssize_t i, count = 0, most = self.capacity - EXTRA
        cdef double reach, above, below
        for i in range(self.n):
            reach = self.root[i] * self.reach + self.bias_reach
            above = below = dr[i]
            if self.levels_move:
                above -= dup[i]
                below -= dlo[i]
            if (up[i] - r[i] > reach + self.theta_reach * max(above, 0.0)
                    and r[i] - lo[i] > reach + self.theta_reach * max(-below, 0.0)):
                continue
            if count >= most:
                self.count = count
                return False
            self.index[count] = i
            self.place[i] = count
            count += 1
        self.count = count
        return True

    cdef void _put_to_rest(self) noexcept nogil:
        # Too many rows are awake, or there is no memory: look at all rows for a while.
        self.end()
        self.wait = PATIENCE
        self.provision = max(1.5, self.provision / 2.0)

    cdef void begin_anew(self) noexcept nogil:
        """Forget what former steps have taught, so that a path does not depend on those before.

        It may be short, and then references do not pay: at first all rows are looked at.
        """
        self.knows_energy = False
        self.provision = 6.0
        self.usual_bias = self.usual_step = 0.0
        self.turning = self.bias_turning = 0.2
        self.served = 0
        self.wait = AT_FIRST

    cdef void end(self) noexcept nogil:
        """Forget the reference."""
        cdef Py_ssize_t a, k
        for a in range(self.count):
            self.place[self.index[a]] = -1
        for k in range(self.size):
            self.spare[self.n_spare] = <double*> self.column[k]
            self.n_spare += 1
        self.size = 0
        self.on = False

    cdef void aim(self, double ahead, double towards, double reach, double across,
                  double bias_speed) noexcept nogil:
        """Set out in a direction.

        ``ahead`` is v'Kv, ``towards`` the margin's share of d'Kv, ``reach`` that of u'Kv, and
        ``across`` that of v'Kv0.
        """
        self.ahead, self.knots_ahead = ahead, self.knot_energy + reach
        self.towards = self.along + towards if self.on else 0.0
        self.across = self.standing + across if self.on else 0.0
        self.bias_speed = bias_speed

    cdef double _deviation(self, double step) noexcept nogil:
        # An upper bound of |e|^2 after a step ahead.
        cdef double way = self.lag + step
        cdef double energy = self.energy + step * (2.0 * self.towards + step * self.ahead)
        cdef double shared = 2.0 * way * (self.shared + step * self.across)
        cdef double course = way * way * self.speed
        return (energy - shared + course
                + CANCELLED * (fabs(energy) + fabs(shared) + fabs(course)))

    cdef bint covers(self, double step) noexcept nogil:
        """Whether no sleeper can be met on a step ahead."""
        cdef double way = self.lag + step
        cdef double lift = self.bias_move + step * self.bias_speed - way * self.bias_course
        return (way <= self.theta_reach
                and self._deviation(step) * CAUTION <= self.reach * self.reach
                and fabs(lift) <= self.bias_reach)

    # The awake rows ------------------------------------------------------------------------

    cdef double sweep(self, const double* coef, double db, double tol,
                      double noise) noexcept nogil:
        """One pass over the awake rows: see :class:`RowResiduals`."""
        cdef double bound
        if self.levels_move:
            bound = wp_sweep_moving(self.count, self.pending, db, self.size, self.column, coef,
                                    self.g, self.lo, self.up, self.dlo, self.dup, self.r, self.dr,
                                    tol, noise, self.first)
        else:
            bound = wp_sweep_still(self.count, self.pending, db, self.size, self.column, coef,
                                   self.g, self.lo, self.up, self.r, self.dr, tol, noise,
                                   self.first)
        self.pending = 0.0
        return bound

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction, double* ratio,
                           double* speed) noexcept nogil:
        """The row that meets its level first, -1 if there is none."""
        cdef Py_ssize_t a = wp_choose(
            self.count, self.lo, self.up, self.dlo if self.levels_move else NULL,
            self.dup if self.levels_move else NULL, self.r, self.dr, bound, noise, self.first,
            direction, ratio, speed)
        return self.index[a] if a >= 0 else -1

    cdef void advance(self, double step) noexcept nogil:
        """Move everything along the direction that was swept."""
        self.pending += step
        self.lag += step
        self.bias_move += step * self.bias_speed
        self.energy += step * (2.0 * self.towards + step * self.ahead)
        self.along += step * self.knots_ahead
        self.shared += step * self.across
        self.served += 1
        self.usual_bias += 0.1 * (fabs(self.bias_speed) - self.usual_bias)
        self.usual_step += 0.1 * (step - self.usual_step)

    cdef void apply_pending_step(self) noexcept nogil:
        if self.pending != 0.0:
            wp_axpy(self.count, self.pending, self.dr, self.r)
            if self.levels_move:
                wp_axpy(self.count, self.pending, self.dlo, self.lo)
                wp_axpy(self.count, self.pending, self.dup, self.up)
            self.pending = 0.0

    cdef void set_levels(self, Py_ssize_t i, double lo, double up, double dlo,
                         double dup) noexcept nogil:
        cdef Py_ssize_t a = self.place[i]
        if a < 0:
            return
        self.lo[a], self.up[a] = lo, up
        if self.levels_move:
            self.dlo[a], self.dup[a] = dlo, dup
            self.lo[a] -= self.pending * dlo
            self.up[a] -= self.pending * dup

    cdef void add_velocity(self, const double* col, double amount) noexcept nogil:
        cdef Py_ssize_t a
        for a in range(self.count):
            self.g[a] -= amount * col[self.index[a]]

    # Members of the margin -----------------------------------------------------------------

    cdef int join(self, const double* col, double value) noexcept nogil:
        """A row has entered the margin with this coefficient; -1 when memory is short."""
        cdef Py_ssize_t a
        cdef double* packed
        if self._reserve(self.size + 1) < 0:
            return -1
        packed = self._new_column()
        if packed == NULL:
            return -1
        for a in range(self.count):
            packed[a] = col[self.index[a]]
        self.column[self.size] = packed
        self.value[self.size] = value
        self.size += 1
        return 0

    cdef double part(self, Py_ssize_t k, Py_ssize_t i, double value, double residual, double g,
                     Py_ssize_t m, const double** col) noexcept nogil:
        """Member ``k``, row ``i``, leaves: it stays awake. Return how far its coefficient moved.

        The others' columns are taken from ``col``, in which it is still there.
        """
        cdef Py_ssize_t j, a = self.place[i]
        cdef double move = value - self.value[k]
        if a < 0:
            a = self.count
            self.count += 1
            self.index[a] = i
            self.place[i] = a
            for j in range(m):
                (<double*> self.column[j])[a] = col[j][i]
        self.dr[a] = 0.0
        self.r[a], self.g[a], self.lo[a], self.up[a] = residual, g, -FAR, FAR
        if self.levels_move:
            self.dlo[a] = self.dup[a] = 0.0
        self.spare[self.n_spare] = <double*> self.column[k]
        self.n_spare += 1
        memmove(<void*> (self.column + k), <void*> (self.column + k + 1),
                (self.size - k - 1) * sizeof(double*))
        memmove(self.value + k, self.value + k + 1, (self.size - k - 1) * sizeof(double))
        self.size -= 1
        return move
