"""Metrics of the order of decision values, over the regions of one map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.plane import CornerScores, LimitedScores, PlaneOrder, Scores
from weightpath.regions.surface_geometry import line_values, unit_lines
from weightpath.regions.surface_layers import NOISE, RESOLUTION, Layer, Lines

__all__ = ["OrderLayer", "tie_width", "tied"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Decision values that differ by less than this, relative to the sizes of their terms, are equal.
# They come from solutions that are exact to rounding times the condition of the margin.
TIE = 1e-12

# Numbers in one table of values.
TABLE = 1 << 21


@dataclass(frozen=True, eq=False)
class OrderLayer(Layer):
    """Of a metric of the order: the decision values of all rows."""

    affine: Floats
    form: PlaneOrder
    per_region: ClassVar[tuple[str, ...]] = ("corners", "affine")

    @classmethod
    def of(cls, form: PlaneOrder, corners: Floats, affine: Floats) -> Self:
        """Return the layer of regions with these functions."""
        return cls(corners, np.zeros(len(corners) + 1, dtype=np.intp), affine, form)

    def detailed(self) -> Layer:
        """Return the layer with the pairs that change places; see :class:`Layer`."""
        from weightpath.regions.surface_ranks import RankLayer

        return RankLayer.of(self)

    def least(self, region: Integers, corners: Floats, sharp: bool = True) -> Floats:
        """Return lower bounds, sharp ones from all pairs of rows; see :class:`Layer`."""
        found = np.empty(len(region))
        n_rows = self.affine.shape[1]
        step = max(1, TABLE // (n_rows * (n_rows if sharp else corners.shape[1])))
        for first in range(0, len(region), step):
            some = slice(first, first + step)
            value = line_values(self.affine[region[some]], corners[some, None])
            if sharp:
                scores: Scores = CornerScores(value)
            else:
                scores = LimitedScores(value.min(axis=2), value.max(axis=2))
            found[some] = self.form.least(scores)
        return found

    def loss(self, region: Integers, points: Floats) -> Floats:
        """Return losses; see :class:`Layer`."""
        found = np.empty(points.shape[:2])
        step = max(1, TABLE // self.affine.shape[1])
        for k in range(points.shape[1]):
            for first in range(0, len(region), step):
                some = slice(first, first + step)
                value = line_values(self.affine[region[some]], points[some, None, k : k + 1])
                found[some, k] = self._at(region[some], value[..., 0])
        return found

    def _at(self, region: Integers, value: Floats) -> Floats:
        """Return the losses at values; rows that are equal all over their region are tied."""
        loss = self.form.least(LimitedScores(value, value))
        order = np.argsort(value, axis=1, kind="stable")
        ordered = np.take_along_axis(value, order, axis=1)
        noise = tie_width(self.affine[region], np.abs(value).max(axis=1))
        close = np.diff(ordered, axis=1) <= noise[:, None]
        for one in np.flatnonzero(close.any(axis=1)):
            left, right = order[one, :-1], order[one, 1:]
            pairs = np.flatnonzero(close[one])
            apart = self.affine[region[one], left[pairs]] - self.affine[region[one], right[pairs]]
            corners = self.corners[region[one]]
            far = np.abs(line_values(apart, corners[None])).max(axis=1)
            tied = pairs[far <= noise[one]]
            if tied.size:
                same = np.empty_like(value[one])
                same[order[one]] = ordered[one][_first_of_ties(value.shape[1], tied)]
                loss[one] = self.form.at(same)
        return loss

    def lines(self, region: Integers, corners: Floats) -> Lines:
        """Return the lines on which two rows change places; see :class:`Layer`."""
        found = [self._pairs(*one) for one in zip(region, corners, strict=True)]
        start = np.append(0, np.cumsum([len(one) for one in found])).astype(np.intp)
        return np.concatenate([np.empty((0, 3)), *found]), start

    def _pairs(self, region: np.intp, corners: Floats) -> Floats:
        """Return the lines of one polygon; equal ones are one."""
        kind, query = self.form.kind, self.form.query
        rows = np.flatnonzero(kind >= 0)
        value = line_values(self.affine[region, rows], corners[None])
        low, high = value.min(axis=1), value.max(axis=1)
        order = np.argsort(low, kind="stable")
        # In the order of the lower ends, the following rows that begin before a row ends.
        until = np.searchsorted(low[order], high[order], side="left")
        count = np.maximum(until - np.arange(len(rows)) - 1, 0)
        first = np.repeat(np.arange(len(rows)), count)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
        a, b = rows[order[first]], rows[order[second]]
        matters = (kind[a] != kind[b]) & (query[a] == query[b])
        a, b = a[matters], b[matters]
        line = self.affine[region, a] - self.affine[region, b]
        noise = NOISE * (
            np.abs(self.affine[region, a]).sum(axis=1) + np.abs(self.affine[region, b]).sum(axis=1)
        )
        tolerance = RESOLUTION * np.hypot(line[:, 1], line[:, 2]) + noise
        apart = line_values(line, corners[None])
        line = line[(apart.max(axis=1) > tolerance) & (apart.min(axis=1) < -tolerance)]
        line = unit_lines(line)
        # One line for rows with the same values, whichever way round.
        turned = (
            line
            * np.where((line[:, 1] < 0) | ((line[:, 1] == 0) & (line[:, 2] < 0)), -1.0, 1.0)[
                :, None
            ]
        )
        _, kept = np.unique(np.round(turned, 12), axis=0, return_index=True)
        return np.asarray(line[kept])


def tie_width(affine: Floats, size: Floats) -> Floats:
    """Return how far apart the values of equal rows can be, of shape (n,).

    Parameters
    ----------
    affine : ndarray of shape (n, n_rows, 3)
        Their functions.
    size : ndarray of shape (n,)
        The largest values.
    """
    return np.asarray(TIE * size + NOISE * np.abs(affine).sum(axis=2).max(axis=1))


def tied(values: Floats) -> Floats:
    """Return values of which those that differ by no more than rounding are equal."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order])
    close = np.flatnonzero(gaps <= TIE * np.abs(values).max(initial=0.0))
    found = np.empty_like(values)
    found[order] = values[order][_first_of_ties(len(values), close)]
    return found


def _first_of_ties(count: int, tied: Integers) -> Integers:
    """Return, for places in an order, the first one that is tied with each."""
    first = np.arange(count)
    first[tied + 1] = 0
    return np.asarray(np.maximum.accumulate(first))
