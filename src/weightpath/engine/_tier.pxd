from weightpath.kernels._feature_rows cimport feature_rows


cdef class Tier:
    # The rows of this tier (all where ``index`` is NULL), their residuals at the reference and, in
    # the direction of that time, the velocities of these.
    cdef Py_ssize_t count
    cdef Py_ssize_t* index
    cdef double* r
    cdef double* speed
    cdef double* work
    cdef object memory
    # Since the reference: the way of theta, how far the normal vector and the bias have moved.
    cdef double way, bias_move
    cdef double[::1] move
    # The course: the velocities of both at the reference.
    cdef double[::1] course
    cdef double bias_course
    # How far all that may go before the rows of this tier are looked at again.
    cdef double theta_reach, reach, bias_reach
    # What is usual: deviations as fractions of the way, steps between two looks to provide for.
    cdef double turning, bias_turning, provision
    # Since the reference: steps, and rows that the tier below has read.
    cdef Py_ssize_t served
    cdef double read
    cdef void begin_anew(self) noexcept nogil
    cdef void advance(self, double step, const double* speed, double bias_speed) noexcept nogil
    cdef double value(self, const feature_rows* X, Py_ssize_t i, Py_ssize_t at,
                      double own) noexcept nogil
    cdef double deviation(self, double step, const double* speed) noexcept nogil
    cdef double lift(self, double step, const double* speed, double bias_speed,
                     const double* center) noexcept nogil
    cdef bint covers(self, double step, const double* speed, double bias_speed,
                     const double* center) noexcept nogil
    cdef void learn(self, double step, const double* speed, double bias_speed,
                    const double* center, double usual_pace,
                    double usual_lift) noexcept nogil
    cdef void look(self, const feature_rows* X, const double* own, const double* speed,
                   double bias_speed) noexcept nogil
    cdef void set_out(self, const double* speed, double bias_speed) noexcept nogil
    cdef void set_out_at_rest(self, double way, double speed, double bias_speed) noexcept nogil
    cdef void provide(self, double step, double usual_step, double usual_pace,
                      double usual_lift) noexcept nogil
