"""The order of scores that are linear in theta on every segment, and a metric of that order.

On a segment two lines cross if their order at its start is not that at its end, and then once. An
insertion sort that takes the start's order to the end's meets exactly these pairs, in as many
operations as there are items and crossings. All crossings of a segment are then made in the order
of theta. Every segment begins from the sorted scores at its start and ends with those at its end,
so an error cannot outlive a segment, and scores may jump between segments.

Scores closer than a tolerance ``tol`` are not distinguished. Such items are at the start of a
segment in the order that they have at its end, and at its end in the order of its start: they
cross at the breakpoint, not inside. Items that are together at both ends are equal throughout, one
unit. "Closer" means linked by gaps of at most ``tol`` in the sorted scores, an equivalence.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.string cimport memcpy

from weightpath.curves._crossings cimport Crossing, Crossings, Steps
from weightpath.curves._measure cimport Measure

# Lines are equal if at both ends of a segment they differ by no more than this many units of
# rounding of the largest score. Scores are sums of many products, whose errors mostly cancel. What
# differs by less cannot be told from equal, and least of all where it crosses.
cdef double TIE = 32.0


cdef class Order(Measure):
    """Follows the order of items along a path.

    Parameters
    ----------
    *measure
        Those of :class:`~weightpath.curves._measure.Measure`.
    resolution : float
        Segments no longer than this are passed over.
    """

    def __init__(self, *measure, double resolution):
        super().__init__(*measure)
        n = self.n_items
        self.crossings, self.steps = Crossings(), Steps()
        self.resolution, self.begun, self.told = resolution, False, 0
        self.order = np.arange(n, dtype=np.int32)
        self.spare, self.cluster = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
        self.end = np.zeros(n)
        # Nothing has been measured yet, as after a tie.
        self.tied = np.ones(self.n_queries, dtype=np.uint8)
        # For every query one entry more, where its last unit ends.
        self.first = np.zeros(n + self.n_queries, dtype=np.int32)
        self.place = np.zeros(n, dtype=np.int32)
        self.start_of, self.end_of, self.overtaken = np.zeros(n), np.zeros(n), np.zeros(n)
        self.deep = np.zeros(n, dtype=np.uint8)

    def follow(self, const double[::1] left, const double[::1] right, const double[:, ::1] value,
               const double[:, ::1] slope):
        """Follow consecutive segments.

        Parameters
        ----------
        left, right : ndarray of shape (n_segments,)
            Their ends.
        value, slope : ndarray of shape (n_segments, n_items)
            Scores at the left ends, and their slopes.

        Returns
        -------
        theta : ndarray of shape (n_steps,)
            Where the metric takes a new value, increasing; first of all where the path begins.
        level : ndarray of int64, shape (n_steps,)
            That value, times UNIT.
        """
        cdef Py_ssize_t s
        cdef int answer = 0
        if value.shape[1] != self.n_items or slope.shape[1] != self.n_items:
            raise ValueError(f"Expected scores of {self.n_items} items, got {value.shape[1]}.")
        self.steps.size = 0
        with nogil:
            for s in range(left.shape[0]):
                if right[s] - left[s] > self.resolution or not self.begun:
                    answer = self._segment(left[s], right[s], &value[s, 0], &slope[s, 0])
                    if answer < 0:
                        break
        if answer < 0:
            raise MemoryError("The crossings of the scores do not fit into the memory.")
        return self.steps.arrays()

    cdef int _segment(self, double left, double right, const double* value,
                      const double* slope) noexcept nogil:
        cdef Py_ssize_t q
        cdef double tol = TIE * DBL_EPSILON * self._ends(right - left, value, slope)
        cdef bint calm
        self.crossings.size = 0
        for q in range(self.n_queries):
            calm = not self.tied[q] and self._is_sorted(q, tol, value)
            if calm and self._is_sorted(q, tol, &self.end[0]):
                continue
            if self._query(q, left, right, tol, value, calm) < 0:
                return -1
        return -1 if self._tell(left) < 0 else self._cross()

    cdef double _ends(self, double length, const double* value, const double* slope) noexcept nogil:
        """Scores at the right end; return the largest size of a score."""
        cdef Py_ssize_t i
        cdef double high = 0.0, low = 0.0, end_high = 0.0, end_low = 0.0
        cdef double* end = &self.end[0]
        for i in range(self.n_items):
            end[i] = value[i] + length * slope[i]
            high, low = max(high, value[i]), min(low, value[i])
            end_high, end_low = max(end_high, end[i]), min(end_low, end[i])
        return max(max(high, end_high), -min(low, end_low))

    cdef bint _is_sorted(self, Py_ssize_t q, double tol, const double* score) noexcept nogil:
        """Whether the order is that of these scores, without ties."""
        cdef Py_ssize_t p
        cdef const int* order = &self.order[0]
        for p in range(self.offset[q] + 1, self.offset[q + 1]):
            if score[order[p - 1]] - score[order[p]] <= tol:
                return False
        return True

    cdef int _query(self, Py_ssize_t q, double left, double right, double tol,
                    const double* value, bint calm) noexcept nogil:
        """One query on one segment: order and value at the start, order at the end, crossings.

        If ``calm`` its order at the start is known to be that at the end of the last segment.
        """
        cdef Py_ssize_t begin = self.crossings.size, n_units
        cdef bint was_tied = self.tied[q]
        cdef int moved = 0
        if calm:
            n_units = self._spread(q, value)
        else:
            moved = self._sort_start(q, tol, value)
            if moved < 0:
                return -1
            n_units = self._unite(q, tol, value)
        if self._sort_end(q, n_units) < 0:
            return -1
        self._find_deep(q, n_units, begin)
        if self.crossings.size > begin:
            self._finish_order(q, n_units, tol)
            self._keep_crossings(begin, left, right)
        if moved or was_tied or self.tied[q] or self.crossings.size > begin:
            self.measure(q, n_units, &self.deep[0])
            self.settle(q)
        return 0

    cdef Py_ssize_t _spread(self, Py_ssize_t q, const double* value) noexcept nogil:
        """Make every item a unit; return how many there are."""
        cdef Py_ssize_t base = self.offset[q], last = self.offset[q + 1], u
        cdef const int* order = &self.order[0]
        cdef const double* end = &self.end[0]
        cdef const double* item_x = &self.item_x[0]
        cdef const double* item_y = &self.item_y[0]
        cdef double* start_of = &self.start_of[0]
        cdef double* end_of = &self.end_of[0]
        cdef double* x = &self.x[0]
        cdef double* y = &self.y[0]
        for u in range(base, last):
            start_of[u], end_of[u] = value[order[u]], end[order[u]]
            x[u], y[u] = item_x[order[u]], item_y[order[u]]
        return last - base

    cdef int _sort_start(self, Py_ssize_t q, double tol, const double* value) noexcept nogil:
        """Sort by the scores at the start, and close ones by those at the end.

        1 if items have moved, 0 if not, -1 when memory is short. Items that are close have the
        same ``cluster`` at their ranks.
        """
        cdef Py_ssize_t base = self.offset[q], last = self.offset[q + 1], p = base, r, s
        cdef int* order = &self.order[0]
        cdef int moved = self.crossings.sort_indices(order + base, last - base, value)
        cdef int answer
        while p < last and moved >= 0:
            r = p + 1
            while r < last and value[order[r - 1]] - value[order[r]] <= tol:
                r += 1
            if r - p > 1:
                answer = self.crossings.sort_indices(order + p, r - p, &self.end[0])
                moved = answer if answer < 0 else moved | answer
            for s in range(p, r):
                self.cluster[s] = <int> r
            p = r
        return moved

    cdef Py_ssize_t _unite(self, Py_ssize_t q, double tol, const double* value) noexcept nogil:
        """Make units of the items that are close at both ends; return how many there are."""
        cdef Py_ssize_t base = self.offset[q], last = self.offset[q + 1], p, u = base - 1
        cdef int i
        self.tied[q] = False
        for p in range(base, last):
            i = self.order[p]
            if (p > base and self.cluster[p] == self.cluster[p - 1]
                    and self.end[self.order[p - 1]] - self.end[i] <= tol):
                self.x[u] += self.item_x[i]
                self.y[u] += self.item_y[i]
                self.tied[q] = True
                continue
            u += 1
            self.first[u + q] = <int> p
            self.start_of[u], self.end_of[u] = value[i], self.end[i]
            self.x[u], self.y[u] = self.item_x[i], self.item_y[i]
        self.first[u + 1 + q] = <int> last
        return u + 1 - base

    cdef int _sort_end(self, Py_ssize_t q, Py_ssize_t n_units) noexcept nogil:
        """Sort the units by their scores at the end; note every pair that changes sides."""
        cdef Py_ssize_t base = self.offset[q], u, r
        cdef const double* end_of = &self.end_of[0]
        cdef int* place = &self.place[0]
        for u in range(base, base + n_units):
            r = u
            while r > base and end_of[place[r - 1]] < end_of[u]:
                place[r] = place[r - 1]
                r -= 1
                if self.crossings.add(place[r], <int> u) < 0:
                    return -1
            place[r] = <int> u
        return 0

    cdef void _finish_order(self, Py_ssize_t q, Py_ssize_t n_units, double tol) noexcept nogil:
        """Order of the items at the end: by score, close ones as at the start.

        Units that are close at the end have the same ``cluster``.
        """
        cdef Py_ssize_t base = self.offset[q], last = base + n_units, p = base, r, s, t
        cdef const double* end_of = &self.end_of[0]
        cdef int* place = &self.place[0]
        cdef int* cluster = &self.cluster[0]
        cdef int* spare = &self.spare[0]
        cdef int u
        while p < last:
            r = p + 1
            while r < last and end_of[place[r - 1]] - end_of[place[r]] <= tol:
                r += 1
            for s in range(p, r):
                u = place[s]
                cluster[u] = <int> r
                t = s
                while t > p and place[t - 1] > u:
                    place[t] = place[t - 1]
                    t -= 1
                place[t] = u
            p = r
        s = base
        for p in range(base, last):
            if not self.tied[q]:
                spare[p] = self.order[place[p]]
                continue
            for r in range(self.first[place[p] + q], self.first[place[p] + 1 + q]):
                spare[s] = self.order[r]
                s += 1
        memcpy(&self.order[base], spare + base, (self.offset[q + 1] - base) * sizeof(int))

    cdef void _find_deep(self, Py_ssize_t q, Py_ssize_t n_units, Py_ssize_t begin) noexcept nogil:
        """Find the units below the limit all the time, even if they only overtake.

        What they do cannot be seen above the limit: the others have the same ranks there if
        deep units are left out of the order.
        """
        cdef Py_ssize_t base = self.offset[q], u, c
        cdef double above = 0.0
        cdef double* overtaken = &self.overtaken[0]
        cdef unsigned char* deep = &self.deep[0]
        if self.rest[q] <= self.limit:
            return
        for u in range(base, base + n_units):
            overtaken[u] = 0.0
        for c in range(begin, self.crossings.size):
            u = self.crossings.items[c].lower
            overtaken[u] += self.y[self.crossings.items[c].upper]
        for u in range(base, base + n_units):
            deep[u] = above - overtaken[u] >= self.limit
            above += self.y[u]

    cdef void _keep_crossings(self, Py_ssize_t begin, double left, double right) noexcept nogil:
        """Say where the crossings are; leave out those of deep units and of close ones."""
        cdef Py_ssize_t c, kept = begin
        cdef Crossing* items = self.crossings.items
        cdef int u, v
        cdef double before, after, theta
        for c in range(begin, self.crossings.size):
            u, v = items[c].upper, items[c].lower
            if self.cluster[u] == self.cluster[v] or self.deep[u] or self.deep[v]:
                continue
            before = self.start_of[u] - self.start_of[v]
            after = self.end_of[v] - self.end_of[u]
            theta = left + (right - left) * (before / (before + after))
            items[kept].key = min(right, theta)
            items[kept].upper, items[kept].lower = u, v
            kept += 1
        self.crossings.size = kept

    cdef int _cross(self) noexcept nogil:
        """Make all crossings of a segment, in the order of theta."""
        cdef Py_ssize_t c
        cdef int u
        self.crossings.sort()
        for c in range(self.crossings.size):
            u = self.crossings.items[c].upper
            self.swap(u, self.crossings.items[c].lower)
            self.settle(self.query_of[u])
            if self._tell(self.crossings.items[c].key) < 0:
                return -1
        return 0

    cdef int _tell(self, double theta) noexcept nogil:
        """Note the mean over queries if it is new."""
        if self.begun and self.total == self.told:
            return 0
        self.begun, self.told = True, self.total
        return self.steps.add(theta, self.total)
