from dataclasses import replace

import numpy as np
import pytest

from path.reference_paths import random_part, trace, two_points
from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading
from weightpath.record.record import Record
from weightpath.record.replay import Replay


def two_point_part(low=0.5, high=4.0):
    X, sign, K, _, _ = two_points(low, high)
    start, end, record, _ = trace(K, sign, np.full(2, low), np.full(2, high))[1]
    return PathPart(Kernel("linear"), X, None, start, end, record, Reading("svc", sign))


def test_two_points_in_closed_form():
    part = two_point_part()
    for theta in np.linspace(0.0, 1.0, 29):
        weight = 0.5 + 3.5 * theta
        size = min(weight, 2.0)
        np.testing.assert_allclose(part.beta(theta), [size, -size], atol=1e-14)
        assert part.bias(theta) == pytest.approx(0.0, abs=1e-14)
        np.testing.assert_allclose(part.weights(theta), weight)
        np.testing.assert_allclose(part.response(part.beta(theta)), [size / 2, -size / 2])
        # 1/2 beta'K beta is size^2 / 2, and each of the two points pays C (1 - size / 2).
        expected = size**2 / 2 + 2 * weight * (1 - size / 2)
        assert part.objective(theta) == pytest.approx(expected)
    assert part.largest_kkt_violation() < 1e-14
    assert part.theta[1] == pytest.approx(3 / 7)
    np.testing.assert_array_equal(part.position(0.1), [3, 1])
    np.testing.assert_array_equal(part.position(0.9), [2, 2])


def test_segment_is_the_right_one_at_a_breakpoint():
    part = random_part()
    for s in range(part.n_segments):
        assert part.segment(part.theta[s]) == s
        assert part.segment(np.nextafter(part.theta[s + 1], 0)) == s
    assert part.segment(1.0) == part.n_segments - 1


def test_ends_are_met_exactly():
    part = random_part()
    for theta, staircase in ((0.0, part.start), (1.0, part.end)):
        np.testing.assert_array_equal(part.knots(theta), staircase.knots)
        position, beta = part.position(theta), part.beta(theta)
        row = np.flatnonzero(position % 2 == 1)
        np.testing.assert_array_equal(beta[row], staircase.knots[row, position[row] // 2])


@pytest.mark.parametrize("seed", range(10))
def test_solution_is_optimal_and_continuous(seed):
    part = random_part(seed)
    assert part.largest_kkt_violation() < 1e-12
    for theta in part.theta[1:-1]:
        before, after = np.nextafter(theta, 0), theta
        np.testing.assert_allclose(part.beta(before), part.beta(after), atol=1e-12)


def test_replay_with_checkpoints():
    rng = np.random.default_rng(1)
    n_events, n_rows = 5000, 20
    position = np.ones(n_rows, dtype=int)
    index, origin, to, states = [], [], [], []
    for _ in range(n_events):
        row = rng.integers(n_rows)
        step = int(rng.choice([-1, 1])) if position[row] in (1, 2) else -1
        step = max(step, 1 - position[row]) or 1
        index.append(row)
        origin.append(position[row])
        position[row] += step
        to.append(position[row])
        states.append(position.copy())
    count = np.arange(1, n_events + 1)
    zeros = np.zeros(n_events)
    record = Record(
        np.linspace(0, 1, n_events + 1), zeros, zeros, np.zeros(n_events + 1), [], [], [],
        np.linspace(0, 1, n_events), index, origin, to, count, np.ones(n_rows),
    )  # fmt: skip
    replay = Replay(record)
    for s in (0, 1, 1022, 1023, 1024, 2047, 4095, 4999):
        np.testing.assert_array_equal(replay.at(s), states[s])


def test_lengths_must_fit():
    part = random_part()
    with pytest.raises(ValueError, match="its reading has 3"):
        replace(part, reading=Reading("svc", [1, 1, -1]))


def test_rows_of_a_larger_training_set():
    part = random_part()
    n = len(part)
    rows = np.arange(n) * 2 + 1
    X = np.full((2 * n + 1, 2), 7.0)
    X[rows] = part.X
    inner = PathPart(part.kernel, X, rows, part.start, part.end, part.record, part.reading)
    np.testing.assert_allclose(inner.beta(0.4), part.beta(0.4))
    assert inner.largest_kkt_violation() < 1e-12
    K = part.kernel.between(X, X)
    given = Kernel("precomputed")
    stored = PathPart(given, K, rows, part.start, part.end, part.record, part.reading)
    assert stored.largest_kkt_violation() < 1e-12
    assert stored.kkt_violations(np.array([0.3]))[0] < 1e-12


def test_unknown_reading():
    with pytest.raises(ValueError, match="known are svc"):
        Reading("svx", [1, -1])
