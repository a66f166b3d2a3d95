"""The state of the loop at the current theta: its collaborators, the coefficients and the bias.

How the sets change is in ``_pivots``, what keeps the numbers right in ``_refresh``, which event is
next in ``_ratio_test``: functions of a state.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset

from weightpath import tolerances as _tolerances
from weightpath.engine._counts cimport Counts
from weightpath.engine._factor cimport Factor
from weightpath.engine._feature_residuals cimport FeatureResiduals
from weightpath.engine._guard cimport Guard
from weightpath.engine._line cimport Line
from weightpath.engine._margin cimport Margin
from weightpath.engine._pair_residuals cimport PairResiduals
from weightpath.engine._residuals cimport Residuals
from weightpath.engine._room cimport fits, with_room
from weightpath.engine._row_residuals cimport RowResiduals
from weightpath.engine._scales cimport Scales
from weightpath.engine._stairs cimport Stairs
from weightpath.engine._sweep cimport FAR, wp_dot
from weightpath.kernels._columns cimport Columns
from weightpath.kernels._feature_columns cimport FeatureColumns
from weightpath.problems._position cimport interval_of, is_at_knot, knot_of
from weightpath.record._record cimport Recorder

cdef double ROUNDED_AWAY = _tolerances.ROUNDED_AWAY


cdef class Workspace:
    """Scratch space for ``n_rows`` rows and columns of some length."""

    def __init__(self, Py_ssize_t n_rows, Py_ssize_t length):
        cdef double[:, ::1] products = np.zeros((2, length))
        rows = np.zeros((3, n_rows))
        cdef double[:, ::1] row = rows
        self.product, self.product_speed = products[0], products[1]
        self.knot_speed, self.own, self.own_speed = row[0], row[1], row[2]
        self.velocities = rows[2]


cdef double _mean(diagonal):
    # What the method of the array returns, in a fraction of its time.
    return np.add.reduce(diagonal) / diagonal.size if diagonal.size else 1.0


cdef class LoopState:
    """A solution on a straight line of staircases.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    has_bias : bool
        Whether the function has a bias.
    ridge : float
        Added to the diagonal of the kernel matrix.
    """

    def __init__(self, Columns columns, bint has_bias, double ridge):
        diagonal = np.asarray(columns.diagonal) + ridge
        self.known_rounding = -1.0
        self.has_bias = has_bias
        self.margin = Margin(columns, Factor(has_bias, _mean(diagonal) or 1.0), ridge, 1.0)
        self.stairs = Stairs()
        self.line = Line()
        self.residuals = Residuals()
        self.scales = Scales()
        self.counts = Counts()
        self.recorder = Recorder()
        self._take(columns)

    cdef _take(self, Columns columns):
        """Hold what goes with the rows of a kernel matrix, which may be others than before."""
        cdef Py_ssize_t i, n = columns.n
        cdef double largest = 0.0, most = 0.0, ridge = self.margin.ridge
        cdef const double* diagonal = &columns.diag[0] if n else NULL
        cdef double* root
        cdef double* kappa
        if self.columns is None or self.columns.n != n or self.columns.length() != columns.length():
            self._make_room(n, columns)
            self.guard = Guard(n, n if columns.structure is None else columns.length())
            self.rows = self.in_features = None
        self.columns = self.margin.columns = columns
        if self.rows is not None:
            self.rows.ledger.columns = columns
        # As `reach_of` in `weightpath.problems.scales`.
        if n:
            root, kappa = &self.root[0], &self.stairs.kappa[0]
            for i in range(n):
                root[i] = sqrt(max(0.0, diagonal[i] + ridge))
            for i in range(n):
                largest = max(largest, root[i])
                most = max(most, diagonal[i] + ridge)
            for i in range(n):
                kappa[i] = root[i] * largest
        self.margin.scale = most if most > 0.0 else 1.0

    cdef _make_room(self, Py_ssize_t n, Columns columns):
        """Take arrays for ``n`` rows from memory with room for more."""
        cdef Py_ssize_t room
        cdef bint exact = columns.structure is not None or isinstance(columns, FeatureColumns)
        if (exact or self.row_room is None or not fits(n, self.row_room.shape[1])
                or self.work.product.shape[0] < n):
            room = n if exact else with_room(n)
            self.row_room = np.empty((2, room))
            self.beta_room = np.empty(room)
            # Those of rows only use as much of it as they need.
            self.work = Workspace(room, columns.length() if exact else room)
        self.root, self.stairs.kappa = self.row_room[0, :n], self.row_room[1, :n]
        self.beta_array = self.beta_room[:n]
        self.beta_array.fill(0.0)
        self.beta = self.beta_array

    def reset(self, start, end, position, const double[::1] beta, double bias):
        """Begin at ``start``, with an empty margin; see :meth:`Loop.reset`."""
        self._set_out(start, end, position)
        self.restart(&beta[0] if beta.shape[0] else NULL, bias)

    def go_on(self, start, end, position, const double[::1] beta, double bias):
        """Begin at ``start``, with the margin that is there; see :meth:`Loop.go_on`."""
        rounding = self.scales.rounding         # as the last line has measured it where it ended
        self._set_out(start, end, position)
        self.known_rounding = rounding if rounding > 0.0 else -1.0
        self._forget(&beta[0] if beta.shape[0] else NULL, bias)
        if self.margin.wake(&self.beta[0]) < 0:
            self.columns.raise_error()

    def let_sleep(self, sleeps):
        """Say whether rows of a kernel matrix may sleep on this line; see ``Options.sleep``."""
        if self.rows is not None and self.rows.awake is not None:
            self.rows.awake.allowed = sleeps is not False
            self.rows.awake.anyway = sleeps is True

    def renumber(self, Columns columns, Py_ssize_t shift, const Py_ssize_t[::1] number=None):
        """Go over to a changed set of rows, with the margin, whose rows are all there.

        Parameters
        ----------
        columns : Columns
            The kernel matrix of the new rows, which are rows of their own and not pairs.
        shift : int
            How much larger the number of each row is now.
        number : ndarray of intp or None, default=None
            The new number of each old row, if they have not all shifted alike.
        """
        cdef Py_ssize_t k
        for k in range(self.margin.size):
            if number is None:
                self.margin.member[k] += shift
            else:
                self.margin.member[k] = number[self.margin.member[k]]
        self._take(columns)

    cdef _set_out(self, start, end, position):
        self.known_rounding = -1.0
        # Residuals of pairs keep the targets of their line.
        self.line.reset(start, end, self.columns.structure is None)
        self.stairs.reset(start, end, position)
        self.scales.reset(max(start.residual_scale, end.residual_scale))
        self.residuals = Residuals()

    cdef void restart(self, const double* beta, double bias) noexcept nogil:
        """Go back to theta = 0 with these coefficients and no margin, and forget all else."""
        self.residuals.let_go()
        self.margin.release()
        self._forget(beta, bias)

    cdef void _forget(self, const double* beta, double bias) noexcept nogil:
        if beta != NULL:
            memcpy(&self.beta[0], beta, self.beta.shape[0] * sizeof(double))
        self.bias = bias if self.has_bias else 0.0
        self.theta = self.bias_slope = 0.0
        self.guard.reset()
        self.counts.reset()
        self.recorder.reset()

    def begin(self, position, residual, product=None):
        """Follow the rows from these residuals on.

        Parameters
        ----------
        position : ndarray of shape (n,) or None
            Where each row is; it may differ from that of the reset at knots that coincide. If not
            given, such rows stand at the knot that their residual belongs to.
        residual : ndarray of shape (n,)
            The residuals of the (shifted) problem at the start.
        product : callable or None, default=None
            Gives for positions the kernel matrix times the speeds of rows at knots, if known.
        """
        cdef Py_ssize_t i, n = self.stairs.n
        if position is None:
            self.stairs.sort_out(residual)
        else:
            self.stairs.places[:] = position
        self.initial_position = self.stairs.places.copy()
        self.measure()
        if self.scales.residual_scale == 0.0:
            self._choose_scale(residual)
        self._spread_knot_speeds(product)
        if isinstance(self.columns, FeatureColumns):
            for i in range(n):
                self.work.own_speed[i] = (
                    self.line.target_slope[i] - self.margin.ridge * self.work.knot_speed[i])
            self._begin_in_features(residual)
        elif self.columns.structure is None:
            self._find_own_speeds()
            if self.rows is None:
                self.rows = RowResiduals(
                    residual, self.work.velocities, self.line.target_slope,
                    self.stairs.levels_move, self.margin, self.root)
            else:
                self.rows.restart(
                    residual, self.work.velocities, self.line.target_slope,
                    self.stairs.levels_move)
            self.residuals = self.rows
            self._lay_levels(&self.rows.lo[0], &self.rows.up[0],
                             &self.rows.dlo[0] if self.stairs.levels_move else NULL,
                             &self.rows.dup[0] if self.stairs.levels_move else NULL)
        else:
            self.residuals = PairResiduals(
                self.columns.structure, np.asarray(residual) - self.line.targets(self.theta),
                np.array(self.work.product_speed), self.line.target_end, self.line.target_slope)
            for i in range(n):
                if is_at_knot(self.stairs.position[i]):
                    self.put_at_knot(i, self.stairs.position[i])
                else:
                    self.put_free(i, self.stairs.position[i])
        if self.known_rounding >= 0.0:
            self.scales.keep_rounding(self.known_rounding)
        else:
            self.measure_rounding()
        self.scales.peak_reach = self.reach()

    cdef void _find_own_speeds(self) noexcept nogil:
        """The speeds of the residuals without the margin's share, into the workspace."""
        cdef Py_ssize_t i, n = self.stairs.n
        cdef double ridge = self.margin.ridge
        cdef double* own = &self.work.own_speed[0]
        cdef const double* slope = &self.line.target_slope[0] if n else NULL
        cdef const double* knot = &self.work.knot_speed[0]
        cdef const double* product = &self.work.product_speed[0]
        for i in range(n):
            own[i] = slope[i] - ridge * knot[i] - product[i]

    cdef _spread_knot_speeds(self, product):
        """The velocities of rows at knots, and the kernel matrix times them, into the workspace."""
        cdef bint moves
        cdef int status = 0
        with nogil:
            moves = self.stairs.read_speeds(&self.work.knot_speed[0])
            if moves:
                if product is None:
                    status = self.columns.spread(
                        &self.work.knot_speed[0], &self.work.product_speed[0])
            else:
                memset(&self.work.product_speed[0], 0, self.columns.length() * sizeof(double))
        if status < 0:
            self.columns.raise_error()
        if moves and product is not None:
            np.asarray(self.work.product_speed)[:self.stairs.n] = product(self.stairs.places)

    cdef _begin_in_features(self, residual):
        cdef FeatureResiduals rows = self.in_features
        own, standing = self.work.velocities, np.asarray(self.work.product_speed)
        if rows is None:
            rows = self.in_features = FeatureResiduals(
                self.columns, residual, own, standing, self.line.target_slope,
                self.stairs.levels_move)
        else:
            rows.restart(self.columns, residual, own, standing, self.line.target_slope,
                         self.stairs.levels_move)
        self.residuals = rows
        self._lay_levels(&rows.lo[0], &rows.up[0],
                         &rows.dlo[0] if self.stairs.levels_move else NULL,
                         &rows.dup[0] if self.stairs.levels_move else NULL)

    cdef void _lay_levels(self, double* lo, double* up, double* dlo, double* dup) noexcept nogil:
        """Say which levels all rows at knots have at theta = 0; free rows have none."""
        cdef Py_ssize_t i, j, n_levels = self.stairs.m + 1
        cdef const double* level = &self.stairs.level0[0, 0]
        cdef const double* after = &self.stairs.level1[0, 0]
        cdef const int* position = &self.stairs.position[0]
        for i in range(self.stairs.n):
            if not is_at_knot(position[i]):
                continue
            j = i * n_levels + knot_of(position[i])
            lo[i], up[i] = level[j], level[j + 1]
            if dlo != NULL:
                dlo[i], dup[i] = after[j] - level[j], after[j + 1] - level[j + 1]

    def carry(self, Py_ssize_t n_since, double peak):
        """Say that the residuals of the start were not computed from the kernel but carried there.

        Parameters
        ----------
        n_since : int
            Events since they were computed.
        peak : float
            The largest reach of the coefficients since then.
        """
        self.guard.since_full = n_since
        self.scales.note_peak(peak)

    @property
    def carried(self):
        """Events since the residuals were computed, and the largest reach since then."""
        return self.guard.since_full, self.scales.peak_reach

    @property
    def has_shifts(self):
        """Whether shifts of targets were carried along the line."""
        return self.scales.shift_slope > 0.0

    def _choose_scale(self, residual):
        # No target and no level: the residuals themselves say what is large.
        scale = float(np.abs(residual).max(initial=0.0)) + fabs(self.bias)
        if self.line.total_end == 0.0 and self.line.total_slope == 0.0:
            # Zero solves it: what a coefficient at its bound could do is large.
            self.scales.set_scale(max(scale, *self.stairs.bound_reaches()), False)
        else:
            self.scales.set_scale(max(scale, self._least_scale()), True)

    cdef double _least_scale(self) noexcept nogil:
        # Values below this may come from the rounding of the coefficients' sum alone.
        return ROUNDED_AWAY * self.margin.scale * fabs(self.line.total(self.theta))

    @property
    def position(self):
        """Where each row is on its staircase (a copy)."""
        return self.stairs.places.copy()

    @property
    def coefficients(self):
        """The coefficients now (a copy)."""
        self.measure()
        return self.beta_array.copy()

    def solution(self):
        """The solution now, in the order of the fields of a ``State`` (copies)."""
        cdef Py_ssize_t k
        members = np.empty(self.margin.size, dtype=np.intp)
        cdef Py_ssize_t[::1] member = members
        for k in range(self.margin.size):
            member[k] = self.margin.member[k]
        return (
            self.coefficients, self.bias, self.position, self.residuals.values, members,
            self.scales.tolerance, self.guard.since_full, self.scales.peak_reach)

    # One row -------------------------------------------------------------------------------

    cdef void put_at_knot(self, Py_ssize_t i, int position) noexcept nogil:
        cdef Py_ssize_t j = knot_of(position)
        self.stairs.position[i] = position
        self.residuals.set_levels(
            i, self.stairs.level(i, j, self.theta), self.stairs.level(i, j + 1, self.theta),
            self.stairs.level_speed(i, j), self.stairs.level_speed(i, j + 1))

    cdef void put_free(self, Py_ssize_t i, int position) noexcept nogil:
        self.stairs.position[i] = position
        self.residuals.set_levels(i, -FAR, FAR, 0.0, 0.0)

    cdef void add_knot_speed(self, Py_ssize_t i, const double* col, double speed) noexcept nogil:
        """Row ``i`` moves with its knot from now on (or stops doing so, with its speed negated)."""
        if speed == 0.0:
            return
        self.residuals.note_speed(i, speed, self.columns.diag[i] + self.margin.ridge)
        self.residuals.add_velocity(i, col, speed)
        self.residuals.push_velocity(i, -self.margin.ridge * speed)
        self.scales.add_knot(speed, self.stairs.kappa[i])

    cdef void aim(self) noexcept nogil:
        """Say how the direction ahead moves the function: see :mod:`weightpath.engine._course`."""
        cdef Py_ssize_t i, k
        cdef double slope, standing, speed, ahead, reach = 0.0, towards = 0.0, across = 0.0
        if (self.residuals.awake is None or not self.residuals.awake.needs_aim(self.margin.size)
                or self.residuals.awake.anchor_at(self.margin) < 0):
            return
        if not self.residuals.awake.course.knows_energy:
            self.residuals.awake.course.knot_energy = self._knot_energy()
            self.residuals.awake.course.knows_energy = True
        if self.residuals.awake.wants_landmarks(self.margin.size):
            self._measure_stays()
            self.residuals.awake.hold(self.margin, self.has_bias, self.margin.correction)
        ahead = self.residuals.awake.course.knot_energy
        for k in range(self.margin.size):
            i = self.margin.member[k]
            slope = self.margin.slope[k]
            # K u and K v at this row, where v moves it along with its level.
            standing = self.line.target_slope[i] - self.residuals.velocity(i)
            speed = (self.line.target_slope[i] - self.bias_slope
                     - self.stairs.level_speed(i, interval_of(self.stairs.position[i])))
            self.margin.level[k] = self.member_level(k)
            reach += slope * standing
            ahead += slope * (standing + speed)
            if self.residuals.awake.on:
                towards += slope * self.residuals.displacement(i, self.margin.level[k])
                across += slope * self.residuals.awake.course.flow[i]
        self.residuals.awake.course.aim(
            ahead, towards, reach, across, self.bias_slope,
            0.0 if self.residuals.awake.is_held
            else self._lift_speed(self.residuals.awake.anchor), self.residuals.awake.on)

    cdef void _measure_stays(self) noexcept nogil:
        # How long each member would stay on the margin in the direction ahead, into `correction`.
        cdef Py_ssize_t i, k, q
        cdef double speed, stay
        for k in range(self.margin.size):
            i, stay = self.margin.member[k], FAR
            q = interval_of(self.stairs.position[i])
            if q < self.stairs.m:
                speed = self.margin.slope[k] - self.stairs.knot_speed(i, q)
                if speed > 0.0:
                    stay = (self.stairs.knot(i, q, self.theta) - self.margin.value[k]) / speed
            if q > 0:
                speed = self.stairs.knot_speed(i, q - 1) - self.margin.slope[k]
                if speed > 0.0:
                    stay = min(stay, (self.margin.value[k]
                                      - self.stairs.knot(i, q - 1, self.theta)) / speed)
            self.margin.correction[k] = stay

    cdef double _lift_speed(self, Py_ssize_t anchor) noexcept nogil:
        # How fast the function with its bias moves at the anchor; without one, the bias alone.
        cdef Py_ssize_t k
        cdef double speed = self.bias_slope
        if anchor < 0:
            return speed
        speed += self.line.target_slope[anchor] - self.residuals.velocity(anchor)
        for k in range(self.margin.size):
            speed += self.margin.slope[k] * self.margin.column[k][anchor]
            if self.margin.member[k] == anchor:
                speed += self.margin.ridge * self.margin.slope[k]
        return speed

    cdef double _knot_energy(self) noexcept nogil:
        # u'Ku for the velocities u of the rows at knots.
        cdef Py_ssize_t i, k, m = self.stairs.m
        cdef double total = 0.0
        cdef const double* knot0 = &self.stairs.knot0[0, 0] if self.stairs.n else NULL
        cdef const double* knot1 = &self.stairs.knot1[0, 0] if self.stairs.n else NULL
        cdef const int* position = &self.stairs.position[0] if self.stairs.n else NULL
        for i in range(self.stairs.n):
            if is_at_knot(position[i]):
                k = i * m + knot_of(position[i])
                if knot1[k] != knot0[k]:
                    total += (knot1[k] - knot0[k]) * (
                        self.line.target_slope[i] - self.residuals.velocity(i))
        return total

    # Sums over all rows --------------------------------------------------------------------

    cdef double balance(self) noexcept nogil:
        """What the margin must add to the sum of the coefficients per unit theta."""
        return self.scales.balance(self.line.total_slope)

    cdef void measure(self) noexcept nogil:
        """Coefficients at theta, and the sums over the knots."""
        cdef Py_ssize_t i, k, m = self.stairs.m
        cdef int p
        cdef double size = 0.0, reach = 0.0, standing = 0.0, now = self.theta, before = 1.0 - now
        cdef double total = 0.0, lost = 0.0, more, part, value, v
        cdef Py_ssize_t n = self.stairs.n
        # Local pointers: what is written might otherwise be where one of them is held.
        cdef const double* knot0 = &self.stairs.knot0[0, 0] if n else NULL
        cdef const double* knot1 = &self.stairs.knot1[0, 0] if n else NULL
        cdef const int* position = &self.stairs.position[0] if n else NULL
        cdef const double* kappa = &self.stairs.kappa[0] if n else NULL
        cdef double* beta = &self.beta[0] if n else NULL
        # Written out, without calls and with few branches: pairs of documents are very many rows.
        for i in range(n):
            p = position[i]
            if is_at_knot(p):
                k = i * m + knot_of(p)
                value, v = before * knot0[k] + now * knot1[k], knot1[k] - knot0[k]
                beta[i] = value
                standing += kappa[i] * fabs(value)
                size += fabs(v)
                reach += kappa[i] * fabs(v)
                # What a sum loses, as in `Scales.add_to_sum` but without asking which is larger.
                more = total + v
                part = more - total
                lost += (total - (more - part)) + (v - part)
                total = more
        for k in range(self.margin.size):
            beta[self.margin.member[k]] = self.margin.value[k]
        self.scales.knot_sum, self.scales.knot_lost = total, lost
        self.scales.knot_size = size
        self.scales.knot_reach = reach
        self.scales.standing_reach = standing
        self.scales.measured_at = self.theta

    cdef void measure_rounding(self) noexcept nogil:
        """Set the tolerance of residuals by the roundings that the coefficients have now."""
        cdef Py_ssize_t k
        cdef double size = 0.0, largest = self.largest_term()
        cdef const double* beta
        if self.margin.size:
            beta = self.columns.gather(&self.beta[0])
            for k in range(self.margin.size):
                wp_dot(self.columns.length(), self.margin.column[k], beta, &size)
                largest = max(largest, self.columns.term_size(self.margin.column[k], size))
        self.scales.set_rounding(largest)

    cdef double largest_term(self) noexcept nogil:
        """The largest term that a row adds to its own residual.

        The margin's rows may have far smaller ones, and without a margin there is nothing else.
        """
        cdef Py_ssize_t i, n = self.stairs.n
        cdef double ridge = self.margin.ridge, first = 0.0, second = 0.0
        cdef const double* diagonal = &self.columns.diag[0] if n else NULL
        cdef const double* beta = &self.beta[0] if n else NULL
        # Two at once: each waits for the one before.
        for i in range(0, n - 1, 2):
            first = max(first, (diagonal[i] + ridge) * fabs(beta[i]))
            second = max(second, (diagonal[i + 1] + ridge) * fabs(beta[i + 1]))
        if n % 2:
            first = max(first, (diagonal[n - 1] + ridge) * fabs(beta[n - 1]))
        return max(first, second)

    cdef double reach(self) noexcept nogil:
        """A bound of what all coefficients add up to in a residual; roundings depend on it."""
        cdef Py_ssize_t k
        cdef double reach = fabs(self.scales.standing_reach)
        for k in range(self.margin.size):
            reach += self.stairs.kappa[self.margin.member[k]] * fabs(self.margin.value[k])
        return reach

    cdef void note_reach(self) noexcept nogil:
        """Ask for fresh residuals where those at hand carry roundings of far larger coefficients.

        Without targets and levels the values on the margin, minus the bias, say what is large.
        """
        cdef double reach
        if self.scales.may_have_fallen(self.theta):
            self.measure()
        reach = self.reach()
        if self.scales.follows_values and self.scales.follow_values(
                max(fabs(self.bias), self._least_scale())):
            self.guard.ask_for_fresh_rows()
        if self.scales.has_stale_roundings(reach):
            self.guard.ask_for_fresh_rows()

    # Members of the margin -----------------------------------------------------------------

    cdef double member_level(self, Py_ssize_t k) noexcept nogil:
        """The level at which member ``k`` of the margin keeps its residual."""
        cdef Py_ssize_t i = self.margin.member[k]
        return self.stairs.level(i, interval_of(self.stairs.position[i]), self.theta)

    cdef Py_ssize_t knot_of_member(self, Py_ssize_t k) noexcept nogil:
        """The knot that member ``k`` is at, -1 if it is at none; of two the nearer."""
        cdef Py_ssize_t i = self.margin.member[k], q = interval_of(self.stairs.position[i])
        cdef bint below = self.is_member_at_knot(k, -1), above = self.is_member_at_knot(k, 1)
        if below and above:
            above = (self.stairs.room(i, self.margin.value[k], 1, self.theta)
                     < self.stairs.room(i, self.margin.value[k], -1, self.theta))
            below = not above
        return q if above else q - 1 if below else -1

    cdef bint is_member_at_knot(self, Py_ssize_t k, int side) noexcept nogil:
        """Whether member ``k`` of the margin is at the knot on one side of its interval."""
        cdef Py_ssize_t i = self.margin.member[k]
        cdef double value = self.margin.value[k]
        cdef double room = self.stairs.room(i, value, side, self.theta)
        return room < FAR / 2 and room <= self.stairs.closeness(
            i, value, side, self.theta, self.scales.tolerance)

    cdef bint is_astray(self, double shift) noexcept nogil:
        """Whether a shift is too large to be carried along; at the end it is judged elsewhere."""
        if self.theta >= 1.0 or shift <= self.scales.largest_carried_shift():
            return False
        # Since it was measured last, coefficients may have grown, and their roundings with them.
        self.measure()
        self.measure_rounding()
        return not self.scales.carries(shift)
