"""The end of a line without the way: the same solution as that of the path, or none."""

from __future__ import annotations

import numpy as np
import pytest
from estimators.samples import overlapping, random_weights
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.test_working_set import KERNEL, PROBLEMS, staircases, violation
from weightpath.engine import Options, follow, solve
from weightpath.engine.leap import leapt
from weightpath.engine.watch import watching
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase, tube_staircase

NARROW = ("closed tube", "tubes of many widths")


def both_ends(name, n=150, seed=0, share=0.3):
    """The same problem at two weightings, of which some are equal, and its kernel matrix."""
    X, y = overlapping(n)
    rng = np.random.default_rng(seed)
    before = random_weights(n)
    after = np.where(rng.random(n) < share, rng.uniform(0.2, 2.0, n), before)
    start, end = (staircases(X, y, weight)[name] for weight in (before, after))
    return KERNEL.columns(X), KERNEL.between(X, X), start, end


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("name", PROBLEMS)
def test_ends_where_the_path_ends(name, ridge):
    columns, K, start, end = both_ends(name)
    options = Options(ridge=ridge)
    state = solve(columns, start, options=options)
    found = leapt(columns, start, end, state, options)
    path = follow(columns, start, end, state, options)
    if found is None:
        # Without targets and levels nothing says what is large, and without a ridge the kernel
        # matrix is nearly singular: among very narrow tubes rows depend on the margin.
        assert end.residual_scale == 0.0 or (ridge == 0.0 and name in NARROW)
        return
    assert path.record.n_events > 0
    K = K + ridge * np.eye(len(K))
    assert violation(K, end, found.beta, found.bias) <= 1e-11 * end.residual_scale
    np.testing.assert_allclose(found.beta, path.state.beta, atol=1e-9 * end.knot_scale)
    assert abs(found.bias - path.state.bias) <= 1e-9
    assert sorted(found.margin) == sorted(path.state.margin)


def test_a_path_goes_on_from_a_leap():
    """With the factor that it has left, and back to where it began."""
    columns, K, start, end = both_ends("hinge")
    state = solve(columns, start)
    there = leapt(columns, start, end, state, Options())
    assert there is not None
    back = follow(columns, end, start, there)
    np.testing.assert_allclose(back.state.beta, state.beta, atol=1e-10)
    again = leapt(columns, start, end, back.state, Options())
    assert again is not None
    assert violation(K, end, again.beta, again.bias) <= 1e-11


def test_whoever_watches_sees_the_way():
    columns, _, start, end = both_ends("hinge")
    state = solve(columns, start)
    assert leapt(columns, start, end, state, Options(callback=lambda *_: None)) is None
    with watching(lambda *_: None):
        assert leapt(columns, start, end, state, Options()) is None


def test_other_residuals_are_left_to_paths():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), np.where(rng.random(3000) < 0.5, 1.0, -1.0)
    columns = Kernel("linear").columns(X)
    assert columns.features is not None
    start, end = (hinge_staircase(y, np.full(3000, c)) for c in (1e-3, 2e-3))
    assert leapt(columns, start, end, solve(columns, start), Options()) is None


def test_sets_that_do_not_settle_leave_nothing_behind():
    """A long way on noise: no answer is one, and a path from the same state is right."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), np.where(rng.random(200) < 0.5, 1.0, -1.0)
    K = Kernel("rbf", gamma=20.0)
    columns = K.columns(X)
    start, end = hinge_staircase(y, np.full(200, 1e-3)), hinge_staircase(y, np.full(200, 1e4))
    state = solve(columns, start)
    assert leapt(columns, start, end, state, Options()) is None
    arrived = follow(columns, start, end, state).state
    assert violation(K.between(X, X), end, arrived.beta, arrived.bias) <= 1e-9


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    p=st.integers(1, 4),
    whole=st.booleans(),
    kind=st.sampled_from(["hinge", "tube", "no tube"]),
    gamma=st.sampled_from([None, 0.01, 1.0]),
    size=st.sampled_from([1e-3, 1.0, 1e3]),
    gone=st.sampled_from([0.0, 0.3]),
)
def test_any_leap_is_a_solution(seed, n, p, whole, kind, gamma, size, gone):
    """Ties, duplicates, dependent rows, weights of zero that come and go: right, or no answer."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n, p)).astype(float) if whole else rng.normal(size=(n, p))
    kernel = Kernel("linear") if gamma is None else Kernel("rbf", gamma=gamma)
    columns, K = kernel.columns(X), kernel.between(X, X)
    weights = size * rng.uniform(0.1, 1.0, (2, n)) * (rng.random((2, n)) >= gone)
    weights[:, :2] = size
    if kind == "hinge":
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        start, end = (hinge_staircase(y, weight) for weight in weights)
    else:
        y, width = rng.normal(size=n), np.full(n, 0.0 if kind == "no tube" else 0.3)
        start, end = (tube_staircase(y, weight, width) for weight in weights)
    state = solve(columns, start)
    found = leapt(columns, start, end, state, Options())
    if found is None:
        return
    floor = 64 * np.finfo(float).eps * (np.abs(K) @ np.abs(found.beta)).max()
    assert violation(K, end, found.beta, found.bias) <= 1e-9 * end.residual_scale + floor
    assert abs(found.beta.sum()) <= 1e-12 * np.abs(found.beta).sum()
