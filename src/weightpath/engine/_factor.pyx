"""The factor of the margin system, updated in O(|M|^2) per event.

With a bias the direction of the margin solves

    [0  a'] [b]   [total]
    [a  K ] [x] = [rhs  ]            a = ones, K the kernel matrix of the margin.

Adding ``c a a'`` to ``K`` changes nothing but the meaning of ``b`` where ``a'x`` is given, and
``A = K + c a a'`` is positive definite exactly when the bordered system is invertible (``K`` alone
is singular for a linear kernel with p + 1 margin members). So the factor is the Cholesky factor of
``A = L L'`` together with ``L^-1 a``. Without a bias, c = 0 and the border is absent.

Append is one triangular solve; delete restores the triangle by Givens rotations, applied row by
row so that memory is read in order (Golub and Van Loan, Matrix Computations, 4th ed., 6.5.4). Rows
of the triangle stay where they are when others go: pointers to them have the order of the members.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove
from scipy.linalg.cython_lapack cimport dpotrf

from weightpath import tolerances as _tolerances

cdef extern from "margin_products.h" nogil:
    void wp_margin_product(Py_ssize_t m, Py_ssize_t width, const double* K, const double* x,
                           double* out)
    double wp_margin_terms(Py_ssize_t m, Py_ssize_t width, const double* K, const double* x,
                           double* out)

cdef extern from "rotations.h" nogil:
    void wp_rotate_out(Py_ssize_t at, Py_ssize_t m, double** row, double* cosine, double* sine)

cdef extern from "triangles.h" nogil:
    void wp_forward_one(Py_ssize_t first, Py_ssize_t m, const double** row, double* x)
    void wp_backward_one(Py_ssize_t m, const double** row, double* x)

cdef double PIVOT_PART = _tolerances.PIVOT
cdef double PIVOT_ROUNDINGS = _tolerances.PIVOT_ROUNDINGS
# A pivot so many times its threshold needs no refinement to be told from zero.
cdef double CLEAR = 1e4
cdef double TRUSTED_PART = _tolerances.TRUSTED_PIVOT
# Below this size plain loops are as fast as any.
cdef Py_ssize_t SMALL = 24
# Above this size passes over the matrix are what an event costs: what a pivot has found serves the
# update of the factor, too.
cdef Py_ssize_t LARGE = 64


# Numbers in a line of the processor's cache, at which rows begin.
cdef Py_ssize_t CACHE_LINE = 8


cdef class KeptFactor:
    """A copy of a factor: the triangle and the kernel values row by row, packed."""


cdef class Factor:
    """Cholesky factor of ``K_M + lift a a'`` with its border.

    Parameters
    ----------
    bordered : bool
        Whether there is a bias.
    lift : float
        The ``c`` above, about the mean diagonal of the kernel; ignored without a bias.
    """

    def __cinit__(self, bint bordered, double lift):
        self.bordered = bordered
        self.lift = lift if bordered else 0.0
        self.size = 0
        self.capacity = 0
        self.largest = 0.0
        self.intact = self.kept = 0
        self.plain_above = LARGE
        self.is_gram_intact = False
        self.block = self.chol = self.gram = self.border = self.work = self.ahead = NULL
        self.row = NULL
        self.slot = NULL

    def __dealloc__(self):
        self._free()

    cdef void _free(self) noexcept nogil:
        free(self.block)
        free(self.row)
        free(self.border)
        free(self.work)
        free(self.slot)

    cdef int reserve(self, Py_ssize_t size) noexcept nogil:
        # Room for `size` members; keeps what is there. Returns -1 when memory is short.
        cdef Py_ssize_t cap, k, old = self.capacity, m = self.size
        cdef double* block
        cdef double* chol
        cdef double* gram
        cdef double* border
        cdef double* work
        cdef double** row
        cdef Py_ssize_t* slot
        if size <= old:
            return 0
        cap = _width_for(max(16, max(size + size // 16, old + old // 8)))
        block = <double*> malloc((2 * cap * cap + CACHE_LINE) * sizeof(double))
        row = <double**> malloc(cap * sizeof(double*))
        border = <double*> malloc(cap * sizeof(double))
        work = <double*> malloc(4 * cap * sizeof(double))
        slot = <Py_ssize_t*> malloc(cap * sizeof(Py_ssize_t))
        if block == NULL or row == NULL or border == NULL or work == NULL or slot == NULL:
            free(slot)
            free(block)
            free(row)
            free(border)
            free(work)
            return -1
        chol = _cache_line(block)
        gram = chol + cap * cap
        for k in range(m):
            memcpy(chol + k * cap, self.row[k], m * sizeof(double))
            memcpy(gram + k * cap, self.gram + k * old, m * sizeof(double))
        if m:
            memcpy(border, self.border, m * sizeof(double))
            memcpy(slot, self.slot, m * sizeof(Py_ssize_t))
        self._free()
        self.block, self.chol, self.gram, self.row = block, chol, gram, row
        self.border, self.work, self.slot = border, work, slot
        # The last vector of the scratch space keeps what `pivot` found for `append`.
        self.ahead = work + 3 * cap
        self.capacity = cap
        self._put_rows_in_order()
        self._give_up_what_was_kept()
        return 0

    cdef void _put_rows_in_order(self) noexcept nogil:
        # Rows of the triangle lie in the order of the members, one after the other.
        cdef Py_ssize_t k
        for k in range(self.capacity):
            self.row[k] = self.chol + k * self.capacity

    # A factor that is come back to. Members that enter later lie behind it, so that only what a
    # departure has changed is put back.

    cdef KeptFactor keep(self):
        """Return a copy of the factor, whose members lie where they came: none has left it yet."""
        cdef Py_ssize_t k, m = self.size
        cdef KeptFactor kept = KeptFactor()
        cdef double[::1] numbers = np.empty(2 * m * m + m)
        kept.size, kept.largest = m, self.largest
        kept.chol, kept.gram = numbers[:m * m], numbers[m * m:2 * m * m]
        kept.border, kept.slot = numbers[2 * m * m:], np.empty(m, dtype=np.intp)
        for k in range(m):
            memcpy(&kept.chol[k * m], self.row[k], (k + 1) * sizeof(double))
            memcpy(&kept.gram[k * m], self.gram + k * self.capacity, m * sizeof(double))
        if m:
            memcpy(&kept.border[0], self.border, m * sizeof(double))
            memcpy(&kept.slot[0], self.slot, m * sizeof(Py_ssize_t))
        self.kept = self.intact = m
        self.is_gram_intact = True
        return kept

    cdef void restore(self, KeptFactor kept) noexcept nogil:
        """Go back to the factor that was kept last; there is room for it."""
        cdef Py_ssize_t k, m = kept.size, cap = self.capacity
        for k in range(self.intact, m):
            memcpy(self.row[k], &kept.chol[k * m], (k + 1) * sizeof(double))
            self.border[k] = kept.border[k]
        if not self.is_gram_intact:
            for k in range(m):
                memcpy(self.gram + k * cap, &kept.gram[k * m], m * sizeof(double))
            if m:
                memcpy(self.slot, &kept.slot[0], m * sizeof(Py_ssize_t))
        self.size, self.largest = m, kept.largest
        self.kept = self.intact = m
        self.is_gram_intact = True

    cdef void be_brief(self) noexcept nogil:
        """Refine no clear pivot, of small margins neither: for paths whose ends are verified."""
        self.plain_above = SMALL

    cdef void _give_up_what_was_kept(self) noexcept nogil:
        self.intact = 0
        self.is_gram_intact = False

    cdef void clear(self) noexcept nogil:
        self.size = 0
        self.largest = 0.0

    cdef void _forward(self, double* x) noexcept nogil:
        # x <- L^-1 x
        cdef Py_ssize_t k, j
        cdef double s
        cdef double* row
        cdef Py_ssize_t m = self.size
        if m > SMALL:
            wp_forward_one(0, m, <const double**> self.row, x)
            return
        for k in range(m):
            row = self.row[k]
            s = x[k]
            for j in range(k):
                s -= row[j] * x[j]
            x[k] = s / row[k]

    cdef void _backward(self, double* x) noexcept nogil:
        # x <- L^-T x
        cdef Py_ssize_t k, j
        cdef double* row
        cdef Py_ssize_t m = self.size
        if m > SMALL:
            wp_backward_one(m, <const double**> self.row, x)
            return
        for k in range(m - 1, -1, -1):
            row = self.row[k]
            x[k] /= row[k]
            for j in range(k):
                x[j] -= row[j] * x[k]

    cdef double _solve_once(self, double* x, double total, bint keep) noexcept nogil:
        # x: right-hand side in, solution out; returns b. What `append` needs is kept on demand.
        cdef Py_ssize_t k
        cdef double b = 0.0, wy = 0.0, ww = 0.0
        self._forward(x)
        if keep:
            memcpy(self.ahead, x, self.size * sizeof(double))
        if self.bordered:
            for k in range(self.size):
                wy += self.border[k] * x[k]
                ww += self.border[k] * self.border[k]
            b = (wy - total) / ww
            for k in range(self.size):
                x[k] -= b * self.border[k]
            b += self.lift * total
        self._backward(x)
        return b

    cdef void solve(self, const double* rhs, double total, double* x, double* b) noexcept nogil:
        """Solve the bordered system, with one step of iterative refinement.

        In NumPy: ``np.linalg.solve([[0, a], [a.T, K]], [total, rhs])``. Out: ``x``, ``b``.
        """
        if self.size == 0:
            b[0] = 0.0
            return
        memcpy(x, rhs, self.size * sizeof(double))
        b[0] = self._solve_once(x, total, False)
        self.refine(rhs, total, x, b)

    cdef double solve_plainly(self, double* x, double total) noexcept nogil:
        """The same without refinement: right-hand side in, solution out; returns ``b``."""
        return self._solve_once(x, total, False) if self.size else 0.0

    cdef void solve_unit(self, Py_ssize_t at, double* x, double* b) noexcept nogil:
        """Column ``at`` of the inverse of the bordered system, without refinement.

        Members that came last leave first, more often than not: only what lies behind ``at`` is
        read on the way forward.
        """
        cdef Py_ssize_t k
        cdef double wy = 0.0, ww = 0.0
        for k in range(self.size):
            x[k] = 0.0
        x[at] = 1.0
        wp_forward_one(at, self.size, <const double**> self.row, x)
        b[0] = 0.0
        if self.bordered:
            for k in range(self.size):
                wy += self.border[k] * x[k]
                ww += self.border[k] * self.border[k]
            b[0] = wy / ww
            for k in range(self.size):
                x[k] -= b[0] * self.border[k]
        self._backward(x)

    cdef double refine(self, const double* rhs, double total, double* x,
                       double* b) noexcept nogil:
        """One step of iterative refinement; returns by how much it changes ``x`` at most."""
        cdef Py_ssize_t k, j, m = self.size
        cdef double* rest = self.work
        cdef double* placed = self.work + self.capacity
        cdef double* product = self.work + 2 * self.capacity
        cdef double s, t = total, most = 0.0
        cdef double* row
        for k in range(m):
            placed[self.slot[k]] = x[k]
        if m > SMALL:
            wp_margin_product(m, self.capacity, self.gram, placed, product)
        for k in range(m):
            row = self.gram + self.slot[k] * self.capacity
            s = rhs[k]
            if self.bordered:
                s -= b[0]
                t -= x[k]
            if m > SMALL:
                s -= product[self.slot[k]]
            else:
                for j in range(m):
                    s -= row[j] * placed[j]
            rest[k] = s
        b[0] += self._solve_once(rest, t, False)
        for k in range(m):
            x[k] += rest[k]
            most = max(most, fabs(rest[k]))
        return most

    cdef double pivot(self, const double* k, double kii, double scale, double* x, double* b,
                      double* threshold, double* rounding) noexcept nogil:
        """Return the Schur complement of a new member with kernel values ``k`` and ``kii``.

        Out: ``x``, ``b`` solve the system for ``(1, k)``, so that ``(1, -x)`` is the null direction
        where the pivot is at noise; ``threshold`` is what the pivot must exceed to be real, and
        ``rounding``, its second part, what rounding can do to the difference: it keeps the margin
        within numerical rank.
        """
        cdef double delta = kii
        cdef Py_ssize_t m = self.size
        if m:
            memcpy(x, k, m * sizeof(double))
            b[0] = self._solve_once(x, 1.0, True)
        else:
            b[0] = 0.0
        if m > self.plain_above:
            # A clear pivot needs neither a step of refinement nor the exact sum of its terms.
            delta = self._pivot_of(k, kii, x, b[0])
            rounding[0] = self._largest_rounding(kii, x, b[0])
            threshold[0] = max(PIVOT_PART * scale, rounding[0])
            if delta > CLEAR * threshold[0]:
                return delta
        if m:
            self.refine(k, 1.0, x, b)
        rounding[0] = PIVOT_ROUNDINGS * DBL_EPSILON * (kii + self._terms(x, b[0]))
        threshold[0] = max(PIVOT_PART * scale, rounding[0])
        return self._pivot_of(k, kii, x, b[0])

    cdef bint is_clear(self, double delta, double kii, double scale, const double* x,
                       double b) noexcept nogil:
        """Whether a pivot, with the solution it came from, needs no refinement to be real."""
        return delta > CLEAR * max(PIVOT_PART * scale, self._largest_rounding(kii, x, b))

    cdef double _largest_rounding(self, double kii, const double* x, double b) noexcept nogil:
        # What rounding can do to a pivot, at most, from the sizes of its terms.
        cdef Py_ssize_t i
        cdef double length = 0.0
        for i in range(self.size):
            length += fabs(x[i])
        return PIVOT_ROUNDINGS * DBL_EPSILON * (
            kii + length * (2.0 * fabs(b) + self.largest * length))

    cdef double _pivot_of(self, const double* k, double kii, const double* x,
                          double b) noexcept nogil:
        cdef Py_ssize_t i
        cdef double delta = kii
        if self.bordered:
            delta -= b
        for i in range(self.size):
            delta -= k[i] * x[i]
        return delta

    cdef double energy(self, const double* k, double kii, const double* x) noexcept nogil:
        """What the pivot is to second order in the errors of ``x``: the square of ``(1, -x)``."""
        cdef Py_ssize_t i, j
        cdef double total = kii, s
        for i in range(self.size):
            s = -2.0 * k[i]
            for j in range(self.size):
                s += self.gram[self.slot[i] * self.capacity + self.slot[j]] * x[j]
            total += x[i] * s
        return total

    cdef double _terms(self, const double* x, double b) noexcept nogil:
        # The sum of the absolute terms of a pivot.
        cdef Py_ssize_t i, j, m = self.size
        cdef double size = 0.0, s
        cdef double* row
        cdef double* placed = self.work + self.capacity
        for i in range(m):
            placed[self.slot[i]] = fabs(x[i])
            size += fabs(x[i])
        if m > SMALL:
            return 2.0 * fabs(b) * size + wp_margin_terms(
                m, self.capacity, self.gram, placed, self.work + 2 * self.capacity)
        size = 0.0
        for i in range(m):
            row = self.gram + self.slot[i] * self.capacity
            s = 2.0 * fabs(b)
            for j in range(m):
                s += fabs(row[j]) * placed[j]
            size += fabs(x[i]) * s
        return size

    cdef int append(self, const double* k, double kii, bint is_candidate) noexcept nogil:
        """Add a member at the end. Returns -1 when it is dependent, -2 when memory is short.

        ``is_candidate``: it is the one that `pivot` was asked for last, and nothing has changed.
        """
        cdef Py_ssize_t j, m = self.size
        cdef double d, s = 1.0
        cdef double* row
        if self.reserve(m + 1) < 0:
            return -2
        row = self.work
        if is_candidate and m > LARGE:
            for j in range(m):
                row[j] = self.ahead[j] + self.lift * self.border[j]
        else:
            for j in range(m):
                row[j] = k[j] + self.lift
            self._forward(row)
        d = kii + self.lift
        for j in range(m):
            d -= row[j] * row[j]
            s -= row[j] * self.border[j]
        if not d > 0.0:
            return -1
        d = sqrt(d)
        memcpy(self.row[m], row, m * sizeof(double))
        self.row[m][m] = d
        self.border[m] = s / d
        for j in range(m):
            self.gram[m * self.capacity + self.slot[j]] = k[j]
            self.gram[self.slot[j] * self.capacity + m] = k[j]
        self.gram[m * self.capacity + m] = kii
        self.slot[m] = m
        self.size = m + 1
        self.largest = max(self.largest, kii)
        return 0

    cdef void delete(self, Py_ssize_t at) noexcept nogil:
        """Remove the member ``at``; the others keep their order."""
        cdef Py_ssize_t m = self.size - 1, cap = self.capacity, j
        cdef double* cosine = self.work
        cdef double* sine = self.work + cap
        cdef double* vacant = self.row[at]
        cdef double c, s, x, y
        self.intact = min(self.intact, at)
        if at < self.kept:
            self.is_gram_intact = False
        wp_rotate_out(at, m, self.row, cosine, sine)
        memmove(self.row + at, self.row + at + 1, (m - at) * sizeof(double*))
        self.row[m] = vacant
        for j in range(at, m):
            c, s, x, y = cosine[j], sine[j], self.border[j], self.border[j + 1]
            self.border[j] = c * x + s * y
            self.border[j + 1] = c * y - s * x
        self._vacate(at)
        self.size = m

    cdef void _vacate(self, Py_ssize_t at) noexcept nogil:
        # The last of the stored kernel values take the place of those of member `at`.
        cdef Py_ssize_t k, last = self.size - 1, vacant = self.slot[at], cap = self.capacity
        memmove(self.slot + at, self.slot + at + 1, (last - at) * sizeof(Py_ssize_t))
        if vacant == last:
            return
        for k in range(last):
            if self.slot[k] == last:
                self.slot[k] = vacant
        memcpy(self.gram + vacant * cap, self.gram + last * cap, last * sizeof(double))
        self.gram[vacant * cap + vacant] = self.gram[last * cap + last]
        for k in range(last):
            self.gram[k * cap + vacant] = self.gram[vacant * cap + k]

    cdef void _restore_border(self, Py_ssize_t start) noexcept nogil:
        cdef Py_ssize_t i, j
        cdef double s
        cdef double* row
        for i in range(start, self.size):
            row = self.row[i]
            s = 1.0
            for j in range(i):
                s -= row[j] * self.border[j]
            self.border[i] = s / row[i]

    cdef int refactor(self) noexcept nogil:
        """Factor afresh from the kernel values; -1 if a pivot is not clearly positive.

        One blocked factorisation: rows of L are columns of the upper factor that LAPACK computes.
        """
        cdef Py_ssize_t i, j, cap = self.capacity
        cdef double largest = 0.0
        cdef int m = <int> self.size, ld = <int> cap, info = 0
        self._give_up_what_was_kept()
        if m == 0:
            return 0
        self._put_rows_in_order()
        for i in range(m):
            for j in range(i + 1):
                self.chol[i * cap + j] = self.gram[self.slot[i] * cap + self.slot[j]] + self.lift
            largest = max(largest, self.chol[i * cap + i])
        self.largest = largest - self.lift
        dpotrf(b"U", &m, self.chol, &ld, &info)
        if info != 0:
            return -1
        for i in range(m):
            if not self.chol[i * cap + i] ** 2 > TRUSTED_PART * largest:
                return -1
        self._restore_border(0)
        return 0


cdef Py_ssize_t _width_for(Py_ssize_t size) noexcept nogil:
    # Rows begin at lines of the cache, an odd number of them apart: else too many of those that are
    # read side by side would want the same place in the cache.
    cdef Py_ssize_t lines = (size + CACHE_LINE - 1) // CACHE_LINE
    return CACHE_LINE * (lines | 1)


cdef double* _cache_line(double* block) noexcept nogil:
    # The first number of a block that begins a line of the cache; it has room for that.
    cdef size_t beyond = (<size_t> block) % (CACHE_LINE * sizeof(double))
    return block if beyond == 0 else block + CACHE_LINE - beyond // sizeof(double)


cdef class FactorProbe:
    """The factor with a Python face, for tests."""

    cdef Factor factor

    def __init__(self, bint bordered, double lift):
        self.factor = Factor(bordered, lift)

    def append(self, const double[::1] k, double kii):
        cdef double nothing = 0.0
        return self.factor.append(&k[0] if k.shape[0] else &nothing, kii, False)

    def delete(self, Py_ssize_t at):
        self.factor.delete(at)

    def refactor(self):
        return self.factor.refactor()

    def solve(self, const double[::1] rhs, double total):
        x = np.empty(max(1, self.factor.size))
        cdef double[::1] view = x
        cdef double b = 0.0
        self.factor.solve(&rhs[0], total, &view[0], &b)
        return x[:self.factor.size], b

    def pivot(self, const double[::1] k, double kii, double scale):
        x = np.empty(max(1, self.factor.size))
        cdef double[::1] view = x
        cdef double b = 0.0, threshold = 0.0, rounding = 0.0
        delta = self.factor.pivot(&k[0], kii, scale, &view[0], &b, &threshold, &rounding)
        return delta, threshold, x[:self.factor.size], b
