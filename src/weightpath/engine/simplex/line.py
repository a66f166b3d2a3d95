"""A straight line of linear programs, in the units of scaled columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.simplex.design import Design
from weightpath.problems.program import Program

__all__ = ["FAR", "Line"]

Reals = NDArray[np.float64]

# What stands for a level that does not exist: differences and quotients with it stay finite.
FAR = 1e200


class Line:
    """Targets, knots, levels and penalties at both ends.

    At a position ``(theta, rest)``, where rest is 1 - theta with all its digits, everything is
    ``rest * start + theta * end``.

    Parameters
    ----------
    start, end : Program
    design : Design

    Attributes
    ----------
    target, knots, levels, penalty : (ndarray, ndarray)
        At both ends; penalties are those of the scaled columns, and absent levels are ``FAR``.
    moves_values : bool
        Whether targets or levels move, and so coefficients of columns and residuals.
    moves_weights : bool
        Whether knots or penalties move, and so coefficients of rows.
    weightless : ndarray of bool
        Rows without weight on the whole line: their residuals are free.
    """

    def __init__(self, start: Program, end: Program, design: Design):
        ends = (start.stair, end.stair)
        self.start, self.end = start, end
        self.target = ends[0].target, ends[1].target
        self.knots = ends[0].knots, ends[1].knots
        self.levels = np.clip(ends[0].levels, -FAR, FAR), np.clip(ends[1].levels, -FAR, FAR)
        self.penalty = start.penalty / design.scale, end.penalty / design.scale
        self.moves_values = not (_equal(self.target) and _equal(self.levels))
        self.moves_weights = not (_equal(self.knots) and _equal(self.penalty))
        if _equal(self.penalty):
            self.penalty = (self.penalty[0], self.penalty[0])
        flat = [knots[:, 0] == knots[:, -1] for knots in self.knots]
        self.weightless = flat[0] & flat[1] & (self.knots[0][:, 0] == self.knots[1][:, 0])
        self.knot_speed = np.abs(self.knots[1] - self.knots[0])
        self.scales = ends[0].residual_scale, ends[1].residual_scale
        reach = [design.row_reach(penalty) for penalty in self.penalty]
        self.reach = np.maximum(*reach)


def _equal(ends: tuple[Reals, Reals]) -> bool:
    return ends[0] is ends[1] or np.array_equal(*ends)
