"""One integer, one ugly problem: data, a start and a destination, for every estimator."""

from __future__ import annotations

import numpy as np

from campaign.cases import BUILDERS, Problem, Rows, list_pairs
from campaign.kernels import choose_kernel
from campaign.lasso_problems import draw_lasso
from campaign.shapes import features, targets, weights

__all__ = ["ESTIMATORS", "Problem", "problem"]

ESTIMATORS = ("SVC", "SVR", "QuantileSVR", "OneClassSVM", "RankingSVM", "Lasso")
SHARES = (0.25, 0.2, 0.15, 0.13, 0.12, 0.15)

SIZES = (2, 3, 4, 6, 10, 15, 25, 40, 60, 150)
SIZE_SHARES = (0.04, 0.05, 0.08, 0.12, 0.16, 0.17, 0.17, 0.12, 0.06, 0.03)

# The problem of pairs has a dense matrix here, so there are not too many of them.
MOST_PAIRS = 250

# One in so many problems has features whose products overflow.
OVERFLOWS = 0.005


def problem(seed: int) -> Problem:
    """Return the problem of a seed."""
    g = np.random.default_rng([seed, 12])
    name = str(g.choice(ESTIMATORS, p=SHARES))
    if name == "Lasso":
        return Problem(seed=seed, estimator=name, **draw_lasso(g))
    rows, here, there = DRAWS[name](g)
    move, back = choose_move(g, here, there)
    return Problem(seed=seed, estimator=name, back=back, **BUILDERS[name](rows, here, move))


def draw_rows(g, n: int | None = None) -> Rows:
    n = n or int(g.choice(SIZES, p=SIZE_SHARES))
    p = int(g.choice([1, 2, 3, 5, 9, 20]))
    X = features(g, n, p)
    kernel = choose_kernel(g, X)
    if kernel.name in ("linear", "poly") and g.random() < OVERFLOWS:
        X = X * 1e170
    return Rows(X, kernel, mixtures(g, X))


def mixtures(g, X, count: int = 5) -> np.ndarray:
    """Return new rows between training rows."""
    share = g.dirichlet(np.ones(2), count)
    some = g.integers(0, len(X), (count, 2))
    return share[:, :1] * X[some[:, 0]] + share[:, 1:] * X[some[:, 1]]


def choose_move(g, here: dict, there: dict) -> tuple[dict, dict]:
    """Draw which quantities move, most often the first; return where to, and back from there."""
    names = list(there)
    taken = {names[0] if g.random() < 0.45 else names[g.integers(len(names))]}
    while g.random() < 0.2:
        taken.add(names[g.integers(len(names))])
    move = {name: there[name] for name in names if name in taken}
    return move, {name: here[name] for name in move} if g.random() < 0.15 else {}


def draw_cost(g) -> float:
    return 10.0 ** g.uniform(-5, 6)


def draw_svc(g):
    rows = draw_rows(g)
    n = rows.n
    y = np.where(g.random(n) < g.choice([0.5, 0.2]), 1, -1)
    y[:2] = 1, -1
    w0 = alive(g, weights(g, n), y)
    w1 = alive(g, weights(g, n, w0), y)
    if g.random() < 0.03:
        # All weights of one class go: there is no such model.
        w1 = np.where(y == y[g.integers(n)], 0.0, w1)
    here = {"sample_weight": w0, "C": draw_cost(g), "margin": margins(g, n)}
    there = {"sample_weight": w1, "C": draw_cost(g), "margin": margins(g, n)}
    return rows, {**here, "y": y, "class_weight": draw_class_weight(g)}, there


def draw_class_weight(g):
    draw = g.random()
    if draw < 0.1:
        return "balanced"
    return {1: 10.0 ** g.uniform(-3, 3), -1: 1.0} if draw < 0.2 else None


def alive(g, w, y) -> np.ndarray:
    """Give every class a row with weight."""
    for label in (1, -1):
        if not w[y == label].any():
            w[g.choice(np.flatnonzero(y == label))] = w.max()
    return w


