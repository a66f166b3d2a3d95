"""Where the knots and levels are at theta, and where each row stands.

Position ``p = 2q`` of a row means free in interval ``q`` (between knots ``q - 1`` and ``q``),
``p = 2j + 1`` at knot ``j``. Numbers at theta are written ``(1 - theta) * start + theta * end``,
which is exact at both ends; levels that are infinite are held as +-FAR.
"""

import numpy as np

from libc.math cimport fabs

from weightpath.engine._margin cimport Margin

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"

# Components of a null direction below this part of the largest cannot block.
cdef double NULL_NOISE = 1e-12


def _finite(levels):
    return np.ascontiguousarray(np.clip(levels, -FAR, FAR))


cdef class Stairs:
    """Staircases on the line from ``start`` to ``end``.

    Parameters
    ----------
    start, end : Staircase
        The two ends.
    position : ndarray of shape (n,), int32
        Where each row stands; changed in place.
    """

    def __init__(self, start, end, int[::1] position):
        self.knot0 = start.knots
        self.knot1 = end.knots
        self.level0 = _finite(start.levels)
        self.level1 = _finite(end.levels)
        self.position = position
        self.n = self.knot0.shape[0]
        self.m = self.knot0.shape[1]
        self.knots_move = not np.array_equal(start.knots, end.knots)
        self.levels_move = not np.array_equal(start.levels, end.levels)
        # Rows whose knots coincide on the whole line (a weight that stays zero).
        self.idle = ((start.knots[:, :1] == start.knots).all(axis=1)
                     & (end.knots[:, :1] == end.knots).all(axis=1)
                     & (self.m > 1)).astype(np.uint8)

    cdef double knot(self, Py_ssize_t i, Py_ssize_t j, double theta) noexcept nogil:
        return (1.0 - theta) * self.knot0[i, j] + theta * self.knot1[i, j]

    cdef double knot_speed(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        return self.knot1[i, j] - self.knot0[i, j]

    cdef double level(self, Py_ssize_t i, Py_ssize_t q, double theta) noexcept nogil:
        return (1.0 - theta) * self.level0[i, q] + theta * self.level1[i, q]

    cdef double level_speed(self, Py_ssize_t i, Py_ssize_t q) noexcept nogil:
        return self.level1[i, q] - self.level0[i, q]

    cdef bint same_knot(self, Py_ssize_t i, Py_ssize_t j, Py_ssize_t other) noexcept nogil:
        # Two knots that coincide on the whole line (a weight that stays zero).
        return (0 <= other < self.m and self.knot0[i, j] == self.knot0[i, other]
                and self.knot1[i, j] == self.knot1[i, other])

    cdef double room(self, Py_ssize_t i, double value, int direction,
                     double theta) noexcept nogil:
        # How far a free value may go up or down before it meets a knot; FAR if there is none.
        cdef Py_ssize_t q = self.position[i] // 2
        if direction > 0:
            return max(0.0, self.knot(i, q, theta) - value) if q < self.m else FAR
        return max(0.0, value - self.knot(i, q - 1, theta)) if q > 0 else FAR

    cdef Py_ssize_t null_block(self, Margin margin, Py_ssize_t i, double value, int direction,
                               double theta, double tol, double* length) noexcept nogil:
        """Who meets a knot first when free row ``i`` moves along its null direction.

        Row i moves by ``direction``, members by ``-direction * null``. Returns the place in the
        margin, ``margin.size`` for i itself, -1 if nothing ever blocks. Out: ``length`` of the
        move. Harris: among those that meet a knot within tolerance the largest component.
        """
        cdef Py_ssize_t k, best = -1
        cdef double v, s, largest = 1.0, bound = FAR, chosen = 0.0
        for k in range(margin.size):
            largest = max(largest, fabs(margin.null[k]))
        for k in range(margin.size + 1):
            v, s = self._null_room(margin, k, i, value, direction, theta)
            if fabs(v) > NULL_NOISE * largest and s < FAR / 2:
                bound = min(bound, (s + tol) / fabs(v))
        for k in range(margin.size + 1):
            v, s = self._null_room(margin, k, i, value, direction, theta)
            if (fabs(v) > NULL_NOISE * largest and s < FAR / 2 and s <= bound * fabs(v)
                    and fabs(v) > chosen):
                best = k
                chosen = fabs(v)
                length[0] = s / fabs(v)
        return best

    cdef (double, double) _null_room(self, Margin margin, Py_ssize_t k, Py_ssize_t i,
                                     double value, int direction, double theta) noexcept nogil:
        # Component of the null direction and the room it has; k = size means row i.
        cdef double v
        if k == margin.size:
            return direction, self.room(i, value, direction, theta)
        v = -direction * margin.null[k]
        return v, self.room(margin.member[k], margin.value[k], 1 if v > 0 else -1, theta)
