"""The certificate of pairs sees what is wrong with a path."""

import numpy as np
import pytest

from judges.ranking import dense_staircase
from path.pair_paths import STEADY, Traced
from weightpath.path import PathPart, SolutionPath
from weightpath.record.record import Record


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
    """Even where all residuals fit: excess is told in the coefficient's own unit."""
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
    unit = unit_of(part, member[0], 0.5)
    for excess in (-0.1, 0.0, 1e-3):
        value = weight[member] + excess * unit
        value = np.maximum(value, 0.0) if excess <= 0 else value
        claim = (position, (member, value), documents, part.kappa)
        found = rows.violations(part.start, part.end, 0.5, *claim)
        assert found == pytest.approx(max(excess, 0.0), rel=1e-9, abs=1e-15)
    claim = (position, (member, np.array([-1e-3 * unit])), documents, part.kappa)
    found = rows.violations(part.start, part.end, 0.5, *claim)
    assert found == pytest.approx(1e-3)


def unit_of(part, row, theta):
    """The unit of a coefficient, from its definition; the largest target is one."""
    X, pairs = part.X, part.evaluation.pairs
    K = part.kernel.between(X, X)
    first, second = pairs.first, pairs.second
    diagonal = K[first, first] - 2.0 * K[first, second] + K[second, second]
    return min(part.weights(theta)[row], 1.0 / np.sqrt(diagonal[row] * diagonal.max()))


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


@pytest.mark.parametrize("off", [1e-9, 1e-5, 1e-2])
def test_a_coefficient_of_its_own_must_be_free(off):
    """The events say at its bound, the record has something else: it is off by that much."""
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
    unit = unit_of(part, row, record.theta[s])
    value = part.beta(record.theta[s])[row] - off * unit
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
    assert path.kkt_violation(record.theta[s]) > 0.99 * off
    assert path.kkt_violation() > 0.99 * off


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
