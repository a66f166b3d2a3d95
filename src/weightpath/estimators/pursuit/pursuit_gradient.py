r"""Gradients of basis pursuit: nothing by weights, least squares of the features in use by ``y``.

The coefficients in use are :math:`x_A = \Phi_A^+ y`, without the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

from weightpath import tolerances
from weightpath.estimators.gradient import Gradient
from weightpath.estimators.pursuit.pursued import Pursued
from weightpath.estimators.user_warnings import warn_breakpoint

__all__ = ["pursuit_gradient"]


def pursuit_gradient(here: Pursued, X: Any, cotangent: NDArray[np.float64]) -> Gradient:
    """Return the derivatives of ``cotangent @ X @ coef``.

    Parameters
    ----------
    here : Pursued
        Where the model is.
    X : ndarray or CSR matrix
        Rows, checked.
    cotangent : ndarray of shape (n,)
        What a change of each value costs.
    """
    matrix, weight, solved = here.program.matrix, here.weight, here.solved
    used = np.flatnonzero(solved.coef)
    cost = np.asarray(cotangent @ X[:, used]).ravel()
    # The least solution of Phi_A' u = c is the transposed pseudo-inverse times c.
    by_y = lstsq(matrix[:, used].T, cost)[0] if used.size else np.zeros(matrix.shape[0])
    unused = np.setdiff1d(np.arange(len(weight)), used)
    sums = np.abs(matrix[:, unused].T @ solved.dual)
    rows, sides = unused[sums >= (1.0 - tolerances.RESIDUAL) * weight[unused]], []
    if used.size < np.linalg.matrix_rank(matrix):
        sides.append("y")
    if rows.size:
        sides.append("penalty_weight")
    gradient = Gradient({"penalty_weight": np.zeros(len(weight)), "y": by_y}, rows, tuple(sides))
    if sides:
        warn_breakpoint(gradient.one_sided, rows)
    return gradient
