"""Serial, threads, processes and a Dask cluster: the same bits, data sent once, deaths survived."""

import logging
import os
import pickle
import signal
import threading
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from threadpoolctl import threadpool_info, threadpool_limits

import weightpath as wp
from selection import fragile
from selection.search_samples import FOLDS, noisy_line, same_curves, toy
from weightpath.engine import threads
from weightpath.engine.threads import single_blas
from weightpath.selection import dispatch
from weightpath.selection.dispatch import run_tasks
from weightpath.selection.folds import FoldTask, SearchData
from weightpath.selection.polyline import polyline

SEARCH = wp.PathSearchCV(wp.SVC(gamma=0.5), cv=FOLDS, param_grid={"C": [1, 10, 100]})


@pytest.fixture(scope="module")
def data():
    return toy(200)


@pytest.fixture(scope="module")
def serial(data):
    return fitted(data)


def fitted(data, **settings):
    X, y, start, end = data
    return clone(SEARCH).set_params(**settings).fit(X, y, start=start, end=end)


def assert_same(search, other):
    assert same_curves(search.curves_, other.curves_)
    assert same_curves(search.fold_curves_, other.fold_curves_)
    assert search.best_theta_ == other.best_theta_ and search.best_params_ == other.best_params_


@contextmanager
def cluster_of_two():
    """A cluster of two processes on this machine, and its client."""
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


@pytest.fixture(scope="module")
def client():
    with cluster_of_two() as client:
        yield client


# The same everywhere ----------------------------------------------------------------------------


def test_threads(data, serial):
    with parallel_config("threading", n_jobs=3):
        assert_same(fitted(data), serial)


@pytest.mark.second_stage
def test_processes(data, serial):
    assert_same(fitted(data, n_jobs=2), serial)


@pytest.mark.second_stage
def test_a_backend_without_generators(data, serial):
    with parallel_config("multiprocessing", n_jobs=2):
        assert_same(fitted(data), serial)


@pytest.mark.second_stage
def test_dask(data, serial, client):
    calls = []
    with parallel_config("dask"):
        search = fitted(data, progress=lambda *call: calls.append(call))
    assert_same(search, serial)
    assert calls == [(k, 12) for k in range(13)]


@pytest.mark.second_stage
def test_dask_with_quadratic_curves_and_sparse_rows(client):
    from scipy.sparse import csr_array

    X, y, start, end = noisy_line()
    search = wp.PathSearchCV(wp.SVR(C=5, gamma=0.5), "squared", cv=4)
    here = clone(search).fit(csr_array(X), y, start=start, end=end)
    with parallel_config("dask"):
        there = clone(search).fit(csr_array(X), y, start=start, end=end)
    assert_same(there, here)


@pytest.mark.second_stage
def test_a_search_inside_a_task_of_dask(data, client):
    X, y, _, end = (part[::4] for part in data)
    search = wp.PathSearchCV(wp.SVC(C=10, gamma=0.5), cv=2)
    given = {"cv": FOLDS, "params": {"start": 2 * end, "end": end}}
    here = cross_val_score(search, X, y, **given)
    with parallel_config("dask"):
        there = cross_val_score(search, X, y, **given)
    assert here.tolist() == there.tolist()


def test_threads_of_blas_do_not_matter(data, serial):
    with threadpool_limits(2, user_api="blas"):
        assert_same(fitted(data), serial)


@pytest.mark.second_stage
def test_errors_of_tasks_come_back(data, client):
    X, y, start, end = data
    search = clone(SEARCH).set_params(param_grid={"C": [-1.0]})
    for backend in ("threading", "loky", "dask"):
        with (
            parallel_config(backend, n_jobs=2),
            pytest.raises(ValueError, match=r"Fold \d of 4, C=-1.0: C must be"),
        ):
            search.fit(X, y, start=start, end=end)


# Data are sent once -----------------------------------------------------------------------------


def large_data(n=1000, p=200):
    rng = np.random.default_rng(0)
    line = polyline(np.ones(n), np.ones(n), None, n)
    return SearchData(rng.normal(size=(n, p)), np.arange(n) % 2, line)


@pytest.mark.second_stage
def test_processes_map_one_file():
    data = large_data()
    found = run_tasks(fragile.file_of_matrix, data, list(range(8)), description="Tasks", n_jobs=2)
    files = {file for file, _, _ in found}
    assert len(files) == 1 and None not in files
    assert [total for _, _, total in found] == [float(np.sum(row)) for row in data.X[:8]]


