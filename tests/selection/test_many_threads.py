"""Threads that follow many paths without Python: what fails in one of them, and interruptions."""

import _thread
import copy
import gc
import os
import pickle
import select
import signal
import threading
import time
import weakref
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.sparse import csr_array, eye

import weightpath as wp
from weightpath.engine import _waiting_threads, branches
from weightpath.engine._branches import BranchRunner
from weightpath.selection import kernel_branches

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


def ends_of_doubled(model, n_jobs):
    """Return the coefficients where each weight was doubled."""
    return wp.follow_many(model, eye(len(model.training_set_)), n_jobs=n_jobs).dual_coef


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


def test_what_is_kept_of_a_state_goes_with_it():
    """Branches are kept for the next call, and neither they nor their runners outlive the state."""
    toy = wp.datasets.make_toy(80, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y)
    first = ends_of_doubled(model, 2)
    state = weakref.ref(model.subproblems_[0].state)
    kept = weakref.ref(kernel_branches._KEPT[state()][1])
    assert len(kept()._spare) == 1
    np.testing.assert_array_equal(ends_of_doubled(model, 2), first)
    assert len(kept()._spare) == 1
    model.fit(toy.X, toy.y)
    gc.collect()
    assert state() is None and kept() is None
    np.testing.assert_array_equal(ends_of_doubled(model, 2), first)


def test_many_paths_between_moves_are_those_of_new_models():
    """What is kept of where a model was is no use where it is."""
    toy = wp.datasets.make_toy(120, random_state=0)
    rng = np.random.default_rng(0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X[:100], toy.y[:100])
    for step in range(4):
        if step % 2:
            k = 100 + 5 * step
            model.slide(toy.X[k : k + 5], toy.y[k : k + 5], drop=5)
        else:
            model.reweight(rng.uniform(0.5, 1.5, 100))
        fresh = copy.deepcopy(model)
        for n_jobs in (2, 1, 2):
            found, expected = ends_of_doubled(model, n_jobs), ends_of_doubled(fresh, 1)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * abs(expected).max())
        model.add(toy.X[:2] + 0.01, toy.y[:2])
        model.remove([100, 101])


def test_another_event_cap_is_not_that_of_branches_that_were_kept():
    toy = wp.datasets.make_toy(80, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y)
    full = wp.follow_many(model, -0.9 * eye(80), n_jobs=2)
    assert full.n_events.max() > 1
    model.set_params(max_events=1)
    with pytest.warns(UserWarning, match="max_events"):
        capped = wp.follow_many(model, -0.9 * eye(80), n_jobs=2)
    assert "stopped at the event cap" in capped.status


def test_several_callers_at_once():
    """Each has threads of its own, and what it finds is what it would find alone."""
    toy = wp.datasets.make_toy(80, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y)
    expected, found = ends_of_doubled(model, 1), []

    def call():
        found.extend(ends_of_doubled(model, 3) for _ in range(20))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 80
    for one in found:
        np.testing.assert_array_equal(one, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="The system cannot fork processes.")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    """It has none of those that were kept, and does not wait for them."""
    toy = wp.datasets.make_toy(80, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y)
    expected = ends_of_doubled(model, 2)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(ends_of_doubled(model, 2), expected)
            os.write(writer, b"same" if same else b"different")
        finally:
            os._exit(0)
    os.close(writer)
    is_answered, _, _ = select.select([reader], [], [], 60.0)
    answer = os.read(reader, 100) if is_answered else b"no answer"
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert answer == b"same"


def test_threads_that_are_roused_in_vain_fall_asleep():
    for _ in range(3):
        _waiting_threads.rouse(2)
        time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - before < 0.1
    toy = wp.datasets.make_toy(80, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y)
    np.testing.assert_array_equal(ends_of_doubled(model, 3), ends_of_doubled(model, 1))


