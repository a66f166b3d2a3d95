"""Metrics of the order of decision values, with one entry for each pair that changes places.

A metric of the order asks for sums: which weight of other rows may a row be above, or below. Within
a region most pairs of rows have one order. These are summed up once for every sum that the metric
asks for; only pairs that change places inside the region are kept, as a line and a weight. A bound
over a part of the region then costs as much as there are such pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.plane import PlaneOrder, Scores, reached
from weightpath.regions.surface_geometry import expand, line_values
from weightpath.regions.surface_layers import Layer, Lines, cutting_lines
from weightpath.regions.surface_orders import OrderLayer, tie_width

__all__ = ["RankLayer"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Pairs of rows that are looked at together.
TABLE = 1 << 21


class Sum(NamedTuple):
    """A sum that a metric asks for: for each of some rows the weight of others below or above."""

    rows: Integers
    others: Integers
    weight: Floats
    sign: float
    tie: float


class _Asked(Scores):
    """Scores that are not known, and write down what is asked of them."""

    n_cases = 1

    def __init__(self, rows: Integers, asked: list[Sum]):
        self.rows, self.asked = rows, asked

    def of(self, rows: Integers) -> _Asked:
        return _Asked(self.rows[rows], self.asked)

    def may_pass(
        self, rows: Integers, others: Integers, weight: Floats, tie: float = 1.0
    ) -> Floats:
        return self._note(rows, others, weight, 1.0, tie)

    def may_be_passed(self, rows: Integers, others: Integers, weight: Floats) -> Floats:
        return self._note(rows, others, weight, -1.0, 1.0)

    def _note(
        self, rows: Integers, others: Integers, weight: Floats, sign: float, tie: float
    ) -> Floats:
        self.asked.append(Sum(self.rows[rows], self.rows[others], weight, sign, tie))
        # All of them may be passed: whatever the metric does with it is defined.
        return np.full((1, len(rows)), float(weight.sum()))


class _Answered(Scores):
    """Scores of which the sums are known, in the order in which they are asked for."""

    def __init__(self, sums: list[Floats]):
        self.sums, self.n_cases = sums, len(sums[0])

    def of(self, rows: Integers) -> _Answered:
        return self

    def may_pass(
        self, rows: Integers, others: Integers, weight: Floats, tie: float = 1.0
    ) -> Floats:
        return self.sums.pop(0)

    def may_be_passed(self, rows: Integers, others: Integers, weight: Floats) -> Floats:
        return self.sums.pop(0)


def _sums_of(form: PlaneOrder) -> list[Sum]:
    """Return the sums that a metric asks for."""
    asked: list[Sum] = []
    form.least(_Asked(np.arange(len(form.kind)), asked))
    return asked


@dataclass(frozen=True, eq=False)
class RankLayer(Layer):
    """Of a metric of the order: its sums, and the pairs of rows that change places."""

    affine: Floats
    certain: Floats
    tied: NDArray[np.bool_]
    line: Floats
    slot: Integers
    weight: Floats
    matters: NDArray[np.bool_]
    form: PlaneOrder
    per_region: ClassVar[tuple[str, ...]] = ("corners", "affine", "certain", "tied")
    per_entry: ClassVar[tuple[str, ...]] = ("line", "slot", "weight", "matters")

    @classmethod
    def of(cls, layer: OrderLayer) -> Self:
        """Return the same layer with its pairs."""
        sums = _sums_of(layer.form)
        n_slots = sum(len(one.rows) for one in sums)
        certain = np.zeros((len(layer), n_slots))
        tied = np.zeros(len(layer), dtype=bool)
        found: list[tuple[Integers, Integers, Integers, Integers, Floats]] = []
        first = 0
        for one in sums:
            step = max(1, TABLE // max(1, len(one.rows) * len(one.others)))
            for begin in range(0, len(layer), step):
                some = np.arange(begin, min(begin + step, len(layer)))
                found.append(_open_pairs(layer, one, some, first, certain, tied))
            first += len(one.rows)
        region, slot, row, other, weight = (
            np.concatenate(part) for part in zip(*found, strict=True)
        )
        order = np.argsort(region, kind="stable")
        region, slot, row, other = region[order], slot[order], row[order], other[order]
        # A sum of what is below has the row's value less the other's, one of what is above the
        # other's less the row's.
        sign = np.repeat([one.sign for one in sums], [len(one.rows) for one in sums])[slot]
        line = sign[:, None] * (layer.affine[region, row] - layer.affine[region, other])
        kind = layer.form.kind
        count = np.bincount(region, minlength=len(layer))
        return cls(
            layer.corners,
            np.append(0, np.cumsum(count)).astype(np.intp),
            layer.affine,
            certain,
            tied,
            line,
            slot,
            weight[order],
            (kind[row] != kind[other]) & (kind[row] >= 0) & (kind[other] >= 0),
            layer.form,
        )

    def least(self, region: Integers, corners: Floats, sharp: bool = True) -> Floats:
        """Return lower bounds; see :class:`Layer`."""
        place, entry = expand(self.start, region)
        may = line_values(self.line[entry], corners[place]).max(axis=1) >= 0
        return self._with_pairs(region, place[may], entry[may])

    def _with_pairs(self, region: Integers, place: Integers, entry: Integers) -> Floats:
        """Return the bounds where these pairs may be in an order that counts."""
        n_slots = self.certain.shape[1]
        more = np.bincount(
            place * n_slots + self.slot[entry],
            self.weight[entry],
            minlength=len(region) * n_slots,
        )
        total = self.certain[region] + more.reshape(-1, n_slots)
        ends = np.cumsum([len(one.rows) for one in _sums_of(self.form)])
        return self.form.least(_Answered(np.split(total, ends[:-1], axis=1)))

    def loss(self, region: Integers, points: Floats) -> Floats:
        """Return losses; see :class:`Layer`."""
        found = np.empty(points.shape[:2])
        plain = np.flatnonzero(~self.tied[region])
        for k in range(points.shape[1]):
            found[plain, k] = self.least(region[plain], points[plain, k : k + 1])
        rest = np.flatnonzero(self.tied[region])
        if rest.size:
            layer = OrderLayer.of(self.form, self.corners, self.affine)
            found[rest] = layer.loss(region[rest], points[rest])
        return found

    def lines(self, region: Integers, corners: Floats) -> Lines:
        """Return the lines on which two rows of different kinds change places."""
        place, entry = expand(self.start, region)
        some = self.matters[entry]
        return cutting_lines(self.line[entry[some]], place[some], corners)


def _open_pairs(
    layer: OrderLayer,
    one: Sum,
    some: Integers,
    first: int,
    certain: Floats,
    tied: NDArray[np.bool_],
) -> tuple[Integers, Integers, Integers, Integers, Floats]:
    """Add what is certain in some regions; return the pairs that change places in them."""
    corners = layer.corners[some]
    value = line_values(layer.affine[some], corners[:, None])
    noise = tie_width(layer.affine[some], np.abs(value).max(axis=(1, 2)))
    value *= one.sign
    low, high = value.min(axis=2), value.max(axis=2)
    # First by the ranges of values alone, then the pairs whose ranges overlap.
    low_row, high_row = low[:, one.rows], high[:, one.rows] + noise[:, None]
    low_other, high_other = low[:, one.others], high[:, one.others] + noise[:, None]
    slots = slice(first, first + len(one.rows))
    certain[some, slots] += reached(low_row, high_other, one.weight)
    overlap = low_row[:, :, None] < high_other[:, None]
    overlap &= high_row[:, :, None] >= low_other[:, None]
    overlap &= one.weight > 0
    case, i, j = np.nonzero(overlap)
    apart = value[case, one.rows[i]] - value[case, one.others[j]]
    least, most = apart.min(axis=1), apart.max(axis=1)
    passes = least >= -noise[case]
    same = passes & (most <= noise[case])
    share = np.where(same & (one.rows[i] != one.others[j]), one.tie, 1.0) * one.weight[j]
    np.add.at(certain, (some[case[passes]], first + i[passes]), share[passes])
    kind = layer.form.kind
    same &= kind[one.rows[i]] != kind[one.others[j]]
    tied[some[case[same & (kind[one.others[j]] >= 0)]]] = True
    kept = ~passes & (most >= -noise[case])
    case, i, j = case[kept], i[kept], j[kept]
    return some[case], first + i, one.rows[i], one.others[j], one.weight[j]
