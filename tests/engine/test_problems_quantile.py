"""Quantile regression on the diabetes data."""

import numpy as np
import pytest

from engine.acceptance import (
    KERNELS,
    agrees_with_clarabel,
    check_round_trip,
    diabetes,
    matrix,
    twice,
)
from engine.budgets import within_budget
from engine.walks import walk
from weightpath.problems import pinball_staircase


def pinball(y, weight, quantile):
    return pinball_staircase(y, np.broadcast_to(weight, y.shape), quantile)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("kernel", KERNELS)
def test_moving_quantile(kernel, C):
    X, y = diabetes()
    check_round_trip(matrix(X, kernel), [pinball(y, C, q) for q in (0.05, 0.5, 0.95)])


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_targets_and_quantile_together(kernel):
    X, y = diabetes()
    rng = np.random.default_rng(0)
    visited = [
        pinball(y + 20.0 * rng.normal(size=len(y)), rng.lognormal(1.0, 1.5, len(y)), quantile)
        for quantile in (0.1, 0.8, 0.3)
    ]
    check_round_trip(matrix(X, kernel), visited)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_over_six_orders(kernel):
    X, y = diabetes()
    visited = [pinball(y, C, 0.9) for C in (1e-2, 1e4)]
    check_round_trip(matrix(X, kernel), visited)


@pytest.mark.parametrize("kernel", ["linear", "rbf1"])
def test_duplicated_rows(kernel):
    X, y = twice(*diabetes(), 150)
    rng = np.random.default_rng(1)
    some = np.where(rng.uniform(size=len(y)) < 0.7, 10.0, 0.0)
    visited = [pinball(y, w, q) for w, q in ((10.0, 0.05), (10.0, 0.95), (some, 0.5), (10.0, 0.5))]
    check_round_trip(matrix(X, kernel), visited)


@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_targets(kernel):
    X, _ = diabetes(200)
    visited = [pinball(np.full(200, 100.0), 10.0, q) for q in (0.05, 0.95)]
    for leg in check_round_trip(matrix(X, kernel), visited):
        assert within_budget(np.abs(leg.values(0.5)).max() / leg.scale)


@pytest.mark.parametrize("kernel", KERNELS)
def test_part_of_the_targets_below_is_the_quantile(kernel):
    """The sum constraint: at most that part lies below, and with the fitted points at least."""
    X, y = diabetes()
    (leg,) = walk(matrix(X, kernel), [pinball(y, 10.0, q) for q in (0.05, 0.95)])
    for theta in (0.0, 0.3, 0.7, 1.0):
        quantile = 0.05 + 0.9 * theta
        # At the first knot the residual is negative or zero, at the second positive or zero.
        position = leg.part.position(theta)
        assert np.mean(position == 1) <= quantile + 1e-9
        assert np.mean(position <= 2) >= quantile - 1e-9


@pytest.mark.parametrize("kernel", KERNELS)
def test_interior_point(kernel):
    X, y = diabetes(120)
    rng = np.random.default_rng(2)
    visited = [pinball(y, 10.0 * rng.lognormal(size=120), q) for q in (0.05, 0.95)]
    (leg,) = walk(matrix(X, kernel), visited)
    for theta in rng.uniform(size=2):
        assert agrees_with_clarabel(leg, float(theta))
