"""The interior point judge against exact arithmetic, and its own refusals."""

import numpy as np
import pytest

from judges import conic, enumeration
from judges.cases import CASES
from judges.rational import RationalProblem
from judges.tiny import KINDS, box, tiny_problem
from weightpath.problems import Staircase


def exact_values(K, staircase):
    """Return the exact function values as floats."""
    return enumeration.solve(RationalProblem.from_staircase(K, staircase)).floats()[2]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_exact_values(kind, seed):
    K, visited = tiny_problem(kind, seed)
    for staircase in visited[:3]:
        found = conic.solve(K, staircase)
        assert found.solved
        assert found.values == pytest.approx(exact_values(K, staircase), abs=5e-6)
        assert found.violation < 1e-5


@pytest.mark.parametrize("name", ["tiny-linear", "tiny-poly"])
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_exact_values_of_classification(name, seed):
    case = CASES[name](seed)
    for staircase in case.staircases():
        found = conic.solve(case.K, staircase)
        assert found.values == pytest.approx(exact_values(case.K, staircase), abs=5e-6)


def test_coinciding_knots_are_fixed():
    K = np.array([[2.0, 1.0], [1.0, 2.0]])
    staircase = box(np.ones(2), np.array([0.5, 0.0]), np.array([0.5, 9.0]), has_bias=False)
    found = conic.solve(K, staircase)
    assert found.beta == pytest.approx([0.5, 0.25], abs=1e-8)
    staircase = box(np.ones(2), np.array([0.5, 0.1]), np.array([0.5, 0.1]), has_bias=False)
    assert conic.solve(K, staircase).beta.tolist() == [0.5, 0.1]


def test_value_counts_the_levels():
    levels = np.array([[-np.inf, -0.5, 0.5, np.inf]])
    staircase = Staircase(np.array([2.0]), np.array([[-3.0, 0.0, 3.0]]), levels, has_bias=False)
    found = conic.solve(np.eye(1), staircase)
    assert found.beta == pytest.approx([1.5], abs=1e-8)
    assert found.value == pytest.approx(-0.5 * 1.5**2, abs=1e-8)


def test_value_agrees_with_the_primal_loss():
    case = CASES["paper-toy"](1)
    staircase = case.staircases()[1]
    found = conic.solve(case.K, staircase)
    residual = staircase.target - found.values - found.bias
    primal = 0.5 * found.beta @ found.values + staircase.loss(residual).sum()
    assert primal == pytest.approx(-found.value, rel=1e-9)


def test_infeasible_sum_is_reported():
    staircase = box(np.zeros(2), np.zeros(2), np.full(2, 0.25), total=1.0)
    assert conic.solve(np.eye(2), staircase).status == "PrimalInfeasible"
    nothing = box(np.zeros(2), np.zeros(2), np.zeros(2), total=1.0)
    assert conic.solve(np.eye(2), nothing).status == "PrimalInfeasible"
