"""Ugly problems for the lasso: copied columns, more columns than rows, penalties that vanish."""

from __future__ import annotations

import numpy as np

from campaign.cases import lasso
from campaign.operators import FeatureMatrix
from campaign.shapes import features, targets

__all__ = ["draw_lasso"]


def draw_lasso(g) -> dict:
    """Draw a problem."""
    n, p = int(g.choice([3, 5, 8, 15, 30, 60])), int(g.choice([1, 2, 4, 8, 15, 25]))
    X = columns(g, n, p)
    y, y_end = targets(g, X), targets(g, X)
    y_end *= (np.abs(y).max() or 1.0) / (np.abs(y_end).max() or 1.0) * 10.0 ** g.uniform(-2, 2)
    centred = bool(g.random() < 0.7)
    share = g.uniform(0.1, 2, n) if g.random() < 0.25 else np.ones(n)
    power = float(np.mean(X**2)) or 1.0
    ridge = power * 10.0 ** g.uniform(-6, 0) if g.random() < 0.1 else 0.0
    matrix = FeatureMatrix(X, y[None], share / share.sum(), centred, ridge)
    largest = float(np.abs(matrix.correlation(y)).max()) or 1.0
    here = {"alpha": largest * 10.0 ** g.uniform(-6, 0.3), "penalty_weight": first_weights(g, p)}
    there = {
        "alpha": largest * (0.0 if g.random() < 0.25 else 10.0 ** g.uniform(-9, 0.3)),
        "penalty_weight": last_weights(g, p),
        "y": y_end,
    }
    names = ["alpha", "penalty_weight", "y"]
    taken = {names[g.choice(3, p=[0.45, 0.4, 0.15])]}
    while g.random() < 0.2:
        taken.add(names[g.integers(3)])
    here["y"] = y
    move = {name: there[name] for name in names if name in taken}
    extra = 0.5 * (X[g.integers(0, n, 3)] + X[g.integers(0, n, 3)])
    options = {"sample_weight": share, "centred": centred, "ridge": ridge, "extra": extra}
    back = {name: here[name] for name in move} if g.random() < 0.15 else {}
    return {**lasso(X, here, move, **options), "back": back}


def columns(g, n, p) -> np.ndarray:
    """Draw features, some of which may be copies or sums of others."""
    X = features(g, n, p)
    if p > 1 and g.random() < 0.35:
        for _ in range(int(g.integers(1, 1 + p // 2))):
            i, j, k = g.integers(0, p, 3)
            how = g.choice(["copy", "negative", "multiple", "sum"])
            factor = {"copy": 1.0, "negative": -1.0, "multiple": 2.5, "sum": 1.0}[how]
            X[:, i] = factor * X[:, j] + (X[:, k] if how == "sum" else 0.0)
    return X


def first_weights(g, p) -> np.ndarray:
    """Draw penalty weights to start from; at most one of them is zero."""
    kind = g.choice(["ones", "uniform", "orders", "huge", "zero"], p=[0.5, 0.2, 0.15, 0.1, 0.05])
    w = {"uniform": g.uniform(0.1, 2, p), "orders": 10.0 ** g.uniform(-3, 3, p)}.get(kind)
    w = np.ones(p) if w is None else w
    if kind == "huge":
        w[g.integers(p)] = 10.0 ** g.uniform(2, 15)
    if kind == "zero":
        w[g.integers(p)] = 0.0
    return w


def last_weights(g, p) -> np.ndarray:
    """Draw penalty weights to move to, some or all of which may be zero."""
    w = first_weights(g, p)
    draw = g.random()
    if draw < 0.15:
        w = w * (g.random(p) < 0.6)
    elif draw < 0.2:
        w = np.zeros(p)
    elif draw < 0.3:
        w = w * 1e-10
    return w
