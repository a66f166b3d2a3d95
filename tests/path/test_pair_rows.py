"""Paths of pairs against dense matrices of pairs."""

import io

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from judges import optimality
from judges.ranking import dense_staircase, random_problem
from weightpath.engine import follow, solve
from weightpath.engine.record import Record
from weightpath.kernels import Kernel
from weightpath.kernels.pairs import pair_columns
from weightpath.path import PathPart, Reading, SolutionPath, load, response, segments
from weightpath.path.pair_rows import PairRows
from weightpath.problems import PreferencePairs

KINDS = ["dense", "sparse", "precomputed"]
# Many events or none, weights from 1e-4 to 2e4, copies and grids.
SEEDS = [10, 0, 4, 13, 15, 21]
# One with pairs that stay inside, and others that stay outside, all the way.
STEADY = 32


class Traced:
    """A path and everything about it as dense matrices."""

    def __init__(self, seed, kind="dense"):
        self.problem = problem = random_problem(seed)
        self.kind = kind
        kernel, X = Kernel(**problem.kernel), problem.X
        if kind == "sparse":
            X = csr_matrix(X)
        elif kind == "precomputed":
            kernel, X = Kernel("precomputed"), problem.G
        pairs = PreferencePairs.of(problem.relevance, problem.query)
        columns = pair_columns(kernel, X, pairs, kernel.columns(X, 1.0))
        start, end = problem.staircases()
        trace = follow(columns, start, end, solve(columns, start))
        self.part = PathPart(
            kernel,
            X,
            None,
            start,
            end,
            trace.record,
            Reading("ranking", np.ones(len(pairs))),
            evaluation=PairRows(pairs),
        )
        self.path = SolutionPath([self.part], X, kernel)
        rng = np.random.default_rng(seed)
        self.points = rng.normal(size=(5, problem.X.shape[1]))
        self.theta = np.array([0.0, 1.0, 0.5, *rng.uniform(size=4), *self.path.theta[1:3]])

    @property
    def new(self):
        """New documents as the path takes them."""
        if self.kind == "precomputed":
            return Kernel(**self.problem.kernel).between(self.points, self.problem.X)
        return csr_matrix(self.points) if self.kind == "sparse" else self.points

    def weight(self, theta):
        first, second = self.problem.weights
        return (1 - theta) * first + theta * second

    def values(self, theta):
        """Decision values of the new documents, by plain sums."""
        between = Kernel(**self.problem.kernel).between(self.points, self.problem.X)
        return between @ (self.problem.D.T @ self.part.beta(theta))

    def close(self, found, theta):
        """Assert decision values of the new documents, up to rounding of their sums."""
        between = Kernel(**self.problem.kernel).between(self.points, self.problem.X)
        coef = np.abs(self.problem.D).T @ self.part.beta(theta)
        noise = 8 * np.finfo(float).eps * (np.abs(between) @ coef).max()
        np.testing.assert_allclose(found, self.values(theta), rtol=0, atol=1e-12 + noise)

    def violation(self, theta):
        stair = dense_staircase(self.weight(theta))
        return optimality.violation(self.problem.K, stair, self.part.beta(theta)).worst


def close(actual, expected, tolerance=1e-10):
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


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


# The certificate sees what is wrong ---------------------------------------------------------------


def spoiled(traced, **changes):
    """Return the path with some arrays of its record changed."""
    part = traced.part
    arrays = part.record.to_arrays()
    for name, change in changes.items():
        arrays[name] = change(arrays[name].copy())
    part = PathPart(
        part.kernel,
        part.X,
        None,
        part.start,
        part.end,
        Record(**arrays),
        part.reading,
        evaluation=part.evaluation,
    )
    return SolutionPath([part], part.X, part.kernel)


def entry_in_the_middle(traced):
    """Return a margin entry of a segment of some length, and the middle of the segment."""
    record = traced.part.record
    length = np.diff(record.theta) * (np.diff(record.offset) > 0)
    s = int(np.argmax(length))
    diagonal = traced.problem.K.diagonal()
    entries = np.arange(record.offset[s], record.offset[s + 1])
    entry = entries[np.argmax(diagonal[record.member[entries]])]
    return int(entry), 0.5 * (record.theta[s] + record.theta[s + 1]), s


def raised(index, amount):
    def change(array):
        array[index] += amount
        return array

    return change


@pytest.mark.parametrize("amount", [1e-6, -1e-6, 1e-3])
def test_a_wrong_coefficient_is_seen(amount):
    traced = Traced(10)
    entry, middle, s = entry_in_the_middle(traced)
    path = spoiled(traced, value=raised(entry, amount))
    member = traced.part.record.member[entry]
    # Its own residual is off by its squared distance times the error.
    expected = traced.problem.K[member, member] * abs(amount)
    for found in (path.kkt_violation(), path.kkt_violation(middle)):
        assert found >= 0.99 * expected > 0
    others = np.delete(traced.path.theta[:-1], s)
    assert path.kkt_violation(others) < 1e-8


