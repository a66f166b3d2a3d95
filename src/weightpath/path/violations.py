"""Violations of optimality along the path of one problem, from the data alone."""

from __future__ import annotations

import numpy as np

from weightpath.path import certificate
from weightpath.path.pair_rows import PairRows
from weightpath.path.response import Response

__all__ = ["largest_violation", "violations_at"]


def violations_at(
    part, theta: np.ndarray, relative: bool = True, block_mb: float = 64.0
) -> np.ndarray:
    """Return the violation at each of several places; kernel sums are taken in blocks of a size."""
    rows = part.evaluation
    if not isinstance(rows, PairRows):
        return _of_kernel_sums(part, theta, relative, block_mb)
    found = np.empty(theta.size)
    # All at once: values of all documents cost all kernel values, however many are asked for.
    for k, value in enumerate(part.decision_values(part.X, theta)):
        moment = part.moment(theta[k])
        found[k] = rows.violation(part.staircase(theta[k]), moment, part.kappa, value)
    return found


def _of_kernel_sums(part, theta: np.ndarray, relative: bool, block_mb: float) -> np.ndarray:
    """The same for kernel sums, in blocks that share their kernel values."""
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


def largest_violation(part, relative: bool = True) -> float:
    """Return the largest violation over both ends and the middle of every segment.

    The right end is the last number that belongs to the segment: the one before the
    breakpoint, which belongs to the next. The ends of the path and the single theta at which the
    bias is not unique have solutions of their own.
    """
    single = np.unique(np.append(part.theta[[0, -1]], part.jumps[0]))
    # Segments whose ends have more digits than theta are looked at where theta is, one by one.
    fine = np.flatnonzero(part.record.rest[:-1] != 1.0 - part.theta[:-1])
    ends = part.theta[:-1][fine], part.theta[1:][fine]
    single = np.concatenate([single, *ends, 0.5 * (ends[0] + ends[1])])
    worst = np.max(violations_at(part, np.unique(single), relative))
    if isinstance(part.evaluation, PairRows):
        return float(np.maximum(worst, _largest_of_pairs(part, part.evaluation)))
    own = Response(part.kernel, part.train, part.train)
    for block, value, slope in part.blocks(own, part.train):
        last = np.where(block.right < part.theta[-1], np.nextafter(block.right, 0.0), block.right)
        for theta in (block.left, 0.5 * (block.left + block.right), last):
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
            # np.maximum, unlike max, keeps NaN.
            exact = block.left_rest == 1.0 - block.left
            worst = np.maximum(worst, found[exact].max(initial=0.0))
    return float(worst)


def _largest_of_pairs(part, rows: PairRows) -> float:
    """The same for pairs, from the values of their documents."""
    worst = 0.0
    record = part.record
    position, events = record.initial_position.copy(), 0
    segment = 0
    for block, value, slope in part.iter_blocks(part.X):
        last = np.where(block.right < part.theta[-1], np.nextafter(block.right, 0.0), block.right)
        exact = block.left_rest == 1.0 - block.left
        for s in range(len(block.left)):
            done = record.event_count[segment]
            position[record.event_index[events:done]] = record.event_to[events:done]
            events, entry = done, slice(record.offset[segment], record.offset[segment + 1])
            segment += 1
            if not exact[s]:
                continue
            for theta in (block.left[s], 0.5 * (block.left[s] + block.right[s]), last[s]):
                step = float(block.step(np.full(len(block.left), theta))[s])
                members = record.member[entry], record.value[entry] + step * record.slope[entry]
                found = rows.violations(
                    part.start,
                    part.end,
                    theta,
                    position,
                    members,
                    value[s] + step * slope[s],
                    part.kappa,
                )
                worst = np.maximum(worst, found)
    return float(worst)
