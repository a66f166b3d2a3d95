"""A state whose residuals are made when they are first read."""

import pickle

import numpy as np
import pytest

from weightpath.record.state import State


def late_state(made):
    def residual():
        made.append(1)
        return np.array([0.5, -0.5])

    nobody = np.empty(0, dtype=np.intp)
    return State.with_late_residual(np.ones(2), 0.25, np.array([1, 3], np.int32), residual, nobody)


def test_residuals_are_made_once_and_only_when_read():
    made = []
    state = late_state(made)
    assert state.bias == 0.25 and state.tolerance == 0.0 and made == []
    assert state.residual.tolist() == [0.5, -0.5]
    assert state.residual is state.residual
    assert made == [1]


def test_a_pickle_holds_the_residuals():
    copy = pickle.loads(pickle.dumps(late_state([])))
    assert copy.residual.tolist() == [0.5, -0.5]
    assert copy.position.tolist() == [1, 3]


def test_nothing_else_is_made():
    made = []
    with pytest.raises(AttributeError, match="no attribute 'theta'"):
        _ = late_state(made).theta
    assert made == []
