"""Weighted counts of rows by true and predicted class, exact along a path.

A predicted class changes at single theta only, so counts are constant between these. A weight is
split into whole numbers of 32 bits, and those are added. So sums are exact and depend only on which
rows are counted, not on the changes before; they are rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.labels import LabelChanges, label_changes
from weightpath.curves.steps import RESOLUTION, step_curve, step_numbers
from weightpath.metrics.validation import ValidationRows

__all__ = ["count_at", "curve_of_counts"]

# Bits of a weight that are added as one whole number: sums over two billion rows fit into 64 bits.
LIMB = 32

# So many times that many bits reach from the largest weight down; what is smaller vanishes.
MOST_LIMBS = 8

# Numbers in a table of counts after every change, so that it stays small.
TABLE = 1 << 20


class _Weights:
    """Weights as whole numbers: ``weight = sum_k limbs[k] * 2 ** (exponent - LIMB * (k + 1))``."""

    def __init__(self, weight: NDArray[np.float64]):
        self.exponent = int(np.frexp(weight.max())[1])
        rest = np.ldexp(weight, -self.exponent)
        self.limbs: list[NDArray[np.int64]] = []
        while rest.any() and len(self.limbs) < MOST_LIMBS:
            rest = np.ldexp(rest, LIMB)
            whole = np.floor(rest)
            self.limbs.append(whole.astype(np.int64))
            rest -= whole

    def sums(self, totals: list[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Return sums of weights from those of their limbs."""
        value = np.zeros(totals[0].shape)
        for k in reversed(range(len(totals))):
            value += np.ldexp(totals[k].astype(float), self.exponent - LIMB * (k + 1))
        return value


def count_at(
    rows: ValidationRows, predicted: NDArray[np.intp], code: NDArray[np.intp], n_codes: int
) -> NDArray[np.float64]:
    """Return the weight of the rows of every code in every predicted class.

    Parameters
    ----------
    rows : ValidationRows
        Of a classifier.
    predicted : ndarray of int, shape (n_rows,)
        Index of the predicted class.
    code : ndarray of int, shape (n_rows,)
        A further distinction of rows, such as their true class.
    n_codes : int
        Number of codes.

    Returns
    -------
    ndarray of shape (n_codes, n_classes)
    """
    n_classes = rows.outputs.n_classes
    weights = _Weights(rows.weight)
    start = _initial(weights, code * n_classes + predicted, n_codes * n_classes)
    return weights.sums(start).reshape(n_codes, n_classes)


def curve_of_counts(
    path: DecisionPath,
    rows: ValidationRows,
    code: NDArray[np.intp],
    n_codes: int,
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Curve:
    """A function of the counts along a path.

    Parameters
    ----------
    path : DecisionPath
        Of a classifier.
    rows, code, n_codes
        As for :func:`count_at`.
    function : callable
        From counts of shape (n_steps, n_codes, n_classes) to values of shape (n_steps,).

    Returns
    -------
    Curve
        Of degree 0.
    """
    n_classes = rows.outputs.n_classes
    start, stop = float(path.theta[0]), float(path.theta[-1])
    outputs = rows.outputs
    changes = label_changes(path, rows.X, n_classes, outputs.pairs, outputs.break_ties)
    # Those of rows with weight, before the end, in the order of theta.
    some = np.flatnonzero((rows.weight[changes.row] > 0) & (changes.theta < stop - RESOLUTION))
    order = some[np.argsort(changes.theta[some], kind="stable")]
    changes = LabelChanges(
        changes.initial,
        changes.theta[order],
        changes.row[order],
        changes.before[order],
        changes.after[order],
    )
    number = step_numbers(start, changes.theta)
    n_steps = int(number[-1]) + 1 if number.size else 1
    theta = np.full(n_steps, start)
    # The first of the changes that are one step; those within the resolution of the start are none.
    theta[1:] = changes.theta[np.searchsorted(number, np.arange(1, n_steps))]
    values = []
    for counts in _blocks(changes, number, n_steps, rows.weight, code, n_codes, n_classes):
        values.append(function(counts.reshape(-1, n_codes, n_classes)))
    return step_curve(theta, np.concatenate(values), stop)


def _blocks(
    changes: LabelChanges,
    number: NDArray[np.intp],
    n_steps: int,
    weight: NDArray[np.float64],
    code: NDArray[np.intp],
    n_codes: int,
    n_classes: int,
) -> Iterator[NDArray[np.float64]]:
    """Yield the counts of consecutive steps, as rows of tables."""
    weights = _Weights(weight)
    n_cells = n_codes * n_classes
    state = _initial(weights, code * n_classes + changes.initial, n_cells)
    old = code[changes.row] * n_classes + changes.before
    new = code[changes.row] * n_classes + changes.after
    together = max(1, TABLE // n_cells)
    for begin in range(0, n_steps, together):
        end = min(begin + together, n_steps)
        some = slice(*np.searchsorted(number, (begin, end)))
        step, moved = number[some] - begin, changes.row[some]
        tables = []
        for k, limb in enumerate(weights.limbs):
            table = np.zeros((end - begin, n_cells), dtype=np.int64)
            np.add.at(table, (step, old[some]), -limb[moved])
            np.add.at(table, (step, new[some]), limb[moved])
            np.cumsum(table, axis=0, out=table)
            table += state[k]
            state[k] = table[-1].copy()
            tables.append(table)
        yield weights.sums(tables)


def _initial(weights: _Weights, cell: NDArray[np.intp], n_cells: int) -> list[NDArray[np.int64]]:
    """Return the sums of every limb in every cell."""
    found = []
    for limb in weights.limbs:
        total = np.zeros(n_cells, dtype=np.int64)
        np.add.at(total, cell, limb)
        found.append(total)
    return found
