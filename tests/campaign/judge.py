"""How far a point is from optimal, by the definitions alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["EPS", "FLOOR_LIMIT", "TOLERANCE", "Verdict", "judge", "scale_of", "unit_of"]

EPS = np.finfo(float).eps

# Sums of products in double precision may be off by this many roundings of their largest term.
ROUNDINGS = 64 * EPS

# A point is wrong beyond this distance, relative, with the rounding taken off ...
TOLERANCE = 1e-6

# ... where the rounding itself, relative, is smaller than this: else the problem is beyond double
# precision and nobody can tell.
FLOOR_LIMIT = 1e-7

# A row whose bound has fallen below this part of its larger end bound, strictly between the ends of
# a path: theta, a double, has too few digits to say where its coefficient is.
VANISHED = 1e-6


# Values below this part of the largest possible may come from the rounding of coefficients alone.
ROUNDED = 1e-8


@dataclass(frozen=True)
class Verdict:
    """What the judge says of one point; all relative."""

    distance: float
    floor: float
    row: int
    scale: float

    @property
    def wrong(self) -> bool:
        return self.floor < FLOOR_LIMIT and not self.distance <= TOLERANCE


def unit_of(matrix, stairs, scale) -> np.ndarray:
    """Return the unit of each coefficient: min(C_i, Rs / kappa_i)."""
    diagonal = np.maximum(matrix.diagonal, 0.0)
    kappa = np.sqrt(diagonal * diagonal.max(initial=0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_residual = np.where(kappa > 0, scale / kappa, np.inf)
    bound = stairs.bound.astype(np.float64)
    return np.minimum(np.where(bound > 0, bound, np.inf), by_residual)


def scale_of(matrix, stairs, beta) -> float:
    """Return the scale of residuals: that of the problem or, if all is zero there, of the point.

    Without targets and levels the one-class problem has the scale of its values (no smaller than
    what the rounding of a coefficient does to them). A regression of targets that are all zero is
    solved by zero: whatever a coefficient at its bound could do is its scale.
    """
    scale = stairs.scale()
    if scale > 0:
        return scale
    largest = float(matrix.diagonal.max(initial=0.0))
    if stairs.total:
        response = np.abs(matrix.product(beta)).max(initial=0.0)
        return max(float(response), ROUNDED * largest * float(np.abs(beta).max(initial=0.0)))
    if np.isfinite(stairs.bound).all():
        return largest * float(stairs.bound.max(initial=0.0))
    return float(matrix.magnitude(beta).max(initial=0.0))


def judge(matrix, stairs, beta, bias, most=None, moved=None) -> Verdict:
    """Judge a point.

    Parameters
    ----------
    matrix : KernelMatrix
    stairs : Stairs
    beta, bias : ndarray, float
    most : ndarray, optional
        The larger end bound of each row, strictly inside a path only; see ``VANISHED``.
    moved : tuple of ndarray, optional
        How far knots and targets of each row move over the path: theta has rounding, too.
    """
    beta, bias = np.asarray(beta, dtype=np.float64), float(bias)
    if not (np.isfinite(beta).all() and np.isfinite(bias)):
        return Verdict(np.inf, 0.0, -1, 0.0)
    response = matrix.product(beta)
    scale = scale_of(matrix, stairs, beta)
    if scale == 0:
        # A matrix of zeros and targets of zero: every point of the right sum is a solution.
        scale = 1.0
    residual = stairs.target - response - bias
    floor = ROUNDINGS * (matrix.magnitude(beta) + abs(bias))
    grain = np.full(len(beta), ROUNDINGS * np.abs(beta).max(initial=0.0))
    unit = unit_of(matrix, stairs, scale)
    slack = floor
    if moved is not None:
        grain = grain + 2 * EPS * moved[0]
        slack = floor + 2 * EPS * moved[1]
    each = _staircase_distance(stairs, beta, residual, grain, slack, unit, scale)
    gone = stairs.bound == 0
    each = np.where(gone, np.maximum(np.abs(beta) - grain, 0.0) / unit, each)
    if most is not None:
        each = np.where(~gone & (stairs.bound <= VANISHED * most), 0.0, each)
    distance = max(float(np.max(each, initial=0.0)), _sum_distance(stairs, beta, unit, moved))
    return Verdict(distance, float(floor.max(initial=0.0)) / scale, int(np.argmax(each)), scale)


def _staircase_distance(stairs, beta, residual, grain, floor, unit, scale) -> np.ndarray:
    """Return the least, over the pieces of each staircase, of the larger of both distances."""
    n_knots = stairs.knots.shape[1]
    best = np.full(len(beta), np.inf)
    edge = np.full((len(beta), 1), np.inf)
    knots = np.hstack([-edge, stairs.knots, edge])
    pieces = []
    for j in range(n_knots + 1):
        level = stairs.levels[:, j]
        pieces.append((knots[:, j], knots[:, j + 1], level, level))
    for j in range(n_knots):
        knot = stairs.knots[:, j]
        pieces.append((knot, knot, stairs.levels[:, j], stairs.levels[:, j + 1]))
    for low, high, under, over in pieces:
        # There is nothing on a level at infinity.
        exists = (under < np.inf) & (over > -np.inf)
        off = np.maximum(np.maximum(low - beta, beta - high), 0) - grain
        away = np.maximum(np.maximum(under - residual, residual - over), 0) - floor
        with np.errstate(invalid="ignore"):
            worse = np.maximum(np.maximum(off, 0) / unit, np.maximum(away, 0) / scale)
        best = np.where(exists, np.minimum(best, worse), best)
    return best.astype(np.float64)


def _sum_distance(stairs, beta, unit, moved) -> float:
    """Return how far the coefficients are from their sum, in the largest unit."""
    if not stairs.has_bias:
        return 0.0
    total = float(np.sum(beta.astype(np.longdouble)) - stairs.total)
    allowed = ROUNDINGS * (np.abs(beta).sum() + abs(float(stairs.total)))
    if moved is not None:
        allowed += 2 * EPS * float(moved[0].sum())
    live = unit[stairs.bound > 0]
    if live.size == 0:
        return 0.0 if total == 0 else np.inf
    return max(abs(total) - allowed, 0.0) / float(live.max())
