"""qpOASES, the established homotopy solver of quadratic programs, through CasADi.

One solver goes from place to place: each call after the first follows qpOASES' own homotopy from
the place before. (CasADi hands over the matrix again each time, which is factorised again.)
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem
from benchmarks.contest.solvers.base import StepSolver
from benchmarks.contest.solvers.quadratic_program import QuadraticProgram


class QpoasesSteps(StepSolver):
    """Dense matrices, options by default."""

    name = "qpoases"
    label = "qpOASES (CasADi), warm"
    how = "warm"
    families = ("weights", "cost", "regression")
    module = "casadi"
    remedy = "pip install casadi"

    def start(self, problem: KernelProblem, cap: float) -> None:
        import casadi

        self.program = QuadraticProgram(problem)
        self.matrix = casadi.DM(self.program.H)
        shapes = {"h": self.matrix.sparsity(), "a": casadi.Sparsity.dense(*self.program.a.shape)}
        options = {"printLevel": "none", "sparse": False, "error_on_fail": False, "CPUtime": cap}
        # qpOASES introduces itself on standard output.
        with redirect_stdout(StringIO()):
            self.function = casadi.conic("qp", "qpoases", shapes, options)
            self.move(0.0)

    def move(self, theta: float) -> None:
        low, high = self.program.bounds(theta)
        self.answer = self.function(
            h=self.matrix,
            g=self.program.g,
            a=self.program.a,
            lbx=low,
            ubx=high,
            lba=0.0,
            uba=0.0,
        )
        self.failures += not self.function.stats()["success"]

    def solution(self) -> Solution:
        return self.program.solution(self.answer["x"], self.answer["lam_a"])
