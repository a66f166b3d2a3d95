"""The working-set solver: judged by LIBSVM and by the conditions themselves."""

import os
import signal
import threading

import numpy as np
import pytest
from estimators.samples import overlapping, random_weights
from sklearn import svm

from weightpath.engine import first_solution, solve
from weightpath.engine._working_set import WorkingSet
from weightpath.engine.first_solution import feasible_start
from weightpath.kernels import Kernel
from weightpath.problems import (
    hinge_staircase,
    one_class_staircase,
    pinball_staircase,
    tube_staircase,
)

KERNEL = Kernel("rbf", gamma=0.4)

# The violation that is left, and how far LIBSVM's values may be: it has them in single precision.
TIGHT, LIBSVM = 1e-6, 1e-4


def staircases(X, y, weight):
    """Return one problem of each kind, by name."""
    sign = np.where(y == 1, 1.0, -1.0)
    target = 3.0 + np.sin(2.0 * X[:, 0]) + 0.3 * sign
    return {
        "hinge": hinge_staircase(sign, weight),
        "own margins": hinge_staircase(sign, weight, 1.0 + 0.5 * np.abs(X[:, 1])),
        "tube": tube_staircase(target, weight, 0.1),
        "closed tube": tube_staircase(target, weight, 0.0, np.ones(len(y), dtype=bool)),
        "tubes of many widths": tube_staircase(target, weight, 0.1 * np.abs(X[:, 1])),
        "pinball": pinball_staircase(target, weight, np.full(len(y), 0.8)),
        "one class": one_class_staircase(weight, 0.3),
    }


PROBLEMS = tuple(staircases(*overlapping(8), np.ones(8)))


def violation(K, stair, beta, bias):
    """How far residuals are from what their coefficients allow, worked out from the matrix."""
    residual = stair.target - K @ beta - bias
    low, high = stair.residual_range(beta)
    return float(np.maximum(low - residual, residual - high).max())


def is_feasible(stair, beta):
    lower, upper = stair.bounds()
    size = np.abs(beta).sum() + 1e-300
    inside = (lower <= beta).all() and (beta <= upper).all()
    return inside and abs(beta.sum() - stair.total) <= 1e-12 * size


def run(columns, stair, tolerance=TIGHT, ridge=0.0):
    start = feasible_start(stair)
    gradient = stair.target - columns.product(start) - ridge * start
    found = WorkingSet(columns, stair, start, gradient, ridge)
    assert found.run(tolerance, 10**6)
    return found


@pytest.mark.parametrize("kernel", [KERNEL, Kernel("linear"), Kernel("poly", gamma=0.5, coef0=1.0)])
@pytest.mark.parametrize("name", PROBLEMS)
def test_conditions_hold_within_the_tolerance(name, kernel):
    X, y = overlapping(150)
    stair = staircases(X, y, random_weights(150, zeros=0.2))[name]
    found = run(kernel.columns(X), stair)
    beta = found.coefficients
    assert is_feasible(stair, beta) and found.n_steps > 0 and found.gap <= TIGHT
    assert violation(kernel.between(X, X), stair, beta, found.bias) <= 1.01 * TIGHT


@pytest.mark.parametrize("name", PROBLEMS)
def test_rows_set_aside_are_looked_at_again(name):
    # More steps than there are between two looks at which rows to set aside.
    X, y = overlapping(700, seed=3)
    stair = staircases(X, y, random_weights(700, zeros=0.1) * 30.0)[name]
    kernel = Kernel("rbf", gamma=3.0)
    found = run(kernel.columns(X), stair)
    assert found.n_steps > 1400
    assert is_feasible(stair, found.coefficients)
    assert violation(kernel.between(X, X), stair, found.coefficients, found.bias) <= 1.01 * TIGHT


def machines(stairs, weight):
    """Return scikit-learn's models and the same problems here."""
    tight = {"kernel": "precomputed", "tol": 1e-6}
    return [
        (svm.SVC(C=1.0, **tight), stairs["hinge"], weight),
        (svm.SVR(C=1.0, epsilon=0.1, **tight), stairs["tube"], weight),
        (svm.SVR(C=1.0, epsilon=0.0, **tight), stairs["closed tube"], weight),
        (svm.OneClassSVM(nu=0.3, **tight), stairs["one class"], weight),
    ]


