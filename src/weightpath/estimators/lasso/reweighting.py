"""Penalty weights made from coefficients: the adaptive lasso and reweighted l1 minimization."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.estimators.problem import Fitted

__all__ = ["adaptive_weights", "first_epsilon"]

# A penalty of this many times a feature's reach keeps it out, also when alpha is later lowered by
# that factor. More would cost accuracy: tolerances are relative to the largest penalty.
_OUT = 10.0

# The default of epsilon as a fraction of the largest coefficient: below the nonzero ones that
# matter, above those that are noise.
_EPSILON_FRACTION = 0.1


def first_epsilon(coef: NDArray[np.float64]) -> float:
    """Return the default of epsilon in reweighted l1 minimization."""
    return _EPSILON_FRACTION * float(np.abs(coef).max(initial=0.0)) or 1.0


def adaptive_weights(
    fitted: Fitted, estimate: NDArray[np.float64], gamma: float
) -> NDArray[np.float64]:
    """Return ``|estimate| ** -gamma``, with what is too large cut to weights of the same effect."""
    with np.errstate(divide="ignore", over="ignore"):
        weight = np.abs(estimate) ** -gamma
    problem: Any = fitted.problem
    reach = _OUT * problem.data(fitted.training).reach(fitted.quantities["target"])
    known = weight[np.isfinite(weight)].max(initial=1.0)
    if problem.alpha == 0:
        return np.where(np.isfinite(weight), weight, known)
    # A feature or a target that is constant has no reach: its coefficient is zero anyway.
    enough = np.where(reach > 0, reach / problem.alpha, known)
    cut: NDArray[np.float64] = np.minimum(weight, enough)
    return cut
