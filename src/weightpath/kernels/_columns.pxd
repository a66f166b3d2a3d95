"""The operator that the engine sees: columns of a symmetric matrix and products with it."""


cdef class Columns:
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t n_computed
    cdef double[::1] diag
    cdef object error
    cdef bint suspect                   # set once values could not be computed

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil
    cdef void unpin(self, Py_ssize_t i) noexcept nogil
    cdef Py_ssize_t room(self) noexcept nogil
    cdef bint watch(self, const Py_ssize_t* rows, Py_ssize_t count) noexcept nogil
    cdef const double* pin_watched(self, Py_ssize_t i) noexcept nogil
    cdef void unwatch(self) noexcept nogil
    cdef void subtract(self, const Py_ssize_t* rows, Py_ssize_t count, const double** coef,
                       Py_ssize_t n_vectors, double** v) noexcept nogil
    cdef bint holds(self, Py_ssize_t i) noexcept nogil
    cdef const double* row(self, Py_ssize_t i) noexcept nogil
    cdef int multiply(self, const double* v, double* out) noexcept nogil
    cdef bint multiplies_quickly(self, Py_ssize_t m) noexcept nogil
    cdef void multiply_rest(self, const double* v, double* out) noexcept nogil
    cdef int multiply_side_by_side(self, const unsigned char* chosen, const Py_ssize_t* index,
                                   Py_ssize_t m, const double* v, Py_ssize_t count,
                                   double* out) noexcept nogil
    cdef void multiply_terms(self, const double* v, double* out) noexcept nogil
    cdef int fill(self) noexcept nogil
    cdef Py_ssize_t length(self) noexcept nogil
    cdef double entry(self, const double* column, Py_ssize_t i) noexcept nogil
    cdef const double* gather(self, const double* v) noexcept nogil
    cdef int spread(self, const double* v, double* out) noexcept nogil
    cdef double term_size(self, const double* column, double size) noexcept nogil
    cdef int fail(self, object error) noexcept


cdef void add_multiple(double factor, const double* x, Py_ssize_t n, double* y) noexcept nogil
cdef bint mostly_nonzero(const double* v, Py_ssize_t n) noexcept nogil
cdef Py_ssize_t count_nonzero(const double* v, Py_ssize_t n) noexcept nogil
cdef void symmetric_product(const double* K, Py_ssize_t n, Py_ssize_t width, const double* v,
                            double* out) noexcept nogil
