# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The operator that the engine sees: columns of a symmetric matrix and products with it.

A column is *pinned* while it is in use. An object of these classes is used by one thread at a
time.
"""

import numpy as np

from libc.math cimport isfinite
from libc.string cimport memset
from scipy.linalg.cython_blas cimport daxpy, ddot, dsymv

cdef extern from "column_sums.h" nogil:
    void add_column_sums(Py_ssize_t, Py_ssize_t, const double**, const double*, double*)

# From this share of nonzero coefficients on, a product is worth computing the whole matrix where it
# is not there yet.
cdef double FULL_SHARE = 0.25

# A matrix that is there is read by half from this share on; with fewer nonzero coefficients, adding
# up their columns touches less memory. Both take as long at about one half, 200 to 5,000 rows.
cdef double HALF_SHARE = 0.5

cdef enum:
    # Columns that are added up together.
    TOGETHER = 64


cdef class Columns:
    """The operator of a problem: columns of a symmetric matrix and products with it.

    A subclass sets ``n`` and ``diag`` and overrides ``pin``, ``unpin`` and ``multiply``. They run
    without the GIL and report a failure by ``NULL`` or -1; the exception is then kept for
    ``raise_error``. An object is used by one thread at a time.

    The matrix may be a product ``D G D'`` with a short matrix ``G`` and a sparse ``D`` (pairs of
    documents). Then a column is kept in its short form, ``G D'`` times a unit vector, of ``length``
    less than ``n``, and ``entry``, ``gather`` and ``spread`` go between the two.

    Attributes
    ----------
    n : int
        Order of the matrix.
    n_computed : int
        Number of columns computed so far.
    """

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        """``K[:, i]``, valid until the matching ``unpin(i)``; may be pinned several times."""
        with gil:
            self.fail(NotImplementedError(f"{type(self).__name__} has no pin."))
        return NULL

    cdef void unpin(self, Py_ssize_t i) noexcept nogil:
        """Take one pin on column ``i`` back."""

    cdef Py_ssize_t room(self) noexcept nogil:
        """How many columns may be pinned at once without exceeding the budget."""
        return self.n

    cdef bint watch(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
        """From now on let ``pin_watched`` be content with values at these rows; whether it is.

        Then ``subtract`` is there for the other rows. Pinned columns that had values at some rows
        have them at these. All columns have all values again after ``unwatch``.
        """
        return False

    cdef const double* pin_watched(self, Py_ssize_t i) noexcept nogil:
        """The same as ``pin`` for one who reads the rows that are watched, and no others."""
        return self.pin(i)

    cdef void unwatch(self) noexcept nogil:
        """Let columns have values at all rows, those that are pinned too."""

    cdef void subtract(self, const Py_ssize_t* rows, Py_ssize_t count, const double** coef,
                       Py_ssize_t n_vectors, double** v) noexcept nogil:
        """``v[c] -= K[:, rows] @ coef[c]`` for up to three vectors, without these columns."""

    cdef bint holds(self, Py_ssize_t i) noexcept nogil:
        """Whether column ``i`` is there and need not be computed."""
        return False

    cdef const double* row(self, Py_ssize_t i) noexcept nogil:
        """Row ``i`` of the matrix, equal to the last bit, if it is at hand; else NULL."""
        return NULL

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        """``out[:] = K @ v``; zeros of ``v`` cost nothing."""
        with gil:
            return self.fail(NotImplementedError(f"{type(self).__name__} has no multiply."))

    cdef bint multiplies_quickly(self, Py_ssize_t m) noexcept nogil:
        """Whether a product with ``m`` coefficients reads far less than their columns.

        Then ``multiply_rest``, ``multiply_side_by_side`` and ``multiply_terms`` are there, too.
        """
        return False

    cdef void multiply_rest(self, const double* v, double* out) noexcept nogil:
        """``out = K @ v`` where ``v`` is zero; the other entries are left as they are."""

    cdef int multiply_side_by_side(self, const unsigned char* chosen, const Py_ssize_t* index,
                                   Py_ssize_t m, const double* v, Py_ssize_t count,
                                   double* out) noexcept nogil:
        """``out = K[:, index] @ v`` for the rows that are not ``chosen``; -1 on failure.

        The ``m`` rows of ``index`` are those that are. ``v``, in their order, and ``out`` have
        ``count`` numbers in a row, one for each product.
        """
        return -1

    cdef void multiply_terms(self, const double* v, double* out) noexcept nogil:
        """The sums of the absolute terms of ``K @ v``, as ``multiply`` adds them up."""

    cdef int fill(self) noexcept nogil:
        """Compute the whole matrix if there is room for it: half the work of all its columns."""
        return 0

    cdef Py_ssize_t length(self) noexcept nogil:
        """The length of a pinned column."""
        return self.n

    cdef double entry(self, const double* column, Py_ssize_t i) noexcept nogil:
        """``K[i, j]``, from the pinned column ``j``."""
        return column[i]

    cdef const double* gather(self, const double* v) noexcept nogil:
        """``D' v``: its product with the pinned column ``j`` is ``(K v)[j]``."""
        return v

    cdef int spread(self, const double* v, double* out) noexcept nogil:
        """``out[:] = G D' v``, in the form of a pinned column."""
        return self.multiply(v, out)

    cdef double term_size(self, const double* column, double size) noexcept nogil:
        """The absolute terms of ``column @ gather(v)``, of which ``size`` is the sum as it stands.

        More where the entries of the vector gathered last are sums with large terms themselves.
        """
        return size

    cdef int fail(self, object error) noexcept:
        """Keep ``error`` for ``raise_error`` and return -1."""
        self.error = error
        return -1

    def raise_error(self):
        """Raise the exception that a failed call has stored, and forget it."""
        error, self.error = self.error, None
        if error is not None:
            raise error

    @property
    def diagonal(self):
        """The diagonal of the matrix."""
        return np.array(self.diag)

    def is_finite_from(self, Py_ssize_t first):
        """Return whether the diagonal of the rows from this one on is finite."""
        cdef Py_ssize_t i
        for i in range(first, self.diag.shape[0]):
            if not isfinite(self.diag[i]):
                return False
        return True

    def largest_diagonal(self):
        """Return the largest number on the diagonal, at least zero."""
        cdef Py_ssize_t i
        cdef double largest = 0.0
        for i in range(self.diag.shape[0]):
            largest = max(largest, self.diag[i])
        return largest

    @property
    def n_bytes(self):
        """Bytes of columns held now, besides the data themselves."""
        return 0

    @property
    def is_suspect(self):
        """Whether values that are kept may be wrong, as a computation of others has failed."""
        return self.suspect

    @property
    def structure(self):
        """What the residuals use of the structure of the rows; ``None`` if there is none."""
        return None

    @property
    def features(self):
        """The rows whose inner products the matrix consists of; ``None`` if there are none."""
        return None

    def whole(self):
        """Return the whole matrix, read-only, where it is kept or fits the budget; else ``None``.

        It is not copied where it is kept in one piece: any number of threads may read it, as long
        as the columns are not handed over.
        """
        return None

    def long_form(self):
        """Return columns as long as there are rows; most are."""
        return self

    def only(self, index):
        """Return the columns of some of the rows where that takes no copy of data or columns.

        ``index`` is a slice, a mask or the numbers of the rows. ``None`` where they must be handed
        over.
        """
        return None

    def points(self, v):
        """Return ``G D' v``, ``K @ v`` in the form of a pinned column."""
        cdef const double[::1] vector = np.ascontiguousarray(v, dtype=np.float64)
        if vector.shape[0] != self.n:
            raise ValueError(f"Expected a vector of length {self.n}, got {vector.shape[0]}.")
        result = np.empty(self.length())
        cdef double[::1] out = result
        cdef int status
        with nogil:
            status = self.spread(&vector[0], &out[0])
        if status < 0:
            self.raise_error()
        return result

    def column(self, i):
        """Return a copy of column ``i``."""
        return self.entries(np.arange(self.n), [i]).ravel()

    def submatrix(self, index):
        """Return ``K[index][:, index]``."""
        return self.entries(index, index)

    def product(self, v):
        """Return ``K @ v``."""
        cdef const double[::1] vector = np.ascontiguousarray(v, dtype=np.float64)
        if vector.shape[0] != self.n:
            raise ValueError(f"Expected a vector of length {self.n}, got {vector.shape[0]}.")
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef int status
        with nogil:
            status = self.multiply(&vector[0], &out[0])
        if status < 0:
            self.raise_error()
        return result

    def values_at(self, rows, coef):
        """Return ``K[rows] @ coef``."""
        cdef const Py_ssize_t[::1] row = self.checked(rows)
        cdef const double[::1] vector = np.ascontiguousarray(coef, dtype=np.float64)
        result = np.empty(row.shape[0])
        cdef double[::1] out = result
        cdef const double* column
        cdef Py_ssize_t c
        cdef int length = <int>self.length(), one = 1
        if vector.shape[0] != self.n:
            raise ValueError(f"Expected a vector of length {self.n}, got {vector.shape[0]}.")
        for c in range(row.shape[0]):
            with nogil:
                column = self.pin(row[c])
            if column == NULL:
                self.raise_error()
            out[c] = ddot(&length, <double*>column, &one, <double*>self.gather(&vector[0]), &one)
            self.unpin(row[c])
        return result

    def values_of_last(self, coef):
        """Return ``K @ coef`` at the last rows: those beyond the coefficients, which have none."""
        cdef const double[::1] vector = coef
        cdef Py_ssize_t c, n = vector.shape[0]
        if n > self.n:
            raise ValueError(f"Expected at most {self.n} numbers, one for each row; got {n}.")
        if self.length() != self.n or n == 0:
            coef = np.concatenate([coef, np.zeros(self.n - n)])
            return self.values_at(np.arange(n, self.n), coef)
        result = np.empty(self.n - n)
        cdef double[::1] out = result
        cdef const double* column
        cdef int length = <int>n, one = 1
        for c in range(n, self.n):
            with nogil:
                column = self.pin(c)
            if column == NULL:
                self.raise_error()
            out[c - n] = ddot(&length, <double*>column, &one, <double*>&vector[0], &one)
            self.unpin(c)
        return result

    def entries(self, rows, columns):
        """Return ``K[rows][:, columns]``."""
        cdef const Py_ssize_t[::1] row = self.checked(rows)
        cdef const Py_ssize_t[::1] col = self.checked(columns)
        transposed = np.empty((col.shape[0], row.shape[0]))
        cdef double[:, ::1] out = transposed
        cdef const double* column
        cdef Py_ssize_t c, r
        for c in range(col.shape[0]):
            with nogil:
                column = self.pin(col[c])
            if column == NULL:
                self.raise_error()
            for r in range(row.shape[0]):
                out[c, r] = self.entry(column, row[r])
            self.unpin(col[c])
        return np.ascontiguousarray(transposed.T)

    def hold(self, i):
        """Pin column ``i`` as the engine does; return a view of it, valid until ``release(i)``."""
        cdef Py_ssize_t position = self.checked([i])[0]
        cdef const double* column = self.pin(position)
        if column == NULL:
            self.raise_error()
        view = np.asarray(<double[:self.length()]> <double*> column)
        view.setflags(write=False)
        return view

    def release(self, i):
        """Take back one pin of ``hold``."""
        self.unpin(self.checked([i])[0])

    def checked(self, index):
        """Return ``index`` as a contiguous array of indices in range."""
        index = np.ascontiguousarray(index, dtype=np.intp)
        if index.ndim != 1 or not _are_below(index, self.n):
            raise IndexError(f"Expected a list of indices in 0 ... {self.n - 1}, got {index}.")
        return index


