"""Models that are trained on subsets of the rows, as they do at validation rows.

A *player* is a row or a group of rows. Along a walk players come one after the other: each step is
an exact path on which their weights go from zero to what they are in the full training set. Around
a subset every player comes or goes once, each on a branch of its own.

Where a function has no rows, or only those of one class, there is nothing to solve and its value is
a constant: towards the only class (1 or -1); of two classes that are both missing towards the first
one; of a regression without rows zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options, State, first_solution, solve
from weightpath.engine.branch_goals import BranchGoals
from weightpath.engine.branches import Branches
from weightpath.engine.chains import Chain
from weightpath.engine.threads import one_blas_thread
from weightpath.estimators.problem import COLUMN_SHARE, Fitted
from weightpath.estimators.subproblem import Subproblem
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.selection.kernel_branches import ColumnSource, ModelBranches, Settings

__all__ = ["SubsetModels"]

Reals = NDArray[np.float64]
Present = NDArray[np.bool_]

# Steps of a walk whose values are handed out at a time.
_BLOCK = 64

# Tolerance of the approximate solutions that exact ones start from.
_TOL = 1e-3


@dataclass(frozen=True, eq=False)
class _Function:
    """One decision function: its problem on all rows, and its kernel values at validation rows.

    Attributes
    ----------
    stair : Staircase
        The problem with all rows.
    sign : ndarray of shape (n,) or None
        The class of each row, 1 or -1; ``None`` for a regression.
    towards : float
        The value without any rows.
    source : ColumnSource
        Makes the columns of its kernel matrix.
    options : Options
        How paths are followed.
    kernel : ndarray of shape (n, m)
        Kernel values between its rows and the validation rows.
    rows : tuple of ndarray of int
        The rows of each player that have a weight.
    """

    stair: Staircase
    sign: Reals | None
    towards: float
    source: ColumnSource
    options: Options
    kernel: Reals
    rows: tuple[NDArray[np.intp], ...]

    # Subsets -------------------------------------------------------------------------------

    def present(self, players: Sequence[int] | NDArray[Any]) -> Present:
        """Return which rows are there with these players."""
        there = np.zeros(len(self.stair), dtype=bool)
        for player in players:
            there[self.rows[player]] = True
        return there

    def constant(self, there: Present) -> float | None:
        """Return the value with these rows where it is a constant, else ``None``."""
        if not there.any():
            return self.towards
        if self.sign is None:
            return None
        first = self.sign[there][0]
        return float(first) if (self.sign[there] == first).all() else None

    def problem(self, there: Present) -> Staircase:
        """Return the problem in which only these rows have their weights."""
        knots = np.where(there[:, None], self.stair.knots, 0.0)
        return Staircase.of_own(
            self.stair.target, knots, self.stair.levels, self.stair.total, self.stair.has_bias
        )

    def solution(self, columns: Columns, stair: Staircase) -> State:
        """Return the exact solution of such a problem."""
        guess = first_solution(columns, stair, _TOL, self.options.ridge)
        return solve(columns, stair, *guess, self.options, centered=True)

    def goals(self, players: Sequence[int], there: Present) -> BranchGoals:
        """Return the problems in which one player each comes, or goes where it is there."""
        rows = [self.rows[player] for player in players]
        row = np.concatenate([*rows, np.empty(0, dtype=np.intp)])
        offset = np.concatenate([[0], np.cumsum([len(one) for one in rows])]).astype(np.intp)
        knots = np.where(there[row, None], 0.0, self.stair.knots[row])
        return BranchGoals(offset, row, knots, np.full(len(rows), self.stair.total))

    def values(self, beta: Reals, bias: Any) -> Reals:
        """Return the values at the validation rows; one row for each row of coefficients."""
        found: Reals = beta @ self.kernel + np.asarray(bias)[..., None]
        return found

    # Walks and neighbours ------------------------------------------------------------------

    def walk(self, order: NDArray[np.intp]) -> Iterator[Reals]:
        """Yield the values after each step, block by block."""
        chain = _Walk(self, order)
        for first in range(0, len(order), _BLOCK):
            yield chain.values(first, min(first + _BLOCK, len(order)))

    def neighbours(self, there: NDArray[np.bool_]) -> tuple[Reals, Reals]:
        """Return the values with a subset of players, and with each one changed.

        Parameters
        ----------
        there : ndarray of bool, shape (n_players,)
            The subset.

        Returns
        -------
        values : ndarray of shape (m,)
        changed : ndarray of shape (n_players, m)
        """
        own = self.present(np.flatnonzero(there))
        changed = np.empty((len(there), self.kernel.shape[1]))
        base = self.constant(own)
        if base is not None:
            values = np.full(self.kernel.shape[1], base)
            for player in range(len(there)):
                changed[player] = self._fresh(self._with_change(own, there, player))
            return values, changed
        stair = self.problem(own)
        state = self.solution(self.source(), stair)
        values = self.values(state.beta, state.bias)
        players = []
        for player in range(len(there)):
            constant = self.constant(self._with_change(own, there, player))
            if constant is not None:
                changed[player] = constant
            elif not len(self.rows[player]):
                changed[player] = values
            else:
                players.append(player)
        if players:
            branches = Branches(stair, state, self.source, self.options, ~own)
            ends = branches.follow(self.goals(players, own), 0, len(players))
            coef = np.repeat(state.beta[None], len(players), axis=0)
            path = np.repeat(np.arange(len(players)), np.diff(ends.offset))
            coef[path, ends.row] += ends.change
            changed[players] = self.values(coef, ends.bias)
        return values, changed

    def _with_change(self, own: Present, there: NDArray[np.bool_], player: int) -> Present:
        changed = own.copy()
        changed[self.rows[player]] = not there[player]
        return changed

    def _fresh(self, own: Present) -> Any:
        """Return the values with these rows, by a fit of their own."""
        constant = self.constant(own)
        if constant is not None:
            return constant
        state = self.solution(self.source(), self.problem(own))
        return self.values(state.beta, state.bias)


class _Walk:
    """One function along one walk."""

    def __init__(self, function: _Function, order: NDArray[np.intp]) -> None:
        self.function, self.order = function, order
        self._there = np.zeros(len(function.stair), dtype=bool)
        self._chain: Chain | None = None
        self._now = np.full(function.kernel.shape[1], function.towards)

    def values(self, first: int, last: int) -> Reals:
        """Return the values after the steps from ``first`` to before ``last``."""
        values = np.empty((last - first, len(self._now)))
        k = first
        while k < last and self._chain is None:
            self._begin(self.function.rows[self.order[k]])
            values[k - first] = self._now
            k += 1
        # Players without rows of this function change nothing.
        steps = [j for j in range(k, last) if len(self.function.rows[self.order[j]])]
        after = np.empty((0, len(self._now)))
        if steps and self._chain is not None:
            goals = self.function.goals([int(self.order[j]) for j in steps], self._there)
            after = self.function.values(*self._chain.follow(goals, 0, len(steps)))
        number = np.searchsorted(steps, np.arange(k, last), side="right")
        values[k - first :] = np.concatenate([self._now[None], after])[number]
        self._now = values[-1]
        return values

    def _begin(self, rows: NDArray[np.intp]) -> None:
        """Let rows come while there is no solution to go on from."""
        function = self.function
        self._there[rows] = True
        constant = function.constant(self._there)
        if constant is not None:
            self._now = np.full(function.kernel.shape[1], constant)
            return
        columns, stair = function.source(), function.problem(self._there)
        state = function.solution(columns, stair)
        self._chain = Chain(columns, stair, state, function.options)
        self._now = function.values(state.beta, state.bias)


class SubsetModels:
    """The models of all subsets of some players, at validation rows.

    Parameters
    ----------
    where : Fitted
        The model that is trained on all rows.
    points : matrix
        The validation rows, checked.
    settings : Settings
        What paths may cost.
    players : sequence of ndarray of int
        The instances of each player.
    has_classes : bool
        Whether the model is a classifier.
    """

    def __init__(
        self,
        where: Fitted,
        points: Any,
        settings: Settings,
        players: Sequence[NDArray[np.intp]],
        has_classes: bool,
    ) -> None:
        prepared = ModelBranches(where, settings)
        share = COLUMN_SHARE * settings.cache_size / len(where.subproblems)
        training = where.training
        kernel = training.kernel.between(points, training.X)
        self.functions = []
        for subproblem, place in zip(prepared.subproblems, prepared.place, strict=True):
            n = len(subproblem.rows)
            # Threads share the matrix, or the memory for columns.
            matrix = subproblem.columns.whole() if 2 * 8e-6 * n * n <= share else None
            own = share if matrix is not None else share / settings.n_threads
            knots = subproblem.stair.knots
            matters = (knots != knots[:, :1]).any(axis=1)
            sign, towards = _classes(subproblem) if has_classes else (None, 0.0)
            local = [place[instances] for instances in players]
            self.functions.append(
                _Function(
                    subproblem.stair,
                    sign,
                    towards,
                    ColumnSource(training, subproblem.rows, own, matrix),
                    Options(ridge=training.ridge, max_events=settings.max_events),
                    np.ascontiguousarray(kernel[:, subproblem.rows].T),
                    tuple(rows[(rows >= 0) & matters[rows]] for rows in local),
                )
            )
        self.n_players, self.n_points = len(players), kernel.shape[0]

    def empty(self) -> Reals:
        """Return the decision values without any rows, of shape (m, n_functions)."""
        return np.tile([function.towards for function in self.functions], (self.n_points, 1))

    def walk(self, order: NDArray[np.intp]) -> Iterator[Reals]:
        """Yield blocks of decision values after each step, of shape (steps, m, n_functions)."""
        walks = [function.walk(order) for function in self.functions]
        for _ in range(0, len(order), _BLOCK):
            yield self._next(walks)

    @one_blas_thread
    def _next(self, walks: list[Iterator[Reals]]) -> Reals:
        return np.stack([next(walk) for walk in walks], axis=-1)

    @one_blas_thread
    def neighbours(self, there: NDArray[np.bool_]) -> tuple[Reals, Reals]:
        """Return the decision values with a subset of the players, and with each one changed.

        Parameters
        ----------
        there : ndarray of bool, shape (n_players,)
            The subset.

        Returns
        -------
        values : ndarray of shape (m, n_functions)
        changed : ndarray of shape (n_players, m, n_functions)
        """
        found = [function.neighbours(there) for function in self.functions]
        values, changed = zip(*found, strict=True)
        return np.stack(values, axis=-1), np.stack(changed, axis=-1)


def _classes(subproblem: Subproblem) -> tuple[Reals, float]:
    """Return the class of each row, 1 or -1, and the value that stands for the first class."""
    positive, negative = subproblem.pair
    return subproblem.reading.sign, 1.0 if positive < negative else -1.0
