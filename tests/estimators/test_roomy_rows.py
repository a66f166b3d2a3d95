"""Rows with room behind them: what they show never changes, whoever adds to them."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import weightpath as wp
from weightpath.estimators.roomy_rows import RoomyRows


def some(n, value):
    return np.full((n, 2), float(value))


def test_arrivals_are_written_behind_the_rows():
    rows = RoomyRows.of(some(50, 1), some(1, 2))
    more = rows.followed_by(some(3, 3))
    assert np.shares_memory(rows.X, more.X)
    assert (np.vstack([some(50, 1), some(1, 2), some(3, 3)]) == more.X).all()
    assert len(rows.X) == 51


def test_only_one_adds_to_the_same_rows():
    rows = RoomyRows.of(some(50, 1), some(1, 2))
    one, other = rows.followed_by(some(2, 3)), rows.followed_by(some(2, 4))
    assert not np.shares_memory(one.X, other.X)
    assert (one.X[-2:] == 3).all() and (other.X[-2:] == 4).all()
    assert (one.X[:-2] == other.X[:-2]).all()


def test_without_room_all_are_copied():
    rows = RoomyRows.of(some(50, 1), some(1, 2))
    more = rows.followed_by(some(40, 3))
    assert not np.shares_memory(rows.X, more.X)
    assert len(more.X) == 91 and (more.X[51:] == 3).all()


def test_nothing_can_write_to_them():
    rows = RoomyRows.of(some(50, 1), some(1, 2))
    for shown in (rows, rows.followed_by(some(1, 3)), rows.after(5)):
        assert not shown.X.flags.writeable and not shown.X.base.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            shown.X[0, 0] = 1.0


def test_rows_that_went_stay_in_memory_until_they_are_most():
    rows = RoomyRows.of(some(50, 1), some(50, 2))
    left = rows.after(40)
    assert np.shares_memory(rows.X, left.X) and len(left.X) == 60
    assert rows.after(50) is None


@pytest.fixture
def model_and_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(320, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=320) > 0, 1, -1)
    model = wp.SVC(C=2.0, gamma=0.5).fit(X[:300], y[:300])
    model.add(X[300:301], y[300:301])
    return model, X, y


def agree(model, X, y):
    fresh = wp.SVC(C=2.0, gamma=0.5).fit(X, y)
    assert np.abs(model.decision_function(X) - fresh.decision_function(X)).max() < 1e-9
    assert model.kkt_violation() < 1e-9


def test_after_an_addition_that_was_given_up_another_one_is_right(model_and_data):
    model, X, y = model_and_data
    before = model.training_set_.X.copy()
    model.set_params(max_events=1)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        path = model.add(X[301:311], -y[301:311])
    assert path.status != "complete" and len(found) == 1
    assert np.array_equal(model.training_set_.X, before)
    model.set_params(max_events=1_000_000)
    model.add(X[311:320], y[311:320])
    kept = np.r_[:301, 311:320]
    agree(model, X[kept], y[kept])


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_of_a_model_grow_apart(model_and_data, how):
    model, X, y = model_and_data
    other = how(model)
    model.add(X[301:310], y[301:310])
    other.slide(X[310:320], y[310:320], drop=5)
    model.slide(X[310:315], y[310:315], drop=20)
    agree(model, X[20:315], y[20:315])
    kept = np.r_[5:301, 310:320]
    agree(other, X[kept], y[kept])


def test_most_rows_may_go_at_once(model_and_data):
    model, X, y = model_and_data
    model.slide(X[301:320], y[301:320], drop=200)
    agree(model, X[200:320], y[200:320])
    model.remove(np.arange(0, 100, 3))
    left = np.delete(np.arange(200, 320), np.arange(0, 100, 3))
    agree(model, X[left], y[left])


def test_a_path_tells_its_parameters_late(model_and_data):
    model, X, y = model_and_data
    path = model.add(X[301:303], y[301:303])
    assert "params" not in path.__dict__
    assert path.params["estimator"] == "SVC" and path.params is path.params
    twin = pickle.loads(pickle.dumps(path))
    assert twin.params["params"] == path.params["params"]
    with pytest.raises(AttributeError, match="no attribute 'parameters'"):
        path.parameters  # noqa: B018
