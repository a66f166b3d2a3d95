"""The path on which one new row gets a given coefficient, node by node, from its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.conformal.forced import predictions
from weightpath.engine import COMPLETE, Options, follow
from weightpath.errors import Advice, PathError
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.training_set import TrainingSet
from weightpath.problems import Staircase
from weightpath.problems.position import is_at_knot, knot_of, sort_out_equal_knots
from weightpath.record import Record
from weightpath.selection.kernel_branches import where_is
from weightpath.selection.many_arrivals import arrival_blocks

__all__ = ["ForcedNodes", "forced_nodes"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ForcedNodes:
    """The path on which one new row gets a given coefficient, node by node.

    Between two nodes everything is a straight line. Where the bias jumps, two nodes differ in it
    alone.

    Attributes
    ----------
    own : ndarray of shape (k,)
        The value of the function at the new row.
    residual : ndarray of shape (k, n)
        The residuals of the training rows.
    """

    own: Reals
    residual: Reals


def forced_nodes(model: PathEstimator, X: Any, levels: Sequence[float]) -> list[ForcedNodes]:
    """Follow the paths on which one new row gets each of some coefficients.

    Parameters
    ----------
    model, X
        As of :func:`~weightpath.conformal.forced.forced_ends`, for one row.
    levels : sequence of float
        The coefficients.
    """
    where = where_is(model)
    n = len(where.training)
    (block,) = arrival_blocks(model, where, X, predictions(model, X), alone=True)
    training, quantities = block.where.training, block.where.quantities
    problem: Any = block.where.problem
    subproblem = problem.prepared(block.where.subproblems[0], quantities, quantities)
    stair, state = subproblem.stair, subproblem.state
    position = sort_out_equal_knots(stair, state.position, state.residual)
    state, found = replace(state, position=position), []
    options = Options(max_events=int(model.max_events))
    for level in levels:
        knots = stair.knots.copy()
        knots[n] = level
        end = Staircase.of_own(stair.target, knots, stair.levels, stair.total, stair.has_bias)
        trace = follow(subproblem.columns, stair, end, state, options)
        if trace.status != COMPLETE:
            raise PathError(
                trace.status.message,
                advice=Advice("Raise {max_events}.", {"max_events": options.max_events}),
            )
        rows, beta, bias = _edges(trace.record, stair.knots, n, level)
        change = beta - state.beta[rows]
        columns = _columns_of(training, rows)
        residual = state.residual - change @ columns.T - (bias - state.bias)[:, None]
        found.append(ForcedNodes(stair.target[n] - residual[:, n], residual[:, :n]))
    return found


def _columns_of(training: TrainingSet, rows: NDArray[np.intp]) -> Reals:
    """Return kernel values of all rows with some of them: (n, k)."""
    if training.is_precomputed:
        return np.asarray(training.X)[:, rows]
    values: Reals = training.kernel.between(training.X, training.X[rows])
    return values


def _edges(
    record: Record, knots: Reals, new: int, level: float
) -> tuple[NDArray[np.intp], Reals, Reals]:
    """Return which rows move, their coefficients and the bias at both edges of all segments."""
    rows = np.unique(np.concatenate([record.event_index, record.member, [new]])).astype(np.intp)
    place = np.empty(len(knots), dtype=np.intp)
    place[rows] = np.arange(rows.size)
    position = np.repeat(record.initial_position[None, rows], len(record), axis=0)
    first = np.searchsorted(record.event_count, np.arange(record.n_events), side="right")
    changes = zip(first, place[record.event_index], record.event_to, strict=True)
    for segment, column, to in changes:
        position[segment:, column] = to
    knot = np.where(is_at_knot(position), knot_of(position), 0)
    beta = np.repeat(knots[rows, knot][:, None], 2, axis=1)
    beta[:, :, place[new]] = level * np.stack([record.theta[:-1], record.theta[1:]], axis=1)
    length = record.lengths()
    segment, member = record.segment_of_entry, place[record.member]
    beta[segment, 0, member] = record.value
    beta[segment, 1, member] = record.value + length[segment] * record.slope
    bias = np.stack([record.bias, record.bias + length * record.bias_slope], axis=1)
    return rows, beta.reshape(-1, rows.size), bias.ravel()
