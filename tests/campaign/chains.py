"""Chains of verbs on hundreds of rows, judged after each and on the way.

The campaign's problems are small and ugly; these are large enough for what the engine does only
there (rows asleep, columns given up, large margins), and one model goes on through many changes.

python tests/campaign/chains.py --count 100 --first-seed 0
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402

import weightpath as wp  # noqa: E402
from campaign import stairs as forms  # noqa: E402
from campaign.judge import judge  # noqa: E402
from campaign.operators import KernelMatrix  # noqa: E402

__all__ = ["Chain", "findings_of"]

SIZES, SIZE_SHARES = (200, 350, 600, 1000, 1600), (0.25, 0.3, 0.25, 0.15, 0.05)
N_VERBS = 6

# How many breakpoints, places drawn at random, and middles of segments are looked at on a path.
LOOKED_AT = (4, 4, 3)


class DoubleMatrix(KernelMatrix):
    """A kernel matrix in double precision: with this many rows long double takes too long."""

    def __init__(self, K):
        self.K, self.absolute, self.diagonal = K, np.abs(K), np.diag(K).copy()

    def product(self, beta) -> np.ndarray:
        return self.K @ beta


def rbf(A, B, gamma) -> np.ndarray:
    square = np.zeros((len(A), len(B)))
    for k in range(A.shape[1]):
        square += (A[:, k, None] - B[None, :, k]) ** 2
    return np.exp(-gamma * square)


def poly(A, B, gamma, degree) -> np.ndarray:
    return (gamma * (A @ B.T) + 1.0) ** degree


def linear(A, B) -> np.ndarray:
    return A @ B.T


@dataclass(frozen=True)
class Rows:
    """What the model was last given, and all that a judge needs of it."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    C: float

    def __len__(self) -> int:
        return len(self.y)

    def joined(self, X, y, w) -> Rows:
        return replace(self, X=np.vstack([self.X, X]), y=np.r_[self.y, y], w=np.r_[self.w, w])

    def taken(self, rows) -> Rows:
        return replace(self, X=self.X[rows], y=self.y[rows], w=self.w[rows])


