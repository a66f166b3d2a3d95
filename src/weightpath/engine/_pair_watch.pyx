"""The residuals of pairs of documents, followed at the documents.

The residual of a pair is ``r = (rho_i + t) - rho_j`` with ``rho = -f``: two numbers of documents.
In a table of pairs (:class:`weightpath.problems.PreferencePairs`) one order of all ``rho_i + t``
(uppers) and ``rho_j`` (lowers) tells the state of every pair: *inside* where the lower comes first,
*outside* where the upper does. Going through that order once at a later theta, with running maxima
of both kinds, tells whether any pair has met its level by then, and which; its own meeting is an
earlier theta, and so on: after a few goes the first meeting of all is known. That is Newton's
method on the smallest slack, which is concave. A pass takes as long as there are documents.

Some pairs are watched one by one, the *special* ones: those on the margin, those whose target
carries a shift, and those that rounding keeps from fitting into an order (many equal values).
"""

import numpy as np

from weightpath.engine._pair_order cimport FREE, INSIDE, OUTSIDE, PairOrder, wp_place

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"
    void wp_advance(Py_ssize_t n, double step, Py_ssize_t m, const double** col,
                    const double* coef, const double* g, double* r, double* dr)
    void wp_axpy(Py_ssize_t n, double a, const double* x, double* y)

cdef extern from "order.h" nogil:
    ctypedef struct wp_break:
        double worst
        Py_ssize_t upper, lower
    wp_break wp_scan(const wp_place* place, Py_ssize_t n, Py_ssize_t n_lower, const double* x,
                     const double* dx, double t, const int* special, double* value,
                     Py_ssize_t* marked)


