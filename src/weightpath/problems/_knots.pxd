"""When a coefficient is at a knot, and at which of several knots that coincide."""

cdef double closeness_to(double beta, double knot, double way, double kappa,
                         double tolerance) noexcept nogil
cdef Py_ssize_t nearest_knot(const double[:, ::1] knots, Py_ssize_t i, double beta, double kappa,
                             double tolerance, bint* near) noexcept nogil
cpdef void sort_out_rows(const double[:, ::1] knots, const double[:, ::1] levels,
                         int[::1] position, const double[::1] residual)
