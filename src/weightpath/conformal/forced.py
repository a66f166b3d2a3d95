r"""Paths on which the coefficient of a new row moves from zero to a given number.

Let a row with target :math:`y` be added to a kernel machine and its target rise without bound. Its
coefficient rises, too, until it is at its bound. The same solutions, in the same order, are those
of the problem in which the coefficient :math:`v` of the new row is *given* and rises from zero: the
row is then no constraint, its residual is free, and :math:`y` is the value of the function there
plus the residual that belongs to :math:`v`. That path has a finite end, the bound, whatever the
target does; so no guess of a target that is far enough is needed. In terms of staircases all knots
of the new row are at :math:`v`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import State
from weightpath.engine.branch_goals import BranchEnds, BranchGoals
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.problem import Fitted
from weightpath.estimators.training_set import TrainingSet
from weightpath.estimators.user_warnings import warn_beyond_precision
from weightpath.problems.scales import is_beyond_precision, nearest_knots, tolerance_of
from weightpath.record.bias import BiasInterval
from weightpath.selection.kernel_branches import (
    ModelBranches,
    Settings,
    changes_of,
    in_lots,
    where_is,
)
from weightpath.selection.many_arrivals import ArrivalBlock, arrival_blocks

__all__ = [
    "ForcedEnds",
    "forced_ends",
    "predictions",
    "reach_of_others",
]

Reals = NDArray[np.float64]

# A new row whose kernel value with itself exceeds that of all others by this factor is followed in
# a block of its own.
_LARGE = 16.0

# One new row among at least so many training rows makes no use of the whole kernel matrix; memory
# for columns that are computed on demand, in units of 1e6 bytes.
_FEW = 32
_ON_DEMAND_MB = 4.0


@dataclass(frozen=True, eq=False)
class ForcedEnds:
    """The solutions in which each new row has a given coefficient.

    Attributes
    ----------
    own : ndarray of shape (k,)
        The value of the function at the new row, without the bias.
    low, high : ndarray of shape (k,)
        The interval of the bias; of length zero where the bias is unique.
    gap : ndarray of shape (k, n) or None
        Targets minus values without the bias at the training rows, if they were asked for.
    n_events : ndarray of int of shape (k,)
        The events on the paths.
    """

    own: Reals
    low: Reals
    high: Reals
    gap: Reals | None
    n_events: NDArray[np.intp]

    def in_order(self, order: NDArray[np.intp]) -> ForcedEnds:
        """Return the same in another order."""
        gap = None if self.gap is None else self.gap[order]
        return ForcedEnds(
            self.own[order], self.low[order], self.high[order], gap, self.n_events[order]
        )

    @classmethod
    def joined(cls, parts: list[ForcedEnds]) -> ForcedEnds:
        """Return several blocks of new rows as one."""
        gaps = [one.gap for one in parts if one.gap is not None]
        return cls(
            np.concatenate([one.own for one in parts]),
            np.concatenate([one.low for one in parts]),
            np.concatenate([one.high for one in parts]),
            np.concatenate(gaps) if gaps else None,
            np.concatenate([one.n_events for one in parts]),
        )


def reach_of_others(model: PathEstimator) -> tuple[float, float]:
    """Return the least and the largest coefficient of a new row that the others can balance."""
    (subproblem,) = model.subproblems_
    knots = subproblem.stair.knots
    return -float(knots[:, -1].sum()), -float(knots[:, 0].sum())


def forced_ends(
    model: PathEstimator,
    X: Any,
    level: Reals,
    *,
    gaps: bool = False,
    n_jobs: int | None = None,
) -> ForcedEnds:
    """Follow the paths on which each new row gets a given coefficient.

    Parameters
    ----------
    model : SVR or QuantileSVR
        Fitted, with a bias and without a ridge; it is left as it is.
    X : ndarray or CSR matrix of shape (k, n_features)
        The new rows, checked, as ``add`` takes them: for a precomputed kernel ``n_samples + 1``
        columns.
    level : ndarray of shape (k,)
        The coefficients; within the reach of the other rows, see :func:`reach_of_others`.
    gaps : bool, default=False
        Whether the values at the training rows are wanted.
    n_jobs : int or None, default=None
        Number of threads.
    """
    where, settings = where_is(model), Settings.of(model, n_jobs)
    n, parts, target = len(where.training), [], predictions(model, X)
    if X.shape[0] * _FEW <= n:
        where, settings = _on_demand(where, settings)
    groups = _groups(where.training, X)
    for rows in groups:
        done = 0
        for block in arrival_blocks(model, where, X[rows], target[rows]):
            some = rows[done : done + len(block.own)]
            parts.append(_block_ends(block, settings, n, level[some], gaps, n_jobs))
            done += some.size
    return ForcedEnds.joined(parts).in_order(np.argsort(np.concatenate(groups)))


def _on_demand(where: Fitted, settings: Settings) -> tuple[Fitted, Settings]:
    """Return a model whose kernel columns are computed when they are needed, for few new rows.

    The whole matrix, or a copy of all columns that the model holds, would cost more than their
    paths do.
    """
    memory = min(settings.cache_size, _ON_DEMAND_MB)
    return where.with_columns(memory), replace(settings, cache_size=memory)


def _groups(training: TrainingSet, X: Any) -> list[NDArray[np.intp]]:
    """Return the new rows in groups: those with far larger kernel values than all others alone.

    Rows of one block share their tolerances, which grow with the largest kernel value.
    """
    every = np.arange(X.shape[0])
    if training.is_precomputed:
        # Each is a block of its own anyway.
        return [every]
    size = training.kernel.diagonal(X)
    large = size > _LARGE * training.kernel.diagonal(training.X).max()
    return [rows for rows in (every[~large], *every[large][:, None]) if rows.size]


def predictions(model: PathEstimator, X: Any) -> Reals:
    """Return the values of a kernel machine at new rows, as ``add`` takes them."""
    n = len(model.training_set_)
    values: Reals = model.predict(X[:, :n] if model.training_set_.is_precomputed else X)
    return values


def _block_ends(
    block: ArrivalBlock,
    settings: Settings,
    n: int,
    level: Reals,
    gaps: bool,
    n_jobs: int | None,
) -> ForcedEnds:
    """Follow the paths of one block of new rows."""
    absent = np.arange(len(block.where.training)) >= n
    model = ModelBranches(block.where, settings, absent)
    forced = _Forced(model, n, block.own, _within_reach(model, n, level))
    ends = forced.follow(n_jobs)
    forced.warn_if_inexact(ends)
    low, high = forced.bias_intervals(ends)
    target = model.branches[0].stair.target[block.own]
    own = target - ends.residual - ends.bias
    gap = forced.gaps(ends) if gaps else None
    return ForcedEnds(own, low, high, gap, ends.n_events)


def _within_reach(model: ModelBranches, n: int, level: Reals) -> Reals:
    """Return the levels, put where the others can balance them where only rounding is amiss."""
    knots = model.branches[0].stair.knots[:n]
    low, high = -float(knots[:, -1].sum()), -float(knots[:, 0].sum())
    return np.clip(level, low, high)


@dataclass(frozen=True, eq=False)
class _Forced:
    """A block of new rows, each with the coefficient that it is given."""

    model: ModelBranches
    n: int
    own: NDArray[np.intp]
    level: Reals

    @property
    def goals(self) -> BranchGoals:
        """All knots of each new row at its coefficient; the sum of all coefficients stays."""
        stair, count = self.model.branches[0].stair, len(self.own)
        knots = np.repeat(self.level[:, None], stair.n_knots, axis=1)
        offset = np.arange(count + 1, dtype=np.intp)
        return BranchGoals(offset, self.own.astype(np.intp), knots, np.full(count, stair.total))

    def follow(self, n_jobs: int | None) -> BranchEnds:
        """Return where the paths end."""
        lots = in_lots(self.model.branches[0], self.goals, n_jobs)
        return BranchEnds.joined(list(lots))

    def gaps(self, ends: BranchEnds) -> Reals:
        """Return targets minus values, without biases, at the training rows: (k, n)."""
        branches, training = self.model.branches[0], self.model.training
        rows, bias = self.model.subproblems[0].rows, branches.state.bias
        moved = changes_of(ends, rows, len(training))
        before = branches.stair.target - branches.state.residual - bias
        still = np.full((len(self.own), 1), bias)
        points = training.X[: self.n]
        after = self.model.values_after(points, before[: self.n, None], [moved], still)
        gap: Reals = branches.stair.target[: self.n] - after[:, :, 0]
        return gap

    def bias_intervals(self, ends: BranchEnds) -> tuple[Reals, Reals]:
        """Return the interval of the bias at each end."""
        low, high = ends.bias.copy(), ends.bias.copy()
        for k in np.flatnonzero(self._is_loose(ends)).tolist():
            low[k], high[k] = self._interval(ends, k)
        return low, high

    def warn_if_inexact(self, ends: BranchEnds) -> None:
        """Warn where the new rows take a problem beyond double precision that was not before."""
        branches = self.model.branches[0]
        scale, tolerance = branches.stair.residual_scale, self._tolerance(ends)
        if not is_beyond_precision(branches.state.tolerance, scale):
            warn_beyond_precision(branches.stair, replace(branches.state, tolerance=tolerance))

    def _paths(self, ends: BranchEnds) -> NDArray[np.intp]:
        """Return the path of each coefficient that changes."""
        return np.repeat(np.arange(len(self.own)), np.diff(ends.offset))

    def _tolerance(self, ends: BranchEnds) -> float:
        """Return how close to a level a residual at any of the ends can be told from it."""
        branches = self.model.branches[0]
        kappa, path = branches.kappa, self._paths(ends)
        further = np.bincount(path, weights=kappa[ends.row] * np.abs(ends.change), minlength=1)
        size = float(np.dot(kappa, np.abs(branches.state.beta)) + further.max())
        return tolerance_of(branches.stair.residual_scale, size)

    def _is_loose(self, ends: BranchEnds) -> NDArray[np.bool_]:
        """Return at which ends all training rows are at knots, so that the bias may move."""
        branches = self.model.branches[0]
        stair, beta, kappa = branches.stair, branches.state.beta, branches.kappa
        path, tolerance = self._paths(ends), self._tolerance(ends)
        between = ~nearest_knots(stair.knots, beta, kappa, tolerance)[0]
        between[self.n :] = False
        known = ends.row < self.n
        row, path = ends.row[known], path[known]
        now = beta[row] + ends.change[known]
        after = ~nearest_knots(stair.knots[row], now, kappa[row], tolerance)[0]
        gained = np.bincount(
            path, weights=after.astype(float) - between[row], minlength=len(self.own)
        )
        loose: NDArray[np.bool_] = between.sum() + gained < 0.5
        return loose

    def _interval(self, ends: BranchEnds, k: int) -> tuple[float, float]:
        """Return the interval of the bias at one end; an anchor of the loop is no constraint."""
        branches = self.model.branches[0]
        entries = slice(int(ends.offset[k]), int(ends.offset[k + 1]))
        change = np.zeros(len(branches.stair))
        change[ends.row[entries]] = ends.change[entries]
        state = branches.state
        residual = state.residual - self.model.subproblems[0].columns.product(change)
        there = State(state.beta + change, state.bias, state.position, residual, state.margin)
        interval = BiasInterval.of(self.goals.end(branches.stair, k), there, branches.kappa)
        low = state.bias + float(interval.down[: self.n].max(initial=-np.inf))
        high = state.bias + float(interval.up[: self.n].min(initial=np.inf))
        if low > high:
            low = high = 0.5 * (low + high)
        return low, high
