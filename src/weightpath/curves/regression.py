r"""Mean losses of regression along a path, functions of the errors :math:`e_i = y_i - f(x_i)`.

==========================  =====================================================================
"squared"                   :math:`e^2`, as :func:`sklearn.metrics.mean_squared_error`
"absolute"                  :math:`|e|`, as :func:`sklearn.metrics.mean_absolute_error`
"epsilon_insensitive"       :math:`\max(0, |e| - \epsilon)`
"pinball"                   :math:`\tau \max(0, e) + (1 - \tau) \max(0, -e)`, as
                            :func:`sklearn.metrics.mean_pinball_loss` with ``alpha`` = tau
==========================  =====================================================================

Errors are linear in theta on every segment. So the mean square is one parabola per segment, and
the others are sums of hinges :math:`\max(0, e - \epsilon)` and :math:`\max(0, -e - \epsilon)` with
kinks where :math:`|e| = \epsilon`.
"""

from __future__ import annotations

import numpy as np

from weightpath.curves.curve import Curve
from weightpath.curves.piecewise import Hinge, curve_of_hinges, merge
from weightpath.curves.sign_changes import pieces

__all__ = ["absolute_error", "epsilon_insensitive_error", "pinball_error", "squared_error"]


def squared_error(path, X, target, weight) -> Curve:
    """Weighted mean of the squared errors.

    Parameters
    ----------
    path : SolutionPath
        With one decision function, whose values are the predictions.
    X : array-like
        Validation rows.
    target : ndarray of shape (n_rows,)
        True values.
    weight : ndarray of shape (n_rows,)
        Costs.

    Returns
    -------
    Curve
        Of degree 2.
    """
    share = weight / weight.sum()
    starts, parabolas = [], []
    for left, _, F, F_slope in pieces(path.iter_segments(X)):
        error = target - F
        constant, quadratic = np.square(error) @ share, np.square(F_slope) @ share
        error *= F_slope
        starts.append(left)
        parabolas.append(np.column_stack((constant, -2.0 * (error @ share), quadratic)))
    edges = np.append(np.concatenate(starts), path.theta[-1])
    edges, coefficients = merge(edges, np.concatenate(parabolas))
    return Curve(edges, coefficients, "squared")


def absolute_error(path, X, target, weight) -> Curve:
    """Weighted mean of the absolute errors, of degree 1; see :func:`squared_error`."""
    return curve_of_hinges(path, X, _two_sides(target, weight), "absolute")


def epsilon_insensitive_error(path, X, target, weight, epsilon) -> Curve:
    """Weighted mean of what absolute errors exceed ``epsilon`` by; see :func:`squared_error`."""
    hinges = _two_sides(target, weight, epsilon=epsilon)
    return curve_of_hinges(path, X, hinges, "epsilon_insensitive")


def pinball_error(path, X, target, weight, quantile) -> Curve:
    """Weighted mean pinball loss, of degree 1; see :func:`squared_error`."""
    hinges = _two_sides(target, weight, above=quantile, below=1.0 - quantile)
    return curve_of_hinges(path, X, hinges, "pinball")


def _two_sides(target, weight, above=1.0, below=1.0, epsilon=0.0) -> list[Hinge]:
    """Hinges of targets above and below the prediction, with the cost of each."""
    share = weight / weight.sum()
    return [
        Hinge(-1.0, target - epsilon, above * share),
        Hinge(1.0, -target - epsilon, below * share),
    ]
