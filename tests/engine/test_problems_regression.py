"""Regression with tubes on the diabetes data: all its paths are optimal everywhere."""

import numpy as np
import pytest
from sklearn.svm import SVR

from engine.acceptance import (
    KERNELS,
    agrees_with_clarabel,
    check_round_trip,
    diabetes,
    matrix,
    twice,
)
from engine.budgets import within_budget
from engine.walks import columns_of, walk
from weightpath.engine import solve
from weightpath.problems import tube_sets, tube_staircase

# Part of the largest value: LIBSVM keeps the kernel in single precision.
LIBSVM = 1e-4

TUBES = {
    "zero": (0.0, False),
    "merged": (0.0, True),
    "narrow": (0.05, False),
    "wide": (10.0, False),
}


def tube(y, weight, epsilon, merged=False):
    """Return a staircase with one weight and one epsilon for all rows, or one for each."""
    everyone = np.ones(len(y), dtype=bool) if merged else None
    return tube_staircase(y, np.broadcast_to(weight, y.shape), epsilon, everyone)


@pytest.mark.parametrize("width", TUBES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_growing_weights(kernel, width):
    X, y = diabetes()
    visited = [tube(y, C, *TUBES[width]) for C in (1e-2, 1.0, 1e4)]
    check_round_trip(matrix(X, kernel), visited)


@pytest.mark.parametrize("width", TUBES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_random_weights(kernel, width):
    X, y = diabetes()
    rng = np.random.default_rng(0)
    weights = [10.0 * rng.lognormal(size=len(y)) for _ in range(2)]
    weights += [np.where(rng.uniform(size=len(y)) < 0.3, 0.0, 10.0)]
    check_round_trip(matrix(X, kernel), [tube(y, w, *TUBES[width]) for w in weights])


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("kernel", KERNELS)
def test_moving_epsilon(kernel, C):
    X, y = diabetes()
    check_round_trip(matrix(X, kernel), [tube(y, C, eps) for eps in (10.0, 0.0, 5.0)])


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("kernel", KERNELS)
def test_moving_targets(kernel, C):
    X, y = diabetes()
    shuffled = y[np.random.default_rng(1).permutation(len(y))]
    visited = [tube(t, C, 5.0) for t in (y, shuffled, np.full(len(y), 100.0))]
    check_round_trip(matrix(X, kernel), visited)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("kernel", KERNELS)
def test_everything_moves_at_once(kernel, merged):
    X, y = diabetes(200)
    rng = np.random.default_rng(2)
    visited = []
    for _ in range(3):
        epsilon = rng.choice([0.0, 0.05, 5.0], len(y))
        if merged:
            epsilon[:100] = 0.0
        rows = np.arange(len(y)) < 100 if merged else None
        target = y + 30.0 * rng.normal(size=len(y))
        visited.append(tube_staircase(target, rng.lognormal(2.0, 1.5, len(y)), epsilon, rows))
    check_round_trip(matrix(X, kernel), visited)


@pytest.mark.parametrize("width", TUBES)
@pytest.mark.parametrize("kernel", ["linear", "rbf1"])
def test_duplicated_rows(kernel, width):
    X, y = twice(*diabetes(), 150)
    K = matrix(X, kernel)
    rng = np.random.default_rng(3)
    some = np.where(rng.uniform(size=len(y)) < 0.7, 10.0, 0.0)
    check_round_trip(K, [tube(y, w, *TUBES[width]) for w in (1e-2, 1e4, some, 10.0)])
    check_round_trip(K, [tube(t, 10.0, *TUBES[width]) for t in (y, y[::-1])])


@pytest.mark.parametrize("kernel", KERNELS)
def test_duplicated_rows_and_moving_epsilon(kernel):
    X, y = twice(*diabetes(), 150)
    check_round_trip(matrix(X, kernel), [tube(y, 10.0, eps) for eps in (10.0, 0.0, 5.0)])


@pytest.mark.parametrize("constant", [0.0, 100.0])
@pytest.mark.parametrize("width", TUBES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_targets(kernel, width, constant):
    X, y = diabetes(200)
    K, target = matrix(X, kernel), np.full(200, constant)
    none = constant == 0.0
    steps = [tube(target, C, *TUBES[width]) for C in (1e-2, 1e4)]
    legs = check_round_trip(K, steps, vanishing=none)
    # The constant function fits: the kernel has nothing to add.
    for leg in legs:
        assert within_budget(np.abs(leg.values(0.5)).max() / leg.scale)
    check_round_trip(K, [tube(t, 10.0, 5.0) for t in (target, y, target)], vanishing=none)
    merged = [tube(t, 10.0, 0.0, merged=True) for t in (target, y, target)]
    check_round_trip(K, merged, vanishing=none)


@pytest.mark.parametrize("kernel", KERNELS)
def test_both_forms_of_a_zero_tube_are_the_same(kernel):
    X, y = diabetes(200)
    K = matrix(X, kernel)
    rng = np.random.default_rng(4)
    weights = [rng.lognormal(size=200) for _ in range(2)]
    (plain,) = walk(K, [tube(y, w, 0.0) for w in weights])
    (merged,) = walk(K, [tube(y, w, 0.0, merged=True) for w in weights])
    for theta in rng.uniform(size=5):
        gap = np.abs(plain.values(theta) - merged.values(theta)).max()
        assert within_budget(gap / plain.scale)
    # Passing through the knot without height costs events that the merged form does not have.
    assert merged.trace.record.n_events <= plain.trace.record.n_events


def test_a_merged_row_is_never_inside():
    X, y = diabetes(100)
    (leg,) = walk(matrix(X, "rbf1"), [tube(y, C, 0.0, merged=True) for C in (1.0, 100.0)])
    for theta in (0.0, 0.5, 1.0):
        sets = tube_sets(np.zeros(100), leg.part.position(theta))
        assert set(sets) <= {0, 1}
        free = np.abs(leg.part.beta(theta)) < leg.part.knots(theta)[:, 2]
        assert np.array_equal(sets == 1, free)


@pytest.mark.parametrize("width", TUBES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_interior_point(kernel, width):
    X, y = diabetes(120)
    rng = np.random.default_rng(5)
    weights = [10.0 * rng.lognormal(size=120) for _ in range(2)]
    (leg,) = walk(matrix(X, kernel), [tube(y, w, *TUBES[width]) for w in weights])
    for theta in rng.uniform(size=2):
        assert agrees_with_clarabel(leg, float(theta))


@pytest.mark.parametrize("width", ["zero", "merged", "wide"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_libsvm(kernel, width):
    X, y = diabetes()
    K = matrix(X, kernel)
    rng = np.random.default_rng(6)
    weights = [rng.lognormal(size=len(y)) for _ in range(2)]
    (leg,) = walk(K, [tube(y, w, *TUBES[width]) for w in weights])
    theta = float(rng.uniform())
    machine = SVR(kernel="precomputed", C=1.0, epsilon=TUBES[width][0], tol=1e-6)
    machine.fit(K, y, sample_weight=(1.0 - theta) * weights[0] + theta * weights[1])
    ours = leg.values(theta) + leg.settled.bias(theta)
    assert np.abs(ours - machine.predict(K)).max() <= LIBSVM * np.abs(ours).max()


def test_zero_tube_from_another_start():
    """Duplicates under a smooth kernel: begin with the merged problem, then both forms agree."""
    X, y = twice(*diabetes(), 150)
    columns = columns_of(matrix(X, "rbf0.1"))
    for C in (1e-2, 1.0, 1e2, 1e4):
        merged = solve(columns, tube(y, C, 0.0, merged=True))
        plain = solve(columns, tube(y, C, 0.0), merged.beta, merged.bias)
        gap = columns.product(merged.beta) - columns.product(plain.beta)
        assert within_budget(np.abs(gap).max() / np.abs(y).max())
