r"""Any staircase problem by an interior point method (Clarabel).

The problem

.. math:: \min_\beta \tfrac12\beta'K\beta - t'\beta + \sum_i h_i(\beta_i), \qquad 1'\beta = e,

is a quadratic program: :math:`h_i` is a bound where the outer level is infinite, a linear term
where one level is finite, and a variable above all its lines where several are. With
:math:`K = LL'` the quadratic term is :math:`\tfrac12 w'w`, :math:`w = L'\beta`, which interior
point methods digest far better than a dense, nearly singular ``K``. Variables whose bounds coincide
are taken out beforehand. The bias is the multiplier of the sum.

On the cases of this package ``K beta`` is good to about 1e-8. Where strict complementarity fails (a
residual at a level while the coefficient is at a knot: tiny integer problems are full of that) an
interior point method is good to the square root of its tolerance only, about 5e-6 at worst;
``violation`` tells how good an answer is.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
import scipy.sparse as sp

from judges import optimality

__all__ = ["ConicSolution", "solve"]

# The solver's tolerance, and the power of the largest bound in whose units it works, in the order
# in which they are tried until one is met. Small units stall when the bounds are far away.
ATTEMPTS = ((1e-14, 0.5), (1e-14, 1.0), (1e-12, 0.5), (1e-12, 0.0), (1e-10, 0.5))


@dataclass(frozen=True)
class ConicSolution:
    """What the interior point method found.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        The coefficients; not unique where ``K`` is singular.
    bias : float
        One of the optimal biases; 0 without a bias.
    values : ndarray of shape (n,)
        ``K @ beta``, which is unique.
    value : float
        The optimal value.
    status : str
        Clarabel's status; ``"Solved"`` is the good one.
    violation : float
        Distance from optimality, in units of the residual.
    """

    beta: np.ndarray
    bias: float
    values: np.ndarray
    value: float
    status: str
    violation: float

    @property
    def solved(self) -> bool:
        """Whether the tolerance was met."""
        return self.status == "Solved"


def solve(K, staircase) -> ConicSolution:
    """Solve a staircase problem.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix, positive semidefinite.
    staircase : Staircase
        The problem.
    """
    K = np.asarray(K, dtype=np.float64)
    best = None
    for tol, power in ATTEMPTS:
        found = attempt(K, staircase, tol, power)
        if best is None or found.violation < best.violation:
            best = found
        if found.solved or found.status == "PrimalInfeasible":
            return found
    return best


def attempt(K, staircase, tol, power) -> ConicSolution:
    """Solve with one choice of tolerance and units."""
    low, high = bounds(staircase)
    fixed = low == high
    beta = np.where(fixed, low, 0.0)
    total = staircase.total - beta.sum()
    free = np.flatnonzero(~fixed)
    bias, status = 0.0, "Solved"
    if free.size:
        linear = K[free] @ beta - staircase.target[free]
        unit = np.max(np.abs(staircase.knots)) ** power
        beta[free], bias, status = solve_free(
            square_root(K)[free], linear, staircase.rows(free), total, unit or 1.0, tol
        )
    elif staircase.has_bias and abs(total) > 1e-12 * max(1.0, np.abs(beta).sum()):
        status = "PrimalInfeasible"
    values = K @ beta
    value = 0.5 * beta @ values - staircase.target @ beta + penalty(staircase, beta)
    worst = optimality.violation(K, staircase, beta, bias).worst
    return ConicSolution(beta, float(bias), values, float(value), status, worst)


def square_root(K) -> np.ndarray:
    """Return ``L`` with ``L @ L.T`` equal to ``K``, as narrow as rounding allows."""
    size, direction = np.linalg.eigh(K)
    keep = size > 1e-15 * max(size[-1], 0.0)
    return direction[:, keep] * np.sqrt(size[keep])


def bounds(staircase) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds that infinite outer levels make of the outermost knots."""
    low = np.where(np.isneginf(staircase.levels[:, 0]), staircase.knots[:, 0], -np.inf)
    high = np.where(np.isposinf(staircase.levels[:, -1]), staircase.knots[:, -1], np.inf)
    return low, high


