"""scikit-learn's least angle regression: the whole path of the lasso in one call."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.linear_model import lars_path

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import LassoProblem
from benchmarks.contest.solvers.base import PathSolver


class LarsPath(PathSolver):
    """``lars_path`` with its lasso modification; between its breakpoints the path is straight."""

    name = "lars"
    label = "scikit-learn lars_path"
    families = ("lasso",)

    def start(self, problem: LassoProblem, cap: float) -> None:
        self.problem = problem

    def trace(self, breakpoints: np.ndarray) -> None:
        problem = self.problem
        with warnings.catch_warnings():
            # That it stops early, where columns depend on one another, shows in its reach.
            warnings.simplefilter("ignore")
            self.penalty, _, self.coef = lars_path(
                problem.X, problem.y, method="lasso", alpha_min=problem.smallest
            )

    def reach(self) -> float:
        last, problem = float(self.penalty[-1]), self.problem
        return (problem.largest - last) / (problem.largest - problem.smallest)

    def solution_at(self, theta: float) -> Solution:
        # np.interp wants increasing places.
        penalty, places = self.problem.penalty(theta), self.penalty[::-1]
        return Solution(np.array([np.interp(penalty, places, one[::-1]) for one in self.coef]))
