"""Ranking problems with their pairs written out: by double loops, as dense matrices.

Examples
--------
>>> from judges.ranking import random_problem
>>> problem = random_problem(seed=0)
>>> problem.K.shape == (len(problem.table), len(problem.table))
True
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judges.cases import kernel_matrix
from weightpath.problems import Staircase

__all__ = ["RankingProblem", "all_pairs", "dense_staircase", "random_problem"]


def all_pairs(relevance, query) -> np.ndarray:
    """Return all pairs (more relevant document, less relevant one), by a double loop.

    Sorted by the query, the relevance of the first, and the two documents.
    """
    found = []
    for i in range(len(relevance)):
        for j in range(len(relevance)):
            if query[i] == query[j] and relevance[i] > relevance[j]:
                found.append((query[i], relevance[i], i, j))
    return np.array([pair[2:] for pair in sorted(found)], dtype=int).reshape(-1, 2)


def dense_staircase(weight) -> Staircase:
    """Return the staircase of pairs of these weights: hinge losses of margin one, no bias."""
    n = len(weight)
    knots = np.column_stack([np.zeros(n), weight])
    levels = np.tile([-np.inf, 0.0, np.inf], (n, 1))
    return Staircase(np.ones(n), knots, levels, has_bias=False)


@dataclass(frozen=True)
class RankingProblem:
    """Documents, their relevances and queries, and the weights of pairs that a path visits.

    Attributes
    ----------
    name : str
        What it is called in a failure report.
    X : ndarray of shape (n_documents, n_features)
    kernel : dict
        Arguments of :func:`judges.cases.kernel_matrix` (and of :class:`weightpath.kernels.Kernel`).
    relevance, query : ndarray of shape (n_documents,)
    weights : tuple of ndarray of shape (n_pairs,)
        The ``C_ij`` to visit, in order.
    """

    name: str
    X: np.ndarray
    kernel: dict
    relevance: np.ndarray
    query: np.ndarray
    weights: tuple

    @cached_property
    def table(self) -> np.ndarray:
        """All pairs."""
        return all_pairs(self.relevance, self.query)

    @cached_property
    def G(self) -> np.ndarray:  # noqa: N802
        """The kernel matrix of the documents."""
        return kernel_matrix(self.X, **self.kernel)

    @cached_property
    def D(self) -> np.ndarray:  # noqa: N802
        """The differences: a row for each pair, +1 at its first document and -1 at its second."""
        unit = np.eye(len(self.X))
        return unit[self.table[:, 0]] - unit[self.table[:, 1]]

    @cached_property
    def K(self) -> np.ndarray:  # noqa: N802
        """The matrix of the pairs."""
        half = self.G[self.table[:, 0]] - self.G[self.table[:, 1]]
        full = half[:, self.table[:, 0]] - half[:, self.table[:, 1]]
        return np.triu(full) + np.triu(full, 1).T

    def staircases(self) -> list[Staircase]:
        """Return the problem at each weight vector."""
        return [dense_staircase(weight) for weight in self.weights]


KERNELS = (
    {"name": "linear"},
    {"name": "rbf", "gamma": 0.1},
    {"name": "rbf", "gamma": 1.0},
    {"name": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
)
SIZES = (1e-4, 1e-2, 1.0, 30.0, 1e4)


def random_problem(seed, most=22, n_weights=2) -> RankingProblem:
    """Return a problem in which anything may be ugly: duplicates, ties, levels, queries, weights.

    Parameters
    ----------
    seed : int
    most : int, default=22
        The largest number of documents.
    n_weights : int, default=2
        How many weight vectors are visited.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, most + 1))
    p = int(rng.integers(1, 4))
    kind = rng.choice(["normal", "grid", "copies"])
    if kind == "normal":
        X = rng.normal(size=(n, p))
    elif kind == "grid":
        X = rng.integers(-1, 3, size=(n, p)).astype(float)
    else:
        X = rng.normal(size=(max(2, n // 3), p))[rng.integers(0, max(2, n // 3), n)]
    query = rng.permutation(np.arange(n) % [1, 1, 2, 4, n // 2][rng.integers(5)])
    n_levels = int(rng.integers(2, 7))
    relevance = rng.normal(size=n) if rng.random() < 0.2 else rng.integers(0, n_levels, n)
    kernel = KERNELS[rng.integers(len(KERNELS))]
    table = all_pairs(relevance, query)
    if len(table) == 0:
        relevance = np.arange(n) // 2
        query = np.zeros(n, dtype=int)
        table = all_pairs(relevance, query)
    weights = tuple(_weights(rng, len(table)) for _ in range(n_weights))
    name = f"ranking[{seed}] {kind} {kernel['name']} n={n} pairs={len(table)}"
    return RankingProblem(name, X, kernel, relevance, query, weights)


def _weights(rng, n):
    """Weights of one of several kinds, not all of them zero."""
    size = SIZES[rng.integers(len(SIZES))]
    which = rng.choice(["equal", "random", "spread", "whole", "zeros"])
    if which == "equal":
        return np.full(n, size)
    if which == "random":
        return size * rng.uniform(0.1, 2.0, n)
    if which == "spread":
        return size * 10.0 ** rng.uniform(-3, 0, n)
    if which == "whole":
        weight = size * rng.integers(0, 4, n)
    else:
        weight = size * rng.uniform(0.1, 2.0, n) * (rng.random(n) < 0.5)
    return weight if weight.any() else np.full(n, size)
