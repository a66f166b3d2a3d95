"""Sparse linear kernels with large margins: velocities by way of the features."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, hstack
from scipy.sparse import random as random_matrix

from weightpath.engine import Options, follow, solve
from weightpath.kernels import Kernel, StoredColumns
from weightpath.problems import hinge_staircase, tube_staircase

N, P = 400, 1500


def texts(seed, signed=False):
    """Few words in each row, some of them frequent; and a noisy label."""
    rng = np.random.default_rng(seed)
    often = random_matrix(N, 20, density=0.1, random_state=rng)
    X = csr_matrix(hstack([often, random_matrix(N, P - 20, density=3.0 / P, random_state=rng)]))
    if signed:
        X.data *= rng.choice([-1.0, 1.0], X.nnz)
    y = np.where(X @ rng.normal(size=P) + 0.1 * rng.normal(size=N) > 0.0, 1.0, -1.0)
    return X, y, rng


def traced(columns, start, end, ridge=0.0):
    options = Options(ridge=ridge)
    return follow(columns, start, end, solve(columns, start, options=options), options)


@pytest.mark.parametrize("ridge", [0.0, 0.2])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_events_of_the_columns(seed, signed, ridge):
    X, y, rng = texts(seed, signed)
    start = hinge_staircase(y, rng.uniform(1.0, 2.0, N))
    end = hinge_staircase(y, rng.uniform(0.5, 3.0, N) * (rng.random(N) < 0.97))
    quick = traced(Kernel("linear").columns(X), start, end, ridge)
    K = (X @ X.T).toarray()
    plain = traced(StoredColumns(K), start, end, ridge)
    assert len(quick.state.margin) > 80
    # All rows have a velocity at every event: none sleeps.
    assert quick.counts["rows_touched"] >= N * quick.counts["n_events"]
    assert quick.counts["n_events"] > 30
    np.testing.assert_array_equal(quick.record.event_index, plain.record.event_index)
    np.testing.assert_allclose(quick.record.event_theta, plain.record.event_theta, atol=1e-9)
    np.testing.assert_allclose(quick.state.beta, plain.state.beta, atol=1e-8)
    np.testing.assert_allclose(quick.state.residual, plain.state.residual, atol=1e-9)


def test_levels_that_move():
    X, y, rng = texts(0)
    target = y + 0.1 * rng.normal(size=N)
    start = tube_staircase(target, np.full(N, 1.0), np.full(N, 0.1))
    end = tube_staircase(target, rng.uniform(0.5, 2.0, N), np.full(N, 0.2))
    quick = traced(Kernel("linear").columns(X), start, end)
    plain = traced(StoredColumns((X @ X.T).toarray()), start, end)
    np.testing.assert_array_equal(quick.record.event_index, plain.record.event_index)
    np.testing.assert_allclose(quick.state.beta, plain.state.beta, atol=1e-8)
