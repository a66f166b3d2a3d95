"""The data of a lasso as a staircase problem whose rows are the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import State
from weightpath.kernels import Columns, Kernel
from weightpath.path.evaluation import CONSTANT, FeatureRows, centred_features
from weightpath.problems import Staircase, lasso_staircase

__all__ = ["FeatureData", "all_zero_state", "first_penalty", "per_feature", "shifted_to"]

_LINEAR = Kernel("linear")
_STORED = Kernel("precomputed")

# Penalties that start in proportion to their weights trace the path of alpha. Where the largest
# would exceed the largest correlation by this factor, the engine's tolerances, which are relative
# to the largest level, would suffer: then all start at the largest correlation.
_LARGEST_START = 1e3

# The penalty of a constant feature, as a fraction of the largest correlation, is more by this.
_CONSTANT_PENALTY = 1e-6

# A correlation that violates its penalty starts inside it by a random fraction of the violation:
# random, so that features do not arrive together.
_FRACTIONS = (0.1, 1.0)


class FeatureData:
    """Data with weights, centred where there is an intercept.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,)
        Not negative, with a positive sum.
    centred : bool
        Whether there is an intercept.
    """

    def __init__(self, X: NDArray[np.float64], weight: NDArray[np.float64], centred: bool) -> None:
        self.weight = weight / weight.sum()
        self.centre = self.weight @ X if centred else np.zeros(X.shape[1])
        self._centred = centred
        self.rows = centred_features(X, self.weight, self.centre)
        self._is_zero = ~self.rows.any(axis=1)

    def columns(self, cache_mb: float) -> Columns:
        """Return the columns of the matrix of the features' products.

        With no more features than instances, and room for it, it is stored: one matrix product.
        Otherwise its columns are computed as features enter, and the matrix never exists.
        """
        p, n = self.rows.shape
        if p <= n and p * p * 8 <= cache_mb * 1e6:
            # What overflows here is met, with advice, when the products are looked at.
            with np.errstate(over="ignore", invalid="ignore"):
                return _STORED.columns(self.rows @ self.rows.T, cache_mb)
        return _LINEAR.columns(self.rows, cache_mb)

    def offset(self, y: NDArray[np.float64]) -> float:
        """Return the mean of the targets, zero without an intercept."""
        return float(self.weight @ y) if self._centred else 0.0

    def target(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the targets as the rows see them: centred and scaled; zero if constant."""
        offset = self.offset(y)
        target = np.sqrt(self.weight) * (y - offset)
        is_constant = np.linalg.norm(target) <= CONSTANT * abs(offset)
        return np.zeros_like(target) if is_constant else target

    def correlation(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the correlation of each feature with the targets."""
        return self.rows @ self.target(y)

    def staircase(self, y: NDArray[np.float64], penalty: NDArray[np.float64]) -> Staircase:
        """Return the problem."""
        correlation = self.correlation(y)
        if not self._is_zero.any():
            return lasso_staircase(correlation, penalty)
        # A constant feature is out whatever its penalty, but the engine needs a positive one.
        floor = _CONSTANT_PENALTY * (np.abs(correlation).max(initial=0.0) or 1.0)
        return lasso_staircase(correlation, np.where(self._is_zero, floor + penalty, penalty))

    def evaluation(self, y_start: NDArray[np.float64], y_end: NDArray[np.float64]) -> FeatureRows:
        """Return how coefficients are evaluated while the targets go from start to end."""
        a, b = self.target(y_start), self.target(y_end)
        offset = np.array([self.offset(y_start), self.offset(y_end)])
        return FeatureRows(self.weight, self.centre, offset, np.array([a @ a, a @ b, b @ b]))

    def reach(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""Return for each feature a penalty at which it is out of the model, whatever the others.

        At the solution the error is no larger than without any feature, so a correlation is at
        most :math:`|z_j| |y|`.
        """
        size: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", self.rows, self.rows))
        return size * float(np.linalg.norm(self.target(y)))


def per_feature(name: str, value: Any, p: int) -> NDArray[np.float64]:
    """Return a number or an array with one entry for each feature as a finite array."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a number, or a list of {p} numbers.") from error
    if array.ndim == 0:
        array = np.full(p, float(array))
    if array.shape != (p,):
        raise ValueError(
            f"{name} has shape {array.shape}, expected ({p},): one entry for each feature."
        )
    if not np.isfinite(array).all():
        first = np.flatnonzero(~np.isfinite(array))[0]
        raise ValueError(f"{name} contains NaN or infinity, first for feature {first}.")
    return array


def first_penalty(
    correlation: NDArray[np.float64], alpha: float, weight: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Return ``alpha`` and penalties at which all coefficients are zero, to start from.

    Where possible they are in proportion to the weights of the penalties, with the smallest alpha
    that will do; unpenalised features start at the largest correlation.
    """
    size = np.abs(correlation)
    largest = float(size.max(initial=0.0))
    penalised = weight > 0
    with np.errstate(over="ignore"):
        enough = float((size[penalised] / weight[penalised]).max(initial=0.0))
        # So that the feature that decides is at its level, not beyond it by rounding.
        start = np.where(penalised, np.maximum(enough * weight, size), largest)
    proportional = start.max(initial=0.0) <= _LARGEST_START * largest
    if proportional and enough > alpha:
        return enough, start
    return (alpha if alpha > 0 else 1.0), np.maximum(alpha * weight, largest)


def all_zero_state(stair: Staircase) -> State:
    """Return the state of a staircase at which all coefficients are zero."""
    p = len(stair)
    none = np.zeros(0, dtype=np.intp)
    return State(np.zeros(p), 0.0, np.ones(p, dtype=np.int32), stair.target.copy(), none)


def shifted_to(
    columns: Columns, stair: Staircase, beta: NDArray[np.float64], ridge: float
) -> tuple[Staircase, State]:
    """Return the problem with correlations shifted so that ``beta`` solves it, and that state."""
    penalty = stair.levels[:, 1]
    response = columns.product(beta) + ridge * beta
    residual = stair.target - response
    fraction = np.random.default_rng(0).uniform(*_FRACTIONS, len(stair))
    beyond = np.maximum(np.abs(residual) - penalty, 0.0)
    inside = np.maximum(penalty - fraction * beyond, -penalty)
    fits = np.where(beyond > 0, np.sign(residual) * inside, residual)
    fits = np.where(beta == 0, fits, np.sign(beta) * penalty)
    start = Staircase(response + fits, stair.knots, stair.levels, has_bias=False)
    position = (1 + np.sign(beta)).astype(np.int32)
    margin = np.flatnonzero(beta).astype(np.intp)
    return start, State(np.array(beta), 0.0, position, fits, margin)
