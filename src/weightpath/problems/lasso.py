r"""The lasso with one penalty per feature as a staircase.

The coefficients of the features are :math:`\beta`; with :math:`K = X'X/n` and :math:`t = X'y/n` the
residual :math:`r = t - K\beta` is the correlation that is left, and it stays between the levels
:math:`-\lambda_j, \lambda_j` of the only knot, zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems.kind import Kind, Wording, register_kind
from weightpath.problems.staircase import Staircase

__all__ = ["LASSO", "lasso_staircase"]


def lasso_staircase(correlation: ArrayLike, penalty: ArrayLike) -> Staircase:
    """Return the staircase of the lasso.

    Parameters
    ----------
    correlation : ndarray of shape (n_features,)
        ``X'y / n``.
    penalty : ndarray of shape (n_features,)
        The penalty of each feature, not negative.
    """
    correlation = np.asarray(correlation, dtype=np.float64)
    penalty = np.broadcast_to(np.asarray(penalty, dtype=np.float64), correlation.shape)
    return Staircase(
        correlation,
        np.zeros((len(correlation), 1)),
        np.column_stack([-penalty, penalty]),
        has_bias=False,
    )


def _penalty(staircase: Staircase) -> NDArray[np.float64]:
    """Return the last level, the penalty of a feature."""
    return staircase.levels[:, -1].copy()


LASSO = register_kind(
    Kind(
        "lasso",
        weights=_penalty,
        rows_are="features",
        wording=Wording("coefficient", row="feature", rows="Features", margin="features in use"),
    )
)
