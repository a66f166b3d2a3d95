"""Very many rows in the plane: columns have values at awake rows only, and paths are the same."""

import numpy as np
import pytest

import weightpath as wp
from judges import optimality
from judges.cases import kernel_matrix
from weightpath.engine import Options, follow, solve
from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading
from weightpath.problems import hinge_staircase, tube_staircase

# As few rows as possible, of a kernel so wide that they lie in few boxes.
N = 4200
GAMMA = 0.02
RBF = Kernel("rbf", gamma=GAMMA)
EXACT = 1e-9


def rows_and_wave(n_features, seed=5):
    rng = np.random.default_rng(seed)
    X = rng.random((N, n_features))
    return X, np.sin(4.0 * X[:, 0]) + 0.3 * rng.standard_normal(N)


def half_to_all(wave):
    """Half of the rows count; in the end all do."""
    sign = np.where(wave > 0.0, 1.0, -1.0)
    weight = np.random.default_rng(0).uniform(5.0, 15.0, N)
    return hinge_staircase(sign, weight * (np.arange(N) % 2)), hinge_staircase(sign, weight)


def assert_sleep_changes_nothing(X, start, end, ridge=0.0):
    """Follow with sleepers and without them, and judge the path where they sleep."""
    columns = RBF.columns(X, 10.0)
    state = solve(columns, start, options=Options(ridge=ridge))
    asleep = follow(columns, start, end, state, Options(ridge=ridge))
    awake = follow(RBF.columns(X, 10.0), start, end, state, Options(ridge=ridge, sleep=False))
    assert asleep.counts["rows_touched"] < 0.8 * awake.counts["rows_touched"]
    assert asleep.record.n_events > 100
    np.testing.assert_array_equal(asleep.record.event_index, awake.record.event_index)
    np.testing.assert_allclose(asleep.record.event_theta, awake.record.event_theta, atol=1e-7)
    assert judged(X, start, end, asleep.record, ridge) < EXACT
    # What is kept of columns is whole.
    for i in np.unique(asleep.record.event_index)[::7]:
        np.testing.assert_array_equal(columns.column(i), RBF.columns(X, 1.0).column(i))


def judged(X, start, end, record, ridge):
    K = kernel_matrix(X, "rbf", gamma=GAMMA)
    K[np.diag_indices_from(K)] += ridge
    part = PathPart(RBF, X, None, start, end, record, Reading("svc", np.ones(N)), True)
    worst = 0.0
    for theta in (0.29, 0.77, 1.0):
        found = optimality.violation(
            K, start.between(end, theta), part.beta(theta), part.bias(theta)
        )
        worst = max(worst, found.worst - found.noise)
    return worst


@pytest.mark.parametrize("n_features", [1, 2])
def test_weights_move(n_features):
    X, wave = rows_and_wave(n_features)
    assert_sleep_changes_nothing(X, *half_to_all(wave))


def test_a_ridge_is_felt_by_members_alone():
    X, wave = rows_and_wave(2)
    assert_sleep_changes_nothing(X, *half_to_all(wave), ridge=1e-3)


def test_targets_and_levels_move():
    X, wave = rows_and_wave(2)
    rng = np.random.default_rng(2)
    weight = rng.uniform(0.5, 2.0, N)
    start = tube_staircase(wave, weight, 0.1)
    end = tube_staircase(wave + 0.1 * rng.standard_normal(N), weight, 0.3)
    assert_sleep_changes_nothing(X, start, end)


def test_equal_rows_and_rows_without_weight():
    """Ties: the events may differ, the solutions do not."""
    X, wave = rows_and_wave(2)
    X, wave = np.round(X, 2), np.round(wave, 1)
    sign = np.where(wave > 0.0, 1.0, -1.0)
    rng = np.random.default_rng(3)
    weights = [rng.integers(0, 4, N).astype(float) for _ in range(2)]
    start, end = (hinge_staircase(sign, weight) for weight in weights)
    columns = RBF.columns(X, 10.0)
    trace = follow(columns, start, end, solve(columns, start), Options())
    assert trace.record.n_events > 100
    assert judged(X, start, end, trace.record, 0.0) < EXACT


def test_branches_from_one_solution():
    """A branch ends while rows sleep, and asks for whole columns of the rows that moved."""
    X, wave = rows_and_wave(2)
    y = np.where(wave > 0.0, 1, -1)
    half = np.arange(N) % 2.0
    weights = np.stack([np.ones(N), np.where(np.arange(N) % 3, half, 1.0)])
    model = wp.SVC(C=10.0, gamma=GAMMA, cache_size=10).fit(X, y, sample_weight=half)
    many = wp.follow_many(model, weights, X=X[:50])
    for k, weight in enumerate(weights):
        alone = wp.SVC(C=10.0, gamma=GAMMA, cache_size=10).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(
            many.decision_values[k], alone.decision_function(X[:50]), rtol=0.0, atol=1e-8
        )
