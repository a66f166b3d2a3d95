"""Which variable reaches its bound first: Harris' ratio test in two passes.

The first pass finds how far one may go if every bound may be passed by its tolerance; the second
takes, among the variables that reach their bounds by then, the one that moves fastest in units of
its tolerance. Fast variables are large pivots. After many steps of length zero the least number
decides instead (Bland's rule), which cannot cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "Movers", "first_block"]

Reals = NDArray[np.float64]

# By Bland's rule a variable is not taken as a pivot if it is slower than this fraction of the
# fastest that reaches its bound, both in units of their tolerances.
SMALLEST_SHARE = 1e-7


class Movers(NamedTuple):
    """Variables of one kind that approach bounds.

    Attributes
    ----------
    kind : str
        What they are.
    slack : ndarray of shape (m,)
        How far each is from its bound.
    speed : ndarray of shape (m,)
        How fast it approaches it; those at most at ``noise`` do not move.
    tolerance : ndarray of shape (m,) or float
    noise : float
    number : ndarray of shape (m,)
        For Bland's rule: the number of each variable among all.
    side : int
        The side of the bound, +1 above and -1 below; 0 if the sign of ``direction`` tells it.
    """

    kind: str
    slack: Reals
    speed: Reals
    tolerance: Reals | float
    noise: float
    number: NDArray[np.intp]
    side: int


class Block(NamedTuple):
    """The variable that stops a step.

    Attributes
    ----------
    kind : str
    index : int
        Its position among its kind.
    side : int
        The side of its bound.
    step : float
        How far the step goes.
    """

    kind: str
    index: int
    side: int
    step: float


def first_block(groups: Sequence[Movers], least_number: bool = False) -> Block | None:
    """Return which variable stops a step, and where; ``None`` if nothing does.

    Parameters
    ----------
    groups : sequence of Movers
        All variables that may stop it.
    least_number : bool, default=False
        Whether ties are broken by Bland's rule.
    """
    limit, moving = np.inf, []
    for group in groups:
        index = np.flatnonzero(group.speed > group.noise)
        if index.size == 0:
            continue
        slack, speed = np.maximum(group.slack[index], 0.0), group.speed[index]
        tolerance = group.tolerance
        if isinstance(tolerance, np.ndarray):
            tolerance = tolerance[index]
        with np.errstate(over="ignore"):
            limit = min(limit, float(((slack + tolerance) / speed).min()))
            moving.append((group, index, slack / speed, speed / tolerance))
    choices = []
    for group, index, ratio, strength in moving:
        near = np.flatnonzero(ratio <= limit)
        if near.size:
            choices.append((group, index[near], ratio[near], strength[near]))
    if not choices:
        return None
    if least_number:
        return _least(choices)
    group, index, ratio, strength = max(choices, key=lambda choice: float(choice[3].max()))
    best = int(strength.argmax())
    return Block(group.kind, int(index[best]), group.side, float(ratio[best]))


def _least(choices: list[tuple[Movers, NDArray[np.intp], Reals, Reals]]) -> Block:
    """Return the block of the least number among those that are no tiny pivots."""
    floor = SMALLEST_SHARE * max(float(strength.max()) for *_, strength in choices)
    found: Block | None = None
    least = -1
    for group, index, ratio, strength in choices:
        for k in np.flatnonzero(strength >= floor):
            number = int(group.number[index[k]])
            if found is None or number < least:
                found, least = Block(group.kind, int(index[k]), group.side, float(ratio[k])), number
    assert found is not None
    return found
