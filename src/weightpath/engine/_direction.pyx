"""The direction of the margin: its slopes, and that of the bias, per unit theta.

A large margin's slopes are mostly known, as the last change of sets has updated them. Now and then
they are computed afresh; those that updates have led to are a good start for that: one step
of refinement, whose right-hand side is what they leave of the system, takes half of the
passes over the factor that a solve and its step of refinement take.
"""

from libc.math cimport fabs
from libc.string cimport memcpy

from weightpath import tolerances as _tolerances
from weightpath.engine._loop_state cimport LoopState
from weightpath.problems._position cimport interval_of

# So often a direction is updated before it is computed afresh; more often where changes are worked
# out together, as then every change but the first few comes from an update anyway.
cdef Py_ssize_t UPDATES = 30
cdef Py_ssize_t FORESEEN_UPDATES = 64

cdef double NEAR = _tolerances.NEAR_SLOPES


cdef void compute_direction(LoopState state) noexcept nogil:
    """Slopes of the margin and the bias per unit theta (Eq. 13 of the paper)."""
    cdef Py_ssize_t k, i, most = UPDATES
    if state.residuals.foresight is not None and state.residuals.foresight.on:
        most = FORESEEN_UPDATES
    if (state.margin.knows_direction and not state.margin.is_direction_old
            and state.margin.updates < most):
        return
    for k in range(state.margin.size):
        i = state.margin.member[k]
        state.margin.right[k] = (
            state.residuals.velocity(i)
            - state.stairs.level_speed(i, interval_of(state.stairs.position[i])))
    if state.margin.knows_direction:
        if not _refine(state):
            _refine(state)
    elif state.residuals.multiplies_margin():
        memcpy(state.margin.slope, state.margin.right, state.margin.size * sizeof(double))
        state.bias_slope = state.margin.factor.solve_plainly(state.margin.slope, state.balance())
        _refine(state)
    else:
        state.margin.factor.solve(
            state.margin.right, state.balance(), state.margin.slope, &state.bias_slope)
    state.margin.knows_direction = True
    state.margin.is_direction_old = False
    state.margin.updates = 0


cdef bint _refine(LoopState state) noexcept nogil:
    """One step of refinement of the slopes; whether they were near."""
    cdef Py_ssize_t k
    cdef double size = 0.0, most
    if state.residuals.multiplies_margin():
        most = _refine_by_product(state)
    else:
        most = state.margin.factor.refine(
            state.margin.right, state.balance(), state.margin.slope, &state.bias_slope)
    for k in range(state.margin.size):
        size = max(size, fabs(state.margin.slope[k]))
    return most <= NEAR * size


cdef double _refine_by_product(LoopState state) noexcept nogil:
    # The same by way of the features: they are read sooner than the kernel values of the margin.
    # Returns the largest change of a slope.
    cdef Py_ssize_t k
    cdef double most = 0.0, missing = state.balance(), bias
    cdef double* slope = state.margin.slope
    cdef double* rest = state.margin.correction
    state.residuals.multiply_margin(slope, rest)
    for k in range(state.margin.size):
        rest[k] = state.margin.right[k] - rest[k] - state.margin.ridge * slope[k]
        if state.has_bias:
            rest[k] -= state.bias_slope
            missing -= slope[k]
    bias = state.margin.factor.solve_plainly(rest, missing)
    for k in range(state.margin.size):
        slope[k] += rest[k]
        most = max(most, fabs(rest[k]))
    state.bias_slope += bias
    return most
