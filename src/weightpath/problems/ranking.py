r"""The weighted ranking support vector machine as a staircase (Section 5.2 of the paper).

One variable :math:`\alpha_{ij}` for each pair of documents of one query of which the first is more
relevant; the residual is :math:`r_{ij} = 1 - (f(x_i) - f(x_j))`, there is no bias, and the
staircase is that of the hinge loss with the knots :math:`0, C_{ij}`. The matrix is
:math:`D G D'` with the kernel matrix :math:`G` of the documents.
"""

from __future__ import annotations

import numpy as np

from weightpath.problems.staircase import Staircase

__all__ = ["ranking_staircase"]


def ranking_staircase(weight) -> Staircase:
    """Return the staircase of weighted preference pairs.

    Parameters
    ----------
    weight : ndarray of shape (n_pairs,)
        The ``C_ij``.
    """
    weight = np.asarray(weight, dtype=np.float64)
    zero = np.zeros_like(weight)
    knots = np.column_stack([zero, weight])
    levels = np.column_stack([zero - np.inf, zero, zero + np.inf])
    return Staircase(zero + 1.0, knots, levels, has_bias=False)
