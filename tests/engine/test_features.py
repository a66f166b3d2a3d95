"""Linear kernels in the space of their features: the events and solutions of the plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weightpath.engine import Options, first_solution, follow, solve
from weightpath.kernels import Kernel
from weightpath.kernels._feature_columns import FeatureColumns
from weightpath.kernels._feature_rows import FeatureRows
from weightpath.path.certificate import kkt_violation
from weightpath.problems import hinge_staircase, tube_staircase
from weightpath.problems.scales import reach_of

LINEAR = Kernel("linear")


def two_forms(X, rows=None):
    """The columns of the same rows, as long as there are rows and in their short form."""
    return LINEAR.columns(X, rows=rows), FeatureColumns(FeatureRows(X, rows), LINEAR, 200.0)


def classes(n=500, p=6, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + shift
    y = np.where(X[:, 0] - shift + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y, rng


def traced(columns, start, end, ridge=0.0):
    options = Options(ridge=ridge)
    state = solve(columns, start, *first_solution(columns, start, 1e-3, ridge), options)
    return follow(columns, start, end, state, options)


def violation(X, stair, state, ridge=0.0):
    """What is wrong with a solution.

    The judge's own sums are of extended precision: in double, those of 500 products of 5,000 each
    would be wrong by 1e-10 themselves.
    """
    exact, beta = X.astype(np.longdouble), state.beta.astype(np.longdouble)
    response = (exact @ (exact.T @ beta) + ridge * beta).astype(float)
    reach = reach_of((X.astype(float) ** 2).sum(axis=1) + ridge)
    return kkt_violation(stair, state.beta, state.bias, response, reach)


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("shift", [0.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_events_of_the_plain_loop(seed, shift, ridge):
    X, y, rng = classes(seed=seed, shift=shift)
    start = hinge_staircase(y, rng.uniform(0.5, 1.5, len(y)))
    end = hinge_staircase(y, rng.uniform(0.0, 2.0, len(y)))
    plain, short = (traced(columns, start, end, ridge) for columns in two_forms(X))
    assert len(plain.record.event_index) >= 50
    np.testing.assert_array_equal(short.record.event_index, plain.record.event_index)
    np.testing.assert_array_equal(short.record.event_to, plain.record.event_to)
    np.testing.assert_allclose(short.record.event_theta, plain.record.event_theta, atol=1e-8)
    np.testing.assert_allclose(short.state.beta, plain.state.beta, atol=1e-7)
    assert violation(X, end, short.state, ridge) < 1e-10


def test_levels_that_move():
    X, _, rng = classes(300, 4)
    y = X @ rng.normal(size=4) + rng.normal(size=300)
    start = tube_staircase(y, np.full(300, 1.0), np.full(300, 0.1))
    end = tube_staircase(y + 0.1 * rng.normal(size=300), np.full(300, 2.0), np.full(300, 0.5))
    plain, short = (traced(columns, start, end) for columns in two_forms(X))
    np.testing.assert_array_equal(short.record.event_index, plain.record.event_index)
    assert violation(X, end, short.state) < 1e-10


@pytest.mark.parametrize("seed", range(6))
def test_ties_and_duplicates_have_equal_solutions(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (400, 3)).astype(float)
    y = np.where(rng.random(400) < 0.5, 1.0, -1.0)
    start, end = hinge_staircase(y, np.ones(400)), hinge_staircase(y, rng.integers(0, 3, 400) * 1.0)
    plain, short = (traced(columns, start, end) for columns in two_forms(X))
    assert violation(X, end, short.state) < 1e-10
    np.testing.assert_allclose(X.T @ short.state.beta, X.T @ plain.state.beta, atol=1e-8)


def check_small_problem(seed, n, p, scale, shift):
    X, y, rng = classes(n, p, seed, shift)
    X = scale * np.round(X, 1)
    y[:2] = [1.0, -1.0]
    weight = rng.choice([0.0, 1e-3, 1.0, 50.0], n)
    weight[:2] = 1.0
    start, end = hinge_staircase(y, np.ones(n)), hinge_staircase(y, weight)
    state = traced(two_forms(X)[1], start, end).state
    # Large features leave few digits: the state says what rounding does.
    assert violation(X, end, state) < 1e-8 + state.tolerance


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(20, 200),
    p=st.integers(1, 8),
    scale=st.sampled_from([1e-6, 1.0, 1e3, 1e5, 1e7]),
    shift=st.sampled_from([0.0, 10.0, 1000.0]),
)
def test_any_small_problem(seed, n, p, scale, shift):
    check_small_problem(seed, n, p, scale, shift)


# Rows in the wrong sets, by roundings; right sets with far larger coefficients than the wrong ones
# had; a loop that so few roundings led astray; and a normal vector with roundings of coefficients
# that had become far smaller.
@pytest.mark.parametrize(
    ("seed", "n", "p", "scale", "shift"),
    [
        (0, 73, 6, 1e5, 10.0),
        (44, 44, 3, 1e5, 10.0),
        (2914, 117, 8, 1e7, 0.0),
        (1169, 184, 2, 1e7, 0.0),
        (4758, 181, 7, 1e5, 1000.0),
        (329, 142, 2, 1e7, 1000.0),
    ],
)
def test_large_features(seed, n, p, scale, shift):
    check_small_problem(seed, n, p, scale, shift)


def test_most_rows_sleep():
    n = 20_000
    X, y, rng = classes(n, 20)
    columns = two_forms(X)[1]
    start, end = (hinge_staircase(y, rng.uniform(0.02, 0.08, n)) for _ in range(2))
    trace = traced(columns, start, end)
    assert trace.counts["n_events"] > 500
    assert trace.counts["rows_touched"] < 0.1 * n * trace.counts["n_events"]


# Columns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("some", [False, True])
def test_columns_are_those_of_the_rows(kind, some):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 21)).astype(kind)
    rows = np.array([3, 1, 59, 20, 21]) if some else None
    columns = FeatureColumns(FeatureRows(X, rows), LINEAR, 200.0)
    own = (X if rows is None else X[rows]).astype(float)
    K = own @ own.T
    np.testing.assert_allclose(columns.diagonal, np.diag(K), rtol=1e-14)
    every = np.arange(len(own))
    np.testing.assert_allclose(columns.submatrix(every), K, rtol=1e-12, atol=1e-12)
    for v in (rng.normal(size=len(own)), np.eye(len(own))[2], np.zeros(len(own))):
        np.testing.assert_allclose(columns.product(v), K @ v, atol=1e-11)
        np.testing.assert_allclose(columns.points(v), own.T @ v, atol=1e-12)
        np.testing.assert_allclose(columns.values_at([2, 0], v), (K @ v)[[2, 0]], atol=1e-11)
    np.testing.assert_allclose(columns.long_form().column(2), K[:, 2], atol=1e-12)


def test_a_product_that_changes_little_is_brought_up_to_date():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    columns, v = FeatureColumns(FeatureRows(X), LINEAR, 200.0), rng.normal(size=200)
    for k in range(300):
        v[rng.integers(200)] += rng.normal()
        np.testing.assert_allclose(columns.product(v), X @ (X.T @ v), atol=1e-10, err_msg=str(k))


def test_a_product_forgets_the_roundings_of_larger_coefficients():
    # Beside coefficients of one, features of 1e10 leave nothing of sums of 1e-6.
    rng = np.random.default_rng(0)
    X = 1e10 + 1e7 * rng.normal(size=(60, 3))
    columns, v = FeatureColumns(FeatureRows(X), LINEAR, 200.0), rng.normal(size=60)
    columns.product(v)
    small = 1e-9 * rng.normal(size=60)
    for k in range(0, 60, 6):
        v[k : k + 6] = small[k : k + 6]
        columns.product(v)
    exact = X.T.astype(np.longdouble) @ small.astype(np.longdouble)
    np.testing.assert_allclose(columns.points(v), exact.astype(float), atol=1e-14)


def test_rows_that_go_are_left_out_without_a_copy():
    X = np.random.default_rng(0).normal(size=(50, 4))
    columns = FeatureColumns(FeatureRows(X), LINEAR, 200.0)
    fewer = columns.only(np.arange(1, 50))
    assert fewer.rows.X is X and fewer.n == 49
    np.testing.assert_allclose(fewer.only(np.arange(1, 49)).column(0), X[2:] @ X[2])
    # Where most went, the others are put together.
    assert columns.only(np.arange(20)) is None
    new = np.concatenate([X[5:], np.ones((2, 4))])
    source = np.concatenate([np.arange(5, 50), [-1, -1]])
    np.testing.assert_allclose(columns.handover(new, source).diagonal, (new**2).sum(1))


def test_rows_that_are_not_there():
    with pytest.raises(IndexError, match="10 rows"):
        FeatureRows(np.ones((10, 2)), np.array([3, 10]))
    with pytest.raises(ValueError, match="without rows or features"):
        FeatureRows(np.ones((3, 0)))
