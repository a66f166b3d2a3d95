"""Whether a solution is as exact as one expects of it."""

from __future__ import annotations

import warnings

from weightpath import tolerances
from weightpath.engine import State
from weightpath.errors import PrecisionWarning
from weightpath.problems import Staircase

__all__ = ["warn_beyond_precision"]


def warn_beyond_precision(stair: Staircase, state: State) -> None:
    """Warn where the rounding of kernel sums alone makes a solution inexact.

    The engine measures that rounding; nobody can do better in double precision.
    """
    scale = stair.residual_scale()
    rounding = max(state.tolerance - tolerances.RESIDUAL * scale, 0.0)
    floor = tolerances.FLOOR_ROUNDINGS / tolerances.ROUNDINGS * rounding
    if scale > 0.0 and floor > tolerances.BEYOND_PRECISION * scale:
        warnings.warn(
            "This problem is beyond double precision: rounding alone changes residuals by about "
            f"{floor / scale:.0e} of the largest target or level. The solution is as exact as that "
            "and no more; kkt_violation() says how exact. Scale the features, for instance by "
            "sklearn.preprocessing.StandardScaler, or choose a smaller C.",
            PrecisionWarning,
            stacklevel=4,
        )
