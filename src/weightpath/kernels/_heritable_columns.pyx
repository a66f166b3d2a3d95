# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Columns handed over to a changed training set, so that only new kernel values are computed.

Known values are copied to their new positions. Where rows only arrive at the end and depart from
the beginning, as when a window slides, they can stay where they are: columns lie in buffers with
room behind them and may begin anywhere in them. Arrivals use up the room; then all are copied once,
with new room.
"""

import numpy as np

from libc.string cimport memcpy
from weightpath.kernels._cached_columns cimport BLOCK, CachedColumns, column_cache

cdef extern from "column_cache.h" nogil:
    void cache_put(column_cache*, Py_ssize_t, double*)
    void cache_set_stride(column_cache*, Py_ssize_t)
    void cache_take(column_cache*, column_cache*, Py_ssize_t)
    int cache_in_use(const column_cache*)

# Room for arrivals, as a share of the rows.
cdef double ROOM = 0.125


cdef class HeritableColumns(CachedColumns):
    """Columns whose values can be handed over to a changed training set."""

    def handover(self, X_new, source, keep=True):
        """Return the columns of a changed training set without computing what is known.

        Parameters
        ----------
        X_new : ndarray or CSR matrix of shape (n_new, p)
            The new training set.
        source : array of shape (n_new,)
            The old row that each new row equals, -1 for a row that is new.
        keep : bool, default=True
            Whether these columns are still needed. If not, the new object may take their memory,
            and room is made for further arrivals.
        """
        cdef HeritableColumns heir = self.sibling(X_new)
        source = np.ascontiguousarray(source, dtype=np.intp)
        if source.shape != (heir.n,) or source.min() < -1 or source.max() >= self.n:
            raise ValueError(
                f"source must have length {heir.n} and name rows 0 ... {self.n - 1}, or -1."
            )
        heir.inherit_costs(self, source)
        gone, n_new = slid(source, self.n)
        if not keep and gone >= 0 and heir.take(self, gone, n_new):
            return heir
        growing = not keep and gone >= 0
        if self.matrix != NULL and heir.may_build:
            heir.inherit_matrix(self, source, growing)
        else:
            heir.inherit_columns(self, source, growing)
        return heir

    cdef inherit_costs(self, HeritableColumns old, const Py_ssize_t[::1] source):
        """What columns have cost so far counts for the new object, too."""
        cdef Py_ssize_t i
        for i in range(self.n):
            if source[i] >= 0:
                self.paid[i] = old.paid[source[i]]
        self.paid_in_all = old.paid_in_all

    cdef bint take(self, HeritableColumns old, Py_ssize_t gone, Py_ssize_t n_new) except -1:
        """Take over what ``old`` holds, where it lies; return whether there was room."""
        if cache_in_use(&old.cache) or n_new >= self.n - n_new:
            return False
        if old.matrix != NULL:
            if not (self.may_build and self.fits(old.before + gone, old.width)):
                return False
            self.take_matrix(old, gone)
            return True
        if not self.fits(old.cache.offset + gone, old.cache.stride):
            return False
        self.set_room(old.cache.stride)
        cache_take(&self.cache, &old.cache, gone)
        if n_new:
            self.compute_rows(self.held(), np.array([[self.n - n_new, self.n]], dtype=np.intp))
        return True

    cdef bint fits(self, Py_ssize_t begin, Py_ssize_t length) noexcept:
        """Whether a column can begin there in a buffer, which is not far too long."""
        return begin + self.n <= length <= 2 * self.n

    cdef set_room(self, Py_ssize_t stride):
        """Make buffers longer, and as many fewer as the budget says."""
        cache_set_stride(&self.cache, stride)
        self.cache.capacity = self.affordable(stride)

    cdef held(self):
        """The indices of the columns in the cache."""
        cdef Py_ssize_t i
        return np.array([i for i in range(self.n) if self.cache.column[i] != NULL], dtype=np.intp)

    cdef take_matrix(self, HeritableColumns old, Py_ssize_t gone):
        cdef Py_ssize_t n_kept = old.n - gone
        self.full, self.before, self.width = old.full, old.before + gone, old.width
        self.matrix = &self.full[self.before, self.before]
        old.matrix, old.full = NULL, None
        kept = np.arange(n_kept, dtype=np.intp)
        self.append_rows(np.arange(n_kept, self.n, dtype=np.intp), kept)

    cdef append_rows(self, Py_ssize_t[::1] new, Py_ssize_t[::1] kept):
        """Compute the rows ``new`` of the matrix, and mirror them into the rows ``kept``."""
        cdef double* out[BLOCK]
        cdef double* matrix = self.matrix
        cdef Py_ssize_t first, count, c, j
        for first in range(0, new.shape[0], BLOCK):
            count = min(<Py_ssize_t>BLOCK, new.shape[0] - first)
            for c in range(count):
                out[c] = matrix + new[first + c] * self.width
            if self.compute(&new[first], count, 0, self.n, out) < 0:
                self.matrix, self.full = NULL, None
                self.raise_error()
        for j in kept:
            for c in new:
                matrix[j * self.width + c] = matrix[c * self.width + j]
        self.n_computed += new.shape[0]

    cdef inherit_matrix(self, HeritableColumns old, source, bint growing):
        """Copy the old matrix; rows that are new are computed, their columns mirrored."""
        cdef Py_ssize_t[::1] new = np.flatnonzero(source < 0)
        cdef Py_ssize_t[::1] kept = np.flatnonzero(source >= 0)
        cdef Py_ssize_t[:, ::1] runs = copy_runs(source)
        cdef const Py_ssize_t[::1] origin = source
        cdef Py_ssize_t j
        if new.shape[0] >= kept.shape[0]:
            if self.build() < 0:
                self.raise_error()
            return
        self.width = self.n
        if growing:
            most = int((1e6 * self.cache_mb / 8.0) ** 0.5)
            self.width = max(self.n, min(most, int((1.0 + ROOM) * self.n)))
        self.full = np.empty((self.width, self.width))
        self.matrix = &self.full[0, 0]
        for j in kept:
            carry(runs, old.matrix + origin[j] * old.width, self.matrix + j * self.width)
        self.append_rows(new, kept)

    cdef inherit_columns(self, HeritableColumns old, source, bint growing):
        """Copy the columns that the old cache holds and compute the entries of new rows."""
        cdef Py_ssize_t[:, ::1] runs = copy_runs(source)
        cdef Py_ssize_t[::1] index
        cdef const Py_ssize_t[::1] origin = source
        cdef double* column
        cdef Py_ssize_t i
        if growing:
            self.set_room(int((1.0 + ROOM) * self.n))
        index = self.inherited(old, source)
        for i in index:
            column = self.slot()
            if column == NULL:
                self.raise_error()
            cache_put(&self.cache, i, column)
            carry(runs, old.known(origin[i]), column)
        self.compute_rows(index, runs_of(np.flatnonzero(source < 0)))

    cdef compute_rows(self, Py_ssize_t[::1] index, Py_ssize_t[:, ::1] gaps):
        """Compute some intervals of rows of the columns ``index``, which are held."""
        cdef double* out[BLOCK]
        cdef Py_ssize_t first, count, c, g
        for first in range(0, index.shape[0], BLOCK):
            count = min(<Py_ssize_t>BLOCK, index.shape[0] - first)
            for g in range(gaps.shape[0]):
                for c in range(count):
                    out[c] = self.cache.column[index[first + c]] + gaps[g, 0]
                if self.compute(&index[first], count, gaps[g, 0], gaps[g, 1], out) < 0:
                    self.raise_error()

    cdef inherited(self, HeritableColumns old, source):
        """The new indices of the columns that ``old`` holds, oldest first, at most ``capacity``."""
        cdef Py_ssize_t i
        held = []
        if old.matrix != NULL:
            held = list(range(old.n))
        else:
            i = old.cache.newer[old.n]
            while i != old.n:
                held.append(i)
                i = old.cache.newer[i]
            held += [i for i in range(old.n) if old.cache.column[i] != NULL and old.cache.pins[i]]
        heir_of = np.full(old.n, -1, dtype=np.intp)
        kept = np.flatnonzero(source >= 0)
        heir_of[source[kept]] = kept
        index = heir_of[np.array(held, dtype=np.intp)]
        index = index[index >= 0]
        return np.ascontiguousarray(index[max(0, index.size - self.cache.capacity):])


cdef slid(source, n):
    """How many first rows went and how many new ones came last; -1 where it is not of that form."""
    cdef Py_ssize_t n_new = np.count_nonzero(source < 0), n_kept = source.size - n_new
    if n_kept == 0 or (source[:n_kept] != np.arange(n - n_kept, n)).any():
        return -1, n_new
    return n - n_kept, n_new


cdef runs_of(index):
    """The intervals ``[begin, end)`` that make up an increasing index array."""
    cut = np.diff(index) != 1
    begin = index[np.r_[True, cut][:index.size]]
    end = index[np.r_[cut, True][:index.size]] + 1
    return np.ascontiguousarray(np.column_stack([begin, end]), dtype=np.intp)


cdef copy_runs(source):
    """Rows (new begin, old begin, length) of the pieces in which known entries are copied."""
    kept = np.flatnonzero(source >= 0)
    old = source[kept]
    first = np.flatnonzero(np.r_[True, (np.diff(kept) != 1) | (np.diff(old) != 1)][:kept.size])
    length = np.diff(np.r_[first, kept.size])
    return np.ascontiguousarray(np.column_stack([kept[first], old[first], length]), dtype=np.intp)


cdef void carry(Py_ssize_t[:, ::1] runs, const double* old, double* new) noexcept nogil:
    """Copy the known entries of a column to their new positions."""
    cdef Py_ssize_t r
    for r in range(runs.shape[0]):
        memcpy(new + runs[r, 0], old + runs[r, 1], runs[r, 2] * sizeof(double))
