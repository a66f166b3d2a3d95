r"""All operating points along paths of scores, and their convex hull.

On a segment of a path scores are linear in theta. At a threshold the model has a true positive rate
and a false positive rate. All pairs of rates that occur are known from one order of the rows in the
segment and from every crossing of a positive and a negative row: there one new point appears, at
the threshold between the two, on the side of the crossing where the positive row is above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Origin", "RocPoints"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Scores that differ by less than this, relative to the largest, are equal: a threshold between them
# would be a matter of rounding.
TIE = 1e-11

# Slopes that differ by less than this, relative to the largest, do not separate equal scores: rows
# at the margin have slopes of nothing but roundings.
EQUAL_SLOPES = 1e-9

# A point must be above the hull by more than this.
ABOVE = 1e-12

# Scores in one table.
TABLE = 1 << 21


class Origin(NamedTuple):
    """Where an operating point was found.

    Attributes
    ----------
    leg : int
        The path.
    theta : float
        The theta on it: of a crossing, or inside an interval without one.
    top : ndarray of bool, shape (n_rows,)
        The rows above the threshold.
    """

    leg: int
    theta: float
    top: NDArray[np.bool_]


@dataclass(eq=False)
class RocPoints:
    """The upper convex hull of operating points.

    Parameters
    ----------
    positive : ndarray of bool, shape (n_rows,)
        The rows of the second class.
    weight : ndarray of shape (n_rows,)
        Weights of rows.
    """

    positive: NDArray[np.bool_]
    weight: Floats
    fpr: Floats = field(init=False)
    tpr: Floats = field(init=False)
    origin: list[Origin | None] = field(init=False)

    def __post_init__(self) -> None:
        self.fpr, self.tpr = np.array([0.0, 1.0]), np.array([0.0, 1.0])
        self.origin = [None, None]
        self._hit = np.where(self.positive, self.weight, 0.0)
        self._miss = np.where(self.positive, 0.0, self.weight)
        self._hit, self._miss = self._hit / self._hit.sum(), self._miss / self._miss.sum()

    @property
    def origins(self) -> list[Origin]:
        """Where the vertices between (0, 0) and (1, 1) were found."""
        return [origin for origin in self.origin if origin is not None]

    def follow(self, leg: int, left: Floats, right: Floats, value: Floats, slope: Floats) -> None:
        """Take the points of consecutive segments, given as by ``iter_segments``."""
        for k in range(len(left)):
            length = right[k] - left[k]
            if length > 0:
                self._segment(leg, left[k], length, value[k], slope[k])

    def _segment(self, leg: int, left: float, length: float, value: Floats, slope: Floats) -> None:
        end = value + length * slope
        # A shift of all scores changes no order, and their size is that of their differences.
        size = max(np.ptp(value), np.ptp(end), 1e-300)
        noise = TIE * max(np.abs(value).max(), np.abs(end).max(), size)
        self._whole_order(leg, left + 0.5 * length, value + 0.5 * length * slope, noise)
        up, down = np.flatnonzero(self.positive), np.flatnonzero(~self.positive)
        first = value[up, None] - value[None, down]
        last = end[up, None] - end[None, down]
        crosses = (np.abs(first) > noise) & (np.abs(last) > noise) & ((first > 0) != (last > 0))
        i, j = np.nonzero(crosses)
        if not i.size:
            return
        share = first[i, j] / (first[i, j] - last[i, j])
        step = max(1, TABLE // len(value))
        for begin in range(0, len(i), step):
            some = slice(begin, begin + step)
            self._crossings(leg, left, length * share[some], up[i[some]], value, slope, noise)

    def _crossings(
        self,
        leg: int,
        left: float,
        away: Floats,
        row: Integers,
        value: Floats,
        slope: Floats,
        noise: float,
    ) -> None:
        """Take the points beside crossings, each at the score of a row."""
        scores = value + away[:, None] * slope
        level = scores[np.arange(len(row)), row][:, None]
        above = scores > level + 4.0 * noise
        group = ~above & (scores >= level - 4.0 * noise)
        fpr: Floats = above.astype(float) @ self._miss
        tpr: Floats = above.astype(float) @ self._hit + self._hit[row]
        # With more than two rows at one score the order beside the crossing is that of the slopes.
        several = group.sum(axis=1) > 2
        good = np.flatnonzero(self._is_above(fpr, tpr) & ~several)
        for k in good:
            top = above[k].copy()
            top[row[k]] = True
            self._add(fpr[k], tpr[k], Origin(leg, float(left + away[k]), top))
        highest: Floats = (above | (group & self.positive)).astype(float) @ self._hit
        turn = EQUAL_SLOPES * float(np.abs(slope).max())
        for k in np.flatnonzero(several & self._is_above(fpr, highest)):
            members = np.flatnonzero(group[k])
            for sign in (1.0, -1.0):
                order = members[np.argsort(-sign * slope[members], kind="stable")]
                self._tops(leg, float(left + away[k]), above[k], order, sign * slope[order], turn)

    def _whole_order(self, leg: int, theta: float, scores: Floats, noise: float) -> None:
        """Take all points of one order."""
        order = np.argsort(-scores, kind="stable")
        self._tops(leg, theta, np.zeros(len(scores), dtype=bool), order, scores[order], noise)

    def _tops(
        self,
        leg: int,
        theta: float,
        above: NDArray[np.bool_],
        order: Integers,
        key: Floats,
        noise: float,
    ) -> None:
        """Take the points of rows in an order below others; equal keys are not separated."""
        fpr = above @ self._miss + np.cumsum(self._miss[order])
        tpr = above @ self._hit + np.cumsum(self._hit[order])
        ends = np.append(np.abs(np.diff(key)) > noise, True)
        for k in np.flatnonzero(ends & self._is_above(fpr, tpr)):
            top = above.copy()
            top[order[: k + 1]] = True
            self._add(fpr[k], tpr[k], Origin(leg, theta, top))

    def _is_above(self, fpr: Floats, tpr: Floats) -> NDArray[np.bool_]:
        return np.asarray(tpr > np.interp(fpr, self.fpr, self.tpr) + ABOVE)

    def _add(self, fpr: float, tpr: float, origin: Origin) -> None:
        """Put a point into the hull, and take out those that are below it now."""
        if not self._is_above(np.array([fpr]), np.array([tpr]))[0]:
            return
        # At equal false positive rates only the higher point, and never the ends.
        ends = np.isin(np.arange(len(self.fpr)), (0, len(self.fpr) - 1))
        kept = np.flatnonzero((np.abs(self.fpr - fpr) > ABOVE) | ends)
        x, y = np.append(self.fpr[kept], fpr), np.append(self.tpr[kept], tpr)
        origins = [*(self.origin[k] for k in kept), origin]
        order = np.lexsort((y, x))
        hull: list[int] = []
        for k in order:
            while len(hull) > 1 and _turns_up(x, y, hull[-2], hull[-1], int(k)):
                hull.pop()
            hull.append(int(k))
        self.fpr, self.tpr = x[hull], y[hull]
        self.origin = [origins[k] for k in hull]


def _turns_up(x: Floats, y: Floats, a: int, b: int, c: int) -> bool:
    """Whether b is not above the line from a to c."""
    cross = (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])
    return bool(cross >= -ABOVE * max(x[c] - x[a], y[c] - y[a], ABOVE))
