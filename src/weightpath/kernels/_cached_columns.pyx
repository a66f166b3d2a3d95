# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Columns computed when they are asked for and kept while the budget allows.

Columns without pins stay in a least-recently-used cache until its budget is used up. Where a
product with many columns is asked for and the whole matrix fits the budget, the matrix is built
instead: one half computed, the other mirrored.
"""

import numpy as np

from libc.string cimport memcpy, memset
from weightpath.kernels._columns cimport (
    Columns, add_multiple, mostly_nonzero, symmetric_product
)

cdef extern from "column_cache.h" nogil:
    int cache_open(column_cache*, Py_ssize_t, Py_ssize_t)
    void cache_close(column_cache*)
    double* cache_slot(column_cache*)
    void cache_return(column_cache*, double*)
    void cache_put(column_cache*, Py_ssize_t, double*)
    const double* cache_pin(column_cache*, Py_ssize_t)
    void cache_unpin(column_cache*, Py_ssize_t)
    void cache_clear(column_cache*)
    void mirror_rows(double*, Py_ssize_t, Py_ssize_t, Py_ssize_t)

cdef enum:
    # The engine needs a few columns at once whatever the budget says.
    MIN_CACHED_COLUMNS = 4
    # Columns that the cache has no room for pass through a buffer of this many doubles (8 MB, but
    # never less than one column). It is not counted as cache.
    SCRATCH_DOUBLES = 1 << 20


cdef class CachedColumns(Columns):
    """Columns computed by ``compute`` of a subclass and kept as long as the budget allows.

    The budget is ``cache_mb`` times 1e6 bytes, a column takes ``8 n``. At least
    ``MIN_CACHED_COLUMNS`` columns are kept. Pinned columns are never given up: if they alone exceed
    the budget the cache grows, and shrinks when they are unpinned.
    """

    cdef int compute(self, const Py_ssize_t* index, Py_ssize_t count, Py_ssize_t begin,
                     Py_ssize_t end, double** out) noexcept nogil:
        """``out[c][:] = K[begin:end, index[c]]`` for ``count <= BLOCK`` columns; -1 on failure."""
        with gil:
            return self.fail(NotImplementedError(f"{type(self).__name__} has no compute."))

    def __dealloc__(self):
        cache_close(&self.cache)

    @property
    def capacity(self):
        """Number of columns that the cache keeps."""
        return self.cache.capacity

    @property
    def n_bytes(self):
        """Bytes of columns held now, besides the data themselves."""
        return 8 * self.n * (self.cache.held + (0 if self.matrix == NULL else self.n))

    @property
    def is_full(self):
        """Whether the whole matrix has been built."""
        return self.matrix != NULL

    cdef open_cache(self, Py_ssize_t n, cache_mb):
        cdef double budget = 1e6 * cache_mb
        if n < 1 or not budget >= 0:
            raise ValueError(f"Need at least one row and cache_mb >= 0, got {n} and {cache_mb}.")
        if self.n != 0:
            raise RuntimeError("Columns cannot be initialised twice.")
        cdef Py_ssize_t capacity = max(MIN_CACHED_COLUMNS, int(min(budget / (8.0 * n), <double>n)))
        if cache_open(&self.cache, n, capacity) < 0:
            raise MemoryError(f"No memory for the tables of {n} kernel columns.")
        self.n = n
        self.cache_mb = cache_mb
        self.may_build = 8.0 * n * n <= budget

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        cdef double* buffer
        if self.cache.column[i] == NULL:
            if self.matrix != NULL:
                self.cache.pins[i] += 1
                return self.matrix + i * self.n
            buffer = self.slot()
            if buffer == NULL:
                return NULL
            if self.compute(&i, 1, 0, self.n, &buffer) < 0:
                cache_return(&self.cache, buffer)
                return NULL
            self.n_computed += 1
            cache_put(&self.cache, i, buffer)
        return cache_pin(&self.cache, i)

    cdef void unpin(self, Py_ssize_t i) noexcept nogil:
        if self.cache.pins[i] == 0:
            return
        if self.cache.column[i] == NULL:
            self.cache.pins[i] -= 1
            return
        cache_unpin(&self.cache, i)
        if self.matrix != NULL:
            cache_clear(&self.cache)

    cdef double* slot(self) noexcept nogil:
        """A buffer for one more column; NULL and an error when there is no memory."""
        cdef double* buffer = cache_slot(&self.cache)
        if buffer == NULL:
            with gil:
                self.fail(MemoryError(f"No memory for a kernel column of {self.n} numbers."))
        return buffer

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        if self.matrix == NULL and self.may_build and mostly_nonzero(v, self.n):
            if self.build() < 0:
                return -1
        if self.matrix != NULL:
            symmetric_product(self.matrix, self.n, v, out)
            return 0
        return self.add_columns(v, out)

    cdef int build(self) noexcept nogil:
        """Compute the whole matrix; without memory for it go on without."""
        cdef Py_ssize_t index[BLOCK]
        cdef double* out[BLOCK]
        cdef double* matrix
        cdef Py_ssize_t b, first, last, i, count, n = self.n
        with gil:
            try:
                self.full = np.empty((n, n))
            except MemoryError:
                self.may_build = False
                return 0
        matrix = &self.full[0, 0]
        for b in range((n + BLOCK - 1) // BLOCK):
            first = b * BLOCK
            last = min(first + BLOCK, n)
            count = 0
            for i in range(first, last):
                if self.cache.column[i] != NULL:
                    memcpy(matrix + i * n + first, self.cache.column[i] + first,
                           (n - first) * sizeof(double))
                else:
                    index[count] = i
                    out[count] = matrix + i * n + first
                    count += 1
            if count > 0 and self.compute(index, count, first, n, out) < 0:
                with gil:
                    self.full = None
                return -1
            mirror_rows(matrix, n, first, last)
            self.n_computed += count
        self.matrix = matrix
        cache_clear(&self.cache)
        return 0

    cdef int add_columns(self, const double* v, double* out) noexcept nogil:
        """``out = K @ v`` column by column; new columns are kept while there is free room."""
        cdef Py_ssize_t index[BLOCK]
        cdef double* buffer[BLOCK]
        cdef Py_ssize_t i, kept = 0, count = 0, n = self.n
        cdef Py_ssize_t width = max(1, min(<Py_ssize_t>BLOCK, SCRATCH_DOUBLES // n))
        memset(out, 0, n * sizeof(double))
        for i in range(n):
            if v[i] == 0.0:
                continue
            if self.cache.column[i] != NULL:
                add_multiple(v[i], self.cache.column[i], n, out)
                continue
            index[count] = i
            if self.cache.held < self.cache.capacity:
                buffer[count] = self.slot()
                if buffer[count] == NULL:
                    return self.add_new(index, buffer, count, kept, v, out, True)
                kept += 1
            else:
                if self.scratch == NULL and self.open_scratch(width) < 0:
                    return self.add_new(index, buffer, count, kept, v, out, True)
                buffer[count] = self.scratch + (count - kept) * n
            count += 1
            if count == BLOCK or count - kept == width:
                if self.add_new(index, buffer, count, kept, v, out, False) < 0:
                    return -1
                count = kept = 0
        return self.add_new(index, buffer, count, kept, v, out, False)

    cdef int add_new(self, const Py_ssize_t* index, double** buffer, Py_ssize_t count,
                     Py_ssize_t kept, const double* v, double* out, bint failed) noexcept nogil:
        """Compute columns, add their multiples to ``out``; the first ``kept`` go to the cache."""
        cdef Py_ssize_t c
        if failed or (count > 0 and self.compute(index, count, 0, self.n, buffer) < 0):
            for c in range(kept):
                cache_return(&self.cache, buffer[c])
            return -1
        for c in range(count):
            add_multiple(v[index[c]], buffer[c], self.n, out)
        for c in range(kept):
            cache_put(&self.cache, index[c], buffer[c])
        self.n_computed += count
        return 0

    cdef int open_scratch(self, Py_ssize_t width) noexcept nogil:
        with gil:
            try:
                self.passing = np.empty(width * self.n)
            except MemoryError as error:
                return self.fail(error)
        self.scratch = &self.passing[0]
        return 0

    def handover(self, X_new, source):
        """Return the columns of a changed training set without computing what is known.

        Parameters
        ----------
        X_new : ndarray or CSR matrix of shape (n_new, p)
            The new training set.
        source : array of shape (n_new,)
            The old row that each new row equals, -1 for a row that is new.
        """
        cdef CachedColumns heir = self.sibling(X_new)
        source = np.ascontiguousarray(source, dtype=np.intp)
        if source.shape != (heir.n,) or source.min() < -1 or source.max() >= self.n:
            raise ValueError(
                f"source must have length {heir.n} and name rows 0 ... {self.n - 1}, or -1."
            )
        if self.matrix != NULL and heir.may_build:
            heir.inherit_matrix(self, source)
        else:
            heir.inherit_columns(self, source)
        return heir

    cdef inherit_matrix(self, CachedColumns old, source):
        """Copy the old matrix; rows that are new are computed, their columns mirrored."""
        cdef Py_ssize_t[::1] new = np.flatnonzero(source < 0)
        cdef Py_ssize_t[::1] kept = np.flatnonzero(source >= 0)
        cdef Py_ssize_t[:, ::1] runs = copy_runs(source)
        cdef const Py_ssize_t[::1] origin = source
        cdef double* out[BLOCK]
        cdef Py_ssize_t first, count, c, j, n = self.n
        if new.shape[0] >= kept.shape[0]:
            if self.build() < 0:
                self.raise_error()
            return
        self.full = np.empty((n, n))
        cdef double* matrix = &self.full[0, 0]
        for first in range(0, new.shape[0], BLOCK):
            count = min(<Py_ssize_t>BLOCK, new.shape[0] - first)
            for c in range(count):
                out[c] = matrix + new[first + c] * n
            if self.compute(&new[first], count, 0, n, out) < 0:
                self.raise_error()
        for j in kept:
            carry(runs, old.matrix + origin[j] * old.n, matrix + j * n)
            for c in new:
                matrix[j * n + c] = matrix[c * n + j]
        self.n_computed += new.shape[0]
        self.matrix = matrix

    cdef inherit_columns(self, CachedColumns old, source):
        """Copy the columns that the old cache holds and compute the entries of new rows."""
        cdef Py_ssize_t[:, ::1] runs = copy_runs(source)
        cdef Py_ssize_t[:, ::1] gaps = runs_of(np.flatnonzero(source < 0))
        cdef Py_ssize_t[::1] index = self.inherited(old, source)
        cdef const Py_ssize_t[::1] origin = source
        cdef double* column[BLOCK]
        cdef double* out[BLOCK]
        cdef Py_ssize_t first, count, c, g
        for first in range(0, index.shape[0], BLOCK):
            count = min(<Py_ssize_t>BLOCK, index.shape[0] - first)
            for c in range(count):
                column[c] = self.slot()
                if column[c] == NULL:
                    self.raise_error()
                cache_put(&self.cache, index[first + c], column[c])
                carry(runs, old.known(origin[index[first + c]]), column[c])
            for g in range(gaps.shape[0]):
                for c in range(count):
                    out[c] = column[c] + gaps[g, 0]
                if self.compute(&index[first], count, gaps[g, 0], gaps[g, 1], out) < 0:
                    self.raise_error()

    cdef inherited(self, CachedColumns old, source):
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

    cdef const double* known(self, Py_ssize_t i) noexcept nogil:
        """Column ``i`` without computing it; NULL when it is not held."""
        if self.cache.column[i] != NULL or self.matrix == NULL:
            return self.cache.column[i]
        return self.matrix + i * self.n


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
    """Copy the known entries of a column to their new places."""
    cdef Py_ssize_t r
    for r in range(runs.shape[0]):
        memcpy(new + runs[r, 0], old + runs[r, 1], runs[r, 2] * sizeof(double))
