"""A trip of a model, followed: all its subproblems, the path that they make, and where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from weightpath.engine import COMPLETE, Options
from weightpath.engine.trace import Trace
from weightpath.estimators.problem import Fitted, Trip
from weightpath.estimators.snapshot import Snapshot
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.user_warnings import warn_beyond_precision
from weightpath.path import SolutionPath

if TYPE_CHECKING:
    from weightpath.estimators.base import PathEstimator
    from weightpath.problems import Staircase

__all__ = ["Followed", "followed", "leapt", "path_of", "trace"]


class Followed(NamedTuple):
    """A trip that was followed.

    Attributes
    ----------
    trip : Trip
        From where to where.
    there : Fitted
        Where it led.
    pieces : list of (Subproblem, Subproblem, Trace, object)
        For each subproblem where it began and ended, its trace, and how it is evaluated.
    status : str
        How the path ended.
    """

    trip: Trip
    there: Fitted
    pieces: list[tuple[Subproblem, Subproblem, Trace, Any]]
    status: str


def followed(trip: Trip, options: Options) -> Followed:
    """Follow all subproblems of a trip.

    Parameters
    ----------
    trip : Trip
        From where to where.
    options : Options
        How paths are followed.
    """
    start = trip.start
    training = start.training
    pieces, status = [], COMPLETE
    for subproblem in start.subproblems:
        here, stair, evaluation = _course(trip, subproblem)
        there, found = trip.problem.follow(training, here, stair, options)
        if found.status == COMPLETE:
            warn_beyond_precision(stair, there.state)
            there = trip.problem.arrival(training, there, trip.quantities)
        else:
            status = found.status
        pieces.append((here, there, found, evaluation))
    arrived = Fitted(
        training, trip.problem, trip.quantities, tuple([there for _, there, _, _ in pieces])
    )
    return Followed(trip, arrived, pieces, status)


def _course(trip: Trip, subproblem: Subproblem) -> tuple[Subproblem, Staircase, Any]:
    """Return how one subproblem goes; see :meth:`Problem.course`."""
    if trip.stair is not None:
        return subproblem, trip.stair, None
    return trip.start.problem.course(trip.start, subproblem, trip.quantities)


def leapt(trip: Trip, options: Options) -> Fitted | None:
    """Return where a trip leads, verified, without the way; ``None`` where it must be followed.

    Parameters
    ----------
    trip : Trip
        From where to where.
    options : Options
        How paths are followed.
    """
    start = trip.start
    arrived = []
    for subproblem in start.subproblems:
        here, stair, _ = _course(trip, subproblem)
        there = here.leap(stair, options)
        if there is None:
            return None
        arrived.append(trip.problem.arrival(start.training, there, trip.quantities))
    for there in arrived:
        warn_beyond_precision(there.stair, there.state)
    return Fitted(start.training, trip.problem, trip.quantities, tuple(arrived))


def path_of(model: PathEstimator, found: Followed) -> SolutionPath:
    """Return the path of a trip that was followed.

    Parameters
    ----------
    model : PathEstimator
        The estimator that moved, with the parameters that it had; the path makes models like it.
    found : Followed
        What was followed.
    """
    trip = found.trip
    training = trip.start.training
    return SolutionPath(
        [here.path(training, *rest) for here, *rest in found.pieces],
        training.rows,
        training.kernel,
        classes=getattr(trip.problem, "classes", None),
        pairs=[one.pair for one in found.there.subproblems] if len(found.pieces) > 1 else None,
        status=found.status,
        template=Snapshot.of(model, trip),
    )


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
    found = followed(trip, options)
    return path_of(model, found), found.there
