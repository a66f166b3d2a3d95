"""Sequential minimal optimisation that goes on from the coefficients of the place before."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem
from benchmarks.contest.solvers.base import StepSolver, TimeIsUpError


class SeededSMO(StepSolver):
    """Alpha seeding around the project's own SMO, compiled by numba, at LIBSVM's tolerance.

    Coefficients at their weight follow it to the next place, which is closer to the solution there
    than clipping.
    """

    name = "smo"
    label = "SMO with alpha seeding, warm"
    how = "warm"
    families = ("weights", "cost", "regression")
    module = "numba"
    remedy = "pip install numba"

    def start(self, problem: KernelProblem, cap: float) -> None:
        from benchmarks.rivals.smo import SMOClassifier, SMORegressor

        self.problem, self.cap = problem, cap
        matrix = rbf_kernel(problem.X, gamma=problem.gamma)
        if problem.epsilon is None:
            self.smo = SMOClassifier(matrix, problem.y, problem.C_start)
        else:
            self.smo = SMORegressor(matrix, problem.y, problem.C_start, problem.epsilon)
        self._solve()

    def move(self, theta: float) -> None:
        self.smo.reweight(self.problem.weights(theta), "bound")
        self._solve()

    def _solve(self) -> None:
        result = self.smo.solve(max_seconds=self.cap)
        if result.capped:
            raise TimeIsUpError
        self.bias = result.bias

    def solution(self) -> Solution:
        return Solution(np.array(self.smo.beta), self.bias)
