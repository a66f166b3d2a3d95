"""Leave-one-out, influence and many paths in other processes: the same bits, data sent once."""

import logging
import os
import signal
import threading
import time

import numpy as np
import pytest
from joblib import parallel_config

import weightpath as wp
from selection.search_samples import toy
from weightpath.engine.branches import Branches
from weightpath.selection import dispatch, removals


@pytest.fixture(scope="module")
def model():
    X, y, start, _ = toy(160)
    return wp.SVC(C=10, gamma=0.5).fit(X, y, sample_weight=start)


@pytest.fixture(scope="module")
def weights():
    end = toy(160)[3]
    return np.random.default_rng(0).uniform(0.5, 1.5, (40, 160)) * end


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def results(model, weights):
    """What many removals and paths give, as a list of arrays."""
    X, y, _, _ = toy(60, seed=3)
    left_out = wp.leave_one_out(model)
    many = wp.follow_many(model, weights, X=X)
    recorded = wp.follow_many(model, weights[:5], record=True)
    return [
        left_out.decision_values,
        wp.influence(model, X, y, "hinge").values,
        many.dual_coef,
        many.decision_values,
        recorded.dual_coef,
        *(recorded[k].theta for k in range(5)),
    ]


def assert_equal_bits(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.second_stage
def test_processes_give_the_same_bits(model, weights):
    expected = results(model, weights)
    with parallel_config("loky", n_jobs=2):
        assert not dispatch.runs_in_threads()
        assert_equal_bits(results(model, weights), expected)


@pytest.mark.second_stage
def test_a_cluster_gives_the_same_bits(model, weights, client):
    expected = results(model, weights)
    with parallel_config("dask"):
        assert_equal_bits(results(model, weights), expected)


def test_threads_are_the_default():
    assert dispatch.runs_in_threads()
    with parallel_config("threading", n_jobs=2):
        assert dispatch.runs_in_threads()


@pytest.mark.second_stage
def test_a_cluster_gets_the_data_once(monkeypatch, model, client):
    pickled = []
    plain = Branches.__getstate__

    def counting(self):
        pickled.append(threading.get_ident())
        return plain(self)

    monkeypatch.setattr(Branches, "__getstate__", counting)
    with parallel_config("dask"):
        wp.leave_one_out(model)
    assert len(pickled) == 1


@pytest.mark.second_stage
def test_a_killed_worker_changes_nothing(monkeypatch, model, client):
    expected = wp.leave_one_out(model).decision_values
    (victim, *_) = client.run(os.getpid).values()
    killed = []

    def kill_on_the_way(*args, hook=None, **options):
        def hook(done, total):
            if done == 2 and not killed:
                killed.append(victim)
                os.kill(victim, signal.SIGKILL)

        return dispatch.run_tasks(*args, hook=hook, **options)

    monkeypatch.setattr(removals, "run_tasks", kill_on_the_way)
    monkeypatch.setattr(removals, "_TASK", 4)
    with parallel_config("dask"):
        found = wp.leave_one_out(model).decision_values
    assert killed == [victim]
    np.testing.assert_array_equal(found, expected)
    # The cluster is whole again for others.
    until = time.monotonic() + 60
    while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < until:
        time.sleep(0.1)
