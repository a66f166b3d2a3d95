r"""Linear programs with staircases: machines whose coefficients pay their absolute values.

With columns :math:`\Phi` (features, or columns of a kernel matrix), find :math:`w`, :math:`b` and
:math:`\beta` with

.. math::

    r = t - \Phi w - b 1, \qquad g = \Phi'\beta, \qquad 1'\beta = 0, \qquad
    (\beta_i, r_i) \text{ on the staircase of } i,

and :math:`g_j = \lambda_j \operatorname{sign}(w_j)` where :math:`w_j \ne 0`, :math:`|g_j| \le
\lambda_j` elsewhere. These are the optimality conditions of

.. math:: \min_{w, b} \; \sum_j \lambda_j |w_j| + \sum_i h_i^*(t_i - \Phi_i w - b) ,

and the duality gap is a sum of non-negative terms, zero exactly there:

.. math::

    \sum_j (\lambda_j |w_j| - g_j w_j)
    + \sum_i \big( h_i(\beta_i) + h_i^*(r_i) - \beta_i r_i \big) .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.staircase import Staircase, mix

__all__ = ["Program"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """Staircases of rows and penalties of columns at one theta.

    Parameters
    ----------
    stair : Staircase
        Targets, knots and levels of the rows; its total is zero, and there is a bias.
    penalty : ndarray of shape (p,)
        What the absolute value of each coefficient costs, not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.problems import Program, hinge_staircase
    >>> Program(hinge_staircase(np.array([1.0, -1.0]), np.ones(2)), np.ones(3))
    <Program: 2 rows, 3 columns>
    """

    stair: Staircase
    penalty: Reals

    def __repr__(self) -> str:
        return f"<Program: {len(self.stair)} rows, {len(self.penalty)} columns>"

    def between(self, other: Program, theta: float, rest: float | None = None) -> Program:
        """Return the program at ``theta`` on the straight line from here to ``other``."""
        penalty = self.penalty
        if penalty is not other.penalty:
            penalty = mix(penalty, other.penalty, theta, rest)
        return Program(self.stair.between(other.stair, theta, rest), penalty)
