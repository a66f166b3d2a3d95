"""Queries in which no pair can meet its level for a while: their tables need no pass.

Take the values x and velocities v of the documents of a query at some theta. On the straight line
``x + s v`` the slack of every pair is linear in s, so the least slack of all is concave: between
two thetas at which it is known it is at least the chord of both. The true values leave that line,
as velocities change with every event. The residual of a pair then differs from that on the line by
at most the *spread* of the documents' distances from their lines: the largest minus the least.
While the spread is below the chord, no pair of the query meets its level, and it is *quiet*. The
few pairs that would meet theirs within some steps are left out, and are followed one by one.

On a step of the path the spread is convex in theta and the chord is linear, so it is enough to
compare them at the end of a step before it is taken. The spread costs one pass over the documents,
without an order. Even that is mostly spared: from its value and its speed at the last pass, and the
largest change of any velocity in each event since, follows a bound.
"""

import numpy as np

from libc.string cimport memset

from weightpath.engine._pair_order cimport PairOrder
from weightpath.engine._sweep cimport BLOCK, FAR

cdef extern from "order.h" nogil:
    ctypedef struct wp_spreads:
        double now, speed, then
    wp_spreads wp_spread(const int* document, Py_ssize_t n, const double* x, const double* dx,
                         double t, const double* anchor, const double* course, double since)
    void wp_advance_documents(Py_ssize_t n, double step, Py_ssize_t m, const double** col,
                              const double* coef, const double* g, double* x, double* dx,
                              double* turn)

# How many steps of usual length to look ahead, or as many as there are queries: in as many steps
# one event is to be expected in each.
cdef double LOOK = 16.0

# Pairs of a query that would meet their level so far ahead, and nearly those that would, are
# followed one by one, at most so many. With more the query looks half as far ahead, and so on.
cdef Py_ssize_t MOST = 16
cdef int ATTEMPTS = 4

# Where less than so many steps can be looked ahead, quiet would not last; so many sweeps pass
# before the next attempt.
cdef double WORTH = 1.0
cdef int PAUSE = 3

# Rounding must not decide: this fraction of the slack is not used.
cdef double UNUSED = 1e-6


