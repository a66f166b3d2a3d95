"""Watched paths: what watchers are told, and paths that end on request."""

import warnings

import numpy as np
import pytest

import weightpath as wp
from judges.optimality import violation
from weightpath.datasets import make_toy
from weightpath.engine import (
    COMPLETE,
    STOPPED_ON_REQUEST,
    Options,
    follow,
    solve,
    watching,
)
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase

KERNEL = Kernel("rbf", gamma=0.5)


@pytest.fixture(scope="module")
def ends():
    """A path of some 1,900 events, of which a watcher is told several times."""
    toy = make_toy(2400, random_state=0)
    start, end = hinge_staircase(toy.y, toy.C_old), hinge_staircase(toy.y, toy.C_new)
    columns = KERNEL.columns(toy.X, 100.0)
    return toy, columns, start, end, solve(columns, start)


@pytest.fixture(scope="module")
def whole(ends):
    _, columns, start, end, state = ends
    return follow(columns, start, end, state)


def test_watcher_is_told_and_changes_nothing(ends, whole):
    _, columns, start, end, state = ends
    told = []
    with watching(lambda *where: told.append(where)):
        trace = follow(columns, start, end, state)
    assert trace.status == COMPLETE
    assert np.array_equal(trace.record.theta, whole.record.theta)
    assert len(told) >= 2
    theta, n_events, margin = map(np.array, zip(*told, strict=True))
    assert (np.diff(theta) > 0).all() and theta[0] > 0 and theta[-1] <= 1
    assert (np.diff(n_events) > 0).all() and n_events[-1] <= whole.record.n_events
    sizes = np.diff(whole.record.offset)
    assert sizes.min() <= margin.min() and margin.max() <= sizes.max()


def test_path_ends_on_request_and_can_go_on(ends, whole):
    toy, columns, start, end, state = ends
    with watching(lambda theta, n_events, margin_size: n_events > 1000):
        trace = follow(columns, start, end, state)
    assert trace.status == STOPPED_ON_REQUEST
    record = trace.record
    record.validate()
    assert 1000 < record.n_events < whole.record.n_events and record.theta[-1] < 1.0
    assert np.array_equal(record.event_index, whole.record.event_index[: record.n_events])
    here = start.between(end, record.theta[-1])
    K = KERNEL.between(toy.X, toy.X)
    assert violation(K, here, trace.state.beta, trace.state.bias).worst <= 1e-10
    rest = follow(columns, here, end, trace.state)
    assert rest.status == COMPLETE
    assert rest.state.beta == pytest.approx(whole.state.beta, abs=1e-8)


def test_theta_is_that_of_the_whole_path_on_several_legs():
    """Weights that grow by orders of magnitude are followed in legs."""
    toy = make_toy(1200, random_state=0)
    columns = KERNEL.columns(toy.X, 50.0)
    start, end = (hinge_staircase(toy.y, np.full(1200, C)) for C in (1e-3, 1e3))
    state = solve(columns, start)
    by_watch, by_option = [], []
    with watching(lambda *where: by_watch.append(where)):
        options = Options(callback=lambda *where: by_option.append(where))
        follow(columns, start, end, state, options)
    assert by_watch == by_option
    theta = np.array([theta for theta, _, _ in by_watch])
    assert len(theta) >= 2 and (np.diff(theta) > 0).all() and theta[-1] <= 1.0


def test_nothing_is_asked_of_paths_outside_the_context(ends, whole):
    _, columns, start, end, state = ends
    with watching(lambda *where: True):
        pass
    assert follow(columns, start, end, state).status == COMPLETE
    with watching(lambda *where: True), watching(lambda *where: False):
        assert follow(columns, start, end, state).status == COMPLETE


def test_error_of_a_watcher_comes_through(ends):
    _, columns, start, end, state = ends

    def fail(theta, n_events, margin_size):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watching(fail):
        follow(columns, start, end, state)
    assert follow(columns, start, end, state).status == COMPLETE


def three_classes(n=3000):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 2))
    y = np.digitize(X[:, 0] + random.normal(size=n), [-0.5, 0.5])
    return X, y, random.uniform(size=n)


def test_model_stays_and_parts_reach_equally_far():
    X, y, weight = three_classes()
    model = wp.SVC(C=50, gamma=1.0).fit(X, y)
    values, told = model.decision_function(X[:9]), []

    def look(theta, n_events, margin_size):
        told.append(theta)
        return True

    with warnings.catch_warnings(), watching(look):
        warnings.simplefilter("error")
        path = model.reweight(weight)
    assert path.status == STOPPED_ON_REQUEST
    assert np.array_equal(model.decision_function(X[:9]), values)
    ends = [part.theta[-1] for part in path.parts]
    assert path.theta[-1] == min(ends) == told[0]
    assert path.kkt_violation() < 1e-9
    assert path.model_at(float(path.theta[-1])).kkt_violation() < 1e-9
    with pytest.raises(ValueError, match="stopped on request") as caught:
        path.at(1.0)
    assert "max_events" not in str(caught.value)
