r"""The dual problem as a solver of quadratic programs wants it.

.. math:: \min_x \tfrac12 x'Hx + g'x, \qquad l \le x \le u, \quad a'x = 0.

In classification x is the signed coefficients. In regression it is their positive parts and then
their negative parts, 2n variables, as the tube has no other smooth form. The multiplier of the
equation is the bias.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import KernelProblem


class QuadraticProgram:
    """The parts of the program; only the bounds depend on the place.

    Attributes
    ----------
    H : ndarray of shape (m, m)
        The quadratic part.
    g : ndarray of shape (m,)
        The linear part.
    a : ndarray of shape (1, m)
        The equation.
    """

    def __init__(self, problem: KernelProblem):
        self.problem = problem
        K, y = rbf_kernel(problem.X, gamma=problem.gamma), problem.y
        if problem.epsilon is None:
            self.H, self.g, self.a = K, -y, np.ones((1, len(y)))
        else:
            self.H = np.block([[K, -K], [-K, K]])
            self.g = np.concatenate([problem.epsilon - y, problem.epsilon + y])
            self.a = np.repeat([1.0, -1.0], len(y))[None]

    def bounds(self, theta: float) -> tuple[np.ndarray, np.ndarray]:
        """The bounds at one place."""
        C, y = self.problem.weights(theta), self.problem.y
        if self.problem.epsilon is None:
            return np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
        return np.zeros(2 * len(C)), np.concatenate([C, C])

    def solution(self, x, multiplier: float) -> Solution:
        """The answer that a solution of the program stands for."""
        x, n = np.array(x, dtype=float).ravel(), self.problem.n
        return Solution(x if len(x) == n else x[:n] - x[n:], float(multiplier))
