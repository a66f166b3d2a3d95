"""The one-standard-error rule on an exact curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.curve import Best, Curve
from weightpath.curves.lowest import cut_at, middle, scale
from weightpath.curves.polynomials import EQUAL, polynomial

__all__ = ["one_standard_error", "standard_error"]


def standard_error(folds: Sequence[Curve], theta: float) -> float:
    """The standard error of the mean over folds, at one theta.

    Parameters
    ----------
    folds : sequence of Curve
        At least two.
    theta : float
        Where.

    Returns
    -------
    float
        The standard deviation (with one degree of freedom taken) of the values of the folds,
        divided by the square root of their number.

    Examples
    --------
    >>> from weightpath.curves import Curve, standard_error
    >>> folds = [Curve([0.0, 1.0], [[0.25]]), Curve([0.0, 1.0], [[0.75]])]
    >>> standard_error(folds, 0.5)
    0.25
    """
    if len(folds) < 2:
        raise ValueError("A standard error needs the curves of two folds or more.")
    values = np.array([fold(theta) for fold in folds])
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def one_standard_error(mean: Curve, folds: Sequence[Curve], towards: str = "start") -> Best:
    """The theta nearest to one end that is as good as the best, up to one standard error.

    The bound is the best value of the mean, worsened by the standard error over folds at the best
    theta. Of all theta at which the mean keeps within it, that nearest to the start (the weights
    that are in use now, say) is chosen. It is computed from the pieces of the curve, not
    searched for.

    Parameters
    ----------
    mean : Curve
        The mean over folds.
    folds : sequence of Curve
        The curve of every fold, two at least.
    towards : {"start", "end"}, default="start"
        The end of the curve to stay near to.

    Returns
    -------
    Best
        ``interval`` is the stretch of theta, nearest to that end, between whose ends the mean
        keeps within the bound; an isolated point within the bound is such a stretch, and one
        that is not cuts a stretch in two. ``theta`` is, for a step function, the middle of its
        step nearest to that end, and otherwise the end of the stretch itself, or the number
        next to it where the mean exceeds the bound at that end; ``value`` the mean there.

    Examples
    --------
    >>> from weightpath.curves import Curve, mean_curve, one_standard_error
    >>> folds = [
    ...     Curve([0.0, 0.2, 0.6, 1.0], [[0.4], [0.22], [0.2]]),
    ...     Curve([0.0, 0.2, 0.6, 1.0], [[0.4], [0.14], [0.1]]),
    ... ]
    >>> choice = one_standard_error(mean_curve(folds), folds)
    >>> round(choice.theta, 12), choice.interval
    (0.4, (0.2, 1.0))
    """
    if towards not in ("start", "end"):
        raise ValueError(f'towards must be "start" or "end", got {towards!r}.')
    sign = -1.0 if mean.greater_is_better else 1.0
    cost, point_cost = sign * mean.coefficients, sign * mean.point_values
    best = mean.best
    tolerance = EQUAL * scale(mean.edges, cost)
    bound = sign * best.value + standard_error(folds, best.theta)
    within = point_cost <= bound + tolerance
    intervals = _intervals(mean.edges, cost, bound, tolerance)
    if point_cost.size:
        intervals = _with_points(intervals, mean.point_theta[within], mean.point_theta[~within])
    stretches = _runs(intervals, mean.point_theta[~within])
    for stretch in stretches if towards == "start" else reversed(stretches):
        theta = _chosen(mean, stretch, towards, lambda at: sign * mean(at) <= bound + tolerance)
        if theta is not None:
            left, right = stretch[0][0], stretch[-1][1]
            return Best(theta, mean(theta), (left, right) if left < right else (theta, theta))
    return best


def _chosen(
    mean: Curve,
    stretch: Sequence[tuple[float, float]],
    towards: str,
    keeps: Callable[[float], bool],
) -> float | None:
    """The theta of a stretch to take; None if the bound is approached there, but not kept."""
    inner = stretch[0] if towards == "start" else stretch[-1]
    if mean.degree == 0:
        return middle(*inner)
    theta = inner[0] if towards == "start" else inner[1]
    if keeps(theta):
        return theta
    # The curve jumps there, or has an isolated point: what keeps within the bound is a limit.
    below, above = float(np.nextafter(theta, -np.inf)), float(np.nextafter(theta, np.inf))
    if inner[0] < inner[1]:
        return above if towards == "start" else below
    near = [at for at in (below, above) if mean.edges[0] <= at <= mean.edges[-1] and keeps(at)]
    return near[0] if near else None


def _intervals(
    edges: NDArray[np.float64], cost: NDArray[np.float64], bound: float, tolerance: float
) -> list[tuple[float, float]]:
    """Where a cost keeps within a bound: intervals, each on one piece of the curve."""
    intervals: list[tuple[float, float]] = []
    for e in range(len(cost)):
        left, right = float(edges[e]), float(edges[e + 1])
        for a, b in _within(cost[e], right - left, bound, tolerance):
            # An end of the piece stays that very number.
            intervals.append((left + a, right if b == right - left else left + b))
    return intervals


def _with_points(
    intervals: Sequence[tuple[float, float]],
    within: NDArray[np.float64],
    beyond: NDArray[np.float64],
) -> list[tuple[float, float]]:
    """Intervals and single points within a bound, without the points that are beyond it."""
    left, right = np.array(intervals).reshape(-1, 2).T
    left, right = cut_at(left, right, beyond)
    covered = np.searchsorted(left, within, side="right") > np.searchsorted(right, within)
    alone = within[~covered]
    order = np.lexsort((np.append(right, alone), np.append(left, alone)))
    ends = np.column_stack((np.append(left, alone), np.append(right, alone)))[order]
    return [(float(a), float(b)) for a, b in ends]


def _runs(
    intervals: Sequence[tuple[float, float]], beyond: NDArray[np.float64]
) -> list[list[tuple[float, float]]]:
    """Join intervals that meet, unless it is in a point beyond the bound."""
    runs: list[list[tuple[float, float]]] = []
    for interval in intervals:
        if runs and runs[-1][-1][1] == interval[0] and interval[0] not in beyond:
            runs[-1].append(interval)
        else:
            runs.append([interval])
    return runs


def _within(
    cost: NDArray[np.float64], length: float, bound: float, tolerance: float
) -> list[tuple[float, float]]:
    """Where, on one piece, a polynomial is at most the bound; in distances to its left edge."""
    if len(cost) == 1:
        return [(0.0, length)] if cost[0] <= bound + tolerance else []
    gap = np.append(cost, np.zeros(3 - len(cost)))
    gap[0] -= bound
    inner = sorted({place for place in _turns(*gap) if 0 < place < length})
    marks = [0.0, *inner, length]
    kept: list[tuple[float, float]] = []
    for left, right in pairwise(marks):
        if polynomial(gap, 0.5 * (left + right)) > tolerance:
            continue
        if kept and kept[-1][1] == left:
            kept[-1] = (kept[-1][0], right)
        else:
            kept.append((left, right))
    if not kept:
        # The bound may be touched at a single theta.
        kept = [(place, place) for place in marks if polynomial(gap, place) <= tolerance][:1]
    return kept


def _turns(c: float, b: float, a: float) -> list[float]:
    """Real zeros of ``a t^2 + b t + c``, without cancellation, and where it turns round."""
    if a == 0:
        return [] if b == 0 else [-c / b]
    turn = -b / (2 * a)
    inside = b * b - 4 * a * c
    if inside < 0:
        return [turn]
    q = -0.5 * (b + np.copysign(np.sqrt(inside), b))
    return [turn] if q == 0 else [turn, q / a, c / q]
