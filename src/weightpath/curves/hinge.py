r"""The mean hinge loss along a path between two classes.

.. math:: \frac{\sum_i v_i \max(0, 1 - y_i f(x_i, \theta))}{\sum_i v_i}

as :func:`sklearn.metrics.hinge_loss`.
"""

from __future__ import annotations

import numpy as np

from weightpath.curves.curve import Curve
from weightpath.curves.piecewise import Hinge, curve_of_hinges

__all__ = ["binary_hinge"]


def binary_hinge(path, X, target, weight) -> Curve:
    """Mean hinge loss of a path between two classes.

    Parameters
    ----------
    path : SolutionPath
        With one decision function.
    X : array-like
        Validation rows.
    target : ndarray of int, shape (n_rows,)
        Index of the true class, 0 or 1.
    weight : ndarray of shape (n_rows,)
        Costs.

    Returns
    -------
    Curve
        Of degree 1.
    """
    minus_sign = np.where(target == 1, -1.0, 1.0)
    hinges = [Hinge(minus_sign, 1.0, weight / weight.sum())]
    return curve_of_hinges(path, X, hinges, "hinge")
