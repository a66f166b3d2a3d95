from weightpath.engine._ledger cimport Ledger
from weightpath.engine._margin cimport Margin
from weightpath.engine._residuals cimport Residuals


cdef class RowResiduals(Residuals):
    cdef double[::1] r, g, dr, lo, up, dt, dlo, dup, first
    # The array whose rows the first five are.
    cdef object block
    cdef double pending
    cdef bint levels_move
    cdef Py_ssize_t barred
    cdef int barred_side
    cdef double barred_level
    # The margin whose columns move the residuals.
    cdef Margin margin
    # Whether the margin's share in the velocities is a product by way of sparse features, and then
    # its coefficients, with zeros between two sweeps, and itself.
    cdef bint by_product
    cdef double[::1] coef, product
    # Whether the product holds the velocities after the last changes of the margin instead, and how
    # often the direction had been updated then.
    cdef bint is_turned
    cdef Py_ssize_t turned_at
    # What sleepers have still to move by.
    cdef Ledger ledger
    cdef void reset(self, const double* residual, const double* lower,
                    const double* upper) noexcept nogil
    cdef void _calm_down(self) noexcept nogil
    cdef void _unbar(self) noexcept nogil
    cdef bint _is_noted(self) noexcept nogil
    cdef double _sweep_plainly(self, double db, double tol, double noise, double limit,
                               double step) noexcept nogil
    cdef double _sweep_lightly(self, double db, double tol, double noise, double limit,
                               Py_ssize_t served) noexcept nogil
    cdef bint _is_almost_empty(self, Py_ssize_t m) noexcept nogil
    cdef double _sweep_few(self, const double** col, const double* coef, Py_ssize_t m, double db,
                           double tol, double noise) noexcept nogil
    cdef double _sweep_all(self, const double** col, const double* coef, Py_ssize_t m, double db,
                           double tol, double noise, double limit) noexcept nogil
    cdef double _sweep_by_product(self, const double* coef, Py_ssize_t m, double db, double tol,
                                  double noise, double limit) noexcept nogil
    cdef double _sweep_turned(self, Py_ssize_t m, double db, double tol, double noise,
                              double limit) noexcept nogil
    cdef double _level_now(self, Py_ssize_t i, int direction) noexcept nogil
    cdef void _bar(self, Py_ssize_t i, int direction) noexcept nogil
    cdef void _set_level(self, Py_ssize_t i, int direction, double level) noexcept nogil
    cdef double _sweep_again(self, double db, double tol, double noise,
                             double step) noexcept nogil
    cdef void _fall_asleep(self, double step, bint is_packed) noexcept nogil
    cdef void _wake_all(self) noexcept nogil
    cdef void _stop_watching(self) noexcept nogil
    cdef void _take_over_near(self, bint with_speed) noexcept nogil
    cdef void _catch_up(self, const double* coef, double db) noexcept nogil
