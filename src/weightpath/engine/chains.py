"""Paths one after the other, of which only the ends are wanted: rows gain their weights in turn.

Each step is followed by the native :class:`~weightpath.engine._chains.ChainRunner`, which verifies
its end. A step for which its numbers do not suffice (ties, several legs) is followed as any other
path, by :func:`~weightpath.engine.follow`, and the chain goes on from there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._chains import ChainRunner
from weightpath.engine.branch_goals import BranchGoals
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.follow import follow
from weightpath.engine.trace import Options
from weightpath.errors import Advice, PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import is_free, sort_out_equal_knots
from weightpath.problems.scales import kappa_of
from weightpath.record.bias import center_bias
from weightpath.record.state import State
from weightpath.record.status import COMPLETE

__all__ = ["Chain"]

Reals = NDArray[np.float64]


class Chain:
    """A solution that goes on from step to step.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    stair : Staircase
        The problem at the beginning; rows whose knots are all equal have no weight.
    state : State
        Its solution.
    options : Options
        How paths are followed.
    """

    def __init__(self, columns: Columns, stair: Staircase, state: State, options: Options) -> None:
        self.columns, self.stair, self.state, self.options = columns, stair, state, options
        self._kappa = kappa_of(columns, options.ridge)
        self._runner: ChainRunner | None = None

    def follow(self, goals: BranchGoals, first: int, last: int) -> tuple[Reals, Reals]:
        """Follow the steps from ``first`` to before ``last``.

        Parameters
        ----------
        goals : BranchGoals
            Where each step goes: rows that had no weight gain one.
        first, last : int
            Which of them to follow; the chain is where ``first`` begins.

        Returns
        -------
        betas : ndarray of shape (last - first, n)
            The coefficients after each step.
        biases : ndarray of shape (last - first,)
            The bias after each, where it is not unique in the middle of its interval.
        """
        betas, biases = np.empty((last - first, len(self.stair))), np.empty(last - first)
        done = first
        while done < last:
            runner = self._take_runner()
            if runner is not None:
                ahead = slice(done - first, None)
                done += self._run(runner, goals, done, last, betas[ahead], biases[ahead])
                if done < last:
                    self._read(runner)
            if done < last:
                self._follow_step(goals, done)
                betas[done - first] = self.state.beta
                biases[done - first] = self.state.bias
                done += 1
        return betas, biases

    def _run(
        self,
        runner: ChainRunner,
        goals: BranchGoals,
        first: int,
        last: int,
        betas: Reals,
        biases: Reals,
    ) -> int:
        """Follow native steps as far as they go; return how many."""
        found, bias, loose = runner.follow_chain(goals, first, last)
        count = len(bias)
        betas[:count], biases[:count] = found, bias
        # The problem after each step, up to date as far as the biases below need it.
        reached, stair = 0, self.stair
        for at, position, residual, tolerance in loose:
            stair = _after(stair, goals, first + reached, first + at + 1)
            reached = at + 1
            state = _state(found[at], float(bias[at]), position, residual, tolerance)
            biases[at] = center_bias(stair, state, self._kappa).bias
        self.stair = _after(stair, goals, first + reached, first + count)
        return count

    def _follow_step(self, goals: BranchGoals, k: int) -> None:
        """Follow one step as any other path."""
        end = goals.end(self.stair, k)
        position = sort_out_equal_knots(self.stair, self.state.position, self.state.residual)
        state = replace(self.state, position=position)
        trace = follow(self.columns, self.stair, end, state, self.options)
        if trace.status != COMPLETE:
            raise PathError(
                "A row could not gain its weight within the event cap.",
                advice=Advice("Raise {max_events}.", {"max_events": self.options.max_events}),
                theta=float(trace.record.theta[-1]),
            )
        self.stair, self.state = end, center_bias(end, trace.state, self._kappa)
        self._runner = None

    # The native runner ---------------------------------------------------------------------

    def _take_runner(self) -> ChainRunner | None:
        """Return the runner at the present solution; ``None`` where its margin allows for none."""
        if self._runner is None:
            knots = self.stair.knots
            absent = np.asarray((knots == knots[:, :1]).all(axis=1))
            position = sort_out_equal_knots(self.stair, self.state.position, self.state.residual)
            state = replace(self.state, position=position)
            try:
                self._runner = ChainRunner(
                    self.columns, self.stair, state, self.options.ridge, absent
                )
            except (ValueError, IndefiniteMarginError):
                return None
            self._runner.limit_events(self.options.max_events)
        return self._runner

    def _read(self, runner: ChainRunner) -> None:
        """Take the solution of a runner that has lost its next step."""
        self.state = _state(*runner.solution)
        self._runner = None


def _after(stair: Staircase, goals: BranchGoals, first: int, last: int) -> Staircase:
    """Return the problem after some more steps."""
    if first == last:
        return stair
    own = slice(int(goals.offset[first]), int(goals.offset[last]))
    knots = stair.knots.copy()
    knots[goals.row[own]] = goals.knots[own]
    total = float(goals.total[last - 1])
    return Staircase.of_own(stair.target, knots, stair.levels, total, stair.has_bias)


def _state(beta: Reals, bias: float, position: Any, residual: Reals, tolerance: float) -> State:
    margin = np.flatnonzero(is_free(position))
    return State(beta, bias, position, residual, margin, tolerance)
