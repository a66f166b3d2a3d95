"""What happened on a line, in numbers."""


cdef class Counts:
    """Exchanges, steps of length zero, shifts, refreshes, and the sum of the margin's sizes.

    ``violation`` is the largest violation that refreshes found.
    """

    cdef void reset(self) noexcept nogil:
        self.n_exchanges = self.n_zero = self.n_shifts = self.n_refreshes = self.margin_sum = 0
        self.violation = 0.0

    def as_dict(self):
        """Return the counts by name."""
        return {
            "n_exchanges": self.n_exchanges,
            "n_zero": self.n_zero,
            "n_shifts": self.n_shifts,
            "n_refreshes": self.n_refreshes,
            "margin_sum": self.margin_sum,
        }
