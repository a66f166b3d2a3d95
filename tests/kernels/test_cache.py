"""The cache of columns: budget, eviction, pins, the whole matrix, failing kernels."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from weightpath.errors import ColumnError
from weightpath.kernels import Kernel

RBF = Kernel("rbf", gamma=0.5)


def make_columns(n=50, columns_in_budget=8, kernel=RBF):
    X = np.random.default_rng(0).normal(size=(n, 3))
    return kernel.columns(X, columns_in_budget * 8 * n / 1e6 * (1 + 1e-9)), RBF.between(X, X)


def test_a_column_is_computed_once():
    columns, _ = make_columns()
    for _ in range(3):
        columns.column(4)
    assert columns.n_computed == 1
    assert columns.n_bytes == 8 * 50


def test_slots_are_allocated_as_needed_and_the_budget_holds():
    columns, _ = make_columns()
    for i in range(20):
        columns.column(i)
        assert columns.n_bytes == 8 * 50 * min(i + 1, 8)
    assert columns.n_computed == 20


def test_the_least_recently_used_column_goes():
    columns, _ = make_columns()
    for i in range(8):
        columns.column(i)
    columns.column(0)
    columns.column(20)
    assert columns.n_computed == 9
    columns.column(0)
    assert columns.n_computed == 9
    columns.column(1)
    assert columns.n_computed == 10


def test_there_is_a_least_capacity():
    columns, _ = make_columns(columns_in_budget=0)
    assert columns.capacity == 4
    for i in range(4):
        columns.column(i)
    columns.submatrix([0, 1, 2, 3])
    assert columns.n_computed == 4


def test_pinned_columns_stay_and_may_exceed_the_budget():
    columns, K = make_columns(columns_in_budget=5)
    views = [columns.hold(i) for i in range(9)]
    assert columns.n_bytes == 9 * 8 * 50
    for i in range(20, 40):
        columns.column(i)
    for i, view in enumerate(views):
        assert np.allclose(view, K[:, i], rtol=1e-13, atol=0)
        assert not view.flags.writeable
    for i in range(9):
        columns.release(i)
    assert columns.n_bytes == 5 * 8 * 50


def test_pins_are_counted():
    columns, _ = make_columns(columns_in_budget=4)
    first = columns.hold(0)
    second = columns.hold(0)
    assert first.ctypes.data == second.ctypes.data
    columns.release(0)
    for i in range(10, 20):
        columns.column(i)
    before = columns.n_computed
    columns.column(0)
    assert columns.n_computed == before
    columns.release(0)
    columns.release(0)
    for i in range(10, 20):
        columns.column(i)
    columns.column(0)
    assert columns.n_computed > before + 1


def test_a_dense_product_builds_the_matrix_when_it_fits():
    columns, K = make_columns(n=100, columns_in_budget=100)
    v = np.zeros(100)
    v[:24] = 1.0
    columns.product(v)
    assert not columns.is_full
    assert columns.n_bytes == 24 * 800
    v[24] = 1.0
    assert np.allclose(columns.product(v), K @ v, rtol=1e-13)
    assert columns.is_full
    assert columns.n_computed == 100
    assert columns.n_bytes == 100 * 800
    columns.column(99)
    columns.product(np.ones(100))
    assert columns.n_computed == 100


def test_columns_pinned_before_the_matrix_is_built_stay_valid():
    columns, K = make_columns(n=60, columns_in_budget=60)
    view = columns.hold(7)
    columns.product(np.ones(60))
    later = columns.hold(7)
    assert later.ctypes.data == view.ctypes.data
    assert np.allclose(view, K[:, 7], rtol=1e-13)
    assert columns.n_bytes == 61 * 480
    columns.release(7)
    columns.release(7)
    assert columns.n_bytes == 60 * 480
    view = columns.hold(7)
    assert (view == columns.column(7)).all()
    columns.release(7)


def test_a_dense_product_beyond_the_budget_streams():
    columns, K = make_columns(n=200, columns_in_budget=10)
    columns.hold(150)
    v = np.random.default_rng(1).normal(size=200)
    assert np.allclose(columns.product(v), K @ v, rtol=1e-12, atol=1e-13)
    assert not columns.is_full
    assert columns.n_bytes == 1600
    assert columns.n_computed == 200
    columns.product(v)
    assert columns.n_computed == 399
    columns.release(150)


def test_a_product_is_the_same_to_the_last_bit_whatever_is_held():
    rng = np.random.default_rng(2)
    for n, nonzero in ((200, 200), (203, 203), (203, 40), (70, 3)):
        v = np.zeros(n)
        v[rng.choice(n, nonzero, replace=False)] = rng.normal(size=nonzero)
        columns, K = make_columns(n=n, columns_in_budget=n // 2)
        none_held = columns.product(v)
        assert np.allclose(none_held, K @ v, rtol=1e-12, atol=1e-13)
        for i in rng.choice(n, n // 3, replace=False):
            columns.hold(i)
        assert (columns.product(v) == none_held).all()
        whole, _ = make_columns(n=n, columns_in_budget=2 * n)
        assert whole.whole() is not None
        assert (whole.product(v) == none_held).all()


def test_a_cheap_column_gets_fresh_memory_when_it_was_needed_often():
    columns = RBF.columns(np.random.default_rng(0).normal(size=(6000, 2)), 1000.0)
    for i in range(200):
        columns.column(i)
    # A column takes 49 kB; beyond a few megabytes the oldest ones give up their memory.
    few = columns.n_bytes
    assert few < 5e6
    for _ in range(20):
        for i in range(200):
            columns.column(i)
    assert columns.n_bytes > 1.9 * few
    before = columns.n_computed
    for i in range(200):
        columns.column(i)
    assert columns.n_computed == before


def test_a_dear_column_is_kept_at_once():
    columns = RBF.columns(np.random.default_rng(0).normal(size=(6000, 60)), 1000.0)
    for _ in range(2):
        for i in range(200):
            columns.column(i)
    assert columns.n_computed == 200


def test_products_of_cheap_columns_pass_through():
    columns = RBF.columns(np.random.default_rng(0).normal(size=(3000, 3)), 1000.0)
    v = np.random.default_rng(1).normal(size=3000)
    first = columns.product(v)
    assert not columns.is_full and columns.n_bytes < 5e6
    for _ in range(20):
        np.testing.assert_allclose(columns.product(v), first, rtol=1e-12, atol=1e-11)
    assert columns.is_full


def test_an_heir_knows_what_columns_have_cost():
    X = np.random.default_rng(0).normal(size=(3001, 3))
    columns = RBF.columns(X[:-1], 1000.0)
    for _ in range(20):
        columns.product(np.ones(3000))
        source = np.append(np.arange(1, 3000), -1)
        X = np.vstack([X[1:], X[:1]])
        columns = columns.handover(X[:-1], source, keep=False)
    assert columns.is_full


def test_kept_and_passing_columns_of_one_product_do_not_mix():
    columns = RBF.columns(np.random.default_rng(0).normal(size=(2000, 2)), 20.0)
    X = np.random.default_rng(0).normal(size=(2000, 2))
    v = np.zeros(2000)
    v[::5] = np.random.default_rng(1).normal(size=400)
    for _ in range(3):
        for i in range(0, 2000, 35):
            columns.column(i)
        np.testing.assert_allclose(columns.product(v), RBF.between(X, X) @ v, atol=1e-12)
    for i in range(0, 2000, 5):
        np.testing.assert_array_equal(columns.column(i), RBF.columns(X, 1.0).column(i))


def test_linear_products_need_no_columns():
    columns, _ = make_columns(n=100, columns_in_budget=100, kernel=Kernel("linear"))
    columns.product(np.ones(100))
    assert columns.n_computed == 0
    assert columns.n_bytes == 0


def make_failing(n_good):
    """A callable kernel that fails after a number of good calls."""
    calls = []

    def function(A, B):
        calls.append((len(A), len(B)))
        if len(calls) > n_good:
            raise ZeroDivisionError("no more")
        return A @ B.T

    return Kernel("callable", function=function), calls


def test_callable_equals_linear():
    kernel, _ = make_failing(10**6)
    X = np.random.default_rng(0).normal(size=(40, 3))
    for cache_mb in (0.0, 1.0):
        columns = kernel.columns(X, cache_mb)
        v = np.random.default_rng(1).normal(size=40)
        assert np.allclose(columns.column(3), X @ X[3], rtol=1e-13)
        assert np.allclose(columns.product(v), X @ (X.T @ v), rtol=1e-12, atol=1e-13)
        assert np.allclose(columns.diagonal, (X**2).sum(axis=1))


@pytest.mark.parametrize("cache_mb", [0.0, 1.0])
def test_an_exception_of_the_kernel_is_raised_and_the_columns_stay_usable(cache_mb):
    kernel, calls = make_failing(5)
    columns = kernel.columns(np.ones((40, 3)), cache_mb)
    with pytest.raises(ZeroDivisionError, match="no more"):
        columns.column(2)
    with pytest.raises(ZeroDivisionError, match="no more"):
        columns.product(np.ones(40))
    assert columns.n_bytes == 0
    columns.raise_error()
    calls.clear()
    assert (columns.column(2) == 3.0).all()


def test_a_kernel_failing_at_the_diagonal():
    kernel, _ = make_failing(0)
    with pytest.raises(ZeroDivisionError):
        kernel.columns(np.ones((4, 3)), 1.0)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: np.ones(len(A)), "shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "finite"),
    ],
)
def test_bad_values_of_a_callable(function, message):
    with pytest.raises(ColumnError, match=message):
        Kernel("callable", function=function).columns(np.ones((4, 2)), 1.0)


class CacheMachine(RuleBasedStateMachine):
    """Any order of calls gives right columns, keeps pinned memory and the budget."""

    @initialize(n=st.integers(1, 40), share=st.integers(0, 50))
    def start(self, n, share):
        self.columns, self.K = make_columns(n=n, columns_in_budget=share)
        self.held = []

    @rule(i=st.integers(0, 39))
    def hold(self, i):
        i %= self.columns.n
        self.held.append((i, self.columns.hold(i)))

    @rule(i=st.integers(0, 39))
    def release(self, i):
        if self.held:
            j, _ = self.held.pop(i % len(self.held))
            self.columns.release(j)

    @rule(seed=st.integers(0, 99), share=st.floats(0, 1))
    def multiply(self, seed, share):
        rng = np.random.default_rng(seed)
        v = rng.normal(size=self.columns.n) * (rng.random(self.columns.n) < share)
        assert np.allclose(self.columns.product(v), self.K @ v, rtol=1e-12, atol=1e-12)

    @rule(i=st.integers(0, 39))
    def read(self, i):
        i %= self.columns.n
        assert np.allclose(self.columns.column(i), self.K[:, i], rtol=1e-12)

    @invariant()
    def pinned_columns_are_right_and_the_rest_fits(self):
        if hasattr(self, "held"):
            for i, view in self.held:
                assert np.allclose(view, self.K[:, i], rtol=1e-12)
            n, pinned = self.columns.n, len({i for i, _ in self.held})
            limit = (n if self.columns.is_full else self.columns.capacity) + pinned
            assert self.columns.n_bytes <= 8 * n * limit


CacheMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestCacheMachine = CacheMachine.TestCase
