"""Large margins: most rows sleep, and directions are updated; paths are optimal everywhere."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from engine.acceptance import judged_everywhere
from engine.walks import Leg, walk
from judges.cases import kernel_matrix
from weightpath.datasets import make_toy
from weightpath.engine import Options, follow, solve
from weightpath.kernels import Kernel
from weightpath.problems import Staircase, hinge_staircase, tube_staircase

EXACT = 1e-9

# Also where the margin is so small that looking at all rows would take no longer.
ASLEEP = Options(sleep=True)


def classification(n):
    X, y = make_classification(n, 20, n_informative=8, flip_y=0.1, random_state=3)
    K = kernel_matrix(X, "rbf", gamma=1.0 / (20 * X.var()))
    return K, np.where(y == 1, 1.0, -1.0)


def regression(n):
    X, y = make_friedman1(n, noise=1.0, random_state=3)
    return kernel_matrix(X, "rbf", gamma=1.0 / (10 * X.var())), y


def largest_margin(leg):
    return int(np.diff(leg.trace.record.offset).max())


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_all_weights_move(C):
    K, sign = classification(700)
    rng = np.random.default_rng(0)
    weights = [C * rng.uniform(0.5, 1.5, len(sign)) for _ in range(3)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights], ASLEEP):
        assert largest_margin(leg) > 100
        assert judged_everywhere(leg) < EXACT


def test_few_weights_move():
    K, sign = classification(700)
    weight = np.ones(len(sign))
    other = weight.copy()
    other[::50] = [0.0, 3.0] * 7
    for leg in walk(K, [hinge_staircase(sign, w) for w in (weight, other, weight)], ASLEEP):
        assert largest_margin(leg) > 100
        assert judged_everywhere(leg) < EXACT


def test_targets_and_tubes_move():
    """Levels and targets of sleepers come closer on their own."""
    K, y = regression(600)
    rng = np.random.default_rng(1)
    weight = np.full(len(y), 10.0)
    visited = [(y, 1.0), (y + rng.normal(0.0, 1.0, len(y)), 0.3), (y, 2.0)]
    stairs = [tube_staircase(target, weight, epsilon) for target, epsilon in visited]
    for leg in walk(K, stairs, ASLEEP):
        assert largest_margin(leg) > 100
        assert judged_everywhere(leg) < EXACT


@pytest.mark.parametrize("C", [1.0, 30.0])
def test_without_a_bias(C):
    """Landmarks without an origin."""
    K, sign = classification(600)
    rng = np.random.default_rng(2)
    stairs = [hinge_staircase(sign, C * rng.uniform(0.3, 1.7, len(sign))) for _ in range(3)]
    stairs = [
        Staircase(stair.target, stair.knots, stair.levels, 0.0, has_bias=False) for stair in stairs
    ]
    for leg in walk(K, stairs, ASLEEP):
        assert largest_margin(leg) > 100
        assert len(leg.part.theta) > 40
        assert judged_everywhere(leg) < EXACT


def test_most_members_leave():
    """Landmarks leave the margin one after the other, and others are taken."""
    K, sign = classification(700)
    weights = [np.full(len(sign), C) for C in (1.0, 300.0, 1.0)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights], ASLEEP):
        record = leg.trace.record
        first, last = (set(record.member[record.offset[s] : record.offset[s + 1]]) for s in (0, -2))
        assert len(first & last) < 0.7 * min(len(first), len(last))
        assert judged_everywhere(leg) < EXACT


@pytest.mark.parametrize("seed", [0, 4, 13, 18, 25, 28, 31])
def test_a_ridge(seed):
    """What members add to their own residuals is not in their columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(420, 22))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    K = kernel_matrix(X, "rbf", gamma=rng.choice([0.02, 0.05, 0.2]))
    ridge = rng.choice([1e-3, 1e-2])
    stairs = [
        tube_staircase(y + rng.normal(0.0, 0.3, len(y)), 4.0 * rng.uniform(0.5, 1.5, len(y)), tube)
        for tube in (0.5, 0.1, 0.5)
    ]
    for leg in walk(K, stairs, Options(ridge=ridge, sleep=True)):
        ridged = Leg(K + ridge * np.eye(len(K)), leg.start, leg.end, leg.before, leg.trace)
        assert largest_margin(leg) > 100
        assert judged_everywhere(ridged) < EXACT


def test_a_margin_that_grows_and_shrinks():
    """Few members, many, few again: rows fall asleep on the way and wake up."""
    K, sign = classification(600)
    weights = [np.full(len(sign), C) for C in (1e-3, 30.0, 1e-3)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights], ASLEEP):
        sizes = np.diff(leg.part.record.offset)
        assert sizes.min() < 32 < 100 < sizes.max()
        assert judged_everywhere(leg) < EXACT


# Small margins: rows sleep where there are many of them, and what moves them is only noted.


def clouds(n, seed=0):
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.normal(0.0, 0.3, (n, 2)) + 0.15 * sign[:, None], sign


