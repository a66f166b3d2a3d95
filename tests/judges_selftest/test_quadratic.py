"""The other solvers against the interior point judge."""

import numpy as np
import pytest

from judges import conic, quadratic
from judges.cases import CASES
from judges.optimality import violation
from judges.tiny import tiny_problem
from weightpath.problems import hinge_staircase

NAMES = [
    "paper-toy",
    "linear2-balanced-W",
    "linear30-unbalanced-Z",
    "rbf10-balanced-W",
    "rbf0.01-balanced-W",
    "grid-rbf-Z",
    "onehot-W",
    "alldup-integer",
    "cancer-linear-Z",
    "digits-rbf-W",
    "separable",
    "vanish",
]

qpoases = pytest.mark.skipif(
    not quadratic.has_qpoases(), reason="needs CasADi with qpOASES: pip install casadi"
)


@qpoases
@pytest.mark.parametrize("name", NAMES)
def test_active_set_agrees(name):
    case = CASES[name](0)
    staircase = case.staircases()[1]
    ours = conic.solve(case.K, staircase)
    theirs = quadratic.solve_qpoases(case.K, staircase)
    assert theirs.solved
    assert np.abs(ours.values - theirs.values).max() < 1e-6
    assert violation(case.K, staircase, theirs.beta, theirs.bias).worst < 1e-8


@qpoases
@pytest.mark.parametrize("kind", ["ranking", "quantile", "one-class"])
def test_active_set_solves_every_box(kind):
    K, visited = tiny_problem(kind, 1)
    for staircase in visited:
        theirs = quadratic.solve_qpoases(K, staircase)
        assert violation(K, staircase, theirs.beta, theirs.bias).worst < 1e-8


@qpoases
def test_active_set_refuses_several_levels():
    K, visited = tiny_problem("regression", 0)
    with pytest.raises(ValueError, match="boxes only"):
        quadratic.solve_qpoases(K, visited[0])


@pytest.mark.parametrize("name", NAMES)
def test_libsvm_agrees_roughly(name):
    case = CASES[name](0)
    weight = np.minimum(case.weights[1], 100.0)
    theirs = quadratic.solve_libsvm(case.K, case.y, weight, tol=1e-6)
    assert theirs.solved
    ours = conic.solve(case.K, hinge_staircase(case.y, weight))
    assert np.abs(ours.values - theirs.values).max() < 1e-4 * max(1, np.abs(ours.values).max())


def test_libsvm_leaves_zero_weights_alone():
    case = CASES["grid-rbf-Z"](0)
    theirs = quadratic.solve_libsvm(case.K, case.y, case.weights[1])
    assert (theirs.beta[case.weights[1] == 0.0] == 0.0).all()
    assert abs(theirs.beta.sum()) < 1e-9
