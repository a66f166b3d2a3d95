"""DAQP, a dual active-set solver of quadratic programs, warm-started."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem
from benchmarks.contest.solvers.base import StepSolver
from benchmarks.contest.solvers.quadratic_program import QuadraticProgram

EQUALITY = 5
SOLVED = 1


class DaqpSteps(StepSolver):
    """One workspace for all places: it keeps the factor and the active set; settings by default."""

    name = "daqp"
    label = "DAQP, warm"
    how = "warm"
    families = ("weights", "cost", "regression")
    module = "daqp"
    remedy = "pip install daqp"

    def start(self, problem: KernelProblem, cap: float) -> None:
        import daqp

        self.program = QuadraticProgram(problem)
        self.workspace = daqp.Model()
        low, high = self._bounds(0.0)
        sense = np.zeros(len(high), dtype=np.int32)
        sense[-1] = EQUALITY
        program = self.program
        self.workspace.setup(program.H, program.g, program.a, high, low, sense)
        self.workspace.settings = {"time_limit": cap}
        self._solve()

    def move(self, theta: float) -> None:
        low, high = self._bounds(theta)
        self.workspace.update(bupper=high, blower=low)
        self._solve()

    def _bounds(self, theta: float) -> tuple[np.ndarray, np.ndarray]:
        """Those of the variables, then the equation's."""
        low, high = self.program.bounds(theta)
        return np.append(low, 0.0), np.append(high, 0.0)

    def _solve(self) -> None:
        self.x, _, status, information = self.workspace.solve()
        self.bias = information["lam"][-1]
        self.failures += status != SOLVED

    def solution(self) -> Solution:
        return self.program.solution(self.x, self.bias)
