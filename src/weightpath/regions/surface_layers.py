"""A metric over all regions of one map: its values, its lines, and bounds over polygons.

Coordinates are those of the unit square, to which the bounds of the map are taken. Within region r
the decision value of row j is ``affine[r, j] @ (1, x, y)``. For most rows the sign (or the active
side of a hinge) is the same all over a region: these are summed up once, and only the others are
kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.plane import PlaneCounts, PlaneHinges
from weightpath.regions.surface_geometry import expand, line_values, padded, unit_lines

__all__ = ["NOISE", "RESOLUTION", "CountLayer", "HingeLayer", "Layer", "Lines", "cutting_lines"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Polygons narrower than this share of the plane are not distinguished from a line or a point: their
# vertices are computed from solutions that are themselves good to about this number.
RESOLUTION = 1e-11

# Units of rounding of a decision value that is a sum of many products.
NOISE = 32 * np.finfo(float).eps

# Lines of several polygons, those of one after the other, and where those of each begin.
Lines = tuple[Floats, Integers]


@dataclass(frozen=True, eq=False)
class Layer(ABC):
    """What one map says of a metric.

    Parameters
    ----------
    corners : ndarray of shape (n_regions, v, 2)
        Polygons of the regions.
    start : ndarray of int, shape (n_regions + 1,)
        Where the entries of each region begin among those that are kept for single rows.
    """

    corners: Floats
    start: Integers

    # Names of arrays with one row for each region, and with one for each kept entry.
    per_region: ClassVar[tuple[str, ...]] = ("corners",)
    per_entry: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        return len(self.corners)

    @abstractmethod
    def least(self, region: Integers, corners: Floats, sharp: bool = True) -> Floats:
        """Return lower bounds of the loss, of shape (n,), with the functions of some regions.

        Parameters
        ----------
        region : ndarray of int, shape (n,)
            Regions.
        corners : ndarray of shape (n, v, 2)
            Polygons over which the bounds hold.
        sharp : bool
            Whether to take more time where that makes the bounds better.
        """

    @abstractmethod
    def loss(self, region: Integers, points: Floats) -> Floats:
        """Return losses of shape (n, k) at points of shape (n, k, 2) of these regions."""

    def lines(self, region: Integers, corners: Floats) -> Lines:
        """Return the lines of these regions that cut polygons, with gradients of length one."""
        place, entry = expand(self.start, region)
        return cutting_lines(self._entry_lines()[entry], place, corners)

    def _entry_lines(self) -> Floats:
        return np.empty((0, 3))

    def detailed(self) -> Layer:
        """Return the same layer in the form that is best for a search; it may take more memory."""
        return self

    def restricted(self, keep: NDArray[np.bool_]) -> Self:
        """Return the layer of some regions."""
        kept = np.flatnonzero(keep)
        _, entry = expand(self.start, kept)
        start = np.append(0, np.cumsum(np.diff(self.start)[kept])).astype(np.intp)
        chosen: dict[str, Any] = {name: getattr(self, name)[kept] for name in self.per_region}
        chosen |= {name: getattr(self, name)[entry] for name in self.per_entry}
        return replace(self, start=start, **chosen)

    @classmethod
    def joined(cls, layers: Sequence[Self]) -> Self:
        """Return the layer of all regions of several layers of one metric."""
        if len(layers) == 1:
            return layers[0]
        joined: dict[str, Any] = {}
        for name in (own.name for own in fields(cls)):
            parts = [getattr(layer, name) for layer in layers]
            if name == "corners":
                joined[name] = padded([one for part in parts for one in part])
            elif name == "start":
                sizes = np.concatenate([np.diff(part) for part in parts])
                joined[name] = np.append(0, np.cumsum(sizes)).astype(np.intp)
            elif name in cls.per_region + cls.per_entry:
                joined[name] = np.concatenate(parts)
            else:
                joined[name] = parts[0]
        return cls(**joined)


def _tolerance(line: Floats) -> Floats:
    """How far from zero a value must be, at points of the unit square, for its sign to count."""
    length = np.hypot(line[..., 1], line[..., 2])
    return np.asarray(RESOLUTION * length + NOISE * np.abs(line).sum(axis=-1))


def _cuts(line: Floats, corners: Floats) -> NDArray[np.bool_]:
    value, tolerance = line_values(line, corners), _tolerance(line)
    return np.asarray((value.max(axis=1) > tolerance) & (value.min(axis=1) < -tolerance))


def cutting_lines(line: Floats, place: Integers, corners: Floats) -> Lines:
    """Return the lines that cut polygons; line k may cut the polygon ``place[k]``."""
    cuts = _cuts(line, corners[place])
    start = np.append(0, np.cumsum(np.bincount(place[cuts], minlength=len(corners))))
    return unit_lines(line[cuts]), start.astype(np.intp)


def _ranges(affine: Floats, corners: Floats) -> tuple[Floats, Floats]:
    """Return the middles of values over the boxes around polygons, and half of their widths."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    value = affine[..., 1] * middle[:, None, 0]
    value += affine[..., 2] * middle[:, None, 1]
    value += affine[..., 0]
    spread = np.abs(affine[..., 1]) * half[:, None, 0]
    spread += np.abs(affine[..., 2]) * half[:, None, 1]
    spread += NOISE * np.abs(affine).sum(axis=-1)
    return value, spread


