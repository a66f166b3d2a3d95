"""What the acceptance tests of the problems share: real data and the checks of a whole walk."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from sklearn import datasets

from engine.budgets import within_budget
from engine.walks import walk
from judges import conic, optimality
from judges.cases import kernel_matrix
from weightpath.engine import COMPLETE

__all__ = [
    "KERNELS",
    "agrees_with_clarabel",
    "check_round_trip",
    "diabetes",
    "judged_everywhere",
    "matrix",
    "twice",
]

SAME_FUNCTION = 1e-7

# Arguments of the kernels on p features; the Gaussian ones by gamma times p.
KERNELS = {"linear": None, "rbf1": 1.0, "rbf0.1": 0.1}

# The judge looks at no more than this many segments of a path, evenly among all.
MOST_SEGMENTS = 50


@lru_cache
def diabetes(n=442):
    """Return the first rows of the diabetes data: standardised inputs, targets as they are."""
    X, y = datasets.load_diabetes(return_X_y=True)
    X, y = X[:n], y[:n]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def matrix(X, kernel):
    """Return the matrix of one of the ``KERNELS``."""
    width = KERNELS[kernel]
    if width is None:
        return kernel_matrix(X)
    return kernel_matrix(X, "rbf", gamma=width / X.shape[1])


def twice(X, y, n):
    """Return the first rows, each two times, the second time with the target of another row."""
    return np.vstack([X[:n], X[:n]]), np.concatenate([y[:n], y[n : 2 * n]])


def judged_everywhere(leg) -> float:
    """Return the largest violation by the judge at breakpoints and middles of segments."""
    theta = leg.part.theta
    left = np.unique(np.linspace(0, len(theta) - 2, MOST_SEGMENTS).astype(int))
    places = np.concatenate([theta[left], 0.5 * (theta[left] + theta[left + 1]), [1.0]])
    worst = 0.0
    for place in places:
        stair = leg.start.between(leg.end, place)
        solution = leg.part.moment(place)
        found = optimality.violation(leg.K, stair, solution.beta, solution.bias)
        worst = max(worst, found.worst - found.noise)
    return worst / leg.scale


def check_round_trip(K, visited, state=None, vanishing: bool = False) -> list:
    """Walk there and back; assert that both ways are optimal everywhere and the same.

    Where all targets are ``vanishing`` at an end, violations count relative to the largest target
    of the leg: just before that end a target is smaller than the rounding of the function.

    Returns the legs of both ways.
    """
    legs = walk(K, visited, state=state)
    back = walk(K, visited[::-1], state=legs[-1].trace.state)
    for leg in legs + back:
        assert leg.trace.status == COMPLETE
        leg.trace.record.validate()
        assert within_budget(judged_everywhere(leg))
        if vanishing:
            assert within_budget(leg.part.largest_kkt_violation(relative=False) / leg.scale)
        else:
            assert within_budget(leg.worst_violation())
    for leg, same in zip(legs, back[::-1], strict=True):
        for theta in (0.0, 0.21, 0.5, 0.83, 1.0):
            there, here = leg.values(theta), same.values(1.0 - theta)
            assert np.abs(there - here).max() <= SAME_FUNCTION * max(leg.scale, np.abs(there).max())
    return legs + back


def agrees_with_clarabel(leg, theta, limit=1e-6) -> bool:
    """Return whether the function is that of the interior point method, by its own accuracy."""
    theirs = conic.solve(leg.K, leg.start.between(leg.end, theta))
    ours = leg.values(theta)
    scale = max(leg.scale, np.abs(ours).max())
    assert theirs.violation <= 1e-5 * scale
    return np.abs(ours - theirs.values).max() <= limit * scale
