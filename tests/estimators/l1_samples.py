"""Generated problems of linear program machines, and HiGHS as their judge.

A seed is a problem: integer grids, duplicates of rows and columns, one-hot and binary columns,
unscaled and shifted features, kernel columns, zero weights, weights over orders of magnitude. The
judge is ``scipy.optimize.linprog``, which shares nothing with the library.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

import weightpath as wp

STYLES = (
    "normal",
    "integer",
    "binary",
    "one-hot",
    "unscaled",
    "shifted",
    "duplicates",
    "rbf",
    "smooth rbf",
    "poly",
)


class Sample(NamedTuple):
    """A fitted model, the columns of its program, and where it goes."""

    name: str
    model: wp.L1SVC | wp.L1SVR
    columns: np.ndarray
    destination: dict


def sample(seed: int) -> Sample:
    """Return the problem of a seed; the model is fitted at the first weights."""
    random = np.random.default_rng(seed)
    style = STYLES[seed % len(STYLES)]
    n, p = int(random.integers(6, 50)), int(random.integers(1, 20))
    X = _rows(random, style, n, p)
    signal = X[:, 0] / (np.abs(X[:, 0] - X[:, 0].mean()).max() or 1.0)
    signal = signal - np.median(signal) + random.choice([0.0, 0.3, 1.0]) * random.normal(size=n)
    settings: dict = {"C": 10.0 ** random.uniform(-1.5, 1.5)}
    columns = X
    if style in ("rbf", "smooth rbf"):
        gamma = (random.choice([0.5, 2.0]) if style == "rbf" else 0.02) / p
        settings.update(kernel="rbf", gamma=gamma)
        columns = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    if style == "poly":
        settings.update(kernel="poly", gamma=1.0 / p, coef0=1.0, degree=2)
        columns = (X @ X.T / p + 1.0) ** 2
    if random.random() < 0.5:
        y = np.where(signal > 0, "b", "a")
        y[:2] = "a", "b"
        model = wp.L1SVC(**settings).fit(X, y, _weights(random, n))
        destination = _classifier_destination(random, n)
    else:
        scale = 10.0 ** random.choice([0, 0, 0, -4, 3])
        y = scale * (np.round(2 * signal) if random.random() < 0.4 else signal)
        largest = float(np.abs(y).max()) or 1.0
        epsilon = random.choice([0.0, 0.1, 0.5]) * largest
        model = wp.L1SVR(epsilon=epsilon, **settings).fit(X, y, _weights(random, n))
        destination = _regressor_destination(random, n, y, largest)
    return Sample(f"{style}, n={n}, p={p}, {sorted(destination)}", model, columns, destination)


def _rows(random, style, n, p):
    if style in ("integer", "duplicates"):
        X = random.integers(-2, 3, (n, p)).astype(float)
    elif style == "binary":
        X = random.integers(0, 2, (n, p)).astype(float)
    elif style == "one-hot":
        X = np.eye(p)[random.integers(0, p, n)]
    else:
        X = random.normal(size=(n, p))
    if style == "unscaled":
        X *= 10.0 ** random.integers(-3, 4, p)
    if style == "shifted":
        X += 10.0 ** random.integers(0, 4, p)
    if style == "duplicates" or random.random() < 0.25:
        X[random.integers(0, n, n // 2)] = X[random.integers(0, n, n // 2)]
        X[:, random.integers(0, p)] = X[:, random.integers(0, p)]
    return X


def _weights(random, n):
    kind = random.choice(["ones", "uniform", "some zero", "spread", "whole"])
    weight = {
        "ones": np.ones(n),
        "uniform": random.uniform(0, 3, n),
        "some zero": random.uniform(0.5, 2, n) * (random.random(n) < 0.6),
        "spread": 10.0 ** random.uniform(-3, 1, n),
        "whole": random.integers(0, 3, n).astype(float),
    }[kind]
    weight[:2] = np.maximum(weight[:2], 0.5)
    return weight


def _classifier_destination(random, n):
    return [
        {"sample_weight": _weights(random, n)},
        {"sample_weight": _weights(random, n)},
        {"C": 10.0 ** random.uniform(-2, 2)},
        {"class_weight": {"a": random.uniform(0.1, 5)}, "sample_weight": _weights(random, n)},
        {"margin": random.choice([0.0, 1.0, 2.0], n), "sample_weight": _weights(random, n)},
    ][random.integers(5)]


def _regressor_destination(random, n, y, largest):
    other = y + largest * random.normal(size=n)
    return [
        {"sample_weight": _weights(random, n)},
        {"C": 10.0 ** random.uniform(-2, 2)},
        {"epsilon": random.choice([0.0, 0.05, 0.6]) * largest},
        {"y": other},
        {"y": other, "epsilon": 0.2 * largest, "sample_weight": _weights(random, n)},
    ][random.integers(5)]


def highs(columns, stair) -> float:
    """Return the least objective of a program, by HiGHS.

    Residuals are measured in the largest target and columns by their largest entries, as the
    solver's tolerances are absolute.
    """
    n, p = columns.shape
    scale = stair.residual_scale or 1.0
    size = np.abs(columns).max(axis=0)
    size[size == 0.0] = 1.0
    own, eye = columns / size, sparse.identity(n)
    matrix, right = [], []
    for knot in stair.knots.T:
        # The loss is the largest of these lines.
        slope = sparse.diags(knot)
        matrix.append(sparse.hstack([-slope @ own, slope @ own, -knot[:, None], -eye]))
        right.append((stair.penalty(knot) - knot * stair.target) / scale)
    found = linprog(
        np.concatenate([1.0 / size, 1.0 / size, [0.0], np.ones(n)]),
        sparse.vstack(matrix).tocsr(),
        np.concatenate(right),
        bounds=[(0, None)] * (2 * p) + [(None, None)] * (n + 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.success, found.message
    return scale * found.fun
