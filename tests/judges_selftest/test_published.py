"""The published breakpoints, proved exactly and seen again by brute force on floats."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from judges import conic, enumeration, rational
from judges.published import DEPENDENT, DUPLICATE
from judges.rational import RationalProblem
from weightpath.problems import hinge_staircase

PATHS = [DUPLICATE, DEPENDENT]
NAMES = ["duplicate", "dependent"]


def problem_at(path, lam):
    """Return the rational problem with all weights ``1 / lam``."""
    return RationalProblem.hinge(path.exact_kernel(), path.y, [1 / Fraction(lam)] * 6)


def exact_w(path, beta):
    """Return ``w`` in fractions."""
    points = [[Fraction(v) for v in point] for point in path.points]
    return [sum(b * x[d] for b, x in zip(beta, points, strict=True)) for d in range(2)]


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_breakpoints_are_exact(path):
    large, small = Fraction(20), Fraction(1, 2)
    exact = enumeration.exact_path(problem_at(path, large), problem_at(path, small))
    weight = [1 / large + theta * (1 / small - 1 / large) for theta in exact.theta[1:-1]]
    assert tuple(1 / c for c in weight) == path.breakpoints
    assert set(path.published) <= set(path.breakpoints)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_laws_of_w_are_exact(path):
    ends = [Fraction(20), *path.breakpoints, Fraction(1, 10)]
    for left, right in pairwise(ends):
        for lam in (left, (left + right) / 2):
            solution = enumeration.solve(problem_at(path, lam))
            assert exact_w(path, solution.beta) == path.weight_vector(lam)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_first_event_ends_the_all_inside_state(path):
    inside = [3, 3, 3, 1, 1, 1]
    first = path.breakpoints[0]
    assert rational.certify(problem_at(path, first), inside) is not None
    assert rational.certify(problem_at(path, first - Fraction(1, 10**9)), inside) is None
    above = rational.certify(problem_at(path, first + 1), inside)
    low, high = rational.bias_interval(problem_at(path, first + 1), above.beta)
    assert low < high
    at = rational.certify(problem_at(path, first), inside)
    low, high = rational.bias_interval(problem_at(path, first), at.beta)
    assert low == high
    assert [i for i, r in enumerate(at.residual) if r == 0] == [0, 4]


def test_bias_rhombus_of_the_dependent_points():
    for lam, width in (("1.5", 0), ("1.25", Fraction(2, 5)), ("1", 0)):
        problem = problem_at(DEPENDENT, Fraction(lam))
        low, high = rational.bias_interval(problem, enumeration.solve(problem).beta)
        assert high - low == width
        assert (low + high) / 2 == Fraction(5, 2) / Fraction(lam)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_brute_force_sees_the_same_bends(path):
    """On a fine grid of C the second differences of w vanish except beside a breakpoint."""
    X, y = path.X, path.y
    weight = np.linspace(1 / 20, 1.2, 231)
    w = np.array([X.T @ conic.solve(X @ X.T, hinge_staircase(y, c * abs(y))).beta for c in weight])
    bent = np.abs(np.diff(w, 2, axis=0)).max(axis=1) > 1e-4
    step = weight[1] - weight[0]
    near = np.abs(weight[1:-1, None] - [float(1 / b) for b in path.breakpoints]) < step * (1 - 1e-9)
    assert np.array_equal(bent[~near.any(axis=1)], np.zeros((~near.any(axis=1)).sum(), bool))
    assert (bent[:, None] & near).any(axis=0).all()
