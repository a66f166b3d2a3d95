r"""Where the predicted classes change along a path.

Labels are those that the estimators predict: of two classes the second where :math:`f > 0` and the
first where :math:`f \le 0`; of more classes the one with most votes of the pairwise functions, each
of which votes for the first class of its pair where :math:`f > 0` and for the second elsewhere, and
the lowest index where votes are equal (as scikit-learn's ``SVC`` with ``break_ties=False``; with
``break_ties=True`` see :mod:`weightpath.curves.tie_breaking`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.sign_changes import sign_changes
from weightpath.curves.tie_breaking import decided_classes

__all__ = ["LabelChanges", "label_changes"]

# Votes counted at once, so that the table of votes after every change stays small.
VOTE_TABLE = 1 << 22


@dataclass(frozen=True, eq=False)
class LabelChanges:
    """All changes of predicted classes along a path.

    Parameters
    ----------
    initial : ndarray of int, shape (n_rows,)
        Index of the class that each row has at the start.
    theta : ndarray of shape (n_changes,)
        Where a class changes, in no particular order.
    row : ndarray of int, shape (n_changes,)
        Whose class changes. Several changes of one row may share a theta.
    before, after : ndarray of int, shape (n_changes,)
        Indices of the two classes. In their order at one theta the changes of a row form a chain.
    """

    initial: NDArray[np.intp]
    theta: NDArray[np.float64]
    row: NDArray[np.intp]
    before: NDArray[np.intp]
    after: NDArray[np.intp]


def label_changes(
    path: DecisionPath,
    X: Any,
    n_classes: int,
    pairs: Sequence[tuple[int, int]] | None,
    break_ties: bool = False,
) -> LabelChanges:
    """Changes of the predicted classes of validation rows.

    Parameters
    ----------
    path : DecisionPath
        With one decision function for two classes, else with one for every pair.
    X : array-like
        Validation rows.
    n_classes : int
        Number of classes.
    pairs : sequence of (int, int) or None
        ``pairs[p]`` are the indices of the two classes between which function ``p`` decides; a
        positive value is a vote for the first of them. None for two classes.
    break_ties : bool, default=False
        Whether equal votes are decided by the sums of the decision values.

    Returns
    -------
    LabelChanges
    """
    if pairs is not None and break_ties:
        return LabelChanges(*decided_classes(path, X, n_classes, pairs))
    if pairs is not None:
        return _voted_changes(path, X, n_classes, pairs)
    changes = sign_changes(path.iter_segments(X))
    after = changes.becomes.astype(np.intp)
    return LabelChanges(
        changes.positive.astype(np.intp), changes.theta, changes.row, 1 - after, after
    )


def _voted_changes(
    path: DecisionPath, X: Any, n_classes: int, pairs: Sequence[tuple[int, int]]
) -> LabelChanges:
    thetas, rows, winners, losers = [], [], [], []
    votes = np.empty((0, n_classes), dtype=np.int32)
    for part, (first, second) in enumerate(pairs):
        changes = sign_changes(path.iter_segments(X, part=part))
        if not part:
            votes = np.zeros((len(changes.positive), n_classes), dtype=np.int32)
        votes[:, first] += changes.positive
        votes[:, second] += ~changes.positive
        thetas.append(changes.theta)
        rows.append(changes.row)
        winners.append(np.where(changes.becomes, first, second))
        losers.append(np.where(changes.becomes, second, first))
    theta, row = np.concatenate(thetas), np.concatenate(rows)
    order = np.lexsort((theta, row))
    theta, row = theta[order], row[order]
    winner, loser = np.concatenate(winners)[order], np.concatenate(losers)[order]
    before, after = _classes_around(votes, row, winner, loser)
    other = before != after
    return LabelChanges(votes.argmax(axis=1), theta[other], row[other], before[other], after[other])


def _classes_around(
    votes: NDArray[np.int32],
    row: NDArray[np.intp],
    winner: NDArray[np.intp],
    loser: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The predicted class of the moved row before and after every move of a vote.

    Moves are sorted by row, then by theta. The votes after a move are the row's initial votes
    plus the running sum of its moves.
    """
    before, after = np.empty(len(row), dtype=np.intp), np.empty(len(row), dtype=np.intp)
    bounds = np.searchsorted(row, np.arange(len(votes) + 1))
    first = 0
    while first < len(votes):
        room = bounds[first] + max(1, VOTE_TABLE // votes.shape[1])
        last = max(first + 1, int(np.searchsorted(bounds, room, side="right")) - 1)
        some = slice(bounds[first], bounds[last])
        label = _votes_after(votes, row[some], winner[some], loser[some]).argmax(axis=1)
        starts, owners = _first_moves(row[some])
        after[some] = label
        before[some] = np.roll(label, 1)
        before[some][starts] = votes[owners].argmax(axis=1)
        first = last
    return before, after


def _first_moves(row: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Position of the first move of every row, and that row; row is sorted."""
    owners, starts = np.unique(row, return_index=True)
    return starts, owners


def _votes_after(
    votes: NDArray[np.int32],
    row: NDArray[np.intp],
    winner: NDArray[np.intp],
    loser: NDArray[np.intp],
) -> NDArray[np.int32]:
    """Votes of the moved row after every move; integers, so differences of sums are exact."""
    move = np.zeros((len(row), votes.shape[1]), dtype=np.int32)
    index = np.arange(len(row))
    move[index, winner] = 1
    move[index, loser] = -1
    table = np.cumsum(move, axis=0, dtype=np.int32)
    starts, owners = _first_moves(row)
    base = votes[owners] - (table[starts] - move[starts])
    table += np.repeat(base, np.diff(np.append(starts, len(row))), axis=0)
    return table
