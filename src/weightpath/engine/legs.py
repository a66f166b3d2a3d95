"""Where the legs of a path begin and end.

A path over many orders of magnitude is followed leg by leg, so that on each of them one set of
tolerances is right and theta, which runs from 0 to 1 on each leg, has all its digits. A
theta of the whole path is a pair: theta, and ``1 - theta`` with all *its* digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine._falls import fall_of_knots, fall_of_levels
from weightpath.problems import Staircase
from weightpath.problems.scales import reach_of
from weightpath.problems.staircase import FAR

__all__ = ["END", "START", "Theta", "are_alike", "between", "is_one_leg", "legs_of"]

Theta = tuple[float, float]

START: Theta = (0.0, 1.0)
END: Theta = (1.0, 0.0)

# Numbers that differ at most by this factor are about as large.
_ALIKE = 2.0

_EPS = float(np.finfo(np.float64).eps)


def between(left: Theta, right: Theta, fraction: float) -> Theta:
    """Return theta and ``1 - theta`` at a fraction of the way from one to another."""
    if fraction in (0.0, 1.0):
        return right if fraction else left
    rest = (1.0 - fraction) * left[1] + fraction * right[1]
    theta = left[0] + fraction * (right[0] - left[0])
    return (1.0 - rest if left[0] > 0.5 else theta), rest


def is_one_leg(start: Staircase, end: Staircase, largest: float, own_scale: float) -> bool:
    """Whether a path is clearly short enough for one leg; otherwise :func:`legs_of` says more.

    Most paths are, and this takes a fraction of the time.

    Parameters
    ----------
    start, end : Staircase
    largest : float
        The largest number on the diagonal of the kernel matrix, with the ridge.
    own_scale : float
        As in :func:`legs_of`.
    """
    growth, stretch = tolerances.LEG_GROWTH, tolerances.LEG_STRETCH
    knots, scale = start.knot_scale, start.residual_scale
    knots_there, scale_there = end.knot_scale, end.residual_scale
    return (
        start.levels is end.levels
        and 0.0 < knots <= growth * knots_there
        and knots_there <= growth * knots
        and 0.0 < scale <= growth * scale_there
        and scale_there <= growth * scale
        and knots * largest <= stretch * (scale_there or own_scale)
        and knots_there * largest <= stretch * (scale or own_scale)
    )


def are_alike(start: Staircase, end: Staircase) -> bool:
    """Whether about as much is large on all legs of a path, so that roundings are alike, too."""
    knots, scales = zip(*((s.knot_scale, s.residual_scale) for s in (start, end)), strict=True)
    return all(0.0 < max(pair) <= _ALIKE * min(pair) for pair in (knots, scales))


def legs_of(
    start: Staircase, end: Staircase, diagonal: NDArray[np.float64], own_scale: float
) -> list[Theta]:
    """Return where legs begin and end, as theta and ``1 - theta``.

    On each leg the largest knot, and the largest target or level, change at most by a factor; and
    so does the distance from an end at which bounds come down to the size of their coefficients.

    Parameters
    ----------
    start, end : Staircase
    diagonal : ndarray of shape (n,)
        The diagonal of the kernel matrix, with the ridge.
    own_scale : float
        What is large where there are no targets and no levels.
    """
    edges = {START, END}
    for a, b in (
        (start.knot_scale, end.knot_scale),
        (start.residual_scale, end.residual_scale),
    ):
        low, high = min(a, b), max(a, b)
        if low > 0.0 and high > tolerances.LEG_GROWTH * low:
            n_legs = int(np.ceil(np.log(high / low) / np.log(tolerances.LEG_GROWTH)))
            scales = a * (b / a) ** (np.arange(1, n_legs) / n_legs)
            edges |= {(float((s - a) / (b - a)), float((s - b) / (a - b))) for s in scales}
    largest = float(diagonal.max(initial=0.0))
    edges |= _edges_to_zero(start, end, largest)
    for one, other, turned in ((start, end, False), (end, start, True)):
        fall = _fall(one, other, diagonal, largest, own_scale)
        distance, least = 1.0 / tolerances.LEG_STRETCH, 1.0 / fall
        while distance > least:
            edge = 1.0 - distance, distance
            edges.add(edge[::-1] if turned else edge)
            distance /= tolerances.LEG_STRETCH
    if len(edges) == 2:
        return [START, END]
    inside = [edge for edge in edges if edge[0] >= 0.0 and edge[1] >= 0.0]
    return sorted(inside, key=lambda edge: (edge[0], -edge[1]))


def _edges_to_zero(start: Staircase, end: Staircase, largest: float) -> set[Theta]:
    """Return edges towards an end without targets and levels.

    What is large falls with the distance from that end, until coefficients at their bounds round
    off more than is left of it.
    """
    scale, there = start.residual_scale, end.residual_scale
    high, knots = max(scale, there), max(start.knot_scale, end.knot_scale)
    if min(scale, there) > 0.0 or high == 0.0 or not 0.0 < knots < np.inf:
        return set()
    least = tolerances.ROUNDINGS * _EPS * largest * knots / tolerances.BEYOND_PRECISION / high
    edges, distance = set(), 1.0 / tolerances.LEG_GROWTH
    while distance > max(least, _EPS**2):
        edges.add((distance, 1.0 - distance) if scale == 0.0 else (1.0 - distance, distance))
        distance /= tolerances.LEG_GROWTH
    return edges


def _fall(
    start: Staircase,
    end: Staircase,
    diagonal: NDArray[np.float64],
    largest: float,
    own_scale: float,
) -> float:
    """Return the largest factor by which a bound falls to where it matters for its coefficient.

    ``largest`` is the largest number on the diagonal.
    """
    scale = end.residual_scale or own_scale
    # Many staircases share their levels.
    is_still = start.levels is end.levels
    fall = 1.0 if is_still else fall_of_levels(start.levels, end.levels, scale)
    if start.knot_scale * largest <= tolerances.LEG_STRETCH * scale:
        return fall
    # With a bias other coefficients make up for each one, so that all are felt alike.
    felt = np.full(len(diagonal), largest) if start.has_bias else reach_of(diagonal)
    return max(fall, fall_of_knots(start.knots, end.knots, felt, scale, FAR))
