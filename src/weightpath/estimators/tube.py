"""Tubes without width: the two forms in which their rows can stand.

A row whose epsilon is zero has a knot of no height at zero. Where it stays zero on a path the knot
is merged away; where it opens or closes on the way the knot is needed. The solution is the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import State, kappa_of
from weightpath.estimators.subproblem import Subproblem
from weightpath.problems import Staircase, tube_staircase
from weightpath.problems.position import at_knot, free_in, is_at_knot, is_free
from weightpath.problems.scales import nearest_knots, residual_tolerance

__all__ = ["stand_as", "stands_merged"]


def stands_merged(subproblem: Subproblem) -> NDArray[np.bool_]:
    """Return which rows have their knot at zero merged away."""
    merged: NDArray[np.bool_] = subproblem.reading.sign == 0
    return merged


def stand_as(subproblem: Subproblem, merged: NDArray[np.bool_]) -> Subproblem:
    """Return a subproblem with the knots at zero of exactly the rows in ``merged`` merged away."""
    changed = merged != stands_merged(subproblem)
    if not changed.any():
        return subproblem
    old = subproblem.stair
    stair = tube_staircase(old.target, old.knots[:, -1], -old.levels[:, 1], merged)
    reading = replace(subproblem.reading, sign=np.where(merged, 0.0, 1.0))
    state = restand(stair, subproblem.state, changed, kappa_of(subproblem.columns))
    return replace(subproblem, reading=reading, stair=stair, state=state)


def restand(
    stair: Staircase, state: State, changed: NDArray[np.bool_], kappa: NDArray[np.float64]
) -> State:
    """Return the same solution, where the staircases of some rows have another form.

    Rows whose knot at zero has gone are free there; free rows whose coefficient is zero stand at
    a knot that has come.
    """
    knots, beta = stair.knots[changed], state.beta[changed]
    scale = stair.residual_scale
    tolerance = state.tolerance or residual_tolerance(scale, kappa, state.beta)
    near, nearest = nearest_knots(knots, beta, kappa[changed], tolerance)
    at_nearest = knots[np.arange(len(beta)), nearest]
    at = near & (is_at_knot(state.position[changed]) | (at_nearest == 0.0))
    beta = np.where(at, at_nearest, beta)
    # A free row that rounding has put on a bound, or beyond, is in the interval before it.
    last = (knots < knots[:, -1:]).sum(axis=1)
    interval = np.clip((knots < beta[:, None]).sum(axis=1), 1, np.maximum(last, 1))
    position = np.where(at, at_knot(nearest), free_in(interval))
    return _placed(state, changed, beta, position)


def _placed(
    state: State,
    changed: NDArray[np.bool_],
    beta: NDArray[np.float64],
    position: NDArray[np.integer[Any]],
) -> State:
    """Return the state with other coefficients and positions of some rows."""
    beta_all, position_all = state.beta.copy(), state.position.copy()
    beta_all[changed], position_all[changed] = beta, position
    free = is_free(position_all)
    margin = state.margin[free[state.margin]]
    entering = np.setdiff1d(np.flatnonzero(free), margin)
    return State(
        beta_all,
        state.bias,
        position_all.astype(np.int32),
        state.residual,
        np.append(margin, entering).astype(np.intp),
        state.tolerance,
    )
