"""Models that are expansions in kernels of training rows, in scikit-learn's layout."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.base import PathEstimator

__all__ = ["KernelExpansion", "SingleExpansion"]


class KernelExpansion(PathEstimator):
    """An estimator whose parts are sums of kernels, each with a bias."""

    def _publish(self) -> None:
        super()._publish()
        coef = np.zeros((self._X.shape[0], len(self._parts)))
        for k, part in enumerate(self._parts):
            coef[part.rows, k] = part.state.beta
        used = np.flatnonzero(coef.any(axis=1))
        self.support_ = used[np.argsort(self._labels[used], kind="stable")].astype(np.int32)
        self.n_support_ = np.array([self.support_.size], dtype=np.int32)
        precomputed = self._kernel.name == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if precomputed else self._X[self.support_]
        self.intercept_ = np.array([part.state.bias for part in self._parts])
        self._coef = coef[self.support_]
        self.dual_coef_ = self._coef.T.copy()

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, one row for each part; linear kernel only."""
        check_is_fitted(self)
        if self._kernel.name != "linear":
            raise AttributeError(
                f'coef_ exists only with kernel="linear"; this kernel is {self._kernel.name}.'
            )
        return np.asarray((self.support_vectors_.T @ self._coef).T)

    def _values(self, X) -> np.ndarray:
        """Return the value of each part, of shape (n, n_parts)."""
        check_is_fitted(self)
        X = self._validate(X)
        if self.support_.size == 0:
            return np.tile(self.intercept_, (X.shape[0], 1))
        if self._kernel.name == "precomputed":
            X = X[:, self.support_]
        return self._kernel.product(X, self.support_vectors_, self._coef) + self.intercept_


class SingleExpansion(KernelExpansion):
    """An estimator with one part, on all training rows."""

    def _set_rows(self, n: int) -> np.ndarray:
        """Set labels and pairs, which are all alike; return the rows of the part."""
        self._labels = np.zeros(n, dtype=np.intp)
        self._pairs = [(1, 0)]
        return np.arange(n)
