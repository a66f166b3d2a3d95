"""The course of the function since a reference, and how far the function has deviated from it.

At a *reference* the residual and the velocity of every row are known, and so is the *course*: the
straight line on which everything goes on if the direction stays as it is. An event changes the
direction of a large margin only a little, but may turn that of a small one round: there the course
is *still*, to stay where one is. With e the deviation of the function from its course, and c that
of the bias, no residual of a row at a knot is farther from its own course than

    sqrt(K_ii) |e| + |c|,    nor than    sqrt(K_ii + K_ll - 2 K_il) |e| + |e_l + c|

for any row l, the *anchor*: the deviation of row i differs from that of row l by the product of e
with the difference of their columns, whose norm is the first root. Where all rows are near each
other in the space of the kernel, as with few features, the second bound is far smaller. What all
rows have in common, c or e_l + c, is the *lift*.

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
from libc.string cimport memcpy, memset

from weightpath import tolerances as _tolerances

# What is provided for, as a multiple of what is expected.
cdef double AMPLE = 1.5

# A still course is left by the step ahead itself: a little more than that is provided for.
cdef double BEYOND = 1.01

# What a still course provides for the lift, at least, as a part of what it does for other moves: an
# anchor that has kept to its level may leave it.
cdef double LEAST_LIFT = 0.2

# Before so many events have passed, a refresh looks at all rows anyway; later with very many rows.
cdef double MOST_STILL = 64.0
cdef double LENGTH_PER_REFRESH = _tolerances.LENGTH_PER_REFRESH
cdef double LONGEST_REFRESH = _tolerances.LONGEST_REFRESH

# Safety for what rounding does to the numbers that are carried along, and to their differences.
cdef double CAUTION = 1.0 + 1e-6
cdef double CANCELLED = 1e-10

# A direction is known to this part.
cdef double ROUNDED = 1e-9


cdef double _turned(double turning, double found, double way, Py_ssize_t served) noexcept nogil:
    # How far one deviates, as a fraction of the way, after one event: it grows with the root of
    # their number. The last guess in the light of what was found.
    cdef double now = found / (way * sqrt(<double> served)) if way > 0.0 else turning
    return sqrt(turning * min(max(now, 0.1 * turning), 10.0 * turning))


cdef double _mean_move(double before, double now) noexcept nogil:
    return sqrt(before * min(max(now, 0.1 * before), 10.0 * before)) if before > 0.0 else now


cdef class Course:
    """The straight line from a reference on, and the deviation from it (final)."""

    def __cinit__(self):
        self.reference = self.flow = NULL
        self.usual_norm = 1.0
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
        self.usual_lift = self.usual_step = self.event_move = self.event_lift = 0.0
        self.turning = self.lift_turning = 0.2
        self.lift_speed = 0.0
        self.served = self.n_steps = 0

    cdef void aim(self, double ahead, double towards, double reach, double across,
                  double bias_speed, double lift_speed, bint on) noexcept nogil:
        """Set out in a direction.

        ``ahead`` is v'Kv, ``towards`` the margin's share of d'Kv, ``reach`` that of u'Kv, and
        ``across`` that of v'Kv0; ``on``: there is a reference.
        """
        self.ahead, self.knots_ahead = ahead, self.knot_energy + reach
        self.towards = self.along + towards if on else 0.0
        self.across = self.standing + across if on else 0.0
        self.bias_speed, self.lift_speed = bias_speed, lift_speed

    cdef void learn(self, double step, double worth) noexcept nogil:
        """How far the last reference has served says how far the next one should reach.

        It does not serve for a step of this length. ``worth`` is how many numbers a reference
        reads; one spends least where it costs twice as much as what is read between two of them,
        as the awake rows grow with the square of the steps provided for.
        """
        cdef double way = self.lag + step, deviation, lift, most
        if self.served == 0:
            return
        if 2.0 * self.read < worth:
            most = min(self.n / LENGTH_PER_REFRESH, LONGEST_REFRESH)
            self.provision = min(
                max(MOST_STILL, most) if self.still else 500.0, 1.4 * self.provision)
        else:
            self.provision = max(1.5, self.provision / 1.4)
        if self.still:
            self.note_moves(step)
            return
        deviation = sqrt(max(self._deviation(step), 0.0))
        lift = fabs(self.lift_move + step * self.lift_speed - way * self.lift_course)
        self.turning = _turned(
            self.turning, deviation, way * sqrt(max(self.speed, 0.0)), self.served)
        self.lift_turning = _turned(
            self.lift_turning, lift, way * max(fabs(self.lift_course), self.usual_lift),
            self.served)
        self.served = 0

    cdef void note_moves(self, double step) noexcept nogil:
        """How far a still course has been left, with a step ahead, is what to provide for next."""
        cdef double events = self.served + (1 if step > 0.0 else 0)
        if self.still and self.served > 0:
            self.event_move = _mean_move(
                self.event_move, sqrt(max(self._deviation(step), 0.0)) / events)
            self.event_lift = _mean_move(
                self.event_lift, fabs(self.lift_move + step * self.lift_speed) / events)
        self.served = 0

    cdef void _provide_still(self, double step) noexcept nogil:
        cdef double speed = sqrt(max(self.ahead, 0.0)), lift = fabs(self.lift_speed)
        if self.event_move == 0.0:
            self.event_move, self.event_lift = step * speed, step * lift
        self.theta_reach = max(BEYOND * step, 2.0 * AMPLE * self.provision * self.usual_step)
        self.reach = max(BEYOND * step * speed, AMPLE * self.provision * self.event_move)
        self.lift_reach = max(
            BEYOND * step * lift, AMPLE * self.provision * self.event_lift,
            LEAST_LIFT * self.usual_norm * self.reach)

    cdef void provide(self, double step, bint still) noexcept nogil:
        """How far one may go: some steps like the usual ones, and certainly the one ahead."""
        cdef double speed = sqrt(max(self.ahead, 0.0)), part = AMPLE * sqrt(self.provision)
        cdef double lift = max(fabs(self.lift_speed), self.usual_lift)
        self.still = still
        if still:
            self._provide_still(step)
            return
        self.theta_reach = CAUTION * max(step, AMPLE * self.provision * self.usual_step)
        self.reach = part * self.turning * self.theta_reach * speed
        self.lift_reach = (
            part * self.lift_turning * self.theta_reach * lift + self.rounding(self.theta_reach))

    cdef double rounding(self, double way) noexcept nogil:
        """How far rounding may take the residuals of members from their levels."""
        return ROUNDED * way * sqrt(max(self.ahead, 0.0))

    cdef void set_out(self, const double* r, const double* dr, const double* dt,
                      Margin margin) noexcept nogil:
        """Take a reference: residuals ``r``, their velocities ``dr`` and those of the targets."""
        cdef Py_ssize_t i, k
        memcpy(self.reference, r, self.n * sizeof(double))
        self.lag = self.bias_move = self.lift_move = self.energy = self.along = 0.0
        self.towards = self.shared = self.read = 0.0
        self.served = 0
        if self.still:
            memset(self.flow, 0, self.n * sizeof(double))
            self.lift_course = self.speed = self.standing = self.across = 0.0
            return
        self.lift_course, self.speed = self.lift_speed, self.ahead
        for i in range(self.n):
            self.flow[i] = dt[i] - dr[i] - self.bias_speed
        # What the rows at knots have of v0'Kv0.
        self.standing = self.ahead
        for k in range(margin.size):
            i = margin.member[k]
            # A sweep leaves the ridge of members out.
            self.flow[i] += margin.ridge * margin.slope[k]
            self.standing -= margin.slope[k] * self.flow[i]
        self.across = self.ahead

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
        cdef double lift = self.lift_move + step * self.lift_speed - way * self.lift_course
        return (way <= self.theta_reach
                and self._deviation(step) * CAUTION <= self.reach * self.reach
                and fabs(lift) <= self.lift_reach)

    cdef void advance(self, double step) noexcept nogil:
        """Move everything along the direction that was aimed at."""
        self.lag += step
        self.bias_move += step * self.bias_speed
        self.lift_move += step * self.lift_speed
        self.energy += step * (2.0 * self.towards + step * self.ahead)
        self.along += step * self.knots_ahead
        self.shared += step * self.across
        self.served += 1
        self.note_step(step)

    cdef void note_step(self, double step) noexcept nogil:
        """Whether or not rows sleep, the steps say what to expect of the next ones."""
        cdef double weight = max(0.1, 1.0 / (1.0 + self.n_steps))
        self.n_steps += 1
        self.usual_lift += weight * (fabs(self.lift_speed) - self.usual_lift)
        self.usual_step += weight * (step - self.usual_step)
