"""celer, coordinate descent with working sets, at all breakpoints in one warm-started call."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import LassoProblem
from benchmarks.contest.solvers.base import PathSolver

# Its stopping rule is a duality gap; this is its default.
TOL = 1e-6


class CelerPath(PathSolver):
    """``celer.celer_path`` with the penalties of the breakpoints."""

    name = "celer"
    label = "celer, all breakpoints, warm"
    how = "warm"
    families = ("lasso",)
    module = "celer"
    remedy = "pip install celer"

    def start(self, problem: LassoProblem, cap: float) -> None:
        import celer

        self.celer_path = celer.celer_path
        self.problem, self.X = problem, np.asfortranarray(problem.X)

    def trace(self, breakpoints: np.ndarray) -> None:
        penalties = [self.problem.penalty(theta) for theta in breakpoints]
        answer = self.celer_path(self.X, self.problem.y, "lasso", alphas=penalties, tol=TOL)
        self.breakpoints, self.coef = breakpoints, answer[1]

    def solution_at(self, theta: float) -> Solution:
        return Solution(self.coef[:, np.searchsorted(self.breakpoints, theta)])
