"""What the tolerances depend on at the current theta.

The constants are explained in :mod:`weightpath.tolerances`.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs

from weightpath import tolerances as _tolerances

cdef double TOL_RESIDUAL = _tolerances.RESIDUAL
cdef double ROUNDINGS = _tolerances.ROUNDINGS
cdef double FLOOR_ROUNDINGS = _tolerances.FLOOR_ROUNDINGS
cdef double BEYOND_PRECISION = _tolerances.BEYOND_PRECISION
cdef double REFINE_ABOVE = _tolerances.REFINE_ABOVE
cdef double FRESH_AFTER_FALL = _tolerances.FRESH_AFTER_FALL
cdef double SHIFT_LIMIT = _tolerances.SHIFT_LIMIT
cdef double SHIFT_ROUNDINGS = _tolerances.SHIFT_ROUNDINGS


cdef class Scales:
    """The scale and tolerance of residuals, and the sums over rows at knots."""

    def reset(self, double residual_scale):
        """Begin with this scale of residuals, and with no roundings yet."""
        self.set_scale(residual_scale, False)
        self.rounding = 0.0
        self.tolerance = TOL_RESIDUAL * residual_scale
        self.knot_sum = self.knot_lost = self.knot_size = self.knot_reach = 0.0
        self.standing_reach = self.peak_reach = self.fastest = self.felt = 0.0
        self.measured_at = self.shift_slope = 0.0
        self.carries_all = self.carries_roundings = False
        self.roundings = ROUNDINGS * DBL_EPSILON

    def set_scale(self, double residual_scale, bint follows_values):
        """Say what is large; the tolerance is set with the next rounding."""
        self.residual_scale = residual_scale
        self.follows_values = follows_values
        self.shift_limit = SHIFT_LIMIT * (residual_scale or 1.0)

    def carry_any_shift(self):
        """Carry shifts of any size: they do no harm where only the end counts, and is judged."""
        self.carries_all = True

    def carry_roundings(self):
        """Carry shifts of any size as long as the problem is beyond double precision."""
        self.carries_roundings = True

    def sharpen(self, double roundings):
        """Tell residuals from levels by fewer roundings: those at the start have hardly any."""
        self.keep_rounding(self.rounding * roundings / ROUNDINGS)
        self.roundings = roundings * DBL_EPSILON

    def copy(self):
        """Return the scales as they are now."""
        cdef Scales kept = Scales()
        kept.restore(self)
        return kept

    cdef void restore(self, Scales kept) noexcept nogil:
        """Take over all numbers of another."""
        self.residual_scale, self.tolerance = kept.residual_scale, kept.tolerance
        self.rounding, self.shift_limit = kept.rounding, kept.shift_limit
        self.follows_values, self.carries_all = kept.follows_values, kept.carries_all
        self.carries_roundings = kept.carries_roundings
        self.knot_sum, self.knot_lost = kept.knot_sum, kept.knot_lost
        self.knot_size, self.knot_reach = kept.knot_size, kept.knot_reach
        self.standing_reach, self.peak_reach = kept.standing_reach, kept.peak_reach
        self.fastest, self.felt = kept.fastest, kept.felt
        self.measured_at, self.shift_slope = kept.measured_at, kept.shift_slope
        self.roundings = kept.roundings

    cdef void widen(self, double residual_scale) noexcept nogil:
        """Let what is large be at least this, with the roundings as they are."""
        if residual_scale > self.residual_scale:
            self.residual_scale = residual_scale
            self.shift_limit = SHIFT_LIMIT * residual_scale
            self.tolerance = TOL_RESIDUAL * residual_scale + self.rounding

    cdef void add_to_sum(self, double amount) noexcept nogil:
        # A sum in which weights of very different size come and go: what it rounds off is kept.
        cdef double total = self.knot_sum + amount
        if fabs(self.knot_sum) >= fabs(amount):
            self.knot_lost += (self.knot_sum - total) + amount
        else:
            self.knot_lost += (amount - total) + self.knot_sum
        self.knot_sum = total

    cdef void add_knot(self, double speed, double kappa) noexcept nogil:
        """A row at a moving knot joins (or leaves, with its speed negated)."""
        self.add_to_sum(speed)
        # Upper bounds are enough here; the next refresh measures them.
        self.knot_size += fabs(speed)
        self.knot_reach += kappa * fabs(speed)

    cdef double balance(self, double total_slope) noexcept nogil:
        """What the margin must add to the sum of the coefficients per unit theta."""
        return (total_slope - self.knot_sum) - self.knot_lost

    cdef void set_rounding(self, double size) noexcept nogil:
        """Set the tolerance by the sum of the absolute terms of a residual."""
        self.keep_rounding(self.roundings * size)

    cdef void keep_rounding(self, double rounding) noexcept nogil:
        """Set the tolerance by a rounding that was found before."""
        self.rounding = rounding
        self.tolerance = TOL_RESIDUAL * self.residual_scale + rounding

    cdef void carry(self, double shift, double remaining) noexcept nogil:
        """A shift of a target is carried along from now on."""
        if remaining > 0.0:
            self.shift_slope = max(self.shift_slope, shift / remaining)

    cdef bint may_have_fallen(self, double theta) noexcept nogil:
        """Whether coefficients at knots may be much smaller than when they were measured."""
        return self.knot_reach * (theta - self.measured_at) > 0.5 * fabs(self.standing_reach)

    cdef double largest_carried_shift(self) noexcept nogil:
        """Larger shifts of targets are not carried along the path."""
        return max(self.shift_limit, SHIFT_ROUNDINGS * self.tolerance)

    cdef bint carries(self, double shift) noexcept nogil:
        """Whether a shift is carried along, by the roundings that were measured last."""
        if self.carries_all or shift <= SHIFT_ROUNDINGS * self.tolerance:
            return True
        return self.carries_roundings and (
            FLOOR_ROUNDINGS / ROUNDINGS * self.rounding > BEYOND_PRECISION * self.residual_scale)

    cdef bint follow_values(self, double scale) noexcept nogil:
        """Rescale where the values have fallen far below what was large; whether they have."""
        if 0.0 < scale and FRESH_AFTER_FALL * scale < self.residual_scale:
            self.residual_scale = scale
            self.shift_limit = SHIFT_LIMIT * scale
            return True
        return False

    cdef void note_peak(self, double reach) noexcept nogil:
        """Remember the largest reach that the residuals have gone through."""
        self.peak_reach = max(self.peak_reach, reach)

    cdef bint has_stale_roundings(self, double reach) noexcept nogil:
        """Whether the residuals carry roundings of coefficients far larger than those of now."""
        self.note_peak(reach)
        return (FRESH_AFTER_FALL * reach < self.peak_reach
                and ROUNDINGS * DBL_EPSILON * self.peak_reach
                > REFINE_ABOVE * TOL_RESIDUAL * self.residual_scale)
