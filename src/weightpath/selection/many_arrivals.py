"""One row added on each of many paths: all of a block are there, without a weight, at the start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.input_data import check_arrivals
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import Arrivals, Fitted
from weightpath.selection.kernel_branches import Changes

__all__ = ["ArrivalBlock", "arrival_blocks"]

# Rows of one block, as a part of the training rows, and at least. They take up room in every pass
# over the rows, and every block has to be set up.
_PART = 4
_LEAST = 16


class ArrivalBlock(NamedTuple):
    """Some of the paths on which a row is added.

    Attributes
    ----------
    where : Fitted
        Where the model is, with all rows of the block at zero weight.
    changes : Changes
        What changes on each path: the weight of its own row.
    own : ndarray of int
        The own row of each path.
    """

    where: Fitted
    changes: Changes
    own: NDArray[np.intp]


def arrival_blocks(
    model: PathEstimator, where: Fitted, X: Any, y: Any, alone: bool = False
) -> Iterator[ArrivalBlock]:
    """Yield the paths on which a row is added, block by block.

    Parameters
    ----------
    model : PathEstimator
        The model.
    where : Fitted
        Where it is.
    X, y : array-like
        The new rows, as ``add`` takes each of them, and their labels or targets.
    alone : bool, default=False
        Whether each path has a block of its own.
    """
    if any(one.columns is None or one.columns.is_suspect for one in where.subproblems):
        # A copy of a model, from a file perhaps, has none.
        where = where.with_columns(model.cache_size)
    training, n = where.training, len(where.training)
    X = check_arrivals(model, training, X)
    size = max(_LEAST, n // _PART)
    if alone or training.is_precomputed:
        # The kernel values of one new row with another are not known.
        size = 1
    y = None if y is None else np.asarray(y)
    if y is not None and y.shape != (X.shape[0],):
        raise ValueError(f"y_new has shape {y.shape}, expected ({X.shape[0]},): one per path.")
    problem: Any = where.problem
    for first in range(0, X.shape[0], size):
        rows = slice(first, first + size)
        arrivals = problem.arrivals(where, X[rows], None if y is None else y[rows], {})
        yield _block(problem, where, arrivals, n)


def _block(problem: KernelProblem, where: Fitted, arrivals: Arrivals, n: int) -> ArrivalBlock:
    larger = problem.enlarged(where, arrivals, keep=True)
    count = len(arrivals.labels)
    own = n + np.arange(count)
    offset = np.arange(count + 1, dtype=np.intp)
    weight = arrivals.quantities["weight"]
    changes = Changes(offset, own, {"weight": weight})
    for k in range(count):
        problem.check(changes.quantities_of(k, larger.quantities), larger.training.labels)
    if problem.removal_concerns == "staircases":
        changes = _rebalanced(problem, larger, changes, n)
    return ArrivalBlock(larger, changes, own)


def _rebalanced(problem: KernelProblem, larger: Fitted, changes: Changes, n: int) -> Changes:
    """Return what changes where the weights of classes are balanced: mostly all weights."""
    instances, values, problems = [], [], []
    for k in range(len(changes)):
        there = np.append(np.arange(n), n + k)
        quantities = changes.quantities_of(k, larger.quantities)
        own = {name: numbers[there] for name, numbers in quantities.items()}
        after, own = problem.rebalanced(larger.training.labels[there], own)
        instances.append(there)
        values.append(own["weight"])
        problems.append(after)
    offset = np.arange(len(changes) + 1, dtype=np.intp) * (n + 1)
    weight = np.concatenate(values)
    return Changes(offset, np.concatenate(instances), {"weight": weight}, tuple(problems))
