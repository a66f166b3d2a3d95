"""The residuals of all rows, and the next level that one of them meets.

A row at a knot may have any residual ``r`` between the two levels ``lo`` and ``up`` of that knot.
:class:`RowResiduals` follows all residuals by one pass over the rows per event. In NumPy::

    r += step * dr                                  # the step of the event before
    dr = g - sum(coef[k] * col[k]) - db             # g = dt - K (velocities of the knots)
    slack = where(dr > 0, up - r, r - lo).clip(0); speed = abs(dr)
    bound = min((slack + tol) / speed)              # Harris' first pass
    choose argmax(speed) among slack / speed <= bound     # and his second

Rows that are free (on the margin) keep their residual at a level that the loop knows; here they
have no levels to meet. The residual array lags behind by the pending step until
``apply_pending_step``.
"""

import numpy as np

from libc.string cimport memcpy, memset

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"
    Py_ssize_t BLOCK "WP_BLOCK"
    double wp_sweep_still(Py_ssize_t n, double step, double db, Py_ssize_t m,
                          const double** col, const double* coef, const double* g,
                          const double* lo, const double* up, double* r, double* dr,
                          double tol, double noise, double* first)
    double wp_sweep_moving(Py_ssize_t n, double step, double db, Py_ssize_t m,
                           const double** col, const double* coef, const double* g,
                           double* lo, double* up, const double* dlo, const double* dup,
                           double* r, double* dr, double tol, double noise, double* first)
    Py_ssize_t wp_choose(Py_ssize_t n, const double* lo, const double* up, const double* dlo,
                         const double* dup, const double* r, const double* dr, double bound,
                         double noise, const double* first, int* side, double* ratio,
                         double* speed)
    void wp_axpy(Py_ssize_t n, double a, const double* x, double* y)


cdef class Residuals:
    """What the loop asks of residuals (abstract); see :class:`RowResiduals` for the meaning.

    Residuals that have no use for a method leave it empty.
    """

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        return FAR

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        return -1

    cdef Py_ssize_t nearest(self, int direction, const unsigned char* skip,
                            double* slack) noexcept nogil:
        return -1

    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil:
        pass

    cdef void advance(self, double step) noexcept nogil:
        pass

    cdef void apply_pending_step(self) noexcept nogil:
        pass

    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil:
        pass

    cdef void set_residual(self, Py_ssize_t i, double value) noexcept nogil:
        pass

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        return 0.0

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        return 0.0

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        pass

    cdef void add_velocity(self, const double* col, double amount) noexcept nogil:
        pass

    cdef void add_move(self, const double* col, double amount) noexcept nogil:
        pass

    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil:
        pass

    cdef void lift(self, double amount) noexcept nogil:
        pass

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        return 0


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
    """

    def __init__(self, residual, velocity, double[::1] target_slope, bint levels_move):
        n = len(residual)
        self.n = n
        self.r = np.array(residual, dtype=np.float64)
        self.g = np.array(velocity, dtype=np.float64)
        self.dt = target_slope
        self.dr = np.zeros(n)
        self.lo = np.full(n, -FAR)
        self.up = np.full(n, FAR)
        self.levels_move = levels_move
        self.dlo = np.zeros(n if levels_move else 0)
        self.dup = np.zeros(n if levels_move else 0)
        self.first = np.empty(n // BLOCK + 1)
        self.pending = 0.0
        self.barred = -1

    @property
    def values(self):
        """The residuals now (a copy)."""
        self.apply_pending_step()
        return np.array(self.r)

    cdef void reset(self, const double* residual, const double* lower,
                    const double* upper) noexcept nogil:
        """Begin with these residuals and levels, all at rest."""
        cdef Py_ssize_t size = self.n * sizeof(double)
        memcpy(&self.r[0], residual, size)
        memcpy(&self.lo[0], lower, size)
        memcpy(&self.up[0], upper, size)
        memset(&self.g[0], 0, size)
        memset(&self.dr[0], 0, size)
        self.pending = 0.0
        self.barred = -1

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        cdef double bound
        if self.levels_move:
            bound = wp_sweep_moving(self.n, self.pending, db, m, col, coef, &self.g[0],
                                    &self.lo[0], &self.up[0], &self.dlo[0], &self.dup[0],
                                    &self.r[0], &self.dr[0], tol, noise, &self.first[0])
        else:
            bound = wp_sweep_still(self.n, self.pending, db, m, col, coef, &self.g[0],
                                   &self.lo[0], &self.up[0], &self.r[0], &self.dr[0], tol, noise,
                                   &self.first[0])
        self.pending = 0.0
        return bound

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        return wp_choose(self.n, &self.lo[0], &self.up[0],
                         &self.dlo[0] if self.levels_move else NULL,
                         &self.dup[0] if self.levels_move else NULL, &self.r[0], &self.dr[0],
                         bound, noise, &self.first[0], direction, ratio, speed)

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
        cdef double now = self.r[i] + self.pending * self.dr[i]
        cdef double level = self.up[i] if direction > 0 else self.lo[i]
        if self.levels_move:
            level += self.pending * (self.dup[i] if direction > 0 else self.dlo[i])
        if direction * (level - now) > tol:
            return
        self.barred_level = level
        if direction > 0:
            self.up[i] = FAR
        else:
            self.lo[i] = -FAR
        self.barred = i
        self.barred_side = direction

    cdef void _unbar(self) noexcept nogil:
        if self.barred >= 0:
            if self.barred_side > 0:
                self.up[self.barred] = self.barred_level
            else:
                self.lo[self.barred] = self.barred_level
            self.barred = -1

    cdef void advance(self, double step) noexcept nogil:
        self.pending += step

    cdef void apply_pending_step(self) noexcept nogil:
        self._unbar()
        if self.pending != 0.0:
            wp_axpy(self.n, self.pending, &self.dr[0], &self.r[0])
            if self.levels_move:
                wp_axpy(self.n, self.pending, &self.dlo[0], &self.lo[0])
                wp_axpy(self.n, self.pending, &self.dup[0], &self.up[0])
            self.pending = 0.0

    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil:
        # lo and up are the levels now; a pending step must not move them again.
        if self.barred == i:
            self.barred = -1
        self.lo[i] = lo
        self.up[i] = up
        if self.levels_move:
            self.dlo[i] = dlo
            self.dup[i] = dup
            self.lo[i] -= self.pending * dlo
            self.up[i] -= self.pending * dup

    cdef void set_residual(self, Py_ssize_t i, double value) noexcept nogil:
        self.r[i] = value
        self.dr[i] = 0.0

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        return self.r[i] + self.pending * self.dr[i]

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        return self.g[i]

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        self.g[i] += amount

    cdef void add_velocity(self, const double* col, double amount) noexcept nogil:
        wp_axpy(self.n, -amount, col, &self.g[0])

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

    cdef void lift(self, double amount) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(self.n):
            self.r[j] += amount

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        # Put residuals beyond a level back on it. What is more than tolerance becomes a shift of
        # the target that decays to zero over the rest of the path: its slope goes into g.
        cdef Py_ssize_t j, count = 0
        cdef double v
        for j in range(self.n):
            if self.r[j] > self.up[j]:
                v = self.up[j] - self.r[j]
            elif self.r[j] < self.lo[j]:
                v = self.lo[j] - self.r[j]
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