cdef class QuietQueries:
    """Which queries are quiet, and until when (final).

    Parameters
    ----------
    pairs : PreferencePairs
        The pairs.
    order : PairOrder
        Their order; a pair that comes back to it wakes its query.

    Attributes
    ----------
    n : int
        The number of queries.
    n_settled, n_passes, n_scanned : int
        How often a query became quiet, how often the spread of one was computed, and how often
        the tables of one had to be scanned.
    """

    def __init__(self, pairs, PairOrder order):
        self.order = order
        tables, documents = _queries_of(pairs)
        self.n = len(documents)
        self.table_start = np.array(tables, dtype=np.intp)
        sizes = [len(members) for members in documents]
        self.document_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        self.document = np.concatenate([np.empty(0), *documents]).astype(np.int32)
        self.in_a_row = np.array(
            [m[len(m) - 1] - m[0] == len(m) - 1 for m in documents], dtype=np.uint8)
        self.anchor, self.course = np.zeros((2, len(self.document)))
        self.since, self.until, self.slack_since, self.slack_until = np.zeros((4, self.n))
        self.spread, self.speed = np.zeros((2, self.n))
        first, last = (np.array([m[end * (len(m) - 1)] for m in documents], dtype=np.intp)
                       for end in (0, 1))
        self.first_block, self.last_block = first // BLOCK, last // BLOCK
        self.turn = np.zeros(len(order.x) // BLOCK + 1)
        self.lost = np.zeros(self.n)
        self.wait = np.zeros(self.n, dtype=np.int32)
        order.query_of = np.repeat(np.arange(self.n), np.diff(tables)).astype(np.intp)
        order.quiet = np.zeros(self.n, dtype=np.uint8)

    cdef void wake_all(self) noexcept nogil:
        if self.n:
            memset(&self.order.quiet[0], 0, self.n)

    cdef void advance(self, const double** col, const double* coef, Py_ssize_t m,
                      const double* g) noexcept nogil:
        """Take the pending step and the new velocities; bound what they do to the spreads."""
        cdef Py_ssize_t q, block
        cdef double most = 0.0, turn
        wp_advance_documents(self.order.x.shape[0], self.order.pending, m, col, coef, g,
                             &self.order.x[0], &self.order.dx[0], &self.turn[0])
        self.note_step()
        for block in range(self.turn.shape[0]):
            most = max(most, self.turn[block])
        for q in range(self.n):
            if not self.order.quiet[q]:
                continue
            turn = most
            if self.in_a_row[q]:
                turn = 0.0
                for block in range(self.first_block[q], self.last_block[q] + 1):
                    turn = max(turn, self.turn[block])
            # Two documents may turn away from each other.
            self.speed[q] += 2.0 * turn

    cdef void note_step(self) noexcept nogil:
        """The documents have taken the pending step."""
        cdef Py_ssize_t q
        cdef double step = self.order.pending
        self.order.rest -= step
        self.order.pending = 0.0
        for q in range(self.n):
            self.spread[q] += step * self.speed[q]
        # A mean in which the last ten steps count most.
        self.usual_step += 0.1 * (step - self.usual_step)

    cdef double first_break(self, double bound, double tol, double noise) noexcept nogil:
        """When the first pair in any table meets its level and passes it by ``tol``.

        Pairs that were followed one by one before are left to the caller.
        """
        cdef Py_ssize_t q
        self.tolerance, self.noise, self.next_meeting = tol, noise, FAR
        # Those that are not quiet first: a shorter step is easier for the others.
        for q in range(self.n):
            if self.order.quiet[q]:
                continue
            if self.wait[q] > 0:
                self.wait[q] -= 1
            elif self._settle(q):
                continue
            self.order.tidy(q, 0.0)
            bound = self._scan(q, bound)
        for q in range(self.n):
            if self.order.quiet[q] and not self._stays_quiet(q, bound):
                self.order.quiet[q] = 0
                if not self._settle(q) or not self._stays_quiet(q, bound):
                    self.order.quiet[q] = 0
                    self.order.tidy(q, 0.0)
                    bound = self._scan(q, bound)
        # Pairs may have been singled out just now.
        return min(bound, self.next_meeting)

    cdef double _scan(self, Py_ssize_t query, double bound) noexcept nogil:
        cdef Py_ssize_t k
        self.n_scanned += 1
        for k in range(self.table_start[query], self.table_start[query + 1]):
            bound = self.order.first_break(k, bound, self.tolerance, self.noise)
        return bound

    cdef bint _stays_quiet(self, Py_ssize_t query, double bound) noexcept nogil:
        """Whether no pair of a quiet query meets its level within the bound."""
        cdef Py_ssize_t begin = self.document_start[query]
        cdef Py_ssize_t n = self.document_start[query + 1] - begin
        cdef Py_ssize_t first = self.document[begin] if self.in_a_row[query] else 0
        cdef double left = self.order.rest - bound, gone = self.since[query] - left
        cdef double share = gone / (self.since[query] - self.until[query])
        cdef double chord = (1.0 - UNUSED) * (
            (1.0 - share) * self.slack_since[query] + share * self.slack_until[query])
        cdef wp_spreads found
        if left < self.until[query]:
            self.lost[query] *= 0.5
            return False
        if self.spread[query] + bound * self.speed[query] <= chord:
            return True
        self.n_passes += 1
        found = wp_spread(
            NULL if self.in_a_row[query] else &self.document[begin], n, &self.order.x[first],
            &self.order.dx[first], bound, &self.anchor[begin], &self.course[begin],
            gone - bound)
        self.spread[query], self.speed[query] = found.now, found.speed
        if found.then <= chord:
            return True
        # So much slack is lost to the spread: the next time pairs that have less are singled out.
        self.lost[query] = max(self.lost[query], found.then)
        return False

    cdef bint _settle(self, Py_ssize_t query) noexcept nogil:
        """Take the lines of a query from here, if it can be quiet for some steps."""
        cdef Py_ssize_t k, d, attempt
        cdef double ahead = min(self.order.rest, max(LOOK, <double> self.n) * self.usual_step)
        cdef double now = 0.0, then = 0.0
        self.wait[query] = PAUSE
        for attempt in range(ATTEMPTS):
            if ahead <= WORTH * self.usual_step:
                return False
            if attempt == 0:
                self.order.tidy(query, ahead)
            if self._single_out(query, ahead):
                break
            ahead *= 0.5
        else:
            return False
        self.slack_since[query] = self.slack_until[query] = FAR
        for k in range(self.table_start[query], self.table_start[query + 1]):
            self.order.worst_twice(k, ahead, &now, &then)
            self.slack_since[query] = min(self.slack_since[query], -now)
            self.slack_until[query] = min(self.slack_until[query], -then)
        if self.slack_since[query] < 0.0 or self.slack_until[query] < 0.0:
            return False
        for k in range(self.document_start[query], self.document_start[query + 1]):
            d = self.document[k]
            self.anchor[k], self.course[k] = self.order.x[d], self.order.dx[d]
        for k in range(self.table_start[query], self.table_start[query + 1]):
            self.order.clear[k] = FAR
        self.since[query], self.until[query] = self.order.rest, self.order.rest - ahead
        self.spread[query] = self.speed[query] = 0.0
        self.order.quiet[query] = 1
        self.wait[query] = 0
        self.n_settled += 1
        return True

    cdef bint _single_out(self, Py_ssize_t query, double ahead) noexcept nogil:
        """Follow the pairs that would meet their level so far ahead one by one; if they are few."""
        cdef Py_ssize_t k, pair, count = 0
        cdef double worst = 0.0, slack = 0.0, speed
        for k in range(self.table_start[query], self.table_start[query + 1]):
            while True:
                pair = self.order.worst_pair(k, ahead, &worst)
                if pair < 0 or worst <= -self.lost[query]:
                    break
                if count == MOST:
                    return False
                speed = self.order.approach(pair, &slack)
                if speed > self.noise:
                    self.next_meeting = min(
                        self.next_meeting, (max(slack, 0.0) + self.tolerance) / speed)
                self.order.add_special(pair)
                count += 1
        return True


def _queries_of(pairs):
    """Where the tables of each query begin, and its documents in order."""
    tables, documents, members = [], [], []
    known = np.zeros(pairs.n_documents, dtype=bool)
    for k in range(pairs.n_tables):
        upper = pairs.upper[pairs.upper_start[k]:pairs.upper_start[k + 1]]
        lower = pairs.lower[pairs.lower_start[k]:pairs.lower_start[k + 1]]
        # The tables of a query follow one another and share their lowest documents.
        if not known[lower[0]]:
            tables.append(k)
            members = []
            documents.append(members)
        known[upper] = known[lower] = True
        members += [upper, lower]
    return tables + [pairs.n_tables], [np.unique(np.concatenate(d)) for d in documents]
