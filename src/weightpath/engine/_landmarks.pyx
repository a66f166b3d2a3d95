"""Landmarks: some members of a large margin, which keep sleeping rows where they are.

While a row is on the margin, its residual keeps to its level, whatever happens: where the function
deviates from its course, it does not deviate there. So the deviation at any other row is at most
that of the function times the distance of the row, in the space of the kernel, from what the
landmarks span: with e the deviation, c that of the bias, x_k any numbers whose sum is one,

    e(i) + c = <e, K_i - sum of x_k K_k>,    so that    |e(i) + c| <= |e| |K_i - sum of x_k K_k|,

because e(k) + c = 0 at all landmarks k. Without a bias the sum may be any number. The smallest such
distance is less than half of sqrt(K_ii) with some hundred landmarks, and the move of the bias,
which all rows would share, is accounted for.

The distances are those of a Cholesky factor of the landmarks' kernel matrix, extended to all rows:
with a bias, of the kernel seen from one of them, the origin o, K_ij - K_io - K_oj + K_oo. When a
landmark leaves the margin, rotations take it out, as in :mod:`weightpath.engine._factor`.
"""

from libc.math cimport sqrt
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport drot, dtrsm
from scipy.linalg.cython_lapack cimport dpotrf

cdef extern from "landmarks.h" nogil:
    void wp_see_from(Py_ssize_t n, const double* col, const double* origin, double shift,
                     double* out)
    void wp_subtract_squares(Py_ssize_t n, Py_ssize_t size, const double* part, double* left)
    void wp_add_square(Py_ssize_t n, const double* part, double* left)

# At most so many, one out of so many members, and so many numbers in all. More cost more than the
# references that they spare.
cdef Py_ssize_t MOST = 128
cdef Py_ssize_t PART = 4
cdef Py_ssize_t NUMBERS = 4_000_000

# The square of a landmark's distance from what those before it span must exceed this part of its
# own.
cdef double CLEAR = 1e-4

# Distances are known to this part of their squares.
cdef double CANCELLED = 1e-10

cdef struct Stay:
    double time
    Py_ssize_t member


cdef int _compare(const void* one, const void* other) noexcept nogil:
    # Those that stay longest come first; the order of the members decides between equals.
    cdef const Stay* a = <const Stay*> one
    cdef const Stay* b = <const Stay*> other
    if a.time != b.time:
        return -1 if a.time > b.time else 1
    return -1 if a.member < b.member else 1


