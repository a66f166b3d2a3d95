r"""Full conformal sets of a classifier: the labels of a new row that are not too strange.

For each label the row is added with it, along an exact path from the shared solution, and its score
:math:`1 - y f(x)` is compared with those of all others under the same function. With several
classes there is a function for each pair of them, and the score of a row is the largest over the
pairs of its class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.selection.kernel_branches import (
    ModelBranches,
    Settings,
    changes_of,
    where_is,
)
from weightpath.selection.many_arrivals import ArrivalBlock, arrival_blocks

__all__ = ["kept_labels"]

Reals = NDArray[np.float64]


def kept_labels(model: Any, X: Any, needed: int, n_jobs: int | None = None) -> NDArray[np.bool_]:
    """Return which labels are kept, of shape (m, n_classes).

    Parameters
    ----------
    model : SVC
        Fitted, without feature names.
    X : ndarray or CSR matrix of shape (m, n_features)
        New rows, checked, as ``add`` takes them.
    needed : int
        How many of the other scores must be as large as that of the new row.
    n_jobs : int or None, default=None
        Number of threads.
    """
    where, settings = where_is(model), Settings.of(model, n_jobs)
    kept = np.empty((X.shape[0], len(model.classes_)), dtype=bool)
    for number, label in enumerate(model.classes_):
        done = 0
        for block in arrival_blocks(model, where, X, np.full(X.shape[0], label)):
            rows = slice(done, done + len(block.own))
            own, others = _scores(block, settings, len(where.training), number, n_jobs)
            equal = tolerances.EQUAL_SCORES * (1.0 + np.abs(own))
            counts = (others >= (own - equal)[:, None]).sum(axis=1)
            kept[rows, number] = counts >= needed
            done = rows.stop
    return kept


def _scores(
    block: ArrivalBlock, settings: Settings, n: int, number: int, n_jobs: int | None
) -> tuple[Reals, Reals]:
    """Return the scores of new rows with one label, and those of the others beside each."""
    training, count = block.where.training, len(block.own)
    model = ModelBranches(block.where, settings, np.arange(len(training)) >= n)
    ends = model.follow(block.changes, n_jobs)
    bias = np.column_stack([one.bias for one in ends])
    moved = [
        changes_of(one, subproblem.rows, len(training))
        for one, subproblem in zip(ends, model.subproblems, strict=True)
    ]
    # All rows at once; those of a path are the training rows and its own.
    before = model.values(training.X)
    values = model.values_after(training.X, before, moved, bias)
    score = np.full((count, len(training)), -np.inf)
    for s, subproblem in enumerate(model.subproblems):
        for label, sign in zip(subproblem.pair, (1.0, -1.0), strict=True):
            own = training.labels == label
            score[:, own] = np.maximum(score[:, own], 1.0 - sign * values[:, own, s])
    return score[np.arange(count), block.own], score[:, :n]
