"""The lasso: many and few features, copies and combinations of columns, every penalty moving."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, lars_path

from engine.acceptance import agrees_with_clarabel, check_round_trip, diabetes
from engine.budgets import within_budget
from engine.walks import walk
from judges.cases import kernel_matrix
from weightpath.problems import lasso_staircase


def tall(rng):
    return rng.normal(size=(200, 40))


def flat(rng):
    return rng.normal(size=(50, 150))


def copied(rng):
    X = rng.normal(size=(200, 20))
    return np.hstack([X, X[:, :10], -X[:, 5:8]])


def copied_flat(rng):
    X = rng.normal(size=(40, 60))
    return np.hstack([X, X[:, :30]])


def combined(rng):
    X = rng.normal(size=(150, 20))
    return np.hstack([X, X[:, :10] @ rng.normal(size=(10, 10)) / 3.0])


def correlated(rng):
    return rng.normal(size=(200, 3)) @ rng.normal(size=(3, 50)) + 0.01 * rng.normal(size=(200, 50))


def coded(rng):
    X = np.hstack([np.eye(5)[rng.integers(0, 5, 200)] for _ in range(5)])
    return X - X.mean(axis=0)


def integers(rng):
    X = rng.integers(-1, 2, size=(60, 30)).astype(float)
    X[:, 3] = 0.0
    return X


def real(rng):
    return diabetes()[0]


def real_products(rng):
    """The data of the least angle regression paper: products of the features too."""
    X = diabetes()[0]
    pairs = [X[:, i] * X[:, j] for i in range(10) for j in range(i, 10)]
    X = np.column_stack([X, *pairs])
    X = X - X.mean(axis=0)
    return X / X.std(axis=0)


DATA = {
    make.__name__: make
    for make in (
        tall,
        flat,
        copied,
        copied_flat,
        combined,
        correlated,
        coded,
        integers,
        real,
        real_products,
    )
}


class Problem:
    """Data, their matrix and their staircases by penalty."""

    def __init__(self, name, seed=0):
        rng = np.random.default_rng(seed)
        self.X = DATA[name](rng)
        n, p = self.X.shape
        if name.startswith("real"):
            self.y = diabetes()[1] - diabetes()[1].mean()
        else:
            self.y = self.X[:, :6] @ rng.normal(size=6) * 3.0 + rng.normal(size=n)
        self.K = kernel_matrix(self.X.T) / n
        self.t = self.X.T @ self.y / n
        self.ones = np.ones(p)
        self.largest = float(np.abs(self.t).max())

    def at(self, penalty, t=None):
        return lasso_staircase(self.t if t is None else t, self.largest * penalty * self.ones)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", DATA)
def test_from_all_zero_to_nearly_no_penalty(name, seed):
    problem = Problem(name, seed)
    for first in (1.2, 1.0):
        legs = check_round_trip(problem.K, [problem.at(penalty) for penalty in (first, 1e-4)])
        assert not legs[0].part.beta(0.0).any()
        assert within_budget(max(leg.worst_violation() for leg in legs))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", DATA)
def test_every_penalty_moves(name, seed):
    problem = Problem(name, seed)
    rng = np.random.default_rng(seed)
    penalties = [0.02 * rng.lognormal(size=len(problem.t)) for _ in range(3)]
    legs = check_round_trip(problem.K, [problem.at(penalty) for penalty in penalties])
    assert within_budget(max(leg.worst_violation() for leg in legs))


@pytest.mark.parametrize("name", DATA)
def test_some_features_without_penalty(name):
    problem = Problem(name)
    rng = np.random.default_rng(2)
    penalties = [0.02 * rng.lognormal(size=len(problem.t)) for _ in range(3)]
    penalties[1] *= rng.uniform(size=len(problem.t)) < 0.9
    legs = check_round_trip(problem.K, [problem.at(penalty) for penalty in penalties])
    assert within_budget(max(leg.worst_violation() for leg in legs))


@pytest.mark.parametrize("name", DATA)
def test_moving_targets(name):
    problem = Problem(name)
    y = np.random.default_rng(3).permutation(problem.y)
    ends = problem.t, problem.X.T @ y / len(y), np.zeros_like(problem.t)
    legs = check_round_trip(problem.K, [problem.at(0.05, t) for t in ends])
    assert within_budget(max(leg.worst_violation() for leg in legs))


@pytest.mark.parametrize("name", ["tall", "flat", "combined", "real"])
def test_down_to_least_squares(name):
    """With no penalty at the end the residuals are orthogonal to every column."""
    problem = Problem(name)
    (leg,) = walk(problem.K, [problem.at(penalty) for penalty in (1.0, 0.0)])
    left = problem.y - problem.X @ leg.part.beta(1.0)
    assert within_budget(np.abs(problem.X.T @ left).max() / (len(left) * problem.largest))


@pytest.mark.parametrize("name", DATA)
def test_interior_point(name):
    problem = Problem(name)
    rng = np.random.default_rng(4)
    penalties = [0.1 * rng.lognormal(size=len(problem.t)) for _ in range(2)]
    (leg,) = walk(problem.K, [problem.at(penalty) for penalty in penalties])
    for theta in rng.uniform(size=2):
        assert agrees_with_clarabel(leg, float(theta))


@pytest.mark.parametrize("name", ["tall", "flat", "copied", "combined", "real"])
def test_coordinate_descent(name):
    """A penalty for each feature is one penalty on scaled features."""
    problem = Problem(name)
    rng = np.random.default_rng(5)
    penalties = [0.1 * rng.lognormal(size=len(problem.t)) for _ in range(2)]
    (leg,) = walk(problem.K, [problem.at(penalty) for penalty in penalties])
    theta = float(rng.uniform())
    penalty = leg.start.between(leg.end, theta).levels[:, 1]
    machine = Lasso(alpha=1.0, fit_intercept=False, tol=1e-13, max_iter=100_000)
    machine.fit(problem.X / penalty, problem.y)
    ours, theirs = problem.X @ leg.part.beta(theta), machine.predict(problem.X / penalty)
    assert np.abs(ours - theirs).max() <= 1e-6 * np.abs(ours).max()


@pytest.mark.parametrize("name", ["tall", "real"])
def test_breakpoints_are_those_of_lars(name):
    problem = Problem(name)
    (leg,) = walk(problem.K, [problem.at(penalty) for penalty in (1.0, 1e-3)])
    alphas, _, coefs = lars_path(problem.X, problem.y, method="lasso")
    inside = (alphas < problem.largest * (1 - 1e-9)) & (alphas > 1.001e-3 * problem.largest)
    for alpha, coef in zip(alphas[inside], coefs.T[inside], strict=True):
        theta = (problem.largest - alpha) / (problem.largest * (1.0 - 1e-3))
        assert np.abs(leg.part.theta - theta).min() <= 1e-9
        assert leg.part.beta(theta) == pytest.approx(coef, abs=1e-7 * np.abs(coef).max())


def test_copies_share_no_more_than_one_place_on_the_margin():
    problem = Problem("copied")
    legs = walk(problem.K, [problem.at(penalty) for penalty in (1.0, 1e-4)])
    assert np.diff(legs[0].trace.record.offset).max() <= np.linalg.matrix_rank(problem.X)