@pytest.mark.parametrize("which", range(4))
def test_values_agree_with_libsvm(which):
    X, y = overlapping(200, seed=1)
    weight = random_weights(200, seed=1)
    model, stair, weight = machines(staircases(X, y, weight), weight)[which]
    K = KERNEL.between(X, X)
    model.fit(K, stair.target, sample_weight=weight)
    found = run(KERNEL.columns(X), stair)
    ours = K @ found.coefficients + found.bias
    theirs = model.predict(K) if isinstance(model, svm.SVR) else model.decision_function(K)
    assert np.abs(ours - theirs).max() <= LIBSVM * np.abs(ours).max()


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_ridge_is_a_larger_diagonal(name):
    X, y = overlapping(80)
    stair = staircases(X, y, random_weights(80))[name]
    found = run(KERNEL.columns(X), stair, ridge=0.7)
    K = KERNEL.between(X, X) + 0.7 * np.eye(80)
    assert violation(K, stair, found.coefficients, found.bias) <= 1.01 * TIGHT


@pytest.mark.parametrize("name", PROBLEMS)
def test_equal_rows_and_zero_weights(name):
    X, y = overlapping(20)
    X, y = np.repeat(X, 6, axis=0), np.repeat(y, 6)
    weight = np.tile([0.0, 1.0, 1.0, 2.0, 0.0, 1e-3], 20)
    stair = staircases(X, y, weight)[name]
    found = run(KERNEL.columns(X), stair)
    beta = found.coefficients
    assert is_feasible(stair, beta) and not beta[weight == 0].any()
    assert violation(KERNEL.between(X, X), stair, beta, found.bias) <= 1.01 * TIGHT


@pytest.mark.parametrize("name", PROBLEMS)
def test_weights_over_many_orders_of_magnitude(name):
    X, y = overlapping(60)
    weight = 10.0 ** np.random.default_rng(0).uniform(-12, 12, 60)
    stair = staircases(X, y, weight)[name]
    columns = KERNEL.columns(X)
    beta, bias = first_solution(columns, stair, 1e-3)
    lower, upper = stair.bounds()
    assert (lower <= beta).all() and (beta <= upper).all() and np.isfinite(bias)
    # Whatever it is: the exact solver goes on from there.
    state = solve(columns, stair, beta, bias)
    tolerance = 1e-9 * (stair.residual_scale or abs(state.bias))
    assert violation(KERNEL.between(X, X), stair, state.beta, state.bias) <= tolerance


@pytest.mark.parametrize("tolerance", [3e-4, TIGHT])
@pytest.mark.parametrize("name", ["hinge", "tube"])
def test_few_active_rows_are_packed(name, tolerance):
    # Many steps and few active rows; without a budget nothing is packed.
    X, y = overlapping(900, seed=5)
    stair = staircases(X, y, np.full(900, 30.0))[name]
    K = KERNEL.between(X, X)
    steps = []
    for columns in (KERNEL.columns(X, 200.0), Kernel("precomputed").columns(K)):
        found = run(columns, stair, tolerance)
        assert is_feasible(stair, found.coefficients)
        assert violation(K, stair, found.coefficients, found.bias) <= 1.01 * tolerance
        steps.append(found.n_steps)
    assert max(steps) <= 2 * min(steps)


def test_the_columns_of_the_solution_are_kept():
    X, y = overlapping(300)
    # Few support vectors, and no room for the whole matrix.
    stair = staircases(X, y, np.full(300, 5.0))["hinge"]
    columns = KERNEL.columns(X, 0.6)
    assert columns.capacity < 300
    beta, _ = first_solution(columns, stair, 1e-3)
    before = columns.n_computed
    assert np.flatnonzero(beta).size <= before <= columns.capacity
    columns.product(beta)
    assert columns.n_computed == before


