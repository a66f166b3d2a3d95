# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Columns computed when they are asked for and kept while the budget allows.

Columns without pins stay in a least-recently-used cache until its budget is used up. Where a
product with many columns is asked for and the whole matrix fits the budget, the matrix is built
instead: one half computed, the other mirrored.

Memory that was never touched has a price: the system gives it page by page, full of zeros, and on
virtual machines that takes longer than computing the values of a kernel of few features. With such
a kernel the cache grows beyond a few megabytes only for columns that have cost some times as much
to compute as fresh memory for them, and the whole matrix is built when its columns have; until then
the oldest columns give up their memory. So a larger budget costs nothing where it is of no use.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.view cimport array
from libc.string cimport memcpy, memset
from weightpath.kernels._columns cimport (
    Columns, count_nonzero, mostly_nonzero, symmetric_product
)

cdef extern from "column_cache.h" nogil:
    int cache_open(column_cache*, Py_ssize_t, Py_ssize_t)
    void cache_close(column_cache*)
    double* cache_slot(column_cache*)
    double* cache_old_slot(column_cache*)
    bint cache_has_spare(const column_cache*)
    void cache_return(column_cache*, double*)
    void cache_put(column_cache*, Py_ssize_t, double*)
    const double* cache_pin(column_cache*, Py_ssize_t)
    void cache_unpin(column_cache*, Py_ssize_t)
    void cache_clear(column_cache*)
    void cache_set_stride(column_cache*, Py_ssize_t)
    void mirror_rows(double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t)

cdef extern from "column_sums.h" nogil:
    void add_column_sums(Py_ssize_t, Py_ssize_t, const double**, const double*, double*)
    void add_symmetric_panel(Py_ssize_t, Py_ssize_t, const double**, const double*, double*)

cdef enum:
    # The engine needs a few columns at once whatever the budget says.
    MIN_CACHED_COLUMNS = 4
    # Columns that the cache has no room for pass through a buffer of this many doubles (8 MB, but
    # never less than one column). It is not counted as cache.
    SCRATCH_DOUBLES = 1 << 20
    # Kernel values computed between two looks at whether the user interrupts: with a thousand
    # features some hundredths of a second.
    PAUSE_AFTER = 1 << 16
    # Bytes of columns that are kept without asking whether they are worth it: a small part of the
    # processor's own cache.
    FREE_BYTES = 1 << 22
    # Bytes of a matrix that is built without asking: getting fresh memory for more takes longer
    # than a path of a hundred events needs for its columns.
    SMALL_MATRIX = 1 << 20

# The price of a value until a subclass says otherwise.
cdef double FAR_DEARER = 1e6

# A column is given fresh memory, and the matrix built, when computing has cost so many times as
# much: most columns of a path are needed a few times, and not again.
cdef double PATIENCE = 2.0

# Up to this share of nonzero coefficients a product of a cheap kernel is added up column by column,
# and up to a larger one where the columns are kept without asking.
cdef double SINGLE_SHARE = 0.05

# A product with most columns, or a wish for all, says that more will follow: it counts twice.
cdef double FORESIGHT = 2.0

# Computing one column alone takes twice as long as one of many.
cdef double ALONE = 2.0


cdef inline Py_ssize_t first_room(Py_ssize_t n) noexcept nogil:
    """Room for some arrivals behind the columns of ``n`` rows, so that not all must be copied."""
    return n // 64 if n >= 256 else 0


