# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Columns of the four named kernels and of kernels that are Python functions.

The values come from ``kernel_columns.h``.
"""

import numpy as np
from scipy.sparse import csr_matrix

from weightpath.errors import Advice, ColumnError, KernelNotSymmetricError
from weightpath.kernels.called import called_values

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dgemm, dgemv
from weightpath.kernels._cached_columns cimport BLOCK, CachedColumns, column_cache
from weightpath.kernels._columns cimport add_multiple, count_nonzero
from weightpath.kernels._heritable_columns cimport HeritableColumns

cdef extern from "kernel_columns.h" nogil:
    ctypedef struct kernel_form:
        int kind
        int degree
        double gamma
        double coef0
    ctypedef struct sparse_rows:
        Py_ssize_t n
        const double* data
        const int32_t* feature
        const int64_t* start
        const double* norm
    enum: LANES
    void fill_panels(const double*, Py_ssize_t, const Py_ssize_t*, Py_ssize_t, double*)
    void gather_rows(const double*, Py_ssize_t, const Py_ssize_t*, Py_ssize_t, double*)
    void dense_columns(const kernel_form*, const double*, Py_ssize_t, const double*, Py_ssize_t,
                       Py_ssize_t, Py_ssize_t, double**)
    void dense_sums(const kernel_form*, const double*, Py_ssize_t, Py_ssize_t, const double*,
                    const double*, Py_ssize_t, double*)
    void dense_diagonal(const kernel_form*, const double*, Py_ssize_t, Py_ssize_t, double*)
    void scatter_row(const sparse_rows*, Py_ssize_t, int, double*)
    void sparse_norms(const sparse_rows*, double*, double*)
    void sparse_column(const kernel_form*, const sparse_rows*, Py_ssize_t, const double*,
                       Py_ssize_t, Py_ssize_t, double*)
    void sparse_diagonal(const kernel_form*, const sparse_rows*, double*)
    void sparse_gram_product(const sparse_rows*, const double*, Py_ssize_t, int, double*, double*)
    void sparse_gram_block(const sparse_rows*, const unsigned char*, const Py_ssize_t*, Py_ssize_t,
                           const double*, Py_ssize_t, double*, double*)
    void sparse_gram_terms(const sparse_rows*, const double*, Py_ssize_t, double*, double*)
    void exp_array(const double*, Py_ssize_t, double*)

cdef extern from "kernel_products.h" nogil:
    Py_ssize_t support_first(Py_ssize_t, const double*, Py_ssize_t, Py_ssize_t*)
    void reorder_panels(const double*, Py_ssize_t, const Py_ssize_t*, Py_ssize_t, double*)
    void add_symmetric_rows(const kernel_form*, const double*, Py_ssize_t, const double*,
                            Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, const double*, double*)

cdef extern from "smooth_products.h" nogil:
    ctypedef struct smooth_boxes:
        double half
        Py_ssize_t[2] count
    enum: MODES
    double WIDEST
    int smooth_open(const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double, double,
                    smooth_boxes*)
    void smooth_matrix(double, double, Py_ssize_t, double*)
    void smooth_moments(const smooth_boxes*, const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
                        const double*, double*)
    void smooth_values(const smooth_boxes*, const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
                       const double*, double*)

cdef extern from "smooth_updates.h" nogil:
    enum: FINE, SOURCES
    ctypedef struct fine_boxes:
        smooth_boxes boxes
        double** table
        double** side
        double** point
    fine_boxes* fine_open(const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double, double)
    void fine_close(fine_boxes*)
    void fine_coefficients(const smooth_boxes*, int, double, Py_ssize_t, const double*,
                           const double*, double*)
    void fine_subtract(const fine_boxes*, int, double**)

cdef extern from "sparse_products.h" nogil:
    ctypedef struct sparse_features:
        const double* data
        const int32_t* row
        const int64_t* start
    void sparse_products(const sparse_features*, const double*, const int32_t*, Py_ssize_t,
                         Py_ssize_t, Py_ssize_t, double*)

cdef extern from "column_cache.h" nogil:
    void cache_clear(column_cache*)

KINDS = {"linear": 0, "poly": 1, "rbf": 2, "sigmoid": 3}

# Two values of a kernel function for one pair of rows may differ by this share of the largest, the
# rounding of single precision.
cdef double SYMMETRIC_SHARE = 1e-6

# Doubles in a line of the processor's cache.
cdef Py_ssize_t CACHE_LINE = 8

# What a value costs and each of its terms, beside fresh memory for it: 1.2 and 0.06 against 3.4 ns
# were measured on a virtual machine. A term of sparse rows is looked up.
cdef double ONE_VALUE = 0.35
cdef double ONE_TERM = 0.018
cdef double SPARSE_TERM = 10.0

# A product by way of the features is quick if the columns that it spares have so many times as many
# numbers as sparse rows have entries for it: those are read here and there.
cdef double QUICKER = 8.0

# Sparse rows are held by features too where a column needs so many times fewer entries that way.
cdef double SHORTER_WAY = 2.0

# A product by way of boxes must be so many times cheaper than one by pairs of rows. In nanoseconds:
# a pair, a row with all polynomials of its box, a number of a matrix of coefficients, and a product
# of two numbers in those of matrices. At most so many coefficients.
cdef double FAR_CHEAPER = 2.0
cdef double ONE_PAIR = 1.2
cdef double ONE_ROW = 30.0
cdef double ONE_COEFFICIENT = 3.0
cdef double ONE_PRODUCT = 0.05
cdef double COEFFICIENTS = 1 << 20

# New columns may have values at some rows only from so many rows on, and if the others are brought
# up to date with at most so many coefficients a row.
cdef Py_ssize_t MANY_ROWS = 1 << 12
cdef double FINE_SHARE = 4.0

# From so many features on, and where this share of the rows have coefficients, products read the
# kernel values that are held: with fewer, computing them again takes no longer.
cdef enum:
    READ_FROM = 3
cdef double WIDE_SUPPORT = 0.75

cdef enum:
    LINEAR = 0
    RBF = 2
    # Rows whose moments are added up by themselves.
    SUMMED = 256
    # Rows in one call of a callable kernel for the diagonal: few calls, little computed in vain.
    DIAGONAL_BLOCK = 8


cdef class RowPanels:
    """Dense rows as the kernels read them, with room for more behind them (final).

    Several objects may share one: each knows its rows, and only that with the last can add some.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    n_more : int
        For how many more rows there is room, at least.
    rows : ndarray of intp or None, default=None
        The rows of ``X`` that count; all if not given.
    """

    cdef double[::1] panels
    cdef Py_ssize_t p, used, capacity

    def __init__(self, X, Py_ssize_t n_more, rows=None):
        self.used, self.p = X.shape[0] if rows is None else len(rows), X.shape[1]
        self.panels = panels_of(X, self.used + n_more, rows)
        self.capacity = self.panels.shape[0] // max(1, self.p)

    cdef bint append(self, Py_ssize_t at, const double[:, ::1] X) noexcept:
        """Add rows after the first ``at``; return whether there was room, and no others there."""
        cdef Py_ssize_t i, k, row
        if at != self.used or at + X.shape[0] > self.capacity:
            return False
        for i in range(X.shape[0]):
            row = at + i
            for k in range(self.p):
                self.panels[(row // LANES) * LANES * self.p + k * LANES + row % LANES] = X[i, k]
        self.used = at + X.shape[0]
        return True


cdef class DenseKernelColumns(HeritableColumns):
    """Columns of a linear, poly, rbf or sigmoid kernel of dense rows.

    Squared distances are sums of squared differences: equal rows have distance exactly 0.

    Parameters
    ----------
    X : ndarray of shape (m, p)
    kernel : Kernel
    cache_mb : float
    rows : ndarray of intp of shape (n,) or None, default=None
        The rows of ``X`` that the columns are of; all if not given.
    """

    cdef readonly object kernel
    cdef kernel_form form
    cdef Py_ssize_t p
    cdef const double[:, ::1] X         # kept for the linear kernel's products only
    cdef RowPanels store
    cdef Py_ssize_t first               # the rows of the store in front of these
    cdef double[::1] rows
    cdef double[::1] normal
    # Rows that are watched, their panels, and their values of a column.
    cdef Py_ssize_t* watched
    cdef double* watched_panels
    cdef Py_ssize_t room_to_watch
    cdef fine_boxes* fine
    cdef bint is_rough                  # whether that cannot be

    def __init__(self, X, kernel, cache_mb, rows=None):
        X = np.ascontiguousarray(X, dtype=np.float64)
        rows = None if rows is None else np.ascontiguousarray(rows, dtype=np.intp)
        self.form = form_of(kernel)
        if self.form.kind == LINEAR and rows is not None:
            X, rows = X[rows], None
        self.open_rows(X, X.shape[0] if rows is None else len(rows), kernel, cache_mb)
        self.store = RowPanels(X, 0, rows)
        dense_diagonal(&self.form, &self.store.panels[0], self.n, self.p, &self.diag[0])

    cdef open_rows(self, X, Py_ssize_t n, kernel, cache_mb):
        self.open_cache(n, cache_mb)
        self.is_symmetric = True
        self.kernel = kernel
        self.p = X.shape[1]
        self.price = ONE_VALUE + ONE_TERM * self.p
        self.rows = np.empty(BLOCK * self.p)
        if self.form.kind == LINEAR:
            self.X = X
            self.normal = np.empty(self.p)
        self.diag = np.empty(self.n)

    @property
    def features(self):
        """The rows, if the kernel is linear."""
        return np.asarray(self.X) if self.form.kind == LINEAR else None

    def sibling(self, X):
        """Return columns of other rows with the same kernel and budget."""
        return DenseKernelColumns(X, self.kernel, self.cache_mb)

    cdef HeritableColumns slid_sibling(self, X_new, Py_ssize_t gone, Py_ssize_t n_new):
        cdef DenseKernelColumns heir = DenseKernelColumns.__new__(DenseKernelColumns)
        cdef Py_ssize_t i, n_kept = self.n - gone, end = self.first + self.n
        cdef double values[LANES]
        cdef double* panel
        X = np.ascontiguousarray(X_new, dtype=np.float64)
        heir.form = self.form
        heir.open_rows(X, X.shape[0], self.kernel, self.cache_mb)
        # Rows that went stay where they are, unless they take more than half of the room.
        if self.store.capacity <= 2 * heir.n + LANES and self.store.append(end, X[n_kept:]):
            heir.store, heir.first = self.store, self.first + gone
        else:
            heir.store = RowPanels(X, heir.n // 8)
        memcpy(&heir.diag[0], &self.diag[gone], n_kept * sizeof(double))
        for i in range(n_kept, heir.n):
            panel = &heir.store.panels[0] + (heir.first + i) // LANES * LANES * heir.p
            dense_diagonal(&heir.form, panel, LANES, heir.p, values)
            heir.diag[i] = values[(heir.first + i) % LANES]
        return heir

    cdef int compute(self, const Py_ssize_t* index, Py_ssize_t count, Py_ssize_t begin,
                     Py_ssize_t end, double** out) noexcept nogil:
        cdef Py_ssize_t c
        cdef Py_ssize_t place[BLOCK]
        cdef const double* panels = &self.store.panels[0]
        for c in range(count):
            place[c] = self.first + index[c]
        gather_rows(panels, self.p, place, count, &self.rows[0])
        dense_columns(&self.form, panels, self.p, &self.rows[0], count, self.first + begin,
                      self.first + end, out)
        return 0

    def __dealloc__(self):
        fine_close(self.fine)
        free(self.watched)
        free(self.watched_panels)

    cdef bint watch(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t a
        if not self.open_watch(count):
            self.unwatch()
            return False
        for a in range(count):
            self.watched[a] = self.first + rows[a]
        reorder_panels(&self.store.panels[0], self.p, self.watched, count, self.watched_panels)
        self.n_watched = count
        for a in range(self.n_partial):
            self.compute_watched(self.partial[a], self.cache.column[self.partial[a]])
        return True

    cdef bint open_watch(self, Py_ssize_t count) noexcept nogil:
        """Get memory for so many rows; whether there is any, and columns can be subtracted."""
        cdef Py_ssize_t room = 2 * count + LANES
        if (self.form.kind != RBF or self.p < 1 or self.p > 2 or self.n < MANY_ROWS or self.is_rough
                or self.matrix != NULL):
            return False
        if self.fine == NULL:
            self.fine = fine_open(&self.store.panels[0], self.p, self.first, self.n,
                                  self.form.gamma, FINE_SHARE * self.n)
        if self.room_to_watch < count and self.fine != NULL:
            free(self.watched)
            free(self.watched_panels)
            self.watched = <Py_ssize_t*> malloc(room * sizeof(Py_ssize_t))
            # Their values of a column follow.
            self.watched_panels = <double*> malloc(
                (room * (self.p + 1) + LANES * self.p) * sizeof(double))
            self.room_to_watch = room
        self.is_rough = self.fine == NULL or self.watched == NULL or self.watched_panels == NULL
        return not self.is_rough

    cdef void compute_watched(self, Py_ssize_t i, double* out) noexcept nogil:
        cdef Py_ssize_t a, place = self.first + i
        cdef double* values = self.watched_panels + (self.room_to_watch + LANES) * self.p
        gather_rows(&self.store.panels[0], self.p, &place, 1, &self.rows[0])
        dense_columns(&self.form, self.watched_panels, self.p, &self.rows[0], 1, 0,
                      self.n_watched, &values)
        for a in range(self.n_watched):
            out[self.watched[a] - self.first] = values[a]

    cdef void subtract(self, const Py_ssize_t* rows, Py_ssize_t count, const double** coef,
                       Py_ssize_t n_vectors, double** v) noexcept nogil:
        cdef Py_ssize_t c, k, place, done = 0
        cdef fine_boxes* fine = self.fine
        cdef int wide = <int> (fine.boxes.count[1] * FINE), many, which
        cdef int high = <int> (fine.boxes.count[0] * FINE)
        cdef double unit = 1.0, zero = 0.0
        while done < count:
            many = <int> min(count - done, <Py_ssize_t> SOURCES)
            for c in range(many):
                place = self.first + rows[done + c]
                gather_rows(&self.store.panels[0], self.p, &place, 1, &self.rows[0])
                for k in range(self.p):
                    fine.point[k][c] = self.rows[k]
            fine_coefficients(&fine.boxes, 1, self.form.gamma, many, fine.point[1], NULL,
                              fine.side[1])
            for which in range(n_vectors):
                fine_coefficients(&fine.boxes, 0, self.form.gamma, many, fine.point[0],
                                  coef[which] + done, fine.side[0])
                # For Fortran the numbers of a point are a column.
                dgemm(b"N", b"T", &wide, &high, &many, &unit, fine.side[1], &wide, fine.side[0],
                      &high, &zero, fine.table[which], &wide)
            fine_subtract(fine, <int> n_vectors, v)
            done += many

    cdef int add_panels(self, const double* v, double* out) noexcept nogil:
        """``out = K @ v`` without storing values, as long as there is memory to sort the rows."""
        cdef smooth_boxes boxes
        if self.is_smooth(v, &boxes) and self.add_boxes(v, out, &boxes) == 0:
            return 0
        # To leave out the few rows without a coefficient would spare little.
        if self.p >= READ_FROM and count_nonzero(v, self.n) > WIDE_SUPPORT * self.n:
            return CachedColumns.add_panels(self, v, out)
        cdef Py_ssize_t padded = (self.n + LANES - 1) // LANES * LANES
        cdef Py_ssize_t* order = <Py_ssize_t*> malloc(self.n * sizeof(Py_ssize_t))
        cdef double* block = <double*> malloc(padded * (self.p + 2) * sizeof(double))
        cdef int status
        if order == NULL or block == NULL:
            status = CachedColumns.add_panels(self, v, out)
        else:
            status = self.add_rows(v, out, order, block, padded)
        free(order)
        free(block)
        return status

    cdef bint is_smooth(self, const double* v, smooth_boxes* boxes) noexcept nogil:
        """Whether a product by way of boxes is far cheaper; they are opened."""
        cdef double wide, high, m, n = <double> self.n
        if self.form.kind != RBF or self.p < 1 or self.p > 2:
            return False
        m = <double> count_nonzero(v, self.n)
        if (ONE_PAIR * m * (n - 0.5 * m) < FAR_CHEAPER * ONE_ROW * (n + m)
                or not smooth_open(&self.store.panels[0], self.p, self.first, self.n,
                                   self.form.gamma, WIDEST, boxes)):
            return False
        wide, high = <double> (boxes.count[1] * MODES), <double> (boxes.count[0] * MODES)
        return (max(wide, high) ** 2 <= COEFFICIENTS
                and ONE_PAIR * m * (n - 0.5 * m) > FAR_CHEAPER * (
                    ONE_ROW * (n + m) + wide * high * (wide + high) * ONE_PRODUCT
                    + (wide * wide + high * high) * ONE_COEFFICIENT))

    cdef int add_boxes(self, const double* v, double* out, smooth_boxes* boxes) noexcept nogil:
        """``out = K @ v`` by polynomials in boxes; -1 without memory for them."""
        cdef int wide = <int> (boxes.count[1] * MODES), high = <int> (boxes.count[0] * MODES)
        cdef double unit = 1.0, zero = 0.0
        cdef Py_ssize_t j, begin = 0, size = wide * high, largest = max(wide, high)
        cdef Py_ssize_t some = max(<Py_ssize_t> SUMMED, size // 128 // LANES * LANES)
        cdef const double* panels = &self.store.panels[0]
        cdef double* moments = <double*> calloc(2 * size + largest * largest, sizeof(double))
        if moments == NULL:
            return -1
        cdef double* product = moments + size
        cdef double* E = moments + 2 * size
        # Sums of sums: roundings grow with the root of their length, not with that of all rows.
        while begin < self.n:
            memset(product, 0, size * sizeof(double))
            smooth_moments(boxes, panels, self.p, self.first + begin, min(some, self.n - begin),
                           v + begin, product)
            for j in range(size):
                moments[j] += product[j]
            begin += some
        # For Fortran the rows of M are columns, and E is symmetric.
        smooth_matrix(self.form.gamma, boxes.half, boxes.count[1], E)
        dgemm(b"N", b"N", &wide, &high, &wide, &unit, E, &wide, moments, &wide, &zero, product,
              &wide)
        smooth_matrix(self.form.gamma, boxes.half, boxes.count[0], E)
        dgemm(b"N", b"N", &wide, &high, &high, &unit, product, &wide, E, &high, &zero, moments,
              &wide)
        smooth_values(boxes, panels, self.p, self.first, self.n, moments, out)
        free(moments)
        return 0

    cdef int add_rows(self, const double* v, double* out, Py_ssize_t* order, double* block,
                      Py_ssize_t padded) noexcept nogil:
        """``out = K @ v``, with scratch space for all rows, the support in front."""
        cdef Py_ssize_t i, count, begin = 0, n = self.n
        cdef Py_ssize_t m = support_first(n, v, self.first, order)
        cdef double* panels = block + 2 * padded
        memset(block, 0, 2 * padded * sizeof(double))
        reorder_panels(&self.store.panels[0], self.p, order, n, panels)
        for i in range(m):
            block[i] = v[order[i] - self.first]
            # Held columns are not read, as computing their values again is as cheap, nor counted.
            if self.known(order[i] - self.first) == NULL:
                self.pay(order[i] - self.first, 0.5 * self.price)
                self.n_computed += 1
        while begin < m:
            count = min(<Py_ssize_t> LANES, m - begin)
            gather_rows(&self.store.panels[0], self.p, order + begin, count, &self.rows[0])
            add_symmetric_rows(&self.form, panels, self.p, &self.rows[0], begin, count, m, n,
                               block, block + padded)
            if self.pause(count) < 0:
                return -1
            begin += LANES
        for i in range(n):
            out[order[i] - self.first] = block[padded + i]
        return 0

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        """``X @ (X.T @ v)`` for the linear kernel."""
        cdef Py_ssize_t i
        cdef int n = <int>self.n, p = <int>self.p, one = 1
        cdef double unit = 1.0, zero = 0.0
        if self.form.kind != LINEAR:
            return CachedColumns.multiply(self, v, out)
        memset(&self.normal[0], 0, self.p * sizeof(double))
        for i in range(self.n):
            if v[i] != 0.0:
                add_multiple(v[i], &self.X[i, 0], self.p, &self.normal[0])
        dgemv(b"T", &p, &n, &unit, <double*>&self.X[0, 0], &p, &self.normal[0], &one, &zero,
              out, &one)
        return 0


cdef class SparseKernelColumns(HeritableColumns):
    """Columns of a linear, poly, rbf or sigmoid kernel of sparse rows.

    Squared distances are ``|x|^2 + |y|^2 - 2 x'y`` with all three summed in the same order: equal
    rows have distance exactly 0.

    Parameters
    ----------
    X : CSR matrix or array of shape (n, p)
    kernel : Kernel
    cache_mb : float
    """

    cdef readonly object kernel
    cdef kernel_form form
    cdef sparse_rows X
    cdef Py_ssize_t p
    cdef const double[::1] data
    cdef const int32_t[::1] feature
    cdef const int64_t[::1] start
    cdef double[::1] norm
    cdef double[::1] work               # zeros between calls
    # The same by features, if that way is shorter; the arrays that hold it.
    cdef sparse_features by_feature
    cdef object transposed

    def __init__(self, X, kernel, cache_mb):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.shape[1] > np.iinfo(np.int32).max:
            raise ValueError("Sparse data may have at most 2**31 - 1 features.")
        self.open_cache(X.shape[0], cache_mb)
        self.is_symmetric = True
        self.kernel = kernel
        self.form = form_of(kernel)
        self.p = X.shape[1]
        self.price = ONE_VALUE + ONE_TERM * SPARSE_TERM * X.nnz / X.shape[0]
        self.by_feature.data = NULL
        # One more entry each, so that even an empty array has an address.
        self.data = np.append(X.data, 0.0)
        self.feature = np.append(X.indices, 0).astype(np.int32, copy=False)
        self.start = np.ascontiguousarray(X.indptr, dtype=np.int64)
        self.norm = np.empty(self.n)
        self.work = np.zeros(self.p)
        self.diag = np.empty(self.n)
        self.X.n = self.n
        self.X.data = &self.data[0]
        self.X.feature = &self.feature[0]
        self.X.start = &self.start[0]
        self.X.norm = &self.norm[0]
        if self.form.kind == LINEAR:
            self.turn(X)
        sparse_norms(&self.X, &self.work[0], &self.norm[0])
        sparse_diagonal(&self.form, &self.X, &self.diag[0])

    cdef turn(self, X):
        """Hold the rows by features too, where columns need far fewer entries that way."""
        cdef const double[::1] data
        cdef const int32_t[::1] row
        cdef const int64_t[::1] start
        n_rows = np.bincount(X.indices, minlength=self.p).astype(np.float64)
        n_read = float(n_rows @ n_rows) / self.n
        if SHORTER_WAY * n_read > X.nnz:
            return
        turned = X.tocsc()
        data = np.append(turned.data, 0.0)
        row = np.append(turned.indices, 0).astype(np.int32, copy=False)
        start = np.ascontiguousarray(turned.indptr, dtype=np.int64)
        self.transposed = data, row, start
        self.by_feature.data, self.by_feature.row = &data[0], &row[0]
        self.by_feature.start = &start[0]
        self.price = ONE_VALUE + ONE_TERM * SPARSE_TERM * n_read / self.n

    @property
    def features(self):
        """The rows, if the kernel is linear."""
        if self.form.kind != LINEAR:
            return None
        rows = np.asarray(self.data)[:-1], np.asarray(self.feature)[:-1], np.asarray(self.start)
        return csr_matrix(rows, shape=(self.n, self.p))

    def sibling(self, X):
        """Return columns of other rows with the same kernel and budget."""
        return SparseKernelColumns(X, self.kernel, self.cache_mb)

    cdef int compute(self, const Py_ssize_t* index, Py_ssize_t count, Py_ssize_t begin,
                     Py_ssize_t end, double** out) noexcept nogil:
        cdef Py_ssize_t c
        cdef int64_t first
        if self.by_feature.data != NULL:
            for c in range(count):
                first = self.start[index[c]]
                sparse_products(&self.by_feature, &self.data[first], &self.feature[first],
                                self.start[index[c] + 1] - first, begin, end, out[c])
            return 0
        for c in range(count):
            scatter_row(&self.X, index[c], 0, &self.work[0])
            sparse_column(&self.form, &self.X, index[c], &self.work[0], begin, end, out[c])
            scatter_row(&self.X, index[c], 1, &self.work[0])
        return 0

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        """``X @ (X.T @ v)`` for the linear kernel."""
        if self.form.kind != LINEAR:
            return CachedColumns.multiply(self, v, out)
        sparse_gram_product(&self.X, v, self.p, False, &self.work[0], out)
        return 0

    cdef bint multiplies_quickly(self, Py_ssize_t m) noexcept nogil:
        cdef double n_entries = <double> self.start[self.n], n_rows = <double> self.n
        return self.form.kind == LINEAR and QUICKER * (self.p / 4.0 + n_entries) < n_rows * m

    cdef void multiply_rest(self, const double* v, double* out) noexcept nogil:
        sparse_gram_product(&self.X, v, self.p, True, &self.work[0], out)

    cdef int multiply_side_by_side(self, const unsigned char* chosen, const Py_ssize_t* index,
                                   Py_ssize_t m, const double* v, Py_ssize_t count,
                                   double* out) noexcept nogil:
        # The numbers of a feature begin at a line of the cache.
        cdef double* block = <double*> calloc(self.p * count + CACHE_LINE, sizeof(double))
        cdef double* sums = block
        if block == NULL:
            return -1
        while <size_t> sums % (CACHE_LINE * sizeof(double)):
            sums += 1
        sparse_gram_block(&self.X, chosen, index, m, v, count, sums, out)
        free(block)
        return 0

    cdef void multiply_terms(self, const double* v, double* out) noexcept nogil:
        sparse_gram_terms(&self.X, v, self.p, &self.work[0], out)


cdef class CallableColumns(HeritableColumns):
    """Columns of a kernel that is a Python function.

    A column that is refused is not kept, and neither are those it was compared with: which of them
    is wrong cannot be known. After any failure ``suspect`` is set.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, p)
    function : callable
        ``function(A, B)`` returns the matrix of shape (len(A), len(B)); symmetric in A and B.
    cache_mb : float
    """

    cdef readonly object X
    cdef readonly object function
    cdef double scale                   # the largest entry of the diagonal

    def __init__(self, X, function, cache_mb):
        self.open_cache(X.shape[0], cache_mb)
        self.X = X
        self.function = function
        diagonal = np.empty(self.n)
        for first in range(0, self.n, DIAGONAL_BLOCK):
            rows = X[first:first + DIAGONAL_BLOCK]
            diagonal[first:first + DIAGONAL_BLOCK] = self.values(rows, rows).diagonal()
        self.diag = diagonal
        self.scale = np.abs(diagonal).max()

    def sibling(self, X):
        """Return columns of other rows with the same kernel and budget."""
        return CallableColumns(X, self.function, self.cache_mb)

    def values(self, A, B):
        """Return ``function(A, B)``, checked."""
        values = called_values(self.function, A, B)
        if not np.isfinite(values).all():
            raise ColumnError("The kernel function returned a value that is not finite.")
        return values

    cdef int compute(self, const Py_ssize_t* index, Py_ssize_t count, Py_ssize_t begin,
                     Py_ssize_t end, double** out) noexcept nogil:
        cdef Py_ssize_t c
        cdef const double[:, ::1] block
        with gil:
            try:
                rows = np.array([index[c] for c in range(count)], dtype=np.intp)
                others = self.X if end - begin == self.n else self.X[begin:end]
                block = self.values(self.X[rows], others)
                self.check_symmetric(index, count, begin, end, block)
                for c in range(count):
                    memcpy(out[c], &block[c, 0], (end - begin) * sizeof(double))
            except BaseException as error:
                self.suspect = True
                cache_clear(&self.cache)
                return self.fail(error)
        return 0

    cdef check_symmetric(self, const Py_ssize_t* index, Py_ssize_t count, Py_ssize_t begin,
                         Py_ssize_t end, const double[:, ::1] block):
        """Raise if new values differ from those that are known for the same pairs of rows.

        ``block[c]`` has the entries ``begin`` to ``end - 1`` of column ``index[c]``. Known are the
        diagonal, columns in the cache and the other columns of the block.
        """
        cdef Py_ssize_t c, d, i, j
        cdef double largest = self.scale
        for c in range(count):
            for j in range(end - begin):
                largest = max(largest, fabs(block[c, j]))
        cdef double most = SYMMETRIC_SHARE * largest
        for c in range(count):
            i = index[c]
            if begin <= i < end:
                self.compare(i, i, block[c, i - begin], self.diag[i], most)
            for d in range(c):
                j = index[d]
                if begin <= j < end and begin <= i < end:
                    self.compare(i, j, block[c, j - begin], block[d, i - begin], most)
            for j in range(begin, end):
                if self.cache.column[j] != NULL:
                    self.compare(i, j, block[c, j - begin], self.cache.column[j][i], most)

    cdef compare(self, Py_ssize_t i, Py_ssize_t j, double one, double other, double most):
        if fabs(one - other) <= most:
            return
        if i == j:
            raise ColumnError(
                f"The kernel function gave two values for row {i} with itself, {one:g} and "
                f"{other:g}.",
                advice=Advice("Repair the kernel function."),
            )
        raise KernelNotSymmetricError(
            "The kernel is not symmetric. The matrix of a kernel function must be symmetric, but "
            f"entry ({i}, {j}) is {one:g} and entry ({j}, {i}) is {other:g}.",
            advice=Advice("Repair the kernel function."),
        )


def kernel_sums(kernel, const double[:, ::1] X, const Py_ssize_t[::1] rows,
                const double[:, ::1] points, const double[::1] coef):
    """Return ``K(X[rows], points) @ coef`` without holding any of the kernel values.

    Parameters
    ----------
    kernel : Kernel
        A native one.
    X, points : ndarray of shape (n, p) and (n_points, p)
    rows : ndarray of int
    coef : ndarray of shape (n_points,)
    """
    cdef Py_ssize_t n = rows.shape[0], p = X.shape[1], count = coef.shape[0]
    if points.shape[0] != count or points.shape[1] != p:
        raise ValueError("Points and coefficients do not fit the rows.")
    result = np.zeros(n)
    cdef double[::1] out = result
    cdef kernel_form form = form_of(kernel)
    cdef double[::1] panels
    if n and p and count:
        panels = panels_of(X, n, np.asarray(rows))
        with nogil:
            dense_sums(&form, &panels[0], p, n, &points[0, 0], &coef[0], count, &out[0])
    return result


def exp_nonpositive(x):
    """Return ``exp(x)`` for ``x <= 0`` as the rbf kernel computes it."""
    cdef const double[::1] argument = np.ascontiguousarray(x, dtype=np.float64)
    result = np.empty(argument.shape[0])
    cdef double[::1] out = result
    if argument.shape[0] > 0:
        exp_array(&argument[0], argument.shape[0], &out[0])
    return result


cdef kernel_form form_of(kernel) except *:
    cdef kernel_form form
    form.kind = KINDS[kernel.name]
    form.degree = kernel.degree
    form.gamma = kernel.gamma
    form.coef0 = kernel.coef0
    return form


cdef panels_of(const double[:, ::1] X, Py_ssize_t capacity, rows):
    """Rows in panels of ``LANES``, each feature by feature, padded by zeros, at a cache line.

    ``capacity`` is how many rows there is room for.
    """
    cdef const Py_ssize_t[::1] index = rows
    cdef Py_ssize_t n = X.shape[0] if rows is None else index.shape[0], p = X.shape[1]
    cdef Py_ssize_t size = (capacity + LANES - 1) // LANES * LANES * p, offset = 0
    cdef double[::1] room = np.zeros(size + 8) if capacity > n else np.empty(size + 8)
    while (<size_t> (&room[0] + offset)) % 64 and offset < 7:
        offset += 1
    cdef double[::1] panels = room[offset:offset + size]
    if n and p:
        fill_panels(&X[0, 0], p, NULL if rows is None else &index[0], n, &panels[0])
    return panels
