"""The bias of a path is settled when the path is first read, once, and from the data."""

from __future__ import annotations

import copy
import io
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

import weightpath as wp
from weightpath.path import late_record
from weightpath.record.record import Record

TOY = wp.datasets.make_toy(60, random_state=0)
THETA = np.linspace(0.0, 1.0, 23)


def long_path(**options):
    """A path over C from where the bias is free, and its model."""
    model = wp.SVC(C=1e-3, **{"gamma": TOY.gamma, **options}).fit(TOY.X, TOY.y)
    return model.move(C=10.0), model


@pytest.fixture
def settlements(monkeypatch):
    """The settlements made from now on: where they were asked for, in order."""
    found, settle = [], late_record.settle_bias

    def counted(*given):
        found.append(given)
        return settle(*given)

    monkeypatch.setattr(late_record, "settle_bias", counted)
    return found


def assert_same(one, other):
    """Assert that two paths tell the same, to the last digit."""
    for mine, theirs in zip(one.parts, other.parts, strict=True):
        for name in Record.names():
            np.testing.assert_array_equal(getattr(mine.record, name), getattr(theirs.record, name))
        np.testing.assert_array_equal(mine.jumps, theirs.jumps)
    np.testing.assert_array_equal(one.events, other.events)
    np.testing.assert_array_equal(one.theta, other.theta)
    assert repr(one) == repr(other)


def test_a_move_settles_nothing(settlements):
    path, model = long_path()
    assert model.kkt_violation() < 1e-12
    first = wp.SVC(C=1e-3, gamma=TOY.gamma).fit(TOY.X, TOY.y)
    assert path.parts[0].bias(0.0) == first.intercept_[0]
    assert path.parts[0].bias(1.0) == model.intercept_[0]
    assert settlements == []
    assert path.kkt_violation() < 1e-12
    assert len(settlements) == 1
    assert (path.n_events, len(path)) == (len(path.events), path.theta.size - 1)
    assert len(settlements) == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda path: path.theta,
        lambda path: path.events,
        lambda path: path.isolated_theta,
        lambda path: path.at(0.3),
        lambda path: path.parts[0].jumps,
        lambda path: path.kkt_violation(),
        lambda path: path.curve(TOY.X, TOY.y, "zero_one"),
        len,
        repr,
    ],
)
def test_whatever_is_read_first(read, settlements):
    path, _ = long_path()
    read(path)
    assert len(settlements) == 1
    assert_same(path, long_path()[0])


def test_a_path_with_a_unique_bias_is_as_it_was(settlements):
    model = wp.SVC(C=1.0, gamma=TOY.gamma).fit(TOY.X, TOY.y)
    # Equal weights are where the bias may jump.
    model.reweight(np.linspace(0.5, 1.5, 60))
    path = model.reweight(np.linspace(0.5, 1.5, 60) ** 1.01)
    assert path.kkt_violation() < 1e-12 and settlements == []


def test_threads_read_one_settlement(settlements):
    path, _ = long_path()
    barrier = Barrier(8)

    def read(name):
        barrier.wait()
        return getattr(path.parts[0], name)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(read, ["record", "jumps"] * 4))
    assert len(settlements) == 1
    assert all(one is path.parts[0].record for one in found[::2])
    assert all(one is path.parts[0].jumps for one in found[1::2])


def test_the_columns_of_the_model_are_left_alone():
    path, model = long_path()
    columns = model.subproblems_[0].columns
    before = columns.n_computed
    model.move(C=1.0)
    after = columns.n_computed
    for theta in THETA:
        path.at(theta)
    assert columns.n_computed == after >= before


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", "callable"])
def test_a_path_that_outlives_its_model(kernel):
    expected = [long_path()[0].at(theta).intercept for theta in THETA]
    X = rbf_kernel(TOY.X, gamma=TOY.gamma) if kernel == "precomputed" else TOY.X
    given = (lambda A, B: rbf_kernel(A, B, gamma=TOY.gamma)) if kernel == "callable" else kernel
    model = wp.SVC(C=1e-3, kernel=given, gamma=TOY.gamma).fit(X, TOY.y)
    path = model.move(C=10.0)
    model.move(C=0.1)
    del model
    np.testing.assert_allclose([path.at(theta).intercept for theta in THETA], expected, atol=1e-9)
    assert path.kkt_violation() < 1e-11


def test_subproblems_have_rows_of_their_own(settlements):
    y = np.arange(60) % 3
    model = wp.SVC(C=1e-3, gamma=TOY.gamma).fit(TOY.X, y)
    path = model.move(C=3.0)
    assert settlements == []
    assert path.kkt_violation() < 1e-12
    assert 0 < len(settlements) <= 3


@pytest.mark.parametrize("of", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_of_an_unread_path(of):
    path, _ = long_path()
    again = of(path)
    assert_same(path, again)
    part = of(long_path()[0].parts[0])
    assert not part.record.theta.flags.writeable or of is not copy.copy
    np.testing.assert_array_equal(part.record.theta, path.parts[0].record.theta)


def test_an_unread_path_in_a_file():
    path, _ = long_path()
    file = io.BytesIO()
    path.save(file)
    file.seek(0)
    assert_same(path, wp.load(file))


def test_an_unread_part_with_another_record():
    path, _ = long_path()
    other = replace(path.parts[0].record, bias=path.parts[0].record.bias + 1.0)
    part = replace(long_path()[0].parts[0], record=other)
    assert part.record is other
    np.testing.assert_array_equal(part.jumps, path.parts[0].jumps)


def test_a_reading_that_fails_can_be_repeated():
    fails = []

    def kernel(A, B):
        if fails:
            raise ZeroDivisionError(fails.pop())
        return rbf_kernel(A, B, gamma=TOY.gamma)

    path, _ = long_path(kernel=kernel)
    fails.append("not now")
    with pytest.raises(ZeroDivisionError, match="not now"):
        path.at(0.5)
    assert path.kkt_violation() < 1e-11


def test_other_attributes_are_missing():
    part = long_path()[0].parts[0]
    with pytest.raises(AttributeError, match="'PathPart' object has no attribute 'recrod'"):
        _ = part.recrod
    with pytest.raises(AttributeError, match="no attribute 'record'"):
        _ = object.__new__(type(part)).record
