"""Where on a line of targets the lasso selects the same features, by its exact path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import COMPLETE, Options
from weightpath.errors import Advice, PathError
from weightpath.estimators import Lasso
from weightpath.estimators.lasso.problem import LassoProblem
from weightpath.estimators.problem import COLUMN_SHARE
from weightpath.estimators.subproblem import Subproblem
from weightpath.inference.lines import StatisticLine
from weightpath.inference.unions import joined, where_true
from weightpath.problems.position import is_free

__all__ = ["SelectionPaths"]

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
        self.data = self.problem.data(self.training)
        self.options = Options(ridge=self.training.ridge, max_events=model.max_events)
        self.code = self._coded(start.state.position)
        self.n_events = 0

    @property
    def selected(self) -> NDArray[np.intp]:
        """The features that are selected where the model is."""
        return np.flatnonzero(is_free(self.start.state.position) | (self.penalty == 0.0))

    def _coded(self, position: NDArray[Any]) -> NDArray[np.int64]:
        """Return what must stay the same of positions: with signs all, else whether it is free."""
        found = np.asarray(position, dtype=np.int64)
        return found if self.signs else is_free(found).astype(np.int64)

    def walk(self, line: StatisticLine) -> LineWalk:
        """Return a walk along a line."""
        return LineWalk(self, line)

    def follow(
        self, here: Subproblem, line: StatisticLine, low: float, high: float
    ) -> tuple[Subproblem, Reals]:
        """Go from one z to another; return where that is, and where the selection is the same.

        The selection is that of the model wherever it is the same at all its features; an
        unpenalised one is always selected.
        """
        end = self.data.staircase(line.targets(high), self.penalty)
        there, trace = self.problem.follow(self.training, here, end, self.options)
        record = trace.record
        if trace.status != COMPLETE:
            raise PathError(
                "The path along a test statistic was stopped by the event cap.",
                advice=Advice("Raise {max_events}.", {"max_events": self.options.max_events}),
                theta=float(record.theta[-1]),
            )
        self.n_events += record.n_events
        feature = record.event_index
        wanted, matters = self.code[feature], self.penalty[feature] > 0.0
        before = (self._coded(record.event_from) != wanted) & matters
        after = (self._coded(record.event_to) != wanted) & matters
        own = (self._coded(here.state.position) != self.code) & (self.penalty > 0.0)
        differs = np.cumsum(np.append(own.sum(), after.astype(int) - before))
        edges = low + (high - low) * np.concatenate([[0.0], record.event_theta, [1.0]])
        edges[-1] = high
        return there, where_true(edges, differs == 0)


class LineWalk:
    """How far a line has been followed to both sides, and where the selection is the same."""

    def __init__(self, paths: SelectionPaths, line: StatisticLine) -> None:
        self.paths, self.line = paths, line
        self.low = self.high = line.statistic
        self._ends = {-1: paths.start, 1: paths.start}
        self.intervals: Reals = np.empty((0, 2))

    def reach(self, low: float, high: float) -> Reals:
        """Return where the selection is the same, at least from ``low`` to ``high``."""
        found = [self.intervals]
        if low < self.low:
            self._ends[-1], own = self.paths.follow(self._ends[-1], self.line, self.low, low)
            self.low = low
            found.append(own)
        if high > self.high:
            self._ends[1], own = self.paths.follow(self._ends[1], self.line, self.high, high)
            self.high = high
            found.append(own)
        self.intervals = joined(np.concatenate(found))
        return self.intervals
