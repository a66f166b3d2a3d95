"""Tiny integer problems of every kind of staircase, for exact arithmetic.

Each kind is a function of a seed and returns a kernel matrix and four staircases to visit in order.
All numbers are small integers or eighths, so floats hold them exactly.
"""

from __future__ import annotations

import numpy as np

from weightpath.problems import Staircase

__all__ = ["KINDS", "tiny_problem"]


def points(rng, low=2, high=5):
    """Return a few points of a small integer grid."""
    return rng.integers(-1, 3, size=(int(rng.integers(low, high + 1)), 2)).astype(float)


def box(target, low, high, total=0.0, has_bias=True) -> Staircase:
    """Return staircases that are a box with the level 0 inside."""
    zero = np.zeros(len(target))
    levels = np.column_stack([zero - np.inf, zero, zero + np.inf])
    return Staircase(target, np.column_stack([low, high]), levels, total, has_bias)


def regression(rng):
    """Epsilon-insensitive regression; the weights and the epsilons move, either may be 0."""
    X = points(rng, high=4)
    n = len(X)
    y = rng.integers(-2, 3, n).astype(float)
    visited = []
    for _ in range(4):
        c, eps = rng.integers(0, 4, n).astype(float), rng.integers(0, 2, n).astype(float)
        zero = np.zeros(n)
        levels = np.column_stack([zero - np.inf, -eps, eps, zero + np.inf])
        visited.append(Staircase(y, np.column_stack([-c, zero, c]), levels))
    return X @ X.T, visited


def ranking(rng):
    """Pair ranking: a box without a bias, some weights zero."""
    X = points(rng)
    n = len(X)
    weights = [rng.integers(0, 4, n).astype(float) for _ in range(4)]
    return X @ X.T, [box(np.ones(n), np.zeros(n), c, has_bias=False) for c in weights]


def lasso(rng):
    """The weighted lasso with a duplicated column: one knot, finite levels, no bias."""
    p = int(rng.integers(2, 6))
    X = rng.integers(-1, 2, size=(4, p)).astype(float)
    X[:, -1] = X[:, 0]
    target = X.T @ rng.integers(-2, 3, 4).astype(float)
    visited = []
    for _ in range(4):
        penalty = rng.integers(1, 5, p).astype(float)
        levels = np.column_stack([-penalty, penalty])
        visited.append(Staircase(target, np.zeros((p, 1)), levels, has_bias=False))
    return X.T @ X, visited


def quantile(rng):
    """Quantile regression; the quantile moves, so both bounds move."""
    X = points(rng)
    y = rng.integers(-2, 3, len(X)).astype(float)
    one = np.ones(len(X))
    taus = (0.25, 0.75, 0.5, 0.125)
    return X @ X.T, [box(y, 2.0 * (tau - 1.0) * one, 2.0 * tau * one) for tau in taus]


def one_class(rng):
    """One-class: the coefficients sum to 1."""
    X = points(rng)
    n = len(X)
    weights = [rng.integers(0, 3, n) + 1.0 for _ in range(4)]
    return X @ X.T, [box(np.zeros(n), np.zeros(n), c, total=1.0) for c in weights]


KINDS = {
    "regression": regression,
    "ranking": ranking,
    "lasso": lasso,
    "quantile": quantile,
    "one-class": one_class,
}


def tiny_problem(kind, seed):
    """Return ``(K, staircases)`` of one of ``KINDS``."""
    return KINDS[kind](np.random.default_rng(seed))
