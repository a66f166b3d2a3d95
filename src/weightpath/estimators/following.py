"""A trip of a model, followed: all its subproblems, the path that they make, and where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weightpath.engine import COMPLETE, Options
from weightpath.estimators.problem import Fitted, Trip
from weightpath.estimators.snapshot import Snapshot
from weightpath.estimators.user_warnings import warn_beyond_precision
from weightpath.path import SolutionPath

if TYPE_CHECKING:
    from weightpath.estimators.base import PathEstimator

__all__ = ["trace"]


def trace(model: PathEstimator, trip: Trip, options: Options) -> tuple[SolutionPath, Fitted]:
    """Follow all subproblems; return the path and where it led. The model stays.

    Parameters
    ----------
    model : PathEstimator
        The estimator that moves; the path makes models like it.
    trip : Trip
        From where to where.
    options : Options
        How paths are followed.
    """
    start = trip.start
    training = start.training
    arrived, pieces, status = [], [], COMPLETE
    for subproblem in start.subproblems:
        here, stair, evaluation = start.problem.course(start, subproblem, trip.quantities)
        there, found = trip.problem.follow(training, here, stair, options)
        if found.status == COMPLETE:
            warn_beyond_precision(stair, there.state)
            there = trip.problem.arrival(training, there, trip.quantities)
        else:
            status = found.status
        arrived.append(there)
        pieces.append(here.path(training, there, found, evaluation))
    snapshot = Snapshot.of(model, trip)
    path = SolutionPath(
        pieces,
        training.rows,
        training.kernel,
        classes=getattr(trip.problem, "classes", None),
        pairs=[one.pair for one in arrived] if len(arrived) > 1 else None,
        status=status,
        template=snapshot,
    )
    return path, Fitted(training, trip.problem, trip.quantities, tuple(arrived))
