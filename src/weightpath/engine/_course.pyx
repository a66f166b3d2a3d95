"""The course of the function since a reference, and how far the function has deviated from it.

At a *reference* the residual and the velocity of every row are known, and so is the *course*: the
straight line on which everything goes on if the direction stays as it is. An event changes the
direction only a little. With e the deviation of the function from its course, and c that of the
bias, no residual of a row at a knot is farther from its own course than

    sqrt(K_ii) |e| + |c|.

The squared norm is carried along as a number. With d the change of the coefficients since the
reference, h the way of theta, u the velocities of the rows at knots, s the slopes of the margin,
v = u + s, and v0 the v of the reference:

    |e|^2 = d'Kd - 2 h d'Kv0 + h^2 v0'Kv0,    d'Kv = u'Kd + sum of s_i (Kd)_i over the margin,

where the margin's (Kd)_i follows from its residuals, (Kv0)_i is known for all rows, and u'Kd, u'Ku
and u'Kv0 change by numbers that are at hand where a row enters or leaves. An affine function's norm
is convex: it is enough to test the bound at the end of a step before taking it.
"""

from libc.math cimport fabs, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

# What is provided for, as a multiple of what is expected.
cdef double AMPLE = 1.5

# Safety for what rounding does to the numbers that are carried along, and to their differences.
cdef double CAUTION = 1.0 + 1e-6
cdef double CANCELLED = 1e-10


cdef double _turned(double turning, double found, double way, Py_ssize_t served) noexcept nogil:
    # How far one deviates, as a fraction of the way, after one event: it grows with the root of
    # their number. The last guess in the light of what was found.
    cdef double now = found / (way * sqrt(<double> served)) if way > 0.0 else turning
    return sqrt(turning * min(max(now, 0.1 * turning), 10.0 * turning))


cdef class Course:
    """The straight line from a reference on, and the deviation from it (final)."""

    def __cinit__(self):
        self.reference = self.flow = NULL
        self.n = 0
        self.begin_anew()

    def __dealloc__(self):
        free(self.reference)
        free(self.flow)

    cdef int open(self, Py_ssize_t n) noexcept nogil:
        """Get memory for a problem of ``n`` rows; -1 if there is none."""
        if self.n == n:
            return 0
        self.reference = <double*> malloc(n * sizeof(double))
        self.flow = <double*> malloc(n * sizeof(double))
        if self.reference == NULL or self.flow == NULL:
            return -1
        self.n = n
        return 0

    cdef void begin_anew(self) noexcept nogil:
        """Forget what former steps have taught, so that a path does not depend on those before."""
        self.knows_energy = False
        self.provision = 6.0
        self.usual_bias = self.usual_step = 0.0
        self.turning = self.bias_turning = 0.2
        self.served = 0

    cdef void aim(self, double ahead, double towards, double reach, double across,
                  double bias_speed, bint on) noexcept nogil:
        """Set out in a direction.

        ``ahead`` is v'Kv, ``towards`` the margin's share of d'Kv, ``reach`` that of u'Kv, and
        ``across`` that of v'Kv0; ``on``: there is a reference.
        """
        self.ahead, self.knots_ahead = ahead, self.knot_energy + reach
        self.towards = self.along + towards if on else 0.0
        self.across = self.standing + across if on else 0.0
        self.bias_speed = bias_speed

    cdef void learn(self, double step, double worth) noexcept nogil:
        """How far the last reference has served says how far the next one should reach.

        It does not serve for a step of this length. ``worth`` is how many numbers a reference
        reads; one spends least where it costs twice as much as what is read between two of them,
        as the awake rows grow with the square of the steps provided for.
        """
        cdef double way = self.lag + step, deviation, lift
        if self.served == 0:
            return
        if 2.0 * self.read < worth:
            self.provision = min(500.0, 1.4 * self.provision)
        else:
            self.provision = max(1.5, self.provision / 1.4)
        deviation = sqrt(max(self._deviation(step), 0.0))
        lift = fabs(self.bias_move + step * self.bias_speed - way * self.bias_course)
        self.turning = _turned(
            self.turning, deviation, way * sqrt(max(self.speed, 0.0)), self.served)
        self.bias_turning = _turned(
            self.bias_turning, lift, way * max(fabs(self.bias_course), self.usual_bias),
            self.served)
        self.served = 0

    cdef void provide(self, double step) noexcept nogil:
        """How far one may go: some steps like the usual ones, and certainly the one ahead."""
        cdef double speed = sqrt(max(self.ahead, 0.0)), part = AMPLE * sqrt(self.provision)
        cdef double lift = max(fabs(self.bias_speed), self.usual_bias)
        self.theta_reach = CAUTION * max(step, AMPLE * self.provision * self.usual_step)
        self.reach = part * self.turning * self.theta_reach * speed
        self.bias_reach = part * self.bias_turning * self.theta_reach * lift

    cdef void set_out(self, const double* r, const double* dr, const double* dt,
                      Margin margin) noexcept nogil:
        """Take a reference: residuals ``r``, their velocities ``dr`` and those of the targets."""
        cdef Py_ssize_t i, k
        memcpy(self.reference, r, self.n * sizeof(double))
        self.bias_course, self.speed = self.bias_speed, self.ahead
        for i in range(self.n):
            self.flow[i] = dt[i] - dr[i] - self.bias_speed
        # What the rows at knots have of v0'Kv0.
        self.standing = self.ahead
        for k in range(margin.size):
            i = margin.member[k]
            # A sweep leaves the ridge of members out.
            self.flow[i] += margin.ridge * margin.slope[k]
            self.standing -= margin.slope[k] * self.flow[i]
        self.lag = self.bias_move = self.energy = self.along = 0.0
        self.towards = self.shared = self.read = 0.0
        self.across = self.ahead
        self.served = 0

    cdef double _deviation(self, double step) noexcept nogil:
        # An upper bound of |e|^2 after a step ahead.
        cdef double way = self.lag + step
        cdef double energy = self.energy + step * (2.0 * self.towards + step * self.ahead)
        cdef double shared = 2.0 * way * (self.shared + step * self.across)
        cdef double course = way * way * self.speed
        return (energy - shared + course
                + CANCELLED * (fabs(energy) + fabs(shared) + fabs(course)))

    cdef bint covers(self, double step) noexcept nogil:
        """Whether no sleeper can be met on a step ahead."""
        cdef double way = self.lag + step
        cdef double lift = self.bias_move + step * self.bias_speed - way * self.bias_course
        return (way <= self.theta_reach
                and self._deviation(step) * CAUTION <= self.reach * self.reach
                and fabs(lift) <= self.bias_reach)

    cdef void advance(self, double step) noexcept nogil:
        """Move everything along the direction that was aimed at."""
        self.lag += step
        self.bias_move += step * self.bias_speed
        self.energy += step * (2.0 * self.towards + step * self.ahead)
        self.along += step * self.knots_ahead
        self.shared += step * self.across
        self.served += 1
        self.usual_bias += 0.1 * (fabs(self.bias_speed) - self.usual_bias)
        self.usual_step += 0.1 * (step - self.usual_step)
