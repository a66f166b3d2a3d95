"""The optimality judge: right answers pass, every kind of wrong answer is seen at its size."""

import numpy as np
import pytest

from judges import enumeration, rational
from judges.cases import CASES
from judges.optimality import staircase_distance, violation
from judges.tiny import KINDS, tiny_problem
from weightpath.problems import Staircase, hinge_staircase


@pytest.fixture
def solved():
    """Two points a distance 2 apart: beta = (0.5, -0.5), f = x, b = 0."""
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    return K, hinge_staircase([1.0, -1.0], [2.0, 2.0]), np.array([0.5, -0.5])


def test_accepts_the_optimum(solved):
    K, staircase, beta = solved
    assert violation(K, staircase, beta, 0.0).worst == 0.0


def test_sees_a_wrong_bias(solved):
    K, staircase, beta = solved
    found = violation(K, staircase, beta, 1e-6)
    assert found.worst == pytest.approx(1e-6)
    assert found.total == 0.0


def test_sees_a_wrong_coefficient(solved):
    K, staircase, beta = solved
    found = violation(K, staircase, beta + np.array([1e-6, -1e-6]), 0.0)
    assert found.worst == pytest.approx(2e-6)


def test_sees_a_wrong_sum(solved):
    K, staircase, beta = solved
    assert violation(K, staircase, beta + np.array([1e-6, 0.0]), 0.0).total == pytest.approx(1e-6)


def test_sees_a_broken_box():
    K = np.eye(2)
    staircase = hinge_staircase([1.0, -1.0], [0.25, 0.25])
    assert violation(K, staircase, [0.25, -0.25], 0.0).worst == 0.0
    found = violation(K, staircase, [0.3, -0.3], 0.0)
    assert found.box == pytest.approx([0.05, 0.05])
    assert found.worst == pytest.approx(0.05)


def test_sees_not_a_number(solved):
    K, staircase, _ = solved
    assert violation(K, staircase, [np.nan, 0.0], 0.0).worst == np.inf


@pytest.mark.parametrize(
    ("beta", "residual", "distance"),
    [
        (0.5, 0.0, 0.0),
        (0.5, 0.2, 0.2),
        (0.5, -3.0, 1.0),
        (0.0, -7.0, 0.0),
        (2.0, 9.0, 0.0),
        (2.5, 9.0, 1.0),
        (1.9, 5.0, 0.2),
    ],
)
def test_distance_from_a_hinge(beta, residual, distance):
    staircase = hinge_staircase([1.0], [2.0])
    found = staircase_distance(staircase, np.array([beta]), np.array([residual]), scale=2.0)
    assert found[0] == pytest.approx(distance)


def test_distance_without_bounds():
    lasso = Staircase(np.zeros(1), np.zeros((1, 1)), np.array([[-1.0, 1.0]]), has_bias=False)

    def distance(beta, residual):
        return staircase_distance(lasso, np.array([beta]), np.array([residual]))[0]

    assert distance(0.0, 0.7) == 0.0
    assert distance(5.0, 1.0) == 0.0
    assert distance(5.0, 0.7) == pytest.approx(0.3)
    assert distance(0.1, 0.7) == pytest.approx(0.1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_accepts_exact_solutions(kind, seed):
    K, visited = tiny_problem(kind, seed)
    for staircase in visited[:2]:
        exact = enumeration.solve(rational.RationalProblem.from_staircase(K, staircase))
        beta, bias, _ = exact.floats()
        found = violation(K, staircase, beta, bias)
        assert found.worst <= 1e-14 + found.noise


def test_noise_is_the_size_of_rounding():
    case = CASES["grid-poly-C"](0)
    beta = case.y * 1e4
    rough = (case.K.astype(np.longdouble) @ beta.astype(np.longdouble)).astype(float)
    error = np.abs(case.K @ beta - rough).max()
    assert error <= violation(case.K, case.staircases()[-1], beta).noise
