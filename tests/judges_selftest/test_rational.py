"""The exact judge: it solves, certifies, refuses, and follows whole paths."""

from fractions import Fraction
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from judges import enumeration, rational
from judges.cases import CASES
from judges.rational import RationalProblem
from judges.tiny import KINDS, box, tiny_problem


def two_points(weight):
    """Points -1 and 1 of opposite labels: beta = (w, -w) with w at most 1/2."""
    return RationalProblem.hinge([[1, -1], [-1, 1]], [1, -1], [weight, weight])


def problems_of(case):
    """Return the rational problems a case visits."""
    return [RationalProblem.from_staircase(case.K, s) for s in case.staircases()]


def test_linear_system_is_solved_exactly():
    matrix = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(3)]]
    assert rational.solve_linear(matrix, [[Fraction(1)], [Fraction(1, 3)]]) == [
        [Fraction(-8, 3)],
        [Fraction(1)],
    ]


def test_singular_system_has_no_solution():
    assert rational.solve_linear([[Fraction(1)] * 2] * 2, [[Fraction(1)]] * 2) is None


def test_basic_solution_of_a_position():
    solution = rational.certify(two_points(2), [2, 2])
    assert solution.beta == [Fraction(1, 2), Fraction(-1, 2)]
    assert solution.bias == 0
    assert solution.residual == [0, 0]


def test_wrong_positions_are_not_certified():
    assert rational.certify(two_points(2), [1, 3]) is None
    assert rational.certify(two_points(2), [3, 1]) is None
    assert rational.certify(two_points(Fraction(1, 3)), [2, 2]) is None


def test_right_solution_of_a_wrong_position_is_not_certified():
    problem = two_points(Fraction(1, 2))
    assert rational.certify(problem, [3, 1]) is not None
    assert rational.certify(problem, [2, 2]) is not None
    assert rational.certify(problem, [1, 1]) is None


def test_failures_are_sentences():
    problem = two_points(2)
    assert rational.failures(problem, [Fraction(1, 2), Fraction(-1, 2)]) == []
    found = rational.failures(problem, [Fraction(1, 2), Fraction(-1, 3)])
    assert any("sum(beta) = 1/6" in sentence for sentence in found)
    assert any(sentence.startswith("index 0") for sentence in found)
    assert rational.failures(problem, [3, -3])


def test_bias_interval_of_the_all_inside_state():
    problem = two_points(Fraction(1, 4))
    assert rational.bias_interval(problem, [Fraction(1, 4), Fraction(-1, 4)]) == (
        Fraction(-1, 2),
        Fraction(1, 2),
    )


def test_state_of_a_solver_is_judged():
    problem = two_points(Fraction(1, 4))
    good = rational.judge_state(problem, np.array([3, 1]), np.array([0.25, -0.25]), 0.5)
    assert good == rational.Verdict(True, 0.0, 0.0)
    assert rational.judge_state(problem, [3, 1], [0.25, -0.25], 0.625).bias_error == 0.125
    assert rational.judge_state(problem, [3, 1], [0.375, -0.375], 0.5).value_error == 0.25
    assert rational.judge_state(problem, [2, 1], [0.25, -0.25], 0.5).value_error == 0.0
    assert rational.judge_state(problem, [1, 3], [0.0, 0.0], 0.0) == rational.Verdict(
        False, inf, inf
    )


def test_no_solution_is_an_error():
    lonely = RationalProblem([[Fraction(1)]], [Fraction(1)], [[Fraction(1)] * 2], [[-inf, 0, inf]])
    with pytest.raises(ValueError, match="no solution"):
        enumeration.solve(lonely)


def test_path_of_two_points():
    path = enumeration.exact_path(two_points(0), two_points(2))
    assert path.theta == [0, Fraction(1, 4), 1]
    assert path.values == [[0, 0], [1, -1], [1, -1]]
    assert path.at(Fraction(1, 8)) == [Fraction(1, 2), Fraction(-1, 2)]


def test_path_into_nothing_is_an_error():
    start = RationalProblem.from_staircase(*one_class(2.0))
    end = RationalProblem.from_staircase(*one_class(0.25))
    with pytest.raises(ValueError, match="just after theta"):
        enumeration.exact_path(start, end)


def one_class(weight):
    """Return two points whose coefficients must sum to 1 in a box of size ``weight``."""
    return np.eye(2), box(np.zeros(2), np.zeros(2), np.full(2, weight), total=1.0)


@pytest.mark.parametrize("name", ["tiny-linear", "tiny-poly"])
@pytest.mark.parametrize("seed", range(6))
def test_path_agrees_with_solutions_on_it(name, seed):
    start, end, *_ = problems_of(CASES[name](seed))
    path = enumeration.exact_path(start, end)
    for theta in (0, Fraction(2, 7), 1):
        problem = start.between(end, theta)
        solution = enumeration.solve(problem)
        assert rational.failures(problem, solution.beta, solution.bias) == []
        assert path.at(theta) == solution.values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_path_of_every_kind(kind, seed):
    K, visited = tiny_problem(kind, seed)
    start, end = (RationalProblem.from_staircase(K, s) for s in visited[:2])
    path = enumeration.exact_path(start, end)
    for left, right in pairwise(path.theta):
        theta = (left + right) / 2
        assert path.at(theta) == enumeration.solve(start.between(end, theta)).values
