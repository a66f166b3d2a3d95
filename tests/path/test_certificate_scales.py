"""The certificate forgives nothing: a coefficient off its knot is reported in its own unit."""

import numpy as np
import pytest

from weightpath.path.certificate import kkt_violation, rounding_floor
from weightpath.problems import Staircase, hinge_staircase, tube_staircase
from weightpath.problems.scales import coefficient_units, reach_of

RNG = np.random.default_rng(0)
N = 12
X = RNG.normal(size=(N, 2))
K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
SIGN = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)


def consistent(weight):
    """A problem and its exact solution, made from coefficients in every position.

    Knots first: coefficients of natural size, or at either knot, then targets to suit them.
    """
    levels = np.tile([-np.inf, 0.0, np.inf], (N, 1))
    knots = np.sort(np.column_stack([np.zeros(N), SIGN * weight]), axis=1)
    natural = np.minimum(weight, 1.0) * 0.3
    beta = np.choose(np.arange(N) % 3, [np.zeros(N), SIGN * weight, SIGN * natural])
    kind = np.arange(N) % 3
    # Rows at knots have residuals inside their riser, free rows have none.
    residual = np.where(kind == 0, -0.5 * SIGN, np.where(kind == 1, 0.5 * SIGN, 0.0))
    target = K @ beta + residual
    return Staircase(target, knots, levels, total=beta.sum()), beta, kind


def violation(stair, beta, **options):
    return kkt_violation(stair, beta, 0.0, K @ beta, reach_of(np.diag(K)), **options)


@pytest.mark.parametrize("C", [1e-12, 1e-6, 1.0, 1e3])
@pytest.mark.parametrize("off", [1e-9, 1e-3])
def test_off_its_knot_by_a_part_of_its_unit(C, off):
    stair, beta, kind = consistent(np.full(N, C))
    scale = stair.residual_scale
    unit = coefficient_units(stair.knots, stair.levels, reach_of(np.diag(K)), scale)
    assert violation(stair, beta) < 1e-13
    for row in np.flatnonzero(kind != 2):
        wrong = beta.copy()
        inward = SIGN[row] if kind[row] == 0 else -SIGN[row]
        wrong[row] += inward * off * unit[row]
        assert violation(stair, wrong) > 0.999 * off
        outward = beta.copy()
        outward[row] -= inward * off * unit[row]
        assert violation(stair, outward) > 0.999 * off


@pytest.mark.parametrize("C", [1e6, 1e9, 1e12, 1e15])
def test_a_huge_bound_that_is_not_reached_forgives_nothing(C):
    """Rows at zero, where moving them costs; the bound is larger by many orders."""
    stair = hinge_staircase(SIGN, np.full(N, C))
    kappa = reach_of(np.diag(K))
    target = -0.5 * SIGN
    stair = Staircase(target, stair.knots, stair.levels)
    assert kkt_violation(stair, np.zeros(N), 0.0, np.zeros(N), kappa) == 0.0
    unit = 0.5
    for off in (1e-9, 1e-3):
        wrong = np.zeros(N)
        wrong[0] = off * unit
        assert kkt_violation(stair, wrong, 0.0, K @ wrong, kappa) > 0.999 * off


@pytest.mark.parametrize("C", [1e-15, 1.0, 1e15])
def test_the_sum_is_measured_in_the_largest_unit(C):
    stair = tube_staircase(np.zeros(N), np.full(N, C), 1.0)
    kappa = reach_of(np.diag(K))
    unit = min(2 * C, 1.0)
    wrong = Staircase(stair.target, stair.knots, stair.levels, total=1e-3 * unit)
    assert kkt_violation(stair, np.zeros(N), 0.0, np.zeros(N), kappa) == 0.0
    assert kkt_violation(wrong, np.zeros(N), 0.0, np.zeros(N), kappa) == pytest.approx(1e-3)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_relative_and_absolute(size):
    stair = tube_staircase(size * np.linspace(-1.0, 1.0, N), np.full(N, 1.0), 0.1 * size)
    nothing = np.zeros(N)
    claim = stair, nothing, 0.0, nothing, reach_of(np.diag(K))
    # Without coefficients the outermost residual is beyond its tube by nine tenths of the target,
    # or its coefficient off its bound by half of its own unit.
    expected = min(0.9, 1.0 / min(2.0, size))
    assert kkt_violation(*claim) == pytest.approx(expected)
    assert kkt_violation(*claim, relative=False) == pytest.approx(size * expected)


def test_rounding_floor_is_told_beside_it():
    stair = tube_staircase(np.full(N, 2.0), np.ones(N), 0.1)
    beta = np.where(SIGN > 0, 1.0, -1.0)
    sizes = np.abs(K) @ np.abs(beta)
    expected = 64 * np.finfo(float).eps * (sizes.max() + 3.0)
    assert rounding_floor(stair, beta, -3.0, sizes, relative=False) == pytest.approx(expected)
    assert rounding_floor(stair, beta, -3.0, sizes) == pytest.approx(expected / 2.0)