@dataclass(frozen=True, eq=False)
class CountLayer(Layer):
    """Of a metric of predicted classes: weight by code in the second class, and the lines f = 0."""

    positive: Floats
    line: Floats
    code: Integers
    weight: Floats
    form: PlaneCounts
    per_region: ClassVar[tuple[str, ...]] = ("corners", "positive")
    per_entry: ClassVar[tuple[str, ...]] = ("line", "code", "weight")

    @classmethod
    def of(cls, form: PlaneCounts, corners: Floats, affine: Floats) -> Self:
        """Return the layer of regions with these functions."""
        n_codes = int(form.code.max()) + 1
        rows = np.flatnonzero(form.weight > 0)
        affine, code, weight = affine[:, rows], form.code[rows], form.weight[rows]
        value, spread = _ranges(affine, corners)
        open_ = np.abs(value) <= spread
        shares = np.zeros((len(rows), n_codes))
        shares[np.arange(len(rows)), code] = weight
        positive = ((value > 0) & ~open_).astype(float) @ shares
        region, row = np.nonzero(open_)
        line = affine[region, row]
        cuts = _cuts(line, corners[region])
        corner_values = line_values(line[~cuts], corners[region[~cuts]])
        # A function that is zero everywhere, up to rounding, does not predict the second class.
        above = corner_values.max(axis=1) > np.maximum(
            -corner_values.min(axis=1), NOISE * np.abs(line[~cuts]).sum(axis=1)
        )
        np.add.at(
            positive, (region[~cuts][above], code[row[~cuts][above]]), weight[row[~cuts][above]]
        )
        count = np.bincount(region[cuts], minlength=len(corners))
        start = np.append(0, np.cumsum(count)).astype(np.intp)
        kept = row[cuts]
        return cls(corners, start, positive, line[cuts], code[kept], weight[kept], form)

    def _entry_lines(self) -> Floats:
        return self.line

    def least(self, region: Integers, corners: Floats, sharp: bool = True) -> Floats:
        """Return lower bounds; see :class:`Layer`."""
        place, entry = expand(self.start, region)
        value = line_values(self.line[entry], corners[place])
        limits = (value.min(axis=1) > 0, value.max(axis=1) > 0)
        low, high = (self._weights(region, place, entry, some) for some in limits)
        return self.form.least(low, high)

    def loss(self, region: Integers, points: Floats) -> Floats:
        """Return losses; see :class:`Layer`."""
        place, entry = expand(self.start, region)
        value = line_values(self.line[entry], points[place])
        found = [
            self.form.loss(self._weights(region, place, entry, value[:, k] > 0))
            for k in range(points.shape[1])
        ]
        return np.stack(found, axis=1)

    def _weights(
        self, region: Integers, place: Integers, entry: Integers, some: NDArray[np.bool_]
    ) -> Floats:
        """Weights by code in the second class, where some of the entries are in it."""
        n_codes = self.positive.shape[1]
        cell = place[some] * n_codes + self.code[entry[some]]
        more = np.bincount(cell, self.weight[entry[some]], minlength=len(region) * n_codes)
        return np.asarray(self.positive[region] + more.reshape(-1, n_codes))


@dataclass(frozen=True, eq=False)
class HingeLayer(Layer):
    """Of a sum of hinges: what is linear all over a region, and the hinges with a kink in it."""

    linear: Floats
    line: Floats
    sign: float
    per_region: ClassVar[tuple[str, ...]] = ("corners", "linear")
    per_entry: ClassVar[tuple[str, ...]] = ("line",)

    @classmethod
    def of(cls, form: PlaneHinges, corners: Floats, affine: Floats) -> Self:
        """Return the layer of regions with these functions."""
        linear = np.zeros((len(corners), 3))
        owners, lines = [], []
        for hinge in form.hinges:
            shape = affine.shape[1]
            share = np.broadcast_to(hinge.share, shape)
            term = affine * (share * np.broadcast_to(hinge.factor, shape))[:, None]
            term[..., 0] += share * np.broadcast_to(hinge.offset, shape)
            value, spread = _ranges(term, corners)
            region, row = np.nonzero((np.abs(value) <= spread) & (spread > 0))
            active = value > spread
            linear += np.einsum("rj,rjc->rc", active.astype(float), term)
            owners.append(region)
            lines.append(term[region, row])
        owner, line = np.concatenate(owners), np.concatenate(lines)
        order = np.argsort(owner, kind="stable")
        count = np.bincount(owner, minlength=len(corners))
        start = np.append(0, np.cumsum(count)).astype(np.intp)
        return cls(corners, start, linear, line[order], form.sign)

    def _entry_lines(self) -> Floats:
        return self.line

    def least(self, region: Integers, corners: Floats, sharp: bool = True) -> Floats:
        """Return lower bounds, by the parts and by a tangent; see :class:`Layer`."""
        place, entry = expand(self.start, region)
        line = self.line[entry]
        value = line_values(line, corners[place])
        base = line_values(self.linear[region], corners)
        if self.sign < 0:
            ends = np.maximum(value.max(axis=1), 0.0)
            return np.asarray(-base.max(axis=1) - np.bincount(place, ends, len(region)))
        ends = np.maximum(value.min(axis=1), 0.0)
        by_parts = base.min(axis=1) + np.bincount(place, ends, len(region))
        # A convex function is nowhere below its tangent in the middle.
        active = value.mean(axis=1) > 0
        tangent = self.linear[region].copy()
        np.add.at(tangent, place[active], line[active])
        return np.asarray(np.maximum(by_parts, line_values(tangent, corners).min(axis=1)))

    def loss(self, region: Integers, points: Floats) -> Floats:
        """Return losses; see :class:`Layer`."""
        place, entry = expand(self.start, region)
        total = line_values(self.linear[region], points)
        np.add.at(total, place, np.maximum(line_values(self.line[entry], points[place]), 0.0))
        return np.asarray(self.sign * total)
