"""scikit-learn's support vector machines, LIBSVM inside, fitted from nothing at every place."""

from __future__ import annotations

import numpy as np
from sklearn import svm

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem
from benchmarks.contest.solvers.base import StepSolver

CACHE_MB = 200.0


class SklearnRefits(StepSolver):
    """``SVC.fit`` or ``SVR.fit`` with ``sample_weight``, everything else by default."""

    name = "scikit-learn"
    label = "scikit-learn SVC/SVR, cold"
    how = "cold"
    families = ("weights", "cost", "regression")
    options: dict = {}  # noqa: RUF012

    def estimators(self):
        """The two classes, for classification and regression."""
        return svm.SVC, svm.SVR

    def start(self, problem: KernelProblem, cap: float) -> None:
        self.problem = problem
        self.make, regress = self.estimators()
        self.arguments = {"C": 1.0, "gamma": problem.gamma, "cache_size": CACHE_MB, **self.options}
        if problem.epsilon is not None:
            self.make = regress
            self.arguments["epsilon"] = problem.epsilon
        self.move(0.0)

    def move(self, theta: float) -> None:
        weight = self.problem.weights(theta)
        # support_ counts only the rows of positive weight, so give it no others.
        self.used = np.flatnonzero(weight > 0.0)
        X, y = self.problem.X[self.used], self.problem.y[self.used]
        self.model = self.make(**self.arguments).fit(X, y, sample_weight=weight[self.used])

    def solution(self) -> Solution:
        coef = np.zeros(self.problem.n)
        coef[self.used[np.asarray(self.model.support_)]] = np.ravel(self.model.dual_coef_)
        return Solution(coef, float(self.model.intercept_[0]))
