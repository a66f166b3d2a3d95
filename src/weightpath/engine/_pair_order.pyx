"""Pairs of documents in the order of their values, and pairs whose state the order does not give.

In a table of pairs one order of all ``rho_i + t`` (uppers) and ``rho_j`` (lowers) gives the state
of every pair: *inside* where the lower comes first, *outside* where the upper does. Pairs whose
state says otherwise, whose target carries a shift or that are about to meet their level are
*special*: they are followed one by one.
"""

import numpy as np

from libc.stdlib cimport free, malloc

from weightpath.engine._sweep cimport FAR

cdef extern from "order.h" nogil:
    ctypedef struct wp_break:
        double worst
        Py_ssize_t upper, lower
    wp_break wp_scan(const wp_seat* seat, Py_ssize_t n, Py_ssize_t n_lower, const double* x,
                     const double* dx, double t, const int* special, double* value,
                     Py_ssize_t* marked)
    wp_break wp_scan_plain(const wp_seat* seat, Py_ssize_t n, const double* x, const double* dx,
                           double t, double* value)
    void wp_scan_twice(const wp_seat* seat, Py_ssize_t n, const double* x, const double* dx,
                       double t, double* worst_now, double* worst_then)
    int wp_swap(wp_seat* seat, Py_ssize_t early, Py_ssize_t late, wp_seat* kept)
    void wp_sort(wp_seat* seat, Py_ssize_t n, const double* x, double* value)

# A table without a meeting within a bound has none within this much more either: what is added to
# the bound for rounding.
cdef double BEYOND = 1.0 + 1e-12


