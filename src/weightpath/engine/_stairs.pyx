"""Where the knots and levels are at theta, and the position of each row.

A row is free in interval ``q`` (between knots ``q - 1`` and ``q``) or at knot ``j``;
:mod:`weightpath.problems.position` says how that is written as a position. Numbers at theta are
written ``(1 - theta) * start + theta * end``, which is exact at both ends; levels that are infinite
are held as +-FAR.
"""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from weightpath import tolerances as _tolerances
from weightpath.engine._margin cimport Margin
from weightpath.engine._room cimport fits, with_room
from weightpath.engine._sweep cimport FAR
from weightpath.problems._knots cimport closeness_to, sort_out_rows
from weightpath.problems._position cimport interval_of, is_at_knot, knot_of
from weightpath.problems.scales import bound_reach

cdef double NULL_NOISE = _tolerances.NULL_NOISE


cdef class Stairs:
    """Staircases on the line between two problems, and the position of each row.

    ``kappa`` says how far a coefficient's change by one may move any residual.
    """

    def reset(self, start, end, position):
        """Go from one staircase to another; the positions are copied."""
        cdef bint known = (start.levels is end.levels and start.levels is self.start_levels
                           and start.levels is self.end_levels)
        self.knot0, self.knot1 = start.knots, end.knots
        self.start_levels, self.end_levels = start.levels, end.levels
        self.n, self.m = self.knot0.shape[0], self.knot0.shape[1]
        if (self.level0 is None or self.level0.shape[0] != self.n
                or self.level0.shape[1] != self.m + 1):
            self._make_room()
        self.places[:] = position
        if self.n:
            self._read_knots()
        # Many staircases share their levels, which nothing can write to.
        if not known:
            self._read_levels(start.levels, end.levels)

    cdef _make_room(self):
        """Take arrays for these rows from memory with room for more, which may come one by one."""
        cdef Py_ssize_t room, n = self.n
        if (self.level_room is None or self.level_room.shape[2] != self.m + 1
                or not fits(n, self.level_room.shape[1])):
            room = with_room(n)
            self.level_room = np.empty((2, room, self.m + 1))
            self.idle_room = np.empty(room, dtype=np.uint8)
            self.place_room = np.empty(room, dtype=np.int32)
        self.level0, self.level1 = self.level_room[0, :n], self.level_room[1, :n]
        self.idle = self.idle_room[:n]
        self.places = self.place_room[:n]
        self.position = self.places

    cdef void _read_knots(self) noexcept nogil:
        """See whether knots move, and which rows are idle."""
        # Local pointers, as this is a pass over all rows for every line.
        cdef Py_ssize_t i, j, m = self.m
        cdef const double* before = &self.knot0[0, 0]
        cdef const double* after = &self.knot1[0, 0]
        cdef unsigned char* idle = &self.idle[0]
        cdef bint knots_move = False, apart
        for i in range(self.n):
            # Rows whose knots coincide on the whole line (a weight that stays zero).
            apart = m <= 1
            for j in range(i * m, (i + 1) * m):
                knots_move |= before[j] != after[j]
                apart |= before[j] != before[i * m] or after[j] != after[i * m]
            idle[i] = not apart
        self.knots_move = knots_move

    cdef void _read_levels(self, const double[:, ::1] start, const double[:, ::1] end) noexcept:
        """Hold the levels of both ends, and see whether any moves."""
        cdef Py_ssize_t j
        cdef const double* first = &start[0, 0] if self.n else NULL
        cdef const double* last = &end[0, 0] if self.n else NULL
        cdef double* level0 = &self.level0[0, 0] if self.n else NULL
        cdef double* level1 = &self.level1[0, 0] if self.n else NULL
        cdef bint levels_move = False
        for j in range(self.n * (self.m + 1)):
            levels_move |= first[j] != last[j]
            level0[j] = min(max(first[j], -FAR), FAR)
            level1[j] = min(max(last[j], -FAR), FAR)
        self.levels_move = levels_move

    cdef bint read_speeds(self, double* speed) noexcept nogil:
        """The velocity of every row at a knot, zero for the others; whether any moves."""
        cdef Py_ssize_t i, k, m = self.m
        cdef bint moves = False
        cdef const double* before = &self.knot0[0, 0] if self.n else NULL
        cdef const double* after = &self.knot1[0, 0] if self.n else NULL
        cdef const int* position = &self.position[0] if self.n else NULL
        memset(speed, 0, self.n * sizeof(double))
        if self.knots_move:
            for i in range(self.n):
                if is_at_knot(position[i]):
                    k = i * m + knot_of(position[i])
                    speed[i] = after[k] - before[k]
                    moves |= speed[i] != 0.0
        return moves

    cdef sort_out(self, residual):
        """Let rows whose knots coincide stand at the knot that their residual belongs to."""
        sort_out_rows(self.knot0, self.start_levels, self.position, residual)

    def bound_reaches(self):
        """How far coefficients at their bounds could move a residual, at both ends of the line."""
        ends = np.asarray(self.knot0), np.asarray(self.knot1)
        outer, kappa = self.end_levels[:, [0, -1]], np.asarray(self.kappa)
        return [float(bound_reach(knots, outer, kappa)) for knots in ends]

    cdef bint same_knot(self, Py_ssize_t i, Py_ssize_t j, Py_ssize_t other) noexcept nogil:
        # Two knots that coincide on the whole line (a weight that stays zero).
        return (0 <= other < self.m and self.knot0[i, j] == self.knot0[i, other]
                and self.knot1[i, j] == self.knot1[i, other])

    cdef double room(self, Py_ssize_t i, double value, int direction,
                     double theta) noexcept nogil:
        # How far a free value may go up or down before it meets a knot; FAR if there is none.
        cdef Py_ssize_t q = interval_of(self.position[i])
        if direction > 0:
            return max(0.0, self.knot(i, q, theta) - value) if q < self.m else FAR
        return max(0.0, value - self.knot(i, q - 1, theta)) if q > 0 else FAR

    cdef double within(self, Py_ssize_t i, double value, double theta) noexcept nogil:
        """The value of a free row, or the knot of its interval that it is beyond."""
        cdef Py_ssize_t q = interval_of(self.position[i])
        if q < self.m and value > self.knot(i, q, theta):
            return self.knot(i, q, theta)
        if q > 0 and value < self.knot(i, q - 1, theta):
            return self.knot(i, q - 1, theta)
        return value

    cdef double closeness(self, Py_ssize_t i, double value, int direction, double theta,
                          double tol) noexcept nogil:
        """How far from the knot on one side a free value still counts as being at it.

        ``tol`` is the tolerance of residuals. There must be a knot on that side.
        """
        cdef Py_ssize_t q = interval_of(self.position[i])
        cdef Py_ssize_t j = q if direction > 0 else q - 1, other = q - 1 if direction > 0 else q
        cdef double k = self.knot(i, j, theta), way = INFINITY
        if 0 <= other < self.m:
            way = fabs(self.knot(i, other, theta) - k)
        return closeness_to(value, k, way, self.kappa[i], tol)

    cdef double unit(self, Py_ssize_t i, double theta, double scale) noexcept nogil:
        """The unit of a coefficient: see :func:`weightpath.problems.scales.coefficient_units`."""
        cdef Py_ssize_t last = self.m - 1
        cdef double u = FAR, width
        if self.kappa[i] > 0.0 and scale > 0.0:
            u = scale / self.kappa[i]
        if self.level0[i, 0] <= -FAR and self.level0[i, last + 1] >= FAR:
            width = self.knot(i, last, theta) - self.knot(i, 0, theta)
            if 0.0 < width < u:
                u = width
        return u

    cdef double largest_unit(self, double theta, double scale) noexcept nogil:
        """The largest unit of a coefficient that can move: the unit of their sum."""
        cdef Py_ssize_t i, last = self.m - 1
        cdef double u, largest = 0.0
        for i in range(self.n):
            if (self.level0[i, 0] <= -FAR and self.level0[i, last + 1] >= FAR
                    and self.knot(i, last, theta) == self.knot(i, 0, theta)):
                continue
            u = self.unit(i, theta, scale)
            if largest < u < FAR:
                largest = u
        return largest if largest > 0.0 else 1.0

    cdef Py_ssize_t null_block(self, Margin margin, Py_ssize_t i, double value, int direction,
                               double theta, double tol, double* length) noexcept nogil:
        """Which coefficient meets a knot first when free row ``i`` moves along its null direction.

        Row i moves by ``direction``, members by ``-direction * null``. Returns the number of the
        member, ``margin.size`` for i itself, -1 if nothing ever blocks. Out: ``length`` of the
        move. Harris: among those that meet a knot within tolerance the largest component.
        """
        cdef Py_ssize_t k, row, best = -1
        cdef double v, s, x, close, largest = 1.0, felt = self.kappa[i], bound = FAR, chosen = 0.0
        for k in range(margin.size):
            largest = max(largest, fabs(margin.null[k]))
            felt = max(felt, self.kappa[margin.member[k]] * fabs(margin.null[k]))
        for k in range(margin.size + 1):
            v, s = self._null_room(margin, k, i, value, direction, theta)
            row = i if k == margin.size else margin.member[k]
            if s < FAR / 2 and fabs(v) > self.noise(row, NULL_NOISE, largest, felt):
                x = value if k == margin.size else margin.value[k]
                close = self.closeness(row, x, 1 if v > 0 else -1, theta, tol)
                bound = min(bound, (s + close) / fabs(v))
        for k in range(margin.size + 1):
            v, s = self._null_room(margin, k, i, value, direction, theta)
            row = i if k == margin.size else margin.member[k]
            if s < FAR / 2 and s <= bound * fabs(v) and (
                    fabs(v) > self.noise(row, NULL_NOISE, largest, felt)):
                # The largest component, each in the unit in which it is felt.
                v = fabs(v)
                x = v * self.kappa[row] if felt > 0.0 else v
                if best < 0 or x > chosen:
                    best = k
                    chosen = x
                    length[0] = s / v
        return best

    cdef double noise(self, Py_ssize_t i, double fraction, double largest,
                      double felt) noexcept nogil:
        """Below this a speed (or a component of a direction) of member ``i`` is rounding.

        ``largest`` is the largest speed, ``felt`` the largest in residual units, ``kappa`` times
        it: solving the margin system errs in those units.
        """
        if self.kappa[i] * largest > felt:
            return fraction * felt / self.kappa[i]
        return fraction * largest

    cdef (double, double) _null_room(self, Margin margin, Py_ssize_t k, Py_ssize_t i,
                                     double value, int direction, double theta) noexcept nogil:
        # Component of the null direction and the room it has; k = size means row i.
        cdef double v
        if k == margin.size:
            return direction, self.room(i, value, direction, theta)
        v = -direction * margin.null[k]
        return v, self.room(margin.member[k], margin.value[k], 1 if v > 0 else -1, theta)
