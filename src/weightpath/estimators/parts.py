"""One problem of an estimator, where it stands, and how it travels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weightpath.engine import COMPLETE, Options, State, center_bias, follow, kappa_of
from weightpath.engine.trace import Trace
from weightpath.kernels.response import ColumnResponse
from weightpath.path import PathPart, Reading
from weightpath.path.moment import Moment
from weightpath.path.pair_rows import PairRows
from weightpath.problems import Staircase
from weightpath.record.settled_bias import settle_bias

__all__ = ["Part"]


@dataclass(frozen=True, eq=False)
class Part:
    """A staircase problem on some training rows, solved exactly.

    Attributes
    ----------
    rows : ndarray of int
        The training rows.
    reading : Reading
        What positions and knots mean.
    columns : Columns or None
        The kernel matrix of the rows; ``None`` after unpickling, until it is needed.
    stair : Staircase
        The problem.
    state : State
        Its solution.
    """

    rows: np.ndarray
    reading: Reading
    columns: Any
    stair: Staircase
    state: State

    def __getstate__(self):
        return {**self.__dict__, "columns": None}

    def travel(self, end: Staircase, options: Options) -> tuple[Part, Trace]:
        """Follow the path to ``end``; return the part there and the trace."""
        trace = follow(self.columns, self.stair, end, self.state, options)
        state = trace.state
        if trace.status == COMPLETE:
            state = center_bias(end, state, kappa_of(self.columns, options.ridge))
        return replace(self, stair=end, state=state), trace

    def path(
        self, kernel, X, end: Staircase, trace: Trace, ridge: float, there: Part | None
    ) -> PathPart:
        """Return the part's path in a form that needs no engine; ``there`` is where it led."""
        ends = Moment.of(self.state), None if there is None else Moment.of(there.state)
        if self.columns.structure is not None:
            pairs = PairRows(self.columns.structure)
            return PathPart(
                kernel,
                X,
                None,
                self.stair,
                end,
                trace.record,
                self.reading,
                evaluation=pairs,
                ends=ends,
            )
        whole = len(self.rows) == X.shape[0] and np.array_equal(
            self.rows, np.arange(len(self.rows))
        )
        rows = None if whole else self.rows
        # The kernel values that the path has needed are at hand, so the bias is settled here.
        settled = settle_bias(
            kernel, X, self.stair, end, trace.record, ridge, ColumnResponse(self.columns)
        )
        return PathPart(
            kernel,
            X,
            rows,
            self.stair,
            end,
            settled.record,
            self.reading,
            settled=True,
            ridge=ridge,
            jumps=(settled.theta, settled.bias),
            ends=ends,
        )

    def enlarge(self, columns, rows, reading, stair: Staircase, residual) -> Part:
        """Return the part with new rows of zero weight at its end."""
        n = len(self.rows)
        zero = np.zeros(len(rows) - n)
        # Both knots of a row of zero weight are at zero: the residual says at which it stands.
        new = np.where(residual > 0, 2 * stair.n_knots - 1, 1).astype(np.int32)
        state = State(
            np.append(self.state.beta, zero),
            self.state.bias,
            np.append(self.state.position, new).astype(np.int32),
            np.append(self.state.residual, residual),
            self.state.margin,
            self.state.tolerance,
        )
        return Part(rows, reading, columns, stair, state)

    def reduce(self, keep: np.ndarray, columns, rows, reading, stair: Staircase) -> Part:
        """Return the part without the rows (all of zero weight) that ``keep`` leaves out."""
        number = np.cumsum(keep) - 1
        margin = self.state.margin[keep[self.state.margin]]
        state = State(
            self.state.beta[keep],
            self.state.bias,
            self.state.position[keep],
            self.state.residual[keep],
            number[margin].astype(np.intp),
            self.state.tolerance,
        )
        return Part(rows, reading, columns, stair, center_bias(stair, state, kappa_of(columns)))
