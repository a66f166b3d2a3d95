"""The first solution of a ranking problem: coordinate descent, then made exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options, State, solve
from weightpath.engine.pair_descent import descend
from weightpath.estimators.progress import PathProgress
from weightpath.problems import ranking_staircase

__all__ = ["solve_ranking"]


def solve_ranking(columns: Any, weight: NDArray[np.float64], tol: float, verbose: int = 0) -> State:
    """Return the exact solution at some weights.

    Parameters
    ----------
    columns : PairColumns
        The pairs' matrix.
    weight : ndarray of shape (n_pairs,)
        The ``C_ij``.
    tol : float
        Tolerance of the approximate solution; the result does not depend on it.
    verbose : int, default=0
        Whether to show progress.
    """
    with PathProgress("descent", verbose, "epochs", "violation") as progress:
        coef = descend(columns, weight, tol, progress if verbose else None)
    with PathProgress("exact fit", verbose) as progress:
        options = Options(callback=progress if verbose else None)
        state: State = solve(columns, ranking_staircase(weight), coef, 0.0, options)
    return state