cdef class PairWatch(PairOrder):
    """Follow pairs at their documents; the parameters are those of :class:`PairOrder`."""

    @property
    def residuals(self):
        """The residuals now."""
        self.settle()
        x = np.asarray(self.x)
        target = np.asarray(self.target_end) - self.rest * np.asarray(self.dt)
        return target + x[np.asarray(self.first)] - x[np.asarray(self.second)]

    @property
    def n_watched_closely(self):
        """The number of special pairs."""
        return self.n_special

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        cdef Py_ssize_t s, k
        cdef double slack = 0.0, speed, bound = limit
        wp_advance(self.x.shape[0], self.pending, m, col, coef, &self.g[0], &self.x[0],
                   &self.dx[0])
        self.rest -= self.pending
        self.pending = 0.0
        if not self.built:
            self._build()
        elif self.fresh:
            self._tidy()
        for s in range(self.n_special):
            speed = self._approach(self.special[s], &slack)
            if speed > noise and not (self.special[s] == self.barred and slack <= tol):
                bound = min(bound, (max(slack, 0.0) + tol) / speed)
        for k in range(self.n_tables):
            bound = self._first_break(k, bound, tol, noise)
        return bound

    cdef double _first_break(self, Py_ssize_t table, double bound, double tol,
                             double noise) noexcept nogil:
        """When a pair of the table meets its level and passes it by ``tol``, if before bound."""
        cdef Py_ssize_t pair, begin = self.place_start[table]
        cdef double slack = 0.0, speed, met
        cdef wp_break found
        self.clear[table] = -1.0
        while True:
            found = wp_scan(self.seats + begin, self.place_start[table + 1] - begin,
                            self.n_lower[table], &self.x[0], &self.dx[0], bound,
                            &self.special_of[self.pair_start[table]], &self.value[0],
                            &self.marked[0])
            if found.worst <= 0.0:
                self.clear[table] = bound
            if found.worst <= tol:
                return bound
            pair = (self.pair_start[table] + self.seats[begin + found.upper].own
                    * self.n_lower[table] + self.seats[begin + found.lower].own)
            speed = self._approach(pair, &slack)
            if speed <= noise:
                # At rest, yet beyond its level: the order is no longer right for it.
                self._watch_closely(pair)
                continue
            met = max(0.0, slack + tol) / speed
            if met >= bound:
                return bound
            bound = met

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        cdef Py_ssize_t s, k, who, best = -1
        cdef double slack = 0.0, v, fastest = noise, chosen = 0.0
        for s in range(self.n_special):
            v = self._approach(self.special[s], &slack)
            if v > fastest and slack <= bound * v and not (
                    self.special[s] == self.barred):
                best, fastest, chosen = self.special[s], v, slack
        for k in range(self.n_tables):
            if self.clear[k] < bound:
                who = self._fastest_in(k, bound, &fastest, &chosen)
                best = who if who >= 0 else best
        if best >= 0:
            direction[0] = 1 if self.state[best] == OUTSIDE else -1
            speed[0] = fastest
            ratio[0] = max(0.0, chosen) / fastest
        return best

    cdef Py_ssize_t _fastest_in(self, Py_ssize_t table, double bound, double* fastest,
                                double* slack) noexcept nogil:
        """The fastest pair of a table that meets its level within bound; -1 if none is faster."""
        cdef Py_ssize_t k, j, pair, best = -1, begin = self.place_start[table]
        cdef Py_ssize_t n = self.place_start[table + 1] - begin, base = self.pair_start[table]
        cdef wp_place* place = self.seats + begin
        cdef double v, speed, s = 0.0
        cdef double[2] most
        cdef int other
        most[0] = most[1] = -FAR
        for k in range(n):
            v = (self.x[place[k].document] + bound * self.dx[place[k].document] + place[k].lift)
            self.value[k] = v
            other = 1 - place[k].is_upper
            if most[other] >= v:
                for j in range(k):
                    if place[j].is_upper != other or self.value[j] < v:
                        continue
                    pair = base + (place[k].own * self.n_lower[table] + place[j].own
                                   if other == 0 else
                                   place[j].own * self.n_lower[table] + place[k].own)
                    if self.special_of[pair] >= 0:
                        continue
                    speed = self._approach(pair, &s)
                    if speed > fastest[0]:
                        best = pair
                        fastest[0] = speed
                        slack[0] = s
            most[1 - other] = max(most[1 - other], v)
        return best

    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil:
        # Until the next call pair i does not meet its level on one side if it is at it already.
        cdef double slack = 0.0
        self.barred = -1
        if i < 0 or self.state[i] == FREE or direction != (1 if self.state[i] == OUTSIDE else -1):
            return
        slack = -self._now(i) if self.state[i] == OUTSIDE else self._now(i)
        if slack <= tol:
            self.barred = i

    cdef void advance(self, double step) noexcept nogil:
        self.pending += step

    cdef void settle(self) noexcept nogil:
        self.barred = -1
        if self.pending != 0.0:
            wp_axpy(self.x.shape[0], self.pending, &self.dx[0], &self.x[0])
            self.rest -= self.pending
            self.pending = 0.0

    cdef void place(self, Py_ssize_t i, double lo, double up,
                    double dlo, double dup) noexcept nogil:
        self.state[i] = (INSIDE if lo > -FAR / 2 else OUTSIDE if up < FAR / 2 else FREE)
        if self.built:
            self._watch_closely(i)
            self.fresh = True

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        return self._now(i)

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        return self.dt[i] + self.g[self.first[i]] - self.g[self.second[i]]

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        # Without a ridge only shifts of targets come here, and those are in `dt` already.
        pass

    cdef void add_velocity(self, const double* col, double amount) noexcept nogil:
        wp_axpy(self.g.shape[0], -amount, col, &self.g[0])

    cdef void add_move(self, const double* col, double amount) noexcept nogil:
        wp_axpy(self.x.shape[0], -amount, col, &self.x[0])

    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil:
        cdef Py_ssize_t d
        for d in range(self.x.shape[0]):
            self.x[d] = -product[d]
            self.g[d] = -speed[d]
        self.rest -= self.pending
        self.pending = 0.0

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        # Pairs beyond their level by more than tolerance get a shift of their target that decays
        # to zero over the rest of the path.
        cdef Py_ssize_t s, k, pair, begin, count = 0
        cdef double r, v
        cdef wp_break found
        if not self.built:
            self._build()
        for s in range(self.n_special):
            pair = self.special[s]
            if self.state[pair] != FREE and self.dt[pair] == 0.0:
                self.clear[self._table(pair)] = -2.0
        for k in range(self.n_tables):
            if self.clear[k] == -2.0:
                self._sort_table(k)
            begin = self.place_start[k]
            while True:
                found = wp_scan(self.seats + begin, self.place_start[k + 1] - begin,
                                self.n_lower[k], &self.x[0], &self.dx[0], 0.0,
                                &self.special_of[self.pair_start[k]], &self.value[0],
                                &self.marked[0])
                largest[0] = max(largest[0], found.worst)
                if found.worst <= tol:
                    break
                self._watch_closely(self.pair_start[k] + self.seats[begin + found.upper].own
                                    * self.n_lower[k] + self.seats[begin + found.lower].own)
        for s in range(self.n_special):
            pair = self.special[s]
            r = self._now(pair)
            v = -r if (self.state[pair] == OUTSIDE and r > 0.0) or (
                self.state[pair] == INSIDE and r < 0.0) else 0.0
            largest[0] = max(largest[0], v if v > 0.0 else -v)
            if (v > tol or v < -tol) and rem > 0.0:
                self.dt[pair] -= v / rem
                count += 1
        return count
