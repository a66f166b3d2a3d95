from weightpath.engine._residuals cimport Residuals
from weightpath.engine._tier cimport Tier
from weightpath.kernels._feature_columns cimport FeatureColumns
from weightpath.kernels._feature_rows cimport feature_rows


cdef class FeatureResiduals(Residuals):
    cdef FeatureColumns columns
    cdef feature_rows X
    cdef Py_ssize_t p
    # By row: its own velocity, that of its target, and levels where the line begins; whether they
    # move, and the way of theta since then.
    cdef double[::1] own, dt, lo, up, dlo, dup
    cdef bint levels_move
    cdef double gone
    # Velocities of the normal vector: by the rows at knots, and in all; that of the bias.
    cdef double[::1] standing, speed
    cdef double bias_speed
    # All rows, those awake, and where each row is among these (-1: it sleeps).
    cdef Tier every, awake
    cdef int[::1] place, near_at
    # The awake rows that are near, with residuals, velocities and levels now; and what the normal
    # vector has moved by that their residuals do not know yet.
    cdef Py_ssize_t n_near
    cdef Py_ssize_t[::1] near
    cdef double[::1] r, dr, low, high, work
    cdef double[::1] moved
    cdef bint has_moved
    # Whether there are references at all; the row that is barred, and on which side.
    cdef bint is_built
    cdef Py_ssize_t barred
    cdef int barred_side
    cdef double usual_step, usual_pace, usual_lift, spread
    cdef void _aim(self, const double** col, const double* coef, Py_ssize_t m,
                   double db) noexcept nogil
    cdef double _sweep_near(self, double tol, double noise) noexcept nogil
    cdef bint _covers(self, Tier tier, double step) noexcept nogil
    cdef void _begin_at_rest(self, double limit) noexcept nogil
    cdef double _first_reach(self, double pace, double lift) noexcept nogil
    cdef void _look(self, Tier tier, double step) noexcept nogil
    cdef void _wake(self) noexcept nogil
    cdef void _choose_near(self) noexcept nogil
    cdef bint _is_safe(self, Tier tier, Py_ssize_t i, double r, double speed) noexcept nogil
    cdef void _add_near(self, Py_ssize_t i, double residual) noexcept nogil
    cdef void _watch(self, Py_ssize_t i) noexcept nogil
    cdef void _settle(self) noexcept nogil
    cdef void _catch_up(self) noexcept nogil
    cdef void _forget(self) noexcept nogil
    cdef bint _is_at_reference(self) noexcept nogil
    cdef double _level(self, Py_ssize_t i, int side) noexcept nogil
    cdef Py_ssize_t _clamp_all(self, double tol, double rem, double* largest) noexcept nogil
    cdef Py_ssize_t _clamp_near(self, double tol, double rem, double* largest) noexcept nogil
    cdef double _beyond(self, double r, double low, double high) noexcept nogil
