"""Reference solutions by an interior point method, in the units of the residuals.

They need not be exact: they tell how large the terms of the residuals are at a solution.
"""

from __future__ import annotations

import clarabel
import numpy as np
import scipy.sparse as sp

from campaign.judge import judge
from campaign.stairs import between

__all__ = ["largest_floor", "reference"]

# Where on a path references are made; refusals come from its ends more often than from elsewhere.
THETAS = (0.0, 1.0, 0.5, 0.1, 0.9, 1e-3, 1 - 1e-3, 1e-6, 1 - 1e-6)

# A reference this far from optimal still has terms of the right size.
GOOD_ENOUGH = 1e-3

# Bounds beyond this, in units of the residuals, are as good as none: a coefficient there would be
# far beyond double precision.
FAR = 1e13

TOLERANCES = (1e-12, 1e-10, 1e-8)


def largest_floor(matrix, start, end) -> float:
    """Return the largest relative rounding floor of references along a path."""
    worst = 0.0
    for theta in THETAS if end is not start else (0.0,):
        stairs = between(start, end, theta)
        found = reference(matrix, stairs)
        if found is not None:
            worst = max(worst, judge(matrix, stairs, *found).floor)
    return worst


def reference(matrix, stairs):
    """Return coefficients and bias close to a solution, or None if the solver found none."""
    best, distance = None, GOOD_ENOUGH
    for tolerance in TOLERANCES:
        found = solve(matrix, stairs, tolerance)
        if found is None:
            continue
        verdict = judge(matrix, stairs, *found)
        if verdict.distance < distance:
            best, distance = found, verdict.distance
        if distance < 1e-6:
            break
    return best


def solve(matrix, stairs, tolerance):
    """Solve min 1/2 b'Kb - t'b + sum_i h_i(b_i) with b in units of residual scale / largest K."""
    K = matrix.K.astype(np.float64)
    largest = float(matrix.diagonal.max(initial=0.0))
    if largest <= 0 or not np.isfinite(K).all():
        return None
    live = np.flatnonzero((stairs.bound > 0).astype(bool))
    knots = stairs.knots.astype(np.float64)[live]
    scale = stairs.scale() or largest * abs(float(stairs.total)) / max(len(live), 1)
    if scale <= 0 or live.size == 0:
        return None
    unit = scale / largest
    values, directions = np.linalg.eigh(K[np.ix_(live, live)] / largest)
    keep = values > 1e-15 * values[-1]
    root = directions[:, keep] * np.sqrt(values[keep])
    target = (stairs.target[live] / scale).astype(np.float64)
    levels = (stairs.levels[live] / scale).astype(np.float64)
    total = float(stairs.total) / unit
    found = quadratic_program(
        root, target, knots / unit, levels, total, stairs.has_bias, tolerance
    )
    if found is None:
        return None
    beta = np.zeros(len(stairs))
    low, high = outer_bounds(knots, levels)
    beta[live] = np.clip(found[0] * unit, low, high)
    return beta, found[1] * scale


def outer_bounds(knots, levels):
    """Return the bounds that infinite outer levels make of the outermost knots."""
    low = np.where(np.isneginf(levels[:, 0]), knots[:, 0], -np.inf)
    return low, np.where(np.isposinf(levels[:, -1]), knots[:, -1], np.inf)


def quadratic_program(root, target, knots, levels, total, has_bias, tolerance):
    """Write b as a sum of one variable for each finite level, between its knots; w = root' b."""
    n, rank = root.shape
    edge = np.full((n, 1), np.inf)
    ends = np.hstack([-edge, knots, edge])
    rows, cost, low, high = [], [], [], []
    base = np.clip(0.0, *outer_bounds(knots, levels))
    for j in range(levels.shape[1]):
        finite = np.isfinite(levels[:, j])
        rows.append(np.flatnonzero(finite))
        cost.append((levels[:, j] - target)[finite])
        low.append(np.minimum(ends[finite, j] - base[finite], 0.0))
        high.append(np.maximum(ends[finite, j + 1] - base[finite], 0.0))
    rows, cost = np.concatenate(rows), np.concatenate(cost)
    low = np.maximum(np.concatenate(low), -FAR)
    high = np.minimum(np.concatenate(high), FAR)
    m = len(rows)
    spread = sp.csr_matrix((np.ones(m), (rows, np.arange(m))), shape=(n, m))
    equal = [sp.hstack([sp.csr_matrix(root.T) @ spread, -sp.eye(rank)])]
    right = [-root.T @ base]
    if has_bias:
        equal.append(sp.csr_matrix(np.concatenate([np.ones(m), np.zeros(rank)])))
        right.append([total - base.sum()])
    bounded = sp.hstack([sp.vstack([sp.eye(m), -sp.eye(m)]), sp.csr_matrix((2 * m, rank))])
    A = sp.csc_matrix(sp.vstack([*equal, bounded]))
    b = np.concatenate([*right, high, -low])
    n_equal = A.shape[0] - 2 * m
    P = sp.csc_matrix(sp.diags(np.concatenate([np.zeros(m), np.ones(rank)])))
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, 200
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(2 * m)]
    q = np.concatenate([cost, np.zeros(rank)])
    solution = clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()
    x = np.array(solution.x)
    if not np.isfinite(x).all():
        return None
    bias = float(solution.z[rank]) if has_bias else 0.0
    return base + spread @ x[:m], bias
