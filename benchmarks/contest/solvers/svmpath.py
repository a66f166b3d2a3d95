r"""R's svmpath: the whole path in one C for all rows, by Hastie, Rosset, Tibshirani and Zhu [1]_.

Called as a program, where ``Rscript`` and its package are found; R measures the time of the call
itself, so that neither R's start nor reading the data counts. It has :math:`\lambda = 1/C` and
coefficients in [0, 1]: :math:`f(x) = (\sum_i \alpha_i y_i k(x_i, x) + \alpha_0) / \lambda`, with
both :math:`\alpha` straight between its steps in :math:`\lambda`. Above its first :math:`\lambda`
all coefficients are 1, and its first :math:`\alpha_0` serves there as well.

References
----------
.. [1] T. Hastie, S. Rosset, R. Tibshirani and J. Zhu, "The entire regularization path for the
   support vector machine", Journal of Machine Learning Research 5, 2004.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem
from benchmarks.contest.solvers.base import PathSolver, TimeIsUpError
from benchmarks.threads import environment_of_one_thread

SCRIPT = Path(__file__).with_name("svmpath.R")
HAS_PACKAGE = 'quit(status = as.integer(!requireNamespace("svmpath", quietly = TRUE)))'
# R takes a while to start; this is for the question whether the package is there.
PATIENCE = 60.0


class SvmPath(PathSolver):
    """``svmpath::svmpath`` with a radial kernel, down to ``lambda.min``; the rest by default."""

    name = "svmpath"
    label = "R svmpath"
    families = ("cost",)
    rehearse = False

    def missing(self) -> str | None:
        rscript = shutil.which("Rscript")
        if rscript is None:
            return "not installed: Rscript is not on the PATH; get R from https://www.r-project.org"
        command = [rscript, "--vanilla", "-e", HAS_PACKAGE]
        try:
            answer = subprocess.run(command, capture_output=True, timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"not usable: Rscript does not answer ({type(error).__name__})"
        if answer.returncode:
            return "not installed: Rscript -e 'install.packages(\"svmpath\")'"
        return None

    def start(self, problem: KernelProblem, cap: float) -> None:
        self.problem, self.cap = problem, cap

    def trace(self, breakpoints: np.ndarray) -> None:
        smallest = 1.0 / float(self.problem.C_end[0])
        with TemporaryDirectory() as name:
            folder = Path(name)
            for values, file in ((self.problem.X, "x.csv"), (self.problem.y, "y.csv")):
                np.savetxt(folder / file, values, fmt="%.17g", delimiter=",")
            command = ["Rscript", "--vanilla", SCRIPT, folder, self.problem.gamma, smallest]
            self._call([str(part) for part in command])
            self.lam, self.alpha0 = _read(folder, "lambda"), _read(folder, "alpha0")
            self.alpha = _read(folder, "alpha").reshape(self.problem.n, -1)
            self.seconds = float(_read(folder, "seconds")[0])
        if not len(self.lam) == len(self.alpha0) == self.alpha.shape[1]:
            raise RuntimeError("svmpath's lambda, alpha0 and alpha do not have the same steps")

    def _call(self, command: list[str]) -> None:
        environment = environment_of_one_thread()
        try:
            answer = subprocess.run(
                command, capture_output=True, text=True, timeout=self.cap, env=environment
            )
        except subprocess.TimeoutExpired as error:
            raise TimeIsUpError from error
        if answer.returncode:
            last = (answer.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"Rscript ended with status {answer.returncode}: {last}")

    def reach(self) -> float:
        first, last = float(self.problem.C_start[0]), float(self.problem.C_end[0])
        return min(1.0, (1.0 / float(self.lam.min()) - first) / (last - first))

    def solution_at(self, theta: float) -> Solution:
        lam = 1.0 / float(self.problem.weights(theta)[0])
        order = np.argsort(self.lam, kind="stable")
        places = self.lam[order]
        alpha = np.array([np.interp(lam, places, row) for row in self.alpha[:, order]])
        alpha0 = float(np.interp(lam, places, self.alpha0[order]))
        return Solution(self.problem.y * alpha / lam, alpha0 / lam)


def _read(folder: Path, name: str) -> np.ndarray:
    return np.loadtxt(folder / f"{name}.csv", delimiter=",", ndmin=2).ravel()
