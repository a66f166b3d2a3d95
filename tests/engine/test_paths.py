"""Whole paths of the named ugly cases: optimal everywhere, the same there and back."""

import numpy as np
import pytest

from engine.budgets import within_budget
from engine.walks import walk, walk_case
from judges.cases import CASES
from weightpath.engine import COMPLETE

SAME_FUNCTION = 1e-7


def some_thetas(part, rng, n=6):
    """Both ends, some breakpoints and some places in between."""
    return np.concatenate([[0.0, 1.0], rng.choice(part.theta, n), rng.uniform(size=n)])


@pytest.mark.parametrize("name", CASES)
def test_optimal_everywhere_and_reversible(name):
    case = CASES[name](seed=0)
    rng = np.random.default_rng(0)
    legs = walk_case(case)
    back = walk(case.K, case.staircases()[::-1], state=legs[-1].trace.state)
    for leg in legs + back:
        assert leg.trace.status == COMPLETE
        leg.trace.record.validate()
        assert leg.trace.record.theta[0] == 0.0 and leg.trace.record.theta[-1] == 1.0
        assert within_budget(leg.worst_violation())
        for theta in some_thetas(leg.part, rng):
            assert within_budget(leg.judged_violation(theta))
    for leg, same in zip(legs, back[::-1], strict=True):
        for theta in some_thetas(leg.part, rng, n=3):
            gap = np.abs(leg.values(theta) - same.values(1.0 - theta)).max()
            assert gap <= SAME_FUNCTION * max(leg.scale, np.abs(leg.values(theta)).max())


@pytest.mark.parametrize("name", CASES)
def test_middle_of_the_bias_interval_is_optimal_too(name):
    for leg in walk_case(CASES[name](seed=1)):
        leg.settled.record.validate()
        assert within_budget(leg.settled.largest_kkt_violation())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_more_seeds(seed):
    for make in CASES.values():
        for leg in walk_case(make(seed)):
            leg.trace.record.validate()
            assert within_budget(leg.worst_violation())
