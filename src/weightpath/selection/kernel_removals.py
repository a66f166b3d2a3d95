"""Instances removed from a kernel machine: what happens to each of its subproblems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.problem import Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.selection.kernel_branches import ModelBranches, Settings, where_is
from weightpath.selection.subproblem_removals import Removal, SubproblemRemovals

__all__ = ["KernelRemovals"]


class KernelRemovals:
    """Removals of instances from a fitted kernel machine, which is left as it is.

    Parameters
    ----------
    model : PathEstimator
        A fitted SVC, SVR, QuantileSVR or OneClassSVM.
    n_threads : int, default=1
        How many threads will ask at once; they share the memory for kernel columns.
    """

    def __init__(self, model: PathEstimator, n_threads: int = 1) -> None:
        self.own = ModelBranches(where_is(model), Settings.of(model, n_threads))
        self.training, self.quantities = self.own.training, self.own.quantities
        self.problem, self.subproblems = self.own.problem, self.own.subproblems
        self.labels = self.training.labels
        # Where a removal changes the problem for all other instances.
        self.concerns_all = self.problem.removal_concerns is not None
        self.removals = [SubproblemRemovals(branches) for branches in self.own.branches]
        self._n_weighted = np.bincount(self.labels[self.quantities["weight"] > 0])
        self._fewest = self._n_weighted[self._n_weighted > 0].min()
        self.matters = self._who_matters()

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all subproblems at some points, (n, n_subproblems), as they are."""
        return self.own.values(X)

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

    def without_each(self, sets: Sequence[NDArray[np.intp]]) -> list[list[Removal]]:
        """Return what each subproblem becomes without each of some sets of instances."""
        if max(map(len, sets), default=0) >= self._fewest:
            for instances in sets:
                self._check(instances)
        after = [self._quantities_without(one) for one in sets] if self.concerns_all else None
        found = [
            self._without_each(subproblem, removals, sets, place, after)
            for subproblem, removals, place in zip(
                self.subproblems, self.removals, self.own.place, strict=True
            )
        ]
        return [list(one) for one in zip(*found, strict=True)]

    def _without_each(
        self,
        subproblem: Subproblem,
        removals: SubproblemRemovals,
        sets: Sequence[NDArray[np.intp]],
        place: NDArray[np.intp],
        after: Sequence[Quantities] | None,
    ) -> list[Removal]:
        """Return what one subproblem becomes; ``after`` are the quantities, if all change."""
        rows = [place[instances] for instances in sets]
        if len(self.subproblems) > 1:
            rows = [one[one >= 0] for one in rows]
        if after is not None:
            ends = [self.own.staircase(subproblem, quantities) for quantities in after]
            if self.problem.removal_concerns == "staircases":
                return removals.along_each(rows, ends)
            return removals.without_each(rows, [end.total for end in ends])
        idle = removals.is_idle(rows)
        if not any(idle):
            return removals.without_each(rows)
        moving = [one for one, rests in zip(rows, idle, strict=True) if not rests]
        moved = iter(removals.without_each(moving) if moving else [])
        return [
            removals.unmoved(one) if rests else next(moved)
            for one, rests in zip(rows, idle, strict=True)
        ]

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
            inside = self.own.place[k, instances] >= 0
            own[inside, k] = removal.own
            others = instances[~inside]
            if others.size:
                own[~inside, k] = values[others, k] + (removal.bias - subproblem.state.bias)
                own[~inside, k] += self._change_at(others, subproblem, removal)
        return own

    def close(self) -> None:
        """Let go of the kernel matrix: values can still be asked for, but no removals."""
        self.own.close()
        self.subproblems, self.removals = self.own.subproblems, []

    def events_of(self, found: list[Removal]) -> list[int]:
        """Return the numbers of events on the paths of a removal: of the subproblems with one."""
        return [one.n_events for one in found if one.n_events is not None]

    def values_without(
        self, found: Sequence[list[Removal]], X: Any, before: NDArray[np.float64]
    ) -> NDArray[np.float64]:
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
        n, changes = len(self.labels), []
        for k, subproblem in enumerate(self.subproblems):
            own = [removals[k] for removals in found]
            offset = np.cumsum([0, *(one.rows.size for one in own)])
            rows = subproblem.rows[np.concatenate([one.rows for one in own])]
            change = np.concatenate([one.change for one in own])
            changes.append(csr_array((change, rows, offset), shape=(len(found), n)))
        bias = np.array([[one.bias for one in removals] for removals in found])
        return self.own.values_after(X, before, changes, bias)

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