def test_where_many_columns_are_needed_all_are_computed():
    X, y = overlapping(300)
    stair = staircases(X, y, np.full(300, 5.0))["closed tube"]
    columns = KERNEL.columns(X, 10.0)
    first_solution(columns, stair, 1e-3)
    assert columns.is_full and columns.n_computed == 300


def test_where_few_rows_want_one_not_all_columns_are_computed():
    X, y = overlapping(400)
    stair = staircases(X, y, np.full(400, 100.0))["hinge"]
    columns = Kernel("rbf", gamma=0.05).columns(X, 10.0)
    beta, _ = first_solution(columns, stair, 1e-3)
    assert np.count_nonzero(beta) < 200 and not columns.is_full


def test_the_largest_sum_leaves_nothing_to_choose():
    weight = random_weights(30)
    stair = one_class_staircase(weight, 1.0)
    X, _ = overlapping(30)
    beta, bias = first_solution(KERNEL.columns(X), stair, 1e-3)
    assert beta == pytest.approx(weight) and bias == 0.0


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_overflows_gives_a_feasible_start(name):
    X, y = overlapping(20)
    stair = staircases(X, y, np.linspace(0.0, 1.0, 20))[name]
    columns = Kernel("poly", gamma=1.0, degree=3).columns(1e60 * X)
    beta, bias = first_solution(columns, stair, 1e-3)
    assert is_feasible(stair, beta) and np.isfinite(bias)


def test_steps_are_limited():
    X, y = overlapping(100)
    stair = staircases(X, y, np.full(100, 100.0))["hinge"]
    found = WorkingSet(KERNEL.columns(X), stair, np.zeros(100), stair.target)
    assert not found.run(TIGHT, 7) and found.n_steps == 7 and found.gap > TIGHT
    assert found.run(TIGHT, 10**6)


class Endless:
    """A problem whose steps take minutes: nearly singular, to a tolerance of nothing."""

    def __init__(self):
        X, y = overlapping(400)
        self.K = Kernel("rbf", gamma=1e-3).between(X, X)
        self.stair = hinge_staircase(np.where(y == 1, 1.0, -1.0), np.full(400, 1e9))
        self.columns = Kernel("precomputed").columns(self.K)
        self.found = WorkingSet(self.columns, self.stair, np.zeros(400), self.stair.target)

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
    # What it leaves behind is feasible.
    assert endless.found.n_steps > 0
    assert is_feasible(endless.stair, endless.found.coefficients)


def test_progress_is_reported_and_can_end_it():
    endless, seen = Endless(), []

    def look(n_steps, gap):
        seen.append((n_steps, gap))
        if len(seen) == 5:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        endless.run(look)
    steps, gaps = np.array(seen).T
    assert (np.diff(steps) > 0).all() and (gaps > 0).all()


# After a quarter of the columns, 15 of them, all others are computed at once.
@pytest.mark.parametrize("good_columns", [0, 1, 14, 15])
def test_a_kernel_that_fails_is_passed_on(good_columns):
    X, y = overlapping(60)
    stair = staircases(X, y, np.full(60, 10.0))["tube"]
    calls = []

    def moody(A, B):
        if len(B) == 60:
            calls.append(len(A))
        if len(calls) > good_columns:
            raise ArithmeticError("not today")
        return KERNEL.between(A, B)

    columns = Kernel("callable", function=moody).columns(X)
    with pytest.raises(ArithmeticError, match="not today"):
        first_solution(columns, stair, 1e-3)


@pytest.mark.parametrize("total", [0.0, 2.5, -1.0, 30.0])
def test_feasible_starts(total):
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.0, 2.0, 50)
    stair = pinball_staircase(rng.normal(size=50), weight, np.full(50, 0.7))
    stair = type(stair)(stair.target, stair.knots, stair.levels, total)
    beta = feasible_start(stair)
    assert is_feasible(stair, beta)
    # All but one are at zero or at a bound.
    lower, upper = stair.bounds()
    assert ((beta != 0) & (beta != lower) & (beta != upper)).sum() <= 1
