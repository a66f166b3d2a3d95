"""Basis pursuit on generated problems, non-unique, inconsistent and degenerate, against HiGHS."""

import numpy as np
import pytest

import weightpath as wp
from judges.pursuit import least_cost, pursuit_bounds
from pursuit.generated import KINDS, generated

# All 300 with --slow.
FAST = 60
ALL = [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= FAST)) for seed in range(300)]


@pytest.mark.parametrize("seed", ALL)
def test_costs_as_little_as_by_highs(seed):
    one = generated(seed)
    cost = one.weight / one.columns
    model = wp.BasisPursuit(one.weight).fit(one.matrix, one.target)
    least = least_cost(one.A, one.y, cost, one.rank)
    assert abs(model.objective_ - least) <= 1e-9 * least
    # By definition, on the well-scaled data.
    x, u = model.coef_ * one.columns, model.dual_ * one.rows
    fit, beyond, gap = pursuit_bounds(one.A, one.y, cost, x, u)
    assert fit < 1e-12 and beyond < 1e-10 and gap < 1e-9
    assert model.kkt_violation() < 1e-10
    assert model.duality_gap(relative=True) < 1e-9
    assert model.is_consistent_ == one.consistent
    assert model.active_.size <= one.rank


def test_generated_problems_are_ugly():
    problems = [generated(seed) for seed in range(300)]
    assert {one.kind for one in problems} == {make.__name__ for make in KINDS}
    assert sum(not one.consistent for one in problems) > 30
    assert sum(one.rank < min(one.A.shape) for one in problems) > 60
    assert sum((one.weight == 0).any() for one in problems) > 60
    assert sum(np.ptp(np.log2(one.columns)) > 20 for one in problems) > 60
    assert sum(np.ptp(np.log2(one.rows)) > 20 for one in problems) > 40
