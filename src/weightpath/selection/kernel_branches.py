"""The branches of a fitted kernel machine: many paths of its subproblems, all from where it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_array

from weightpath.engine import Options
from weightpath.engine.branch_goals import BranchEnds, BranchGoals, Watch
from weightpath.engine.branches import Branches, rouse_threads
from weightpath.engine.threads import one_blas_thread, single_blas
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import COLUMN_SHARE, Fitted, Problem, Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, TrainingSet
from weightpath.frozen import quick_init
from weightpath.kernels import Columns, StoredColumns
from weightpath.path import Reading
from weightpath.record.state import State
from weightpath.selection.dispatch import run_tasks, runs_in_threads
from weightpath.selection.moved_rows import MovedRows

__all__ = [
    "Changes",
    "ColumnSource",
    "ModelBranches",
    "Settings",
    "changes_of",
    "in_lots",
    "where_is",
]

Reals = NDArray[np.float64]

# Tasks of each of several processes, so that none of them waits for the last.
_TASKS = 2

# Of so few rows branches are kept for the next call: making them takes as long as following some.
_KEPT_ROWS = 1000

# The branches of states of models, and what they were made of.
_KEPT: WeakKeyDictionary[State, tuple[tuple[Any, ...], Branches]] = WeakKeyDictionary()

# Kernel values between points and rows that are held at a time, in units of 1e6 bytes.
_BLOCK_MB = 64.0


@quick_init
@dataclass(frozen=True)
class Settings:
    """What a model says about the cost of its paths.

    Attributes
    ----------
    cache_size : float
        Memory in units of 1e6 bytes; the greater part is for kernel columns.
    max_events : int
        The most events on a path.
    n_threads : int
        How many threads will ask at once; they share the memory.
    """

    cache_size: float
    max_events: int
    n_threads: int = 1

    @classmethod
    def of(cls, model: PathEstimator, n_jobs: int | None) -> Settings:
        """Return the settings of a model whose paths are followed in so many threads."""
        cache = check_number("cache_size", model.cache_size)
        most = check_whole_number("max_events", model.max_events, 1)
        return cls(cache, most, effective_n_jobs(n_jobs))


@quick_init
@dataclass(frozen=True, eq=False)
class Changes:
    """The quantities of instances that change, on each of many paths.

    Attributes
    ----------
    offset : ndarray of int of shape (k + 1,)
        The entries of path k are those from ``offset[k]`` to before ``offset[k + 1]``.
    instance : ndarray of int
        The instances, on each path every one at most once.
    quantities : dict
        By name, such as "weight", what the entries go to.
    problems : tuple of Problem or None
        The problem at the end of each path, where it is not the same.
    """

    offset: NDArray[np.intp]
    instance: NDArray[np.intp]
    quantities: Quantities
    problems: tuple[Problem, ...] | None = None

    def __len__(self) -> int:
        return len(self.offset) - 1

    def quantities_of(self, k: int, before: Quantities) -> Quantities:
        """Return the quantities of all instances at the end of path ``k``."""
        own = slice(int(self.offset[k]), int(self.offset[k + 1]))
        after = dict(before)
        for name, values in self.quantities.items():
            after[name] = np.array(before[name])
            after[name][self.instance[own]] = values[own]
        return after


@quick_init
@dataclass(frozen=True, eq=False)
class ColumnSource:
    """Makes the columns of a subproblem for one thread; all read one matrix, if there is one."""

    training: TrainingSet
    rows: Rows
    cache_mb: float
    matrix: Reals | None

    def __call__(self) -> Columns:
        """Return new columns."""
        if self.matrix is not None:
            return StoredColumns(self.matrix)
        return self.training.columns(self.rows, self.cache_mb)


class ModelBranches:
    """Paths from where a kernel machine is; the model does not move.

    Parameters
    ----------
    where : Fitted
        Where the model is.
    settings : Settings
        What paths may cost.
    absent : ndarray of bool or None, default=None
        Instances without a weight that are there only on the paths on which they gain one.
    """

    def __init__(
        self, where: Fitted, settings: Settings, absent: NDArray[np.bool_] | None = None
    ) -> None:
        rouse_threads(len(where.training), settings.n_threads)
        self.training, self.quantities, self.settings = where.training, where.quantities, settings
        problem: Any = where.problem
        self.problem: KernelProblem = problem
        self._share = COLUMN_SHARE * settings.cache_size / len(where.subproblems)
        self.subproblems = [self._prepared(subproblem) for subproblem in where.subproblems]
        self.branches = [self._branches(subproblem, absent) for subproblem in self.subproblems]

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """The row of each instance in each subproblem, -1 where it has none."""
        places = np.full((len(self.subproblems), len(self.training)), -1, dtype=np.intp)
        for place, subproblem in zip(places, self.subproblems, strict=True):
            place[subproblem.rows] = np.arange(len(subproblem.rows))
        return places

    def _prepared(self, subproblem: Subproblem) -> Subproblem:
        """Return a subproblem whose rows can change, with columns if a copy lacks them."""
        if subproblem.columns is None or subproblem.columns.is_suspect:
            columns = self.training.columns(subproblem.rows, self._share)
            subproblem = replace(subproblem, columns=columns)
        return self.problem.prepared(subproblem, self.quantities, self.quantities)

    def _branches(self, subproblem: Subproblem, absent: NDArray[np.bool_] | None) -> Branches:
        n, share = len(subproblem.rows), self._share
        # The model may hold as much again.
        matrix = subproblem.columns.whole() if 2 * 8e-6 * n * n <= share else None
        if matrix is None:
            share /= self.settings.n_threads
        options = Options(ridge=self.training.ridge, max_events=self.settings.max_events)
        made_of = subproblem.columns, subproblem.stair, options
        may_keep = matrix is not None and absent is None and n <= _KEPT_ROWS
        kept = _KEPT.get(subproblem.state) if may_keep else None
        if kept is not None and kept[0] == made_of:
            return kept[1]
        branches = Branches(
            subproblem.stair,
            subproblem.state,
            ColumnSource(self.training, subproblem.rows, share, matrix),
            options,
            None if absent is None else absent[subproblem.rows],
        )
        if may_keep:
            _KEPT[subproblem.state] = made_of, branches
        return branches

    # Paths ---------------------------------------------------------------------------------

    def goals(self, changes: Changes) -> list[BranchGoals]:
        """Return where the branches of each subproblem go."""
        return [self._goals(k, changes) for k in range(len(self.subproblems))]

    def _goals(self, k: int, changes: Changes) -> BranchGoals:
        subproblem = self.subproblems[k]
        offset, instance, moved = changes.offset, changes.instance, changes.quantities
        row = np.ascontiguousarray(instance)
        if not self.training.has_only(subproblem.rows):
            row = self.place[k, instance]
            inside = row >= 0
            path = np.repeat(np.arange(len(changes)), np.diff(offset))[inside]
            counts = np.bincount(path, minlength=len(changes))
            offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
            row, instance = row[inside], instance[inside]
            moved = {name: values[inside] for name, values in moved.items()}
        # The staircases of all entries at once, as if each were a row of its own.
        still = {name: values for name, values in self.quantities.items() if name not in moved}
        quantities = {name: values[instance] for name, values in still.items()} | moved
        reading = Reading.of_own(subproblem.reading.kind, subproblem.reading.sign[row])
        stair = subproblem.stair
        if row.size:
            every: Any = slice(None)
            stair = self.problem.staircase(self.training, every, reading, quantities)
        return BranchGoals(
            offset,
            row,
            stair.knots[: row.size],
            self._totals(subproblem, changes),
            stair.target[: row.size] if "target" in changes.quantities else None,
        )

    def _totals(self, subproblem: Subproblem, changes: Changes) -> Reals:
        """Return the total of the coefficients at the end of each path."""
        totals = np.full(len(changes), subproblem.stair.total)
        if self.problem.removal_concerns == "total":
            for k in range(len(changes)):
                totals[k] = self.staircase(
                    subproblem, changes.quantities_of(k, self.quantities)
                ).total
        return totals

    def staircase(self, subproblem: Subproblem, quantities: Quantities) -> Any:
        """Return the staircase of a subproblem at other quantities."""
        return self.problem.staircase(
            self.training, subproblem.rows, subproblem.reading, quantities
        )

    def follow(
        self, changes: Changes, n_jobs: int | None = None, stop: Watch | None = None
    ) -> list[BranchEnds]:
        """Follow all paths; return where the branches of each subproblem end.

        ``n_jobs`` is what the settings were made with.
        """
        n_threads = self.settings.n_threads
        return [
            BranchEnds.joined(list(in_lots(branches, goals, n_jobs, stop, n_threads)))
            for branches, goals in zip(self.branches, self.goals(changes), strict=True)
        ]

    def close(self) -> None:
        """Let go of all kernel columns: values can still be asked for, but no paths."""
        self.subproblems = [replace(subproblem, columns=None) for subproblem in self.subproblems]
        self.branches = []

    # Values --------------------------------------------------------------------------------

    def values(self, X: Any) -> Reals:
        """Return the values of all subproblems at some points, (n, n_subproblems), as they are.

        Parameters
        ----------
        X : matrix
            Points, checked; for a precomputed kernel the values with all training instances.
        """
        coef = np.zeros((len(self.training), len(self.subproblems)))
        for k, subproblem in enumerate(self.subproblems):
            coef[subproblem.rows, k] = subproblem.state.beta
        bias = np.array([subproblem.state.bias for subproblem in self.subproblems])
        values: Reals = self.training.kernel.product(X, self.training.X, coef) + bias
        return values

    def values_after(
        self, X: Any, before: Reals, changes: Sequence[csr_array], bias: Reals
    ) -> Reals:
        """Return the values of all subproblems at some points, at the ends of many paths.

        Parameters
        ----------
        X : matrix
            The points.
        before : ndarray of shape (m, n_subproblems)
            The values there before, see :meth:`values`.
        changes : sequence of csr_array of shape (k, n_samples)
            The changes of the coefficients, for each subproblem.
        bias : ndarray of shape (k, n_subproblems)
            The biases afterwards.

        Returns
        -------
        ndarray of shape (k, m, n_subproblems)
        """
        now = np.array([subproblem.state.bias for subproblem in self.subproblems])
        after = np.repeat(before[None], len(bias), axis=0)
        after += (bias - now)[:, None, :]
        for s, change in enumerate(changes):
            used = np.unique(change.indices)
            if used.size:
                _add_values(after[:, :, s], self.training, X, used, change[:, used])
        return after


def _add_values(
    after: Reals, training: TrainingSet, X: Any, used: NDArray[np.intp], change: csr_array
) -> None:
    """Add what changes of the coefficients of some instances do at points, block by block."""
    kernel, step = training.kernel, max(1, int(_BLOCK_MB * 1e6 / (8 * used.size)))
    for first in range(0, after.shape[1], step):
        points = slice(first, first + step)
        if training.is_precomputed:
            values = np.asarray(X[points][:, used])
        else:
            values = kernel.between(X[points], training.X[used])
        after[:, points] += change @ np.ascontiguousarray(values.T)


def where_is(model: PathEstimator) -> Fitted:
    """Return where a fitted model is."""
    return Fitted(model.training_set_, model.problem_, dict(model.quantities_), model.subproblems_)


def changes_of(ends: BranchEnds, instances: Rows, n: int) -> csr_array:
    """Return the changes of the coefficients on each path, of shape (k, n).

    Parameters
    ----------
    ends : BranchEnds
        Where the branches of a subproblem end.
    instances : ndarray of int
        The instance of each of its rows.
    n : int
        The number of instances.
    """
    return MovedRows.of(ends, instances, n).array()


def in_lots(
    branches: Branches,
    goals: BranchGoals,
    n_jobs: int | None,
    stop: Watch | None = None,
    n_threads: int | None = None,
) -> Iterable[BranchEnds]:
    """Return where branches end, lot by lot in their order, from one thread or several.

    What is found does not depend on the lots. ``n_threads`` is what ``n_jobs`` stands for, if that
    is known.
    """
    n_threads = min(n_threads or effective_n_jobs(n_jobs), max(1, len(goals)))
    with single_blas():
        if n_threads == 1:
            return [branches.follow(goals, 0, len(goals), stop)]
        if runs_in_threads():
            return [branches.follow_in_threads(goals, n_threads, stop)]
        size = max(1, -(-len(goals) // (_TASKS * n_threads)))
        lots = [(k, min(k + size, len(goals))) for k in range(0, len(goals), size)]
        return run_tasks(
            _lot_elsewhere, (branches, goals, stop), lots, description="Paths", n_jobs=n_jobs
        )


def _lot_elsewhere(
    shared: tuple[Branches, BranchGoals, Watch | None], lot: tuple[int, int]
) -> BranchEnds:
    """Follow one lot in another process."""
    branches, goals, stop = shared
    return _lot(branches, goals, *lot, stop)


@one_blas_thread
def _lot(
    branches: Branches, goals: BranchGoals, first: int, last: int, stop: Watch | None
) -> BranchEnds:
    # BLAS stays with one thread: many small products are under way at the same time.
    return branches.follow(goals, first, last, stop)
