"""Tubes without width: the two forms in which their rows can stand.

A row whose epsilon is zero has a knot of no height at zero. Where it stays zero on a path the knot
is merged away; where it opens or closes on the way the knot is needed. The solution is the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weightpath.engine import State
from weightpath.estimators.parts import Part
from weightpath.problems import Staircase, tube_staircase

__all__ = ["stand_as", "stands_merged"]

# A coefficient within this part of the largest knot of zero is zero.
_ZERO = 1e-12


def stands_merged(part: Part) -> np.ndarray:
    """Return which rows have their knot at zero merged away."""
    return part.reading.sign == 0


def stand_as(part: Part, merged: np.ndarray) -> Part:
    """Return the part with the knots at zero of exactly the rows in ``merged`` merged away."""
    changed = merged != stands_merged(part)
    if not changed.any():
        return part
    old = part.stair
    stair = tube_staircase(old.target, old.knots[:, -1], -old.levels[:, 1], merged)
    reading = replace(part.reading, sign=np.where(merged, 0.0, 1.0))
    return replace(part, reading=reading, stair=stair, state=restand(stair, part.state, changed))


def restand(stair: Staircase, state: State, changed: np.ndarray) -> State:
    """Return the same solution, where the staircases of some rows have another form.

    Rows whose knot at zero has gone are free there; free rows whose coefficient is zero stand at
    a knot that has come.
    """
    knots, beta = stair.knots[changed], state.beta[changed]
    slack = _ZERO * max(stair.knot_scale(), float(np.abs(state.beta).max(initial=0.0)))
    nearest = np.abs(knots - beta[:, None]).argmin(axis=1)
    bound = state.position[changed] % 2 == 1
    at_bound = bound & (np.abs(np.abs(beta) - knots[:, -1]) <= slack)
    at_zero = (np.abs(beta) <= slack) & (knots == 0.0).any(axis=1)
    at = at_bound | at_zero
    beta = np.where(at, knots[np.arange(len(beta)), nearest], beta)
    # A free row that rounding has put on a bound, or beyond, is in the interval before it.
    last = (knots < knots[:, -1:]).sum(axis=1)
    interval = np.clip((knots < beta[:, None]).sum(axis=1), 1, np.maximum(last, 1))
    position = np.where(at, 2 * nearest + 1, 2 * interval)
    return _placed(state, changed, beta, position)


def _placed(state: State, changed: np.ndarray, beta, position) -> State:
    """Return the state with other coefficients and positions of some rows."""
    beta_all, position_all = state.beta.copy(), state.position.copy()
    beta_all[changed], position_all[changed] = beta, position
    free = position_all % 2 == 0
    margin = state.margin[free[state.margin]]
    entering = np.setdiff1d(np.flatnonzero(free), margin)
    return State(
        beta_all,
        state.bias,
        position_all.astype(np.int32),
        state.residual,
        np.append(margin, entering).astype(np.intp),
    )