cdef class StoredColumns(Columns):
    """The columns of a matrix that is given.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The matrix, symmetric; column ``i`` is read from row ``i``. It is not copied if the numbers
        of each row lie together.
    """

    cdef const double[:, :] K
    cdef Py_ssize_t width               # doubles from one row to the next

    def __init__(self, K):
        K = np.asarray(K, dtype=np.float64)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ValueError(f"A precomputed kernel matrix must be square, got shape {K.shape}.")
        if K.strides[1] != K.itemsize or K.strides[0] < K.itemsize * K.shape[1]:
            K = np.ascontiguousarray(K)
        self.K = K
        self.n = K.shape[0]
        self.width = K.strides[0] // K.itemsize
        self.diag = K.diagonal().copy()

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        return &self.K[i, 0]

    cdef bint holds(self, Py_ssize_t i) noexcept nogil:
        return True

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        symmetric_product(&self.K[0, 0], self.n, self.width, v, out)
        return 0

    def whole(self):
        """Return the matrix itself, read-only."""
        return _read_only(np.asarray(self.K))

    def handover(self, X_new, source, keep=True):
        """Return the columns of the new matrix ``X_new``; nothing needs to be computed."""
        return StoredColumns(X_new)

    def slide(self, X_new, n_gone, n_new):
        """Return the columns of the new matrix ``X_new``; nothing needs to be computed."""
        return StoredColumns(X_new)