def lines_of(staircase, i) -> tuple[np.ndarray, np.ndarray]:
    """Return slopes and offsets of the lines whose maximum is ``h_i``, with ``h_i`` zero at 0.

    Neighbouring lines meet at the knot between them. Where 0 is outside the bounds, ``h_i`` is
    zero at the nearer bound instead.
    """
    levels, knots = staircase.levels[i], staircase.knots[i]
    finite = np.flatnonzero(np.isfinite(levels))
    slope = levels[finite]
    if not finite.size:
        return np.zeros(1), np.zeros(1)
    meet = knots[finite[1:] - 1]
    offset = np.concatenate([[0.0], np.cumsum((slope[:-1] - slope[1:]) * meet)])
    low, high = bounds(staircase)
    anchor = np.clip(0.0, low[i], high[i])
    return slope, offset - np.max(slope * anchor + offset)


def penalty(staircase, beta) -> float:
    """Return ``sum_i h_i(beta_i)`` inside the bounds."""
    value = 0.0
    for i in range(len(staircase)):
        slope, offset = lines_of(staircase, i)
        value += np.max(slope * beta[i] + offset)
    return float(value)


def solve_free(root, linear, staircase, total, unit, tol):
    """Solve for variables that have room to move; return ``beta``, ``bias`` and the status.

    The unknowns are ``beta / unit``, ``w / sqrt(unit)`` and one variable above each ``h_i / unit``
    that has several lines; the objective is divided by ``unit``.
    """
    n, rank = root.shape
    low, high = bounds(staircase)
    cost = linear.copy()
    rows = Rows()
    if staircase.has_bias:
        rows.add(range(n), np.ones(n), total / unit)
    for k in range(rank):
        rows.add([*range(n), n + k], [*(-np.sqrt(unit) * root[:, k]), 1.0], 0.0)
    n_equal = len(rows)
    n_columns = n + rank
    for i in range(n):
        if np.isfinite(high[i]):
            rows.add([i], [1.0], high[i] / unit)
        if np.isfinite(low[i]):
            rows.add([i], [-1.0], -low[i] / unit)
        slope, offset = lines_of(staircase, i)
        if slope.size == 1:
            cost[i] += slope[0]
            continue
        for s, c in zip(slope, offset, strict=True):
            rows.add([i, n_columns], [s, -1.0], -c / unit)
        n_columns += 1
    n_above = n_columns - n - rank
    curved = np.concatenate([np.zeros(n), np.ones(rank), np.zeros(n_above)])
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(curved)),
        np.concatenate([cost, np.zeros(rank), np.ones(n_above)]),
        rows.matrix(n_columns),
        np.array(rows.right),
        [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(len(rows) - n_equal)],
        settings(tol),
    ).solve()
    bias = solution.z[0] if staircase.has_bias else 0.0
    return unit * np.array(solution.x)[:n], bias, str(solution.status)


class Rows:
    """Rows of a sparse constraint matrix, with their right-hand sides."""

    def __init__(self):
        self.right = []
        self.entries = ([], [], [])

    def __len__(self):
        return len(self.right)

    def add(self, columns, values, right):
        """Append one row."""
        for column, value in zip(columns, values, strict=True):
            for store, item in zip(self.entries, (value, len(self.right), column), strict=True):
                store.append(item)
        self.right.append(right)

    def matrix(self, n_columns):
        """Return the rows as one sparse matrix."""
        value, row, column = self.entries
        return sp.csc_matrix((value, (row, column)), shape=(len(self.right), n_columns))


def settings(tol):
    """Return tight settings for one thread."""
    chosen = clarabel.DefaultSettings()
    chosen.verbose = False
    chosen.tol_gap_abs = chosen.tol_gap_rel = chosen.tol_feas = tol
    chosen.max_iter = 300
    chosen.max_threads = 1
    return chosen
