"""The library itself: a fit at the first weights, then the exact path to the last ones."""

from __future__ import annotations

import numpy as np

import weightpath as wp
from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import LassoProblem, Problem
from benchmarks.contest.solvers.base import PathSolver

CACHE_MB = 200.0


class WeightpathSolver(PathSolver):
    """``fit`` and then ``reweight`` or ``move``; for the lasso ``fit`` alone, which is the path."""

    name = "weightpath"
    label = "weightpath"
    families = ("weights", "cost", "regression", "lasso")

    path: wp.SolutionPath

    def start(self, problem: Problem, cap: float) -> None:
        self.problem = problem
        if isinstance(problem, LassoProblem):
            self.model = wp.Lasso(alpha=problem.smallest, fit_intercept=False)
            return
        self.begins_apart = True
        options: dict = {"gamma": problem.gamma, "cache_size": CACHE_MB}
        if problem.epsilon is not None:
            self.model = wp.SVR(C=1.0, epsilon=problem.epsilon, **options)
        else:
            self.model = wp.SVC(C=self._cost(), **options)
        self.model.fit(problem.X, problem.y, sample_weight=problem.C_start / self.model.C)

    def _cost(self) -> float:
        """The C that moves where all rows share one."""
        return float(self.problem.C_start[0]) if self.problem.family == "cost" else 1.0

    def trace(self, breakpoints: np.ndarray) -> None:
        problem = self.problem
        if isinstance(problem, LassoProblem):
            self.path = self.model.fit(problem.X, problem.y).path_
        elif problem.family == "cost":
            self.path = self.model.move(C=float(problem.C_end[0]))
        else:
            self.path = self.model.reweight(problem.C_end)

    def solution_at(self, theta: float) -> Solution:
        solution = self.path.at(theta)
        return Solution(solution.dual_coef, float(solution.intercept))
