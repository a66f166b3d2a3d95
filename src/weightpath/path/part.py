"""The path of one staircase problem, readable at any theta."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weightpath.engine.record import Record
from weightpath.kernels import Kernel
from weightpath.path import certificate
from weightpath.path.bias_interval import settle_bias
from weightpath.path.evaluation import FeatureRows
from weightpath.path.pair_rows import PairRows
from weightpath.path.reading import Reading
from weightpath.path.replay import Replay
from weightpath.path.response import Response
from weightpath.path.segment_values import iter_values, rows_in_use
from weightpath.path.segments import Block, Intervals, evaluate_blocks
from weightpath.path.violations import largest_violation, violations_at
from weightpath.problems import Staircase

__all__ = ["PathPart"]


@dataclass(frozen=True, eq=False, repr=False)
class PathPart:
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
        unique. If not, it is put there now.
    ridge : float, default=0.0
        What was added to the diagonal of the kernel matrix.
    evaluation : FeatureRows, PairRows or None, default=None
        For a problem whose rows are the features of ``X``, or pairs of its rows: how they follow
        from it, and how coefficients are evaluated. ``None`` for kernel sums over the rows of
        ``X``.
    """

    kernel: Kernel
    X: Any
    rows: np.ndarray | None
    start: Staircase
    end: Staircase
    record: Record
    reading: Reading
    settled: bool = False
    ridge: float = 0.0
    evaluation: FeatureRows | PairRows | None = None

    def __post_init__(self):
        if self.rows is not None:
            rows = np.array(self.rows, dtype=np.intp)
            rows.setflags(write=False)
            object.__setattr__(self, "rows", rows)
        n = self._expected_rows()
        for name, length in (
            ("start", len(self.start)),
            ("end", len(self.end)),
            ("record", self.record.n_rows),
            ("reading", self.reading.sign.size),
        ):
            if length != n:
                raise ValueError(f"The problem has {n} rows, but its {name} has {length}.")
        if not self.settled and self.start.has_bias:
            record = settle_bias(
                self.kernel, self.train, self.start, self.end, self.record, self.ridge
            )
            object.__setattr__(self, "record", record)
        object.__setattr__(self, "settled", True)

    def _expected_rows(self) -> int:
        if self.evaluation is not None:
            return len(self.evaluation)
        return self.X.shape[0] if self.rows is None else self.rows.size

    def __repr__(self) -> str:
        return f"<PathPart: {len(self)} rows, {self.n_segments} segments>"

    def __len__(self) -> int:
        return len(self.start)

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return len(self.record)

    @property
    def theta(self) -> np.ndarray:
        """The edges of the segments."""
        return self.record.theta

    @cached_property
    def train(self):
        """The training rows of this problem; for a precomputed kernel their matrix."""
        if self.evaluation is not None:
            return self.evaluation.train(self.X)
        if self.rows is None:
            return self.X
        return self.points(self.X[self.rows])

    def points(self, X):
        """Return new points as this problem's kernel needs them."""
        if self.rows is None or self.kernel.name != "precomputed":
            return X
        return X[:, self.rows]

    @property
    def train_rows(self) -> np.ndarray:
        """The training rows of this problem, as indices."""
        return np.arange(len(self)) if self.rows is None else self.rows

    @cached_property
    def replay(self) -> Replay:
        """The positions on any segment."""
        return Replay(self.record)

    @cached_property
    def reach(self) -> float:
        """The largest coefficient of a margin member at a breakpoint."""
        record = self.record
        length = np.repeat(np.diff(record.theta), np.diff(record.offset))
        ends = np.abs(record.value), np.abs(record.value + length * record.slope)
        return float(max(end.max(initial=0.0) for end in ends))

    def segment(self, theta: float) -> int:
        """Return the segment of ``theta``: at a breakpoint the right one, at the end the last."""
        s = np.searchsorted(self.record.theta, theta, side="right") - 1
        return int(np.clip(s, 0, self.n_segments - 1))

    def position(self, theta: float) -> np.ndarray:
        """Return the position of each row."""
        return self.replay.at(self.segment(theta))

    def knots(self, theta: float) -> np.ndarray:
        """Return the knots, of shape (n, m)."""
        return (1.0 - theta) * self.start.knots + theta * self.end.knots

    def weights(self, theta: float) -> np.ndarray:
        """Return the weight of each row."""
        return self.reading.weights(self.staircase(theta))

    def staircase(self, theta: float) -> Staircase:
        """Return the problem at ``theta``."""
        return self.start.between(self.end, theta)

    def bias(self, theta: float) -> float:
        """Return the bias."""
        s = self.segment(theta)
        record = self.record
        return float(record.bias[s] + (theta - record.theta[s]) * record.bias_slope[s])

    def intercept(self, theta: float) -> float:
        """Return what is added to the sum over the coefficients; mostly the bias."""
        if self.evaluation is None:
            return self.bias(theta)
        return float(self.evaluation.intercept(theta, self.beta(theta)))

    def beta(self, theta: float) -> np.ndarray:
        """Return the coefficient of each row."""
        s = self.segment(theta)
        record = self.record
        row = np.arange(len(self))
        # A free row has no knot; whichever is read here is overwritten just below.
        knot = np.clip((self.replay.at(s) - 1) // 2, 0, self.start.n_knots - 1)
        beta = (1.0 - theta) * self.start.knots[row, knot] + theta * self.end.knots[row, knot]
        entry = slice(record.offset[s], record.offset[s + 1])
        value = record.value[entry] + (theta - record.theta[s]) * record.slope[entry]
        margin = Intervals.of(self.start, self.end, record, self.replay.interval, s, s + 1)
        beta[margin.row] = margin.clip(value, np.full(len(value), theta))
        return beta

    def response(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta`` (with the ridge) on the problem's own rows, from the data."""
        if self.evaluation is not None:
            own = self.evaluation.own_product(self.kernel, self.train, beta)
        else:
            own = self.kernel.product(self.train, self.train, beta)
        return own + self.ridge * beta

    def decision_values(self, X, theta: np.ndarray, block_mb: float = 64.0) -> np.ndarray:
        """Return the decision values at new points, of shape (n_theta, n_points)."""
        values = np.empty((theta.size, X.shape[0]))
        points = self.points(X)
        if isinstance(self.evaluation, PairRows):
            pairs = self.evaluation.pairs
            documents = np.empty((pairs.n_documents, theta.size))
            for k, t in enumerate(theta):
                documents[:, k] = pairs.gather(self.beta(t))
            return self.kernel.product(points, self.train, documents).T
        size = max(1, int(block_mb * 1e6 / (8 * len(self))))
        for first in range(0, theta.size, size):
            some = theta[first : first + size]
            coef = np.stack([self.beta(t) for t in some], axis=1)
            if self.evaluation is None:
                bias = np.array([self.bias(t) for t in some])
                found = self.kernel.product(points, self.train, coef) + bias
            else:
                found = self.evaluation.values(self.kernel, points, self.train, coef)
                found = found + self.evaluation.intercept(some, coef)
            values[first : first + size] = found.T
        return values

    def iter_blocks(
        self, X, block_mb: float = 64.0
    ) -> Iterator[tuple[Block, np.ndarray, np.ndarray]]:
        """Yield blocks of segments with decision values at their left ends, and their slopes."""
        if self.evaluation is None:
            yield from self.blocks(Response(self.kernel, self.points(X), self.train), X, block_mb)
            return
        first, last = self.evaluation.offset_at(np.array([0.0, 1.0]))
        response = self.evaluation.response(self.kernel, X, self.train)
        for block, value, slope in self.blocks(response, X, block_mb):
            value += self.evaluation.offset_at(block.left)[:, None]
            slope += last - first
            yield block, value, slope

    def iter_values(
        self, X, block_mb: float = 64.0
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield the ends of segments, decision values at their left ends, and slopes."""
        swept = self._swept(X)
        if swept is not None:
            K, places, product = swept
            ends = self.start, self.end
            yield from iter_values(K, places, product, ends, self.record, self.replay, block_mb)
            return
        for block, value, slope in self.iter_blocks(X, block_mb):
            yield block.left, block.right, value, slope

    def _swept(self, X) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], Any] | None:
        """Return kernel values, places and product for a sweep; ``None`` if they do not fit."""
        n = len(self)
        if isinstance(self.evaluation, PairRows):
            pairs = self.evaluation.pairs
            if not Response.fits(pairs.n_documents, X.shape[0]):
                return None
            K = self._kernel_rows(X, np.arange(pairs.n_documents))
            places = pairs.first.astype(np.intp), pairs.second.astype(np.intp)
            return K, places, lambda coef: pairs.gather(coef) @ K
        used = rows_in_use(self.start, self.end, self.record)
        if self.evaluation is not None or not Response.fits(used.size, X.shape[0]):
            return None
        K = self._kernel_rows(X, used)
        place = np.full(n, -1, dtype=np.intp)
        place[used] = np.arange(used.size)
        return K, (place, np.full(n, -1, dtype=np.intp)), lambda coef: coef[:, used] @ K

    def _kernel_rows(self, X, used: np.ndarray) -> np.ndarray:
        """Return the kernel values of some of the problem's rows with new points."""
        if self.kernel.name == "precomputed":
            points = self.points(X)
            dense = points.toarray() if hasattr(points, "toarray") else points
            return np.ascontiguousarray(np.asarray(dense).T[used])
        return np.ascontiguousarray(self.kernel.between(self.train[used], X))

    def blocks(self, response: Response, points, block_mb: float = 64.0):
        """Yield blocks of segments with the kernel sums at some points, and their slopes."""
        size = max(1, int(block_mb * 1e6 / (16 * points.shape[0])))
        return evaluate_blocks(response, self.start, self.end, self.record, self.replay, size)

    def kkt_violation(self, theta: float) -> float:
        """Return the violation of optimality at ``theta``."""
        return certificate.kkt_violation(*self._claim(theta), self.reach)

    def kkt_violations(self, theta: np.ndarray) -> np.ndarray:
        """Return the violation at each of several places."""
        return violations_at(self, theta)

    def largest_kkt_violation(self) -> float:
        """Return the largest violation over both ends and the middle of every segment."""
        return largest_violation(self)

    def duality_gap(self, theta: float, relative: bool = False) -> float:
        """Return the duality gap at ``theta``."""
        gap = certificate.duality_gap(*self._claim(theta))
        value = abs(self.objective(theta)) if relative else 0.0
        return gap / value if value > 0 else gap

    def objective(self, theta: float) -> float:
        """Return the primal objective at ``theta``."""
        stair, beta, bias, response = self._claim(theta)
        if not isinstance(self.evaluation, FeatureRows):
            return certificate.objective(stair, beta, bias, response)
        # Half the mean squared error is quadratic in beta, like the dual of a kernel machine.
        smooth = 0.5 * np.dot(beta, response) - np.dot(stair.target, beta)
        return float(self.evaluation.half_square(theta) + smooth + stair.penalty(beta).sum())

    def _claim(self, theta: float) -> tuple[Staircase, np.ndarray, float, np.ndarray]:
        beta = self.beta(theta)
        return self.staircase(theta), beta, self.bias(theta), self.response(beta)
