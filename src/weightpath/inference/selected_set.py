"""Where on a line of targets the lasso selects the same features, by its exact path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import COMPLETE, Options
from weightpath.engine.branch_goals import BranchGoals
from weightpath.engine.event_branches import EventBranches, Events
from weightpath.errors import Advice, PathError
from weightpath.estimators import Lasso
from weightpath.estimators.lasso.problem import LassoProblem
from weightpath.estimators.problem import COLUMN_SHARE
from weightpath.estimators.subproblem import Subproblem
from weightpath.inference.lines import StatisticLine
from weightpath.inference.unions import Union, intersection, joined, where_true
from weightpath.problems import Staircase
from weightpath.problems.position import is_free

__all__ = ["LineWalk", "SelectionPaths"]

Reals = NDArray[np.float64]


class SelectionPaths:
    """The paths of a lasso along lines of targets, all from where it is.

    Parameters
    ----------
    model : Lasso
        A fitted model; it is left as it is.
    signs : bool
        Whether the signs of the coefficients must stay the same, too.
    """

    def __init__(self, model: Lasso, signs: bool) -> None:
        problem: Any = model.problem_
        self.problem: LassoProblem = problem
        self.training, self.signs = model.training_set_, signs
        (start,) = model.subproblems_
        if start.columns is None or start.columns.is_suspect:
            share = COLUMN_SHARE * model.cache_size
            columns = self.problem.columns(self.training, start.rows, share)
            start = Subproblem(
                start.rows, start.reading, columns, start.stair, start.state, start.pair
            )
        self.start = start
        self.penalty = model.quantities_["penalty"]
        self.options = Options(ridge=self.training.ridge, max_events=model.max_events)
        self.n_events = 0
        self._data = self.problem.data(self.training)
        self._branches = EventBranches(start.columns, start.stair, start.state, self.options)
        self._code = self._coded(start.state.position)
        self._is_penalised = self.penalty > 0.0

    @property
    def selected(self) -> NDArray[np.intp]:
        """The features that are selected where the model is."""
        return np.flatnonzero(is_free(self.start.state.position) | (self.penalty == 0.0))

    def _coded(self, position: NDArray[Any]) -> NDArray[np.int64]:
        """Return what must stay the same of positions: with signs all, else whether it is free."""
        found = np.asarray(position, dtype=np.int64)
        return found if self.signs else is_free(found).astype(np.int64)

    def walks(self, lines: Sequence[StatisticLine], distances: Sequence[float]) -> list[LineWalk]:
        """Return walks along the lines of the selected features, each as far as its distance."""
        slopes = self._slopes(lines)
        walks = [
            LineWalk(self, line, slope, self._endless_sides(line))
            for line, slope in zip(lines, slopes, strict=True)
        ]
        self.go_on(
            [
                (walk, side, side * distance)
                for walk, distance in zip(walks, distances, strict=True)
                for side, edge in walk.edges.items()
                if side * edge < distance
            ]
        )
        return walks

    def _slopes(self, lines: Sequence[StatisticLine]) -> Reals:
        """Return how fast the correlations of all features move along each line, (k, p)."""
        weight = self._data.weight
        slopes = np.array([line.slope for line in lines]).reshape(-1, len(weight))
        if self.problem.centred:
            slopes = slopes - (slopes @ weight)[:, None]
        return np.asarray((np.sqrt(weight) * slopes) @ self._data.rows.T)

    def go_on(self, ahead: list[tuple[LineWalk, int, float]]) -> None:
        """Follow walks, each on one side as far as some z; all of them at once, if possible."""
        if not ahead:
            return
        p, knots = len(self.penalty), self.start.stair.knots
        row = np.tile(np.arange(p, dtype=np.intp), len(ahead))
        target = np.concatenate([walk.correlations(far) for walk, _, far in ahead])
        goals = BranchGoals(
            p * np.arange(len(ahead) + 1, dtype=np.intp),
            row,
            knots[row],
            np.zeros(len(ahead)),
            target,
        )
        found = self._branches.events(goals)
        for (walk, side, far), events in zip(ahead, found, strict=True):
            if events is None:
                walk.follow(side, far)
            else:
                same = self._where_same(self.start, events, walk.line.statistic, far)
                walk.has_reached(side, far, same)

    def _endless_sides(self, line: StatisticLine) -> list[int]:
        """Return the sides on which the selection stays the same for ever, as far as is plain.

        No other feature enters, and no selected one leaves if all coefficients go away from zero.
        """
        if line.moves is None or self.training.ridge > 0.0:
            return []
        selected = self.selected
        matters = self.penalty[selected] > 0.0
        away = (np.sign(self.start.state.beta[selected]) * line.moves)[matters]
        return [side for side in (-1, 1) if (side * away >= 0.0).all()]

    def follow(
        self, here: Subproblem, correlations: Reals, low: float, high: float
    ) -> tuple[Subproblem, Union]:
        """Go from one z to another; return where that is, and where the selection is the same.

        The selection is that of the model wherever it is the same at all its features; an
        unpenalised one is always selected.
        """
        stair = self.start.stair
        end = Staircase.of_own(correlations, stair.knots, stair.levels, 0.0, False)
        there, trace = self.problem.follow(self.training, here, end, self.options)
        record = trace.record
        if trace.status != COMPLETE:
            raise PathError(
                "The path along a test statistic was stopped by the event cap.",
                advice=Advice("Raise {max_events}.", {"max_events": self.options.max_events}),
                theta=float(record.theta[-1]),
            )
        events = Events(record.event_theta, record.event_index, record.event_from, record.event_to)
        return there, self._where_same(here, events, low, high)

    def _where_same(self, here: Subproblem, events: Events, low: float, high: float) -> Union:
        """Return where the selection is the same on a path from one z to another."""
        self.n_events += len(events.theta)
        edges, holds = [low], []
        n_other = 0
        if here is not self.start:
            own = self._coded(here.state.position) != self._code
            n_other = int((own & self._is_penalised).sum())
        if len(events.theta):
            wanted, matters = self._code[events.row], self._is_penalised[events.row]
            before = (self._coded(events.before) != wanted) & matters
            after = (self._coded(events.after) != wanted) & matters
            edges += (low + (high - low) * events.theta).tolist()
            for was, is_now in zip(before.tolist(), after.tolist(), strict=True):
                holds.append(n_other == 0)
                n_other += is_now - was
        return where_true([*edges, high], [*holds, n_other == 0])


class LineWalk:
    """How far a line has been followed to both sides, and where the selection is the same.

    Parameters
    ----------
    paths : SelectionPaths
        The paths.
    line : StatisticLine
        The line.
    slope : ndarray of shape (n_features,)
        How fast the correlations of all features move along it.
    endless : list of int
        The sides, -1 and 1, on which the selection is known to be the same for ever.

    Attributes
    ----------
    edges : dict
        How far each side, -1 and 1, has been followed.
    """

    def __init__(
        self, paths: SelectionPaths, line: StatisticLine, slope: Reals, endless: list[int]
    ) -> None:
        self.paths, self.line, self.slope = paths, line, slope
        self.edges = {
            side: side * np.inf if side in endless else line.statistic for side in (-1, 1)
        }
        self._same: Union = joined(_from(line.statistic, side) for side in endless)
        # Where native paths have not gone, or not far enough: the solutions at the edges.
        self._solved: dict[int, tuple[float, Subproblem]] = {}

    @property
    def intervals(self) -> Union:
        """Where the selection is the same, as far as the line was followed."""
        return self._same

    def correlations(self, z: float) -> Reals:
        """Return the correlations of all features with the targets at ``z``."""
        return self.paths.start.stair.target + (z - self.line.statistic) * self.slope

    def has_reached(self, side: int, far: float, same: Union) -> None:
        """Take down where the selection is the same on one side; what was known is kept."""
        beyond = [_from(self.edges[side], side)]
        self._same = joined([*self._same, *intersection(same, beyond)])
        self.edges[side] = far

    def follow(self, side: int, far: float) -> None:
        """Follow one side as any other path, from where that was done last."""
        at, here = self._solved.get(side, (self.line.statistic, self.paths.start))
        there, same = self.paths.follow(here, self.correlations(far), at, far)
        self._solved[side] = far, there
        self.has_reached(side, far, same)


def _from(z: float, side: int) -> tuple[float, float]:
    """Return all that is on one side of a point."""
    return (z, np.inf) if side > 0 else (-np.inf, z)
