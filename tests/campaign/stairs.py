"""Problems as staircases, from the raw definitions; nothing here comes from the library.

Row i has a target t_i, knots k_i1 <= ... <= k_im (values of its coefficient) and levels
s_i0 <= ... <= s_im (values of its residual r = t - K beta - b). Between knots j and j + 1 the
residual is s_ij; at knot j it lies between s_i,j-1 and s_ij.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Stairs", "between", "hinge", "one_class", "penalty", "pinball", "ranking", "tube"]

WIDE = np.longdouble


@dataclass(frozen=True)
class Stairs:
    """One problem; ``bound`` is the C_i of each row, infinite where it has none."""

    target: np.ndarray
    knots: np.ndarray
    levels: np.ndarray
    bound: np.ndarray
    total: float = 0.0
    has_bias: bool = True
    # Levels beyond this cannot be reached by any residual and are no scale of residuals.
    reach: np.ndarray | None = None
    # The mean and the largest of the targets behind correlations.
    mean: float = 0.0
    largest: float = 0.0

    def __len__(self) -> int:
        return len(self.target)

    def scale(self) -> float:
        """Return Rs, the largest target or level that can matter; zero if all are zero."""
        levels = np.abs(self.levels)
        if self.reach is not None:
            levels = np.minimum(levels, self.reach[:, None])
        finite = np.where(np.isfinite(levels), levels, 0)
        return float(max(np.max(np.abs(self.target), initial=0), np.max(finite, initial=0)))


def line(start, end, theta):
    """Return the point of a straight line, exactly at its ends, with infinities kept."""
    start, end = np.asarray(start, dtype=WIDE), np.asarray(end, dtype=WIDE)
    if theta in (0, 1):
        return end if theta == 1 else start
    theta = WIDE(theta)
    with np.errstate(invalid="ignore"):
        return np.where(start == end, start, (1 - theta) * start + theta * end)


def between(start: Stairs, end: Stairs, theta: float) -> Stairs:
    """Return the problem at ``theta``; everything moves on straight lines."""
    reach = None if start.reach is None else np.maximum(start.reach, end.reach)
    return replace(
        start,
        target=line(start.target, end.target, theta),
        knots=line(start.knots, end.knots, theta),
        levels=line(start.levels, end.levels, theta),
        bound=line(start.bound, end.bound, theta),
        total=line(start.total, end.total, theta)[()],
        reach=reach,
        mean=line(start.mean, end.mean, theta)[()],
        largest=float(line(start.largest, end.largest, theta)),
    )


def _columns(*columns) -> np.ndarray:
    return np.column_stack(np.broadcast_arrays(*columns)).astype(np.float64)


def hinge(sign, weight, margin) -> Stairs:
    """The hinge loss: y alpha in [0, C] or [-C, 0], targets y times the margin."""
    low, high = np.where(sign > 0, 0.0, -weight), np.where(sign > 0, weight, 0.0)
    zero = np.zeros(len(sign))
    return Stairs(
        sign * margin, _columns(low, high), _columns(zero - np.inf, zero, zero + np.inf), weight
    )


def tube(target, weight, epsilon) -> Stairs:
    """The epsilon-insensitive loss."""
    knots = _columns(-weight, np.zeros(len(weight)), weight)
    levels = _columns(np.full(len(weight), -np.inf), -epsilon, epsilon, np.inf)
    return Stairs(target, knots, levels, weight)


def pinball(target, weight, quantile) -> Stairs:
    """The pinball loss."""
    zero = np.zeros(len(weight))
    knots = _columns(weight * (quantile - 1.0), weight * quantile)
    return Stairs(target, knots, _columns(zero - np.inf, zero, zero + np.inf), weight)


def one_class(weight, nu) -> Stairs:
    """The one-class problem: the coefficients sum to nu times the total weight."""
    zero = np.zeros(len(weight))
    levels = _columns(zero - np.inf, zero, zero + np.inf)
    return Stairs(zero, _columns(zero, weight), levels, weight, total=float(nu * weight.sum()))


def ranking(weight) -> Stairs:
    """Preference pairs: no bias, every target is one."""
    one, zero = np.ones(len(weight)), np.zeros(len(weight))
    levels = _columns(zero - np.inf, zero, zero + np.inf)
    return Stairs(one, _columns(zero, weight), levels, weight, has_bias=False)


def penalty(correlation, penalties, reach, mean=0.0, largest=0.0) -> Stairs:
    """The lasso in its features: the residual is the correlation with what is left of y."""
    zero = np.zeros(len(penalties))
    levels = _columns(-penalties, penalties)
    free = np.full(len(penalties), np.inf)
    return Stairs(
        correlation,
        _columns(zero),
        levels,
        free,
        has_bias=False,
        reach=reach,
        mean=mean,
        largest=largest,
    )
