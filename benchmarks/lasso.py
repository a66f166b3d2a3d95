"""The whole path of the lasso against scikit-learn's least angle regression.

From the penalty at which all coefficients vanish down to a thousandth of it. Both contenders get
the same centred data and run in turns, in one thread. Two sets of columns: independent ones, and
the same with some of them copied, where the columns in use depend on one another.
"""

from __future__ import annotations

import sys
import warnings
from statistics import median
from time import process_time

import numpy as np
from sklearn.linear_model import lars_path

import weightpath as wp
from benchmarks.scorer import LassoScorer

SMALLEST = 1e-3
# (rows, columns, repetitions)
FULL = (1000, 200, 15)
QUICK = (60, 20, 2)


def make_data(n: int, p: int, copied: bool):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, p))
    if copied:
        X[:, 3 * p // 4 :] = X[:, : p - 3 * p // 4]
    y = X[:, : p // 5] @ random.normal(size=p // 5) + 3.0 * random.normal(size=n)
    return X - X.mean(axis=0), y - y.mean()


def table(plan) -> list[dict]:
    n, p, repetitions = plan
    rows = []
    for columns in ("independent", "a quarter copied"):
        print(f"lasso, {columns}", file=sys.stderr, flush=True)
        X, y = make_data(n, p, columns != "independent")
        scorer = LassoScorer(X, y)
        alpha = SMALLEST * scorer.largest
        runs = [(ours(X, y, alpha), lars(X, y, alpha)) for _ in range(repetitions)]
        path_ms = 1e3 * median(first["seconds"] for first, _ in runs)
        for answers in zip(*runs, strict=True):
            ms = 1e3 * median(answer["seconds"] for answer in answers)
            rows.append(_row(n, p, columns, answers[0], ms, ms / path_ms, scorer))
    return rows


def ours(X, y, alpha) -> dict:
    model = wp.Lasso(alpha=alpha, fit_intercept=False)
    begin = process_time()
    path = model.fit(X, y).path_
    seconds = process_time() - begin
    at = [path.at(float(theta)) for theta in path.theta]
    found = [(float(solution.weights[0]), solution.dual_coef) for solution in at]
    return {"solver": "weightpath", "seconds": seconds, "found": found, "warnings": 0}


def lars(X, y, alpha) -> dict:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begin = process_time()
        alphas, _, coefs = lars_path(X, y, method="lasso", alpha_min=alpha)
        seconds = process_time() - begin
    found = list(zip(alphas.tolist(), coefs.T, strict=True))
    return {"solver": "lars_path", "seconds": seconds, "found": found, "warnings": len(caught)}


def _row(n, p, columns, answer, ms, ratio, scorer) -> dict:
    alphas = [alpha for alpha, _ in answer["found"]]
    violations = [scorer.violation(alpha, coef) for alpha, coef in answer["found"]]
    return {
        "n": n,
        "p": p,
        "columns": columns,
        "solver": answer["solver"],
        "ms": ms,
        "times weightpath": ratio,
        "breakpoints": len(alphas),
        "smallest penalty reached": f"{min(alphas) / scorer.largest:.2g}",
        "warnings": answer["warnings"],
        "largest KKT violation": max(violations),
    }
