"""Steep paths, on which theta is too coarse a number, and what has no solution."""

import numpy as np
import pytest

from engine.acceptance import LIMIT, diabetes, matrix
from engine.test_problems_lasso import Problem
from engine.walks import walk
from weightpath.errors import UnboundedPathError
from weightpath.problems import tube_staircase


def tube(y, weight, epsilon):
    return tube_staircase(y, np.full(len(y), weight), epsilon)


def test_certificate_of_moving_targets():
    X, y = diabetes()
    other = y[np.random.default_rng(1).permutation(len(y))]
    (leg,) = walk(matrix(X, "linear"), [tube(t, 1.0, 5.0) for t in (y, other)])
    assert leg.worst_violation() <= LIMIT


def test_certificate_of_shrinking_weights():
    X, y = diabetes()
    legs = walk(matrix(X, "rbf1"), [tube(y, C, 10.0) for C in (1e-2, 1.0, 1e4, 1.0, 1e-2)])
    assert max(leg.worst_violation() for leg in legs) <= LIMIT


def test_no_penalty_on_copied_columns_is_refused():
    problem = Problem("copied")
    with pytest.raises(UnboundedPathError, match="ridge"):
        walk(problem.K, [problem.at(penalty) for penalty in (1.0, 0.0)])
