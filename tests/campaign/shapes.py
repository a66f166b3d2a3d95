"""What ugly data look like: features, weights, targets, tubes."""

from __future__ import annotations

import numpy as np

__all__ = ["features", "targets", "weights"]


def features(g, n: int, p: int) -> np.ndarray:
    """Draw features: normal, grids, one-hot, duplicates, at any scale."""
    kind = g.choice(["normal", "grid", "one-hot", "copies", "heavy"], p=[0.35, 0.2, 0.15, 0.2, 0.1])
    if kind == "grid":
        X = g.integers(0, int(g.integers(2, 5)), (n, p)).astype(float)
    elif kind == "one-hot":
        X = np.eye(p)[g.integers(0, p, n)]
    elif kind == "copies":
        few = max(2, n // 3)
        X = g.normal(size=(few, p))[g.integers(0, few, n)]
    elif kind == "heavy":
        X = g.standard_cauchy(size=(n, p))
    else:
        X = g.normal(size=(n, p))
    if g.random() < 0.15:
        X[:, g.integers(p)] = g.choice([0.0, 1.0, -3.7])
    if g.random() < 0.15:
        X = X * 10.0 ** g.uniform(-3, 3, p)
    if g.random() < 0.1:
        X = X + 10.0 ** g.uniform(0, 4)
    if g.random() < 0.5:
        X = X * 10.0 ** g.uniform(-4, 8)
    return X


def weights(g, n: int, before=None) -> np.ndarray:
    """Draw instance weights, some of them positive; ``before`` are those to fall from, if any."""
    kinds = ["ones", "uniform", "orders", "zeros", "huge"]
    if before is not None:
        kinds += ["fallen", "some fallen"]
    kind = g.choice(kinds)
    if kind == "uniform":
        w = g.uniform(0, 1, n)
    elif kind == "orders":
        w = 10.0 ** g.uniform(-6, 6, n)
    elif kind == "zeros":
        w = g.uniform(0, 1, n) * (g.random(n) < 0.6)
    elif kind == "huge":
        w = np.ones(n)
        w[g.integers(0, n, 1 if g.random() < 0.6 else 3)] = 10.0 ** g.uniform(2, 15)
    elif kind == "fallen":
        w = before * 10.0 ** g.uniform(-12, -6)
    elif kind == "some fallen":
        w = np.where(g.random(n) < 0.5, before * 1e-10, before)
    else:
        w = np.full(n, float(g.choice([1.0, 1.0, 0.3, 1e-5])))
    if not w.any():
        w[g.integers(n)] = 1.0
    return w


def targets(g, X) -> np.ndarray:
    """Draw targets: noise, a plane, ties, constants, at any scale."""
    n = len(X)
    kind = g.choice(["noise", "plane", "ties", "constant", "two"], p=[0.35, 0.3, 0.2, 0.05, 0.1])
    if kind == "plane":
        y = X @ g.normal(size=X.shape[1])
        y = y / (np.abs(y).max() or 1.0) + 10.0 ** g.uniform(-8, 0) * g.normal(size=n)
    elif kind == "ties":
        y = g.integers(-2, 3, n).astype(float)
    elif kind == "constant":
        y = np.full(n, float(g.choice([0.0, 1.0, -2.5])))
    elif kind == "two":
        y = (g.random(n) < 0.5).astype(float)
    else:
        y = g.normal(size=n)
    if g.random() < 0.1:
        y = y + 10.0 ** g.uniform(0, 3)
    if g.random() < 0.5:
        y = y * 10.0 ** g.uniform(-12, 6)
    return y
