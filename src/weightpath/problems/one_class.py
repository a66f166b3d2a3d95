r"""The weighted one-class support vector machine as a staircase.

With :math:`\beta_i = \alpha_i \in [0, w_i]`, :math:`\sum_i \alpha_i = \nu \sum_i w_i`, target zero
and bias :math:`b = -\rho`, the residual is :math:`r_i = \rho - \sum_j K_{ij}\alpha_j`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from weightpath.problems.hinge import hinge_sets
from weightpath.problems.kind import Kind, Wording, register_kind
from weightpath.problems.staircase import Staircase

__all__ = ["ONE_CLASS", "one_class_staircase"]


def one_class_staircase(weight: ArrayLike, nu: float) -> Staircase:
    """Return the staircase of the one-class problem.

    Parameters
    ----------
    weight : ndarray of shape (n,)
        The weights ``w_i``.
    nu : float
        The fraction of the weight that may lie outside.
    """
    weight = np.asarray(weight, dtype=np.float64)
    zero, infinite = np.zeros_like(weight), np.full_like(weight, np.inf)
    return Staircase.of_own(
        zero,
        np.column_stack([zero, weight]),
        np.column_stack([-infinite, zero, infinite]),
        total=float(nu * weight.sum()),
    )


ONE_CLASS = register_kind(
    Kind(
        "one-class",
        hinge_sets,
        has_targets=False,
        wording=Wording("coefficient"),
        detects=True,
    )
)
