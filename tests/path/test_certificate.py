from dataclasses import replace

import numpy as np
import pytest

from path.reference_paths import random_part
from weightpath.path import certificate
from weightpath.path.certifying import violations_of_sums
from weightpath.problems import Staircase


def claim(seed=0, theta=0.4):
    part = random_part(seed)
    beta = part.beta(theta)
    return part, part.staircase(theta), beta, part.bias(theta)


def violation(part, staircase, beta, bias):
    return certificate.kkt_violation(staircase, beta, bias, part.response(beta), part.kappa)


@pytest.mark.parametrize("seed", range(5))
def test_solution_passes(seed):
    part, staircase, beta, bias = claim(seed)
    assert violation(part, staircase, beta, bias) < 1e-13
    assert part.duality_gap(0.4) < 1e-13
    assert part.duality_gap(0.4, relative=True) < 1e-13


def test_wrong_bias_fails():
    part, staircase, beta, bias = claim()
    assert violation(part, staircase, beta, bias + 1e-6) == pytest.approx(1e-6, rel=1e-6)


def test_wrong_coefficient_fails():
    part, staircase, beta, bias = claim()
    position = part.position(0.4)
    wrong = beta.copy()
    wrong[np.flatnonzero(position == 2)[0]] += 1e-6
    assert violation(part, staircase, wrong, bias) > 1e-7
    residual = staircase.target - part.response(beta) - bias
    inside = np.argmax(np.abs(residual) * (position != 2) * (beta != 0))
    # The kernel is one on its diagonal, and so is the largest target.
    unit = min(np.abs(beta[inside]), 1.0)
    assert np.abs(residual[inside]) > 0.5
    for off in (1e-12, 1e-9, 1e-3):
        wrong = beta.copy()
        wrong[inside] -= np.sign(beta[inside]) * off * unit  # no longer at its bound
        assert violation(part, staircase, wrong, bias) > 0.999 * off


def test_outside_the_box_fails_though_the_residual_fits():
    # One row at its upper bound with a positive residual: any more is still on the vertical piece.
    staircase = Staircase(np.array([1.0]), [[0.0, 2.0]], [[-np.inf, 0.0, np.inf]], total=2.0)
    assert certificate.kkt_violation(staircase, [2.0], 0.0, np.zeros(1), np.zeros(1)) == 0.0
    found = certificate.kkt_violation(staircase, [2.002], 0.0, np.zeros(1), np.zeros(1))
    assert found == pytest.approx(1e-3, rel=2e-3)
    assert certificate.duality_gap(staircase, [2.002], 0.0, np.zeros(1)) == np.inf


def test_wrong_sum_fails():
    staircase = Staircase(np.zeros(2), [[0.0, 2.0]] * 2, [[-np.inf, 0.0, np.inf]] * 2, total=1.0)
    nothing = np.zeros(2), np.zeros(2)
    assert certificate.kkt_violation(staircase, [0.5, 0.5], 0.0, *nothing) == 0.0
    assert certificate.kkt_violation(staircase, [0.5, 0.4], 0.0, *nothing) > 0.04
    unbound = Staircase(np.zeros(2), staircase.knots, staircase.levels, 1.0, has_bias=False)
    assert certificate.kkt_violation(unbound, [0.5, 0.4], 0.0, *nothing) == 0.0


def test_not_a_number_fails():
    part, staircase, beta, bias = claim()
    assert not violation(part, staircase, beta, np.nan) < 1.0
    beta[0] = np.nan
    assert not violation(part, staircase, beta, bias) < 1.0


def test_whole_path_sees_one_wrong_segment():
    part = random_part(3)
    arrays = part.record.to_arrays()
    slope = arrays["bias_slope"].copy()
    slope[5] += 1e-3
    object.__setattr__(part, "record", type(part.record)(**{**arrays, "bias_slope": slope}))
    length = np.diff(part.theta)[5]
    assert part.largest_kkt_violation() == pytest.approx(1e-3 * length, rel=1e-6)


def test_gap_is_primal_minus_dual():
    part, staircase, beta, bias = claim()
    rng = np.random.default_rng(0)
    for _ in range(10):
        other = np.clip(beta + 0.1 * rng.normal(size=beta.size), *staircase.bounds())
        response = part.response(other)
        primal = certificate.objective(staircase, other, bias, response)
        dual = 0.5 * other @ response - staircase.target @ other + staircase.penalty(other).sum()
        gap = certificate.duality_gap(staircase, other, bias, response)
        # The sum of the coefficients is off its total, which the identity weighs by the bias.
        assert gap == pytest.approx(primal + dual + bias * other.sum())
        assert gap > 0
        relative = certificate.relative_gap(staircase, other, bias, response)
        assert relative == pytest.approx(gap / primal)


def test_many_at_once_agree_with_one_by_one():
    part = random_part(1)
    end = Staircase(part.end.target * 1.5, part.end.knots, part.end.levels + np.array([0, 0.2, 0]))
    theta = np.linspace(0, 1, 7)
    rng = np.random.default_rng(0)
    beta = rng.normal(size=(7, len(part)))
    bias = rng.normal(size=7)
    response = rng.normal(size=(7, len(part)))
    many = certificate.kkt_violations(part.start, end, theta, beta, bias, response, part.kappa)
    for k in range(7):
        one = certificate.kkt_violation(
            part.start.between(end, theta[k]), beta[k], bias[k], response[k], part.kappa
        )
        assert many[k] == pytest.approx(one)


def test_places_of_a_path_agree_with_one_by_one():
    part = random_part(2)
    # Wrong by more from segment to segment, so that there is something to compare.
    wrong = part.record.bias + 1e-3 * np.arange(part.n_segments)
    part = replace(part, record=replace(part.record, bias=wrong))
    theta = np.linspace(0.0, 1.0, 23)
    many = part.kkt_violations(theta)
    assert many.max() > 1e-3
    assert many == pytest.approx([part.kkt_violations(np.array([t]))[0] for t in theta], abs=1e-13)
    # In several blocks, of one place each.
    assert violations_of_sums(part, theta, block_mb=1e-9) == pytest.approx(many, abs=1e-13)


def test_unbounded_coefficients():
    # min 1/2 b^2 - 3 b + |b|: knot at 0, levels -1 and 1, solution 2 with the residual 1.
    lasso = Staircase(np.array([3.0]), [[0.0]], [[-1.0, 1.0]], has_bias=False)
    assert certificate.kkt_violation(lasso, [2.0], 0.0, np.array([2.0]), np.ones(1)) == 0.0
    assert certificate.duality_gap(lasso, [2.0], 0.0, np.array([2.0 - 1e-15])) < 1e-14
    claim = lasso, [1.9], 0.0, np.array([1.9]), np.ones(1)
    assert certificate.kkt_violation(*claim, relative=False) == pytest.approx(0.1)
    assert certificate.kkt_violation(*claim) == pytest.approx(0.1 / 3.0)
    assert certificate.duality_gap(lasso, [1.9], 0.0, np.array([1.9])) == np.inf
