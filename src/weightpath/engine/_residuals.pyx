"""What the loop asks of the residuals of all rows.

They belong to rows of a kernel matrix (:mod:`weightpath.engine._row_residuals`) or to pairs of them
(:mod:`weightpath.engine._pair_residuals`).
"""

from weightpath.engine._sweep cimport FAR


cdef class Residuals:
    """Residuals that the loop follows (abstract).

    ``RowResiduals`` says what the methods mean; those that have no use for one leave it empty.
    """

    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil:
        return FAR

    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil:
        return -1

    cdef Py_ssize_t nearest(self, int direction, const unsigned char* skip,
                            double* slack) noexcept nogil:
        return -1

    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil:
        pass

    cdef void advance(self, double step) noexcept nogil:
        pass

    cdef void apply_pending_step(self) noexcept nogil:
        pass

    cdef bint stays_asleep(self, double tol) noexcept nogil:
        return False

    cdef bint sleeps(self) noexcept nogil:
        return False

    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil:
        pass

    cdef void set_residual(self, Py_ssize_t i, double value) noexcept nogil:
        pass

    cdef double residual(self, Py_ssize_t i) noexcept nogil:
        return 0.0

    cdef double velocity(self, Py_ssize_t i) noexcept nogil:
        return 0.0

    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil:
        pass

    cdef void add_velocity(self, Py_ssize_t i, const double* col, double amount) noexcept nogil:
        pass

    cdef void add_move(self, const double* col, double amount) noexcept nogil:
        pass

    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil:
        pass

    cdef void lift(self, double amount) noexcept nogil:
        pass

    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil:
        return 0

    cdef double displacement(self, Py_ssize_t i, double residual) noexcept nogil:
        return 0.0

    cdef void note_speed(self, Py_ssize_t i, double speed, double diagonal) noexcept nogil:
        pass

    cdef void join(self, double knot_speed, double enter_speed) noexcept nogil:
        pass

    cdef void part(self, Py_ssize_t k, double level, double knot_speed, double slope,
                   double level_speed) noexcept nogil:
        pass

    cdef void let_go(self) noexcept nogil:
        pass

    cdef bint multiplies_margin(self) noexcept nogil:
        # Whether products with the kernel matrix of the margin have a quicker way than its values.
        return False

    cdef void multiply_margin(self, const double* coef, double* out) noexcept nogil:
        pass

    cdef void turn(self, const double* change, double amount, Py_ssize_t gone) noexcept nogil:
        pass
