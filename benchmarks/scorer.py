"""The judges of all competitors: optimality and objective, from data and coefficients alone.

One for each problem, the same for everybody. Plain NumPy on a kernel matrix from SciPy's distances;
of a competitor only its coefficients and its bias are read, and nothing of weightpath takes part.
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


class TubeScorer:
    """Judges solutions of weighted support vector regression on one data set.

    The natural residual again: with ``r = y - f``, ``beta + r`` is shrunk by epsilon towards zero
    and put back into its bounds. Everything is divided by the largest target.
    """

    def __init__(self, matrix, y, epsilon):
        self.matrix, self.y, self.epsilon = matrix, y, epsilon

    def violation(self, C, beta, bias) -> float:
        moved = beta + self.y - self.matrix @ beta - bias
        moved = np.sign(moved) * np.maximum(np.abs(moved) - self.epsilon, 0.0)
        worst = np.abs(beta - np.clip(moved, -C, C)).max()
        return float(max(worst, abs(beta.sum())) / np.abs(self.y).max())

    def objective(self, C, beta, bias) -> float:
        """The primal objective."""
        values = self.matrix @ beta
        loss = np.maximum(0.0, np.abs(self.y - values - bias) - self.epsilon)
        return float(0.5 * beta @ values + C @ loss)


class LassoScorer:
    """Judges coefficients of the lasso: how far the residual's correlations are from optimal.

    In units of the penalty at which all coefficients vanish.
    """

    def __init__(self, X, y):
        self.X, self.y = X, y
        self.largest = float(np.abs(X.T @ y).max() / len(y))

    def violation(self, alpha, coef) -> float:
        correlation = self.X.T @ (self.y - self.X @ coef) / len(self.y)
        used = coef != 0.0
        wrong = np.where(
            used,
            np.abs(correlation - alpha * np.sign(coef)),
            np.maximum(np.abs(correlation) - alpha, 0.0),
        )
        return float(wrong.max() / self.largest)

    def objective(self, alpha, coef) -> float:
        """The objective, as scikit-learn writes it."""
        residual = self.y - self.X @ coef
        return float(residual @ residual / (2 * len(self.y)) + alpha * np.abs(coef).sum())
