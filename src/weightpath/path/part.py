"""The path of one staircase problem, readable at any theta."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.kernels import Kernel
from weightpath.kernels.response import Response
from weightpath.late_rows import postpone_rows
from weightpath.path import certifying, values
from weightpath.path.late_record import LateRecord
from weightpath.path.moment import Moment
from weightpath.path.reading import Reading
from weightpath.path.rows import KernelRows, Rows
from weightpath.path.segment_values import iter_values as sweep_values
from weightpath.path.segments import Block, Intervals, evaluate_blocks
from weightpath.problems import Staircase
from weightpath.problems.position import Positions, interval_of, knot_below
from weightpath.problems.scales import reach_of
from weightpath.record.record import Record, way
from weightpath.record.replay import Replay

__all__ = ["NOWHERE", "PathPart", "Side"]

Side = Literal["left", "right"]
Reals = NDArray[np.float64]

_EMPTY = np.empty(0)
_EMPTY.setflags(write=False)

# The jumps of a path without any: no theta and no bias.
NOWHERE: tuple[Reals, Reals] = (_EMPTY, _EMPTY)


def _nowhere() -> tuple[Reals, Reals]:
    return NOWHERE


@dataclass(frozen=True, eq=False, repr=False)
class PathPart(LateRecord):
    """The exact path of one problem on some of the training rows.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR matrix of shape (n_train, n_features)
        The whole training set; for a precomputed kernel its matrix.
    rows : ndarray of int or None
        The training rows of this problem; ``None`` for all.
    start, end : Staircase
        The problem at theta = 0 and theta = 1.
    record : Record
        What the engine found.
    reading : Reading
        What positions and knots mean.
    settled : bool, default=False
        Whether the record already has the bias in the middle of its interval wherever it is not
        unique. If not, it is put there when the record, or the jumps, are first read.
    ridge : float, default=0.0
        What was added to the diagonal of the kernel matrix.
    evaluation : Rows or None, default=None
        For a problem whose rows are the features of ``X``, or pairs of its rows: how they follow
        from it, and how coefficients are evaluated. ``None`` for kernel sums over the rows of
        ``X``.
    jumps : tuple of ndarray
        Single theta at which the bias is not unique, increasing, and the middle of its interval
        there.
    ends : tuple of Moment or None
        The solutions at theta = 0 and theta = 1, as the model has them; ``None`` where the path
        does not reach an end.
    """

    kernel: Kernel
    X: Any
    rows: NDArray[np.intp] | None
    start: Staircase
    end: Staircase
    record: Record
    reading: Reading
    settled: bool = False
    ridge: float = 0.0
    evaluation: Rows | None = None
    # Not a default of the class, where it would be found before it is made.
    jumps: tuple[Reals, Reals] = field(default_factory=_nowhere)
    ends: tuple[Moment | None, Moment | None] = (None, None)

    def __post_init__(self) -> None:
        n = self.start.target.size
        if not self.settled:
            if self.rows is not None:
                rows = np.array(self.rows, dtype=np.intp)
                rows.setflags(write=False)
                object.__setattr__(self, "rows", rows)
            n = self.own_rows.count(self.X)
        for name, length in (
            ("start", self.start.target.size),
            ("end", self.end.target.size),
            ("record", self.record.n_rows),
            ("reading", self.reading.sign.size),
        ):
            if length != n:
                raise ValueError(f"The problem has {n} rows, but its {name} has {length}.")
        for moment in self.ends:
            if moment is not None:
                # The model goes on with these arrays.
                moment.beta.setflags(write=False)
                moment.position.setflags(write=False)
        if not self.settled:
            object.__setattr__(self, "settled", True)
            object.__setattr__(self, "jumps", NOWHERE)
            self._postpone(self.record)
        postpone_rows(self)

    @classmethod
    def of_own(
        cls,
        kernel: Kernel,
        X: Any,
        rows: NDArray[np.intp] | None,
        start: Staircase,
        end: Staircase,
        record: Record,
        reading: Reading,
        ridge: float,
        evaluation: Rows | None,
        ends: tuple[Moment | None, Moment | None],
    ) -> PathPart:
        """Return the path of what the library has made and fits together: there are no checks.

        The record is settled, and the arrays are frozen.
        """
        part = object.__new__(cls)
        for moment in ends:
            if moment is not None:
                # The model goes on with these arrays.
                moment.beta.setflags(write=False)
                moment.position.setflags(write=False)
        part.__dict__.update(
            kernel=kernel,
            X=X,
            rows=rows,
            start=start,
            end=end,
            record=record,
            reading=reading,
            settled=True,
            ridge=ridge,
            evaluation=evaluation,
            jumps=NOWHERE,
            ends=ends,
        )
        postpone_rows(part)
        return part

    def __repr__(self) -> str:
        return f"<PathPart: {len(self)} rows, {self.n_segments} segments>"

    def __len__(self) -> int:
        return len(self.start)

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return len(self.record)

    @property
    def theta(self) -> Reals:
        """The edges of the segments."""
        return self.record.theta

    @cached_property
    def own_rows(self) -> Rows:
        """What the rows of this problem are: they know how coefficients are evaluated."""
        return KernelRows(self.kernel, self.rows) if self.evaluation is None else self.evaluation

    @cached_property
    def train(self) -> Any:
        """What the kernel needs of the training data; for a precomputed kernel its matrix."""
        return self.own_rows.train(self.X)

    def points(self, X: Any) -> Any:
        """Return new points as this problem's kernel needs them."""
        return self.own_rows.points(X)

    @property
    def train_rows(self) -> NDArray[np.intp]:
        """The training rows of this problem, as indices."""
        return np.arange(len(self)) if self.rows is None else self.rows

    @cached_property
    def replay(self) -> Replay:
        """The positions on any segment."""
        return Replay(self.record)

    def segment(self, theta: float, side: Side | None = None) -> int:
        """Return the segment of ``theta``; at a breakpoint the one on a side, else the right one.

        Close to one, the distance from there tells breakpoints apart that theta cannot, and where
        no side is asked for it says on which of them this very number is.
        """
        if side is None and theta > 0.5:
            s = np.searchsorted(-self.record.rest, theta - 1.0, side="right") - 1
        else:
            s = np.searchsorted(self.record.theta, theta, side=side or "right") - 1
        return min(max(int(s), 0), self.record.bias.size - 1)

    def moment(self, theta: float, side: Side | None = None) -> Moment:
        """Return coefficients, bias and positions at ``theta``.

        Parameters
        ----------
        theta : float
        side : {"left", "right"} or None, default=None
            Which limit is meant; ``None`` for the solution at ``theta`` itself.
        """
        if side is None:
            for end, at in zip(self.ends, (0.0, 1.0), strict=True):
                if end is not None and theta == at:
                    return end
        s = self.segment(theta, side)
        before, after, position = self.start.knots, self.end.knots, self.replay.at(s)
        row = np.arange(len(position))
        # A free row has no knot; whichever is read here is overwritten just below.
        knot = knot_below(position, before.shape[1])
        beta = (1.0 - theta) * before[row, knot] + theta * after[row, knot]
        value, bias = self._line(s, theta)
        member = self.record.member[self.record.offset[s] : self.record.offset[s + 1]]
        margin = Intervals.of(before, after, member, interval_of(position[member]))
        beta[member] = margin.clip(value, theta)
        if side is None and self.jumps[0].size:
            point = int(np.searchsorted(self.jumps[0], theta))
            if point < self.jumps[0].size and self.jumps[0][point] == theta:
                bias = float(self.jumps[1][point])
                if self.record.theta[s] == theta:
                    # Coefficients that change fast are at their knots where the segment begins,
                    # which may have more digits than this theta.
                    value = self.record.value[self.record.offset[s] : self.record.offset[s + 1]]
                beta[member], position[member] = margin.at_knots(value, theta)
        return Moment(beta, bias, position)

    def _line(self, s: int, theta: float) -> tuple[Reals, float]:
        """Return the coefficients of a segment's margin, and the bias, from its nearer end.

        Where they fall by orders of magnitude on a segment, its left end has too few digits for
        what is left of them at the right one.
        """
        record = self.record
        entry = slice(record.offset[s], record.offset[s + 1])
        step = float(way(theta, record.theta[s], record.rest[s]))
        value = record.value[entry] + step * record.slope[entry]
        bias = float(record.bias[s] + step * record.bias_slope[s])
        if s + 1 == record.bias.size or value.size == 0:
            return value, bias
        falls = np.abs(value).max() * tolerances.FEW_DIGITS < np.abs(record.value[entry]).max()
        if not falls:
            return value, bias
        ends = record.theta[s + 1], record.theta[s], record.rest[s], record.rest[s + 1]
        length = float(way(*ends))
        if not 0.0 <= length - step < step:
            return value, bias
        return self._from_right(s, length, length - step) or (value, bias)

    def _from_right(self, s: int, length: float, back: float) -> tuple[Reals, float] | None:
        """Return coefficients and bias ``back`` before the right end of a segment.

        ``None`` where the next segment does not begin with what this one ends with.
        """
        record = self.record
        entry, other = (slice(*record.offset[k : k + 2]) for k in (s, s + 1))
        member, follows = record.member[entry], record.member[other]
        order = np.argsort(follows, kind="stable")
        place = np.searchsorted(follows[order], member)
        stays = place < follows.size
        stays[stays] = follows[order[place[stays]]] == member[stays]
        right = self._at_next(s)[member]
        right[stays] = record.value[other][order[place[stays]]]
        move = length * record.slope[entry]
        size = np.abs(record.value[entry]) + np.abs(move)
        bias_line = record.bias[s] + length * record.bias_slope[s]
        # The bias makes up for what the coefficients round off.
        rounding = tolerances.FLOOR_ROUNDINGS * np.finfo(np.float64).eps
        allowed = tolerances.SAME_LINE * abs(record.bias[s])
        allowed += rounding * float(np.dot(self.kappa[member], size))
        if (np.abs(right - record.value[entry] - move) > tolerances.SAME_LINE * size).any() or (
            abs(record.bias[s + 1] - bias_line) > allowed
        ):
            return None
        bias = float(record.bias[s + 1] - back * record.bias_slope[s])
        return right - back * record.slope[entry], bias

    def _at_next(self, s: int) -> Reals:
        """Return the knot of each row where the segment after ``s`` begins."""
        record, row = self.record, np.arange(len(self))
        knot = knot_below(self.replay.at(s + 1), self.start.n_knots)
        theta, rest = record.theta[s + 1], record.rest[s + 1]
        here = rest * self.start.knots[row, knot] + theta * self.end.knots[row, knot]
        return np.asarray(here)

    @cached_property
    def isolated_theta(self) -> Reals:
        """The theta at which the bias differs from both of its limits; the ends of the path too."""
        first, last = self.record.theta[0], self.record.theta[-1]
        sides: tuple[tuple[float, Side], ...] = ((first, "right"), (last, "left"))
        ends = []
        for theta, side in sides:
            _, limit = self._line(self.segment(theta, side), theta)
            scale = self.staircase(theta).residual_scale or 1.0
            if abs(self.moment(theta).bias - limit) > tolerances.UNIQUE_BIAS * scale:
                ends.append(theta)
        inner = self.jumps[0]
        return np.unique(np.append(inner[(inner > first) & (inner < last)], ends))

    def position(self, theta: float, side: Side | None = None) -> Positions:
        """Return the position of each row."""
        return self.moment(theta, side).position

    def knots(self, theta: float) -> Reals:
        """Return the knots, of shape (n, m)."""
        return (1.0 - theta) * self.start.knots + theta * self.end.knots

    def weights(self, theta: float) -> Reals:
        """Return the weight of each row."""
        return self.reading.weights(self.staircase(theta))

    def staircase(self, theta: float) -> Staircase:
        """Return the problem at ``theta``."""
        if theta in (0.0, 1.0):
            return self.end if theta else self.start
        return self.start.between(self.end, theta)

    def bias(self, theta: float, side: Side | None = None) -> float:
        """Return the bias."""
        return self.moment(theta, side).bias

    def intercept(self, theta: float, moment: Moment) -> float:
        """Return what is added to the sum over the coefficients; mostly the bias."""
        return float(self.own_rows.intercept(theta, moment.beta, moment.bias))

    def beta(self, theta: float, side: Side | None = None) -> Reals:
        """Return the coefficient of each row."""
        return self.moment(theta, side).beta

    @cached_property
    def kappa(self) -> Reals:
        """How far a change by one of each coefficient may move any residual."""
        diagonal = self.own_rows.own_diagonal(self.kernel, self.train)
        kappa = reach_of(diagonal + self.ridge)
        kappa.setflags(write=False)
        return kappa

    def response(self, beta: Reals) -> Reals:
        """Return ``K beta`` (with the ridge) on the problem's own rows, from the data."""
        return self.own_rows.own_product(self.kernel, self.train, beta) + self.ridge * beta

    def decision_values(self, X: Any, theta: Reals, block_mb: float = 64.0) -> Reals:
        """Return the decision values at new points, of shape (n_theta, n_points)."""
        return values.decision_values(self, X, theta, block_mb)

    def iter_blocks(self, X: Any, block_mb: float = 64.0) -> Iterator[tuple[Block, Reals, Reals]]:
        """Yield blocks of segments with decision values at their left ends, and their slopes."""
        return values.iter_blocks(self, X, block_mb)

    def iter_values(
        self, X: Any, block_mb: float = 64.0
    ) -> Iterator[tuple[Reals, Reals, Reals, Reals]]:
        """Yield the ends of segments, decision values at their left ends, and slopes."""
        sweep = self.own_rows.sweep(self, X)
        if sweep is not None:
            ends = self.start, self.end
            yield from sweep_values(*sweep, ends, self.record, self.replay, block_mb)
            return
        for block, value, slope in values.iter_blocks(self, X, block_mb):
            yield block.left, block.right, value, slope

    def kernel_rows(self, X: Any, used: NDArray[np.intp]) -> Reals:
        """Return the kernel values of some training rows of this problem with new points."""
        if self.kernel.name == "precomputed":
            points = self.points(X)
            dense = points.toarray() if hasattr(points, "toarray") else points
            return np.ascontiguousarray(np.asarray(dense).T[used])
        return np.ascontiguousarray(self.kernel.between(self.train[used], X))

    def blocks(
        self, response: Response, points: Any, block_mb: float = 64.0
    ) -> Iterator[tuple[Block, Reals, Reals]]:
        """Yield blocks of segments with the kernel sums at some points, and their slopes."""
        size = max(1, int(block_mb * 1e6 / (16 * points.shape[0])))
        return evaluate_blocks(response, self.start, self.end, self.record, self.replay, size)

    def kkt_violations(self, theta: Reals, relative: bool = True) -> Reals:
        """Return the violation of optimality at each of several theta."""
        return self.own_rows.violations_at(self, theta, relative)

    def largest_kkt_violation(self, relative: bool = True) -> float:
        """Return the largest violation over both ends and the middle of every segment."""
        return certifying.largest_violation(self, relative)

    def rounding_floor(self, theta: float, relative: bool = True) -> float:
        """Return what the rounding of kernel sums alone can do to the residuals at ``theta``."""
        return certifying.rounding_floor(self, theta, relative)

    def duality_gap(self, theta: float, relative: bool = False) -> float:
        """Return the duality gap at ``theta``."""
        return certifying.duality_gap(self, theta, relative)

    def objective(self, theta: float) -> float:
        """Return the primal objective at ``theta``."""
        return certifying.objective(self, theta)
