from weightpath.engine._margin cimport Margin


cdef class AwakeRows:
    # Whether rows sleep at all now.
    cdef bint on
    cdef Py_ssize_t n, count, capacity
    cdef bint levels_move
    # Row of each awake row, and the place of each row among them (-1: it sleeps).
    cdef Py_ssize_t* index
    cdef Py_ssize_t* place
    # One block of memory, cut into vectors over the awake rows; the columns of the margin's
    # members, packed alike, in the order of the margin, and columns that are not in use.
    cdef double* r
    cdef double* dr
    cdef double* g
    cdef double* lo
    cdef double* up
    cdef double* dlo
    cdef double* dup
    cdef double* first
    cdef const double** column
    cdef double** spare
    cdef Py_ssize_t size, n_spare, room
    cdef double* value
    cdef double pending
    # Since the reference: the way of theta, and the move of the bias.
    cdef double lag, bias_move
    # Residuals and K v0 at the reference, and roots of the diagonal.
    cdef double* reference
    cdef double* course
    cdef double[::1] root
    # |f - f0|^2, <u, f - f0> and |u|^2, where u is how the rows at knots move the function.
    cdef double energy, along, knot_energy
    # <f - f0, v0>, <u, v0> and |v0|^2 with the direction v0 of the reference, and its bias speed.
    cdef double shared, standing, speed, bias_course
    cdef bint knows_energy
    # What the direction ahead adds to them.
    cdef double ahead, towards, knots_ahead, across, bias_speed
    # How far the function and the bias may deviate, and theta go, before sleepers are looked at.
    cdef double reach, bias_reach, theta_reach
    # What a reference is good for: events since, and how many steps ahead it provides for.
    cdef Py_ssize_t served, wait
    cdef double provision, usual_bias, usual_step
    # How far the function and the bias deviate from their course, as a part of the way.
    cdef double turning, bias_turning
    cdef void _free_columns(self) noexcept nogil
    cdef int _reserve(self, Py_ssize_t m) noexcept nogil
    cdef double* _new_column(self) noexcept nogil
    cdef void _learn(self) noexcept nogil
    cdef void _set_course(self, const double* dr, const double* dt, Margin margin) noexcept nogil
    cdef void _provide(self, double step) noexcept nogil
    cdef bint _wake(self, const double* r, const double* dr, const double* lo, const double* up,
                    const double* dlo, const double* dup) noexcept nogil
    cdef double _deviation(self, double step) noexcept nogil
    cdef void _put_to_rest(self) noexcept nogil
    cdef int open(self, Py_ssize_t n, bint levels_move) noexcept nogil
    cdef bint needs_aim(self, Py_ssize_t m) noexcept nogil
    cdef bint is_wanted(self, Py_ssize_t m) noexcept nogil
    cdef void aim(self, double ahead, double towards, double reach, double across,
                  double bias_speed) noexcept nogil
    cdef bint covers(self, double step) noexcept nogil
    cdef int begin(self, double step, const double* r, const double* dr, const double* g,
                   const double* lo, const double* up, const double* dlo, const double* dup,
                   const double* dt, Margin margin) noexcept nogil
    cdef double sweep(self, const double* coef, double db, double tol,
                      double noise) noexcept nogil
    cdef Py_ssize_t choose(self, double bound, double noise, int* direction, double* ratio,
                           double* speed) noexcept nogil
    cdef void advance(self, double step) noexcept nogil
    cdef void apply_pending_step(self) noexcept nogil
    cdef void set_levels(self, Py_ssize_t i, double lo, double up, double dlo,
                         double dup) noexcept nogil
    cdef void add_velocity(self, const double* col, double amount) noexcept nogil
    cdef int join(self, const double* col, double value) noexcept nogil
    cdef double part(self, Py_ssize_t k, Py_ssize_t i, double value, double residual, double g,
                     Py_ssize_t m, const double** col) noexcept nogil
    cdef void begin_anew(self) noexcept nogil
    cdef void end(self) noexcept nogil
