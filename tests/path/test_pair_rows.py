"""Paths of pairs against dense matrices of pairs."""

import io

import numpy as np
import pytest

from path.pair_paths import KINDS, SEEDS, Traced, close
from weightpath.kernels import response
from weightpath.path import load, segments


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_decision_function(seed, kind):
    traced = Traced(seed, kind)
    values = traced.path.decision_function(traced.new, traced.theta)
    for theta, found in zip(traced.theta, values, strict=True):
        traced.close(found, theta)
        traced.close(traced.path.decision_function(traced.new, theta), theta)
    assert traced.path.decision_function(traced.new, []).shape == (0, 5)


@pytest.mark.parametrize("matrix_mb", [512, 0])
@pytest.mark.parametrize("size", [1, 2, 128])
@pytest.mark.parametrize("kind", KINDS)
def test_segments(kind, size, matrix_mb, monkeypatch):
    monkeypatch.setattr(response, "MATRIX_MB", matrix_mb)
    monkeypatch.setattr(segments, "BLOCK_SEGMENTS", size)
    monkeypatch.setattr(segments, "BLOCKS_BETWEEN_FULL_PRODUCTS", 3)
    traced = Traced(21, kind)
    edges = []
    for left, right, value, slope in traced.path.iter_segments(traced.new):
        edges += list(left)
        for k in range(len(left)):
            for theta in (left[k], 0.3 * left[k] + 0.7 * right[k], np.nextafter(right[k], 0)):
                traced.close(value[k] + (theta - left[k]) * slope[k], theta)
    np.testing.assert_array_equal([*edges, 1.0], traced.path.theta)
    assert len(edges) > 5


@pytest.mark.parametrize("seed", SEEDS)
def test_at(seed):
    traced = Traced(seed)
    problem = traced.problem
    for theta in traced.theta:
        solution = traced.path.at(theta)
        weight, beta = traced.weight(theta), solution.dual_coef
        close(solution.weights, weight)
        assert solution.intercept == 0.0
        assert beta.shape == (len(problem.table),)
        members = np.concatenate([solution.outside, solution.margin, solution.inside])
        np.testing.assert_array_equal(np.sort(members), np.arange(len(beta)))
        assert (beta[solution.outside] == 0.0).all()
        close(beta[solution.inside], weight[solution.inside], 1e-14)
        residual = 1.0 - problem.K @ beta
        has_weight = weight > 0
        slack = 1e-9 * max(1.0, np.abs(residual).max())
        assert (residual[solution.outside][has_weight[solution.outside]] <= slack).all()
        assert (residual[solution.inside][has_weight[solution.inside]] >= -slack).all()
        assert (np.abs(residual[solution.margin]) <= slack).all()
        hinge = weight @ np.maximum(residual, 0.0)
        assert solution.objective == pytest.approx(
            0.5 * beta @ problem.K @ beta + hinge, rel=1e-10, abs=1e-12
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_duality_gap(seed):
    traced = Traced(seed)
    K = traced.problem.K
    for theta in traced.theta:
        beta, weight = traced.part.beta(theta), traced.weight(theta)
        primal = 0.5 * beta @ K @ beta + weight @ np.maximum(1.0 - K @ beta, 0.0)
        dual = beta.sum() - 0.5 * beta @ K @ beta
        scale = max(1.0, primal)
        assert traced.path.duality_gap(theta) == pytest.approx(primal - dual, abs=1e-9 * scale)
        assert 0.0 <= traced.path.duality_gap(theta, relative=True) < 1e-8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_certificate(seed, kind):
    traced = Traced(seed, kind)
    path = traced.path
    assert path.kkt_violation() < 1e-8
    one_by_one = [path.kkt_violation(theta) for theta in traced.theta]
    assert path.kkt_violation(traced.theta) == pytest.approx(max(one_by_one), abs=1e-9)
    assert max(one_by_one) < 1e-8
    # The judge, which knows no positions, agrees.
    for theta in traced.theta:
        assert traced.violation(theta) < 1e-8


def test_events_and_face():
    traced = Traced(10)
    path, problem = traced.path, traced.problem
    assert f"{len(problem.table)} pairs" in repr(path)
    sets = {name: set(getattr(path.at(0.0), name)) for name in ("outside", "margin", "inside")}
    for event in path.events[path.events["theta"] > 0.0]:
        sets[event["from"]].remove(event["index"])
        sets[event["to"]].add(event["index"])
    for name, pairs in sets.items():
        assert pairs == set(getattr(path.at(1.0), name))
    edges, sizes = path.margin_size()
    assert sizes.tolist() == [path.at(left).margin.size for left in edges[:-1]]


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind):
    traced = Traced(15, kind)
    stream = io.BytesIO()
    traced.path.save(stream)
    stream.seek(0)
    other = load(stream)
    assert repr(other) == repr(traced.path)
    np.testing.assert_array_equal(other.theta, traced.path.theta)
    np.testing.assert_array_equal(other.events, traced.path.events)
    for theta in traced.theta:
        np.testing.assert_array_equal(other.at(theta).dual_coef, traced.path.at(theta).dual_coef)
        assert other.at(theta).objective == traced.path.at(theta).objective
    np.testing.assert_array_equal(
        other.decision_function(traced.new, traced.theta),
        traced.path.decision_function(traced.new, traced.theta),
    )
    assert other.kkt_violation() == traced.path.kkt_violation()
    np.testing.assert_array_equal(
        other.parts[0].evaluation.pairs.table, traced.part.evaluation.pairs.table
    )
