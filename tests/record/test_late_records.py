"""Records whose arrays are made when they are read."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import weightpath as wp
from weightpath.record.record import Record


def unread():
    """Return the record of a path with events that nobody has read."""
    toy = wp.datasets.make_toy(60, random_state=0)
    model = wp.SVC(C=toy.C, gamma=toy.gamma).fit(toy.X, toy.y, sample_weight=toy.w_old)
    record = model.reweight(toy.w_new).parts[0].record
    assert "theta" not in record.__dict__
    return record


def test_lengths_are_known_before_the_arrays_are_made():
    record = unread()
    known = len(record), record.n_events, record.n_rows, record.is_loose, record.end_freedom
    assert "theta" not in record.__dict__
    record.validate()
    freedom = record.freedom
    assert known == (
        record.bias.size,
        record.event_index.size,
        record.initial_position.size,
        bool((freedom[:-1] > 0).any()),
        freedom[-1],
    )
    assert known == (
        len(record),
        record.n_events,
        record.n_rows,
        record.is_loose,
        record.end_freedom,
    )
    assert record.n_events > 0


def test_arrays_are_made_once_and_cannot_be_written():
    record = unread()
    assert record.slope is record.slope
    assert "_written" not in record.__dict__
    assert not any(array.flags.writeable for array in record.to_arrays().values())
    np.testing.assert_array_equal(record.rest, 1.0 - record.theta)
    assert {array.dtype for array in record.to_arrays().values()} == {
        np.dtype(np.float64),
        np.dtype(np.int64),
    }


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_and_pickles_of_what_nobody_has_read(copied):
    record = unread()
    other = copied(record)
    assert isinstance(other, Record)
    for name, array in record.to_arrays().items():
        np.testing.assert_array_equal(getattr(other, name), array)


def test_several_threads_read_one_record():
    for _ in range(20):
        record = unread()
        with ThreadPoolExecutor(4) as pool:
            read = list(pool.map(lambda name, one=record: getattr(one, name), Record.names() * 4))
        for name, array in zip(Record.names() * 4, read, strict=True):
            np.testing.assert_array_equal(array, getattr(record, name))


def test_what_a_record_does_not_have():
    record = unread()
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = record.colour
