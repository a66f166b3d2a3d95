# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Events without anchors, one edge of the path after the other; see ``anchors.py``."""

import numpy as np

from libc.stdint cimport int64_t
from weightpath.problems._position cimport at_knot


cdef most_changes(record, free, knot):
    """How many changes there can be: every anchor comes and goes, from one end to the other."""
    anchors = int(np.diff(record.offset)[free].sum())
    positions = record.initial_position, record.event_to, 2 * np.asarray(knot) + 1
    return record.n_events + 2 * anchors * max(int(p.max(initial=0)) for p in positions)


cdef class AnchorlessEvents:
    """The events of a record, with the members of free segments put back to their knots.

    Parameters
    ----------
    record : Record
        The path.
    free : ndarray of bool, shape (S,)
        The segments whose members are anchors.
    knot : ndarray of int, shape (N,)
        The knot of each margin entry.
    """

    cdef const double[::1] edge, reported_theta
    cdef const int64_t[::1] offset, member, event_count, reported_row, reported_from, reported_to
    cdef const unsigned char[::1] is_free
    cdef const int64_t[::1] knot
    cdef int64_t[::1] position, initial, count
    cdef double[::1] theta
    cdef int64_t[:, ::1] table
    cdef unsigned char[::1] is_added, is_dropped    # of each change
    cdef Py_ssize_t[::1] before         # the change before it of the same row, -1 if there is none
    cdef Py_ssize_t[::1] last           # of each row, the last change that is not dropped, or -1
    cdef Py_ssize_t[::1] touched        # of each row, the last edge where an event names it
    cdef Py_ssize_t n_changes

    def __init__(self, record, free, knot):
        self.edge, self.reported_theta = record.theta, record.event_theta
        self.offset, self.member = record.offset, record.member
        self.event_count, self.reported_row = record.event_count, record.event_index
        self.reported_from, self.reported_to = record.event_from, record.event_to
        self.is_free = np.ascontiguousarray(free, dtype=np.uint8)
        self.knot = np.ascontiguousarray(knot, dtype=np.int64)
        self.position = record.initial_position.copy()
        self.initial = record.initial_position.copy()
        self.count = np.empty(len(record), dtype=np.int64)
        room = most_changes(record, free, knot)
        self.theta, self.table = np.empty(room), np.empty((room, 3), dtype=np.int64)
        self.is_added, self.is_dropped = np.empty((2, room), dtype=np.uint8)
        self.before = np.empty(room, dtype=np.intp)
        self.last, self.touched = np.full((2, record.n_rows), -1, dtype=np.intp)
        self.n_changes = 0

    def rewrite(self):
        """Return the events: their theta, a table of row, position before and position after, how
        many there are before each segment, and the positions before the first one.
        """
        cdef Py_ssize_t v, n_segments = self.event_count.shape[0]
        for v in range(n_segments + 1):
            self.pass_edge(v, n_segments)
            if v < n_segments:
                self.count[v] = self.n_changes
        n = self.n_changes
        return (np.asarray(self.theta)[:n], np.asarray(self.table)[:n], np.asarray(self.count),
                np.asarray(self.initial))

    cdef void pass_edge(self, Py_ssize_t v, Py_ssize_t n_segments) noexcept:
        """Write the changes between segments ``v - 1`` and ``v``, and bring positions there."""
        cdef Py_ssize_t e, i, first = self.n_changes
        cdef Py_ssize_t begin = self.event_count[v - 1] if v > 0 else 0
        cdef Py_ssize_t end = (self.event_count[v] if v < n_segments
                               else self.reported_row.shape[0])
        cdef bint from_free = v > 0 and self.is_free[v - 1]
        cdef bint to_free = v < n_segments and self.is_free[v]
        for e in range(begin, end):
            self.touched[self.reported_row[e]] = v
        if from_free:
            for e in range(self.offset[v - 1], self.offset[v]):
                i = self.member[e]
                # At the end of the path nothing follows that would need an anchor in the margin.
                if v < n_segments or self.touched[i] == v:
                    self.add_steps(v, i, at_knot(self.knot[e]), self.position[i])
        for e in range(begin, end):
            i = self.reported_row[e]
            self.add(self.reported_theta[e], i, self.reported_from[e], self.reported_to[e], False)
            self.position[i] = self.reported_to[e]
        if to_free:
            for e in range(self.offset[v], self.offset[v + 1]):
                i = self.member[e]
                if v == 0 and self.touched[i] != v:
                    # A path that starts with an anchor starts with that row at its knot instead.
                    self.initial[i] = at_knot(self.knot[e])
                else:
                    self.add_steps(v, i, self.position[i], at_knot(self.knot[e]))
        if from_free or to_free:
            self.drop_pairs(first)

    cdef void add_steps(self, Py_ssize_t v, Py_ssize_t row, int64_t here,
                        int64_t there) noexcept:
        """Add the changes, one position each, that lead from here to there."""
        cdef int step = 1 if there > here else -1
        while here != there:
            self.add(self.edge[v], row, here, here + step, True)
            here += step

    cdef void add(self, double theta, Py_ssize_t row, int64_t before, int64_t after,
                  bint is_added) noexcept:
        cdef Py_ssize_t c = self.n_changes
        self.theta[c] = theta
        self.table[c, 0] = row
        self.table[c, 1] = before
        self.table[c, 2] = after
        self.is_added[c] = is_added
        self.n_changes = c + 1

    cdef void drop_pairs(self, Py_ssize_t first) noexcept:
        """Drop pairs of one row's changes that undo each other, if one of the pair was added."""
        cdef Py_ssize_t c, other, row, kept = first
        for c in range(first, self.n_changes):
            row = self.table[c, 0]
            other = self.last[row]
            self.is_dropped[c] = other >= 0 and (self.is_added[c] or self.is_added[other]) and (
                self.table[c, 1] == self.table[other, 2]
                and self.table[c, 2] == self.table[other, 1])
            if self.is_dropped[c]:
                self.is_dropped[other] = True
                self.last[row] = self.before[other]
            else:
                self.before[c] = other
                self.last[row] = c
        for c in range(first, self.n_changes):
            self.last[self.table[c, 0]] = -1
            if not self.is_dropped[c]:
                self.theta[kept] = self.theta[c]
                self.table[kept, :] = self.table[c, :]
                kept += 1
        self.n_changes = kept
