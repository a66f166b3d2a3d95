"""Least absolute deviations: a new problem in one file, as a user would write it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Kind, Staircase, Wording, register_kind
from weightpath.problems.kind import upper_knot


def lad_staircase(target: NDArray[np.float64], weight: NDArray[np.float64]) -> Staircase:
    """Return the staircase of the loss ``C_i |y_i - f(x_i)|``."""
    zero, infinite = np.zeros(len(target)), np.full(len(target), np.inf)
    return Staircase(
        target,
        knots=np.column_stack([-weight, weight]),
        levels=np.column_stack([-infinite, zero, infinite]),
    )


LAD = register_kind(Kind("lad", weights=upper_knot, wording=Wording(margin="rows fitted exactly")))
