"""The residuals of rows of a kernel matrix, and the next level that one of them meets.

A row at a knot may have any residual ``r`` between the two levels ``lo`` and ``up`` of that knot.
:class:`RowResiduals` follows all residuals by one pass over the rows per event. In NumPy::

    r += step * dr                                  # the step of the event before
    dr = g - sum(coef[k] * col[k]) - db             # g = dt - K (velocities of the knots)
    slack = where(dr > 0, up - r, r - lo).clip(0); speed = abs(dr)
    bound = min((slack + tol) / speed)              # Harris' first pass
    choose argmax(speed) among slack / speed <= bound     # and his second

With a large margin most rows sleep, and only the others are looked at
(:mod:`weightpath.engine._awake`).

Rows that are free (on the margin) keep their residual at a level that the loop knows; here they
have no levels to meet. The residual array lags behind by the pending step until
``apply_pending_step``.
"""

import numpy as np

from libc.string cimport memcpy, memset

from weightpath.engine._awake cimport AwakeRows
from weightpath.engine._foresight cimport Foresight
from weightpath.engine._ledger cimport Ledger
from weightpath.engine._margin cimport Margin
from weightpath.engine._residuals cimport Residuals
from weightpath.engine._sweep cimport (
    BLOCK,
    FAR,
    wp_axpy,
    wp_catch_up,
    wp_choose,
    wp_meet,
    wp_sweep_moving,
    wp_sweep_still,
)

# A path may be short: unless so many steps like the first would fit into it, so many events look at
# all rows at first, if the margin is not small.
cdef double MANY = 50.0
cdef Py_ssize_t SHORT = 2
cdef Py_ssize_t MEMBERS = 32

# What it costs to bring a row up to date without columns, in numbers read.
cdef double LIGHTLY = 50.0

# More of them where a look at all rows takes no more than so many kernel values.
cdef Py_ssize_t QUICK = 1 << 18
cdef Py_ssize_t QUICKLY = 8

# Where at most one row out of so many, and so few, are not on the margin, only they are looked at.
cdef Py_ssize_t FEW_PART = 64
cdef enum:
    FEW = 64


# The speeds of levels that do not move.
cdef double[::1] _NOTHING = np.empty(0)


