"""The residuals of rows of features: a linear kernel, followed in the space of its features.

The function is its normal vector w and its bias, so that a residual is a product with a row, made
when somebody looks at the row. Rows are looked at in three tiers (:mod:`weightpath.engine._tier`):
all of them seldom, those *awake* now and then, and the *near* ones among these at every event.
Whatever is known of a row that sleeps is that it cannot meet a level until the next look.

Residuals are at a level, levels where the line begins; a step moves the normal vector and the near
rows only.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.string cimport memset

from weightpath.engine._residuals cimport Residuals
from weightpath.engine._sweep cimport FAR, wp_axpy
from weightpath.engine._tier cimport Tier
from weightpath.kernels._feature_columns cimport FeatureColumns
from weightpath.kernels._feature_rows cimport feature_dot, feature_dots

# At first, when nothing is known of steps and turns, about one row out of so many is awake.
cdef Py_ssize_t FIRST_SHARE = 32

# Rows by which that is estimated.
cdef enum:
    SAMPLE = 512

# The bias is expected to move at least by this part of what the farthest rows' values do.
cdef double LEAST_LIFT = 0.02

# How much of the speed of an event is still expected at the next.
cdef double REMEMBERED = 0.95


cdef class FeatureResiduals(Residuals):
    """Residuals in the space of the features (final).

    Parameters
    ----------
    columns : FeatureColumns
        The rows.
    residual : ndarray of shape (n,)
        Residuals at the start; copied.
    own : ndarray of shape (n,)
        The residuals' speeds without the function's: that of the targets, less the ridge's.
    standing : ndarray of shape (p,)
        The velocity of the normal vector by the rows at knots; copied.
    target_slope : ndarray of shape (n,)
        ``dt``; shared with the loop, changed in place by shifts.
    levels_move : bool
        Whether any level moves.
    """

    def __init__(self, FeatureColumns columns, residual, own, standing, target_slope,
                 bint levels_move):
        self.n, self.p = columns.n, columns.rows.p
        self.every, self.awake = Tier(self.n, self.p, True), Tier(self.n, self.p, False)
        self.own, self.lo, self.up = np.empty((3, self.n))
        self.dlo = self.dup = np.empty(0)
        self.place, self.near_at = np.empty((2, self.n), dtype=np.int32)
        self.near = np.empty(self.n, dtype=np.intp)
        self.r, self.dr, self.low, self.high, self.work = np.empty((5, self.n))
        self.standing, self.speed, self.moved = np.zeros((3, self.p))
        self.restart(columns, residual, own, standing, target_slope, levels_move)

    def restart(self, FeatureColumns columns, residual, own, standing, double[::1] target_slope,
                bint levels_move):
        """Begin another line; the parameters are those of the class."""
        cdef Py_ssize_t i
        cdef const double[::1] first = np.ascontiguousarray(residual, dtype=np.float64)
        cdef const double[::1] velocity = np.ascontiguousarray(own, dtype=np.float64)
        self.columns, self.X = columns, columns.rows.rows
        for i in range(self.n):
            self.every.r[i], self.own[i] = first[i], velocity[i]
            self.lo[i], self.up[i] = -FAR, FAR
        np.asarray(self.standing)[:] = standing
        self.dt, self.levels_move = target_slope, levels_move
        self.dlo, self.dup = np.zeros((2, self.n if levels_move else 0))
        self.spread = float(np.mean(columns.distance))
        self.gone = self.touched = 0.0
        self.usual_step = self.usual_pace = self.usual_lift = 0.0
        self.barred = -1
        self._forget()

    @property
    def values(self):
        """The residuals now (a copy)."""
        self._catch_up()
        return np.array(<double[:self.n]> self.every.r)

    cdef void _forget(self) noexcept nogil:
        # The residuals of all rows are those of now; there is no reference.
        cdef Py_ssize_t i
        self.every.begin_anew()
        self.awake.begin_anew()
        self.awake.count = self.n_near = 0
        for i in range(self.n):
            self.place[i] = self.near_at[i] = -1
        memset(&self.moved[0], 0, self.p * sizeof(double))
        self.has_moved = self.is_built = False

    # The next event ------------------------------------------------------------------------

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        cdef double bound, step
        if not self.is_built:
            self._catch_up()
        self._aim(col, coef, m, db)
        if not self.is_built:
            self._begin_at_rest(limit)
        bound = self._sweep_near(tol, noise)
        step = min(bound, limit)
        if not self._covers(self.every, step):
            self._look(self.every, step)
        elif not self._covers(self.awake, step):
            self._look(self.awake, step)
        else:
            return bound
        return self._sweep_near(tol, noise)

    cdef void _aim(self, const double** col, const double* coef, Py_ssize_t m,
                   double db) noexcept nogil:
        """The velocity of the normal vector."""
        cdef Py_ssize_t k, j
        cdef double pace = 0.0, lift = db
        self._settle()
        for j in range(self.p):
            self.speed[j] = self.standing[j]
        for k in range(m):
            wp_axpy(self.p, coef[k], col[k], &self.speed[0])
        self.bias_speed = db
        for j in range(self.p):
            pace += self.speed[j] * self.speed[j]
            lift += self.columns.center[j] * self.speed[j]
        # A vertex rests and moves by turns: the speeds of the moves count.
        self.usual_pace = max(sqrt(pace), REMEMBERED * self.usual_pace)
        lift = max(fabs(lift), LEAST_LIFT * self.usual_pace * self.spread)
        self.usual_lift = max(lift, REMEMBERED * self.usual_lift)

    cdef double _sweep_near(self, double tol, double noise) noexcept nogil:
        cdef Py_ssize_t s, i
        cdef double up, down, slack, best = FAR
        feature_dots(&self.X, &self.near[0], self.n_near, &self.speed[0], &self.work[0])
        self.touched += self.n_near
        self.awake.read = self.awake.read + self.n_near
        self.every.read = self.every.read + self.n_near
        for s in range(self.n_near):
            i = self.near[s]
            self.dr[s] = up = self.own[i] - self.work[s] - self.bias_speed
            down = -up
            if self.levels_move:
                up -= self.dup[i]
                down += self.dlo[i]
            if up > noise and not (i == self.barred and self.barred_side > 0):
                slack = max(self.high[s] - self.r[s], 0.0)
                best = min(best, (slack + tol) / up)
            if down > noise and not (i == self.barred and self.barred_side < 0):
                slack = max(self.r[s] - self.low[s], 0.0)
                best = min(best, (slack + tol) / down)
        return best

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        cdef Py_ssize_t s, i, best = -1
        cdef double up, down, slack, fastest = noise
        for s in range(self.n_near):
            i = self.near[s]
            up, down = self.dr[s], -self.dr[s]
            if self.levels_move:
                up -= self.dup[i]
                down += self.dlo[i]
            if (up > fastest and self.high[s] - self.r[s] <= bound * up
                    and not (i == self.barred and self.barred_side > 0)):
                best, direction[0], fastest = s, 1, up
            if (down > fastest and self.r[s] - self.low[s] <= bound * down
                    and not (i == self.barred and self.barred_side < 0)):
                best, direction[0], fastest = s, -1, down
        if best < 0:
            return -1
        slack = (self.high[best] - self.r[best] if direction[0] > 0
                 else self.r[best] - self.low[best])
        speed[0] = fastest
        ratio[0] = max(slack, 0.0) / fastest
        return self.near[best]

    cdef void advance(self, double step) noexcept nogil:
        cdef Py_ssize_t s, i
        self.every.advance(step, &self.speed[0], self.bias_speed)
        self.awake.advance(step, &self.speed[0], self.bias_speed)
        self.gone += step
        self.usual_step += (0.1 if self.usual_step > 0.0 else 1.0) * (step - self.usual_step)
        for s in range(self.n_near):
            self.r[s] += step * self.dr[s]
            if self.levels_move:
                i = self.near[s]
                self.low[s] += step * self.dlo[i]
                self.high[s] += step * self.dup[i]

    # Looks ---------------------------------------------------------------------------------

    cdef bint _covers(self, Tier tier, double step) noexcept nogil:
        return tier.covers(step, &self.speed[0], self.bias_speed, &self.columns.center[0])

    cdef void _begin_at_rest(self, double limit) noexcept nogil:
        """The first reference of a line: a bound for all rows that takes no product with them."""
        cdef Py_ssize_t i, j
        cdef double pace = 0.0, lift = self.bias_speed, way
        for j in range(self.p):
            pace += self.speed[j] * self.speed[j]
            lift += self.columns.center[j] * self.speed[j]
        pace = sqrt(pace)
        way = max(limit, self._first_reach(pace, fabs(lift)))
        self.every.set_out_at_rest(way, pace, max(fabs(lift), LEAST_LIFT * pace * self.spread))
        for i in range(self.n):
            self.every.speed[i] = self.own[i]
        self.is_built = True
        self._wake()
        # Of the rows awake the velocities are found, so that few of them are near.
        self._look(self.awake, limit)

    cdef double _first_reach(self, double pace, double lift) noexcept nogil:
        """The way of theta on which, at these speeds, few rows can meet a level."""
        cdef double way[SAMPLE]
        cdef Py_ssize_t i, k, count = 0, wanted, most = min(self.n, <Py_ssize_t> SAMPLE)
        cdef double slack, speed, found
        while count < most:
            i = count * (self.n // most)
            slack = min(self._level(i, 1) - self.every.r[i], self.every.r[i] - self._level(i, -1))
            speed = self.columns.distance[i] * pace + lift + fabs(self.own[i])
            if self.levels_move:
                speed += max(fabs(self.dlo[i]), fabs(self.dup[i]))
            found = max(slack, 0.0) / speed if speed > 0.0 else FAR
            # Kept in order, by insertion.
            k = count
            while k > 0 and way[k - 1] > found:
                way[k] = way[k - 1]
                k -= 1
            way[k] = found
            count += 1
        wanted = count // FIRST_SHARE
        return min(max(1.0 - self.gone, 0.0), way[wanted])

    cdef void _look(self, Tier tier, double step) noexcept nogil:
        """Bring the rows of a tier up to date, and choose those of the tiers below anew."""
        cdef const double* speed = &self.speed[0]
        cdef const double* center = &self.columns.center[0]
        self._settle()
        tier.learn(step, speed, self.bias_speed, center, self.usual_pace, self.usual_lift)
        tier.look(&self.X, &self.own[0], speed, self.bias_speed)
        tier.provide(step, self.usual_step, self.usual_pace, self.usual_lift)
        self.touched += tier.count
        if tier is self.every:
            self._wake()
            self.awake.set_out(speed, self.bias_speed)
            self.awake.provide(step, self.usual_step, self.usual_pace, self.usual_lift)
        else:
            self.every.read = self.every.read + tier.count
        self._choose_near()

    cdef bint _is_safe(self, Tier tier, Py_ssize_t i, double r, double speed) noexcept nogil:
        """Whether a row of a tier, at its reference, cannot meet a level while that serves."""
        cdef double above = speed, below = speed
        cdef double reach = self.columns.distance[i] * tier.reach + tier.bias_reach
        if self.levels_move:
            above -= self.dup[i]
            below -= self.dlo[i]
        return (self._level(i, 1) - r > reach + tier.theta_reach * max(above, 0.0)
                and r - self._level(i, -1) > reach + tier.theta_reach * max(-below, 0.0))

    cdef void _wake(self) noexcept nogil:
        """Choose the rows that are awake; their residuals are those of a reference of all."""
        cdef Py_ssize_t i, a
        for a in range(self.awake.count):
            self.place[self.awake.index[a]] = -1
        self.awake.count = 0
        for i in range(self.n):
            if self._is_safe(self.every, i, self.every.r[i], self.every.speed[i]):
                continue
            a = self.awake.count
            self.awake.index[a], self.place[i] = i, <int> a
            self.awake.r[a], self.awake.speed[a] = self.every.r[i], self.every.speed[i]
            self.awake.count = self.awake.count + 1

    cdef void _choose_near(self) noexcept nogil:
        cdef Py_ssize_t a, i, s
        for s in range(self.n_near):
            self.near_at[self.near[s]] = -1
        self.n_near = 0
        for a in range(self.awake.count):
            i = self.awake.index[a]
            if i == self.barred or not self._is_safe(
                    self.awake, i, self.awake.r[a], self.awake.speed[a]):
                self._add_near(i, self.awake.r[a])

    cdef void _add_near(self, Py_ssize_t i, double residual) noexcept nogil:
        cdef Py_ssize_t s = self.n_near
        self.near[s], self.near_at[i] = i, <int> s
        self.r[s], self.dr[s] = residual, 0.0
        self.low[s], self.high[s] = self._level(i, -1), self._level(i, 1)
        self.n_near += 1

    cdef void _watch(self, Py_ssize_t i) noexcept nogil:
        """Look at a row at every event until the next look: something has changed for it."""
        cdef Py_ssize_t a
        cdef double now
        if not self.is_built or self.near_at[i] >= 0:
            return
        now = self.residual(i)
        if self.place[i] < 0:
            a = self.awake.count
            self.awake.index[a], self.place[i] = i, <int> a
            self.awake.r[a] = 0.0
            self.awake.r[a] = now - self.awake.value(&self.X, i, a, self.own[i])
            self.awake.count = self.awake.count + 1
        self._add_near(i, now)

    cdef void _settle(self) noexcept nogil:
        """Let the near rows know what the normal vector has moved by besides steps."""
        cdef Py_ssize_t s
        if not self.has_moved:
            return
        feature_dots(&self.X, &self.near[0], self.n_near, &self.moved[0], &self.work[0])
        for s in range(self.n_near):
            self.r[s] -= self.work[s]
        memset(&self.moved[0], 0, self.p * sizeof(double))
        self.has_moved = False

    cdef void _catch_up(self) noexcept nogil:
        """Make the residuals of all rows those of now, and forget the references."""
        cdef Py_ssize_t i, s
        if self._is_at_reference():
            return
        self._settle()
        feature_dots(&self.X, NULL, self.n, &self.every.move[0], self.every.work)
        self.touched += self.n
        for i in range(self.n):
            self.every.r[i] = (self.every.r[i] + self.every.way * self.own[i]
                               - self.every.work[i] - self.every.bias_move)
        for s in range(self.n_near):
            self.every.r[self.near[s]] = self.r[s]
        self._forget()

    cdef bint _is_at_reference(self) noexcept nogil:
        """Whether nothing has moved since the residuals of all rows were found, or used."""
        cdef Py_ssize_t j
        if self.is_built or self.every.way != 0.0 or self.every.bias_move != 0.0:
            return False
        for j in range(self.p):
            if self.every.move[j] != 0.0:
                return False
        return True

    # One row -------------------------------------------------------------------------------

    cdef double _level(self, Py_ssize_t i, int side) noexcept nogil:
        # Where a level is now.
        if side > 0:
            return self.up[i] + self.gone * self.dup[i] if self.levels_move else self.up[i]
        return self.lo[i] + self.gone * self.dlo[i] if self.levels_move else self.lo[i]

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        if self.near_at[i] >= 0:
            self._settle()
            return self.r[self.near_at[i]]
        if self.place[i] >= 0:
            return self.awake.value(&self.X, i, self.place[i], self.own[i])
        return self.every.value(&self.X, i, i, self.own[i])

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        return self.own[i] - feature_dot(&self.X, i, &self.standing[0])

    cdef void set_residual(self, Py_ssize_t i, double value) noexcept nogil:
        cdef Py_ssize_t a = self.place[i]
        self.every.r[i] = self.every.r[i] + value - self.every.value(&self.X, i, i, self.own[i])
        if a >= 0:
            self.awake.r[a] = self.awake.r[a] + value - self.awake.value(&self.X, i, a, self.own[i])
        if self.near_at[i] >= 0:
            self._settle()
            self.r[self.near_at[i]] = value

    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil:
        cdef Py_ssize_t s
        if self.barred == i:
            self.barred = -1
        self.lo[i], self.up[i] = lo, up
        if self.levels_move:
            self.dlo[i], self.dup[i] = dlo, dup
            self.lo[i] -= self.gone * dlo
            self.up[i] -= self.gone * dup
        s = self.near_at[i]
        if s >= 0:
            self.low[s], self.high[s] = lo, up
        elif lo > -FAR or up < FAR:
            self._watch(i)

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        if amount == 0.0:
            return
        self.own[i] += amount
        # The way so far was gone with the velocity of before.
        self.every.r[i] = self.every.r[i] - self.every.way * amount
        if self.place[i] >= 0:
            self.awake.r[self.place[i]] = self.awake.r[self.place[i]] - self.awake.way * amount
        self._watch(i)

    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil:
        # Until the next call row i does not meet its level on one side if it is at it already.
        self.barred = -1
        if i >= 0 and direction * (self._level(i, direction) - self.residual(i)) <= tol:
            self.barred, self.barred_side = i, direction

    # All rows ------------------------------------------------------------------------------

    cdef void apply_pending_step(self) noexcept nogil:
        # Steps are taken at once, by the normal vector.
        self.barred = -1

    cdef void add_velocity(self, Py_ssize_t i, const double* col, double amount) noexcept nogil:
        wp_axpy(self.p, amount, col, &self.standing[0])

    cdef void add_move(self, const double* col, double amount) noexcept nogil:
        wp_axpy(self.p, amount, col, &self.every.move[0])
        wp_axpy(self.p, amount, col, &self.awake.move[0])
        wp_axpy(self.p, amount, col, &self.moved[0])
        self.has_moved = True

    cdef void lift(self, double amount) noexcept nogil:
        cdef Py_ssize_t s
        self.every.bias_move = self.every.bias_move - amount
        self.awake.bias_move = self.awake.bias_move - amount
        for s in range(self.n_near):
            self.r[s] += amount

    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil:
        # The normal vector and its velocity, and what every row adds to minus its product.
        cdef Py_ssize_t i
        feature_dots(&self.X, NULL, self.n, product, self.every.work)
        self.touched += self.n
        for i in range(self.n):
            self.every.r[i] = own[i] - self.every.work[i]
            self.own[i] = own_speed[i]
        for i in range(self.p):
            self.standing[i] = speed[i]
        self._forget()

    cdef Py_ssize_t nearest(self, int direction, const unsigned char* skip,
                            double* slack) noexcept nogil:
        # The row whose level on one side is nearest, -1 if there is none; some may be left out.
        cdef Py_ssize_t i, best = -1
        cdef double s
        self._catch_up()
        slack[0] = FAR / 2
        for i in range(self.n):
            if skip != NULL and skip[i]:
                continue
            s = direction * (self._level(i, direction) - self.every.r[i])
            if s < slack[0]:
                slack[0], best = s, i
        slack[0] = max(slack[0], 0.0)
        return best

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        # Put residuals beyond a level back on it. What is more than tolerance becomes a shift of
        # the target that decays to zero over the rest of the path. Rows that sleep are not beyond.
        memset(&self.speed[0], 0, self.p * sizeof(double))
        self.bias_speed = 0.0
        if self.is_built and self._covers(self.every, 0.0) and self._covers(self.awake, 0.0):
            return self._clamp_near(tol, rem, largest)
        self._catch_up()
        return self._clamp_all(tol, rem, largest)

    cdef Py_ssize_t _clamp_near(self, double tol, double rem, double* largest) noexcept nogil:
        cdef Py_ssize_t s, i, count = 0
        cdef double v
        self._settle()
        for s in range(self.n_near):
            i = self.near[s]
            v = self._beyond(self.r[s], self.low[s], self.high[s])
            if v == 0.0:
                continue
            self.set_residual(i, self.r[s] + v)
            largest[0] = max(largest[0], fabs(v))
            if fabs(v) > tol and rem > 0.0:
                self.push_velocity(i, -v / rem)
                self.dt[i] -= v / rem
                count += 1
        return count

    cdef Py_ssize_t _clamp_all(self, double tol, double rem, double* largest) noexcept nogil:
        cdef Py_ssize_t i, count = 0
        cdef double v
        for i in range(self.n):
            v = self._beyond(self.every.r[i], self._level(i, -1), self._level(i, 1))
            if v == 0.0:
                continue
            self.every.r[i] = self.every.r[i] + v
            largest[0] = max(largest[0], fabs(v))
            if fabs(v) > tol and rem > 0.0:
                self.own[i] -= v / rem
                self.dt[i] -= v / rem
                count += 1
        return count

    cdef double _beyond(self, double r, double low, double high) noexcept nogil:
        # What puts a residual back between its levels.
        return high - r if r > high else low - r if r < low else 0.0
