"""Coordinate descent with a linear kernel: judged by the conditions themselves."""

import os
import signal
import threading

import numpy as np
import pytest
from estimators.samples import overlapping, random_weights
from scipy.sparse import csr_matrix
from sklearn import svm

from engine.test_working_set import is_feasible, staircases, violation
from weightpath.engine import first_solution, solve
from weightpath.engine._row_descent import RowDescent
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase

LINEAR = Kernel("linear")
TIGHT = 1e-6

# Those whose targets differ; one class is a matter of pairs of rows.
PROBLEMS = tuple(name for name in staircases(*overlapping(8), np.ones(8)) if name != "one class")


def run(X, stair, ridge=0.0):
    middle = 0.5 * (stair.target.min() + stair.target.max())
    found = RowDescent(X, stair, np.zeros(len(stair)), middle, ridge)
    assert found.run(TIGHT, 10**5) and found.gap <= TIGHT
    return found


@pytest.mark.parametrize("kind", [np.ascontiguousarray, csr_matrix])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("name", PROBLEMS)
def test_conditions_hold_within_the_tolerance(name, ridge, kind):
    X, y = overlapping(150)
    X[np.abs(X) < 0.3] = 0.0
    weight = random_weights(150, zeros=0.2) * 0.3
    stair = staircases(X, y, weight)[name]
    found = run(kind(X), stair, ridge)
    beta = found.coefficients
    lower, upper = stair.bounds()
    assert (lower <= beta).all() and (beta <= upper).all() and not beta[weight == 0].any()
    # The last epoch found no larger violation, at slightly different coefficients.
    K = X @ X.T + ridge * np.eye(150)
    assert violation(K, stair, beta, found.bias) <= 100 * TIGHT
    assert abs(beta.sum() - stair.total) <= TIGHT


def test_values_agree_with_liblinear():
    X, y = overlapping(300, seed=2)
    sign = np.where(y == 1, 1.0, -1.0)
    # As good as no penalty of the bias.
    theirs = svm.LinearSVC(loss="hinge", C=0.02, intercept_scaling=30.0, tol=1e-9, max_iter=10**7)
    theirs.fit(X, y)
    found = run(X, hinge_staircase(sign, np.full(300, 0.02)))
    ours = X @ (X.T @ found.coefficients) + found.bias
    assert np.abs(ours - theirs.decision_function(X)).max() <= 1e-2


@pytest.mark.parametrize("kind", [np.ascontiguousarray, csr_matrix])
@pytest.mark.parametrize("name", PROBLEMS)
def test_first_solutions_need_few_columns(name, kind):
    X, y = overlapping(400)
    stair = staircases(X, y, np.full(400, 0.1))[name]
    columns = LINEAR.columns(kind(X))
    beta, bias = first_solution(columns, stair, 1e-3)
    assert columns.n_computed == 0
    state = solve(columns, stair, beta, bias)
    assert columns.n_computed < 40
    assert violation(X @ X.T, stair, state.beta, state.bias) <= 1e-9 * stair.residual_scale


@pytest.mark.parametrize("name", PROBLEMS)
def test_first_solutions_have_the_right_sum(name):
    X, y = overlapping(100)
    stair = staircases(X, y, random_weights(100, zeros=0.2))[name]
    beta, _ = first_solution(LINEAR.columns(X), stair, 1e-3)
    assert is_feasible(stair, beta)


@pytest.mark.parametrize("name", [*PROBLEMS, "one class"])
@pytest.mark.parametrize("scale", [2.0**-66, 2.0**-10, 2.0**10, 2.0**66])
def test_features_of_any_size(name, scale):
    X, y = overlapping(60)
    # The same problem in other units: coefficients are smaller by the square of the factor, without
    # rounding.
    plain = staircases(X, y, random_weights(60))[name]
    knots, total = plain.knots / scale**2, plain.total / scale**2
    stair = type(plain)(plain.target, knots, plain.levels, total)
    columns = LINEAR.columns(scale * X)
    beta, bias = first_solution(columns, stair, 1e-3)
    state = solve(columns, stair, beta, bias)
    K, found = X @ X.T, scale**2 * state.beta
    # Without targets, what the terms of a sum add up to says what is large.
    size = plain.residual_scale or (np.abs(K) @ np.abs(found)).max()
    assert violation(K, plain, found, state.bias) <= 1e-9 * size


def test_what_overflows_gives_a_feasible_start():
    X, y = overlapping(20)
    stair = staircases(X, y, np.ones(20))["tube"]
    beta, bias = first_solution(LINEAR.columns(1e160 * X), stair, 1e-3)
    assert is_feasible(stair, beta) and np.isfinite(bias)


class Endless:
    """A problem whose epochs take minutes: features of very different sizes, no tolerance."""

    def __init__(self):
        X, y = overlapping(2000)
        X *= np.array([1.0, 1e3, 1e-3])
        self.stair = hinge_staircase(np.where(y == 1, 1.0, -1.0), np.full(2000, 1e6))
        self.found = RowDescent(X, self.stair, np.zeros(2000), 0.0)

    def run(self, callback=None):
        self.found.run(0.0, 10**12, callback)


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to itself")
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_interrupts():
    endless = Endless()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        endless.run()
    timer.join()
    assert endless.found.n_epochs > 0


def test_progress_is_reported_and_can_end_it():
    endless, seen = Endless(), []

    def look(n_epochs, gap):
        seen.append((n_epochs, gap))
        if len(seen) == 5:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        endless.run(look)
    epochs, gaps = np.array(seen).T
    assert (np.diff(epochs) > 0).all() and (gaps > 0).all()