@pytest.mark.second_stage
def test_dask_gets_the_data_once(monkeypatch, client, data):
    pickled = []

    def counting(self):
        pickled.append(threading.get_ident())
        return self.__dict__

    monkeypatch.setattr(SearchData, "__getstate__", counting, raising=False)
    with parallel_config("dask"):
        fitted(data, refit=False)
    assert len(pickled) == 1


def test_a_task_is_small():
    data = large_data()
    task = FoldTask(wp.SVC(), {"C": 1}, np.arange(750), np.arange(750, 1000), "zero_one", {}, "")
    assert len(pickle.dumps(task)) < 12_000 < len(pickle.dumps(data)) / 100
    assert data.__sizeof__() > data.X.nbytes


# Workers die ------------------------------------------------------------------------------------


@pytest.mark.second_stage
# Both first: one that has just been restarted may not come back a second time.
@pytest.mark.parametrize("victims", [2, 1])
def test_a_search_survives_killed_workers_of_dask(data, serial, client, victims):
    pids = list(client.run(os.getpid).values())
    killed = []

    def kill(done, total):
        if done == 2 and not killed:
            killed.extend(pids[:victims])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    with parallel_config("dask"):
        search = fitted(data, progress=kill)
    assert len(killed) == victims
    assert_same(search, serial)


@pytest.mark.second_stage
def test_tasks_that_dask_gives_up_are_sent_again(monkeypatch, tmp_path):
    numbers = list(range(6))
    with cluster_of_two() as client, parallel_config("dask", client=client):
        # Give a task up as soon as one worker has died of it.
        client.cluster.scheduler.allowed_failures = 0
        folder = str(tmp_path)
        found = run_tasks(fragile.dies_the_first_time, folder, numbers, description="Tasks")
        assert found == [0, 2, 4, 6, 8, 10] and (tmp_path / "died").exists()
        monkeypatch.setattr(dispatch, "TRIES", 0)
        with pytest.raises(RuntimeError, match="Workers died 1 times"):
            run_tasks(fragile.dies_always, None, numbers, description="Tasks")


@pytest.mark.second_stage
def test_processes_that_die_are_replaced(tmp_path):
    calls = []
    found = run_tasks(
        fragile.dies_the_first_time,
        str(tmp_path),
        list(range(6)),
        description="Tasks",
        n_jobs=2,
        hook=lambda *call: calls.append(call),
    )
    assert found == [0, 2, 4, 6, 8, 10] and (tmp_path / "died").exists()
    assert calls == [(k, 6) for k in range(7)]


@pytest.mark.second_stage
def test_a_task_that_always_kills_its_process(monkeypatch):
    monkeypatch.setattr(dispatch, "TRIES", 0)
    with pytest.raises(RuntimeError, match="Workers died 1 times") as caught:
        run_tasks(fragile.dies_always, None, list(range(5)), description="Tasks", n_jobs=2)
    assert isinstance(caught.value.__cause__, BrokenProcessPool)


def test_ordinary_errors_are_not_tried_again(monkeypatch):
    rounds = []
    real = dispatch._completed
    monkeypatch.setattr(dispatch, "_completed", lambda *args: (rounds.append(1), real(*args))[1])
    with pytest.raises(ValueError, match="three"):
        run_tasks(fragile.fails, None, list(range(5)), description="Tasks")
    assert len(rounds) == 1


def test_no_tasks():
    assert run_tasks(fragile.doubled, None, [], description="Tasks") == []


# One thread of BLAS -----------------------------------------------------------------------------


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_blas_has_one_thread_inside():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with single_blas():
            assert blas_threads() == {1}
        assert blas_threads() == before


class Library:
    def __init__(self, n_threads):
        self.n_threads = n_threads
        self.calls = []

    def get_num_threads(self):
        return self.n_threads

    def set_num_threads(self, n_threads):
        self.calls.append(n_threads)
        self.n_threads = n_threads


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_first_sets_the_limit_and_the_last_takes_it_back(monkeypatch, n_threads):
    # One library has one thread anyway.
    alone, library = Library(1), Library(n_threads)
    both = [(one, one.get_num_threads) for one in (alone, library)]
    monkeypatch.setattr(threads, "_libraries", lambda: both)
    first, second = single_blas(), single_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    # Where there is only one thread, nothing needs to be set.
    assert library.calls == [1] * (n_threads - 1)
    second.__exit__(None, None, None)
    assert library.calls == [1, n_threads][: 2 * (n_threads - 1)]
    assert alone.calls == []


def fail_inside():
    with single_blas():
        raise ValueError("inside")


def test_an_error_takes_the_limit_back():
    before = blas_threads()
    with pytest.raises(ValueError, match="inside"):
        fail_inside()
    assert blas_threads() == before and threads._SHARED._count == 0