def test_a_wrong_slope_is_seen():
    traced = Traced(10)
    entry, middle, s = entry_in_the_middle(traced)
    path = spoiled(traced, slope=raised(entry, 1e-3))
    member, length = traced.part.record.member[entry], np.diff(traced.path.theta)[s]
    expected = 1e-3 * length * traced.problem.K[member, member]
    assert path.kkt_violation(middle) >= 0.49 * expected
    assert path.kkt_violation() >= 0.99 * expected > 1e-7


def test_a_coefficient_outside_its_box_is_seen():
    """Even where all residuals fit: excess is told in parts of the largest weight."""
    traced = Traced(STEADY)
    part, rows = traced.part, traced.part.evaluation
    member = part.record.member[:1]
    weight = traced.weight(0.5)
    position = np.full(len(weight), 3)
    position[member] = 2
    documents = np.zeros(len(traced.problem.X))
    first, second = traced.problem.table[member[0]]
    # The chosen pair has the residual zero, all others are inside by far.
    documents[[first, second]] = 0.5, -0.5
    seen = np.flatnonzero(1.0 - traced.problem.D @ documents < 0)
    position[seen] = 1
    for excess in (-0.1, 0.0, 1e-3):
        value = weight[member] + excess * weight.max()
        value = np.clip(value, 0.0 if excess <= 0 else None, None)
        found = rows.violations(part.start, part.end, 0.5, position, (member, value), documents)
        assert found == pytest.approx(max(excess, 0.0), rel=2e-3, abs=1e-15)
    below = np.array([-1e-3 * weight.max()])
    found = rows.violations(part.start, part.end, 0.5, position, (member, below), documents)
    assert found == pytest.approx(1e-3)


@pytest.mark.parametrize(("here", "there"), [(3, 1), (1, 3)])
def test_wrong_positions_are_seen(here, there):
    """One pair after the other is claimed to be at its other knot from the start."""
    traced = Traced(STEADY)
    record, diagonal = traced.part.record, traced.problem.K.diagonal()
    never = np.setdiff1d(np.arange(record.n_rows), record.event_index)
    weight = np.minimum(*traced.problem.weights)
    rows = [p for p in never if record.initial_position[p] == here and weight[p] > 0]
    rows = [p for p in rows if diagonal[p] * weight[p] > 1e-6][:6]
    assert rows
    for row in rows:
        path = spoiled(traced, initial_position=raised(row, there - here))
        assert path.kkt_violation() > 1e-8
        assert path.kkt_violation(0.5) > 1e-8 or path.kkt_violation(0.9) > 1e-8


def test_a_coefficient_of_its_own_must_be_free():
    """The events say at its bound, the record has something else: the residual must be zero."""
    traced = Traced(STEADY)
    record, position = traced.part.record, traced.part.record.initial_position
    residual = 1.0 - traced.problem.K @ traced.part.beta(0.5)
    inside = np.setdiff1d(np.flatnonzero(position == 3), record.event_index)
    weight = np.minimum(*traced.problem.weights)
    inside = inside[weight[inside] > 0]
    row = inside[np.argmax(residual[inside])]
    assert residual[row] > 0.2
    part = traced.part
    s = part.segment(0.5)
    value = part.beta(record.theta[s])[row] * (1 - 1e-9)
    at = record.offset[s + 1]
    arrays = record.to_arrays()
    for name, entry in (("member", row), ("value", value), ("slope", 0.0)):
        arrays[name] = np.insert(arrays[name], at, entry)
    offset = record.offset.copy()
    offset[s + 1 :] += 1
    path = spoiled(
        traced,
        offset=lambda _: offset,
        **{name: lambda _, name=name: arrays[name] for name in ("member", "value", "slope")},
    )
    assert path.kkt_violation(record.theta[s]) > 0.1
    assert path.kkt_violation() > 0.1


def test_not_a_number_is_seen():
    traced = Traced(10)
    entry, middle, _ = entry_in_the_middle(traced)
    path = spoiled(traced, value=raised(entry, np.nan))
    assert not path.kkt_violation() < 1.0
    assert not path.kkt_violation(middle) < 1.0


def test_other_weights_are_seen():
    traced = Traced(10)
    part = traced.part
    other = PathPart(
        part.kernel,
        part.X,
        None,
        dense_staircase(1.5 * traced.problem.weights[0]),
        part.end,
        part.record,
        part.reading,
        evaluation=part.evaluation,
    )
    assert SolutionPath([other], part.X, part.kernel).kkt_violation() > 1e-3


# Files ------------------------------------------------------------------------------------------


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
