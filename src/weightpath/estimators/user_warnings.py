"""Warnings about a solution or a path; they name the user's line, however deep they arise."""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine import State
from weightpath.errors import BreakpointWarning, EventCapWarning, PrecisionWarning
from weightpath.problems import Staircase
from weightpath.problems.scales import rounding_floor

__all__ = [
    "warn_beyond_precision",
    "warn_breakpoint",
    "warn_event_cap",
    "warn_inexact_program",
]

_PACKAGE = __name__.partition(".")[0]


def warn_event_cap(message: str) -> None:
    """Warn that a path was stopped by ``max_events``."""
    _warn(message, EventCapWarning)


def warn_beyond_precision(stair: Staircase, state: State) -> None:
    """Warn where the rounding of kernel sums alone makes a solution inexact.

    The engine measures that rounding; double precision allows no better.
    """
    scale = stair.residual_scale
    floor = rounding_floor(state.tolerance, scale)
    if scale > 0.0 and floor > tolerances.BEYOND_PRECISION * scale:
        _warn(
            "This problem is beyond double precision: rounding alone changes residuals by about "
            f"{floor / scale:.0e} of the largest target or level. The solution is as exact as that "
            "and no more; kkt_violation() says how exact. Scale the features, for instance by "
            "sklearn.preprocessing.StandardScaler, or choose a smaller C (a larger alpha).",
            PrecisionWarning,
        )


def warn_breakpoint(names: tuple[str, ...], rows: NDArray[np.intp]) -> None:
    """Warn that the derivatives by these quantities are one-sided."""
    if rows.size:
        which = ", ".join(map(str, rows[:3])) + (", ..." if rows.size > 3 else "")
        where = f"The model is at a breakpoint (rows {which} change their sets here)"
    else:
        where = "Every row is at a bound, and the bias jumps where the bounds lose their balance"
    _warn(
        f"{where}: the derivatives by {', '.join(names)} are one-sided. See gradient.rows and "
        "gradient.one_sided.",
        BreakpointWarning,
    )


def warn_inexact_program(violation: float) -> None:
    """Warn where rounding makes the solution of a linear program inexact."""
    if not violation <= tolerances.BEYOND_PRECISION:
        _warn(
            "This problem is beyond double precision: an optimality condition is violated by "
            f"{violation:.0e}, relative. Scale the features, for instance by "
            "sklearn.preprocessing.StandardScaler, or choose a smaller C.",
            PrecisionWarning,
        )


def _warn(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside the package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth + 1)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE
