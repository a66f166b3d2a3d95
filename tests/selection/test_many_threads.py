"""Threads that follow many paths without Python: what fails in one of them, and interruptions."""

import _thread
import pickle
import signal
import threading

import numpy as np
import pytest
from scipy.sparse import csr_array, eye

import weightpath as wp
from weightpath.engine import branches
from weightpath.engine._branches import BranchRunner

N = 60


class Watched:
    """A Gaussian kernel that calls a function before each of its values, from any thread."""

    def __init__(self):
        self.before = lambda: None

    def __call__(self, A, B):
        self.before()
        return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


@pytest.fixture
def model_and_kernel():
    """Return a model that has to compute its columns on every path."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=N) > 0, 1, -1)
    kernel = Watched()
    return wp.SVC(C=10.0, kernel=kernel, cache_size=1e-3).fit(X, y), kernel


@pytest.fixture
def listening():
    """Listen to interruptions, which who runs tests in the background may have turned off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ends(model, n_jobs):
    return wp.follow_many(model, eye(N), n_jobs=n_jobs).dual_coef


@pytest.fixture
def wait_for_others(monkeypatch, model_and_kernel):
    """Let the calling thread, once it has started others, wait until one has asked for values."""
    here, started, arrived = threading.get_ident(), threading.Event(), threading.Event()

    class Runner(BranchRunner):
        def start(self, goals, harvest):
            super().start(goals, harvest)
            started.set()

    def before():
        if threading.get_ident() != here:
            arrived.set()
        elif started.is_set():
            assert arrived.wait(60.0)

    monkeypatch.setattr(branches, "BranchRunner", Runner)
    model_and_kernel[1].before = before


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_several_threads_follow(model_and_kernel, wait_for_others, n_jobs):
    model, _ = model_and_kernel
    np.testing.assert_array_equal(ends(model, n_jobs), ends(model, 1))


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_kernel_that_fails_in_any_thread(model_and_kernel, wait_for_others, n_jobs):
    """With others about, one of them fails, and the calling thread does not."""
    model, kernel = model_and_kernel
    right, here, wait = ends(model, 1), threading.get_ident(), kernel.before

    def fail():
        wait()
        if n_jobs == 1 or threading.get_ident() != here:
            raise RuntimeError("no value")

    kernel.before = fail
    with pytest.raises(RuntimeError, match="no value"):
        ends(model, n_jobs)
    kernel.before = lambda: None
    np.testing.assert_array_equal(ends(model, n_jobs), right)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_interrupted(model_and_kernel, listening, n_jobs):
    model, kernel = model_and_kernel
    right, asked = ends(model, 1), []

    def interrupt():
        if not asked:
            asked.append(True)
            _thread.interrupt_main()

    kernel.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        ends(model, n_jobs)
    np.testing.assert_array_equal(ends(model, n_jobs), right)


@pytest.mark.parametrize("n_jobs", [2, 8])
def test_fewer_paths_than_threads(model_and_kernel, n_jobs):
    model, _ = model_and_kernel
    for k in (0, 1, 3):
        change = csr_array(eye(N, format="csr")[:k])
        one, other = (wp.follow_many(model, change, n_jobs=j) for j in (1, n_jobs))
        np.testing.assert_array_equal(one.dual_coef, other.dual_coef)
        assert one.status == other.status and len(other) == k


@pytest.mark.parametrize("k", [1, 15, 16, 17, 63, 64, 65, 300])
def test_every_path_is_followed_once(k):
    """However the pieces of work are cut, towards the end above all."""
    toy = wp.datasets.make_toy(40, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y)
    rng = np.random.default_rng(k)
    rows = rng.integers(40, size=k)
    change = csr_array((rng.uniform(-1.0, 1.0, k), (np.arange(k), rows)), (k, 40))
    one = wp.follow_many(model, change, n_jobs=1)
    for n_jobs in (2, 3, 8):
        other = wp.follow_many(model, change, n_jobs=n_jobs)
        np.testing.assert_array_equal(other.n_events, one.n_events)
        np.testing.assert_array_equal(other.intercept, one.intercept)
        for name in ("data", "indices", "indptr"):
            found, expected = (getattr(many.changes[0], name) for many in (other, one))
            np.testing.assert_array_equal(found, expected)


def test_sent_before_anybody_reads_what_has_changed(model_and_kernel):
    model, _ = model_and_kernel
    many = wp.follow_many(model, eye(N), n_jobs=2)
    sent = pickle.loads(pickle.dumps(many))
    np.testing.assert_array_equal(sent.dual_coef, many.dual_coef)
    np.testing.assert_array_equal(sent.changes[0].toarray(), many.changes[0].toarray())
