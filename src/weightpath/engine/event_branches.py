"""Many paths of one problem, all from its solution, of which only the events are wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._event_branches import EventRunner
from weightpath.engine.branch_goals import BranchGoals
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.trace import Options
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import sort_out_equal_knots
from weightpath.record.state import State

__all__ = ["EventBranches", "Events"]


class Events(NamedTuple):
    """The events of a path.

    Attributes
    ----------
    theta : ndarray of shape (k,)
        Where they are.
    row : ndarray of int of shape (k,)
        Which row changes.
    before, after : ndarray of int of shape (k,)
        Its positions.
    """

    theta: NDArray[np.float64]
    row: NDArray[np.intp]
    before: NDArray[np.intp]
    after: NDArray[np.intp]


class EventBranches:
    """Paths from one solution.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem.
    state : State
        Its solution.
    options : Options
        How paths are followed.
    """

    def __init__(self, columns: Columns, stair: Staircase, state: State, options: Options) -> None:
        position = sort_out_equal_knots(stair, state.position, state.residual)
        state = replace(state, position=position)
        self._runner: EventRunner | None = None
        try:
            self._runner = EventRunner(columns, stair, state, options.ridge)
        except (ValueError, IndefiniteMarginError):
            return
        self._runner.limit_events(options.max_events)

    def events(self, goals: BranchGoals) -> list[Events | None]:
        """Return the events of many paths, whose ends are verified.

        Parameters
        ----------
        goals : BranchGoals
            Where the paths go.

        Returns
        -------
        list
            ``None`` for each path that is to be followed otherwise: on which ties, roundings or
            several legs are met.
        """
        if self._runner is None:
            return [None] * len(goals)
        return [
            None if events is None else Events(*events) for events in self._runner.events_of(goals)
        ]
