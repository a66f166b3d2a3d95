"""Many paths from where a model is, each followed and recorded as ``reweight`` and ``add`` do."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from weightpath.engine import COMPLETE, STOPPED_ON_REQUEST, Options
from weightpath.engine.branch_goals import Watch
from weightpath.engine.branches import first_theta
from weightpath.engine.threads import one_blas_thread
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.expansion import KernelExpansion
from weightpath.estimators.following import trace
from weightpath.estimators.problem import Fitted, Trip
from weightpath.path import SolutionPath
from weightpath.selection.dispatch import run_tasks, runs_in_threads
from weightpath.selection.kernel_branches import Changes, Settings

__all__ = ["Recorded", "RecordedPaths"]


class Recorded(NamedTuple):
    """One path, recorded, and its end.

    Attributes
    ----------
    path : SolutionPath
        The path, from theta = 0 to where it ended.
    theta : float
        Where that is on the way to its goal.
    status : str
        How it ended.
    coef : ndarray of shape (n_subproblems, n_samples)
        The coefficients at the end.
    intercept : ndarray of shape (n_subproblems,)
        The biases.
    values : ndarray of shape (m, n_subproblems) or None
        The values at the points asked for.
    """

    path: SolutionPath
    theta: float
    status: str
    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    values: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class RecordedPaths:
    """Follows and records paths.

    Parameters
    ----------
    model : PathEstimator
        The model, which stays where it is.
    where : Fitted
        Where the paths begin.
    settings : Settings
        What they may cost.
    points : matrix or None
        Where values at the ends are wanted.
    """

    model: PathEstimator
    where: Fitted
    settings: Settings
    points: Any = None

    def follow(
        self, changes: Changes, n_jobs: int | None, stop: Watch | None = None
    ) -> list[Recorded]:
        """Follow all paths."""
        here = _PerThread(self.where, self.settings)
        if len(changes) > 1 and not runs_in_threads():
            shared = (self, here, changes, stop)
            return run_tasks(
                _followed, shared, range(len(changes)), description="Paths", n_jobs=n_jobs
            )
        if self.settings.n_threads == 1 or len(changes) == 1:
            return [self._follow(here, changes, k, stop) for k in range(len(changes))]
        found: list[Recorded] = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(self._follow)(here, changes, k, stop) for k in range(len(changes))
        )
        return found

    @one_blas_thread
    def _follow(self, here: _PerThread, changes: Changes, k: int, stop: Watch | None) -> Recorded:
        start = here.fitted
        problem = start.problem if changes.problems is None else changes.problems[k]
        trip = Trip(start, problem, changes.quantities_of(k, start.quantities))
        path, there = self._trace(trip)
        status, theta = path.status, float(path.theta[-1])
        found = None if stop is None else _stopping_theta(path, start, stop, k)
        if found is not None:
            status, theta = STOPPED_ON_REQUEST, found
            path, there = self._trace(_shortened(trip, theta))
        coef = np.zeros((len(there.subproblems), len(there.training)))
        for own, subproblem in zip(coef, there.subproblems, strict=True):
            own[subproblem.rows] = subproblem.state.beta
        intercept = np.array([subproblem.state.bias for subproblem in there.subproblems])
        values = None
        if self.points is not None:
            values = KernelExpansion.of(there.training, there.subproblems).values(self.points)
        return Recorded(path, theta, status, coef, intercept, values)

    def _trace(self, trip: Trip) -> tuple[SolutionPath, Fitted]:
        options = Options(ridge=trip.start.training.ridge, max_events=self.settings.max_events)
        return trace(self.model, trip, options)


def _followed(shared: tuple[RecordedPaths, _PerThread, Changes, Watch | None], k: int) -> Recorded:
    """Follow one path in another process."""
    paths, here, changes, stop = shared
    return paths._follow(here, changes, k, stop)


class _PerThread:
    """Where paths begin, with columns of its own for each thread."""

    def __init__(self, where: Fitted, settings: Settings) -> None:
        self._where, self._settings = where, settings
        self._thread = threading.local()

    def __getstate__(self) -> tuple[Fitted, Settings]:
        return self._where, self._settings

    def __setstate__(self, state: tuple[Fitted, Settings]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    @property
    def fitted(self) -> Fitted:
        if not hasattr(self._thread, "fitted"):
            share = self._settings.cache_size / self._settings.n_threads
            self._thread.fitted = self._where.with_columns(share)
        fitted: Fitted = self._thread.fitted
        return fitted


def _shortened(trip: Trip, theta: float) -> Trip:
    """Return the trip that ends at ``theta`` of another."""
    start: Any = trip.start.problem
    quantities = start.quantities_between(trip.start.quantities, trip.quantities, theta)
    return Trip(trip.start, start.between(trip.problem, theta, quantities), quantities)


def _stopping_theta(path: SolutionPath, start: Fitted, stop: Watch, k: int) -> float | None:
    """Return where a rule ends a path with one subproblem; ``None`` if it does not."""
    row, until, ask = stop(k)
    (part,) = path.parts
    if ask is None:
        return first_theta(part.record, part.start, row, until)
    last = path.theta[-1] if path.status != COMPLETE else 1.0
    for theta in np.unique(np.append(0.0, part.record.event_theta)).tolist():
        if theta < last:
            solution = path.at(theta)
            if ask(theta, solution.dual_coef, float(solution.intercept)):
                return float(theta)
    return None
