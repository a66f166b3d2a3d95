"""Violations of optimality along the path of one problem, from the data alone."""

from __future__ import annotations

import numpy as np

from weightpath.path import certificate
from weightpath.path.pair_rows import PairRows
from weightpath.path.response import Response

__all__ = ["largest_violation", "violations_at"]


def violations_at(part, theta: np.ndarray, block_mb: float = 64.0) -> np.ndarray:
    """Return the violation at each of several places; kernel sums are taken in blocks of a size."""
    rows = part.evaluation
    if rows is None:
        return _of_kernel_sums(part, theta, block_mb)
    if not isinstance(rows, PairRows):
        return np.array([part.kkt_violation(t) for t in theta])
    found = np.empty(theta.size)
    # All at once: values of all documents cost all kernel values, however many are asked for.
    for k, value in enumerate(part.decision_values(part.X, theta)):
        segment = part.segment(theta[k])
        entry = slice(part.record.offset[segment], part.record.offset[segment + 1])
        step = theta[k] - part.theta[segment]
        members = (
            part.record.member[entry],
            part.record.value[entry] + step * part.record.slope[entry],
        )
        position = part.replay.at(segment)
        found[k] = rows.violations(part.start, part.end, theta[k], position, members, value)
    return found


def _of_kernel_sums(part, theta: np.ndarray, block_mb: float) -> np.ndarray:
    """The same for kernel sums, in blocks that share their kernel values."""
    found = np.empty(theta.size)
    size = max(1, int(block_mb * 1e6 / (32 * len(part))))
    for first in range(0, theta.size, size):
        some = theta[first : first + size]
        beta = np.stack([part.beta(t) for t in some])
        bias = np.array([part.bias(t) for t in some])
        response = part.response(beta.T).T
        found[first : first + size] = certificate.kkt_violations(
            part.start, part.end, some, beta, bias, response, part.reach
        )
    return found


def largest_violation(part) -> float:
    """Return the largest violation over both ends and the middle of every segment.

    The right end is the last number that belongs to the segment: the one before the
    breakpoint, which belongs to the next.
    """
    if isinstance(part.evaluation, PairRows):
        return _largest_of_pairs(part, part.evaluation)
    worst = 0.0
    own = Response(part.kernel, part.train, part.train)
    for block, value, slope in part.blocks(own, part.train):
        last = np.where(block.right < part.theta[-1], np.nextafter(block.right, 0.0), block.right)
        for theta in (block.left, 0.5 * (block.left + block.right), last):
            step = theta - block.left
            bias = block.bias + step * block.bias_slope
            beta = block.beta(theta)
            cut = beta - block.line(theta)
            response = value + step[:, None] * slope - bias[:, None] + part.ridge * beta
            if cut.any():
                response += own.product(cut)
            found = certificate.kkt_violations(
                part.start, part.end, theta, beta, bias, response, part.reach
            )
            # np.maximum, unlike max, keeps NaN.
            worst = np.maximum(worst, found.max())
    return float(worst)


def _largest_of_pairs(part, rows: PairRows) -> float:
    """The same for pairs, from the values of their documents."""
    worst = 0.0
    record = part.record
    position, events = record.initial_position.copy(), 0
    segment = 0
    for block, value, slope in part.iter_blocks(part.X):
        last = np.where(block.right < part.theta[-1], np.nextafter(block.right, 0.0), block.right)
        for s in range(len(block.left)):
            done = record.event_count[segment]
            position[record.event_index[events:done]] = record.event_to[events:done]
            events, entry = done, slice(record.offset[segment], record.offset[segment + 1])
            segment += 1
            for theta in (block.left[s], 0.5 * (block.left[s] + block.right[s]), last[s]):
                step = theta - block.left[s]
                members = record.member[entry], record.value[entry] + step * record.slope[entry]
                found = rows.violations(
                    part.start, part.end, theta, position, members, value[s] + step * slope[s]
                )
                worst = np.maximum(worst, found)
    return float(worst)