def margins(g, n) -> np.ndarray:
    draw = g.random()
    if draw < 0.7:
        return np.ones(n)
    if draw < 0.85:
        return g.uniform(-0.5, 2, n)
    return 10.0 ** g.uniform(-3, 3, n)


def tubes(g, y) -> float | np.ndarray:
    size = float(np.abs(y).max()) or 1.0
    kind = g.choice(["none", "tiny", "some", "wide", "own"], p=[0.3, 0.1, 0.35, 0.1, 0.15])
    if kind == "own":
        return size * g.uniform(0, 0.5, len(y)) * (g.random(len(y)) < 0.8)
    part = {"none": 0.0, "tiny": 1e-9, "some": g.choice([0.1, 0.01, 0.5]), "wide": 10.0}[kind]
    return float(part) * size


def moved_targets(g, X, y) -> np.ndarray:
    """Draw targets to move to, of about the size of those before."""
    size = float(np.abs(y).max()) or 1.0
    other = targets(g, X)
    return other / (float(np.abs(other).max()) or 1.0) * size * 10.0 ** g.uniform(-2, 2)


def draw_svr(g):
    rows = draw_rows(g)
    n, y = rows.n, targets(g, rows.X)
    w0 = weights(g, n)
    here = {"sample_weight": w0, "C": draw_cost(g), "epsilon": tubes(g, y), "y": y}
    there = {
        "sample_weight": weights(g, n, w0),
        "C": draw_cost(g),
        "epsilon": tubes(g, y),
        "y": moved_targets(g, rows.X, y),
    }
    return rows, here, there


def draw_quantile(g):
    rows = draw_rows(g)
    n, y = rows.n, targets(g, rows.X)
    w0 = weights(g, n)
    levels = [0.5, 0.01, 0.99, 0.1, float(g.uniform(0.05, 0.95))]
    here = {"sample_weight": w0, "quantile": levels[g.integers(5)], "C": draw_cost(g), "y": y}
    there = {
        "sample_weight": weights(g, n, w0),
        "quantile": levels[g.integers(5)],
        "C": draw_cost(g),
        "y": moved_targets(g, rows.X, y),
    }
    return rows, here, there


def draw_one_class(g):
    rows = draw_rows(g)
    n = rows.n
    w0 = weights(g, n)
    here = {"sample_weight": w0, "nu": draw_nu(g, n)}
    return rows, here, {"sample_weight": weights(g, n, w0), "nu": draw_nu(g, n)}


def draw_nu(g, n) -> float:
    kind = g.choice(["any", "all", "whole"], p=[0.6, 0.1, 0.3])
    if kind == "all":
        return 1.0
    # With equal weights a whole number of rows is outside: the bias may be free.
    return float(g.integers(1, n + 1)) / n if kind == "whole" else float(g.uniform(0.02, 1))


def draw_ranking(g):
    while True:
        n = int(g.choice([2, 3, 5, 8, 12, 20, 30]))
        y = g.integers(0, int(g.integers(2, 5)), n).astype(float)
        qid = g.integers(0, int(g.choice([1, 1, 2, 4])), n)
        m = len(list_pairs(y, qid))
        if 0 < m <= MOST_PAIRS:
            break
    rows = draw_rows(g, n)
    w0 = weights(g, m)
    w1 = weights(g, m, w0)
    given = [w0, "uniform", "relevance"][g.choice(3, p=[0.7, 0.2, 0.1])]
    here = {"y": y, "qid": qid, "pair_weight": given, "C": draw_cost(g)}
    there = {"pair_weight": "relevance" if g.random() < 0.2 else w1, "C": draw_cost(g)}
    return rows, here, there


DRAWS = {
    "SVC": draw_svc,
    "SVR": draw_svr,
    "QuantileSVR": draw_quantile,
    "OneClassSVM": draw_one_class,
    "RankingSVM": draw_ranking,
}
