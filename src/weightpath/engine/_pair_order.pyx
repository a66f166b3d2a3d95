"""Pairs of documents in the order of their values: which of them an order can tell, and which not.

In a table of pairs one order of all ``rho_i + t`` (uppers) and ``rho_j`` (lowers) tells the state
of every pair: *inside* where the lower comes first, *outside* where the upper does. Pairs whose
state says otherwise, or whose target carries a shift, are *special*: they are watched one by one.
"""

import numpy as np

from libc.stdlib cimport free, malloc

from weightpath.engine._watch cimport Watch

cdef extern from "order.h" nogil:
    int wp_swap(wp_place* place, Py_ssize_t early, Py_ssize_t late, wp_place* kept)
    void wp_sort(wp_place* place, Py_ssize_t n, const double* x, double* value)


cdef class PairOrder(Watch):
    """The values of documents and the order of every table.

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