@pytest.mark.parametrize(
    ("offset", "gamma", "most"), [(0.0, 0.5, 16), (1e3, 0.5, 16), (0.0, 4.0, 64)]
)
def test_all_weights_move_with_a_small_margin(offset, gamma, most):
    """With the last one margins become large and small again."""
    X, sign = clouds(1200)
    K = kernel_matrix(X + offset, "rbf", gamma=gamma)
    weights = [np.random.default_rng(k).choice([0.0, 10.0], len(sign)) for k in range(3)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights]):
        assert largest_margin(leg) < most
        assert len(leg.part.theta) > 150
        assert judged_everywhere(leg) < EXACT


def test_targets_and_tubes_move_with_a_small_margin():
    rng = np.random.default_rng(5)
    X = rng.normal(0.0, 1.0, (1200, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(0.0, 0.5, 1200)
    K = kernel_matrix(X, "linear")
    weight = np.full(len(y), 0.1)
    visited = [(y, 0.5), (y + rng.normal(0.0, 0.3, len(y)), 0.2), (y, 1.0)]
    for leg in walk(K, [tube_staircase(target, weight, epsilon) for target, epsilon in visited]):
        assert largest_margin(leg) < 32
        assert len(leg.part.theta) > 300
        assert judged_everywhere(leg) < EXACT


def test_equal_rows_with_a_small_margin():
    """Every row stands three times: ties, rows that depend on the margin, exchanges."""
    X, sign = clouds(400, seed=1)
    X, sign = np.tile(X, (3, 1)), np.tile(sign, 3)
    K = kernel_matrix(X, "rbf", gamma=0.5)
    weights = [np.random.default_rng(k).integers(0, 3, len(sign)) * 0.5 for k in range(3)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights]):
        assert largest_margin(leg) < 32
        assert judged_everywhere(leg) < EXACT


def test_a_small_margin_with_a_ridge():
    X, sign = clouds(1200, seed=2)
    K = kernel_matrix(X, "rbf", gamma=0.5)
    rng = np.random.default_rng(3)
    options = Options(ridge=1e-3)
    weights = [rng.uniform(0.2, 2.0, len(sign)) for _ in range(2)]
    for leg in walk(K, [hinge_staircase(sign, w) for w in weights], options):
        ridged = Leg(K + 1e-3 * np.eye(len(K)), leg.start, leg.end, leg.before, leg.trace)
        assert judged_everywhere(ridged) < EXACT


def test_no_column_stays_pinned():
    """Columns that were noted are free again where a path ends, and where it is interrupted."""
    toy = make_toy(1600, random_state=0)
    sign = np.where(toy.y == toy.y.max(), 1.0, -1.0)
    # Room for some hundred columns: what is held beyond that is pinned.
    columns = Kernel("rbf", gamma=toy.gamma).columns(toy.X, 2.0)
    start, end = (hinge_staircase(sign, toy.C * w) for w in (toy.w_old, toy.w_new))
    state = solve(columns, start)

    def interrupt(theta, n_events, size):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        follow(columns, start, end, state, Options(callback=interrupt))
    assert columns.n_bytes <= 2e6
    trace = follow(columns, start, end, state)
    assert trace.counts["n_events"] > 1000
    assert np.diff(trace.record.offset).max() < 32
    assert columns.n_bytes <= 2e6


def test_almost_all_rows_on_the_margin():
    K, y = regression(320)
    K[np.diag_indices_from(K)] += 0.1
    few = np.array([3, 100, 319])
    weights = [np.full(320, 1e5) for _ in range(5)]
    # Some rows are at their bounds, where they stay, or which they leave and come back to.
    for weight, bound in zip(weights, (0.1, 0.2, 40.0, 0.1, 0.2), strict=True):
        weight[few] = bound
        weight[few[0]] = 0.05
    weights[4][few[2]] = 0.3
    sizes, events = [], 0
    for leg in walk(K, [tube_staircase(y, w, 0.01) for w in weights]):
        sizes += np.diff(leg.trace.record.offset).tolist()
        events += leg.trace.record.n_events
        assert judged_everywhere(leg) < EXACT
    assert min(sizes) >= 315 and max(sizes) == 319
    assert events >= 4


def test_without_sleep_all_rows_are_looked_at():
    toy = make_toy(2000, random_state=1)
    start, end = hinge_staircase(toy.y, toy.C_old), hinge_staircase(toy.y, toy.C_new)
    columns = Kernel("rbf", gamma=toy.gamma).columns(toy.X, 40.0)
    state = solve(columns, start)
    asleep = follow(columns, start, end, state, Options())
    awake = follow(columns, start, end, state, Options(sleep=False))
    assert awake.counts["rows_touched"] >= 2000 * awake.counts["n_events"]
    assert asleep.counts["rows_touched"] < 0.5 * awake.counts["rows_touched"]
    np.testing.assert_array_equal(asleep.record.event_index, awake.record.event_index)
    np.testing.assert_allclose(asleep.record.event_theta, awake.record.event_theta, atol=1e-7)
