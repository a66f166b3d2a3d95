r"""Where predicted classes change along a path if equal votes are decided by decision values.

As scikit-learn's ``SVC`` with ``break_ties=True``: among the classes with most votes the one with
the largest confidence wins, the sum of its pairwise decision values with their signs, and of equal
ones the first. Confidences are piecewise linear in theta, so their order changes only where the
difference of two of them changes its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.decision_path import Block, DecisionPath
from weightpath.curves.sign_changes import SignChanges, sign_changes

__all__ = ["ClassesAndChanges", "decided_classes"]

# Numbers in the tables of one lot of rows, so that they stay small.
TABLE = 1 << 22

# The initial classes of some rows, then theta, row, class before and class after of every change.
ClassesAndChanges = tuple[
    NDArray[np.intp], NDArray[np.float64], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]
]


def decided_classes(
    path: DecisionPath, X: Any, n_classes: int, pairs: Sequence[tuple[int, int]]
) -> ClassesAndChanges:
    """Return the classes of validation rows at the start, and all their changes.

    Parameters
    ----------
    path : DecisionPath
        With a decision function for every pair of classes.
    X : array or CSR matrix
        Validation rows.
    n_classes : int
        Number of classes.
    pairs : sequence of (int, int)
        The two classes of each function; a positive value is a vote for the first.
    """
    n, most = X.shape[0], max(1, TABLE // (len(path.theta) * len(pairs)))
    lots = []
    for first in range(0, n, most):
        initial, theta, row, before, after = _lot(path, X[first : first + most], n_classes, pairs)
        lots.append((initial, theta, row + first, before, after))
    initial, theta, row, before, after = (np.concatenate(one) for one in zip(*lots, strict=True))
    return initial, theta, row, before, after


def _lot(
    path: DecisionPath, X: Any, n_classes: int, pairs: Sequence[tuple[int, int]]
) -> ClassesAndChanges:
    """Return the same for so few rows that their values fit into memory."""
    functions = [_whole(path, X, part) for part in range(len(pairs))]
    changes = [sign_changes([one]) for one in functions]
    # State of a row: the votes of each class, then which class has more confidence than which.
    size = n_classes + n_classes**2
    n = len(changes[0].positive)
    state = np.zeros((n, size), dtype=np.int32)
    moves = []
    for (a, b), change in zip(pairs, changes, strict=True):
        moves.append(_moves(change, state, plus=a, minus=b))
    confidence = _confidences(functions, n_classes, pairs)
    for a, b in combinations(range(n_classes), 2):
        left, right = confidence[0], confidence[1]
        difference = [confidence[k][b] - confidence[k][a] for k in (2, 3)]
        later = sign_changes([(left, right, difference[0], difference[1])])
        more = n_classes + n_classes * b + a, n_classes + n_classes * a + b
        moves.append(_moves(later, state, plus=more[0], minus=more[1]))
    theta, row, gains, loses = (np.concatenate(one) for one in zip(*moves, strict=True))
    order = np.lexsort((theta, row))
    theta, row, gains, loses = theta[order], row[order], gains[order], loses[order]
    initial = _decide(state, n_classes)
    after = np.empty(len(row), dtype=np.intp)
    bounds = np.searchsorted(row, np.arange(n + 1))
    for k in np.flatnonzero(np.diff(bounds)):
        some = slice(bounds[k], bounds[k + 1])
        after[some] = _decide(_states_after(state[k], gains[some], loses[some]), n_classes)
    before = np.roll(after, 1)
    starts = bounds[:-1][np.diff(bounds) > 0]
    before[starts] = initial[row[starts]]
    other = before != after
    return initial, theta[other], row[other], before[other], after[other]


def _whole(path: DecisionPath, X: Any, part: int) -> Block:
    """Return all segments of one function as one block."""
    blocks = list(path.iter_segments(X, part=part))
    left, right, value, slope = (np.concatenate(one) for one in zip(*blocks, strict=True))
    return left, right, value, slope


def _moves(
    changes: SignChanges, state: NDArray[np.int32], plus: int, minus: int
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Count the signs at the start into the state; return which entry gains and loses where."""
    state[:, plus] += changes.positive
    state[:, minus] += ~changes.positive
    gains = np.where(changes.becomes, plus, minus)
    return changes.theta, changes.row, gains, plus + minus - gains


def _confidences(
    functions: Sequence[Block], n_classes: int, pairs: Sequence[tuple[int, int]]
) -> Any:
    """Return the sums of decision values of each class: ends of segments, values, slopes."""
    left = np.unique(np.concatenate([one[0] for one in functions]))
    right = np.append(left[1:], max(one[1][-1] for one in functions))
    n = functions[0][2].shape[1]
    value, slope = np.zeros((2, n_classes, len(left), n))
    for (a, b), (own, _, own_value, own_slope) in zip(pairs, functions, strict=True):
        segment = np.searchsorted(own, left, side="right") - 1
        here = own_value[segment] + own_slope[segment] * (left - own[segment])[:, None]
        value[a] += here
        value[b] -= here
        slope[a] += own_slope[segment]
        slope[b] -= own_slope[segment]
    return left, right, value, slope


def _states_after(
    state: NDArray[np.int32], gains: NDArray[np.intp], loses: NDArray[np.intp]
) -> NDArray[np.int32]:
    """Return the states of one row after each of its moves."""
    table = np.zeros((len(gains), len(state)), dtype=np.int32)
    index = np.arange(len(gains))
    table[index, gains] = 1
    table[index, loses] = -1
    np.cumsum(table, axis=0, out=table)
    table += state
    return table


def _decide(states: NDArray[np.int32], n_classes: int) -> NDArray[np.intp]:
    """Return the class of each state: most votes, then more confidence than all such others."""
    votes = states[:, :n_classes]
    beats = states[:, n_classes:].reshape(-1, n_classes, n_classes)
    top = votes == votes.max(axis=1, keepdims=True)
    wins = np.einsum("iab,ib->ia", beats, top.astype(np.int32))
    return np.asarray(np.where(top, wins, -1).argmax(axis=1), dtype=np.intp)
