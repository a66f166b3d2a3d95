"""The worth of players by what a metric gains from them: walks, random subsets, all subsets.

The tasks here are pure functions of a :class:`Game` and of a seed or a subset, so that they can run
anywhere and the values do not depend on where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.evaluator import Evaluator
from weightpath.selection.value_models import SubsetModels

__all__ = [
    "MOST_ENUMERATED",
    "Game",
    "banzhaf_of_all",
    "gains_around",
    "gains_on_walk",
    "shapley_of_all",
    "subset_chains",
    "worths_on_chain",
]

Reals = NDArray[np.float64]

# The most players all of whose subsets are looked at.
MOST_ENUMERATED = 16


@dataclass(frozen=True, eq=False)
class Game:
    """Players, and what a set of them is worth.

    Attributes
    ----------
    models : SubsetModels
        The models that are trained on subsets of the players.
    score : Evaluator
        The metric at the validation rows.
    point : ndarray of int, shape (n_val,)
        Which of the points of ``models`` each validation row is: equal rows are one.
    truncation : float or None
        A walk ends where the worth is as close as this to that of all players.
    """

    models: SubsetModels
    score: Evaluator
    point: NDArray[np.intp]
    truncation: float | None = None

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return self.models.n_players

    def worth(self, values: Reals) -> float:
        """Return the metric at decision values, negated where a smaller one is better."""
        found = self.score(values[self.point])
        return found if self.score.metric.greater_is_better else -found

    def empty_worth(self) -> float:
        """Return the worth without any player."""
        return self.worth(self.models.empty())

    def worths(self, order: NDArray[np.intp]) -> Iterator[float]:
        """Yield the worth after each step of a walk."""
        before, worth = np.empty(0), 0.0
        for block in self.models.walk(order):
            for values in block:
                # Most steps change nothing.
                if not np.array_equal(values, before):
                    worth = self.worth(values)
                yield worth
                before = values

    def full_worth(self) -> float:
        """Return the worth of all players together."""
        *_, last = self.worths(np.arange(self.n_players))
        return last


def gains_on_walk(game: Game, task: tuple[int, float | None]) -> tuple[Reals, int]:
    """Return what each player adds on one random walk, and how many steps were followed.

    Parameters
    ----------
    game : Game
        The players.
    task : (int, float or None)
        The seed of the order, and the worth of all players where walks are truncated.
    """
    seed, full = task
    order = np.random.default_rng(seed).permutation(game.n_players)
    gains, n_steps = np.zeros(game.n_players), 0
    before = game.empty_worth()
    for player, worth in zip(order, game.worths(order), strict=False):
        gains[player] = worth - before
        before = worth
        n_steps += 1
        if full is not None and abs(full - worth) <= (game.truncation or 0.0):
            break
    return gains, n_steps


def gains_around(game: Game, seed: int) -> tuple[Reals, int]:
    """Return what each player adds to one random subset of the others, and the paths followed.

    Parameters
    ----------
    game : Game
        The players.
    seed : int
        Of the subset: every player is in it with probability one half.
    """
    there = np.random.default_rng(seed).random(game.n_players) < 0.5
    values, changed = game.models.neighbours(there)
    worth = game.worth(values)
    gains = np.zeros(game.n_players)
    for player, other in enumerate(changed):
        if not np.array_equal(other, values):
            gains[player] = worth - game.worth(other)
    return np.where(there, gains, -gains), game.n_players


# All subsets ---------------------------------------------------------------------------------


def subset_chains(n_players: int) -> list[NDArray[np.intp]]:
    """Return walks whose beginnings are all subsets: those in order that end with the last player.

    A subset without the last player is the beginning of the walk that goes on with it.
    """
    others, last = range(n_players - 1), n_players - 1
    return [
        np.array([*some, last], dtype=np.intp)
        for size in range(n_players)
        for some in combinations(others, size)
    ]


def worths_on_chain(game: Game, order: NDArray[np.intp]) -> Reals:
    """Return the worth after each step of a walk."""
    return np.array(list(game.worths(order)))


def _table(game: Game, chains: Sequence[NDArray[np.intp]], worths: Sequence[Reals]) -> Reals:
    """Return the worth of every subset; bit j of its number says whether player j is there."""
    table = np.empty(2**game.n_players)
    table[0] = game.empty_worth()
    for order, worth in zip(chains, worths, strict=True):
        table[np.cumsum(2**order)] = worth
    return table


def _gains_of_all(game: Game, chains: Any, worths: Any) -> tuple[Reals, NDArray[np.intp]]:
    """Return what each player adds to every subset of the others, and the sizes of those."""
    n = game.n_players
    table, number = _table(game, chains, worths), np.arange(2**n)
    size = np.array([int(one).bit_count() for one in number])
    without = [number[(number >> player) & 1 == 0] for player in range(n)]
    gains = np.array([table[own + 2**j] - table[own] for j, own in enumerate(without)])
    return gains, np.array([size[own] for own in without])


def shapley_of_all(game: Game, chains: Any, worths: Any) -> Reals:
    """Return the Shapley values from the worths of all subsets."""
    gains, size = _gains_of_all(game, chains, worths)
    n = game.n_players
    weight = np.array([1.0 / (n * comb(n - 1, k)) for k in range(n)])
    return np.asarray((gains * weight[size]).sum(axis=1))


def banzhaf_of_all(game: Game, chains: Any, worths: Any) -> Reals:
    """Return the Banzhaf values from the worths of all subsets."""
    return np.asarray(_gains_of_all(game, chains, worths)[0].mean(axis=1))
