"""Resolve a tie as a problem of its own.

Where many rows meet their limits at the same theta, who changes next is told by the directions of
motion, and these solve a staircase problem too: its variables are the velocities, its staircases
the tangents at the tied positions (a knot's velocity where the row may stay at the knot, a level's
where it may be free). It is solved by the same engine, from a random shift, hence without ties.
"""

from __future__ import annotations

import numpy as np

from weightpath.engine.state import Options
from weightpath.problems import Staircase

__all__ = ["resolve_ties"]

_OUT_OF_REACH = 1e200


def _tied_chain(position, knots, levels, beta, residual, tol_beta, tol_residual):
    """Return the lowest and highest position that a row could be said to stand at."""
    n_knots = len(knots)
    low = high = position
    while high < 2 * n_knots:
        if high % 2:
            tied = levels[high // 2 + 1] - residual <= tol_residual
        else:
            tied = knots[high // 2] - beta <= tol_beta
        if not tied:
            break
        high += 1
    while low > 0:
        if low % 2:
            tied = residual - levels[low // 2] <= tol_residual
        else:
            tied = beta - knots[low // 2 - 1] <= tol_beta
        if not tied:
            break
        low -= 1
    return low, high


def _tangent(low, high, knot_speed, level_speed):
    """Return knots and levels of the tangent staircase of one row."""
    knots = [knot_speed[p // 2] for p in range(low, high + 1) if p % 2]
    levels = [level_speed[p // 2] for p in range(low, high + 1) if p % 2 == 0]
    if low % 2:
        levels = [-np.inf, *levels]
    if high % 2:
        levels = [*levels, np.inf]
    return np.maximum.accumulate(knots) if knots else [], np.maximum.accumulate(levels)


def resolve_ties(loop, options: Options, slack: float):
    """Return positions, margin and bias at this theta from which the path can leave.

    Parameters
    ----------
    loop : Loop
        A loop that stands still.
    options : Options
        How paths are followed.
    slack : float
        How many tolerances apart counts as tied.
    """
    from weightpath.engine.follow import solve
    from weightpath.kernels import Kernel

    view = loop.tie_view()
    tol_beta, tol_residual = (slack * t for t in loop.tolerance)
    position = view["position"].copy()
    chains = [
        _tied_chain(p, k, s, b, r, tol_beta, tol_residual)
        for p, k, s, b, r in zip(
            position, view["knots"], view["levels"], view["beta"], view["residual"], strict=True
        )
    ]
    rows = [i for i, (low, high) in enumerate(chains) if low != high or low % 2 == 0]
    tangents = [
        _tangent(*chains[i], view["knot_speed"][i], view["level_speed"][i]) for i in rows
    ]
    n_knots = max(1, max(len(k) for k, _ in tangents))
    knots = np.full((len(rows), n_knots), _OUT_OF_REACH)
    levels = np.full((len(rows), n_knots + 1), np.inf)
    for k, (kk, ll) in enumerate(tangents):
        knots[k, : len(kk)] = kk
        levels[k, : len(ll)] = ll
        if len(ll) < n_knots + 1:
            levels[k, len(ll) :] = ll[-1]
    tied = np.zeros(len(position), dtype=bool)
    tied[rows] = True
    moving = np.where(tied, 0.0, view["speed"])
    target = view["target_slope"][rows] - loop.columns.product(moving)[rows]
    problem = Staircase(
        target, knots, levels, view["total_slope"] - moving.sum(), view["has_bias"]
    )
    matrix = loop.columns.submatrix(np.array(rows, dtype=np.intp))
    matrix[np.diag_indices_from(matrix)] += options.ridge
    columns = Kernel("precomputed").columns(matrix, 1.0)
    inner = Options(max_events=200_000 + 100 * len(rows))
    solved = solve(columns, problem, view["speed"][rows], view["bias_slope"], inner)
    for k, i in enumerate(rows):
        position[i] = solved.position[k] + chains[i][0] - chains[i][0] % 2
    return position, np.array(rows, dtype=np.intp)[solved.margin], loop.bias
