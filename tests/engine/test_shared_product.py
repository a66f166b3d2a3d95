"""Legs of one path share a product with the kernel matrix; inner ones are verified at some rows."""

from itertools import pairwise

import numpy as np
import pytest

from engine.acceptance import judged_everywhere
from engine.walks import columns_of, walk
from judges.cases import kernel_matrix
from weightpath.engine import COMPLETE, Options, follow, solve
from weightpath.engine.follow import _Walk
from weightpath.engine.leg import LegRunner
from weightpath.engine.legs import are_alike, legs_of
from weightpath.engine.line_product import LineProduct
from weightpath.errors import PathError
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase
from weightpath.problems.position import at_knot, free_in


def window(n=150, cost=1e4, leaving=6, seed=0, ties=False):
    """Return a kernel matrix and two problems: some rows lose all their weight, others gain it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if ties:
        X = np.round(X)
    sign = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    weight = cost * np.exp(-3.0 * np.arange(n)[::-1] / n)
    start, end = weight.copy(), 0.98 * weight
    start[-leaving:], end[:leaving] = 0.0, 0.0
    problems = [hinge_staircase(sign, one) for one in (start, end)]
    return X, kernel_matrix(X, "rbf", gamma=0.05), problems


def edges_of(K, start, end):
    return legs_of(start, end, np.diag(K), 0.0)


@pytest.mark.parametrize("cost", [1e3, 1e6, 1e9])
def test_the_product_is_that_of_every_leg(cost):
    _, K, (start, end) = window(cost=cost)
    edges = edges_of(K, start, end)
    assert len(edges) > 2
    product = LineProduct(columns_of(K), start, end)
    rng = np.random.default_rng(1)
    position = rng.choice([at_knot(0), at_knot(1), free_in(1)], len(start)).astype(np.int32)
    for left, right in pairwise(edges):
        # A few rows go elsewhere on every leg, and once many.
        many = len(start) if left[0] < 0.5 < right[0] else 3
        moved = rng.choice(len(start), many, replace=False)
        position[moved] = rng.choice([at_knot(0), at_knot(1), free_in(1)], many)
        here, there = (start.between(end, *edge) for edge in (left, right))
        speed = np.zeros(len(start))
        for i in np.flatnonzero(position & 1):
            speed[i] = there.knots[i, position[i] // 2] - here.knots[i, position[i] // 2]
        found = product.on_leg(left, right)(position)
        rounding = 8 * np.finfo(float).eps * (np.abs(K) @ np.abs(start.knots).max(axis=1))
        assert (np.abs(found - K @ speed) <= rounding).all()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("cost", [1e2, 1e4, 1e6])
def test_a_window_that_slides_is_optimal_everywhere(cost, ties):
    _, K, problems = window(cost=cost, ties=ties)
    assert are_alike(*problems) and len(edges_of(K, *problems)) > (2 if cost > 1e2 else 1)
    for leg in walk(K, [*problems, problems[0]]):
        assert leg.trace.status == COMPLETE
        assert judged_everywhere(leg) < 1e-8


def careful(monkeypatch):
    """Let every leg be followed with care."""
    plain = _Walk.follow
    monkeypatch.setattr(
        _Walk, "follow", lambda self, edges, state, lightly: plain(self, edges, state, False)
    )


def computed(cost):
    """Return how many columns a path over several legs computes, where few can be held."""
    X, K, (start, end) = window(n=600, cost=cost)
    assert len(edges_of(K, start, end)) > 3
    columns = Kernel("rbf", gamma=0.05).columns(X, 0.05)
    state = solve(columns, start, np.zeros(len(start)), 0.0, Options())
    before = columns.n_computed
    follow(columns, start, end, state)
    return columns.n_computed - before


def test_a_product_that_is_shared_is_made_once(monkeypatch):
    shared = computed(1e4)
    monkeypatch.setattr(_Walk, "share_product", lambda self: None)
    assert shared < 0.6 * computed(1e4)


def test_only_the_end_takes_a_product_to_be_verified(monkeypatch):
    """Of residuals that have lost most of their digits."""
    lightly = computed(1e6)
    careful(monkeypatch)
    assert lightly < 0.8 * computed(1e6)


@pytest.mark.parametrize("cost", [1e4, 1e6])
def test_care_finds_the_same(monkeypatch, cost):
    _, K, (start, end) = window(cost=cost)
    columns = columns_of(K)
    state = solve(columns, start, np.zeros(len(start)), 0.0, Options())
    light = follow(columns, start, end, state)
    careful(monkeypatch)
    care = follow(columns, start, end, state)
    np.testing.assert_array_equal(light.record.event_index, care.record.event_index)
    np.testing.assert_array_equal(light.state.position, care.state.position)
    np.testing.assert_allclose(K @ light.state.beta, K @ care.state.beta, rtol=0, atol=1e-7)


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_a_wrong_end_is_followed_again_with_care(monkeypatch, wrong):
    """Whichever leg is found wrong, the path begins anew at its start."""
    _, K, (start, end) = window()
    columns = columns_of(K)
    state = solve(columns, start, np.zeros(len(start)), 0.0, Options())
    right = follow(columns, start, end, state)
    plain, finished = LegRunner.finish, []

    def finish(self, result, loop):
        found = plain(self, result, loop)
        finished.append(self.goes_on)
        return found._replace(violation=1.0) if len(finished) == wrong + 1 else found

    monkeypatch.setattr(LegRunner, "finish", finish)
    found = follow(columns, start, end, state)
    assert finished[: wrong + 1] == [True, True, False][: wrong + 1]
    assert finished[wrong + 1 :] == [False, False, False]
    assert found.counts["followed again"] == 1
    np.testing.assert_array_equal(found.record.event_index, right.record.event_index)
    np.testing.assert_allclose(K @ found.state.beta, K @ right.state.beta, rtol=0, atol=1e-8)


def test_an_error_that_is_true_is_raised(monkeypatch):
    _, K, (start, end) = window()
    columns = columns_of(K)
    state = solve(columns, start, np.zeros(len(start)), 0.0, Options())
    tries = []

    def fail(self, result, loop):
        tries.append(self.goes_on)
        raise PathError("There is no way.")

    monkeypatch.setattr(LegRunner, "finish", fail)
    with pytest.raises(PathError, match="no way"):
        follow(columns, start, end, state)
    assert tries == [True, False]


def test_scales_that_differ_are_followed_with_care():
    _, _, (start, _) = window()
    small = hinge_staircase(np.ones(len(start)), np.full(len(start), 1.0))
    assert not are_alike(start, small) and not are_alike(small, start)
    zero = hinge_staircase(np.ones(len(start)), np.zeros(len(start)))
    assert not are_alike(start, zero) and not are_alike(zero, start)
