"""Paths on which targets or levels move: only there rows that depend on the margin enter it."""

import numpy as np
import pytest

from engine.budgets import within_budget
from engine.walks import walk
from judges.cases import CASES
from weightpath.problems import Staircase, hinge_staircase

NAMES = ["linear2-balanced-W", "linear5-unbalanced-Z", "grid-linear-W", "grid-rbf-Z", "onehot-W"]


def moving_margins(case, rng):
    """Visit own margins, some zero and negative, while the weights move too."""
    n = len(case.y)
    margins = [np.ones(n), rng.choice([0.5, 1.0, 2.0, -1.0, 0.0], n), rng.normal(size=n)]
    weights = [case.weights[k % len(case.weights)] + 0.01 for k in range(3)]
    return [hinge_staircase(case.y, w, m) for w, m in zip(weights, margins, strict=True)]


def tubes(case, rng):
    """Regression of noisy values whose tubes grow and shrink, zero included."""
    n = len(case.y)
    target = case.X[:, 0] + rng.normal(size=n)
    zero, bound = np.zeros(n), np.full(n, 2.0)
    found = []
    for eps in (np.full(n, 0.5), np.zeros(n), rng.uniform(size=n)):
        levels = np.column_stack([zero - np.inf, -eps, eps, zero + np.inf])
        found.append(Staircase(target, np.column_stack([-bound, zero, bound]), levels))
    return found


@pytest.mark.parametrize("make", [moving_margins, tubes])
@pytest.mark.parametrize("name", [*NAMES, "alldup-W"])
def test_optimal_everywhere_and_reversible(name, make):
    case = CASES[name](seed=4)
    visited = make(case, np.random.default_rng(4))
    legs = walk(case.K, visited)
    back = walk(case.K, visited[::-1], state=legs[-1].trace.state)
    for leg in legs + back:
        leg.trace.record.validate()
        assert within_budget(leg.worst_violation())
        assert within_budget(leg.judged_violation(0.37))
    for leg, same in zip(legs, back[::-1], strict=True):
        for theta in (0.0, 0.3, 0.8, 1.0):
            assert leg.values(theta) == pytest.approx(same.values(1.0 - theta), abs=1e-7)


@pytest.mark.parametrize(
    "name", ["rbf0.01-unbalanced-C", "rbf0.01-unbalanced-D", "rbf0.01-unbalanced-W", "grid-poly-C"]
)
def test_coefficients_that_move_too_fast_for_theta(name):
    """Slopes of 1e10: at a rounded theta a coefficient may be beyond a bound it met before."""
    case = CASES[name](seed=4)
    visited = moving_margins(case, np.random.default_rng(4))
    legs = walk(case.K, visited)
    back = walk(case.K, visited[::-1], state=legs[-1].trace.state)
    for leg in legs + back:
        assert within_budget(leg.worst_violation())
        some = leg.part.theta[:: max(1, len(leg.part.theta) // 20)]
        assert within_budget(leg.part.kkt_violations(some).max())


def test_dependent_rows_are_exchanged():
    case = CASES["linear2-balanced-W"](seed=4)
    legs = walk(case.K, moving_margins(case, np.random.default_rng(4)))
    assert sum(leg.trace.counts["n_exchanges"] for leg in legs) > 0
    # A linear kernel of two features and a bias: never more than three rows on the margin.
    assert max(np.diff(leg.trace.record.offset).max() for leg in legs) == 3
