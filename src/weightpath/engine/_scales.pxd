cdef class Scales:
    # What is large, and what is no more than rounding, for residuals.
    cdef readonly double residual_scale, tolerance
    cdef double rounding, shift_limit
    # Roundings of a residual, in units of the sum of its absolute terms.
    cdef double roundings
    # Whether the values of the function say what is large, as there is no target and no level.
    cdef bint follows_values
    # Whether shifts of any size are carried along: always, or while roundings are as large.
    cdef bint carries_all, carries_roundings
    # The sum of the knots' speeds with what it rounds off, and the sum of their sizes; what the
    # knots' speeds, and the coefficients at knots, may add up to in a residual.
    cdef double knot_sum, knot_lost, knot_size, knot_reach, standing_reach
    # Where the coefficients at knots were measured last.
    cdef double measured_at
    # The largest reach of all coefficients since residuals were computed from the kernel.
    cdef double peak_reach
    # The fastest shift of a target that is carried along: it vanishes at theta = 1.
    cdef double shift_slope
    # The largest slope of a member of the margin, and the largest in residual units.
    cdef double fastest, felt
    cdef char apart[64]
    cdef void restore(self, Scales kept) noexcept nogil
    cdef void widen(self, double residual_scale) noexcept nogil
    cdef void add_to_sum(self, double amount) noexcept nogil
    cdef void add_knot(self, double speed, double kappa) noexcept nogil
    cdef double balance(self, double total_slope) noexcept nogil
    cdef void set_rounding(self, double size) noexcept nogil
    cdef void keep_rounding(self, double rounding) noexcept nogil
    cdef void carry(self, double shift, double remaining) noexcept nogil
    cdef bint may_have_fallen(self, double theta) noexcept nogil
    cdef double largest_carried_shift(self) noexcept nogil
    cdef bint follow_values(self, double scale) noexcept nogil
    cdef void note_peak(self, double reach) noexcept nogil
    cdef bint carries(self, double shift) noexcept nogil
    cdef bint has_stale_roundings(self, double reach) noexcept nogil
