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


# A pivot below this fraction of the fastest variable is tiny; bounds may then be passed by so many
# times their tolerance if that makes room for a larger one.
TINY_PIVOT = 1e-6
ROOM_FOR_PIVOT = 50.0


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
    which : int
        Its position among its kind.
    side : int
        The side of its bound.
    step : float
        How far the step goes.
    """

    kind: str
    which: int
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
    moving = [mover for group in groups if (mover := _Moving.of(group)) is not None]
    if not moving:
        return None
    choices = _choices(moving, 1.0)
    best = max(float(choice.strength.max()) for choice in choices)
    if best < TINY_PIVOT * max(float(mover.strength.max()) for mover in moving):
        # Passed by a little more, it may make room for a larger pivot.
        choices = _choices(moving, ROOM_FOR_PIVOT)
    if least_number:
        return _least(choices)
    choice = max(choices, key=lambda choice: float(choice.strength.max()))
    return choice.block(int(choice.strength.argmax()))


class _Moving(NamedTuple):
    """Those of a group that approach their bounds: which, slack, speed, tolerance, strength."""

    group: Movers
    which: NDArray[np.intp]
    slack: Reals
    speed: Reals
    tolerance: Reals | float
    strength: Reals

    @classmethod
    def of(cls, group: Movers) -> _Moving | None:
        index = np.flatnonzero(group.speed > group.noise)
        if index.size == 0:
            return None
        slack, speed = np.maximum(group.slack[index], 0.0), group.speed[index]
        tolerance = group.tolerance
        if isinstance(tolerance, np.ndarray):
            tolerance = tolerance[index]
        return cls(group, index, slack, speed, tolerance, speed / tolerance)

    def only(self, near: NDArray[np.intp]) -> _Moving:
        """Return some of them."""
        tolerance = self.tolerance
        if isinstance(tolerance, np.ndarray):
            tolerance = tolerance[near]
        return _Moving(
            self.group,
            self.which[near],
            self.slack[near],
            self.speed[near],
            tolerance,
            self.strength[near],
        )

    def block(self, k: int) -> Block:
        """Return one of them as what stops a step."""
        step = float(self.slack[k] / self.speed[k])
        return Block(self.group.kind, int(self.which[k]), self.group.side, step)


def _choices(moving: Sequence[_Moving], room: float) -> list[_Moving]:
    """Return which variables reach their bounds before one passes it by its tolerance."""
    with np.errstate(over="ignore"):
        limit = min(float(((one.slack + room * one.tolerance) / one.speed).min()) for one in moving)
        near = [np.flatnonzero(one.slack / one.speed <= limit) for one in moving]
    return [one.only(some) for one, some in zip(moving, near, strict=True) if some.size]


def _least(choices: list[_Moving]) -> Block:
    """Return the block of the least number among those that are no tiny pivots."""
    floor = SMALLEST_SHARE * max(float(choice.strength.max()) for choice in choices)
    found = [
        (int(choice.group.number[choice.which[k]]), n, int(k))
        for n, choice in enumerate(choices)
        for k in np.flatnonzero(choice.strength >= floor)
    ]
    _, n, k = min(found)
    return choices[n].block(k)
