"""Metrics of an order, updated in a few operations when two neighbours swap.

The rows of a query are ranked in *units*: one row, or several with equal scores. A unit has two
numbers ``x`` and ``y`` that add up when units are united, and what it contributes to the metric
depends on these and on their sums over the units above it, ``above_x`` and ``above_y``::

    "pairs"      x * (2 * (rest - above_y) - y)         twice the pairs won, a draw counts half
    "precision"  x * (above_x + x) / (above_x + x + above_y + y)
    "discount"   x / y * sum(discount[above_y : above_y + y])

With the weights of relevant and of other rows as x and y the first two are the AUC and the
average precision; with the gain as x and the number of rows as y the third is the discounted
gain, or the precision among the first rows.

Contributions are rounded to integers, after multiplication by ``factor``. So their sum does not
depend on the order of additions, it never drifts, and equal orders have equal values.
"""

import numpy as np

from libc.math cimport llrint

KINDS = ("pairs", "precision", "discount")

# Values of the metric are integers in units of 1 / UNIT.
UNIT = 2.0**60

cdef enum:
    PAIRS
    PRECISION
    DISCOUNT


cdef class Measure:
    """The mean over queries of a metric of ranked items.

    Parameters
    ----------
    kind : str
        One of KINDS.
    offset : ndarray of intp, shape (n_queries + 1,)
        The items of query ``q`` are those from ``offset[q]`` to ``offset[q + 1] - 1``.
    x, y : ndarray of shape (n_items,)
        See above.
    rest : ndarray of shape (n_queries,)
        Sum of y over the items of the query.
    factor, norm : ndarray of shape (n_queries,)
        The metric of a query is the sum of the rounded contributions divided by norm.
    share : ndarray of shape (n_queries,)
        Weight of the query in the mean.
    discount : ndarray of shape (n,)
        For every rank, from the first; as long as the longest query.
    limit : float
        From this rank on discounts are zero.
    """

    def __init__(self, kind, offset, x, y, rest, factor, norm, share, discount, double limit):
        self.kind = KINDS.index(kind)
        self.offset = np.array(offset, dtype=np.intp)
        self.item_x, self.item_y = x.astype(np.float64), y.astype(np.float64)
        self.n_items, self.n_queries = len(x), len(offset) - 1
        self.query_of = np.repeat(np.arange(self.n_queries, dtype=np.intp), np.diff(offset))
        self.rest, self.factor = rest.astype(np.float64), factor.astype(np.float64)
        self.norm, self.share = norm.astype(np.float64), share * UNIT
        self.discount, self.limit = discount.astype(np.float64), limit
        # In long doubles, where there are any, differences of sums lose nothing.
        total = np.cumsum(discount, dtype=np.longdouble)
        self.cumulative = np.append(0.0, total.astype(np.float64))
        self.x, self.y = np.zeros(len(x)), np.zeros(len(x))
        self.above_x, self.above_y = np.zeros(len(x)), np.zeros(len(x))
        self.part = np.zeros(len(x), dtype=np.int64)
        self.rank = np.zeros(len(x), dtype=np.intp)
        self.occupants = np.zeros(len(x), dtype=np.intp)
        self.sum = np.zeros(self.n_queries, dtype=np.int64)
        self.level = np.zeros(self.n_queries, dtype=np.int64)
        self.misplaced = np.zeros(self.n_queries, dtype=np.intp)
        self.total = 0

    cdef void measure(self, Py_ssize_t q, Py_ssize_t n_units,
                      const unsigned char* deep) noexcept nogil:
        """Everything about a query afresh, from x and y of its units; deep ones are left out."""
        cdef Py_ssize_t base = self.offset[q], u, place = 0
        cdef double above_x = 0.0, above_y = 0.0
        cdef long long total = 0, part
        cdef double* x = &self.x[0]
        cdef double* y = &self.y[0]
        for u in range(base, base + n_units):
            if deep[u]:
                continue
            self.above_x[u], self.above_y[u] = above_x, above_y
            self.rank[u] = place
            self.occupants[base + place] = 1
            part = self._part(q, u)
            self.part[u] = part
            total += part
            above_x += x[u]
            above_y += y[u]
            place += 1
        self.sum[q] = total
        self.misplaced[q] = 0

    cdef long long _part(self, Py_ssize_t q, Py_ssize_t u) noexcept nogil:
        """What a unit contributes."""
        cdef double x = self.x[u], y = self.y[u], above = self.above_y[u], won
        if x == 0.0:
            return 0
        if self.kind == PAIRS:
            won = 2.0 * (self.rest[q] - above) - y
        elif self.kind == PRECISION:
            won = self.above_x[u] + x
            won /= won + above + y
        elif above >= self.limit:
            return 0
        elif y == 1.0:
            won = self.discount[<Py_ssize_t> above]
        else:
            won = (self.cumulative[<Py_ssize_t> (above + y)]
                   - self.cumulative[<Py_ssize_t> above]) / y
        return llrint(x * won * self.factor[q])

    cdef void swap(self, Py_ssize_t u, Py_ssize_t v) noexcept nogil:
        """Unit v overtakes unit u.

        Where many units meet at once, rounding may tell of their crossings in an order in which
        these are not neighbours. Every unit still has as many units above it as have overtaken
        it; the query is ``misplaced`` until the ranks are a permutation again.
        """
        cdef Py_ssize_t q = self.query_of[u]
        if self.misplaced[q] == 0 and self.rank[v] == self.rank[u] + 1:
            self.rank[u] += 1
            self.rank[v] -= 1
        else:
            self._vacate(q, self.rank[u])
            self._vacate(q, self.rank[v])
            self.rank[u] += 1
            self.rank[v] -= 1
            self._occupy(q, self.rank[u])
            self._occupy(q, self.rank[v])
        self.above_x[u] += self.x[v]
        self.above_y[u] += self.y[v]
        self.above_x[v] -= self.x[u]
        self.above_y[v] -= self.y[u]
        self.sum[q] -= self.part[u] + self.part[v]
        self.part[u] = self._part(q, u)
        self.part[v] = self._part(q, v)
        self.sum[q] += self.part[u] + self.part[v]

    cdef void _vacate(self, Py_ssize_t q, Py_ssize_t place) noexcept nogil:
        cdef Py_ssize_t here = self.offset[q] + place
        self.occupants[here] -= 1
        if self.occupants[here] == 0:
            self.misplaced[q] += 1
        elif self.occupants[here] == 1:
            self.misplaced[q] -= 1

    cdef void _occupy(self, Py_ssize_t q, Py_ssize_t place) noexcept nogil:
        cdef Py_ssize_t here = self.offset[q] + place
        self.occupants[here] += 1
        if self.occupants[here] == 1:
            self.misplaced[q] -= 1
        elif self.occupants[here] == 2:
            self.misplaced[q] += 1

    cdef void settle(self, Py_ssize_t q) noexcept nogil:
        """Bring the mean over the queries up to date with the sum of one of them."""
        cdef long long level
        if self.misplaced[q] == 0:
            level = llrint(<double> self.sum[q] / self.norm[q] * self.share[q])
            self.total += level - self.level[q]
            self.level[q] = level
