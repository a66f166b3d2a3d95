# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The linear kernel in the space of the features: no column as long as there are rows.

The matrix is ``X X'``. A column is kept in its short form, the row itself, and the product with
coefficients is the normal vector ``w = X'v``. It is remembered with the coefficients that it
belongs to: most products differ from the one before in few of them.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from weightpath.kernels._columns cimport Columns
from weightpath.kernels._feature_rows cimport (
    FeatureRows, feature_copy, feature_dot, feature_dots, feature_sums,
)

cdef extern from "kernels/pinned_slots.h" nogil:
    int slots_open(pinned_slots*, Py_ssize_t, Py_ssize_t)
    void slots_close(pinned_slots*)
    double* slots_pin(pinned_slots*, Py_ssize_t)
    void slots_unpin(pinned_slots*, Py_ssize_t)
    double* slots_take(pinned_slots*, Py_ssize_t)

# A normal vector is brought up to date where at most one coefficient out of so many has changed,
# and not more often than this: its roundings, and those of the sizes, stay those of a sum over all
# rows.
cdef Py_ssize_t FEW = 8
cdef Py_ssize_t MOST_UPDATES = 64

# Nor where its terms have become so much smaller: it would keep the roundings of those of before.
cdef double SMALLER = 0.5


cdef class FeatureColumns(Columns):
    """Columns of the linear kernel of dense rows, in their short form (final).

    Parameters
    ----------
    rows : FeatureRows
    kernel : Kernel
        The linear kernel, for :meth:`long_form`.
    cache_mb : float
        The budget of the columns of :meth:`long_form`.
    """

    def __cinit__(self):
        memset(&self.slots, 0, sizeof(pinned_slots))

    def __init__(self, FeatureRows rows, kernel, double cache_mb, *, diagonal=None, center=None,
                 distance=None):
        self.rows, self.kernel, self.cache_mb = rows, kernel, cache_mb
        self.n = rows.n
        self.center = rows.mean() if center is None else center
        self.diag = rows.squares() if diagonal is None else diagonal
        if distance is None:
            distance = np.sqrt(rows.squares(np.asarray(self.center)))
        self.distance = distance
        self.normal, self.sum, self.lost, self.sizes, self.rounded = np.zeros((5, rows.p))
        self.last = np.empty(0)
        if slots_open(&self.slots, self.n if rows.rows.wide == NULL else 0, rows.p) < 0:
            raise MemoryError("No memory for rows of features.")

    def __dealloc__(self):
        slots_close(&self.slots)

    @property
    def features(self):
        """The rows."""
        return self.rows

    @property
    def n_bytes(self):
        """Bytes of columns held now, besides the data themselves."""
        return 8 * self.slots.n_slots * self.rows.p

    def long_form(self):
        """Return columns as long as there are rows, for what needs all their entries."""
        rows = None if self.rows.rows.index == NULL else self.rows.positions
        return self.kernel.columns(self.rows.X, self.cache_mb, rows)

    # Rows that come and go -----------------------------------------------------------------

    def only(self, index):
        """Return the columns of some of the rows, without a copy of the data.

        ``None`` where that would keep twice the memory that they need.
        """
        rows = np.ascontiguousarray(np.arange(self.n, dtype=np.intp)[index])
        if 2 * rows.size < self.rows.X.shape[0]:
            return None
        return FeatureColumns(
            self.rows.chosen(rows), self.kernel, self.cache_mb,
            diagonal=np.asarray(self.diag)[rows], center=self.center,
            distance=np.asarray(self.distance)[rows])

    def handover(self, X_new, source, keep=True):
        """Return the columns of a changed training set; see ``HeritableColumns.handover``."""
        rows, source = FeatureRows(X_new), np.ascontiguousarray(source, dtype=np.intp)
        new = source < 0
        diagonal, distance = np.asarray(self.diag)[source], np.asarray(self.distance)[source]
        if new.any():
            some = rows.chosen(np.flatnonzero(new))
            diagonal[new] = some.squares()
            distance[new] = np.sqrt(some.squares(np.asarray(self.center)))
        return FeatureColumns(rows, self.kernel, self.cache_mb, diagonal=diagonal,
                              center=self.center, distance=distance)

    def slide(self, X_new, Py_ssize_t n_gone, Py_ssize_t n_new):
        """Return the columns of a training set that has slid; see ``HeritableColumns.slide``."""
        kept = np.arange(n_gone, self.n, dtype=np.intp)
        return self.handover(X_new, np.concatenate([kept, np.full(n_new, -1, dtype=np.intp)]))

    # Columns in their short form -----------------------------------------------------------

    cdef Py_ssize_t length(self) noexcept nogil:
        return self.rows.p

    cdef bint holds(self, Py_ssize_t i) noexcept nogil:
        return True

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        cdef double* out
        if self.rows.rows.wide != NULL:
            if self.rows.rows.index != NULL:
                i = self.rows.rows.index[i]
            return self.rows.rows.wide + i * self.rows.rows.stride
        out = slots_pin(&self.slots, i)
        if out == NULL:
            out = slots_take(&self.slots, i)
            if out == NULL:
                with gil:
                    self.fail(MemoryError("No memory for a row of features."))
                return NULL
            feature_copy(&self.rows.rows, i, out)
        return out

    cdef void unpin(self, Py_ssize_t i) noexcept nogil:
        if self.rows.rows.wide == NULL:
            slots_unpin(&self.slots, i)

    cdef double entry(self, const double* column, Py_ssize_t i) noexcept nogil:
        return feature_dot(&self.rows.rows, i, column)

    # Products ------------------------------------------------------------------------------

    cdef Py_ssize_t _compare(self, const double* v) noexcept nogil:
        """Note how these coefficients differ from the last ones; in how many places they do."""
        cdef Py_ssize_t i, n_changed = 0
        if self.last.shape[0] != self.n:
            with gil:
                self.last, self.change, self.growth = np.zeros((3, self.n))
            self.updates = MOST_UPDATES
        for i in range(self.n):
            self.change[i] = v[i] - self.last[i]
            self.growth[i] = fabs(v[i]) - fabs(self.last[i])
            n_changed += v[i] != self.last[i]
        return n_changed

    cdef void _sum_up(self, const double* v, Py_ssize_t n_changed) noexcept nogil:
        """Make the normal vector that of these coefficients, which were compared with the last."""
        cdef Py_ssize_t i
        if n_changed == 0 and self.updates < MOST_UPDATES:
            return
        self.updates += 1
        if FEW * n_changed > self.n or self.updates >= MOST_UPDATES:
            self._sum_afresh(v)
        else:
            self._add_changes()
            if self._largest_size() < SMALLER * self.peak:
                self._sum_afresh(v)
        for i in range(self.n):
            self.last[i] = v[i]

    cdef void _sum_afresh(self, const double* v) noexcept nogil:
        cdef Py_ssize_t i
        self.updates, self.peak = 0, 0.0
        memset(&self.sum[0], 0, self.rows.p * sizeof(double))
        memset(&self.lost[0], 0, self.rows.p * sizeof(double))
        memset(&self.sizes[0], 0, self.rows.p * sizeof(double))
        for i in range(self.n):
            self.change[i], self.growth[i] = v[i], fabs(v[i])
        self._add_changes()

    cdef void _add_changes(self) noexcept nogil:
        cdef Py_ssize_t j
        feature_sums(&self.rows.rows, self.n, &self.change[0], &self.growth[0], &self.sum[0],
                     &self.lost[0], &self.sizes[0])
        for j in range(self.rows.p):
            self.normal[j] = self.sum[j] + self.lost[j]
        self.peak = max(self.peak, self._largest_size())

    cdef double _largest_size(self) noexcept nogil:
        cdef Py_ssize_t j
        cdef double largest = 0.0
        for j in range(self.rows.p):
            largest = max(largest, self.sizes[j])
        return largest

    cdef const double* gather(self, const double* v) noexcept nogil:
        self._sum_up(v, self._compare(v))
        return &self.normal[0]

    cdef int spread(self, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i, n_changed = self._compare(v), n_terms = 0
        for i in range(self.n):
            n_terms += v[i] != 0.0
        if n_changed < n_terms:
            self._sum_up(v, n_changed)
            memcpy(out, &self.normal[0], self.rows.p * sizeof(double))
            return 0
        # Velocities and the like, which say nothing of the next product.
        memset(out, 0, self.rows.p * sizeof(double))
        memset(&self.rounded[0], 0, self.rows.p * sizeof(double))
        feature_sums(&self.rows.rows, self.n, v, NULL, out, &self.rounded[0], NULL)
        for i in range(self.rows.p):
            out[i] += self.rounded[i]
        return 0

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        feature_dots(&self.rows.rows, NULL, self.n, self.gather(v), out)
        return 0

    cdef double term_size(self, const double* column, double size) noexcept nogil:
        # The terms of the normal vector itself may cancel.
        cdef Py_ssize_t j
        cdef double total = 0.0
        for j in range(self.rows.p):
            total += fabs(column[j]) * self.sizes[j]
        return max(size, total)
