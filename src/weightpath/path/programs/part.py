"""The path of one linear program, read anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels import Kernel
from weightpath.path.programs.certificate import Judge, Point
from weightpath.path.reading import Reading
from weightpath.problems.position import at_knot, is_free, knot_below
from weightpath.problems.program import Program
from weightpath.record.program_record import ProgramRecord

__all__ = ["ProgramMoment", "ProgramPart", "columns_of"]

Reals = NDArray[np.float64]
Side = Literal["left", "right"]

# Coefficients on both sides of a breakpoint that differ by less than this fraction are the same: a
# straight line goes on.
SAME = 1e-10


class ProgramMoment(NamedTuple):
    """A solution at one theta.

    Attributes
    ----------
    w : ndarray of shape (p,)
    bias : float
    beta : ndarray of shape (n,)
    position : ndarray of int, shape (n,)
    """

    w: Reals
    bias: float
    beta: Reals
    position: NDArray[np.int64]


class _Place(NamedTuple):
    """A position on a segment: its number, theta, 1 - theta and the fraction of the segment."""

    segment: int
    theta: float
    rest: float
    fraction: float


def columns_of(kernel: Kernel, X: Any, rows: NDArray[np.intp] | None) -> Any:
    """Return the columns of a program on some training rows: features, or kernel values."""
    own = X if rows is None else X[rows]
    if kernel.name == "linear":
        return own
    if kernel.name == "precomputed":
        return own if rows is None else own[:, rows]
    return kernel.between(own, own)


@dataclass(frozen=True, eq=False, repr=False)
class ProgramPart:
    """The path of one program: its record, the programs at both ends, and the data.

    Parameters
    ----------
    kernel : Kernel
        Columns are features where it is linear, and kernel values otherwise.
    X : array or CSR matrix
        All training rows; for a precomputed kernel its matrix.
    rows : ndarray of int or None
        The training rows of the program; ``None`` for all.
    start, end : Program
    record : ProgramRecord
    reading : Reading
        What positions mean.
    """

    kernel: Kernel
    X: Any
    rows: NDArray[np.intp] | None
    start: Program
    end: Program
    record: ProgramRecord
    reading: Reading

    def __getstate__(self) -> dict[str, Any]:
        # Without what is worked out from the data.
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def train_rows(self) -> NDArray[np.intp]:
        """The training rows of the program."""
        return np.arange(self.X.shape[0]) if self.rows is None else self.rows

    @property
    def train_columns(self) -> NDArray[np.intp]:
        """What the columns of the program are columns of: all features, or the training rows."""
        return np.arange(self.X.shape[1]) if self.kernel.name == "linear" else self.train_rows

    @cached_property
    def theta(self) -> Reals:
        """Breakpoints: distinct and increasing."""
        return np.unique(self.record.theta)

    @cached_property
    def judge(self) -> Judge:
        """Judges solutions from the data."""
        return Judge(columns_of(self.kernel, self.X, self.rows))

    # Where on the record -------------------------------------------------------------------

    def _sides(self, theta: float) -> tuple[_Place, _Place]:
        """Return where theta is, seen from the left and from the right; mostly the same."""
        record, last = self.record, len(self.record) - 1
        if theta >= 1.0 and record.rest[-1] == 0.0:
            end = _Place(last, 1.0, 0.0, 1.0)
            return end, end
        first = int(np.searchsorted(record.theta, theta, side="left"))
        after = int(np.searchsorted(record.theta, theta, side="right"))
        if first < after:
            left = _Place(max(first - 1, 0), theta, float(record.rest[first]), 1.0 * (first > 0))
            segment = min(after - 1, last)
            edge = float(record.rest[after - 1])
            right = _Place(segment, theta, edge, 1.0 * (after - 1 > last))
            return (right if first == 0 else left), (left if after - 1 > last else right)
        segment, rest = first - 1, 1.0 - theta
        if theta <= 0.5:
            width = record.theta[segment + 1] - record.theta[segment]
            fraction = (theta - record.theta[segment]) / width
        else:
            width = record.rest[segment] - record.rest[segment + 1]
            fraction = (record.rest[segment] - rest) / width
        place = _Place(segment, theta, rest, float(np.clip(fraction, 0.0, 1.0)))
        return place, place

    def program(self, theta: float) -> Program:
        """Return the program at ``theta``; at a breakpoint, exactly there."""
        place = self._sides(theta)[1]
        return self.start.between(self.end, place.theta, place.rest)

    def _moment(self, place: _Place) -> ProgramMoment:
        """Return the solution at a position on a segment."""
        record, k, share = self.record, place.segment, place.fraction
        w = np.zeros(len(self.start.penalty))
        own = slice(record.column_offset[k], record.column_offset[k + 1])
        w[record.column[own]] = _mixed(record.column_left[own], record.column_right[own], share)
        bias = float(_mixed(record.bias_left[k], record.bias_right[k], share))
        position = record.positions(k)
        stair = self.start.stair.between(self.end.stair, place.theta, place.rest)
        beta = stair.knots[np.arange(len(position)), knot_below(position, stair.n_knots)]
        own = slice(record.row_offset[k], record.row_offset[k + 1])
        beta[record.row[own]] = _mixed(record.row_left[own], record.row_right[own], share)
        return ProgramMoment(w, bias, beta, position)

    def moment(self, theta: float, side: Side | None = None) -> ProgramMoment:
        """Return the solution at ``theta``: at a breakpoint the middle of both sides."""
        left, right = self._sides(theta)
        if side == "left":
            return self._moment(left)
        one = self._moment(right)
        if side == "right" or left == right:
            return one
        other = self._moment(left)
        beta = 0.5 * (one.beta + other.beta)
        # Rows that are free on one side only are where their coefficients say.
        moved = np.abs(one.beta - other.beta) > SAME * np.maximum(np.abs(one.beta), np.abs(beta))
        free = is_free(one.position)
        differ = free != is_free(other.position)
        take_other = differ & (free != moved)
        position = np.where(take_other, other.position, one.position)
        return ProgramMoment(0.5 * (one.w + other.w), 0.5 * (one.bias + other.bias), beta, position)

    def basis(self, theta: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the basis at ``theta``, that of the right side at a breakpoint.

        Returns
        -------
        rows, columns : ndarray of int
        position : ndarray of int, shape (n,)
        sign : ndarray of int, shape (p,)
        """
        record, k = self.record, self._sides(theta)[1].segment
        rows = record.row[record.row_offset[k] : record.row_offset[k + 1]]
        own = slice(record.column_offset[k], record.column_offset[k + 1])
        sign = np.zeros(len(self.start.penalty), dtype=np.int64)
        sign[record.column[own]] = record.column_sign[own]
        return rows.astype(np.intp), record.column[own].astype(np.intp), record.positions(k), sign

    def placed(self, theta: float, moment: ProgramMoment) -> NDArray[np.int64]:
        """Return positions in which rows without weight are where their residuals say."""
        stair = self.program(theta).stair
        flat = stair.knots[:, 0] == stair.knots[:, -1]
        if not flat.any():
            return moment.position
        residual = stair.target - self.judge.response(moment.w) - moment.bias
        inner = stair.levels[:, 1 : stair.n_knots]
        by_residual = at_knot((inner < residual[:, None]).sum(axis=1))
        return np.where(flat, by_residual, moment.position)

    @cached_property
    def isolated_theta(self) -> Reals:
        """The inner breakpoints at which the coefficients of columns jump."""
        found = [theta for theta in self.theta[1:-1] if self._jumps(float(theta))]
        return np.array(found)

    def _jumps(self, theta: float) -> bool:
        left, right = (self._moment(place) for place in self._sides(theta))
        difference = np.abs(left.w - right.w).max(initial=abs(left.bias - right.bias))
        size = max(np.abs(left.w).max(initial=abs(left.bias)), np.abs(right.w).max(initial=0.0))
        return bool(difference > SAME * size)

    # Values --------------------------------------------------------------------------------

    def values(self, X: Any, w: Reals) -> Reals:
        """Return the functions with coefficients ``w`` of shape (p, k) at points, (n_points, k)."""
        if self.kernel.name == "linear":
            return np.asarray(X @ w)
        if self.kernel.name == "precomputed":
            own = X if self.rows is None else X[:, self.rows]
            return np.asarray(own @ w)
        train = self.X if self.rows is None else self.X[self.rows]
        return self.kernel.product(X, train, w)

    def decision_values(self, X: Any, thetas: Reals) -> Reals:
        """Return decision values, of shape (n_theta, n_points)."""
        moments = [self.moment(float(theta)) for theta in thetas]
        w = np.column_stack([moment.w for moment in moments])
        bias = np.array([moment.bias for moment in moments])
        return np.ascontiguousarray((self.values(X, w) + bias).T)

    def iter_values(
        self, X: Any, block_mb: float = 64.0
    ) -> Iterator[tuple[Reals, Reals, Reals, Reals]]:
        """Yield decision values as linear functions; see :meth:`LinearProgramPath.iter_segments`.

        Segments whose ends round to one number are left out.
        """
        record = self.record
        segments = np.flatnonzero(np.diff(record.theta) > 0.0)
        p, n = len(self.start.penalty), X.shape[0]
        size = max(1, int(block_mb * 1e6 / (16 * max(n, p, 1))))
        for first in range(0, len(segments), size):
            some = segments[first : first + size]
            w = np.zeros((p, 2 * len(some)))
            for k, segment in enumerate(some):
                own = slice(record.column_offset[segment], record.column_offset[segment + 1])
                w[record.column[own], k] = record.column_left[own]
                w[record.column[own], len(some) + k] = record.column_right[own]
            bias = np.concatenate([record.bias_left[some], record.bias_right[some]])
            both = (self.values(X, w) + bias).T
            value, end = both[: len(some)], both[len(some) :]
            left, right = record.theta[some], record.theta[some + 1]
            yield left, right, value, (end - value) / (right - left)[:, None]

    def weights(self, theta: float) -> Reals:
        """Return the weights of the rows."""
        return self.reading.weights(self.program(theta).stair)

    # Certificates --------------------------------------------------------------------------

    def point(self, theta: float, side: Side | None = None) -> Point:
        """Return the solution as a judge takes it."""
        moment = self.moment(theta, side)
        return Point(moment.w, moment.bias, moment.beta)

    def kkt_violation(self, theta: float, relative: bool = True) -> float:
        """Return how far the solution at ``theta`` is from optimal."""
        return self.judge.violation(self.program(theta), self.point(theta), relative)

    def largest_kkt_violation(self, relative: bool = True) -> float:
        """Return the largest violation at both ends and the middles of all segments."""
        record, found = self.record, []
        for segment in range(len(record)):
            for share in (0.0, 0.5, 1.0):
                theta, rest = (
                    float(_mixed(edges[segment], edges[segment + 1], share))
                    for edges in (record.theta, record.rest)
                )
                moment = self._moment(_Place(segment, theta, rest, share))
                point = Point(moment.w, moment.bias, moment.beta)
                program = self.start.between(self.end, theta, rest)
                found.append(self.judge.violation(program, point, relative))
        return float(np.max(found))


def _mixed(left: Any, right: Any, share: float) -> Any:
    """Return a value between two ends; both, and what stands still, are met exactly."""
    return np.where(left == right, left, (1.0 - share) * left + share * right)