cdef double[:, ::1] square(Py_ssize_t width):
    """Memory for a matrix. NumPy would ask for large pages: see ``column_cache.h``."""
    return array(shape=(width, width), itemsize=sizeof(double), format="d")


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
        cdef Py_ssize_t whole = 0 if self.matrix == NULL else self.full.shape[0] * self.width
        return 8 * (self.cache.stride * self.cache.held + whole)

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
        self.n = n
        self.cache_mb = cache_mb
        stride = n + first_room(n)
        if cache_open(&self.cache, n, self.affordable(stride)) < 0:
            raise MemoryError(f"No memory for the tables of {n} kernel columns.")
        cache_set_stride(&self.cache, stride)
        self.may_build = 8.0 * n * n <= budget
        self.price = FAR_DEARER
        self.paid = np.zeros(n, dtype=np.float32)

    cdef Py_ssize_t affordable(self, Py_ssize_t stride):
        """The number of buffers of this length that the budget allows."""
        cdef double count = min(1e6 * self.cache_mb / (8.0 * stride), <double>self.n)
        return max(<Py_ssize_t>MIN_CACHED_COLUMNS, <Py_ssize_t>count)

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        cdef double* buffer
        self.complete()
        if self.cache.column[i] == NULL:
            if self.matrix != NULL:
                self.cache.pins[i] += 1
                return self.matrix + i * self.width
            buffer = self.slot_for(i)
            if buffer == NULL:
                return NULL
            self.pay(i, ALONE * self.price)
            if self.compute(&i, 1, 0, self.n, &buffer) < 0 or self.pause(1) < 0:
                cache_return(&self.cache, buffer)
                return NULL
            self.n_computed += 1
            cache_put(&self.cache, i, buffer)
        return cache_pin(&self.cache, i)

    cdef void unpin(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t at
        if self.cache.pins[i] == 0:
            return
        if self.cache.column[i] == NULL:
            self.cache.pins[i] -= 1
            return
        if self.n_partial > 0 and self.cache.pins[i] == 1:
            at = self.find_partial(i)
            if at >= 0:
                # It is of no use to anybody else.
                self.n_partial -= 1
                self.partial[at] = self.partial[self.n_partial]
                self.cache.pins[i] = 0
                cache_return(&self.cache, self.cache.column[i])
                self.cache.column[i] = NULL
                return
        cache_unpin(&self.cache, i)
        if self.matrix != NULL:
            cache_clear(&self.cache)

    # Columns with values at some rows only. They are pinned, and as soon as anybody may ask for
    # others they have all.

    cdef const double* pin_watched(self, Py_ssize_t i) noexcept nogil:
        cdef double* buffer
        if self.n_watched == 0 or self.n_partial == PARTIAL:
            return self.pin(i)
        if self.cache.column[i] == NULL:
            buffer = self.slot_for(i)
            if buffer == NULL:
                return NULL
            self.compute_watched(i, buffer)
            self.partial[self.n_partial] = i
            self.n_partial += 1
            self.n_computed += 1
            cache_put(&self.cache, i, buffer)
        return cache_pin(&self.cache, i)

    cdef void compute_watched(self, Py_ssize_t i, double* out) noexcept nogil:
        """Compute column ``i`` at the rows that are watched; where ``watch`` is, this is."""

    cdef Py_ssize_t find_partial(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_partial):
            if self.partial[k] == i:
                return k
        return -1

    cdef void complete(self) noexcept nogil:
        """Compute what pinned columns lack, where they are."""
        cdef Py_ssize_t k
        for k in range(self.n_partial):
            self.compute(&self.partial[k], 1, 0, self.n, &self.cache.column[self.partial[k]])
        self.n_partial = 0

    cdef void unwatch(self) noexcept nogil:
        self.n_watched = 0
        self.complete()

    cdef Py_ssize_t room(self) noexcept nogil:
        return self.n if self.matrix != NULL else self.cache.capacity

    cdef bint holds(self, Py_ssize_t i) noexcept nogil:
        return self.known(i) != NULL

    cdef double* slot(self) noexcept nogil:
        """A buffer for one more column; NULL and an error when there is no memory."""
        cdef double* buffer = cache_slot(&self.cache)
        if buffer == NULL:
            with gil:
                self.fail(MemoryError(f"No memory for a kernel column of {self.n} numbers."))
        return buffer

    cdef double* slot_for(self, Py_ssize_t i) noexcept nogil:
        """A buffer for column ``i``, of fresh memory only if that is worth it."""
        cdef double* buffer
        if self.is_worth_memory(i, ALONE * self.price):
            return self.slot()
        buffer = cache_old_slot(&self.cache)
        return self.slot() if buffer == NULL else buffer

    cdef bint is_worth_memory(self, Py_ssize_t i, double cost) noexcept nogil:
        """Whether column ``i``, to be computed at this cost, may be kept in fresh memory."""
        return (self.is_dear() or cache_has_spare(&self.cache)
                or 8 * self.cache.held * self.cache.stride < FREE_BYTES
                or self.paid[i] + cost >= PATIENCE)

    cdef bint is_worth_building(self, double cost) noexcept nogil:
        """Whether the whole matrix may be built, where it would spare this cost."""
        return self.may_build and (
            self.is_dear() or 8.0 * self.n * self.n <= SMALL_MATRIX
            or self.paid_in_all + cost >= self.n * (PATIENCE + 0.5 * self.price))

    cdef bint is_dear(self) noexcept nogil:
        """Whether computing a column takes longer than getting fresh memory for it."""
        return ALONE * self.price >= 1.0

    cdef void pay(self, Py_ssize_t i, double cost) noexcept nogil:
        self.paid[i] += <float> cost
        self.paid_in_all += cost

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i, support, missing = 0
        cdef bint dense = mostly_nonzero(v, self.n)
        self.complete()
        if self.matrix == NULL and self.may_build and dense:
            for i in range(self.n):
                missing += v[i] != 0.0 and self.cache.column[i] == NULL
            if (missing and self.is_worth_building(FORESIGHT * missing * self.price)
                    and self.build() < 0):
                return -1
        if self.matrix != NULL and self.is_dear():
            symmetric_product(self.matrix, self.n, self.width, v, out)
            return 0
        # A matrix of a cheap kernel is built when it pays. Sums must not tell whether it is there.
        support = count_nonzero(v, self.n)
        dense = dense or (8 * support * self.n > FREE_BYTES and support > SINGLE_SHARE * self.n)
        if dense and self.is_symmetric and not self.is_dear():
            return self.add_panels(v, out)
        return self.add_columns(v, out)

    cdef int add_panels(self, const double* v, double* out) noexcept nogil:
        """``out = K @ v`` from one half of ``K``; what is not held of it is computed and forgotten.

        The sum is the same to the last bit whatever is held.
        """
        cdef Py_ssize_t new[BLOCK]
        cdef double* buffer[BLOCK]
        cdef const double* row[BLOCK]
        cdef Py_ssize_t i, first = 0, last, n_new, n = self.n
        cdef Py_ssize_t width = self.n_passing()
        memset(out, 0, n * sizeof(double))
        if self.scratch == NULL and self.open_scratch() < 0:
            return -1
        while first < n:
            last = min(first + width, n)
            n_new = 0
            for i in range(first, last):
                # From the diagonal block on.
                row[i - first] = self.known(i)
                if row[i - first] != NULL:
                    row[i - first] += first
                    continue
                new[n_new] = i
                row[i - first] = buffer[n_new] = self.scratch + n_new * n
                self.pay(i, 0.5 * self.price)
                n_new += 1
            if n_new > 0 and (self.compute(new, n_new, first, n, buffer) < 0
                              or self.pause(n_new) < 0):
                return -1
            self.n_computed += n_new
            add_symmetric_panel(n - first, last - first, row, v + first, out + first)
            first = last
        return 0

    cdef int build(self) noexcept nogil:
        """Compute the whole matrix; without memory for it go on without."""
        cdef Py_ssize_t index[BLOCK]
        cdef double* out[BLOCK]
        cdef double* matrix
        cdef Py_ssize_t b, first, last, i, count, n = self.n, width = self.n + first_room(self.n)
        if 8.0 * width * width > 1e6 * self.cache_mb:
            width = n
        with gil:
            try:
                self.full = square(width)
            except MemoryError:
                self.may_build = False
                return 0
        matrix = &self.full[0, 0]
        self.complete()
        for b in range((n + BLOCK - 1) // BLOCK):
            first = b * BLOCK
            last = min(first + BLOCK, n)
            count = 0
            for i in range(first, last):
                if self.cache.column[i] != NULL:
                    memcpy(matrix + i * width + first, self.cache.column[i] + first,
                           (n - first) * sizeof(double))
                else:
                    index[count] = i
                    out[count] = matrix + i * width + first
                    count += 1
            if count > 0 and (
                    self.compute(index, count, first, n, out) < 0 or self.pause(count) < 0):
                with gil:
                    self.full = None
                return -1
            mirror_rows(matrix, n, width, first, last)
            self.n_computed += count
        self.matrix = matrix
        self.width = width
        cache_clear(&self.cache)
        return 0

    cdef int add_columns(self, const double* v, double* out) noexcept nogil:
        """``out = K @ v`` column by column; new columns are kept while there is free room.

        The sum is the same to the last bit whichever columns are held: they are added in the order
        of their rows, four at a time.
        """
        cdef Py_ssize_t index[BLOCK]
        cdef Py_ssize_t i, passing = 0, count = 0, n = self.n
        cdef Py_ssize_t width = self.n_passing()
        memset(out, 0, n * sizeof(double))
        for i in range(n):
            if v[i] == 0.0:
                continue
            index[count] = i
            count += 1
            passing += self.known(i) == NULL
            if count == BLOCK or (passing > width - 4 and count % 4 == 0):
                if self.add_block(index, count, v, out) < 0:
                    return -1
                count = passing = 0
        return self.add_block(index, count, v, out)

    cdef int add_block(self, const Py_ssize_t* index, Py_ssize_t count, const double* v,
                       double* out) noexcept nogil:
        """Add multiples of columns to ``out``; those that are not held are computed."""
        cdef Py_ssize_t new[BLOCK]
        cdef double* buffer[BLOCK]
        cdef bint kept[BLOCK]
        cdef const double* column[BLOCK]
        cdef double coef[BLOCK]
        cdef Py_ssize_t c, k = 0, n_new = 0, n_passing = 0
        cdef int status = 0
        for c in range(count):
            coef[c] = v[index[c]]
            column[c] = self.known(index[c])
            if column[c] != NULL:
                continue
            # No held column is given up for a new one: the new ones only take free room.
            kept[n_new] = (self.cache.held < self.cache.capacity
                           and self.is_worth_memory(index[c], self.price))
            if kept[n_new]:
                buffer[n_new] = self.slot()
            elif self.scratch == NULL and self.open_scratch() < 0:
                buffer[n_new] = NULL
            else:
                buffer[n_new] = self.scratch + n_passing * self.n
                n_passing += 1
            if buffer[n_new] == NULL:
                status = -1
                break
            column[c] = buffer[n_new]
            new[n_new] = index[c]
            n_new += 1
        if status == 0 and n_new > 0:
            status = self.compute(new, n_new, 0, self.n, buffer)
            if status == 0:
                status = self.pause(n_new)
        if status == 0:
            add_column_sums(self.n, count, column, coef, out)
        for k in range(n_new):
            if status == 0:
                self.pay(new[k], self.price)
            if kept[k] and status == 0:
                cache_put(&self.cache, new[k], buffer[k])
            elif kept[k]:
                cache_return(&self.cache, buffer[k])
        if status == 0:
            self.n_computed += n_new
        return status

    cdef int fill(self) noexcept nogil:
        if self.matrix == NULL and self.is_worth_building(FORESIGHT * self.paid_in_all):
            return self.build()
        return 0

    def whole(self):
        """Return the whole matrix, read-only, computed where it fits the budget; else ``None``.

        It is a view: its rows may lie apart.
        """
        cdef int status = 0
        cdef Py_ssize_t first, n = self.n
        with nogil:
            if self.matrix == NULL and self.may_build:
                status = self.build()
        if status < 0:
            self.raise_error()
        if self.matrix == NULL:
            return None
        self.is_shown = True
        # It may begin anywhere on the diagonal of what is kept, with room behind it.
        first = (self.matrix - &self.full[0, 0]) // (self.width + 1)
        matrix = np.asarray(self.full)[first:first + n, first:first + n]
        matrix.setflags(write=False)
        return matrix

    cdef int pause(self, Py_ssize_t count) noexcept nogil:
        """Let the user interrupt after many new columns; -1, and the error kept, if so."""
        self.unheard += count * self.n
        if self.unheard < PAUSE_AFTER:
            return 0
        self.unheard = 0
        with gil:
            try:
                PyErr_CheckSignals()
            except BaseException as error:
                return self.fail(error)
        return 0

    cdef Py_ssize_t n_passing(self) noexcept nogil:
        """How many columns pass through at once."""
        return max(4, min(<Py_ssize_t>BLOCK, SCRATCH_DOUBLES // self.n) // 4 * 4)

    cdef int open_scratch(self) noexcept nogil:
        with gil:
            try:
                self.passing = np.empty(self.n_passing() * self.n)
            except MemoryError as error:
                return self.fail(error)
        self.scratch = &self.passing[0]
        return 0

    cdef const double* known(self, Py_ssize_t i) noexcept nogil:
        """Column ``i`` without computing it; NULL when it is not held."""
        self.complete()
        if self.cache.column[i] != NULL or self.matrix == NULL:
            return self.cache.column[i]
        return self.matrix + i * self.width
