from weightpath.engine._counts cimport Counts
from weightpath.engine._feature_residuals cimport FeatureResiduals
from weightpath.engine._guard cimport Guard
from weightpath.engine._line cimport Line
from weightpath.engine._margin cimport Margin
from weightpath.record._record cimport Recorder
from weightpath.engine._residuals cimport Residuals
from weightpath.engine._row_residuals cimport RowResiduals
from weightpath.engine._scales cimport Scales
from weightpath.engine._stairs cimport Stairs
from weightpath.kernels._columns cimport Columns


cdef class Workspace:
    # Scratch space of a refresh: K beta, the velocities of the knots, K times these, and what each
    # row adds to minus the two products.
    cdef double[::1] product, knot_speed, product_speed, own, own_speed
    # The last of them as an array.
    cdef object velocities


cdef class LoopState:
    cdef readonly Columns columns
    cdef readonly Line line
    cdef readonly Stairs stairs
    cdef readonly Margin margin
    cdef readonly Residuals residuals
    # Those of rows, kept for the next line.
    cdef RowResiduals rows
    cdef FeatureResiduals in_features
    cdef readonly Scales scales
    cdef readonly Guard guard
    cdef readonly Counts counts
    cdef readonly Recorder recorder
    cdef Workspace work
    cdef readonly bint has_bias
    cdef readonly double theta, bias
    cdef double bias_slope
    # The rounding of residuals at the start of the line, -1 if it is to be measured.
    cdef double known_rounding
    cdef double[::1] beta
    cdef object beta_array
    # Roots of the diagonal of the kernel matrix, with the ridge.
    cdef double[::1] root
    cdef readonly object initial_position
    cdef void restart(self, const double* beta, double bias) noexcept nogil
    cdef void _forget(self, const double* beta, double bias) noexcept nogil
    # The memory of arrays over the rows, with room for more of them.
    cdef double[:, ::1] row_room
    cdef object beta_room
    cdef _make_room(self, Py_ssize_t n, Columns columns)
    cdef _take(self, Columns columns)
    cdef _set_out(self, start, end, position)
    cdef void _find_own_speeds(self) noexcept nogil
    cdef _spread_knot_speeds(self, product)
    cdef _begin_in_features(self, residual)
    cdef void _lay_levels(self, double* lo, double* up, double* dlo, double* dup) noexcept nogil
    cdef void put_at_knot(self, Py_ssize_t i, int position) noexcept nogil
    cdef void put_free(self, Py_ssize_t i, int position) noexcept nogil
    cdef void add_knot_speed(self, Py_ssize_t i, const double* col, double speed) noexcept nogil
    cdef void aim(self) noexcept nogil
    cdef void _measure_stays(self) noexcept nogil
    cdef double _knot_energy(self) noexcept nogil
    cdef double _lift_speed(self, Py_ssize_t anchor) noexcept nogil
    cdef double balance(self) noexcept nogil
    cdef void measure(self) noexcept nogil
    cdef void measure_rounding(self) noexcept nogil
    cdef double largest_term(self) noexcept nogil
    cdef double reach(self) noexcept nogil
    cdef double _least_scale(self) noexcept nogil
    cdef void note_reach(self) noexcept nogil
    cdef double member_level(self, Py_ssize_t k) noexcept nogil
    cdef Py_ssize_t knot_of_member(self, Py_ssize_t k) noexcept nogil
    cdef bint is_member_at_knot(self, Py_ssize_t k, int side) noexcept nogil
    cdef bint is_astray(self, double shift) noexcept nogil