cdef class PairOrder:
    """The values of documents, the order of every table, and the special pairs.

    Parameters
    ----------
    pairs : PreferencePairs
        The pairs.
    difference : ndarray of shape (n_pairs,)
        ``rho_i - rho_j`` of each pair at the start.
    target_end : ndarray of shape (n_pairs,)
        Targets at theta = 1, all equal.
    target_slope : ndarray of shape (n_pairs,)
        How targets move; shared with the loop, changed in place by shifts.
    """

    def __cinit__(self):
        self.seats = self.kept = NULL

    def __init__(self, pairs, difference, double[::1] target_end, double[::1] target_slope):
        self.n = len(pairs)
        if self.n and np.ptp(target_end) != 0.0:
            raise ValueError("The targets of all pairs must be equal.")
        self.first, self.second = pairs.first, pairs.second
        self.pair_start = pairs.pair_start
        self.target_end, self.dt = target_end, target_slope
        self.x = _document_values(pairs, np.asarray(difference))
        self.dx = np.zeros(pairs.n_documents)
        self.state = np.zeros(self.n, dtype=np.uint8)
        self.special_of = np.full(self.n, -1, dtype=np.int32)
        self._make_seats(pairs)
        self.pending, self.rest = 0.0, 1.0
        self.barred = -1

    def _make_seats(self, pairs):
        cdef Py_ssize_t k, a, b, most, base
        cdef wp_seat* seat
        n_upper, n_lower = np.diff(pairs.upper_start), np.diff(pairs.lower_start)
        sizes = n_upper + n_lower
        most = int(sizes.max(initial=0))
        self.n_tables = pairs.n_tables
        self.seat_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
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
        self.n_marks = np.zeros(self.n_tables, dtype=np.intp)
        self.seats = <wp_seat*> malloc((self.seat_start[self.n_tables] + 1) * sizeof(wp_seat))
        self.kept = <wp_seat*> malloc((most + 1) * sizeof(wp_seat))
        self.special = np.empty(self.n, dtype=np.int32)
        self.special_query = np.empty(self.n, dtype=np.int32)
        if self.seats == NULL or self.kept == NULL:
            raise MemoryError("Not enough memory to follow the pairs.")
        target = self.target_end[0] if self.n else 0.0
        for k in range(self.n_tables):
            seat = self.seats + self.seat_start[k]
            base = pairs.upper_start[k]
            for a in range(n_upper[k]):
                seat[a].document = pairs.upper[base + a]
                seat[a].own, seat[a].is_upper, seat[a].marks = a, 1, 0
                seat[a].lift = target
                self.table_of[seat[a].document] = k
                self.own_of[seat[a].document] = a
            seat = seat + <Py_ssize_t> n_upper[k]
            base = pairs.lower_start[k]
            for b in range(n_lower[k]):
                seat[b].document = pairs.lower[base + b]
                seat[b].own, seat[b].is_upper, seat[b].marks = b, 0, 0
                seat[b].lift = 0.0

    def __dealloc__(self):
        free(self.seats)
        free(self.kept)

    # The order -----------------------------------------------------------------------------

    cdef void build(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_tables):
            self.sort_table(k)
        self.built = True

    cdef void sort_table(self, Py_ssize_t table) noexcept nogil:
        """Sort a table by value; pairs whose state says otherwise are followed one by one."""
        cdef Py_ssize_t pair, upper, lower, begin = self.seat_start[table]
        wp_sort(self.seats + begin, self.seat_start[table + 1] - begin, &self.x[0],
                &self.value[0])
        self._note_seats(table, 0, self.seat_start[table + 1] - begin)
        for pair in range(self.pair_start[table], self.pair_start[table + 1]):
            upper, lower = self._seats_of(pair)
            if (self.state[pair] == (INSIDE if lower < upper else OUTSIDE)
                    and self.dt[pair] == 0.0):
                if self.special_of[pair] >= 0:
                    self._drop_special(pair)
            elif self.special_of[pair] < 0:
                self.add_special(pair)

    cdef void _note_seats(self, Py_ssize_t table, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t k
        cdef wp_seat* seat = self.seats + self.seat_start[table]
        for k in range(begin, end):
            if seat[k].is_upper:
                self.where_upper[self.upper_start[table] + seat[k].own] = <int> k
            else:
                self.where_lower[self.lower_start[table] + seat[k].own] = <int> k

    cdef Py_ssize_t table(self, Py_ssize_t pair) noexcept nogil:
        return self.table_of[self.first[pair]]

    cdef (Py_ssize_t, Py_ssize_t) _seats_of(self, Py_ssize_t pair) noexcept nogil:
        # Seats of the upper and the lower of a pair in the order of their table.
        cdef Py_ssize_t table = self.table_of[self.first[pair]]
        cdef Py_ssize_t own = self.own_of[self.first[pair]]
        cdef Py_ssize_t lower = pair - self.pair_start[table] - own * self.n_lower[table]
        return (self.where_upper[self.upper_start[table] + own],
                self.where_lower[self.lower_start[table] + lower])

    cdef void add_special(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t upper, lower, begin
        if self.special_of[pair] >= 0:
            return
        begin = self.seat_start[self.table(pair)]
        upper, lower = self._seats_of(pair)
        self.seats[begin + upper].marks += 1
        self.seats[begin + lower].marks += 1
        self.n_marks[self.table(pair)] += 1
        self.special[self.n_special] = <int> pair
        self.special_query[self.n_special] = <int> self.query_of[self.table(pair)]
        self.special_of[pair] = <int> self.n_special
        self.n_special += 1

    cdef void _drop_special(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t upper, lower, begin = self.seat_start[self.table(pair)]
        cdef int s = self.special_of[pair]
        upper, lower = self._seats_of(pair)
        self.seats[begin + upper].marks -= 1
        self.seats[begin + lower].marks -= 1
        self.n_marks[self.table(pair)] -= 1
        self.n_special -= 1
        self.special[s] = self.special[self.n_special]
        self.special_query[s] = self.special_query[self.n_special]
        self.special_of[self.special[s]] = s
        self.special_of[pair] = -1
        self.quiet[self.query_of[self.table(pair)]] = 0

    cdef bint _is_in_order(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t upper, lower
        upper, lower = self._seats_of(pair)
        return (self.state[pair] == INSIDE) == (lower < upper)

    cdef bint _fit_into_order(self, Py_ssize_t pair) noexcept nogil:
        """Let the order agree with the state of a pair; False if it cannot be done simply."""
        cdef Py_ssize_t upper, lower, early, late, table = self.table(pair)
        upper, lower = self._seats_of(pair)
        if (self.state[pair] == INSIDE) == (lower < upper):
            return True
        early, late = min(upper, lower), max(upper, lower)
        if wp_swap(self.seats + self.seat_start[table], early, late, self.kept) != 0:
            return False
        self._note_seats(table, early, late + 1)
        return True

    cdef void tidy(self, Py_ssize_t query, double ahead) noexcept nogil:
        """Give pairs of a query off the margin that meet no level so far ahead to the order."""
        cdef Py_ssize_t s = 0, pair
        cdef double slack = 0.0, speed
        while s < self.n_special:
            pair = self.special[s]
            if (self.special_query[s] == query and self.state[pair] != FREE
                    and self.dt[pair] == 0.0 and pair != self.barred):
                speed = self.approach(pair, &slack)
                if slack >= ahead * speed and self._fit_into_order(pair):
                    self._drop_special(pair)
                    continue
            s += 1

    cdef void check(self, double tol, double* largest) noexcept nogil:
        """Follow pairs beyond their level by more than ``tol`` one by one from now on.

        Out: the largest distance beyond a level, if it is larger than ``largest``.
        """
        cdef Py_ssize_t s, k, pair
        cdef double worst = 0.0
        if not self.built:
            self.build()
        for s in range(self.n_special):
            pair = self.special[s]
            if self.state[pair] != FREE and self.dt[pair] == 0.0 and not self._is_in_order(pair):
                self.clear[self.table(pair)] = -2.0
        for k in range(self.n_tables):
            if self.clear[k] == -2.0:
                self.sort_table(k)
            while True:
                pair = self.worst_pair(k, 0.0, &worst)
                largest[0] = max(largest[0], worst)
                if worst <= tol:
                    break
                self.add_special(pair)

    cdef Py_ssize_t worst_pair(self, Py_ssize_t table, double step, double* worst) noexcept nogil:
        """The pair of a table that is furthest beyond its level after a step; out: how far."""
        cdef Py_ssize_t begin = self.seat_start[table]
        cdef wp_break found
        if self.n_marks[table] == 0:
            found = wp_scan_plain(
                self.seats + begin, self.seat_start[table + 1] - begin, &self.x[0], &self.dx[0],
                step, &self.value[0])
        else:
            found = wp_scan(
                self.seats + begin, self.seat_start[table + 1] - begin, self.n_lower[table],
                &self.x[0], &self.dx[0], step, &self.special_of[self.pair_start[table]],
                &self.value[0], &self.marked[0])
        worst[0] = found.worst
        if found.upper < 0:
            return -1
        return (self.pair_start[table] + self.seats[begin + found.upper].own * self.n_lower[table]
                + self.seats[begin + found.lower].own)

    cdef void worst_twice(self, Py_ssize_t table, double step, double* now,
                          double* then) noexcept nogil:
        """How far any pair of a table is beyond its level now and after a step."""
        cdef Py_ssize_t begin = self.seat_start[table]
        if self.n_marks[table] == 0:
            wp_scan_twice(self.seats + begin, self.seat_start[table + 1] - begin, &self.x[0],
                          &self.dx[0], step, now, then)
        else:
            self.worst_pair(table, 0.0, now)
            self.worst_pair(table, step, then)

    cdef Py_ssize_t fastest_in(self, Py_ssize_t table, double bound, double* fastest,
                               double* slack) noexcept nogil:
        """The fastest pair of a table that meets its level within bound; -1 if none is faster."""
        cdef Py_ssize_t k, j, pair, best = -1, begin = self.seat_start[table]
        cdef Py_ssize_t n = self.seat_start[table + 1] - begin, base = self.pair_start[table]
        cdef wp_seat* seat = self.seats + begin
        cdef double v, speed, s = 0.0
        cdef double[2] most
        cdef int other
        most[0] = most[1] = -FAR
        for k in range(n):
            v = (self.x[seat[k].document] + bound * self.dx[seat[k].document] + seat[k].lift)
            self.value[k] = v
            other = 1 - seat[k].is_upper
            if most[other] >= v:
                for j in range(k):
                    if seat[j].is_upper != other or self.value[j] < v:
                        continue
                    pair = base + (seat[k].own * self.n_lower[table] + seat[j].own
                                   if other == 0 else
                                   seat[j].own * self.n_lower[table] + seat[k].own)
                    if self.special_of[pair] >= 0:
                        continue
                    speed = self.approach(pair, &s)
                    if speed > fastest[0]:
                        best = pair
                        fastest[0] = speed
                        slack[0] = s
            most[1 - other] = max(most[1 - other], v)
        return best

    cdef double first_break(self, Py_ssize_t table, double bound, double tol,
                            double noise) noexcept nogil:
        """When a pair of the table meets its level and passes it by ``tol``, if before bound."""
        cdef Py_ssize_t pair
        cdef double slack = 0.0, worst = 0.0, speed, met
        self.clear[table] = -1.0
        while True:
            pair = self.worst_pair(table, bound, &worst)
            if worst <= -tol:
                self.clear[table] = BEYOND * bound
            if worst <= tol:
                return bound
            speed = self.approach(pair, &slack)
            if speed <= noise:
                # At rest, yet beyond its level: the order is no longer right for it.
                self.add_special(pair)
                continue
            met = max(0.0, slack + tol) / speed
            if met >= bound:
                return bound
            bound = met

    # One pair ------------------------------------------------------------------------------

    cdef double residual(self, Py_ssize_t pair) noexcept nogil:
        cdef Py_ssize_t i = self.first[pair], j = self.second[pair]
        cdef double target = self.target_end[pair] - (self.rest - self.pending) * self.dt[pair]
        return target + (self.x[i] - self.x[j]) + self.pending * (self.dx[i] - self.dx[j])

    cdef double approach(self, Py_ssize_t pair, double* slack) noexcept nogil:
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
    """Values of documents with these differences; each query has a separate zero."""
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
