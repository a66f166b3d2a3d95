"""Large margins: most rows sleep, and directions are updated; paths are optimal everywhere."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from engine.acceptance import judged_everywhere
from engine.walks import walk
from judges.cases import kernel_matrix
from weightpath.problems import hinge_staircase, tube_staircase

EXACT = 1e-9


def classification(n):
    X, y = make_classification(n, 20, n_informative=8, flip_y=0.1, random_state=3)
    K = kernel_matrix(X, "rbf", gamma=1.0 / (20 * X.var()))
    return K, np.where(y == 1, 1.0, -1.0)


def regression(n):
    X, y = make_friedman1(n, noise=1.0, random_state=3)
    return kernel_matrix(X, "rbf", gamma=1.0 / (10 * X.var())), y


def largest_margin(leg):
    return int(np.diff(leg.part.record.offset).max())


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_all_weights_move(C):
    K, sign = classification(700)
    rng = np.random.default_rng(0)
    weights = [C * rng.uniform(0.5, 1.5, len(sign)) for _ in range(3)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights]):
        assert largest_margin(leg) > 100
        assert judged_everywhere(leg) < EXACT


def test_few_weights_move():
    K, sign = classification(700)
    weight = np.ones(len(sign))
    other = weight.copy()
    other[::50] = [0.0, 3.0] * 7
    for leg in walk(K, [hinge_staircase(sign, w) for w in (weight, other, weight)]):
        assert largest_margin(leg) > 100
        assert judged_everywhere(leg) < EXACT


def test_targets_and_tubes_move():
    """Levels and targets of sleepers come closer on their own."""
    K, y = regression(600)
    rng = np.random.default_rng(1)
    weight = np.full(len(y), 10.0)
    visited = [(y, 1.0), (y + rng.normal(0.0, 1.0, len(y)), 0.3), (y, 2.0)]
    for leg in walk(K, [tube_staircase(target, weight, epsilon) for target, epsilon in visited]):
        assert largest_margin(leg) > 100
        assert judged_everywhere(leg) < EXACT


def test_a_margin_that_grows_and_shrinks():
    """Few members, many, few again: rows fall asleep on the way and wake up."""
    K, sign = classification(600)
    weights = [np.full(len(sign), C) for C in (1e-3, 30.0, 1e-3)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights]):
        sizes = np.diff(leg.part.record.offset)
        assert sizes.min() < 32 < 100 < sizes.max()
        assert judged_everywhere(leg) < EXACT
