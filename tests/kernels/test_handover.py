"""Columns handed over to a changed training set equal fresh ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weightpath.kernels import Kernel

NAMES = ["linear", "poly", "rbf", "sigmoid"]


def matrix_of(columns):
    return np.column_stack([columns.column(i) for i in range(columns.n)])


def make_change(rng, n, n_keep, n_new, p=3):
    """Old rows, new rows in any order, and where each comes from."""
    X = rng.normal(size=(n, p))
    source = np.r_[rng.permutation(n)[:n_keep], np.full(n_new, -1)]
    rng.shuffle(source)
    X_new = np.where((source >= 0)[:, None], X[source], rng.normal(size=(len(source), p)))
    return X, X_new, source


def slide(X, k, rng):
    """Drop the first k rows and append k new ones."""
    n = len(X)
    return np.vstack([X[k:], rng.normal(size=(k, X.shape[1]))]), np.r_[k:n, [-1] * k]


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 70),
    keep=st.floats(0, 1),
    n_new=st.integers(0, 30),
    name=st.sampled_from(NAMES),
    sparse=st.booleans(),
    cache_mb=st.sampled_from([0.0, 0.005, 1.0]),
    full=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_equals_fresh_to_the_last_bit(n, keep, n_new, name, sparse, cache_mb, full, seed):
    rng = np.random.default_rng(seed)
    n_keep = round(keep * n)
    if n_keep + n_new == 0:
        n_new = 1
    X, X_new, source = make_change(rng, n, n_keep, n_new)
    if sparse:
        X, X_new = csr_array(X), csr_array(X_new)
    kernel = Kernel(name, gamma=0.3, coef0=0.5)
    old = kernel.columns(X, cache_mb)
    for i in rng.integers(n, size=6):
        old.column(i)
    if full:
        old.product(np.ones(n))
    heir = old.handover(X_new, source)
    fresh = kernel.columns(X_new, cache_mb)
    assert (matrix_of(heir) == matrix_of(fresh)).all()
    assert (heir.diagonal == fresh.diagonal).all()
    assert heir.capacity == fresh.capacity
    assert np.allclose(heir.product(np.ones(heir.n)), fresh.product(np.ones(heir.n)))


def test_only_new_rows_of_a_full_matrix_are_computed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    old = Kernel("rbf").columns(X, 1.0)
    old.product(np.ones(200))
    heir = old.handover(*slide(X, 5, rng))
    assert heir.is_full
    assert heir.n_computed == 5
    assert old.is_full


def test_cached_columns_are_kept_in_their_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    old = Kernel("rbf").columns(X, 5 * 800 * (1 + 1e-9) / 1e6)
    for i in (50, 2, 40, 60, 70):
        old.column(i)
    old.hold(50)
    heir = old.handover(*slide(X, 5, rng))
    assert heir.n_bytes == 4 * 800
    for i in (35, 55, 65, 45):
        heir.column(i)
    assert heir.n_computed == 0
    heir = old.handover(*slide(X, 5, rng))
    heir.column(0)
    heir.column(1)
    heir.column(55)
    assert heir.n_computed == 2
    heir.column(35)
    assert heir.n_computed == 3


def test_a_callable_sees_only_what_is_new():
    pairs = []

    def function(A, B):
        pairs.append(len(A) * len(B))
        return A @ B.T

    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    old = Kernel("callable", function=function).columns(X, 1.0)
    old.product(np.ones(100))
    pairs.clear()
    X_new, source = slide(X, 2, rng)
    heir = old.handover(X_new, source)
    assert sum(pairs) <= 100 * 8 + 2 * 100
    assert np.allclose(matrix_of(heir), X_new @ X_new.T)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60),
    steps=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=12),
    name=st.sampled_from(NAMES),
    sparse=st.booleans(),
    cache_mb=st.sampled_from([0.0, 0.002, 0.02, 1.0]),
    full=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_a_window_slides_without_copying(n, steps, name, sparse, cache_mb, full, seed):
    """First rows go, last ones come, in any numbers: what is given away equals fresh columns."""
    rng = np.random.default_rng(seed)
    X, kernel = rng.normal(size=(n, 3)), Kernel(name, gamma=0.3, coef0=0.5)
    columns = kernel.columns(csr_array(X) if sparse else X, cache_mb)
    for gone, come in steps:
        gone = min(gone, len(X) - 1)
        for i in rng.integers(columns.n, size=5):
            columns.column(i)
        if full:
            columns.product(np.ones(columns.n))
        source = np.r_[gone : len(X), [-1] * come].astype(np.intp)
        X = np.vstack([X[gone:], rng.normal(size=(come, 3))])
        old, own = columns, csr_array(X) if sparse else X
        columns = old.handover(own, source, keep=False)
        fresh = kernel.columns(own, cache_mb)
        held = columns.n_bytes
        assert held <= max(1e6 * cache_mb, 4 * 8 * 2 * columns.n), "within the budget"
        assert np.allclose(columns.product(np.ones(len(X))), fresh.product(np.ones(len(X))))
        assert (matrix_of(columns) == matrix_of(fresh)).all()
    # Who has given its columns away computes them again.
    assert old.column(0).shape == (old.n,)


@pytest.mark.parametrize("full", [True, False])
def test_a_sliding_window_moves_nothing(full):
    """Of a column that stays, only the entries of new rows are written: it stays where it lies."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    columns = Kernel("rbf").columns(X, 1.0)
    if full:
        columns.product(np.ones(200))
    places = []
    for _ in range(4):
        X_new, source = slide(X, 5, rng)
        held = columns.hold(100)
        columns.release(100)
        places.append(held.ctypes.data)
        columns = columns.handover(X_new, source, keep=False)
        X = X_new
        held = columns.hold(95)
        columns.release(95)
        places.append(held.ctypes.data - 5 * 8)
        assert columns.n_computed == (5 if full else 0)
    # The first handover copies, to make room; then a column begins five numbers further on.
    assert all(a == b for a, b in zip(places[2::2], places[3::2], strict=True))