def test_calls_of_all_kinds_leave_nothing_behind():
    """Runners are kept between calls; each call finds what it finds with a model of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=N)
    model = wp.SVR(C=2.0, epsilon=0.1, gamma=0.5).fit(X, y)
    weight = 2.0 * rng.uniform(size=(12, N)) * (rng.random((12, N)) < 0.9)
    target = y + 0.5 * rng.normal(size=(12, N)) * (rng.random((12, N)) < 0.2)
    kinds = [
        lambda m, j: wp.follow_many(m, weight, n_jobs=j).dual_coef,
        lambda m, j: wp.follow_many(m, y=target, n_jobs=j).dual_coef,
        lambda m, j: wp.follow_many(m, weight, y=target, n_jobs=j).dual_coef,
        lambda m, j: wp.follow_many(m, weight, stop=wp.StopAt(3), n_jobs=j).dual_coef,
        lambda m, j: wp.follow_many(m, y=target, stop=lambda *at: at[0] > 0.2, n_jobs=j).theta,
        lambda m, j: wp.follow_many(m, X_new=X[:4] + 0.1, y_new=y[:4], n_jobs=j).dual_coef,
        lambda m, j: wp.leave_one_out(m, n_jobs=j).decision_values,
    ]
    expected = [kind(copy.deepcopy(model), 1) for kind in kinds]
    for k in rng.permutation(np.repeat(np.arange(len(kinds)), 6)).tolist():
        np.testing.assert_array_equal(kinds[k](model, int(rng.integers(1, 4))), expected[k])


def test_an_interruption_ends_what_other_threads_follow():
    """They do not go to the ends of their paths first."""
    toy = wp.datasets.make_toy(300, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old)
    weight = np.repeat(toy.w_new[None], 8, axis=0)
    n_events = wp.follow_many(model, weight[:1]).n_events[0]
    here, begun, asked = threading.get_ident(), threading.Event(), []

    def rule(theta, coef, bias):
        if threading.get_ident() == here:
            assert begun.wait(60.0)
            raise KeyboardInterrupt
        asked.append(theta)
        begun.set()
        time.sleep(0.01)
        return False

    with pytest.raises(KeyboardInterrupt):
        wp.follow_many(model, weight, stop=rule, n_jobs=2)
    assert 0 < len(asked) < n_events // 2


def test_an_interruption_ends_what_other_threads_follow_as_any_other_path(monkeypatch):
    """Paths that native runners have lost, here for their many legs."""
    toy = wp.datasets.make_toy(1600, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old + 0.1)
    weight = np.repeat(1e4 * (toy.w_new[None] + 0.1), 2, axis=0)
    here, begun, interrupted = threading.get_ident(), threading.Event(), threading.Event()
    follow, ends = branches.Branches._lost, []

    def lost(self, *given):
        if threading.get_ident() == here:
            assert begun.wait(60.0)
            interrupted.set()
            raise KeyboardInterrupt
        begun.set()
        assert interrupted.wait(60.0)
        try:
            return follow(self, *given)
        except BaseException as error:
            ends.append(type(error))
            raise

    monkeypatch.setattr(branches.Branches, "_lost", lost)
    with pytest.raises(KeyboardInterrupt):
        wp.follow_many(model, weight, n_jobs=2)
    assert ends == [branches._InterruptedElsewhere]


@contextmanager
def interruption_after(seconds):
    """Interrupt the main thread, as Ctrl-C does, unless this is left before."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="The system has no timers.")
def test_an_interruption_leaves_nothing_behind():
    """Where the caller is interrupted on a path, the next call begins as the first one did."""
    toy = wp.datasets.make_toy(300, random_state=0)
    model = wp.SVC(C=10.0, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old)
    weight = np.repeat(toy.w_new[None], 3000, axis=0)
    expected = wp.follow_many(copy.deepcopy(model), weight[:2]).dual_coef[0]
    for n_jobs in (1, 2, 3):
        with pytest.raises(KeyboardInterrupt), interruption_after(0.05):
            wp.follow_many(model, weight, n_jobs=n_jobs)
        found = wp.follow_many(model, weight[: 2 * n_jobs], n_jobs=n_jobs).dual_coef
        np.testing.assert_array_equal(found, np.repeat(expected[None], 2 * n_jobs, axis=0))
