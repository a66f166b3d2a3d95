"""One judge for everybody: optimality and objective, from the data and an answer alone.

The measures are those of :mod:`benchmarks.scorer`, in plain NumPy; neither the library
nor any rival takes part.

- *Violation*: the largest violation of an optimality condition (the natural residual); in
  regression as part of the largest target, in the lasso as part of the largest penalty.
- *Objective*: the primal one. Any coefficients and any bias have one, which is never below the
  optimum. So the lowest that anybody reached at a place is the best bound for all, and what an
  answer lies above it, as part of it, is the *excess*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.contest.problems import KernelProblem, LassoProblem, Problem
from benchmarks.scorer import LassoScorer, Scorer, TubeScorer


@dataclass(frozen=True, eq=False)
class Solution:
    """An answer: signed coefficients (y times alpha in classification) and the bias."""

    coef: np.ndarray
    bias: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """What the judge says of one answer."""

    violation: float
    objective: float


class Judge:
    """Judges answers to one problem.

    Parameters
    ----------
    problem : KernelProblem or LassoProblem
        The problem.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self.scorer = _scorer(problem)

    def verdict(self, theta: float, solution: Solution) -> Verdict:
        """Judge the answer at one place."""
        if isinstance(self.problem, LassoProblem):
            claim = self.problem.penalty(theta), solution.coef
        else:
            claim = self.problem.weights(theta), solution.coef, solution.bias
        return Verdict(self.scorer.violation(*claim), self.scorer.objective(*claim))


def _scorer(problem: Problem) -> Scorer | TubeScorer | LassoScorer:
    if isinstance(problem, LassoProblem):
        return LassoScorer(problem.X, problem.y)
    if problem.epsilon is None:
        return Scorer(problem.X, problem.y, problem.gamma)
    return TubeScorer(_gaussian(problem), problem.y, problem.epsilon)


def _gaussian(problem: KernelProblem) -> np.ndarray:
    return np.exp(-problem.gamma * cdist(problem.X, problem.X, "sqeuclidean"))


def largest_excess(objectives: dict[int, float], lowest: dict[int, float]) -> float:
    """How far, at worst, objectives are above the lowest ones at the same places, relatively."""
    return max((value - lowest[place]) / abs(lowest[place]) for place, value in objectives.items())
