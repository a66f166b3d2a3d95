"""Step functions of theta from their values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.curve import Curve

__all__ = ["RESOLUTION", "step_curve", "step_numbers", "without_rounding"]

# Changes closer together than this are one change: a zero in [0, 1] is computed with an error of a
# few units of rounding, so nothing can be told about an interval that short.
RESOLUTION = 8 * np.finfo(float).eps

# Two values of a step function that differ by less than this, relative to the largest, are equal:
# each comes from a short formula of sums that are themselves exact.
ROUNDING = 32 * np.finfo(float).eps


def step_numbers(start: float, theta: NDArray[np.float64]) -> NDArray[np.intp]:
    """Number the steps of a function; changes within the resolution of each other are one step.

    Parameters
    ----------
    start : float
        Where the function begins, with step 0.
    theta : ndarray of shape (n_changes,)
        Where it changes; sorted.

    Returns
    -------
    ndarray of int, shape (n_changes,)
        The step that begins with each change.
    """
    return np.cumsum(np.diff(theta, prepend=start) > RESOLUTION)


def step_curve(theta: NDArray[np.float64], values: NDArray[np.float64], stop: float) -> Curve:
    """Step function from the start and the value of each of its steps.

    Parameters
    ----------
    theta : ndarray of shape (n_steps,)
        Where the steps begin; increasing.
    values : ndarray of shape (n_steps,)
        Their values.
    stop : float
        Where the last one ends.

    Returns
    -------
    Curve
        Of degree 0, with edges only where values differ by more than rounding.
    """
    values = without_rounding(values, ROUNDING * float(np.abs(values).max()))
    kept = np.append(True, np.diff(values) != 0)
    return Curve(np.append(theta[kept], stop), values[kept, None])


def without_rounding(values: NDArray[np.float64], tolerance: float) -> NDArray[np.float64]:
    """Make values equal that differ by no more than rounding; the value next to zero is zero."""
    ordered, inverse = np.unique(values, return_inverse=True)
    group = np.append(0, np.cumsum(np.diff(ordered) > tolerance))
    lowest = ordered[np.unique(group, return_index=True)[1]]
    lowest[np.abs(lowest) <= tolerance] = 0.0
    levelled: NDArray[np.float64] = lowest[group][inverse]
    return levelled
