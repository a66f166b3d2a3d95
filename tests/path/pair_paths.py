"""Paths of pairs with everything about them as dense matrices."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from judges import optimality
from judges.ranking import dense_staircase, random_problem
from weightpath.engine import follow, solve
from weightpath.kernels import Kernel
from weightpath.kernels.pairs import pair_columns
from weightpath.path import PathPart, Reading, SolutionPath
from weightpath.path.pair_rows import PairRows
from weightpath.problems import PreferencePairs

KINDS = ["dense", "sparse", "precomputed"]
# Many events or none, weights from 1e-4 to 2e4, copies and grids.
SEEDS = [10, 0, 4, 13, 15, 21]
# One with pairs that stay inside, and others that stay outside, all the way.
STEADY = 32


class Traced:
    """A path and everything about it as dense matrices."""

    def __init__(self, seed, kind="dense"):
        self.problem = problem = random_problem(seed)
        self.kind = kind
        kernel, X = Kernel(**problem.kernel), problem.X
        if kind == "sparse":
            X = csr_matrix(X)
        elif kind == "precomputed":
            kernel, X = Kernel("precomputed"), problem.G
        pairs = PreferencePairs.of(problem.relevance, problem.query)
        columns = pair_columns(kernel, X, pairs, kernel.columns(X, 1.0))
        start, end = problem.staircases()
        trace = follow(columns, start, end, solve(columns, start))
        self.part = PathPart(
            kernel,
            X,
            None,
            start,
            end,
            trace.record,
            Reading("ranking", np.ones(len(pairs))),
            evaluation=PairRows(pairs),
        )
        self.path = SolutionPath([self.part], X, kernel)
        rng = np.random.default_rng(seed)
        self.points = rng.normal(size=(5, problem.X.shape[1]))
        self.theta = np.array([0.0, 1.0, 0.5, *rng.uniform(size=4), *self.path.theta[1:3]])

    @property
    def new(self):
        """New documents as the path takes them."""
        if self.kind == "precomputed":
            return Kernel(**self.problem.kernel).between(self.points, self.problem.X)
        return csr_matrix(self.points) if self.kind == "sparse" else self.points

    def weight(self, theta):
        first, second = self.problem.weights
        return (1 - theta) * first + theta * second

    def values(self, theta):
        """Decision values of the new documents, by plain sums."""
        between = Kernel(**self.problem.kernel).between(self.points, self.problem.X)
        return between @ (self.problem.D.T @ self.part.beta(theta))

    def close(self, found, theta):
        """Assert decision values of the new documents, up to rounding of their sums."""
        between = Kernel(**self.problem.kernel).between(self.points, self.problem.X)
        coef = np.abs(self.problem.D).T @ self.part.beta(theta)
        noise = 8 * np.finfo(float).eps * (np.abs(between) @ coef).max()
        np.testing.assert_allclose(found, self.values(theta), rtol=0, atol=1e-12 + noise)

    def violation(self, theta):
        stair = dense_staircase(self.weight(theta))
        return optimality.violation(self.problem.K, stair, self.part.beta(theta)).worst


def close(actual, expected, tolerance=1e-10):
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)
