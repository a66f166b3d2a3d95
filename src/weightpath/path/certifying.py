"""The certificate of one problem's path, from the data alone: its formulas, applied along theta."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.path import certificate
from weightpath.path._segment_violations import SegmentJudge
from weightpath.path._violations import residual_scales
from weightpath.path.own_sums import OwnSums
from weightpath.problems import Staircase

if TYPE_CHECKING:
    from weightpath.path.part import PathPart

__all__ = [
    "duality_gap",
    "largest_of_sums",
    "largest_violation",
    "last_theta",
    "objective",
    "rounding_floor",
    "violations_of_sums",
]

Reals = NDArray[np.float64]

# Kernel sums at several theta are taken in blocks that take about so much memory.
BLOCK_MB = 64.0

# Segments that are judged together: what the rows that change on none of them add to kernel sums
# is the same for all.
BLOCK_SEGMENTS = 128


def largest_violation(part: PathPart, relative: bool = True) -> float:
    """Return the largest violation over both ends and the middle of every segment.

    The right end is the last number that belongs to the segment: the one before the
    breakpoint, which belongs to the next. The ends of the path and the single theta at which the
    bias is not unique are judged separately.
    """
    single = np.append(part.theta[[0, -1]], part.jumps[0])
    # Segments whose ends have more digits than theta are judged at theta, one by one.
    fine = np.flatnonzero(part.record.rest[:-1] != 1.0 - part.theta[:-1])
    ends = part.theta[:-1][fine], part.theta[1:][fine]
    single = np.concatenate([single, *ends, 0.5 * (ends[0] + ends[1])])
    return part.own_rows.largest_violation(part, np.unique(single), relative)


def violations_of_sums(
    part: PathPart, theta: Reals, relative: bool = True, block_mb: float = BLOCK_MB
) -> Reals:
    """Return the violation at each of several theta, for kernel sums over the problem's rows."""
    found = np.empty(theta.size)
    size = max(1, int(block_mb * 1e6 / (32 * len(part))))
    for first in range(0, theta.size, size):
        some = theta[first : first + size]
        beta, bias = _coefficients(part, some)
        response = part.response(beta.T).T
        found[first : first + size] = certificate.kkt_violations(
            part.start, part.end, some, beta, bias, response, part.kappa, relative
        )
    return found


def largest_of_sums(part: PathPart, single: Reals, relative: bool) -> float:
    """Return the largest violation on all segments and at some theta, for kernel sums over rows."""
    judge = SegmentJudge(
        part.start, part.end, part.kappa, part.record, part.replay.interval, relative
    )
    sums, n_segments = OwnSums(part), len(part.record)
    size = max(1, min(BLOCK_SEGMENTS, int(BLOCK_MB * 1e6 / (24 * len(part)))))
    knot = judge.enter(0)
    worst = _largest_at(part, single, relative, lambda beta: sums.begin(knot, size, beta))
    theta = _places(part)
    scale = residual_scales(part.start, part.end, theta.ravel()).reshape(theta.shape)
    first, is_stale = 0, False
    # What is not a number stays.
    while first < n_segments and not np.isnan(judge.worst):
        last = min(first + size, n_segments)
        share = sums.share(judge.enter(first), first, last, is_stale)
        at, columns, margins = theta[first:last], sums.columns, None
        if sums.has_large_margins(first, last):
            margins = sums.margins(first, last, judge.coefficients(first, at))
        given = at, scale[first:last], columns.values, columns.slot, share, sums.carried
        first = judge.look_at(first, *given, margins)
        is_stale = first < last
    # np.maximum, unlike max, keeps NaN.
    return float(np.maximum(worst, judge.worst))


def _largest_at(
    part: PathPart, theta: Reals, relative: bool, response: Callable[[Reals], Reals]
) -> float:
    """Return the largest violation at some theta.

    The kernel sums of as many as fit into memory at once are asked of ``response``.
    """
    size = max(1, int(BLOCK_MB * 1e6 / (32 * len(part))))
    some = theta[:size]
    beta, bias = _coefficients(part, some)
    found = certificate.kkt_violations(
        part.start, part.end, some, beta, bias, response(beta), part.kappa, relative
    )
    return float(np.max(np.append(found, violations_of_sums(part, theta[size:], relative))))


def _coefficients(part: PathPart, theta: Reals) -> tuple[Reals, Reals]:
    """Return coefficients, of shape (n_theta, n), and the bias at some theta."""
    moments = [part.moment(t) for t in theta]
    beta = np.stack([moment.beta for moment in moments])
    return beta, np.array([moment.bias for moment in moments])


def _places(part: PathPart) -> Reals:
    """Return where to look at each segment: both ends and the middle, of shape (n_segments, 3)."""
    left, right = part.theta[:-1], part.theta[1:]
    return np.stack([left, 0.5 * (left + right), last_theta(part, right)], axis=1)


def last_theta(part: PathPart, right: Reals) -> Reals:
    """Return the last number that belongs to each segment with this right end."""
    return np.where(right < part.theta[-1], np.nextafter(right, 0.0), right)


def rounding_floor(part: PathPart, theta: float, relative: bool = True) -> float:
    """Return what the rounding of kernel sums alone can do to the residuals at ``theta``."""
    moment, stair = part.moment(theta), part.staircase(theta)
    sizes = part.own_rows.term_sizes(part, moment.beta)
    return certificate.rounding_floor(stair, moment.beta, moment.bias, sizes, relative)


def duality_gap(part: PathPart, theta: float, relative: bool = False) -> float:
    """Return the duality gap at ``theta``."""
    gap = certificate.duality_gap(*_claim(part, theta))
    value = abs(objective(part, theta)) if relative else 0.0
    return gap / value if value > 0 else gap


def objective(part: PathPart, theta: float) -> float:
    """Return the primal objective at ``theta``."""
    stair, beta, bias, response = _claim(part, theta)
    return part.own_rows.objective(stair, theta, beta, bias, response)


def _claim(part: PathPart, theta: float) -> tuple[Staircase, Reals, float, Reals]:
    """Return what is judged: the problem, coefficients, bias and the matrix times coefficients."""
    moment = part.moment(theta)
    return part.staircase(theta), moment.beta, moment.bias, part.response(moment.beta)
