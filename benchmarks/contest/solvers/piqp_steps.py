"""PIQP, a proximal interior-point solver of quadratic programs, updated from place to place.

An update keeps memory and scaling. Whether it also starts from the last solution depends on the
version: interior-point methods are hard to start warm, and releases up to 0.6 begin anew.
"""

from __future__ import annotations

import numpy as np

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem
from benchmarks.contest.solvers.base import StepSolver
from benchmarks.contest.solvers.quadratic_program import QuadraticProgram


class PiqpSteps(StepSolver):
    """One dense solver for all places; settings by default."""

    name = "piqp"
    label = "PIQP, updated"
    how = "warm"
    families = ("weights", "cost", "regression")
    module = "piqp"
    remedy = "pip install piqp"

    def start(self, problem: KernelProblem, cap: float) -> None:
        import piqp

        self.solved = piqp.PIQP_SOLVED
        self.program = program = QuadraticProgram(problem)
        self.solver = piqp.DenseSolver()
        self.solver.settings.verbose = False
        if hasattr(self.solver.settings, "warm_start"):
            self.solver.settings.warm_start = True
        low, high = program.bounds(0.0)
        matrix = np.asfortranarray(program.H)
        self.solver.setup(P=matrix, c=program.g, A=program.a, b=np.zeros(1), x_l=low, x_u=high)
        self._solve()

    def move(self, theta: float) -> None:
        low, high = self.program.bounds(theta)
        self.solver.update(x_l=low, x_u=high)
        self._solve()

    def _solve(self) -> None:
        self.failures += self.solver.solve() != self.solved

    def solution(self) -> Solution:
        return self.program.solution(self.solver.result.x, self.solver.result.y[0])