cdef class Landmarks:
    """Members of the margin, and the distance of all rows from what they span (final)."""

    def __cinit__(self):
        self.n = self.size = self.wanted = self.capacity = self.room = 0
        self.origin = -1
        self.row = self.order = NULL
        self.part = self.left = self.norm = self.gram = NULL
        self.has_norm = False

    def __dealloc__(self):
        free(self.row)
        free(self.order)
        free(self.part)
        free(self.left)
        free(self.norm)
        free(self.gram)

    cdef int open(self, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
        """Get memory for ``n`` rows and ``m`` members; -1 if there is none."""
        cdef Py_ssize_t most = min(MOST, max(8, NUMBERS // n))
        if self.room < m:
            free(self.order)
            self.room = m + m // 2
            self.order = <Py_ssize_t*> malloc(self.room * sizeof(Stay))
            if self.order == NULL:
                self.room = 0
                return -1
        if self.n == n and self.capacity == most:
            return 0
        free(self.row)
        free(self.part)
        free(self.left)
        free(self.norm)
        free(self.gram)
        self.row = <Py_ssize_t*> malloc(most * sizeof(Py_ssize_t))
        self.part = <double*> malloc(most * n * sizeof(double))
        self.left = <double*> malloc(n * sizeof(double))
        self.norm = <double*> malloc(n * sizeof(double))
        self.gram = <double*> malloc(most * most * sizeof(double))
        self.n, self.capacity = n, most
        if (self.row == NULL or self.part == NULL or self.left == NULL or self.norm == NULL
                or self.gram == NULL):
            self.n = self.capacity = 0
            return -1
        return 0

    cdef void clear(self) noexcept nogil:
        """Forget all landmarks."""
        self.size = self.wanted = 0
        self.origin = -1

    cdef bint are_due(self) noexcept nogil:
        """Whether there are none, or half of them and more have left the margin."""
        return 2 * self.size <= self.wanted

    cdef int choose(self, Margin margin, bint has_bias, const double* root,
                    const double* time) noexcept nogil:
        """Take landmarks; -1 if there is no memory, or are none.

        ``root`` are the roots of the diagonal of the kernel matrix, and ``time`` says for how long
        each member will stay, if all goes on as it does.
        """
        cdef Py_ssize_t i, k, row
        cdef double at_origin = 0.0, entry
        cdef double* out
        cdef const double* origin = NULL
        cdef const double* col
        cdef double one = 1.0
        cdef int n, size
        self.clear()
        if self.open(margin.columns.n, margin.size) < 0:
            return -1
        self._pick(margin, time)
        if has_bias:
            origin = margin.column[self.order[0]]
            self.origin = margin.member[self.order[0]]
            at_origin = root[self.origin] * root[self.origin]
        self.size = self._factorise(margin, origin)
        if self.size < 1:
            self.clear()
            return -1
        for k in range(self.size):
            col, out = margin.column[self.order[1 + k]], self.part + k * self.n
            row = margin.member[self.order[1 + k]]
            self.row[k] = row
            if not has_bias:
                memcpy(out, col, self.n * sizeof(double))
            else:
                wp_see_from(self.n, col, origin, at_origin - origin[row], out)
                # The ridge is that of the origin itself.
                out[self.origin] -= margin.ridge
            out[row] += margin.ridge
        n, size = <int> self.n, <int> self.size
        dtrsm(b"R", b"U", b"N", b"N", &n, &size, &one, self.gram, &size, self.part, &n)
        for i in range(self.n):
            entry = root[i] * root[i]
            self.left[i] = entry
            if has_bias:
                self.left[i] = (entry - 2.0 * origin[i]) + at_origin
            self.left[i] += CANCELLED * (entry + at_origin)
        wp_subtract_squares(self.n, self.size, self.part, self.left)
        self.has_norm = False
        self.wanted = self.size
        return 0

    cdef void _pick(self, Margin margin, const double* time) noexcept nogil:
        # Into `order`: the origin, the one that stays longest, and the landmarks to be.
        cdef Stay* stay = <Stay*> self.order
        cdef Py_ssize_t k, m = margin.size
        self.wanted = min(m // PART, self.capacity)
        for k in range(m):
            stay[k].time, stay[k].member = time[k], k
        qsort(stay, m, sizeof(Stay), _compare)
        for k in range(self.wanted + 1):
            # Where the numbers are written, the pairs have been read.
            self.order[k] = stay[k].member

    cdef double _entry(self, Margin margin, Py_ssize_t k, Py_ssize_t j,
                       const double* origin) noexcept nogil:
        # The kernel of two members, seen from the origin if there is one.
        cdef Py_ssize_t row = margin.member[j]
        cdef double value = margin.column[k][row]
        if k == j:
            value += margin.ridge
        if origin != NULL:
            value += (origin[self.origin] + margin.ridge) - origin[margin.member[k]] - origin[row]
        return value

    cdef Py_ssize_t _factorise(self, Margin margin, const double* origin) noexcept nogil:
        # The factor of the landmarks to be, into `gram`; how many of them are clear of each other.
        cdef Py_ssize_t j, k
        cdef int size = <int> self.wanted, info = 0
        cdef double least
        for k in range(size):
            for j in range(k + 1):
                self.gram[k * size + j] = self._entry(
                    margin, self.order[1 + k], self.order[1 + j], origin)
            self.left[k] = self.gram[k * size + k]
        dpotrf(b"U", &size, self.gram, &size, &info)
        if info < 0:
            return 0
        for k in range(size if info == 0 else info - 1):
            least = CLEAR * self.left[k]
            if not self.gram[k * size + k] * self.gram[k * size + k] > least:
                return 0
        # A leading part of a factor is a factor, but its rows lie farther apart.
        return size if info == 0 else 0

    cdef bint remove(self, Py_ssize_t i) noexcept nogil:
        """Row ``i`` leaves the margin; whether it was a landmark."""
        cdef Py_ssize_t k = 0, row
        cdef double a, b, length
        cdef int n = <int> self.n, step = 1
        cdef double* one
        cdef double* other
        if self.size == 0:
            return False
        if i == self.origin:
            self.size = 0
            return True
        while k < self.size and self.row[k] != i:
            k += 1
        if k == self.size:
            return False
        while k < self.size - 1:
            row = self.row[k + 1]
            one, other = self.part + k * self.n, self.part + (k + 1) * self.n
            a, b = one[row], other[row]
            length = sqrt(a * a + b * b)
            a, b = a / length, b / length
            drot(&n, one, &step, other, &step, &a, &b)
            self.row[k] = row
            k += 1
        wp_add_square(self.n, self.part + k * self.n, self.left)
        self.size -= 1
        self.has_norm = False
        return True

    cdef const double* norms(self) noexcept nogil:
        """The distance of each row from what the landmarks span."""
        cdef Py_ssize_t i
        if not self.has_norm:
            for i in range(self.n):
                self.norm[i] = sqrt(max(self.left[i], 0.0))
            self.has_norm = True
        return self.norm
