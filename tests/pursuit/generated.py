"""Generated problems of basis pursuit: a seed is a problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["KINDS", "Generated", "generated"]


@dataclass
class Generated:
    """A problem ``D A C``, ``D y``, with the well-scaled ``A``, ``y`` that the judge is given.

    ``rank`` is that of ``A``; rows are scaled only where the equations are consistent.
    """

    kind: str
    A: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    rank: int
    consistent: bool

    @property
    def matrix(self) -> np.ndarray:
        return self.rows[:, None] * self.A * self.columns

    @property
    def target(self) -> np.ndarray:
        return self.rows * self.y


def sizes(g, wide=None):
    m, n = int(g.choice([1, 2, 3, 5, 8, 12, 20])), int(g.choice([1, 2, 4, 8, 15, 25, 40]))
    if wide is True:
        n = m + n
    return m, n


def entries(g, m, n):
    kind = g.choice(["normal", "whole", "signs", "sparse"])
    if kind == "whole":
        return g.integers(-2, 3, (m, n)).astype(float)
    if kind == "signs":
        return g.choice([-1.0, 1.0], (m, n))
    if kind == "sparse":
        return g.normal(size=(m, n)) * (g.random((m, n)) < 0.4)
    return g.normal(size=(m, n))


def signal(g, n):
    x = np.zeros(n)
    few = g.choice(n, int(g.integers(1, n + 1)) if g.random() < 0.3 else max(1, n // 8), False)
    x[few] = g.normal(size=few.size) if g.random() < 0.5 else g.integers(-3, 4, few.size)
    return x


def plain(g):
    return entries(g, *sizes(g, True))


def any_shape(g):
    return entries(g, *sizes(g))


def copies(g):
    """Duplicate, mirrored and summed columns."""
    A = plain(g)
    n = A.shape[1]
    return np.hstack(
        [A, A[:, g.integers(0, n, n)], -A[:, g.integers(0, n, 2)], A[:, :1] + A[:, -1:]]
    )


def copied_rows(g):
    """Duplicate rows, rows of zeros, sums of rows."""
    A = plain(g)
    m = len(A)
    return np.vstack([A, A[g.integers(0, m, m)], np.zeros((2, A.shape[1])), A[:1] + A[-1:]])


def low_rank(g):
    m, n = sizes(g, True)
    r = int(g.integers(1, m + 1))
    if g.random() < 0.5:
        left, right = g.integers(-2, 3, (m, r)), g.integers(-2, 3, (r, n))
        return (left @ right).astype(float)
    return g.normal(size=(m, r)) @ g.normal(size=(r, n))


def tied(g):
    """Columns of a Hadamard matrix, or unit vectors many times over."""
    if g.random() < 0.5:
        k = 2 ** int(g.integers(1, 5))
        index = np.arange(k)
        H = np.array([[(-1.0) ** bin(i & j).count("1") for j in index] for i in index])
        return np.hstack([np.eye(k), H])
    m = int(g.integers(1, 9))
    return np.eye(m)[:, g.integers(0, m, 4 * m)] * g.choice([-1.0, 1.0, 2.0], 4 * m)


def nothing(g):
    """Columns of zeros among others, or nothing else."""
    A = plain(g)
    A[:, g.random(A.shape[1]) < (1.0 if g.random() < 0.3 else 0.4)] = 0.0
    return A


KINDS = [plain, any_shape, copies, copied_rows, low_rank, tied, nothing]


def weights(g, n):
    kind = g.choice(["ones", "uniform", "whole", "zeros", "all zero", "orders", "ones"])
    if kind == "uniform":
        return g.uniform(0.1, 2.0, n)
    if kind == "whole":
        return g.integers(1, 4, n).astype(float)
    if kind == "zeros":
        return g.uniform(0.1, 2.0, n) * (g.random(n) < 0.6)
    if kind == "all zero":
        return np.zeros(n) if g.random() < 0.5 else (g.random(n) < 0.1).astype(float)
    if kind == "orders":
        return 10.0 ** g.uniform(-6, 6, n)
    return np.ones(n)


def generated(seed: int) -> Generated:
    """Draw a problem."""
    g = np.random.default_rng(seed)
    make = KINDS[seed % len(KINDS)]
    A = make(g)
    m, n = A.shape
    rank = int(np.linalg.matrix_rank(A))
    y = A @ signal(g, n)
    consistent = True
    if g.random() < 0.35:
        noise = g.normal(size=m) if g.random() < 0.5 else g.integers(-2, 3, m).astype(float)
        y, consistent = y + noise, rank == m
    if g.random() < 0.05:
        y, consistent = np.zeros(m), True
    rows, columns = np.ones(m), np.ones(n)
    if g.random() < 0.3:
        columns = 2.0 ** g.integers(-40, 40, n)
    if consistent and g.random() < 0.3:
        rows = 2.0 ** g.integers(-40, 40, m)
    if g.random() < 0.2:
        rows = rows * 2.0 ** g.integers(-200, 200)
    return Generated(make.__name__, A, y, weights(g, n) * columns, rows, columns, rank, consistent)
