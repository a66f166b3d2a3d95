"""Units of coefficients, tolerances of residuals, and the one rule for being at a knot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightpath import tolerances
from weightpath.problems import hinge_staircase, lasso_staircase, tube_staircase
from weightpath.problems.scales import (
    coefficient_units,
    knot_closeness,
    nearest_knots,
    reach_of,
    residual_tolerance,
)

EPS = np.finfo(float).eps


def units_of(stair, diagonal):
    return coefficient_units(stair.knots, stair.levels, reach_of(diagonal), stair.residual_scale)


@given(st.integers(0, 2**32 - 1))
def test_reach_bounds_every_entry_of_the_matrix(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 3)) * 10.0 ** rng.integers(-6, 6, size=(6, 1))
    K = A @ A.T
    assert (np.abs(K).max(axis=0) <= reach_of(np.diag(K)) * (1 + 1e-12)).all()


def test_reach_of_rows_that_touch_nothing():
    assert reach_of([4.0, 0.0, -1e-17]).tolist() == [4.0, 0.0, 0.0]
    assert reach_of(np.empty(0)).shape == (0,)


@pytest.mark.parametrize("s", [1.0, 1e-5, 1e5])
@pytest.mark.parametrize("bound", [1e-8, 1.0, 1e8])
def test_units_follow_a_change_of_units(s, bound):
    """(K, beta, C) -> (s^2 K, beta / s^2, C / s^2) changes nothing."""
    sign, weight = np.array([1.0, -1.0, 1.0]), bound * np.array([1.0, 2.0, 3.0])
    diagonal = np.array([1.0, 4.0, 0.25])
    plain = units_of(hinge_staircase(sign, weight), diagonal)
    scaled = units_of(hinge_staircase(sign, weight / s**2), s**2 * diagonal)
    assert scaled == pytest.approx(plain / s**2, rel=1e-12)


def test_a_unit_is_the_smaller_of_bound_and_effect():
    diagonal = np.ones(3)
    tiny, plain, huge = 1e-6, 0.5, 1e9
    stair = hinge_staircase(np.array([1.0, -1.0, 1.0]), np.array([tiny, plain, huge]))
    assert units_of(stair, diagonal).tolist() == [tiny, plain, 1.0]
    # A tube's outermost knots are two bounds apart, and its residuals are of the targets' size.
    tube = tube_staircase(np.array([50.0, 1.0, 1.0]), np.array([tiny, plain, huge]), 0.1)
    assert units_of(tube, diagonal).tolist() == [2 * tiny, 2 * plain, 50.0]


def test_units_without_bounds_or_without_effect():
    lasso = lasso_staircase(np.array([3.0, -1.0]), np.array([0.5, 0.5]))
    assert units_of(lasso, np.array([4.0, 4.0])).tolist() == [0.75, 0.75]
    assert np.isinf(units_of(lasso, np.zeros(2))).all()
    nothing = hinge_staircase(np.array([1.0, -1.0]), np.array([0.0, 2.0]))
    # Knots that coincide are no unit; rows without effect have their bound.
    assert units_of(nothing, np.ones(2)).tolist() == [1.0, 1.0]
    assert units_of(nothing, np.zeros(2)).tolist() == [np.inf, 2.0]


def test_tolerance_is_relative_and_knows_the_rounding_of_sums():
    kappa = np.ones(4)
    assert residual_tolerance(3.0, kappa, np.zeros(4)) == pytest.approx(3e-11)
    assert residual_tolerance(3e-12, kappa, np.zeros(4)) == pytest.approx(3e-23)
    large = residual_tolerance(1.0, kappa, np.full(4, -1e9))
    assert large == pytest.approx(1e-11 + tolerances.ROUNDINGS * EPS * 4e9)


KNOTS = np.array([[0.0, 1.0]])


@pytest.mark.parametrize("bound", [1e-12, 1e-3, 1.0, 1e6, 1e15])
def test_a_coefficient_of_its_natural_size_is_never_at_a_knot(bound):
    """Not even where the bound is larger by fifteen orders, or smaller."""
    kappa, tolerance = np.ones(1), residual_tolerance(1.0, np.ones(1), np.ones(1))
    size = 1e-3 * min(bound, 1.0)
    at_knot, nearest = nearest_knots(bound * KNOTS, np.array([size]), kappa, tolerance)
    assert not at_knot[0] and nearest[0] == 0
    # Within the tolerance, and within a part of the way to the other knot, it is.
    size = 0.5 * min(tolerances.NEAR_KNOT * bound, tolerance)
    at_knot, nearest = nearest_knots(bound * KNOTS, np.array([size]), kappa, tolerance)
    assert at_knot[0] and nearest[0] == 0


def test_roundings_of_a_bound_are_at_it():
    for bound in (1e-9, 1.0, 1e12):
        beside = np.array([bound * (1 + 2 * EPS)])
        at_knot, nearest = nearest_knots(bound * KNOTS, beside, np.full(1, 1e30), 1e-11)
        assert at_knot[0] and nearest[0] == 1


def test_closeness_is_measured_to_the_knot_on_its_side():
    knots = np.array([[-1e-6, 0.0, 1.0]])
    above = knot_closeness(knots, np.array([1e-12]), np.zeros(1), 1.0)[0]
    below = knot_closeness(knots, np.array([-1e-12]), np.zeros(1), 1.0)[0]
    assert above[1] == pytest.approx(1e-9, rel=1e-6)
    assert below[1] == pytest.approx(1e-15, rel=1e-6)
    # Beyond the outermost knots there is nothing to be a part of.
    outer = knot_closeness(knots, np.array([2.0]), np.zeros(1), 1.0)[0]
    assert outer[2] == tolerances.KNOT_ROUNDINGS * EPS * 2.0
