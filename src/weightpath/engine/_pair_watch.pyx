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

from libc.stdlib cimport free, malloc

from weightpath.engine._watch cimport Watch

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
    int wp_swap(wp_place* place, Py_ssize_t early, Py_ssize_t late, wp_place* kept)
    void wp_sort(wp_place* place, Py_ssize_t n, const double* x, double* value)

cdef enum:
    OUTSIDE = 0
    INSIDE = 1
    FREE = 2


cdef class PairWatch(Watch):
    """Follow pairs at their documents.

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

    def __cinit__(self):
        self.seats = self.kept = NULL

    def __init__(self, pairs, difference, speed, double[::1] target_end, double[::1] target_slope):
        self.n = len(pairs)
        if self.n and np.ptp(target_end) != 0.0:
            raise ValueError("The targets of all pairs must be equal.")
        self.first, self.second = pairs.first, pairs.second
        self.pair_start = pairs.pair_start
        self.target_end, self.dt = target_end, target_slope
        self.x = _document_values(pairs, np.asarray(difference))
        self.g = -np.asarray(speed)
        self.dx = np.zeros(pairs.n_documents)
        self.state = np.zeros(self.n, dtype=np.uint8)
        self.special_of = np.full(self.n, -1, dtype=np.int32)
        self._make_places(pairs)
        self.pending, self.rest = 0.0, 1.0
        self.barred = -1

    def _make_places(self, pairs):
        cdef Py_ssize_t k, a, b, most, base
        cdef wp_place* place
        n_upper, n_lower = np.diff(pairs.upper_start), np.diff(pairs.lower_start)
        sizes = n_upper + n_lower
        most = int(sizes.max(initial=0))
        self.n_tables = pairs.n_tables
        self.place_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        self.n_lower = n_lower.astype(np.intp)
        self.upper_start, self.lower_start = (
            np.array(pairs.upper_start), np.array(pairs.lower_start))
        self.table_of = np.zeros(pairs.n_documents, dtype=np.intp)
        self.own_of = np.zeros(pairs.n_documents, dtype=np.intp)
        self.where_upper = np.zeros(len(pairs.upper), dtype=np.int32)
        self.where_lower = np.zeros(len(pairs.lower), dtype=np.int32)
        self.value = np.empty(most)
        self.marked = np.empty(most, dtype=np.intp)
        self.clear = np.zeros(self.n_tables)
        self.seats = <wp_place*> malloc((self.place_start[self.n_tables] + 1) * sizeof(wp_place))
        self.kept = <wp_place*> malloc((most + 1) * sizeof(wp_place))
        self.special = np.empty(self.n, dtype=np.int32)
        if self.seats == NULL or self.kept == NULL:
            raise MemoryError("Not enough memory to watch the pairs.")
        target = self.target_end[0] if self.n else 0.0
        for k in range(self.n_tables):
            place = self.seats + self.place_start[k]
            base = pairs.upper_start[k]
            for a in range(n_upper[k]):
                place[a].document = pairs.upper[base + a]
                place[a].own, place[a].is_upper, place[a].marks = a, 1, 0
                place[a].lift = target
                self.table_of[place[a].document] = k
                self.own_of[place[a].document] = a
            place = place + <Py_ssize_t> n_upper[k]
            base = pairs.lower_start[k]
            for b in range(n_lower[k]):
                place[b].document = pairs.lower[base + b]
                place[b].own, place[b].is_upper, place[b].marks = b, 0, 0
                place[b].lift = 0.0

    def __dealloc__(self):
        free(self.seats)
        free(self.kept)

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

    # What the loop asks --------------------------------------------------------------------

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

    # The order -----------------------------------------------------------------------------

    cdef void _build(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_tables):
            self._sort_table(k)
        self.built = True

    cdef void _sort_table(self, Py_ssize_t table) noexcept nogil:
        """Sort a table by value; pairs whose state says otherwise are watched one by one."""
        cdef Py_ssize_t pair, upper, lower, begin = self.place_start[table]
        wp_sort(self.seats + begin, self.place_start[table + 1] - begin, &self.x[0],
                &self.value[0])
        self._note_places(table, 0, self.place_start[table + 1] - begin)
        for pair in range(self.pair_start[table], self.pair_start[table + 1]):
            upper, lower = self._places(pair)
            if (self.state[pair] == (INSIDE if lower < upper else OUTSIDE)
                    and self.dt[pair] == 0.0):
                if self.special_of[pair] >= 0:
                    self._leave_to_order(pair)
            elif self.special_of[pair] < 0:
                self._watch_closely(pair)

    cdef void _note_places(self, Py_ssize_t table, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t k
        cdef wp_place* place = self.seats + self.place_start[table]
        for k in range(begin, end):
            if place[k].is_upper:
                self.where_upper[self.upper_start[table] + place[k].own] = <int> k
            else:
                self.where_lower[self.lower_start[table] + place[k].own] = <int> k

    cdef Py_ssize_t _table(self, Py_ssize_t pair) noexcept nogil:
        return self.table_of[self.first[pair]]

    cdef (Py_ssize_t, Py_ssize_t) _places(self, Py_ssize_t pair) noexcept nogil:
        # Places of the upper and the lower of a pair in the order of their table.
        cdef Py_ssize_t table = self.table_of[self.first[pair]]
        cdef Py_ssize_t own = self.own_of[self.first[pair]]
        cdef Py_ssize_t lower = pair - self.pair_start[table] - own * self.n_lower[table]
        return (self.where_upper[self.upper_start[table] + own],
                self.where_lower[self.lower_start[table] + lower])

    cdef void _watch_closely(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t upper, lower, begin
        if self.special_of[pair] >= 0:
            return
        begin = self.place_start[self._table(pair)]
        upper, lower = self._places(pair)
        self.seats[begin + upper].marks += 1
        self.seats[begin + lower].marks += 1
        self.special[self.n_special] = <int> pair
        self.special_of[pair] = <int> self.n_special
        self.n_special += 1

    cdef void _leave_to_order(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t upper, lower, begin = self.place_start[self._table(pair)]
        cdef int s = self.special_of[pair]
        upper, lower = self._places(pair)
        self.seats[begin + upper].marks -= 1
        self.seats[begin + lower].marks -= 1
        self.n_special -= 1
        self.special[s] = self.special[self.n_special]
        self.special_of[self.special[s]] = s
        self.special_of[pair] = -1

    cdef bint _fit_into_order(self, Py_ssize_t pair) noexcept nogil:
        """Let the order agree with the state of a pair; False if it cannot be done simply."""
        cdef Py_ssize_t upper, lower, early, late, table = self._table(pair)
        upper, lower = self._places(pair)
        if (self.state[pair] == INSIDE) == (lower < upper):
            return True
        early, late = min(upper, lower), max(upper, lower)
        if wp_swap(self.seats + self.place_start[table], early, late, self.kept) != 0:
            return False
        self._note_places(table, early, late + 1)
        return True

    cdef void _tidy(self) noexcept nogil:
        """Give pairs that have left the margin back to the order."""
        cdef Py_ssize_t s = 0, pair
        self.fresh = False
        while s < self.n_special:
            pair = self.special[s]
            if self.state[pair] != FREE and self.dt[pair] == 0.0:
                if pair == self.barred:
                    self.fresh = True
                elif self._fit_into_order(pair):
                    self._leave_to_order(pair)
                    continue
            s += 1

    # One pair ------------------------------------------------------------------------------

    cdef double _now(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t i = self.first[pair], j = self.second[pair]
        cdef double target = self.target_end[pair] - (self.rest - self.pending) * self.dt[pair]
        return target + (self.x[i] - self.x[j]) + self.pending * (self.dx[i] - self.dx[j])

    cdef double _approach(self, Py_ssize_t pair, double* slack) noexcept nogil:
        """The speed of a pair towards its level, and how far that is; 0 on the margin."""
        cdef Py_ssize_t i = self.first[pair], j = self.second[pair]
        cdef double r, speed
        if self.state[pair] == FREE:
            return 0.0
        r = self.target_end[pair] - self.rest * self.dt[pair] + (self.x[i] - self.x[j])
        speed = self.dt[pair] + (self.dx[i] - self.dx[j])
        if self.state[pair] == INSIDE:
            slack[0] = r
            return -speed
        slack[0] = -r
        return speed


def _document_values(pairs, difference):
    """Values of documents with these differences; each query has its own zero."""
    x = np.zeros(pairs.n_documents)
    known = np.zeros(pairs.n_documents, dtype=bool)
    # From the highest level of a query down: the last table of a query has all its documents.
    for k in range(pairs.n_tables - 1, -1, -1):
        upper = pairs.upper[pairs.upper_start[k]:pairs.upper_start[k + 1]]
        lower = pairs.lower[pairs.lower_start[k]:pairs.lower_start[k + 1]]
        if known[upper[0]]:
            continue
        table = difference[pairs.pair_start[k]:pairs.pair_start[k + 1]].reshape(
            len(upper), len(lower))
        x[lower] = -table[0]
        x[upper] = x[lower[0]] + table[:, 0]
        known[upper] = known[lower] = True
    return x
