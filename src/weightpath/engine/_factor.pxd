cdef class KeptFactor:
    # A copy of a factor, to which it can be put back.
    cdef double[::1] chol, gram, border
    cdef Py_ssize_t[::1] slot
    cdef Py_ssize_t size
    cdef double largest


cdef class Factor:
    # The margin system: append, delete, solve, pivot, refresh.
    cdef readonly Py_ssize_t size
    cdef Py_ssize_t capacity
    cdef readonly bint bordered
    cdef readonly double lift
    cdef double* block       # the memory of both matrices
    cdef double* chol        # L by rows, which lie in any order
    cdef double** row        # where each of them is
    cdef double* gram        # K_M by rows, all of it
    cdef double* border      # L^-1 a
    cdef double* work        # four vectors
    cdef double* ahead       # one of them: L^-1 k of the last pivot
    cdef Py_ssize_t* slot    # where in `gram` each member is
    cdef double largest      # a bound of the diagonal
    # Since the factor was kept: how many of its first rows, and whether the stored kernel values of
    # its members, are still what they were.
    cdef Py_ssize_t intact, kept
    cdef bint is_gram_intact
    # Clear pivots of margins above this size are not refined.
    cdef Py_ssize_t plain_above
    cdef char apart[64]
    cdef void _free(self) noexcept nogil
    cdef void _put_rows_in_order(self) noexcept nogil
    cdef void be_brief(self) noexcept nogil
    cdef KeptFactor keep(self)
    cdef void restore(self, KeptFactor kept) noexcept nogil
    cdef void _give_up_what_was_kept(self) noexcept nogil
    cdef int reserve(self, Py_ssize_t size) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void solve(self, const double* rhs, double total, double* x, double* b) noexcept nogil
    cdef double pivot(self, const double* k, double kii, double scale, double* x, double* b,
                      double* threshold, double* rounding) noexcept nogil
    cdef bint is_clear(self, double delta, double kii, double scale, const double* x,
                       double b) noexcept nogil
    cdef double _largest_rounding(self, double kii, const double* x, double b) noexcept nogil
    cdef int append(self, const double* k, double kii, bint is_candidate) noexcept nogil
    cdef void delete(self, Py_ssize_t at) noexcept nogil
    cdef int refactor(self) noexcept nogil
    cdef void _forward(self, double* x) noexcept nogil
    cdef void _backward(self, double* x) noexcept nogil
    cdef double _solve_once(self, double* x, double total, bint keep) noexcept nogil
    cdef void solve_unit(self, Py_ssize_t at, double* x, double* b) noexcept nogil
    cdef double refine(self, const double* rhs, double total, double* x,
                       double* b) noexcept nogil
    cdef double solve_plainly(self, double* x, double total) noexcept nogil
    cdef double _pivot_of(self, const double* k, double kii, const double* x,
                          double b) noexcept nogil
    cdef double energy(self, const double* k, double kii, const double* x) noexcept nogil
    cdef double _terms(self, const double* x, double b) noexcept nogil
    cdef void _vacate(self, Py_ssize_t at) noexcept nogil
    cdef void _restore_border(self, Py_ssize_t start) noexcept nogil


cdef Py_ssize_t _width_for(Py_ssize_t size) noexcept nogil
cdef double* _cache_line(double* block) noexcept nogil
