from weightpath.engine._margin cimport Margin


cdef class Course:
    cdef Py_ssize_t n
    # Residuals and K v0 at the reference.
    cdef double* reference
    cdef double* flow
    # Whether the course is to stay where one is.
    cdef bint still
    # Since the reference: the way of theta, the move of the bias and that of the lift.
    cdef double lag, bias_move, lift_move
    # |f - f0|^2, <u, f - f0> and |u|^2, where u is how the rows at knots move the function.
    cdef double energy, along, knot_energy
    cdef bint knows_energy
    # <f - f0, v0>, <u, v0> and |v0|^2 with the direction v0 of the reference, and its lift speed.
    cdef double shared, standing, speed, lift_course
    # What the direction ahead adds to them.
    cdef double ahead, towards, knots_ahead, across, bias_speed, lift_speed
    # How far the function and the lift may deviate, and theta go, before sleepers are looked at.
    cdef double reach, lift_reach, theta_reach
    # What a reference is good for: events since, numbers read since, and how many steps ahead it
    # provides for.
    cdef Py_ssize_t served, n_steps
    cdef double read, provision, usual_lift, usual_step
    # How far the function and the lift deviate from their course, as a fraction of the way.
    cdef double turning, lift_turning
    # And how far they go with an event, net of what the next ones take back.
    cdef double event_move, event_lift
    # The mean of the norms by which rows move with the function.
    cdef double usual_norm
    cdef int open(self, Py_ssize_t n) noexcept nogil
    cdef void begin_anew(self) noexcept nogil
    cdef void aim(self, double ahead, double towards, double reach, double across,
                  double bias_speed, double lift_speed, bint on) noexcept nogil
    cdef void learn(self, double step, double worth) noexcept nogil
    cdef void note_moves(self, double step) noexcept nogil
    cdef void provide(self, double step, bint still) noexcept nogil
    cdef void _provide_still(self, double step) noexcept nogil
    cdef double rounding(self, double way) noexcept nogil
    cdef void set_out(self, const double* r, const double* dr, const double* dt,
                      Margin margin) noexcept nogil
    cdef double _deviation(self, double step) noexcept nogil
    cdef bint covers(self, double step) noexcept nogil
    cdef void advance(self, double step) noexcept nogil
    cdef void note_step(self, double step) noexcept nogil
