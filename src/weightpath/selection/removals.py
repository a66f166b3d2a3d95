"""Many removals from one model: which instances, in which threads or processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from weightpath.engine.threads import one_blas_thread
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_indices
from weightpath.progress import track
from weightpath.selection.dispatch import run_tasks, runs_in_threads, size_of_tasks
from weightpath.selection.feature_removals import FeatureRemovals
from weightpath.selection.kernel_removals import KernelRemovals

__all__ = [
    "Found",
    "InstanceRemovals",
    "every_removal",
    "instances_of",
    "removals_of",
    "sets_of_groups",
]

# Removals in one task: long against what it costs to hand it to a thread; and those of a single
# thread between two chances to interrupt.
_TASK = 16
_AT_ONCE = 64

# What a removal leaves.
Found = TypeVar("Found")


class InstanceRemovals(Protocol[Found]):
    """Removals of instances from a fitted model, whatever a removal leaves."""

    matters: NDArray[np.bool_]

    def without_each(self, sets: Sequence[NDArray[np.intp]]) -> list[Found]:
        """Return what the removal of each of some sets of instances leaves."""

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all subproblems at some points, as they are."""

    def values_at_training(self) -> NDArray[np.float64]:
        """Return the values of all subproblems at the training instances, as they are."""

    def own_values(
        self, instances: NDArray[np.intp], found: Found, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the values of all subproblems at the instances that were removed."""

    def values_without(
        self, found: Sequence[Found], X: Any, before: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the values of all subproblems at some points after each of several removals.

        One removal after the other: (n_removals, n_points, n_subproblems).
        """

    def close(self) -> None:
        """Let go of all that only further removals would need; values can still be asked for."""

    def events_of(self, found: Found) -> list[int]:
        """Return the numbers of events on the paths of a removal: of the subproblems with one."""


# By the rows of the problem, as its kind calls them.
_REMOVERS: dict[str, Callable[[Any, int], InstanceRemovals[Any]]] = {
    "instances": KernelRemovals,
    "features": FeatureRemovals,
}


def removals_of(model: Any, n_jobs: int | None) -> InstanceRemovals[Any]:
    """Return the object that removes instances from a fitted model."""
    if not isinstance(model, PathEstimator):
        raise TypeError(
            "model must be a fitted estimator of weightpath (SVC, SVR, QuantileSVR, OneClassSVM "
            f"or Lasso), got {type(model).__name__}."
        )
    # What has a coefficient decides how an instance goes; that of pairs would take several along.
    remover = _REMOVERS.get(model.subproblems_[0].reading.meaning.rows_are)
    if remover is None:
        raise TypeError(f"Instances of {type(model).__name__} cannot be left out one by one.")
    return remover(model, effective_n_jobs(n_jobs))


def instances_of(indices: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Check the instances to leave out; all if not given."""
    return np.arange(n) if indices is None else check_indices(indices, n)


def sets_of_groups(groups: Any, n: int) -> tuple[NDArray[Any], list[NDArray[np.intp]]]:
    """Return the distinct groups and the instances of each."""
    groups = column_or_1d(groups)
    if groups.shape != (n,):
        raise ValueError(
            f"groups has shape {groups.shape}, expected ({n},): the group of each instance."
        )
    names, group = np.unique(groups, return_inverse=True)
    order = np.argsort(group, kind="stable")
    return names, np.split(order, np.cumsum(np.bincount(group))[:-1])


@one_blas_thread
def every_removal(
    removals: InstanceRemovals[Found],
    sets: Sequence[NDArray[np.intp]],
    n_jobs: int | None,
    verbose: int,
) -> list[Found | None]:
    """Return what every removal leaves, in the order of ``sets``; ``None`` for the same model.

    BLAS stays with one thread: many small products are under way at the same time.
    """
    size = np.cumsum([0, *map(len, sets[:-1])])
    matters = np.logical_or.reduceat(removals.matters[np.concatenate(sets)], size).tolist()
    needed = [instances for instances, needs in zip(sets, matters, strict=True) if needs]
    traced = iter(list(_traced(removals, needed, n_jobs, verbose)))
    return [next(traced) if needs else None for needs in matters]


def _traced(
    removals: InstanceRemovals[Found],
    sets: Sequence[NDArray[np.intp]],
    n_jobs: int | None,
    verbose: int,
) -> Iterator[Found]:
    """Return the removals in order, as they are made."""
    in_threads = runs_in_threads()
    size = _TASK if effective_n_jobs(n_jobs) > 1 else _AT_ONCE
    if not in_threads:
        size = size_of_tasks(len(sets), n_jobs, _TASK)
    tasks = [sets[k : k + size] for k in range(0, len(sets), size)]
    if not in_threads and len(tasks) > 1:
        found = run_tasks(
            _without_each,
            removals,
            tasks,
            description="Removals",
            n_jobs=n_jobs,
            verbose=verbose,
        )
        return iter([one for task in found for one in task])
    results: Iterable[list[Found]] = map(removals.without_each, tasks)
    if effective_n_jobs(n_jobs) > 1 and len(tasks) > 1:
        parallel = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        results = parallel(delayed(removals.without_each)(task) for task in tasks)
    each = (one for task in results for one in task)
    return track(each, "Removals", verbose, len(sets)) if verbose > 0 else each


@one_blas_thread
def _without_each(
    removals: InstanceRemovals[Found], sets: Sequence[NDArray[np.intp]]
) -> list[Found]:
    """Make some removals, in another process."""
    return removals.without_each(sets)
