"""The matrix of a problem in long double, and the size of the terms that its products add up."""

from __future__ import annotations

import numpy as np

__all__ = ["FeatureMatrix", "KernelMatrix", "PairMatrix"]

WIDE = np.longdouble


class KernelMatrix:
    """A kernel matrix as it is."""

    def __init__(self, K):
        self.K = np.asarray(K, dtype=WIDE)
        self.absolute = np.abs(self.K).astype(np.float64)
        self.diagonal = np.diag(self.K).astype(np.float64)

    def product(self, beta) -> np.ndarray:
        """Return ``K beta`` in long double."""
        return self.K @ beta.astype(WIDE)

    def magnitude(self, beta) -> np.ndarray:
        """Return, for each row, the sum of the absolute terms of the product."""
        return self.absolute @ np.abs(beta)


class PairMatrix(KernelMatrix):
    """Pairs of documents: k(i, k) - k(i, l) - k(j, k) + k(j, l)."""

    def __init__(self, documents, pairs):
        K = np.asarray(documents, dtype=WIDE)
        first, second = pairs[:, 0], pairs[:, 1]
        rows = K[first] - K[second]
        super().__init__(rows[:, first] - rows[:, second])
        self._documents = np.abs(K).astype(np.float64)
        self._first, self._second = first, second

    def gather(self, beta) -> np.ndarray:
        """Return the coefficients of the documents."""
        coef = np.zeros(len(self._documents), dtype=WIDE)
        np.add.at(coef, self._first, beta.astype(WIDE))
        np.add.at(coef, self._second, -beta.astype(WIDE))
        return coef

    def magnitude(self, beta) -> np.ndarray:
        """As above; an entry is a difference of four, so the documents' terms count, too."""
        size = self._documents @ np.abs(self.gather(beta)).astype(np.float64)
        return np.maximum(super().magnitude(beta), size[self._first] + size[self._second])


class FeatureMatrix(KernelMatrix):
    """Products of features, centred if there is an intercept, and their ridge.

    Centring is a difference, too: a column whose mean is far larger than its spread carries the
    rounding of the mean.
    """

    def __init__(self, X, y, share, centred, ridge):
        X, self._share = np.asarray(X, dtype=WIDE), np.asarray(share, dtype=WIDE)
        centre = self._share @ X if centred else np.zeros(X.shape[1], dtype=WIDE)
        # A column of one value is constant, whatever its mean was rounded to.
        centre = np.where((X[0] == X).all(axis=0) & centred, X[0], centre)
        self.rows = (X - centre).T
        weighted = self.rows * self._share
        super().__init__(weighted @ self.rows.T + WIDE(ridge) * np.eye(X.shape[1]))
        self._centred, self.centre = centred, centre
        self._raw = (np.abs(X) + np.abs(centre)).astype(np.float64)
        self._target = np.abs(np.asarray(y)).max(axis=0).astype(np.float64)
        self._ridge = ridge

    def correlation(self, y) -> np.ndarray:
        """Return the correlations with targets, in long double."""
        y = np.asarray(y, dtype=WIDE)
        return (self.rows * self._share) @ (y - self.offset(y))

    def offset(self, y):
        """Return the mean that the intercept takes from the targets."""
        if not self._centred:
            return WIDE(0)
        return y[0] if (y == y[0]).all() else self._share @ y

    def reach(self, y) -> np.ndarray:
        """Return the largest correlation of each feature that any fit can leave."""
        y = np.asarray(y, dtype=WIDE)
        left = np.sqrt(self._share @ (y - self.offset(y)) ** 2)
        return (np.sqrt(np.einsum("ji,i,ji->j", self.rows, self._share, self.rows)) * left).astype(
            np.float64
        )

    def intercept_error(self, mean, beta, intercept) -> tuple[float, float]:
        """Return how far an intercept is from the mean's, and the rounding of its terms."""
        terms = np.abs(self.centre) @ np.abs(beta) + abs(mean)
        error = abs(mean - self.centre @ beta.astype(WIDE) - intercept)
        return float(error), float(64 * np.finfo(float).eps * terms)

    def magnitude(self, beta) -> np.ndarray:
        """Return the sums of absolute terms of the residual, targets included."""
        share = self._share.astype(np.float64)
        inner = self._target + float(self._centred) * (share @ self._target)
        inner = inner + self._raw @ np.abs(beta)
        return self._raw.T @ (share * inner) + self._ridge * np.abs(beta)