def test_a_column_in_use_is_not_given_away():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    columns = Kernel("rbf").columns(X, 1.0)
    held = columns.hold(7)
    before = held.copy()
    heir = columns.handover(*slide(X, 5, rng), keep=False)
    assert (held == before).all()
    heir.column(2)
    assert heir.n_computed == 0
    columns.release(7)


def test_precomputed():
    K = np.eye(4)
    assert (Kernel("precomputed").columns(np.eye(3), 1.0).handover(K, None).diagonal == 1.0).all()


@pytest.mark.parametrize("source", [[0, 1], [0, 1, 5], [0, 1, -2]])
def test_wrong_source(source):
    columns = Kernel("rbf").columns(np.ones((3, 2)), 1.0)
    with pytest.raises(ValueError, match="source"):
        columns.handover(np.ones((3, 2)), source)


@pytest.mark.parametrize("full", [True, False])
def test_the_first_arrivals_move_nothing(full):
    """With hundreds of rows there is room for some arrivals behind columns that are new."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(640, 3))
    columns = Kernel("rbf").columns(X, 50.0)
    columns.product(np.ones(640) if full else np.eye(640)[3])
    place = columns.hold(3).ctypes.data
    columns.release(3)
    for _ in range(5):
        X = np.vstack([X, rng.normal(size=(1, 3))])
        source = np.r_[: len(X) - 1, -1].astype(np.intp)
        columns = columns.handover(X, source, keep=False)
        assert columns.hold(3).ctypes.data == place
        columns.release(3)
    assert (matrix_of(columns) == matrix_of(Kernel("rbf").columns(X, 50.0))).all()


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(2, 80),
    steps=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 40)), min_size=1, max_size=10),
    name=st.sampled_from(NAMES),
    sparse=st.booleans(),
    cache_mb=st.sampled_from([0.0, 0.002, 0.02, 1.0]),
    full=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_slides_equal_fresh_columns(n, steps, name, sparse, cache_mb, full, seed):
    """Also where another has slid from the same columns before, and has written behind them."""
    rng = np.random.default_rng(seed)
    X, kernel = rng.normal(size=(n, 3)), Kernel(name, gamma=0.3, coef0=0.5)
    columns = kernel.columns(csr_array(X) if sparse else X, cache_mb)
    for gone, come in steps:
        gone = min(gone, len(X) - 1)
        for i in rng.integers(columns.n, size=5):
            columns.column(i)
        if full:
            columns.product(np.ones(columns.n))
        heirs = []
        for _ in range(2):
            new = np.vstack([X[gone:], rng.normal(size=(come, 3))])
            heirs.append((new, columns.slide(csr_array(new) if sparse else new, gone, come)))
        for new, heir in heirs:
            fresh = kernel.columns(csr_array(new) if sparse else new, cache_mb)
            assert (heir.diagonal == fresh.diagonal).all()
            assert (matrix_of(heir) == matrix_of(fresh)).all()
            assert heir.n_bytes <= max(1e6 * cache_mb, 4 * 8 * 2 * heir.n), "within the budget"
        X, columns = heirs[seed % 2]


def test_an_arrival_costs_one_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    columns = Kernel("rbf").columns(X, 1.0)
    for i in range(20):
        columns.column(i)
    new = np.vstack([X, rng.normal(size=(1, 3))])
    heir = columns.slide(new, 0, 1)
    before = heir.n_computed
    for i in [*range(20), 300]:
        heir.column(i)
    assert heir.n_computed == before, "the column of the new row is there, and all others are whole"


def test_values_at_some_rows():
    rng = np.random.default_rng(0)
    X, coef = rng.normal(size=(40, 3)), rng.normal(size=40)
    for columns in (
        Kernel("rbf").columns(X, 1.0),
        Kernel("precomputed").columns(Kernel("rbf").between(X, X), 1.0),
    ):
        K = columns.submatrix(np.arange(40))
        np.testing.assert_allclose(columns.values_at([3, 30], coef), K[[3, 30]] @ coef, rtol=1e-13)
        with pytest.raises(ValueError, match="length 40"):
            columns.values_at([3], coef[:-1])


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 80),
    name=st.sampled_from(NAMES),
    sparse=st.booleans(),
    cache_mb=st.sampled_from([0.0, 0.01, 1.0]),
    seed=st.integers(0, 1000),
)
def test_rows_that_go_leave_their_columns_where_they_are(n, name, sparse, cache_mb, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    source = np.flatnonzero(rng.random(n) < 0.8)
    source = source if source.size else np.array([n - 1])
    X, X_new = (csr_array(rows) if sparse else rows for rows in (X, X[source]))
    kernel = Kernel(name, gamma=0.3, coef0=0.5)
    old = kernel.columns(X, cache_mb)
    for i in rng.integers(n, size=8):
        old.column(i)
    held = old.n_bytes
    heir = old.handover(X_new, source, keep=False)
    if 2 * source.size >= n and source[0] == 0 and source.size < n:
        assert old.n_bytes == 0 and heir.n_bytes <= held
    fresh = kernel.columns(X_new, cache_mb)
    assert (matrix_of(heir) == matrix_of(fresh)).all()
    assert (matrix_of(old) == matrix_of(kernel.columns(X, cache_mb))).all()


@pytest.mark.parametrize("name", ["rbf", "linear"])
@pytest.mark.parametrize("come", [1, 3])
@pytest.mark.parametrize("full", [False, True])
def test_a_window_that_slides_for_long_stays_in_its_memory(full, come, name):
    rng = np.random.default_rng(0)
    kernel, X = Kernel(name, gamma=0.4), rng.normal(size=(80, 3))
    columns = kernel.columns(X, 1.0)
    if full:
        # A product with all rows builds the matrix.
        columns.product(np.ones(80))
    matrix_of(columns)
    sizes = set()
    for step in range(60):
        X = np.vstack([X[come:], rng.normal(size=(come, 3))])
        columns = columns.slide(X, come, come)
        if step > 20:
            sizes.add(columns.n_bytes)
        np.testing.assert_array_equal(matrix_of(columns), matrix_of(kernel.columns(X, 1.0)))
    assert len(sizes) == 1


def test_a_matrix_that_others_read_is_not_moved():
    rng = np.random.default_rng(0)
    kernel, X = Kernel("rbf", gamma=0.4), rng.normal(size=(80, 3))
    columns, shown = kernel.columns(X, 1.0), []
    for _ in range(40):
        matrix = columns.whole()
        shown.append((matrix, matrix.copy()))
        X = np.vstack([X[1:], rng.normal(size=(1, 3))])
        columns = columns.slide(X, 1, 1)
    for matrix, before in shown:
        np.testing.assert_array_equal(matrix, before)
    np.testing.assert_array_equal(columns.whole(), matrix_of(kernel.columns(X, 1.0)))
