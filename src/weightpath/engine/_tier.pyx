"""Rows that are looked at together, now and then, in the space of the features.

At a *reference* the residuals of the rows of a tier are known. They follow from there: with w the
normal vector, b the bias and g the own velocity of a row (that of its target, less its ridge),

    r(theta) = r + h g - x'(w - w0) - (b - b0),

where h is the way of theta since the reference. The *course* is where all goes on as it did then.
With e = (w - w0) - h w0' the deviation of the normal vector from its course, c that of the bias,
and any point z, no residual is farther from its own course than

    |x - z| |e| + |c + z'e|,

so that rows whose course keeps a larger distance from their levels need not be looked at. The norm
of an affine function is convex: it is enough to test the bound at the end of a step.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.string cimport memset

from weightpath.kernels._feature_rows cimport feature_dot, feature_dots_of_two

# What is provided for, as a multiple of what is expected.
cdef double AMPLE = 1.5

# At first a look at all rows provides for so many steps, and one at those awake for so many.
cdef double MANY_STEPS = 24.0
cdef double SOME_STEPS = 6.0

# Safety for what rounding does to the numbers that are carried along.
cdef double CAUTION = 1.0 + 1e-6


cdef class Tier:
    """The rows of one tier, their reference and how far it serves (final).

    Parameters
    ----------
    n : int
        The most rows that it may have.
    p : int
        The number of features.
    has_all : bool
        Whether it has all rows, in their order.
    """

    def __init__(self, Py_ssize_t n, Py_ssize_t p, bint has_all):
        cdef double[:, ::1] block = np.empty((3, n))
        cdef Py_ssize_t[::1] index
        self.r, self.speed, self.work = &block[0, 0], &block[1, 0], &block[2, 0]
        self.index = NULL
        self.memory = block
        if not has_all:
            index = np.empty(n, dtype=np.intp)
            self.index = &index[0]
            self.memory = block, index
        self.count = n if has_all else 0
        self.move, self.course = np.zeros((2, p))
        self.begin_anew()

    cdef void begin_anew(self) noexcept nogil:
        """Forget what former steps have taught, and the reference, at which all is at rest."""
        self.provision = MANY_STEPS if self.index == NULL else SOME_STEPS
        self.turning = self.bias_turning = 0.2
        self.set_out_at_rest(0.0, 0.0, 0.0)

    cdef void advance(self, double step, const double* speed, double bias_speed) noexcept nogil:
        """Move everything along a direction."""
        cdef Py_ssize_t j
        for j in range(self.move.shape[0]):
            self.move[j] += step * speed[j]
        self.way += step
        self.bias_move += step * bias_speed
        self.served += 1

    cdef double value(self, const feature_rows* X, Py_ssize_t i, Py_ssize_t at,
                      double own) noexcept nogil:
        """The residual of row ``i``, the one at ``at`` here, now; its own velocity is given."""
        return (self.r[at] + self.way * own - feature_dot(X, i, &self.move[0]) - self.bias_move)

    # How far the reference serves ----------------------------------------------------------

    cdef double deviation(self, double step, const double* speed) noexcept nogil:
        """How far the normal vector is from its course after a step."""
        cdef Py_ssize_t j
        cdef double total = 0.0, e, way = self.way + step
        for j in range(self.move.shape[0]):
            e = self.move[j] + step * speed[j] - way * self.course[j]
            total += e * e
        return sqrt(total)

    cdef double lift(self, double step, const double* speed, double bias_speed,
                     const double* center) noexcept nogil:
        """The same for the value at the middle of the rows."""
        cdef Py_ssize_t j
        cdef double way = self.way + step
        cdef double total = self.bias_move + step * bias_speed - way * self.bias_course
        for j in range(self.move.shape[0]):
            total += center[j] * (self.move[j] + step * speed[j] - way * self.course[j])
        return fabs(total)

    cdef bint covers(self, double step, const double* speed, double bias_speed,
                     const double* center) noexcept nogil:
        """Whether no row but those of the tier below can meet a level on a step ahead."""
        return (self.way + step <= self.theta_reach
                and self.deviation(step, speed) * CAUTION <= self.reach
                and self.lift(step, speed, bias_speed, center) * CAUTION <= self.bias_reach)

    cdef void learn(self, double step, const double* speed, double bias_speed,
                    const double* center, double usual_pace, double usual_lift) noexcept nogil:
        """How far the last reference has served says how far the next one should reach.

        The rows of the tier below grow with the steps that are provided for: one spends least where
        a look costs as much as all that is read between two of them.
        """
        cdef double way = self.way + step
        if self.served == 0:
            return
        if 4.0 * self.read < self.count:
            self.provision = min(1000.0, 2.0 * self.provision)
        elif self.read < self.count:
            self.provision = min(1000.0, 1.4 * self.provision)
        else:
            self.provision = max(1.0, self.provision / 1.4)
        self.turning = _smoothed(self.turning, self.deviation(step, speed), way * usual_pace)
        self.bias_turning = _smoothed(
            self.bias_turning, self.lift(step, speed, bias_speed, center), way * usual_lift)

    # A new reference -----------------------------------------------------------------------

    cdef void look(self, const feature_rows* X, const double* own, const double* speed,
                   double bias_speed) noexcept nogil:
        """Bring all rows of the tier up to date, and set out in a direction."""
        cdef Py_ssize_t s, i
        feature_dots_of_two(X, self.index, self.count, &self.move[0], speed, self.work, self.speed)
        for s in range(self.count):
            i = self.index[s] if self.index != NULL else s
            self.r[s] += self.way * own[i] - self.work[s] - self.bias_move
            self.speed[s] = own[i] - self.speed[s] - bias_speed
        self.set_out(speed, bias_speed)

    cdef void set_out(self, const double* speed, double bias_speed) noexcept nogil:
        cdef Py_ssize_t j
        self.bias_course = bias_speed
        for j in range(self.move.shape[0]):
            self.move[j] = 0.0
            self.course[j] = speed[j]
        self.way = self.bias_move = self.read = 0.0
        self.served = 0

    cdef void set_out_at_rest(self, double way, double speed, double bias_speed) noexcept nogil:
        """Expect nothing of the direction, only that it goes so far at these speeds.

        That needs no product with the rows.
        """
        memset(&self.move[0], 0, self.move.shape[0] * sizeof(double))
        memset(&self.course[0], 0, self.move.shape[0] * sizeof(double))
        self.bias_course = self.way = self.bias_move = self.read = 0.0
        self.served = 0
        self.theta_reach = CAUTION * way
        self.reach = AMPLE * way * speed
        self.bias_reach = AMPLE * way * bias_speed

    cdef void provide(self, double step, double usual_step, double usual_pace,
                      double usual_lift) noexcept nogil:
        """How far one may go: some steps like the usual ones, and certainly the one ahead."""
        self.theta_reach = CAUTION * max(step, AMPLE * self.provision * usual_step)
        self.reach = AMPLE * self.turning * self.theta_reach * usual_pace
        self.bias_reach = AMPLE * self.bias_turning * self.theta_reach * usual_lift


cdef double _smoothed(double before, double found, double usual) noexcept nogil:
    # A fraction of the way, in the light of the last one.
    cdef double now = found / usual if usual > 0.0 else before
    return sqrt(before * min(max(now, 0.1 * before), 10.0 * before))
