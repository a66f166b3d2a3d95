"""The residuals of pairs of documents, followed at the documents.

The residual of a pair is ``r = (rho_i + t) - rho_j`` with ``rho = -f``: two numbers of documents.
In a table of pairs (:class:`weightpath.problems.PreferencePairs`) one order of all ``rho_i + t``
(uppers) and ``rho_j`` (lowers) tells the state of every pair: *inside* where the lower comes first,
*outside* where the upper does. Going through that order once at a later theta, with running maxima
of both kinds, shows whether any pair has met its level by then, and which; that pair met it at an
earlier theta, and so on: after a few passes the first meeting of all is known. That is Newton's
method on the smallest slack, which is concave. A pass takes as long as there are documents; most
queries are known to have no meeting for a while (:mod:`weightpath.engine._quiet_queries`) and need
none.

Some pairs are followed one by one, the *special* ones: those on the margin, those that are about to
meet their level, those whose target carries a shift, and those that rounding keeps from fitting
into an order (many equal values).
"""

import numpy as np

from weightpath.engine._pair_order cimport FREE, INSIDE, OUTSIDE, PairOrder
from weightpath.engine._quiet_queries cimport QuietQueries
from weightpath.engine._residuals cimport Residuals
from weightpath.engine._sweep cimport FAR, wp_axpy


cdef class PairResiduals(Residuals):
    """Residuals of pairs, followed at their documents (final).

    Parameters
    ----------
    pairs : PreferencePairs
        The pairs.
    difference : ndarray of shape (n_pairs,)
        ``rho_i - rho_j`` of each pair at the start.
    speed : ndarray of shape (n_documents,)
        The velocities of ``f`` by the pairs at knots.
    target_end : ndarray of shape (n_pairs,)
        Targets at theta = 1, all equal.
    target_slope : ndarray of shape (n_pairs,)
        How targets move; shared with the loop, changed in place by shifts.
    """

    def __init__(self, pairs, difference, speed, double[::1] target_end, double[::1] target_slope):
        self.n = len(pairs)
        self.order = PairOrder(pairs, difference, target_end, target_slope)
        self.queries = QuietQueries(pairs, self.order)
        self.g = -np.asarray(speed)

    @property
    def values(self):
        """The residuals now."""
        self.apply_pending_step()
        x = np.asarray(self.order.x)
        target = np.asarray(self.order.target_end) - self.order.rest * np.asarray(self.order.dt)
        return target + x[np.asarray(self.order.first)] - x[np.asarray(self.order.second)]

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        cdef Py_ssize_t s
        cdef double slack = 0.0, speed, bound = limit
        self.queries.advance(col, coef, m, &self.g[0])
        if not self.order.built:
            self.order.build()
        for s in range(self.order.n_special):
            speed = self.order.approach(self.order.special[s], &slack)
            if speed > noise and not (self.order.special[s] == self.order.barred and slack <= tol):
                bound = min(bound, (max(slack, 0.0) + tol) / speed)
        return self.queries.first_break(bound, tol, noise)

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        cdef Py_ssize_t s, k, pair, best = -1
        cdef double slack = 0.0, v, fastest = noise, chosen = 0.0
        for s in range(self.order.n_special):
            pair = self.order.special[s]
            v = self.order.approach(pair, &slack)
            if v > fastest and slack <= bound * v and pair != self.order.barred:
                best, fastest, chosen = pair, v, slack
        for k in range(self.order.n_tables):
            if self.order.clear[k] < bound:
                pair = self.order.fastest_in(k, bound, &fastest, &chosen)
                best = pair if pair >= 0 else best
        if best >= 0:
            direction[0] = 1 if self.order.state[best] == OUTSIDE else -1
            speed[0] = fastest
            ratio[0] = max(0.0, chosen) / fastest
        return best

    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil:
        # Until the next call pair i does not meet its level on one side if it is at it already.
        cdef double slack = 0.0
        self.order.barred = -1
        if i < 0 or self.order.state[i] == FREE:
            return
        if direction != (1 if self.order.state[i] == OUTSIDE else -1):
            return
        slack = self.order.residual(i)
        if (-slack if self.order.state[i] == OUTSIDE else slack) <= tol:
            self.order.barred = i

    cdef void advance(self, double step) noexcept nogil:
        self.order.pending += step

    cdef void apply_pending_step(self) noexcept nogil:
        self.order.barred = -1
        if self.order.pending != 0.0:
            wp_axpy(self.order.x.shape[0], self.order.pending, &self.order.dx[0], &self.order.x[0])
            self.queries.note_step()

    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil:
        self.order.state[i] = (INSIDE if lo > -FAR / 2 else OUTSIDE if up < FAR / 2 else FREE)
        if self.order.built:
            self.order.add_special(i)

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        return self.order.residual(i)

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        return self.order.dt[i] + self.g[self.order.first[i]] - self.g[self.order.second[i]]

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        # Without a ridge only shifts of targets come here, and those are in `dt` already.
        pass

    cdef void add_velocity(self, Py_ssize_t i, const double* col, double amount) noexcept nogil:
        wp_axpy(self.g.shape[0], -amount, col, &self.g[0])

    cdef void add_move(self, const double* col, double amount) noexcept nogil:
        self.queries.wake_all()
        wp_axpy(self.order.x.shape[0], -amount, col, &self.order.x[0])

    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil:
        cdef Py_ssize_t d
        self.queries.wake_all()
        for d in range(self.order.x.shape[0]):
            self.order.x[d] = -product[d]
            self.g[d] = -speed[d]
        self.order.rest -= self.order.pending
        self.order.pending = 0.0

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        # Pairs beyond their level by more than tolerance get a shift of their target that decays
        # to zero over the rest of the path.
        cdef Py_ssize_t s, pair, count = 0
        cdef double r, v
        self.order.check(tol, largest)
        for s in range(self.order.n_special):
            pair = self.order.special[s]
            r = self.order.residual(pair)
            v = -r if (self.order.state[pair] == OUTSIDE and r > 0.0) or (
                self.order.state[pair] == INSIDE and r < 0.0) else 0.0
            largest[0] = max(largest[0], v if v > 0.0 else -v)
            if (v > tol or v < -tol) and rem > 0.0:
                self.order.dt[pair] -= v / rem
                count += 1
        return count