cdef bint _are_below(const Py_ssize_t[::1] index, Py_ssize_t n) noexcept:
    """Whether all indices are those of ``n`` rows."""
    cdef Py_ssize_t k
    for k in range(index.shape[0]):
        if not 0 <= index[k] < n:
            return False
    return True


def _read_only(matrix):
    matrix = matrix.view()
    matrix.setflags(write=False)
    return matrix


cdef void add_multiple(double factor, const double* x, Py_ssize_t n, double* y) noexcept nogil:
    """``y += factor * x``"""
    cdef int length = <int>n, one = 1
    daxpy(&length, &factor, <double*>x, &one, y, &one)


cdef bint mostly_nonzero(const double* v, Py_ssize_t n) noexcept nogil:
    """Whether ``K @ v`` is cheaper with all of ``K``, kept from then on, than column by column."""
    return count_nonzero(v, n) >= FULL_SHARE * n


cdef Py_ssize_t count_nonzero(const double* v, Py_ssize_t n) noexcept nogil:
    """How many coefficients are not zero."""
    cdef Py_ssize_t i, nonzero = 0
    for i in range(n):
        nonzero += v[i] != 0.0
    return nonzero


cdef void symmetric_product(const double* K, Py_ssize_t n, Py_ssize_t width, const double* v,
                            double* out) noexcept nogil:
    """``out = K @ v``; the rows of ``K`` are ``width`` doubles apart."""
    cdef Py_ssize_t i, count = 0
    cdef int order = <int>n, between = <int>width, one = 1
    cdef double unit = 1.0, zero = 0.0
    cdef const double* column[TOGETHER]
    cdef double coef[TOGETHER]
    if count_nonzero(v, n) >= HALF_SHARE * n:
        dsymv(b"U", &order, &unit, <double*>K, &between, <double*>v, &one, &zero, out, &one)
        return
    memset(out, 0, n * sizeof(double))
    for i in range(n):
        if v[i] == 0.0:
            continue
        column[count], coef[count] = K + i * width, v[i]
        count += 1
        if count == TOGETHER:
            add_column_sums(n, count, column, coef, out)
            count = 0
    add_column_sums(n, count, column, coef, out)