cdef class RowResiduals(Residuals):
    """Residuals of rows, followed by one pass over all rows per event (final).

    Parameters
    ----------
    residual : ndarray of shape (n,)
        Residuals at the start; copied.
    velocity : ndarray of shape (n,)
        ``g = dt - K dk``, the residuals' speed without the margin's contribution; copied.
    target_slope : ndarray of shape (n,)
        ``dt``; shared with the loop, changed in place by shifts.
    levels_move : bool
        Whether any level moves.
    margin : Margin or None, default=None
        The margin whose columns move the residuals; without it no row ever sleeps.
    root : ndarray of shape (n,) or None, default=None
        Roots of the diagonal of the kernel matrix, which sleepers need.
    """

    def __init__(self, residual, velocity, double[::1] target_slope, bint levels_move,
                 Margin margin=None, root=None):
        n = len(residual)
        self.n = n
        self.block = np.empty((5, n))
        cdef double[:, ::1] block = self.block
        self.r, self.g, self.dr, self.lo, self.up = block[0], block[1], block[2], block[3], block[4]
        self.dlo = self.dup = self.coef = self.product = _NOTHING
        self.first = np.empty(n // BLOCK + 1)
        self.margin = margin
        self.awake = None if margin is None else AwakeRows(root)
        self.ledger = None if margin is None else Ledger(margin.columns)
        self.restart(residual, velocity, target_slope, levels_move)

    def restart(self, residual, velocity, double[::1] target_slope, bint levels_move):
        """Begin another line; the parameters are those of the class."""
        cdef Py_ssize_t i, size = self.n * sizeof(double)
        cdef const double[::1] first = np.ascontiguousarray(residual, dtype=np.float64)
        cdef const double[::1] speed = np.ascontiguousarray(velocity, dtype=np.float64)
        cdef double* lower
        cdef double* upper
        if self.n:
            memcpy(&self.r[0], &first[0], size)
            memcpy(&self.g[0], &speed[0], size)
            memset(&self.dr[0], 0, size)
            lower, upper = &self.lo[0], &self.up[0]
            for i in range(self.n):
                lower[i], upper[i] = -FAR, FAR
        self.dt = target_slope
        self.levels_move = levels_move
        self.touched = 0.0
        if levels_move:
            self.dlo, self.dup = np.zeros((2, self.n))
        else:
            self.dlo = self.dup = _NOTHING
        self._calm_down()
        self.by_product = False
        if self.foresight is not None:
            self.foresight.on = False
        if self.awake is not None and self.margin.size >= MEMBERS:
            self.awake.wait = 0
            self.by_product = not levels_move and self.margin.columns.multiplies_quickly(
                self.margin.size)
            if self.by_product:
                # No row ever sleeps: nobody needs to know how the function moves.
                self.awake.wait = 1
                if self.coef.shape[0] == 0:
                    self.coef, self.product = np.zeros((2, self.n))
                    self.foresight = Foresight(self.margin, self.n)
                self.foresight.on = True

    @property
    def values(self):
        """The residuals now (a copy)."""
        self.apply_pending_step()
        return self.block[0].copy()

    cdef void reset(self, const double* residual, const double* lower,
                    const double* upper) noexcept nogil:
        """Begin with these residuals and levels, all at rest."""
        cdef Py_ssize_t size = self.n * sizeof(double)
        memcpy(&self.r[0], residual, size)
        memcpy(&self.lo[0], lower, size)
        memcpy(&self.up[0], upper, size)
        memset(&self.g[0], 0, size)
        memset(&self.dr[0], 0, size)
        if self.levels_move:
            memset(&self.dlo[0], 0, size)
            memset(&self.dup[0], 0, size)
        self._calm_down()

    cdef void let_go(self) noexcept nogil:
        # Unpin columns; residuals are not asked for before they are computed anew.
        if self.awake is not None:
            self.awake.end()
            self._stop_watching()

    cdef void _calm_down(self) noexcept nogil:
        # No step is pending, no row barred or asleep.
        self.pending = 0.0
        self.barred = -1
        self.is_turned = False
        if self.foresight is not None:
            self.foresight.clear()
        self.let_go()
        if self.awake is not None:
            self.awake.begin_anew()

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        cdef double bound
        cdef bint is_packed = False
        if self.awake is None:
            return self._sweep_all(col, coef, m, db, tol, noise, limit)
        if self.by_product:
            return self._sweep_by_product(coef, m, db, tol, noise, limit)
        if self.awake.on:
            bound = self.awake.sweep(self.margin, db, tol, noise, limit, self.barred)
            self.touched += self.awake.n_near
            if self.awake.covers(min(bound, limit)) and not self._is_noted():
                return bound
            if self.awake.still:
                bound = self._sweep_plainly(db, tol, noise, limit, min(bound, limit))
            else:
                bound = self._sweep_again(db, tol, noise, min(bound, limit))
                is_packed = True
        else:
            bound = self._sweep_all(col, coef, m, db, tol, noise, limit)
            if self.awake.events == 0 and MANY * min(bound, limit) >= 1.0:
                self.awake.wait = max(
                    QUICKLY if self.n * m <= QUICK else SHORT, self.awake.wait)
        if self.awake.is_wanted(m):
            self._fall_asleep(min(bound, limit), is_packed)
            if self.awake.on:
                bound = self.awake.sweep(self.margin, db, tol, noise, limit, self.barred)
        elif is_packed:
            self.awake.end()
        if not self.awake.on:
            self._stop_watching()
        return bound

    cdef double _sweep_all(self, const double** col, const double* coef, Py_ssize_t m, double db,
                           double tol, double noise, double limit) noexcept nogil:
        cdef double bound
        if self.margin is not None and self._is_almost_empty(m):
            return self._sweep_few(col, coef, m, db, tol, noise)
        if self.levels_move:
            bound = wp_sweep_moving(self.n, self.pending, db, m, col, coef, &self.g[0],
                                    &self.lo[0], &self.up[0], &self.dlo[0], &self.dup[0],
                                    &self.r[0], &self.dr[0], tol, noise, &self.first[0])
        else:
            bound = wp_sweep_still(self.n, self.pending, db, m, col, coef, &self.g[0],
                                   &self.lo[0], &self.up[0], &self.r[0], &self.dr[0], tol, noise,
                                   limit, &self.first[0])
        self.pending = 0.0
        self.touched += self.n
        return bound

    cdef bint _is_almost_empty(self, Py_ssize_t m) noexcept nogil:
        # Whether hardly any row is off the margin, and members keep their residuals.
        return (not self.levels_move and self.margin.ridge == 0.0
                and self.n - m <= min(<Py_ssize_t> FEW, self.n // FEW_PART))

    cdef double _sweep_few(self, const double** col, const double* coef, Py_ssize_t m, double db,
                           double tol, double noise) noexcept nogil:
        """The same where almost all rows are members, which have no levels to meet."""
        cdef Py_ssize_t i, k, s, count = 0
        cdef Py_ssize_t row[FEW]
        cdef double speed[FEW]
        if self.pending != 0.0:
            wp_axpy(self.n, self.pending, &self.dr[0], &self.r[0])
            self.pending = 0.0
        for i in range(self.n):
            self.dr[i] = 1.0
        for k in range(m):
            self.dr[self.margin.member[k]] = 0.0
        for i in range(self.n):
            if self.dr[i] != 0.0:
                row[count], speed[count] = i, self.g[i] - db
                count += 1
        for k in range(m):
            for s in range(count):
                speed[s] -= coef[k] * col[k][row[s]]
        for s in range(count):
            self.dr[row[s]] = speed[s]
        self.touched += count
        return wp_meet(self.n, &self.lo[0], &self.up[0], NULL, NULL, &self.r[0], &self.dr[0], tol,
                       noise, &self.first[0])

    cdef double _sweep_by_product(self, const double* coef, Py_ssize_t m, double db, double tol,
                                  double noise, double limit) noexcept nogil:
        # No row sleeps: all velocities cost less than those of some rows from the columns. Members
        # keep to their levels, which rest.
        cdef Py_ssize_t k, i
        cdef const double* column = &self.product[0]
        cdef double unit = 1.0
        if self.is_turned and self.turned_at == self.margin.updates:
            return self._sweep_turned(m, db, tol, noise, limit)
        self.is_turned = False
        for k in range(m):
            i = self.margin.member[k]
            self.coef[i], self.product[i] = coef[k], self.g[i] - db
        self.margin.columns.multiply_rest(&self.coef[0], &self.product[0])
        for k in range(m):
            self.coef[self.margin.member[k]] = 0.0
        return self._sweep_all(&column, &unit, 1, db, tol, noise, limit)

    cdef bint multiplies_margin(self) noexcept nogil:
        return self.by_product

    cdef void multiply_margin(self, const double* coef, double* out) noexcept nogil:
        # The velocities that the last changes have led to are not needed any more.
        cdef Py_ssize_t k, m = self.margin.size
        self.is_turned = False
        for k in range(m):
            self.coef[self.margin.member[k]] = coef[k]
        self.margin.columns.multiply(&self.coef[0], &self.product[0])
        for k in range(m):
            out[k] = self.product[self.margin.member[k]]
            self.coef[self.margin.member[k]] = 0.0

    cdef void turn(self, const double* change, double amount, Py_ssize_t gone) noexcept nogil:
        """The margin has changed, and velocities have by ``amount`` times this column.

        A row that has ``gone`` from the margin, or -1, moves at that speed itself.
        """
        if not self.is_turned:
            memcpy(&self.product[0], &self.dr[0], self.n * sizeof(double))
        wp_axpy(self.n, amount, change, &self.product[0])
        if gone >= 0:
            self.product[gone] = amount
        self.is_turned = True
        self.turned_at = self.margin.updates

    cdef double _sweep_turned(self, Py_ssize_t m, double db, double tol, double noise,
                              double limit) noexcept nogil:
        # The velocities are known: no product is needed.
        cdef Py_ssize_t j, k
        cdef const double* column = &self.product[0]
        cdef double unit = 1.0
        for j in range(self.n):
            self.product[j] = self.g[j] - db - self.product[j]
        for k in range(m):
            j = self.margin.member[k]
            self.product[j] = self.g[j] - db
        self.is_turned = False
        return self._sweep_all(&column, &unit, 1, db, tol, noise, limit)

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        if self.awake is not None and self.awake.on:
            return self.awake.choose(bound, noise, direction, ratio, speed)
        return wp_choose(self.n, &self.lo[0], &self.up[0],
                         &self.dlo[0] if self.levels_move else NULL,
                         &self.dup[0] if self.levels_move else NULL, &self.r[0], &self.dr[0],
                         bound, noise, &self.first[0], direction, ratio, speed)

    cdef bint _is_noted(self) noexcept nogil:
        # Whether the ledger has no room for another event.
        return self.awake.still and self.ledger.is_full()

    cdef double _sweep_plainly(self, double db, double tol, double noise, double limit,
                               double step) noexcept nogil:
        """Wake all rows and sweep them; the reference of a small margin does not serve."""
        cdef Py_ssize_t barred = self.barred, served = self.awake.course.served
        self.awake.course.learn(step, self.n * (self.margin.size + 20.0 + (
            LIGHTLY if self.ledger.is_light else self.ledger.size)))
        if self.ledger.is_light and self.margin.size < MEMBERS:
            return self._sweep_lightly(db, tol, noise, limit, served)
        self._wake_all()
        self.awake.judge(served)
        if barred >= 0:
            self._bar(barred, self.barred_side)
        return self._sweep_all(
            self.margin.column, self.margin.slope, self.margin.size, db, tol, noise, limit)

    cdef double _sweep_lightly(self, double db, double tol, double noise, double limit,
                               Py_ssize_t served) noexcept nogil:
        # The same without columns.
        cdef Py_ssize_t barred = self.barred
        cdef double lag = self.awake.course.lag, minus = -1.0
        # The residuals of the reference are not needed any more.
        cdef double* product = self.awake.course.reference
        cdef const double* column = product
        memset(product, 0, self.n * sizeof(double))
        self._unbar()
        self.awake.apply_pending_step()
        wp_catch_up(self.n, lag, self.awake.course.bias_move, 0, NULL, NULL, NULL, 0.0,
                    &self.g[0], &self.r[0], &self.dr[0])
        self.ledger.settle_lightly(self.margin, self.awake.value, lag, &self.g[0], &self.r[0],
                                   product)
        if self.levels_move:
            wp_axpy(self.n, lag, &self.dlo[0], &self.lo[0])
            wp_axpy(self.n, lag, &self.dup[0], &self.up[0])
        self._take_over_near(True)
        self.awake.end()
        self.awake.judge(served)
        if barred >= 0:
            self._bar(barred, self.barred_side)
        return self._sweep_all(&column, &minus, 1, db, tol, noise, limit)

    # Sleeping rows. While some sleep, `r` and the levels are behind by what happened since the
    # reference: the way of theta, the moves of the margin's coefficients and that of the bias.

    cdef double _sweep_again(self, double db, double tol, double noise,
                             double step) noexcept nogil:
        """Wake all rows and sweep them, in one pass over the margin's columns.

        The reference does not serve for this step. The awake rows stay packed, and the row barred
        that is.
        """
        cdef Py_ssize_t barred = self.barred, m = self.margin.size
        if not self.awake.expired:
            self.awake.course.learn(step, self.n * (1.3 * m + 40.0))
        self.touched += self.n
        self._unbar()
        self.awake.apply_pending_step()
        self._catch_up(self.margin.slope, db)
        self._take_over_near(False)
        self.awake.on = False
        if barred >= 0:
            self._bar(barred, self.barred_side)
        return wp_meet(self.n, &self.lo[0], &self.up[0],
                       &self.dlo[0] if self.levels_move else NULL,
                       &self.dup[0] if self.levels_move else NULL, &self.r[0], &self.dr[0], tol,
                       noise, &self.first[0])

    cdef void _fall_asleep(self, double step, bint is_packed) noexcept nogil:
        """Take a reference that is good for a step of at least this length."""
        cdef Py_ssize_t k, barred = self.barred
        self._unbar()
        for k in range(self.margin.size):
            # What a member with a ridge adds to its own residual is not in its column.
            self.r[self.margin.member[k]] = self.margin.level[k]
        if ((self.margin.size >= MEMBERS or self.ledger.open() == 0)
                and self.awake.open(self.n, self.levels_move) == 0):
            self.awake.begin(
                step, &self.r[0], &self.dr[0], &self.g[0], &self.lo[0], &self.up[0],
                &self.dlo[0] if self.levels_move else NULL,
                &self.dup[0] if self.levels_move else NULL, &self.dt[0], self.margin, is_packed)
        if self.awake.on:
            self.ledger.is_light = self.awake.is_light
        if barred >= 0:
            self._bar(barred, self.barred_side)

    cdef void _wake_all(self) noexcept nogil:
        """Bring the residuals of all rows up to date."""
        self._unbar()
        self.awake.course.note_moves(0.0)
        self.awake.apply_pending_step()
        self._catch_up(NULL, 0.0)
        self._take_over_near(True)
        self.awake.end()
        self._stop_watching()

    cdef void _stop_watching(self) noexcept nogil:
        # No row sleeps with a small margin any more: columns have values at all rows.
        self.ledger.clear()
        if self.ledger.is_light:
            self.ledger.is_light = False
            self.margin.columns.unwatch()

    cdef void _take_over_near(self, bint with_speed) noexcept nogil:
        # What near rows carry takes the place of what was worked out for all.
        cdef Py_ssize_t s, a, i
        for s in range(self.awake.n_near):
            a = self.awake.near[s]
            i = self.awake.index[a]
            self.r[i] = self.awake.r[a]
            if with_speed:
                self.dr[i] = self.awake.dr[a]

    cdef void _catch_up(self, const double* coef, double db) noexcept nogil:
        # Residuals and levels of all rows; their velocities too for slopes `coef` of the margin.
        cdef Py_ssize_t k, m = self.awake.rows.size
        cdef double lag = self.awake.course.lag
        for k in range(m):
            self.margin.right[k] = self.margin.value[k] - self.awake.value[k]
        if self.ledger.is_light:
            self.margin.columns.unwatch()
        if self.ledger.size:
            self.ledger.settle(self.n, lag, &self.g[0], &self.r[0])
            lag = 0.0
        wp_catch_up(self.n, lag, self.awake.course.bias_move, m, self.margin.column,
                    self.margin.right, coef, db, &self.g[0], &self.r[0], &self.dr[0])
        lag = self.awake.course.lag
        if self.levels_move:
            wp_axpy(self.n, lag, &self.dlo[0], &self.lo[0])
            wp_axpy(self.n, lag, &self.dup[0], &self.up[0])
        self.pending = 0.0

    cdef double displacement(self, Py_ssize_t i, double residual) noexcept nogil:
        # How far the function has moved at row i since the reference, if that is its residual now.
        return (self.awake.course.lag * self.dt[i]
                - (residual - self.awake.course.reference[i]) - self.awake.course.bias_move)

    cdef void note_speed(self, Py_ssize_t i, double speed, double diagonal) noexcept nogil:
        # Row i begins to move with its knot (or ends to, with its speed negated).
        if self.awake is None or not self.awake.course.knows_energy:
            return
        self.awake.course.knot_energy += speed * (
            2.0 * (self.dt[i] - self.velocity(i)) + speed * diagonal)
        if self.awake.on:
            self.awake.course.along += speed * self.displacement(i, self.residual(i))
            self.awake.course.standing += speed * self.awake.course.flow[i]

    cdef void join(self, double knot_speed, double enter_speed) noexcept nogil:
        # The last member of the margin has just entered it: its residual moved beyond its level at
        # ``enter_speed``, and its coefficient with its knot.
        cdef Py_ssize_t k = self.margin.size - 1
        if self.awake is None or not self.awake.on:
            return
        if self.awake.still and self.awake.place[self.margin.member[k]] < 0:
            # Columns may have values at awake rows only.
            self._wake_all()
            return
        if self.awake.join(self.margin.column[k], self.margin.value[k], knot_speed,
                           enter_speed) < 0:
            # Its coefficient has not moved yet: nothing is lost without it.
            self._wake_all()

    cdef void part(self, Py_ssize_t k, double level, double knot_speed, double slope,
                   double level_speed) noexcept nogil:
        # Member k is about to leave the margin, where its residual was at this level and its
        # coefficient had this slope, and to move with its knot.
        cdef double move
        if self.awake is None:
            return
        self.awake.let_go(self.margin.member[k])
        if not self.awake.on:
            return
        if self.awake.count >= self.awake.capacity or (
                self.awake.still and self.awake.place[self.margin.member[k]] < 0):
            self._wake_all()
            return
        self._unbar()
        move = self.awake.part(
            k, level, self.velocity(self.margin.member[k]), knot_speed, slope, level_speed,
            self.margin)
        if self.awake.still:
            self.ledger.note(self.margin.member[k], move, 0.0)
        else:
            wp_axpy(self.n, -move, self.margin.column[k], &self.r[0])
            # It is near, but may be far when all rows wake up.
            self.r[self.margin.member[k]] -= self.margin.ridge * move

    cdef Py_ssize_t nearest(self, int direction, const unsigned char* skip,
                            double* slack) noexcept nogil:
        # The row whose level on one side is nearest, -1 if there is none; some may be left out.
        cdef Py_ssize_t j, best = -1
        cdef double s
        slack[0] = FAR / 2
        for j in range(self.n):
            if skip != NULL and skip[j]:
                continue
            s = self.up[j] - self.r[j] if direction > 0 else self.r[j] - self.lo[j]
            if s < slack[0]:
                slack[0] = s
                best = j
        if slack[0] < 0.0:
            slack[0] = 0.0
        return best

    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil:
        # Until the next call row i does not meet its level on one side if it is at it already.
        self._unbar()
        if i < 0:
            return
        if direction * (self._level_now(i, direction) - self.residual(i)) <= tol:
            self._bar(i, direction)

    cdef double _level_now(self, Py_ssize_t i, int direction) noexcept nogil:
        cdef Py_ssize_t a
        cdef double level
        if self.awake is not None and self.awake.on:
            a = self.awake.place[i]
            if a < 0 or self.awake.near_at[a] < 0:
                # A sleeper meets nothing, nor does a row that is far.
                return direction * FAR
            level = self.awake.up[a] if direction > 0 else self.awake.lo[a]
            if self.levels_move:
                level += self.awake.pending * (
                    self.awake.dup[a] if direction > 0 else self.awake.dlo[a])
            return level
        level = self.up[i] if direction > 0 else self.lo[i]
        if self.levels_move:
            level += self.pending * (self.dup[i] if direction > 0 else self.dlo[i])
        return level

    cdef void _bar(self, Py_ssize_t i, int direction) noexcept nogil:
        self.barred_level = self._level_now(i, direction)
        self.barred = i
        self.barred_side = direction
        self._set_level(i, direction, direction * FAR)

    cdef void _set_level(self, Py_ssize_t i, int direction, double level) noexcept nogil:
        # The level that the next sweep sees on one side of row i.
        cdef Py_ssize_t a
        if self.awake is not None and self.awake.on:
            a = self.awake.place[i]
            if direction > 0:
                self.awake.up[a] = level
            else:
                self.awake.lo[a] = level
        elif direction > 0:
            self.up[i] = level
        else:
            self.lo[i] = level

    cdef void _unbar(self) noexcept nogil:
        if self.barred >= 0:
            self._set_level(self.barred, self.barred_side, self.barred_level)
            self.barred = -1

    cdef void advance(self, double step) noexcept nogil:
        if self.awake is None:
            self.pending += step
            return
        self.awake.events = self.awake.events + 1
        if self.awake.on:
            self.awake.advance(step)
        else:
            self.pending += step
            self.awake.course.note_step(step)

    cdef void apply_pending_step(self) noexcept nogil:
        if self.awake is not None and self.awake.on:
            self._wake_all()
            return
        self._unbar()
        if self.pending != 0.0:
            wp_axpy(self.n, self.pending, &self.dr[0], &self.r[0])
            if self.levels_move:
                wp_axpy(self.n, self.pending, &self.dlo[0], &self.lo[0])
                wp_axpy(self.n, self.pending, &self.dup[0], &self.up[0])
            self.pending = 0.0

    cdef bint stays_asleep(self, double tol) noexcept nogil:
        # Whether rows sleep with a large margin and those that are near keep to their levels, up to
        # a tolerance that is taken back: then nothing needs to be done for the others.
        if not self.sleeps() or self.awake.still:
            return False
        self._unbar()
        self.awake.apply_pending_step()
        return self.awake.calm_down(tol)

    cdef bint sleeps(self) noexcept nogil:
        return self.awake is not None and self.awake.on

    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil:
        # lo and up are the levels now; a pending step must not move them again.
        cdef double behind = self.pending
        if self.barred == i:
            self.barred = -1
        if self.awake is not None and self.awake.on:
            self.awake.set_levels(i, lo, up, dlo, dup)
            behind = self.awake.course.lag
        self.lo[i] = lo
        self.up[i] = up
        if self.levels_move:
            self.dlo[i] = dlo
            self.dup[i] = dup
            self.lo[i] -= behind * dlo
            self.up[i] -= behind * dup

    cdef void set_residual(self, Py_ssize_t i, double value) noexcept nogil:
        cdef Py_ssize_t a
        if self.awake is not None and self.awake.on:
            # What all rows have is behind: the awake ones overwrite it.
            a = self.awake.place[i]
            self.awake.r[a] = value
            self.awake.dr[a] = 0.0
            return
        self.r[i] = value
        self.dr[i] = 0.0

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        # While rows sleep, only that of one that is near is known.
        cdef Py_ssize_t a
        if self.awake is not None and self.awake.on:
            a = self.awake.place[i]
            if a >= 0:
                return self.awake.r[a] + self.awake.pending * self.awake.dr[a]
        return self.r[i] + self.pending * self.dr[i]

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        # While rows sleep with a small margin, only that of one that is awake is known.
        if (self.awake is not None and self.awake.on and self.awake.still
                and self.awake.place[i] >= 0):
            return self.awake.g[self.awake.place[i]]
        return self.g[i]

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        cdef Py_ssize_t a
        self.g[i] += amount
        if self.awake is not None and self.awake.on:
            self.r[i] -= self.awake.course.lag * amount
            a = self.awake.place[i]
            if a >= 0:
                self.awake.g[a] = self.awake.g[a] + amount
                if self.awake.near_at[a] < 0:
                    self.awake.r[a] = self.awake.r[a] - self.awake.lag * amount

    cdef void add_velocity(self, Py_ssize_t i, const double* col, double amount) noexcept nogil:
        # Row i, whose column this is, moves with its knot from now on.
        if self.awake is not None and self.awake.on and self.awake.still:
            self.ledger.note(i, -self.awake.course.lag * amount, amount)
            self.awake.add_velocity(col, amount)
            return
        wp_axpy(self.n, -amount, col, &self.g[0])
        if self.awake is not None and self.awake.on:
            # The way so far was gone with the velocity of before.
            wp_axpy(self.n, self.awake.course.lag * amount, col, &self.r[0])
            self.awake.add_velocity(col, amount)

    cdef void add_move(self, const double* col, double amount) noexcept nogil:
        wp_axpy(self.n, -amount, col, &self.r[0])

    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil:
        # Products with the kernel, and what every row adds to minus them.
        cdef Py_ssize_t j
        for j in range(self.n):
            self.r[j] = own[j] - product[j]
            self.g[j] = own_speed[j] - speed[j]
        self.pending = 0.0
        if self.awake is not None:
            self.awake.course.knows_energy = False

    cdef void lift(self, double amount) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(self.n):
            self.r[j] += amount

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        # Put residuals beyond a level back on it. What is more than tolerance becomes a shift of
        # the target that decays to zero over the rest of the path: its slope goes into g.
        cdef Py_ssize_t j, count = 0
        cdef double v
        cdef const double* r = &self.r[0] if self.n else NULL
        cdef const double* lower = &self.lo[0] if self.n else NULL
        cdef const double* upper = &self.up[0] if self.n else NULL
        for j in range(self.n):
            if r[j] > upper[j]:
                v = upper[j] - r[j]
            elif r[j] < lower[j]:
                v = lower[j] - r[j]
            else:
                continue
            self.r[j] += v
            if v > largest[0]:
                largest[0] = v
            elif -v > largest[0]:
                largest[0] = -v
            if (v > tol or v < -tol) and rem > 0.0:
                self.g[j] -= v / rem
                self.dt[j] -= v / rem
                count += 1
        return count
