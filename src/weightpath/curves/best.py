"""Where a curve is best."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Best"]


class Best(NamedTuple):
    """The best theta of a curve.

    Attributes
    ----------
    theta : float
        Where: the middle of ``interval``. If the best value is only approached, beside a jump or
        a worse isolated point, the number next to it.
    value : float
        ``curve(theta)``.
    interval : tuple of float
        The longest stretch of theta on which the curve keeps that value, up to rounding, at every
        theta between its ends. At its left end the value may be that of a worse isolated point,
        at its right end that of the next interval or of such a point. Both ends are equal where
        the best value is taken at a single theta.
    """

    theta: float
    value: float
    interval: tuple[float, float]
