"""The certificate of one problem's path, from the data alone: its formulas, applied along theta."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels.response import Response
from weightpath.path import certificate
from weightpath.problems import Staircase

if TYPE_CHECKING:
    from weightpath.path.part import PathPart
    from weightpath.path.segments import Block

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


def largest_violation(part: PathPart, relative: bool = True) -> float:
    """Return the largest violation over both ends and the middle of every segment.

    The right end is the last number that belongs to the segment: the one before the
    breakpoint, which belongs to the next. The ends of the path and the single theta at which the
    bias is not unique are judged separately.
    """
    single = np.unique(np.append(part.theta[[0, -1]], part.jumps[0]))
    # Segments whose ends have more digits than theta are judged at theta, one by one.
    fine = np.flatnonzero(part.record.rest[:-1] != 1.0 - part.theta[:-1])
    ends = part.theta[:-1][fine], part.theta[1:][fine]
    single = np.concatenate([single, *ends, 0.5 * (ends[0] + ends[1])])
    worst = np.max(part.own_rows.violations_at(part, np.unique(single), relative))
    # np.maximum, unlike max, keeps NaN.
    return float(np.maximum(worst, part.own_rows.largest_on_segments(part, relative)))


def violations_of_sums(
    part: PathPart, theta: Reals, relative: bool = True, block_mb: float = BLOCK_MB
) -> Reals:
    """Return the violation at each of several theta, for kernel sums over the problem's rows."""
    found = np.empty(theta.size)
    size = max(1, int(block_mb * 1e6 / (32 * len(part))))
    for first in range(0, theta.size, size):
        some = theta[first : first + size]
        moments = [part.moment(t) for t in some]
        beta = np.stack([moment.beta for moment in moments])
        bias = np.array([moment.bias for moment in moments])
        response = part.response(beta.T).T
        found[first : first + size] = certificate.kkt_violations(
            part.start, part.end, some, beta, bias, response, part.kappa, relative
        )
    return found


def largest_of_sums(part: PathPart, relative: bool) -> float:
    """Return the largest violation on all segments, for kernel sums over the problem's rows."""
    worst = np.float64(0.0)
    own = Response(part.kernel, part.train, part.train)
    for block, value, slope in part.blocks(own, part.train):
        for theta in (block.left, 0.5 * (block.left + block.right), last_theta(part, block)):
            step = block.step(theta)
            bias = block.bias + step * block.bias_slope
            beta = block.beta(theta)
            cut = beta - block.line(theta)
            response = value + step[:, None] * slope - bias[:, None] + part.ridge * beta
            if cut.any():
                response += own.product(cut)
            found = certificate.kkt_violations(
                part.start, part.end, theta, beta, bias, response, part.kappa, relative
            )
            exact = block.left_rest == 1.0 - block.left
            worst = np.maximum(worst, found[exact].max(initial=0.0))
    return float(worst)


def last_theta(part: PathPart, block: Block) -> Reals:
    """Return the last number that belongs to each segment of a block."""
    before = np.nextafter(block.right, 0.0)
    return np.where(block.right < part.theta[-1], before, block.right)


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
