"""Where a model of basis pursuit is, how it begins, and what makes models on its paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from weightpath.errors import PathError
from weightpath.estimators.lasso import Lasso
from weightpath.pursuit import Program, PursuitPath, PursuitSolution, Solved

__all__ = ["PathModels", "Pursued", "likely_features"]

# Fewer rows or columns need few pivots from any start.
_SMALL = 30

# The penalty of the lasso to begin with, relative to that without any feature.
_TINY = 1e-7


def likely_features(program: Program, weight: NDArray[np.float64]) -> NDArray[np.intp] | None:
    """Return the features of a lasso with a tiny penalty, to begin with; ``None`` for small data.

    They are a guess, from which the pivots go on.
    """
    matrix, y = program.matrix, program.y
    if min(matrix.shape) < _SMALL:
        return None
    with np.errstate(all="ignore"):
        correlation = np.abs(y @ matrix)[weight > 0] / weight[weight > 0] / len(y)
    alpha = _TINY * float(correlation.max(initial=0.0))
    if not 0.0 < alpha < np.inf:
        return None
    model = Lasso(alpha, penalty_weight=weight, fit_intercept=False)
    try:
        with catch_warnings():
            simplefilter("ignore")
            return np.asarray(model.fit(matrix, y).active_)
    except (PathError, ValueError):
        return None


@dataclass(frozen=True, eq=False)
class Pursued:
    """The data of a fit, weights, and the solution for them."""

    program: Program
    weight: NDArray[np.float64]
    solved: Solved

    def solution(self, theta: float) -> PursuitSolution:
        """Return the solution as one at an end of a path."""
        return PursuitSolution(theta, self.solved.coef, self.solved.dual, self.weight)


@dataclass(frozen=True, eq=False)
class PathModels:
    """What makes the models on a path.

    Attributes
    ----------
    kind : type
        The class of the models.
    params, features : dict
        Their parameters, and what they know of the features.
    start, end : Pursued
        Where the model is at both ends.
    """

    kind: type
    params: dict[str, Any]
    features: dict[str, Any]
    start: Pursued
    end: Pursued

    def model_from(self, path: PursuitPath, theta: float) -> Any:
        """Return a fitted estimator at ``theta``."""
        model = self.kind(**self.params)
        model.__dict__.update(self.features)
        if theta in (0.0, 1.0):
            model._pursued = self.start if theta == 0.0 else self.end
            return model
        at, program = path.at(theta), path.program
        used = path.segment_at(theta, "right").used
        vertex = program.solve(at.weights, used).vertex
        model._pursued = Pursued(program, at.weights, Solved(vertex, at.coef, at.dual))
        return model
