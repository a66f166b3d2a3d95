r"""Where enough residuals are at least as large as that of the new row, exactly.

Between two nodes of a path all residuals are straight lines, and :math:`|r_i| \ge |r|` where
:math:`r_i - r` and :math:`r_i + r` have the same sign: on at most two intervals, whose ends are the
zeros of these lines. Counting the intervals that are open at a point gives the number of residuals;
nothing is looked up on a grid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances

__all__ = ["Line", "kept_on"]

Reals = NDArray[np.float64]


class Line:
    """Nodes of a piecewise straight line in the target of the new row.

    Parameters
    ----------
    target : ndarray of shape (s + 1,)
        The targets at the nodes, increasing or decreasing.
    others : ndarray of shape (s + 1, n)
        The residuals of the other rows at the nodes.
    own : ndarray of shape (s + 1,)
        The residual of the new row at the nodes.
    ray : int, default=0
        If not zero, the last piece has no end: it goes on for ever in the direction of this sign,
        and its last node holds the slopes of the residuals, per unit of the target in that
        direction, instead of values.
    """

    def __init__(self, target: Reals, others: Reals, own: Reals, ray: int = 0) -> None:
        self.target, self.others, self.own, self.ray = target, others, own, ray

    def target_at(self, piece: NDArray[np.intp], part: Reals) -> Reals:
        """Return the targets at fractions of pieces.

        On the last piece of a ray the fraction :math:`s` stands for the distance
        :math:`s / (1 - s)`: there a line is zero where :math:`(1 - s)` times its value at the node
        plus :math:`s` times its slope is.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Reals = self.target[piece] + part * (
                self.target[np.minimum(piece + 1, len(self.target) - 1)] - self.target[piece]
            )
            if self.ray:
                last = piece == len(self.target) - 2
                far = self.target[-2] + self.ray * part / (1.0 - part)
                found = np.where(last, far, found)
        return found


def kept_on(line: Line, needed: int, tolerance: float) -> Reals:
    """Return where at least ``needed`` of the other residuals are as large as that of the new row.

    Parameters
    ----------
    line : Line
        The residuals.
    needed : int
        How many, at least 1.
    tolerance : float
        Residuals that differ by no more are equal, and count.

    Returns
    -------
    ndarray of shape (k, 2)
        Closed intervals of the target, within one piece each.
    """
    equal = np.full((len(line.own), 1), tolerance)
    if line.ray:
        equal[-1] = tolerances.EQUAL_SCORES
    difference = _snapped(line.others - line.own[:, None], equal)
    total = _snapped(line.others + line.own[:, None], equal)
    low, high = _least(difference), -_least(-difference)
    low_total, high_total = _least(total), -_least(-total)
    always = ((low >= 0) & (low_total >= 0)) | ((high <= 0) & (high_total <= 0))
    never = ((low > 0) & (high_total < 0)) | ((high < 0) & (low_total > 0))
    steady = always.sum(axis=1)
    turns = ~(always | never)
    pieces = [_whole_pieces(line, np.flatnonzero(steady >= needed))]
    open_ = np.flatnonzero((steady < needed) & (steady + turns.sum(axis=1) >= needed))
    if open_.size:
        piece, row = np.nonzero(turns[open_])
        piece = open_[piece]
        begin, end, where = _intervals(difference, total, piece, row)
        pieces.append(_counted(line, steady, begin, end, where, needed))
    return np.concatenate(pieces)


def _snapped(values: Reals, tolerance: Reals) -> Reals:
    """Return values with those that are zero to rounding set to zero."""
    return np.where(np.abs(values) <= tolerance, 0.0, values)


def _least(values: Reals) -> Reals:
    """Return the smaller of the values at the two nodes of each piece."""
    return np.minimum(values[:-1], values[1:])


def _whole_pieces(line: Line, piece: NDArray[np.intp]) -> Reals:
    ends = [line.target_at(piece, np.full(piece.size, part)) for part in (0.0, 1.0)]
    return np.sort(np.column_stack(ends), axis=1)


def _intervals(
    difference: Reals, total: Reals, piece: NDArray[np.intp], row: NDArray[np.intp]
) -> tuple[Reals, Reals, NDArray[np.intp]]:
    """Return where two lines have the same sign, as fractions of their pieces, and the pieces."""
    begins, ends, where = [], [], []
    for sign in (1.0, -1.0):
        begin, end = np.zeros(piece.size), np.ones(piece.size)
        for values in (difference, total):
            at_first, at_last = sign * values[piece, row], sign * values[piece + 1, row]
            low, high = _where_not_negative(at_first, at_last)
            begin, end = np.maximum(begin, low), np.minimum(end, high)
        some = begin <= end
        begins.append(begin[some])
        ends.append(end[some])
        where.append(piece[some])
    return np.concatenate(begins), np.concatenate(ends), np.concatenate(where)


def _where_not_negative(first: Reals, last: Reals) -> tuple[Reals, Reals]:
    """Return the interval of [0, 1] on which lines with these ends are not negative."""
    with np.errstate(invalid="ignore", divide="ignore"):
        zero = first / (first - last)
    # Beyond [0, 1] where they are negative throughout.
    low = np.where(first >= 0, 0.0, np.where(last >= 0, zero, 2.0))
    high = np.where(last >= 0, 1.0, np.where(first >= 0, zero, -1.0))
    return low, high


def _counted(
    line: Line,
    steady: NDArray[np.intp],
    begin: Reals,
    end: Reals,
    piece: NDArray[np.intp],
    needed: int,
) -> Reals:
    """Return where enough of the intervals are open, beside those that always are."""
    part = np.concatenate([begin, end])
    piece = np.concatenate([piece, piece])
    change = np.concatenate([np.ones(begin.size), -np.ones(end.size)])
    # Closed intervals: at one point the first to open count together with the last to close.
    order = np.lexsort((-change, part, piece))
    part, piece, change = part[order], piece[order], change[order]
    # The changes of each piece add up to zero.
    count = steady[piece] + np.cumsum(change)
    opens = (change > 0) & (count == needed)
    closes = (change < 0) & (count == needed - 1)
    ends = [line.target_at(piece[mask], part[mask]) for mask in (opens, closes)]
    return np.sort(np.column_stack(ends), axis=1)
