from weightpath.engine._awake cimport AwakeRows
from weightpath.engine._foresight cimport Foresight


cdef class Residuals:
    # Follow the residuals of all rows, and say which row meets its level next.
    cdef readonly Py_ssize_t n
    # The rows that may meet a level soon; None if no row ever sleeps.
    cdef AwakeRows awake
    # The changes of the margin that lie ahead; None where none is foreseen.
    cdef Foresight foresight
    # How many rows were looked at so far, each as often as it was.
    cdef readonly double touched
    cdef double sweep(self, const double** col, const double* coef, Py_ssize_t m, double db,
                      double tol, double noise, double limit) noexcept nogil
    cdef Py_ssize_t choose(self, double bound, double noise, int* direction,
                           double* ratio, double* speed) noexcept nogil
    cdef Py_ssize_t nearest(self, int direction, const unsigned char* skip,
                            double* slack) noexcept nogil
    cdef void bar(self, Py_ssize_t i, int direction, double tol) noexcept nogil
    cdef void advance(self, double step) noexcept nogil
    cdef void apply_pending_step(self) noexcept nogil
    cdef bint stays_asleep(self, double tol) noexcept nogil
    cdef bint sleeps(self) noexcept nogil
    cdef void set_levels(self, Py_ssize_t i, double lo, double up,
                         double dlo, double dup) noexcept nogil
    cdef void set_residual(self, Py_ssize_t i, double value) noexcept nogil
    cdef double residual(self, Py_ssize_t i) noexcept nogil
    cdef double velocity(self, Py_ssize_t i) noexcept nogil
    cdef void push_velocity(self, Py_ssize_t i, double amount) noexcept nogil
    cdef void add_velocity(self, Py_ssize_t i, const double* col, double amount) noexcept nogil
    cdef void add_move(self, const double* col, double amount) noexcept nogil
    cdef void replace(self, const double* product, const double* speed, const double* own,
                      const double* own_speed) noexcept nogil
    cdef void lift(self, double amount) noexcept nogil
    cdef Py_ssize_t clamp(self, double tol, double rem, double* largest) noexcept nogil
    cdef double displacement(self, Py_ssize_t i, double residual) noexcept nogil
    cdef void note_speed(self, Py_ssize_t i, double speed, double diagonal) noexcept nogil
    cdef void join(self, double knot_speed, double enter_speed) noexcept nogil
    cdef void part(self, Py_ssize_t k, double level, double knot_speed, double slope,
                   double level_speed) noexcept nogil
    cdef void let_go(self) noexcept nogil
    cdef bint multiplies_margin(self) noexcept nogil
    cdef void multiply_margin(self, const double* coef, double* out) noexcept nogil
    cdef void turn(self, const double* change, double amount, Py_ssize_t gone) noexcept nogil
