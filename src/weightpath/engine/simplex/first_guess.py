r"""A basis to start from, by HiGHS through SciPy.

The staircase of a row is a sum of pieces, :math:`r_i = s_{i1} - u_{i0} + u_{i1} + \dots`, each with
the slope of the loss as its cost, so that the multipliers of the rows are their coefficients
:math:`\beta`. What HiGHS returns is good to its tolerances. Only the sets are taken from it: which
columns have a coefficient, and which rows are at a level; the simplex method of this package
makes an exact solution of them, whatever they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity

from weightpath.engine.simplex.design import Design
from weightpath.problems.program import Program

__all__ = ["guess_sets"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# How close to a bound an answer of HiGHS counts as being at it, in units.
CLOSE = 1e-7


def guess_sets(design: Design, program: Program) -> tuple[Index, Index, Index] | None:
    """Return the rows and the columns of a basis; ``None`` if none was found.

    Parameters
    ----------
    design : Design
    program : Program

    Returns
    -------
    rows, columns : ndarray of int
        Rows at a level and columns with a coefficient, one fewer; their core is square.
    interval : ndarray of int
        The interval of knots that each of these rows is free in.
    """
    stair = program.stair
    weighty = np.flatnonzero(stair.knots[:, -1] > stair.knots[:, 0])
    scale, penalty = stair.residual_scale or 1.0, program.penalty / design.scale
    matrix = design.matrix[weighty]
    found = _solved(matrix, penalty, stair.rows(weighty), scale)
    if found is None or not found.success:
        return None
    p, n = len(penalty), len(weighty)
    w, bias = found.x[:p] - found.x[p : 2 * p], found.x[2 * p]
    beta, residual = found.eqlin.marginals, stair.target[weighty] / scale - matrix @ w - bias
    knots = stair.knots[weighty]
    width = (knots[:, -1] - knots[:, 0])[:, None]
    free = (np.abs(knots - beta[:, None]) > CLOSE * width).all(axis=1)
    inner = stair.levels[weighty, 1 : stair.n_knots] / scale
    apart = np.abs(inner - residual[:, None])
    at_level = (apart <= CLOSE).any(axis=1)
    used = np.abs(w) > CLOSE
    at_penalty = np.abs(matrix.T @ beta) >= (1.0 - CLOSE) * penalty
    rows, columns = np.flatnonzero(free & at_level), np.flatnonzero(used)
    ones = np.ones((n, 1))
    if len(rows) <= len(columns):
        table = np.hstack([ones, _dense(matrix[:, columns])])
        more = np.setdiff1d(np.flatnonzero(at_level), rows)
        rows = _completed(table, rows, more, len(columns) + 1)
    elif len(rows) > len(columns) + 1:
        table = _dense(matrix[rows]).T
        more = np.setdiff1d(np.flatnonzero(at_penalty), columns)
        columns = _completed(table, columns, more, len(rows) - 1, np.ones((1, len(rows))))
    if len(rows) != len(columns) + 1:
        return None
    return weighty[rows], columns, 1 + apart[rows].argmin(axis=1)


def _solved(matrix: Any, penalty: Reals, stair: Any, scale: float) -> Any:
    """Return what HiGHS says to the program of some rows, residuals in units of ``scale``."""
    n, p = matrix.shape
    own, eye = csr_matrix(matrix), identity(n, format="csr")
    pieces = stair.n_knots
    ones = csr_matrix(np.ones((n, 1)))
    equations = hstack([own, -own, ones, -eye, *[eye] * (pieces - 1)], format="csr")
    costs = [penalty, penalty, [0.0], -stair.knots[:, 0]]
    upper: list[Reals] = [np.full(2 * p + 1 + n, np.inf)]
    for q in range(1, pieces):
        costs.append(stair.knots[:, q])
        upper.append((stair.levels[:, q + 1] - stair.levels[:, q]) / scale)
    lower = np.zeros(2 * p + 1 + pieces * n)
    lower[2 * p] = -np.inf
    right = (stair.target - stair.levels[:, 1]) / scale
    bounds = np.column_stack([lower, np.concatenate(upper)])
    try:
        return linprog(
            np.concatenate(costs), A_eq=equations, b_eq=right, bounds=bounds, method="highs"
        )
    except (ArithmeticError, ValueError):
        return None


def _completed(
    table: Reals, chosen: Index, more: Index, wanted: int, given: Reals | None = None
) -> Index:
    """Return rows of a table, with more of them until there are enough independent ones.

    ``given`` are further rows that are there in any case.
    """
    there = table[chosen] if given is None else np.vstack([given, table[chosen]])
    missing = wanted - len(chosen)
    if missing <= 0 or len(more) < missing:
        return chosen
    basis = qr(there.T, mode="economic")[0] if len(there) else np.zeros((table.shape[1], 0))
    rest = table[more] - (table[more] @ basis) @ basis.T
    order = qr(rest.T, mode="r", pivoting=True)[1]
    return np.concatenate([chosen, more[order[:missing]]])


def _dense(matrix: Any) -> Reals:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
