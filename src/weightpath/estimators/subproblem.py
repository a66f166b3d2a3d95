"""One staircase problem of an estimator: its solution, and how it follows a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import COMPLETE, Options, State, center_bias, follow, kappa_of
from weightpath.engine.leap import leapt
from weightpath.engine.trace import MENDED, Trace
from weightpath.estimators._row_weights import renumbered, with_new_rows
from weightpath.estimators.training_set import Rows, Staying, TrainingSet
from weightpath.frozen import quick_init
from weightpath.path import PathPart, Reading
from weightpath.path.moment import Moment
from weightpath.problems import Staircase
from weightpath.problems.position import at_knot
from weightpath.record.record import UNIQUE
from weightpath.record.settled_bias import is_settled

__all__ = ["Subproblem"]


@quick_init
@dataclass(frozen=True, eq=False)
class Subproblem:
    """A staircase problem on some training rows, solved exactly; it is never changed.

    Attributes
    ----------
    rows : ndarray of int
        The training rows, increasing; of a ranking the numbers of the pairs, of a lasso those of
        the features.
    reading : Reading
        What positions and knots mean.
    columns : Columns or None
        The kernel matrix of the rows; ``None`` after unpickling, until it is needed.
    stair : Staircase
        The problem.
    state : State
        Its solution.
    pair : (int, int)
        The classes that it separates, as indices: the positive one, the negative one.
    """

    rows: Rows
    reading: Reading
    columns: Any
    stair: Staircase
    state: State
    pair: tuple[int, int] = (1, 0)

    def __repr__(self) -> str:
        return (
            f"<Subproblem: {len(self.rows)} rows of {self.reading.kind!r}, "
            f"{len(self.state.margin)} on the margin>"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "columns": None}

    def follow(self, end: Staircase, options: Options) -> tuple[Subproblem, Trace]:
        """Follow the path to ``end``; return the subproblem there and the trace."""
        trace = follow(self.columns, self.stair, end, self.state, options)
        state = trace.state
        # The loop has seen whether a row is between its knots, and then the bias is unique.
        is_unique = trace.record.end_freedom == UNIQUE and MENDED.isdisjoint(trace.counts)
        if trace.status == COMPLETE and not is_unique:
            state = center_bias(end, state, kappa_of(self.columns, options.ridge))
        there = Subproblem(self.rows, self.reading, self.columns, end, state, self.pair)
        return there, trace

    def leap(self, end: Staircase, options: Options) -> Subproblem | None:
        """Return the subproblem at ``end``; ``None`` where only a path leads to it."""
        state = leapt(self.columns, self.stair, end, self.state, options)
        if state is None:
            return None
        return Subproblem(self.rows, self.reading, self.columns, end, state, self.pair)

    def path(
        self, training: TrainingSet, there: Subproblem, trace: Trace, evaluation: Any = None
    ) -> PathPart:
        """Return the path in a form that needs no engine.

        Parameters
        ----------
        training : TrainingSet
            What the rows are rows of.
        there : Subproblem
            Where the path led.
        trace : Trace
            The path.
        evaluation : FeatureRows, PairRows or None
            How coefficients are evaluated; ``None`` for kernel sums over the rows.
        """
        rows = None
        if evaluation is None and not training.has_only(self.rows):
            rows = self.rows
            rows.setflags(write=False)
        first, last = self.state, there.state
        # The bias of a kernel machine is settled when the path is read.
        settled = evaluation is not None or is_settled(self.stair, trace.record)
        return (PathPart.of_own if settled else PathPart)(
            kernel=training.kernel,
            X=training.rows,
            rows=rows,
            start=self.stair,
            end=there.stair,
            record=trace.record,
            reading=self.reading,
            ridge=training.ridge,
            evaluation=evaluation,
            ends=(
                Moment(first.beta, first.bias, first.position),
                Moment(last.beta, last.bias, last.position) if trace.status == COMPLETE else None,
            ),
        )

    def enlarge(
        self,
        columns: Any,
        rows: Rows,
        reading: Reading,
        stair: Staircase,
        n_gone: int = 0,
    ) -> Subproblem:
        """Return the subproblem with new rows of zero weight at its end.

        The first ``n_gone`` rows, none of them free and none with a weight, are left out.
        """
        old = self.state
        margin, beta = old.margin, old.beta[n_gone:]
        if n_gone:
            moved_up = renumbered(margin, n_gone)
            assert moved_up is not None
            margin = moved_up
        beta, position, residual = with_new_rows(
            beta,
            old.position[n_gone:],
            old.residual[n_gone:],
            stair.target,
            columns.values_of_last(beta),
            old.bias if stair.has_bias else 0.0,
            at_knot(0),
            at_knot(stair.n_knots - 1),
        )
        state = State(
            beta,
            old.bias,
            position,
            residual,
            margin,
            old.tolerance,
            old.n_since,
            old.peak,
        )
        self._hand_loop_over(state, columns, -n_gone)
        return Subproblem(rows, reading, columns, stair, state, self.pair)

    def reduce(self, index: Staying, columns: Any, rows: Rows) -> Subproblem:
        """Return the subproblem without the rows, all of zero weight, that go.

        Parameters
        ----------
        index : slice or ndarray of bool
            Which rows stay; a slice if the first ones go.
        columns : Columns
            The kernel matrix of those that stay.
        rows : ndarray of int
            Their numbers in the training set.
        """
        state, stair = self.state, self.stair.rows(index)
        number: int | NDArray[np.intp]
        if isinstance(index, slice):
            number, margin = -index.start, renumbered(state.margin, index.start)
            all_stay = margin is not None
            if margin is None:
                margin = state.margin[state.margin >= index.start] + number
        else:
            number = (np.cumsum(index) - 1).astype(np.intp, copy=False)
            stays = index[state.margin]
            all_stay, margin = bool(stays.all()), number[state.margin][stays]
        left = State(
            state.beta[index],
            state.bias,
            state.position[index],
            state.residual[index],
            margin,
            state.tolerance,
            state.n_since,
            state.peak,
        )
        if all_stay:
            self._hand_loop_over(left, columns, number)
        if not (all_stay and margin.size):
            # Otherwise the bias is as unique as it was: rows without weight do not bound it.
            left = center_bias(stair, left, kappa_of(columns))
        reading = Reading.of_own(self.reading.kind, self.reading.sign[index])
        return Subproblem(rows, reading, columns, stair, left, self.pair)

    def _hand_loop_over(self, state: State, columns: Any, number: int | NDArray[np.intp]) -> None:
        """Keep the factor of the margin for a state whose rows have these numbers.

        A single number is how much larger that of each row is.
        """
        kept = self.state.take()
        if kept is None or kept.columns is not self.columns:
            return
        hand = kept.shifted if isinstance(number, int) else kept.handed_on
        state.keep(hand(columns, number))
