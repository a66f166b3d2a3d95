# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Columns handed over to a changed training set, so that only new kernel values are computed.

Known values are copied to their new positions. Where rows only arrive at the end and depart from
the beginning, as when a window slides, they can stay where they are: columns lie in buffers with
room behind them and may begin anywhere in them. Arrivals use up the room; then all are moved to the
beginning, if rows that departed have left enough room there, or copied once, with new room.
"""

import numpy as np

from libc.string cimport memcpy, memmove
from weightpath.kernels._cached_columns cimport BLOCK, CachedColumns, column_cache, square

cdef extern from "column_cache.h" nogil:
    void cache_clear(column_cache*)
    void cache_put(column_cache*, Py_ssize_t, double*)
    void cache_return(column_cache*, double*)
    void cache_set_stride(column_cache*, Py_ssize_t)
    void cache_take(column_cache*, column_cache*, Py_ssize_t)
    void cache_take_rows(column_cache*, column_cache*, const Py_ssize_t*, const Py_ssize_t*,
                         Py_ssize_t)
    int cache_in_use(const column_cache*)

# Room for arrivals, as a share of the rows.
cdef double ROOM = 0.125

# Moving all columns is worth it for room for so many, likewise.
cdef double LEAST_ROOM = 0.0625


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
        cdef HeritableColumns heir
        cdef Py_ssize_t n = X_new.shape[0]
        source = np.ascontiguousarray(source, dtype=np.intp)
        if source.shape != (n,) or source.min() < -1 or source.max() >= self.n:
            raise ValueError(
                f"source must have length {n} and name rows 0 ... {self.n - 1}, or -1."
            )
        gone, n_new = slid(source, self.n)
        if gone < 0:
            heir = self.sibling(X_new)
            heir.inherit_costs(self, source)
            if keep or n_new or not heir.take_rows(self, source):
                heir.inherit(self, source, False)
            return heir
        heir = self.slid_sibling(X_new, gone, n_new)
        heir.slide_costs(self, gone)
        if keep or not heir.take(self, gone, n_new):
            heir.inherit(self, source, not keep)
        return heir

    def slide(self, X_new, Py_ssize_t n_gone, Py_ssize_t n_new):
        """Return the columns of a training set whose first rows went, with new ones at its end.

        As ``handover(..., keep=False)``: these columns are no longer needed.

        Parameters
        ----------
        X_new : ndarray or CSR matrix of shape (n - n_gone + n_new, p)
            The new training set.
        n_gone : int
            How many of the first rows went.
        n_new : int
            How many of its last rows are new.
        """
        cdef HeritableColumns heir
        cdef Py_ssize_t n_kept = self.n - n_gone
        if n_kept > 0:
            heir = self.slid_sibling(X_new, n_gone, n_new)
            heir.slide_costs(self, n_gone)
            if heir.take(self, n_gone, n_new) or heir.take_back(self, n_gone, n_new):
                return heir
        kept = np.arange(n_gone, self.n, dtype=np.intp)
        source = np.concatenate([kept, np.full(n_new, -1, dtype=np.intp)])
        heir = self.handover(X_new, source, keep=False)
        if not cache_in_use(&self.cache):
            # A path that fails goes back to these, and computes them again.
            self.matrix, self.full = NULL, None
            cache_clear(&self.cache)
        return heir

    cdef const double* row(self, Py_ssize_t i) noexcept nogil:
        return self.known(i) if self.is_symmetric else NULL

    cdef HeritableColumns slid_sibling(self, X_new, Py_ssize_t gone, Py_ssize_t n_new):
        """Columns, none computed yet, of a training set that has slid; a subclass may know more."""
        return self.sibling(X_new)

    cdef inherit(self, HeritableColumns old, source, bint growing):
        if old.matrix != NULL and self.may_build:
            self.inherit_matrix(old, source, growing)
        else:
            self.inherit_columns(old, source, growing)

    cdef inherit_costs(self, HeritableColumns old, const Py_ssize_t[::1] source):
        """What columns have cost so far counts for the new object, too."""
        cdef Py_ssize_t i
        for i in range(self.n):
            if source[i] >= 0:
                self.paid[i] = old.paid[source[i]]
        self.paid_in_all = old.paid_in_all

    cdef void slide_costs(self, HeritableColumns old, Py_ssize_t gone) noexcept:
        """The same where the first rows went, and others came at the end."""
        cdef Py_ssize_t i
        for i in range(min(self.n, old.n - gone)):
            self.paid[i] = old.paid[gone + i]
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
            self.append_entries(n_new)
        return True

    cdef bint take_back(self, HeritableColumns old, Py_ssize_t gone, Py_ssize_t n_new) except -1:
        """Move what ``old`` holds to the beginning of its memory, and take it over there.

        Returns whether that leaves enough room for further arrivals. No memory is asked for: what
        is given back in pieces does not always find its way to the system.
        """
        cdef Py_ssize_t i, n_kept = self.n - n_new, width, offset
        cdef double* base
        if cache_in_use(&old.cache) or n_new >= n_kept:
            return False
        width = old.cache.stride if old.matrix == NULL else old.width
        if not (self.fits(0, width) and width - self.n >= LEAST_ROOM * self.n):
            return False
        if old.matrix == NULL:
            self.set_room(width)
            cache_take(&self.cache, &old.cache, gone)
            offset = self.cache.offset
            self.cache.offset = 0
            for i in range(n_kept):
                if self.cache.column[i] != NULL:
                    base = self.cache.column[i] - offset
                    memmove(base, self.cache.column[i], n_kept * sizeof(double))
                    self.cache.column[i] = base
            if n_new:
                self.append_entries(n_new)
            return True
        if old.is_shown or not self.may_build:
            return False
        offset = old.before + gone
        base = &old.full[0, 0]
        # Each row comes from farther behind.
        for i in range(n_kept):
            memmove(base + i * width, base + (offset + i) * width + offset, n_kept * sizeof(double))
        old.before = -gone
        self.take_matrix(old, gone)
        return True

    cdef bint take_rows(self, HeritableColumns old, source) except -1:
        """Take over the columns of ``old``, of which any rows went; whether that was possible.

        They need no further memory, not even for the time being.
        """
        cdef Py_ssize_t[::1] number
        cdef Py_ssize_t[:, ::1] runs
        if (old.matrix != NULL or cache_in_use(&old.cache)
                or not self.fits(old.cache.offset, old.cache.stride)
                or (np.diff(source) <= 0).any()):
            return False
        number = np.full(old.n, -1, dtype=np.intp)
        np.asarray(number)[source] = np.arange(self.n)
        runs = copy_runs(source)
        self.set_room(old.cache.stride)
        cache_take_rows(&self.cache, &old.cache, &number[0], &runs[0, 0], runs.shape[0])
        return True

    cdef append_entries(self, Py_ssize_t n_new):
        """Compute what the last rows, which are new, add to the columns that are held."""
        if not (self.is_symmetric and self.mirror_new_columns(n_new)):
            self.compute_rows(self.held(), np.array([[self.n - n_new, self.n]], dtype=np.intp))

    cdef bint fits(self, Py_ssize_t begin, Py_ssize_t length) noexcept:
        """Whether a column can begin there in a buffer, which is not far too long."""
        return begin + self.n <= length <= 2 * self.n

    cdef set_room(self, Py_ssize_t stride):
        """Make buffers longer, and as many fewer as the budget says."""
        cache_set_stride(&self.cache, stride)
        self.cache.capacity = self.affordable(stride)

    cdef held(self):
        """The indices of the columns in the cache."""
        cdef Py_ssize_t i, count = 0
        index = np.empty(self.n, dtype=np.intp)
        cdef Py_ssize_t[::1] found = index
        for i in range(self.n):
            if self.cache.column[i] != NULL:
                found[count] = i
                count += 1
        return index[:count]

    cdef take_matrix(self, HeritableColumns old, Py_ssize_t gone):
        cdef Py_ssize_t n_kept = old.n - gone
        self.full, self.before, self.width = old.full, old.before + gone, old.width
        self.is_shown = old.is_shown
        self.matrix = &self.full[self.before, self.before]
        old.matrix, old.full = NULL, None
        if n_kept < self.n:
            self.append_last(n_kept)

    cdef append_last(self, Py_ssize_t n_kept):
        """Compute the rows of the matrix after the first ``n_kept``, and mirror them into these."""
        cdef double* out[BLOCK]
        cdef Py_ssize_t index[BLOCK]
        cdef double* matrix = self.matrix
        cdef Py_ssize_t first, count, c, j, width = self.width
        for first in range(n_kept, self.n, BLOCK):
            count = min(<Py_ssize_t>BLOCK, self.n - first)
            for c in range(count):
                index[c], out[c] = first + c, matrix + (first + c) * width
            if self.compute(index, count, 0, self.n, out) < 0:
                self.matrix, self.full = NULL, None
                self.raise_error()
            for j in range(n_kept):
                for c in range(count):
                    matrix[j * width + first + c] = out[c][j]
        self.n_computed += self.n - n_kept

    cdef append_rows(self, Py_ssize_t[::1] new, Py_ssize_t[::1] kept):
        """Compute the rows ``new`` of the matrix, and mirror them into the rows ``kept``."""
        cdef double* out[BLOCK]
        cdef double* matrix = self.matrix
        cdef Py_ssize_t first, count, c, j, a
        for first in range(0, new.shape[0], BLOCK):
            count = min(<Py_ssize_t>BLOCK, new.shape[0] - first)
            for c in range(count):
                out[c] = matrix + new[first + c] * self.width
            if self.compute(&new[first], count, 0, self.n, out) < 0:
                self.matrix, self.full = NULL, None
                self.raise_error()
        for a in range(kept.shape[0]):
            j = kept[a]
            for c in range(new.shape[0]):
                matrix[j * self.width + new[c]] = matrix[new[c] * self.width + j]
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
            # A multiple of eight, so that all columns begin alike within what is fetched at once.
            self.width = max(self.n, min(most, int((1.0 + ROOM) * self.n)) // 8 * 8)
        self.full = square(self.width)
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

    cdef bint mirror_new_columns(self, Py_ssize_t n_new) except -1:
        """Do so for a kernel that is symmetric to the last bit.

        The columns of the new rows are computed and kept, and each entry serves the column of its
        row, too. Returns whether there was room for them.
        """
        cdef double* out[BLOCK]
        cdef Py_ssize_t index[BLOCK]
        cdef Py_ssize_t[::1] held = self.held()
        cdef Py_ssize_t first, count, c, a, i
        if held.shape[0] + n_new > self.cache.capacity:
            return False
        for first in range(self.n - n_new, self.n, BLOCK):
            count = min(<Py_ssize_t>BLOCK, self.n - first)
            for c in range(count):
                index[c] = first + c
                out[c] = self.slot()
                if out[c] == NULL:
                    self.give_back(out, c)
                    self.raise_error()
            if self.compute(index, count, 0, self.n, out) < 0:
                self.give_back(out, count)
                self.raise_error()
            for a in range(held.shape[0]):
                i = held[a]
                for c in range(count):
                    self.cache.column[i][first + c] = out[c][i]
            for c in range(count):
                cache_put(&self.cache, first + c, out[c])
        return True

    cdef give_back(self, double** buffer, Py_ssize_t count):
        cdef Py_ssize_t c
        for c in range(count):
            cache_return(&self.cache, buffer[c])

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
