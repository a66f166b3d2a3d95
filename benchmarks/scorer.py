"""The one judge of all competitors: optimality and objective, from data and coefficients alone.

Plain NumPy on a kernel matrix from SciPy's distances; of a competitor only its coefficients and its
bias are read, and nothing of weightpath takes part.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist


class Scorer:
    """Judges solutions of the weighted support vector machine on one data set."""

    def __init__(self, X, y, gamma):
        self.y = y.astype(float)
        self.matrix = np.exp(-gamma * cdist(X, X, "sqeuclidean"))

    def violation(self, C, beta, bias) -> float:
        """How far a point is from optimal.

        The natural residual: with ``r = y - f`` the optimality conditions say that ``beta``, moved
        by ``r`` and put back into its bounds, stays where it is. Its largest entry is, for each
        instance, the smaller of its distance from a bound and of its error on the margin. The sum
        of ``beta``, which has to be zero, counts too.
        """
        residual = self.y - self.matrix @ beta - bias
        low, high = np.where(self.y > 0, 0.0, -C), np.where(self.y > 0, C, 0.0)
        moved = np.clip(beta + residual, low, high)
        return float(max(np.abs(beta - moved).max(), abs(beta.sum())))

    def objective(self, C, beta, bias) -> float:
        """The primal objective."""
        values = self.matrix @ beta
        loss = np.maximum(0.0, 1.0 - self.y * (values + bias))
        return float(0.5 * beta @ values + C @ loss)
