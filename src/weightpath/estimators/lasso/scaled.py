r"""A path of the lasso with features scaled to similar size, where it fails as they are.

With factors :math:`d_j` the features :math:`d_j x_j` have the coefficients :math:`\beta_j / d_j`
and the penalties :math:`d_j \lambda_j`. Tolerances of the engine are relative to the largest
correlation of a feature with the targets, beside which those of tiny features are lost. Powers of
two round nothing, so that the path of the scaled features is a path of the given ones.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options, State, follow, solve
from weightpath.engine.trace import Trace
from weightpath.estimators.lasso.features import FeatureData
from weightpath.estimators.subproblem import Subproblem
from weightpath.problems import Staircase

__all__ = ["follow_scaled"]

Reals = NDArray[np.float64]


def follow_scaled(
    data: FeatureData, start: Subproblem, end: Staircase, options: Options, cache_mb: float
) -> tuple[Subproblem, Trace]:
    """Follow a path with scaled features; return the subproblem at its end and the trace.

    Parameters
    ----------
    data : FeatureData
        The training data, weighted and centred.
    start : Subproblem
        Where the path begins.
    end : Staircase
        The problem at its end.
    options : Options
        How paths are followed, without a ridge.
    cache_mb : float
        Memory for products of features.
    """
    size = np.abs(data.rows).max(axis=1, initial=0.0)
    factor = np.exp2(-np.round(np.log2(np.where(size > 0, size, 1.0))))
    scaled = copy(data)
    scaled.rows = data.rows * factor[:, None]
    columns = scaled.columns(cache_mb)
    before, after = _scaled_stair(start.stair, factor), _scaled_stair(end, factor)
    # Tiny features may not have been seen before.
    state = solve(columns, before, start.state.beta / factor, 0.0, options)
    there = follow(columns, before, after, state, options)
    member = there.record.member
    record = replace(
        there.record,
        value=there.record.value * factor[member],
        slope=there.record.slope * factor[member],
    )
    found = _scaled_state(there.state, 1.0 / factor)
    trace = Trace(record, found, there.status, {**there.counts, "scaled": 1})
    return replace(start, stair=end, state=found), trace


def _scaled_stair(stair: Staircase, factor: Reals) -> Staircase:
    levels = stair.levels * factor[:, None]
    return Staircase(stair.target * factor, stair.knots, levels, has_bias=False)


def _scaled_state(state: State, factor: Reals) -> State:
    beta, residual = state.beta / factor, state.residual * factor
    return State(beta, 0.0, state.position.copy(), residual, state.margin.copy())
