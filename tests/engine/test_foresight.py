"""Changes of a large margin that are worked out together: sparse rows and linear kernels."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, vstack

from judges.optimality import violation
from weightpath.engine import Options, follow, solve
from weightpath.kernels import Kernel, StoredColumns
from weightpath.problems import hinge_staircase, tube_staircase
from weightpath.problems.position import is_at_knot, knot_of

N, P = 500, 2500


def texts(seed, n=N):
    """A few words in each row, the first of them frequent, and a noisy label."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, P + 1) ** 0.9
    word = rng.choice(P, size=12 * n, p=share / share.sum())
    X = csr_matrix((np.ones(12 * n), (np.repeat(np.arange(n), 12), word)), shape=(n, P))
    X = csr_matrix(X / np.sqrt(12.0))
    y = np.where(X @ rng.normal(size=P) + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    return X, y, rng


def matrix(X):
    return np.ascontiguousarray((X @ X.T).toarray())


def both(X, start, end, options=None):
    """The same path with products by way of the words, and with a stored matrix."""
    options = Options() if options is None else options
    traces = []
    for columns in (Kernel("linear").columns(X), StoredColumns(matrix(X))):
        traces.append(follow(columns, start, end, solve(columns, start, options=options), options))
    return traces


def assert_same(quick, plain):
    np.testing.assert_array_equal(quick.record.event_index, plain.record.event_index)
    np.testing.assert_array_equal(quick.record.event_to, plain.record.event_to)
    np.testing.assert_allclose(quick.record.event_theta, plain.record.event_theta, atol=1e-8)
    np.testing.assert_allclose(quick.state.beta, plain.state.beta, atol=1e-8)
    np.testing.assert_allclose(quick.state.residual, plain.state.residual, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_a_long_path_has_the_events_of_the_plain_loop(seed):
    X, y, rng = texts(seed)
    start = hinge_staircase(y, rng.uniform(0.2, 1.0, N))
    end = hinge_staircase(y, rng.uniform(0.2, 3.0, N))
    quick, plain = both(X, start, end)
    assert quick.counts["n_events"] > 150 and len(quick.state.margin) > 100
    assert_same(quick, plain)
    assert violation(matrix(X), end, quick.state.beta, quick.state.bias).worst < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_many_rows_removed(seed):
    X, y, rng = texts(10 + seed)
    gone = rng.random(N) < 0.2
    start = hinge_staircase(y, np.ones(N))
    quick, plain = both(X, start, hinge_staircase(y, np.where(gone, 0.0, 1.0)))
    assert quick.counts["n_events"] > 60
    assert_same(quick, plain)
    assert not quick.state.beta[gone].any()


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_there_and_back_again(ridge):
    # Rows that have left come back, and those that have entered leave.
    X, y, rng = texts(20)
    options = Options(ridge=ridge)
    start = hinge_staircase(y, np.ones(N))
    ends = [hinge_staircase(y, rng.uniform(0.3, 2.0, N)) for _ in range(3)]
    columns, stored = Kernel("linear").columns(X), StoredColumns(matrix(X))
    state = solve(columns, start, options=options)
    for here, there in zip([start, *ends], [*ends, start], strict=True):
        quick = follow(columns, here, there, state, options)
        assert_same(quick, follow(stored, here, there, state, options))
        state = quick.state
    np.testing.assert_allclose(state.beta, solve(stored, start, options=options).beta, atol=1e-7)


def test_equal_rows_tie():
    # Events are not unique, but solutions are, as functions.
    X, y, rng = texts(30)
    X, y = csr_matrix(vstack([X, X[:200]])), np.append(y, y[:200])
    weight = rng.uniform(0.3, 1.5, N)
    start = hinge_staircase(y, np.ones(N + 200))
    end = hinge_staircase(y, np.append(weight, weight[:200]))
    quick, plain = both(X, start, end)
    K = matrix(X)
    assert violation(K, end, quick.state.beta, quick.state.bias).worst < 1e-9
    np.testing.assert_allclose(K @ quick.state.beta, K @ plain.state.beta, atol=1e-8)


def test_regression():
    X, _, rng = texts(40)
    target = X @ rng.normal(size=P) + 0.3 * rng.normal(size=N)
    start = tube_staircase(target, np.full(N, 0.3), np.full(N, 0.1))
    end = tube_staircase(target, rng.uniform(0.1, 1.0, N), np.full(N, 0.1))
    quick, plain = both(X, start, end)
    assert quick.counts["n_events"] > 150 and len(quick.state.margin) > 100
    assert_same(quick, plain)


def test_targets_that_move():
    X, _, rng = texts(50)
    target = X @ rng.normal(size=P) + 0.3 * rng.normal(size=N)
    start = tube_staircase(target, np.full(N, 0.5), np.full(N, 0.1))
    moved = tube_staircase(target + 0.3 * rng.normal(size=N), np.full(N, 0.5), np.full(N, 0.1))
    quick, plain = both(X, start, moved)
    assert quick.counts["n_events"] > 100
    assert_same(quick, plain)


def test_slopes_of_every_segment_solve_the_margin_system():
    # Most of them are updated, many times in a row, and some refined from what updates have led to.
    X, y, rng = texts(60)
    start = hinge_staircase(y, rng.uniform(0.2, 1.0, N))
    end = hinge_staircase(y, rng.uniform(0.2, 6.0, N))
    columns, K = Kernel("linear").columns(X), matrix(X)
    record = follow(columns, start, end, solve(columns, start)).record
    assert len(record.event_index) > 300
    knot_speed = end.knots - start.knots
    # Theta is rounded, and slopes lead over the length that a segment has then.
    rounding = 1e-10 + 4.0 * np.finfo(float).eps / np.diff(record.theta)
    for s in range(len(record.bias)):
        part = slice(record.offset[s], record.offset[s + 1])
        member, slope = record.member[part], record.slope[part]
        position = record.initial_position.copy()
        happened = record.event_count[s]
        position[record.event_index[:happened]] = record.event_to[:happened]
        speed = np.zeros(N)
        at_knot = is_at_knot(position)
        speed[at_knot] = knot_speed[at_knot, knot_of(position[at_knot])]
        speed[member] = slope
        moved = K[member] @ speed + record.bias_slope[s]
        np.testing.assert_allclose(moved, 0.0, atol=rounding[s] * np.abs(speed).max())
        assert abs(speed.sum()) <= rounding[s] * np.abs(speed).sum()


def test_more_rows_not_foreseen_than_there_is_room_for():
    # Hundreds of events: columns are forgotten and worked out anew, some in a panel alone.
    X, y, rng = texts(70)
    start = hinge_staircase(y, rng.uniform(0.05, 0.5, N))
    end = hinge_staircase(y, rng.uniform(1.0, 10.0, N))
    quick, plain = both(X, start, end)
    assert quick.counts["n_events"] > 300
    assert_same(quick, plain)
