"""Agreement with independent solvers at random places of the path."""

import numpy as np
import pytest

from engine.walks import walk, walk_case
from judges import conic, quadratic
from judges.cases import CASES
from judges.tiny import KINDS, tiny_problem

NAMES = [
    "paper-toy",
    "linear5-balanced-W",
    "linear30-unbalanced-Z",
    "rbf1-unbalanced-W1000",
    "rbf0.01-balanced-W",
    "grid-linear-Z",
    "grid-rbf-W",
    "onehot-W",
    "alldup-integer",
    "cancer-linear-Z",
    "digits-rbf-W",
    "separable",
    "vanish",
]

# K beta of the judges, by their own account; the engine's is far better.
CONIC = 1e-6
QPOASES = 1e-6
# Where strict complementarity fails.
CONIC_TINY = 5e-6
# Part of the largest value: LIBSVM keeps the kernel in single precision.
LIBSVM = 1e-4

qpoases = pytest.mark.skipif(
    not quadratic.has_qpoases(), reason="needs CasADi with qpOASES: pip install casadi"
)


def places(name):
    """Yield the legs of a case, each with one random theta and the problem there."""
    rng = np.random.default_rng(7)
    for leg in walk_case(CASES[name](seed=3))[:2]:
        theta = float(rng.uniform())
        yield leg, theta, leg.start.between(leg.end, theta)


def close(leg, theta, values, limit):
    ours = leg.values(theta)
    return np.abs(ours - values).max() <= limit * max(1.0, np.abs(ours).max())


@pytest.mark.parametrize("name", NAMES)
def test_interior_point(name):
    for leg, theta, stair in places(name):
        theirs = conic.solve(leg.K, stair)
        assert theirs.violation < 1e-5
        assert close(leg, theta, theirs.values, CONIC)


@qpoases
@pytest.mark.parametrize("name", NAMES)
def test_active_set(name):
    for leg, theta, stair in places(name):
        theirs = quadratic.solve_qpoases(leg.K, stair)
        assert theirs.solved
        assert close(leg, theta, theirs.values, QPOASES)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "separable"])
def test_libsvm(name):
    case = CASES[name](seed=3)
    for leg, theta, stair in places(name):
        weight = stair.knots[:, 1] - stair.knots[:, 0]
        theirs = quadratic.solve_libsvm(leg.K, case.y, weight)
        assert close(leg, theta, theirs.values, LIBSVM)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(100, 106))
def test_every_kind_by_interior_point(kind, seed):
    K, visited = tiny_problem(kind, seed)
    rng = np.random.default_rng(seed)
    for leg in walk(K, visited):
        theta = float(rng.uniform())
        theirs = conic.solve(K, leg.start.between(leg.end, theta))
        assert np.abs(leg.values(theta) - theirs.values).max() <= CONIC_TINY * max(1.0, leg.scale)
