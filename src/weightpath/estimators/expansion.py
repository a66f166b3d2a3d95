"""Fitted functions as sums over training rows or features: what a prediction needs of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import TrainingSet
from weightpath.kernels import Kernel
from weightpath.kernels.kernel import sum_of_rows

__all__ = ["KernelExpansion"]


@dataclass(frozen=True, eq=False)
class KernelExpansion:
    """Sums of kernels of some training rows, each with a bias.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    support : ndarray of int32
        The training rows with a coefficient, by class.
    vectors : ndarray or sparse matrix
        These rows; empty for a precomputed kernel.
    coef : ndarray of shape (n_support, n_functions)
        The coefficients of each function.
    intercept : ndarray of shape (n_functions,)
        Its bias.
    """

    kernel: Kernel
    support: NDArray[np.int32]
    vectors: Any
    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]

    @classmethod
    def of(cls, training: TrainingSet, subproblems: tuple[Subproblem, ...]) -> KernelExpansion:
        """Return the functions of solved subproblems."""
        coef = np.zeros((training.labels.size, len(subproblems)))
        for k, subproblem in enumerate(subproblems):
            coef[subproblem.rows, k] = subproblem.state.beta
        used = np.flatnonzero(coef.any(axis=1))
        support = used[np.argsort(training.labels[used], kind="stable")].astype(np.int32)
        intercept = np.array([subproblem.state.bias for subproblem in subproblems])
        precomputed = training.kernel.name == "precomputed"
        vectors = np.empty((0, 0)) if precomputed else training.X[support]
        return cls(training.kernel, support, vectors, coef[support], intercept)

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all functions, of shape (n, n_functions)."""
        if self.support.size == 0:
            return np.tile(self.intercept, (X.shape[0], 1))
        if self.kernel.name == "precomputed":
            X = X[:, self.support]
        return self.kernel.product(X, self.vectors, self.coef) + self.intercept

    def feature_weights(self) -> NDArray[np.float64]:
        """Return the weights of the features, one row for each function; linear kernel only."""
        if self.kernel.name != "linear":
            raise AttributeError(
                f'coef_ exists only with kernel="linear"; this kernel is {self.kernel.name}.'
            )
        rows = np.arange(self.support.size)
        return sum_of_rows(self.vectors, rows, self.coef).T
