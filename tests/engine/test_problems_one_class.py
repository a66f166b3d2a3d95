"""One-class problems on the digits: weights and nu move, alone and together."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.svm import OneClassSVM

from engine.acceptance import KERNELS, agrees_with_clarabel, check_round_trip, matrix
from engine.walks import walk
from weightpath.problems import one_class_staircase

# Part of the largest value: LIBSVM keeps the kernel in single precision.
LIBSVM = 1e-4


def digits(which="all", n=300):
    """Return pixels from 0 to 1 of digits at random, of one class, or of some of them twice.

    They are not centred: a linear kernel would have nothing to separate from the origin.
    """
    X, y = datasets.load_digits(return_X_y=True)
    X = X / 16.0
    if which == "zeros":
        return X[y == 0]
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    return X[rows] if which == "all" else X[np.tile(rows[: n // 2], 2)]


def problems(weights, nus):
    return [one_class_staircase(w, nu) for w, nu in zip(weights, nus, strict=True)]


@pytest.mark.parametrize("which", ["all", "zeros", "twice"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_moving_nu(kernel, which):
    X = digits(which)
    ones = np.ones(len(X))
    check_round_trip(matrix(X, kernel), problems([ones] * 4, (0.05, 0.9, 0.5 / len(X), 1.0)))


@pytest.mark.parametrize("which", ["all", "zeros", "twice"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_moving_weights(kernel, which):
    X = digits(which)
    rng = np.random.default_rng(1)
    weights = [rng.lognormal(size=len(X)) for _ in range(2)]
    weights += [(rng.uniform(size=len(X)) < 0.6).astype(float), np.ones(len(X))]
    check_round_trip(matrix(X, kernel), problems(weights, [0.3] * 4))


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_and_nu_together(kernel):
    X = digits()
    rng = np.random.default_rng(2)
    weights = [rng.lognormal(size=len(X)) for _ in range(3)]
    check_round_trip(matrix(X, kernel), problems(weights, (0.1, 0.5, 0.02)))


@pytest.mark.parametrize("kernel", KERNELS)
def test_part_outside_is_nu(kernel):
    """The weight at its bound is at most nu of all, with the margin at least."""
    X = digits()
    rng = np.random.default_rng(3)
    weights = [rng.lognormal(size=len(X)) for _ in range(2)]
    (leg,) = walk(matrix(X, kernel), problems(weights, (0.1, 0.5)))
    for theta in (0.0, 0.4, 1.0):
        stair = leg.start.between(leg.end, theta)
        weight, position = stair.knots[:, 1], leg.part.position(theta)
        assert weight[position == 3].sum() <= stair.total + 1e-9
        assert weight[position >= 2].sum() >= stair.total - 1e-9


@pytest.mark.parametrize("kernel", KERNELS)
def test_interior_point(kernel):
    X = digits(n=120)
    rng = np.random.default_rng(4)
    weights = [rng.lognormal(size=len(X)) for _ in range(2)]
    (leg,) = walk(matrix(X, kernel), problems(weights, (0.1, 0.5)))
    for theta in rng.uniform(size=2):
        assert agrees_with_clarabel(leg, float(theta))


@pytest.mark.parametrize("kernel", ["rbf1", "rbf0.1"])
def test_libsvm(kernel):
    X = digits()
    K = matrix(X, kernel)
    rng = np.random.default_rng(5)
    weights = [rng.lognormal(size=len(X)) for _ in range(2)]
    (leg,) = walk(K, problems(weights, (0.3, 0.3)))
    theta = float(rng.uniform())
    machine = OneClassSVM(kernel="precomputed", nu=0.3, tol=1e-8)
    machine.fit(K, sample_weight=leg.start.between(leg.end, theta).knots[:, 1].copy())
    ours = leg.values(theta) + leg.settled.bias(theta)
    assert np.abs(ours - machine.decision_function(K)).max() <= LIBSVM * leg.values(theta).max()
