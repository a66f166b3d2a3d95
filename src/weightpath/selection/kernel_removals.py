"""Instances removed from a kernel machine: what happens to each of its subproblems."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import COLUMN_SHARE, Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.kernels import Kernel
from weightpath.selection.subproblem_removals import Removal, SubproblemRemovals

__all__ = ["KernelRemovals"]

_STORED = Kernel("precomputed")


class KernelRemovals:
    """Removals of instances from a fitted kernel machine, which is left as it is.

    Parameters
    ----------
    model : PathEstimator
        A fitted SVC, SVR, QuantileSVR or OneClassSVM.
    n_threads : int
        How many threads will ask at once; they share the memory for kernel columns.
    """

    def __init__(self, model: PathEstimator, n_threads: int = 1) -> None:
        cache = check_number("cache_size", model.cache_size)
        self.n_threads, self.memory = n_threads, COLUMN_SHARE * cache / len(model.subproblems_)
        self.training, self.quantities = model.training_set_, dict(model.quantities_)
        problem: Any = model.problem_
        self.problem: KernelProblem = problem
        self.labels = self.training.labels
        self.subproblems = [self._prepared(subproblem) for subproblem in model.subproblems_]
        # Where a removal changes the problem for all other instances.
        self.concerns_all = problem.removal_concerns is not None
        most = check_whole_number("max_events", model.max_events, 1)
        options = Options(ridge=self.training.ridge, max_events=most)
        self.removals = [
            self._of_subproblem(subproblem, options) for subproblem in self.subproblems
        ]
        self._place = np.full((len(self.subproblems), len(self.labels)), -1, dtype=np.intp)
        for place, subproblem in zip(self._place, self.subproblems, strict=True):
            place[subproblem.rows] = np.arange(len(subproblem.rows))
        self._n_weighted = np.bincount(self.labels[self.quantities["weight"] > 0])
        self._fewest = self._n_weighted[self._n_weighted > 0].min()
        self.matters = self._who_matters()

    def _prepared(self, subproblem: Subproblem) -> Subproblem:
        """Return a subproblem from which rows can go, with columns if a copy lacks them."""
        if subproblem.columns is None:
            columns = self.training.columns(subproblem.rows, self.memory)
            subproblem = replace(subproblem, columns=columns)
        return self.problem.prepared(subproblem, self.quantities, self.quantities)

    def _of_subproblem(self, subproblem: Subproblem, options: Options) -> SubproblemRemovals:
        training, n, share = self.training, len(subproblem.rows), self.memory
        # The model may hold as much again.
        if 2 * 8e-6 * n * n > share:
            make = partial(training.columns, subproblem.rows, share / self.n_threads)
            return SubproblemRemovals(subproblem.stair, subproblem.state, make, options)
        # Columns of a stored matrix may be read by all threads at once.
        stored = _STORED.columns(subproblem.columns.submatrix(np.arange(n)), share)
        return SubproblemRemovals(subproblem.stair, subproblem.state, lambda: stored, options)

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all subproblems at some points, (n, n_subproblems), as they are.

        Parameters
        ----------
        X : matrix
            Points, checked; for a precomputed kernel the values with all training instances.
        """
        coef = np.zeros((len(self.labels), len(self.subproblems)))
        for k, subproblem in enumerate(self.subproblems):
            coef[subproblem.rows, k] = subproblem.state.beta
        bias = np.array([subproblem.state.bias for subproblem in self.subproblems])
        values: NDArray[np.float64] = self.training.kernel.product(X, self.training.X, coef) + bias
        return values

    def values_at_training(self) -> NDArray[np.float64]:
        """Return the values of all subproblems at the training instances, as they are."""
        if len(self.subproblems) > 1 or self.training.ridge > 0:
            return self.values(self.training.X)
        (subproblem,) = self.subproblems
        return (subproblem.stair.target - subproblem.state.residual)[:, None]

    def _who_matters(self) -> NDArray[np.bool_]:
        """Return which instances may change the model; the others have no influence."""
        weighted = self.quantities["weight"] > 0
        if self.concerns_all:
            return weighted
        matters = np.zeros(len(self.labels), dtype=bool)
        for subproblem, removal in zip(self.subproblems, self.removals, strict=True):
            matters[subproblem.rows[removal.matters()]] = True
        return matters & weighted

    def without(self, instances: NDArray[np.intp]) -> list[Removal]:
        """Return what each subproblem becomes without these instances."""
        self._check(instances)
        quantities = self._quantities_without(instances) if self.concerns_all else None
        found = []
        for subproblem, removal, place in zip(
            self.subproblems, self.removals, self._place[:, instances], strict=True
        ):
            rows = place[place >= 0]
            if quantities is not None:
                end = self.problem.staircase(
                    self.training, subproblem.rows, subproblem.reading, quantities
                )
                changes_others = self.problem.removal_concerns == "staircases"
                found.append(
                    removal.along(rows, end) if changes_others else removal.without(rows, end.total)
                )
            elif removal.is_idle(rows):
                found.append(removal.unmoved(rows))
            else:
                found.append(removal.without(rows))
        return found

    def own_values(
        self, instances: NDArray[np.intp], found: list[Removal], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the values of all subproblems at the instances that were removed.

        Parameters
        ----------
        instances : ndarray of int
            The instances.
        found : list of Removal
            What became of the subproblems.
        values : ndarray of shape (n_samples, n_subproblems)
            The values of all subproblems before, see :meth:`values_at_training`.
        """
        if len(found) == 1:
            return found[0].own[:, None]
        own = np.empty((len(instances), len(found)))
        for k, (subproblem, removal) in enumerate(zip(self.subproblems, found, strict=True)):
            inside = self._place[k, instances] >= 0
            own[inside, k] = removal.own
            others = instances[~inside]
            if others.size:
                own[~inside, k] = values[others, k] + (removal.bias - subproblem.state.bias)
                own[~inside, k] += self._change_at(others, subproblem, removal)
        return own

    def events_of(self, found: list[Removal]) -> list[int]:
        """Return the numbers of events on the paths of a removal: of the subproblems with one."""
        return [one.n_events for one in found if one.n_events is not None]

    def values_without(
        self, found: list[list[Removal]], X: Any, before: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Return the values of all subproblems at some points after each of several removals.

        Parameters
        ----------
        found : list of list of Removal
            The removals, each with what became of the subproblems.
        X : matrix
            The points.
        before : ndarray of shape (n, n_subproblems)
            The values there before, see :meth:`values`.
        """
        after = np.repeat(before[None], len(found), axis=0)
        for k, subproblem in enumerate(self.subproblems):
            change = np.zeros((len(self.labels), len(found)))
            for which, removals in enumerate(found):
                change[subproblem.rows[removals[k].rows], which] = removals[k].change
                after[which, :, k] += removals[k].bias - subproblem.state.bias
            after[:, :, k] += self.training.kernel.product(X, self.training.X, change).T
        return list(after)

    def _change_at(
        self, instances: NDArray[np.intp], subproblem: Subproblem, removal: Removal
    ) -> float | NDArray[np.float64]:
        if removal.rows.size == 0:
            return 0.0
        return self.training.values_at(instances, subproblem.rows[removal.rows], removal.change)

    def _quantities_without(self, instances: NDArray[np.intp]) -> Quantities:
        """Return the quantities of all instances after a removal, as ``model.remove`` has them."""
        stays = np.ones(len(self.labels), dtype=bool)
        stays[instances] = False
        return self.problem.without(self.quantities, self.labels, stays)

    def _check(self, instances: NDArray[np.intp]) -> None:
        """Raise unless a model is left without these instances."""
        if len(instances) < self._fewest:
            return
        weighted = instances[self.quantities["weight"][instances] > 0]
        left = self._n_weighted - np.bincount(
            self.labels[weighted], minlength=len(self._n_weighted)
        )
        gone = np.flatnonzero((left == 0) & (self._n_weighted > 0))
        if gone.size == 0:
            return
        who = f"instance {instances[0]}" if len(instances) == 1 else f"{len(instances)} instances"
        classes = getattr(self.problem, "classes", None)
        what = "" if classes is None else f" of class {classes.tolist()[gone[0]]!r}"
        raise ValueError(
            f"Without {who} no weighted instance{what} is left, so that there is no model. Leave "
            f"out only others (indices=...), or fit again without the class."
        )