class Chain:
    """One seed: a problem, a fitted model and a number of changes."""

    def __init__(self, seed: int):
        self.g = g = np.random.default_rng([seed, 77])
        self.findings: list[str] = []
        n, p = int(g.choice(SIZES, p=SIZE_SHARES)), int(g.choice([1, 2, 3, 5, 10, 20, 40]))
        self.estimator = str(g.choice(["SVC", "SVR", "QuantileSVR"], p=[0.5, 0.35, 0.15]))
        X = self.draw_features(n, p)
        self.params, self.kernel = self.draw_kernel(X)
        y, own = self.draw_targets(X)
        self.params |= own
        size = float(X.var()) * p if self.params["kernel"] == "linear" else 1.0
        self.rows = Rows(X, y, self.draw_weights(n), 10.0 ** g.uniform(-2, 3) / size)
        if g.random() < 0.3:
            self.params["cache_size"] = float(g.choice([1, 5]))

    def draw_features(self, n, p) -> np.ndarray:
        g, X = self.g, self.g.normal(size=(n, p))
        kind = g.choice(
            ["plain", "grid", "copies", "heavy", "units"], p=[0.5, 0.15, 0.15, 0.1, 0.1]
        )
        if kind == "grid":
            X = np.round(X * g.choice([1, 2]))
        elif kind == "copies":
            X[: n // 3] = X[n // 3 : 2 * (n // 3)]
        elif kind == "heavy":
            X = g.standard_cauchy(size=(n, p))
        elif kind == "units":
            X = X * 10.0 ** g.uniform(-2, 2, p)
        return X

    def draw_kernel(self, X):
        g, size = self.g, float(X.var()) * X.shape[1]
        name = str(g.choice(["rbf", "linear", "poly"], p=[0.6, 0.2, 0.2]))
        if name == "linear":
            return {"kernel": name}, linear
        if name == "rbf":
            gamma = 10.0 ** g.uniform(-2.5, 1.5) / size
            return {"kernel": name, "gamma": gamma}, partial(rbf, gamma=gamma)
        own = {"gamma": 1 / size, "degree": int(g.integers(2, 4))}
        return {"kernel": name, "coef0": 1.0, **own}, partial(poly, **own)

    def draw_targets(self, X):
        g, n = self.g, len(X)
        first, last = X[:, 0] / (X[:, 0].std() or 1.0), X[:, -1] / (X[:, -1].std() or 1.0)
        value = np.sin(2 * first) + last + g.choice([0.01, 0.3, 0.7]) * g.normal(size=n)
        if self.estimator == "SVC":
            y = np.where(value > np.quantile(value, g.choice([0.5, 0.85])), 1, -1)
            y[:2] = 1, -1
            return y, {}
        y = value * 10.0 ** g.choice([0, 0, -3, 3])
        if g.random() < 0.2:
            y = np.round(2 * y / y.std())
        if self.estimator == "SVR":
            return y, {"epsilon": float(g.choice([0, 0.01, 0.1, 0.5]) * y.std())}
        return y, {"quantile": float(g.choice([0.1, 0.5, 0.9]))}

    def draw_weights(self, n) -> np.ndarray:
        g = self.g
        kind = g.choice(["ones", "near", "zeros", "orders", "ages"])
        if kind == "near":
            return g.uniform(0.5, 1.5, n)
        if kind == "zeros":
            return g.uniform(0, 1, n) * (g.random(n) < 0.8)
        if kind == "orders":
            return 10.0 ** g.uniform(-3, 1, n)
        return np.exp(-np.arange(n) / n * g.uniform(0, 5)) if kind == "ages" else np.ones(n)

    def stairs(self, rows: Rows) -> forms.Stairs:
        if self.estimator == "SVC":
            return forms.hinge(rows.y, rows.C * rows.w, np.ones(len(rows)))
        if self.estimator == "SVR":
            epsilon = np.full(len(rows), self.params["epsilon"])
            return forms.tube(rows.y, rows.C * rows.w, epsilon)
        return forms.pinball(rows.y, rows.C * rows.w, self.params["quantile"])

    def is_alive(self, rows: Rows) -> bool:
        """Whether every class has a row with weight."""
        if self.estimator != "SVC":
            return bool(rows.w.any())
        return all(rows.w[rows.y == label].any() for label in (1, -1))

    def run(self) -> list[str]:
        """Return what is wrong, a line each."""
        model = getattr(wp, self.estimator)(C=self.rows.C, **self.params)
        if not self.is_alive(self.rows):
            return []
        model.fit(self.rows.X, self.rows.y, sample_weight=self.rows.w)
        self.judge_model(model, "fit")
        verbs = (self.reweight, self.touch, self.move, self.remove, self.add, self.slide)
        for step in range(N_VERBS):
            verb = verbs[self.g.integers(len(verbs))]
            verb(model, f"step {step}, {verb.__name__}")
        return self.findings

    def reweight(self, model, name) -> None:
        """All weights."""
        after = replace(self.rows, w=self.draw_weights(len(self.rows)))
        if self.is_alive(after):
            self.look(model.reweight(after.w), self.rows, after, name)
            self.settle(model, after, name)

    def touch(self, model, name) -> None:
        """A few weights, or one."""
        g, w = self.g, self.rows.w.copy()
        count = 1 if g.random() < 0.5 else max(1, len(w) // 50)
        some = g.choice(len(w), count, replace=False)
        w[some] = w[some] * g.choice([0.0, 0.5, 2.0]) + g.choice([0.0, 0.3, 5.0])
        after = replace(self.rows, w=w)
        if self.is_alive(after):
            self.look(model.reweight(w), self.rows, after, name)
            self.settle(model, after, name)

    def move(self, model, name) -> None:
        """C."""
        after = replace(self.rows, C=self.rows.C * 10.0 ** self.g.uniform(-1, 1))
        self.look(model.move(C=after.C), self.rows, after, name)
        self.settle(model, after, name)

    def remove(self, model, name) -> None:
        n = len(self.rows)
        gone = self.g.choice(n, int(self.g.choice([1, 3, n // 50 + 1, n // 10])), replace=False)
        after = self.rows.taken(np.setdiff1d(np.arange(n), gone))
        if self.is_alive(after):
            w = self.rows.w.copy()
            w[gone] = 0.0
            self.look(model.remove(gone), self.rows, replace(self.rows, w=w), name)
            self.settle(model, after, name)

    def add(self, model, name) -> None:
        X, y = self.arrivals()
        before = self.rows.joined(X, y, np.zeros(len(y)))
        after = self.rows.joined(X, y, self.g.uniform(0.1, 1, len(y)))
        path = model.add(X, y, sample_weight=after.w[len(self.rows) :])
        self.look(path, before, after, name)
        self.settle(model, after, name)

    def slide(self, model, name) -> None:
        X, y = self.arrivals()
        drop, zero = int(self.g.integers(0, 2 * len(y) + 1)), np.zeros(len(y))
        before = self.rows.joined(X, y, zero)
        w = self.draw_weights(len(before) - drop)
        after = replace(before, w=np.r_[np.zeros(drop), w])
        if self.is_alive(after):
            path = model.slide(X, y, drop=drop, sample_weight=w)
            self.look(path, before, after, name)
            self.settle(model, after.taken(slice(drop, None)), name)

    def arrivals(self):
        """Draw new rows: copies of old ones, or rows beside them, with some labels of others."""
        g, rows = self.g, self.rows
        count = int(g.choice([1, 2, 10, 40]))
        near = g.integers(0, len(rows), count)
        X = rows.X[near] + g.choice([0.0, 0.1]) * rows.X.std() * g.normal(size=rows.X[near].shape)
        return X, rows.y[near if g.random() < 0.5 else g.integers(0, len(rows), count)]

    def settle(self, model, rows: Rows, name) -> None:
        """Judge the model where it has come to."""
        self.rows = rows
        self.judge_model(model, name)

    def judge_model(self, model, name) -> None:
        beta = np.zeros(len(self.rows))
        beta[model.support_] = np.ravel(model.dual_coef_)
        matrix = DoubleMatrix(self.kernel(self.rows.X, self.rows.X))
        verdict = judge(matrix, self.stairs(self.rows), beta, float(model.intercept_[0]))
        if verdict.wrong:
            self.findings.append(f"{name}: model, {verdict}")

    def look(self, path, before: Rows, after: Rows, name) -> None:
        """Judge some places on a path, both ends among the breakpoints that may be drawn."""
        matrix = DoubleMatrix(self.kernel(before.X, before.X))
        start, end = self.stairs(before), self.stairs(after)
        most = np.maximum(start.bound, end.bound)
        moved = np.abs(end.knots - start.knots).max(axis=1), np.zeros(len(before))
        for theta in self.places(path.theta):
            point, stairs = path.at(theta), forms.between(start, end, theta)
            inside = {"most": most, "moved": moved} if 0.0 < theta < 1.0 else {}
            bias = float(np.ravel(point.intercept)[0])
            verdict = judge(matrix, stairs, np.ravel(point.dual_coef), bias, **inside)
            if verdict.wrong:
                said = path.kkt_violation(theta)
                self.findings.append(f"{name}: theta {theta!r}, certificate {said:.1e}, {verdict}")

    def places(self, theta) -> list[float]:
        g, (breakpoints, anywhere, middles) = self.g, LOOKED_AT
        segments = g.integers(0, len(theta) - 1, middles)
        halves = 0.5 * (theta[segments] + theta[segments + 1])
        return [float(t) for t in np.r_[g.choice(theta, breakpoints), g.random(anywhere), halves]]


def findings_of(seed: int) -> list[str]:
    """Return what is wrong with one seed, a line each; a refusal counts."""
    chain = Chain(seed)
    try:
        found = chain.run()
    except wp.PathError as error:
        found = [*chain.findings, f"refused: {str(error)[:200]}"]
    about = f"seed {seed}: {chain.estimator}, {len(chain.rows)} rows, {chain.params}"
    return [f"{about}: {line}" for line in found]


def main() -> int:
    parser = argparse.ArgumentParser(description="Chains of changes against a judge.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.count)
    n_wrong = 0
    for seed in seeds:
        found = findings_of(seed)
        n_wrong += bool(found)
        print(*found, sep="\n", end="\n" if found else "", flush=True)
    print(f"{len(seeds)} chains, {n_wrong} wrong")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
