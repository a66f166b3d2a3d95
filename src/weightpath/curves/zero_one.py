r"""The misclassification rate along a path.

.. math:: \frac{\sum_i v_i \, I(\hat y_i(\theta) \ne y_i)}{\sum_i v_i}

with the costs :math:`v_i` as sample weights. Labels are those that the estimators predict: of two
classes the second where :math:`f > 0` and the first where :math:`f \le 0`; of more classes the one
with most votes of the pairwise functions, each of which votes for the first class of its pair
where :math:`f > 0` and for the second elsewhere, and the lowest index where votes are equal (as
scikit-learn's ``SVC`` with ``break_ties=False``).
"""

from __future__ import annotations

import numpy as np

from weightpath.curves.curve import Curve
from weightpath.curves.sign_changes import sign_changes

__all__ = ["binary_zero_one", "step_curve", "voted_zero_one"]

# Changes closer together than this are one change: a zero in [0, 1] is computed with an error of a
# few units of rounding, so nothing can be told about an interval that short.
RESOLUTION = 8 * np.finfo(float).eps

# Votes counted at once, so that the table of votes after every change stays small.
VOTE_TABLE = 1 << 22


def binary_zero_one(path, X, target, weight) -> Curve:
    """Misclassification rate of a path between two classes.

    Parameters
    ----------
    path : SolutionPath
        With one decision function.
    X : array-like
        Validation rows.
    target : ndarray of int, shape (n_rows,)
        Index of the true class, 0 or 1.
    weight : ndarray of shape (n_rows,)
        Costs.

    Returns
    -------
    Curve
        Of degree 0.
    """
    changes = sign_changes(path.iter_segments(X))
    truth = target == 1
    initial = weight @ (changes.positive != truth)
    wrong = changes.becomes != truth[changes.row]
    jump = np.where(wrong, weight[changes.row], -weight[changes.row])
    return step_curve(path.theta, initial, changes.theta, jump, weight.sum(), "zero_one")


def voted_zero_one(path, X, target, weight) -> Curve:
    """Misclassification rate of a path between several classes, one against one.

    Parameters
    ----------
    path : SolutionPath
        ``path.pairs[p]`` are the indices of the two classes between which part ``p`` decides; a
        positive value is a vote for the first of them.
    X, target, weight
        As for :func:`binary_zero_one`; target counts the classes of the path.

    Returns
    -------
    Curve
        Of degree 0.
    """
    votes = np.zeros((len(target), len(path.classes)), dtype=np.int32)
    thetas, rows, winners, losers = [], [], [], []
    for part, (first, second) in enumerate(path.pairs):
        changes = sign_changes(path.iter_segments(X, part=part))
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
    jump = weight[row] * _error_changes(votes, row, winner, loser, target)
    initial = weight @ (votes.argmax(axis=1) != target)
    return step_curve(path.theta, initial, theta, jump, weight.sum(), "zero_one")


def _error_changes(votes, row, winner, loser, target):
    """Change of every row's error (-1, 0 or 1) by every move of a vote.

    Moves are sorted by row, then by theta. The votes after a move are the row's initial votes
    plus the running sum of its moves.
    """
    changes = np.zeros(len(row), dtype=np.int8)
    bounds = np.searchsorted(row, np.arange(len(votes) + 1))
    first = 0
    while first < len(votes):
        room = bounds[first] + max(1, VOTE_TABLE // votes.shape[1])
        last = max(first + 1, np.searchsorted(bounds, room, side="right") - 1)
        part = slice(bounds[first], bounds[last])
        table = _votes_after(votes, row[part], winner[part], loser[part])
        error = table.argmax(axis=1) != target[row[part]]
        previous = np.empty_like(error)
        previous[1:] = error[:-1]
        starts, owners = _first_moves(row[part])
        previous[starts] = votes[owners].argmax(axis=1) != target[owners]
        changes[part] = error.astype(np.int8) - previous.astype(np.int8)
        first = last
    return changes


def _first_moves(row):
    """Position of the first move of every row, and that row; row is sorted."""
    owners, starts = np.unique(row, return_index=True)
    return starts, owners


def _votes_after(votes, row, winner, loser):
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


def step_curve(span, initial, theta, jump, total, metric, greater_is_better=False) -> Curve:
    """Step function from its first value and its jumps.

    Parameters
    ----------
    span : ndarray
        Breakpoints of the path; the curve reaches from the first to the last of them.
    initial : float
        Value at the start, before any jump there, times ``total``.
    theta, jump : ndarray of shape (n_jumps,)
        Places and heights (times ``total``) of the jumps, in any order.
    total : float
        Divides all values.
    metric : str
        Name of the metric.
    greater_is_better : bool
        Whether the metric is a score.

    Returns
    -------
    Curve
        Edges only where values differ.
    """
    start, stop = span[0], span[-1]
    moved = np.flatnonzero((jump != 0) & (theta < stop - RESOLUTION))
    order = moved[np.argsort(theta[moved], kind="stable")]
    theta, jump = np.append(start, theta[order]), np.append(initial, jump[order])
    level = np.cumsum(jump)
    # The value that counts is that after the last of the changes at one place.
    fresh = np.append(True, np.diff(theta) > RESOLUTION)
    place = theta[fresh]
    level = level[np.append(np.flatnonzero(fresh)[1:] - 1, len(level) - 1)]
    level = _without_rounding(level, len(jump) * np.finfo(float).eps * total)
    kept = np.append(True, np.diff(level) != 0)
    edges = np.append(place[kept], stop)
    return Curve(edges, level[kept, None] / total, metric, greater_is_better)


def _without_rounding(level, tolerance):
    """Make values equal that differ by no more than the rounding errors of their sums.

    Nothing happens to sums of integers. The lowest value that can be meant is zero.
    """
    sorted_level, inverse = np.unique(level, return_inverse=True)
    group = np.append(0, np.cumsum(np.diff(sorted_level) > tolerance))
    lowest = sorted_level[np.unique(group, return_index=True)[1]]
    lowest[np.abs(lowest) <= tolerance] = 0.0
    return lowest[group][inverse]
