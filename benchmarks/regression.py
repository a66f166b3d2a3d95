"""A whole path of support vector regression against refitting, on the diabetes data.

Weights at random, log-normal, go to others. As in the example of classification, all contenders
run in one thread, in turns, and the refits at breakpoints are scaled up from a sample.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.svm import SVR

import weightpath as wp
from benchmarks.scorer import TubeScorer
from benchmarks.speed import CACHE_MB, sample

C, EPSILON = 10.0, 5.0
# (rows, repetitions, refits)
FULL = (442, 15, 60)
QUICK = (40, 2, 3)


def make_data(n: int):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:n], y[:n]
    random = np.random.default_rng(0)
    return (X - X.mean(axis=0)) / X.std(axis=0), y, random.lognormal(size=(2, n))


def table(plan) -> list[dict]:
    n, repetitions, n_refits = plan
    X, y, weights = make_data(n)
    rows = []
    for kernel in ("linear", "rbf"):
        print(f"regression, {kernel}", file=sys.stderr, flush=True)
        path = fitted(kernel, X, y, weights).reweight(weights[1])
        places = sample(path.theta, n_refits)
        seconds: dict = {"path": [], "fit": [], "start": []}
        refits = []
        for repetition in range(repetitions):
            begin = process_time()
            model = fitted(kernel, X, y, weights)
            middle = process_time()
            model.reweight(weights[1])
            seconds["start"].append(middle - begin)
            seconds["path"].append(process_time() - middle)
            seconds["fit"].append(refit(kernel, X, y, weights, 1.0)[1])
            refits += [
                refit(kernel, X, y, weights, theta) for theta in places[repetition::repetitions]
            ]
        rows.append(_row(kernel, X, y, weights, path, seconds, refits))
    return rows


def options(kernel: str) -> dict:
    return {"C": C, "kernel": kernel, "gamma": 0.1, "epsilon": EPSILON, "cache_size": CACHE_MB}


def fitted(kernel, X, y, weights):
    return wp.SVR(**options(kernel)).fit(X, y, sample_weight=weights[0])


def refit(kernel, X, y, weights, theta):
    """Fit scikit-learn's SVR at one place; return the place, the seconds and the solution."""
    weight = (1.0 - theta) * weights[0] + theta * weights[1]
    model = SVR(**options(kernel))
    begin = process_time()
    model.fit(X, y, sample_weight=weight)
    seconds = process_time() - begin
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    return theta, seconds, beta, float(model.intercept_[0])


def _row(kernel, X, y, weights, path, seconds, refits) -> dict:
    ms = {name: 1e3 * median(values) for name, values in seconds.items()}
    refits_ms = 1e3 * float(np.mean([one[1] for one in refits])) * len(path.theta)
    square = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    scorer = TubeScorer(X @ X.T if kernel == "linear" else np.exp(-0.1 * square), y, EPSILON)

    def weight(theta):
        return C * ((1.0 - theta) * weights[0] + theta * weights[1])

    def ours(theta):
        solution = path.at(float(theta))
        return scorer.violation(weight(theta), solution.dual_coef, solution.intercept)

    middles = 0.5 * (path.theta[:-1] + path.theta[1:])
    judged = [*(one[0] for one in refits), *middles[:: len(middles) // 20 + 1]]
    return {
        "kernel": kernel,
        "n": len(y),
        "events": path.n_events,
        "mean margin": float(path.margin_size()[1].mean()),
        "fit ms": ms["start"],
        "path ms": ms["path"],
        "one SVR fit ms": ms["fit"],
        "SVR fit / path": ms["fit"] / ms["path"],
        "breakpoints": len(path.theta),
        "refits measured": len(refits),
        "SVR at every breakpoint ms": refits_ms,
        "refits / path": refits_ms / ms["path"],
        "violation of the path": max(ours(theta) for theta in judged),
        "violation of SVR": max(
            scorer.violation(weight(theta), beta, bias) for theta, _, beta, bias in refits
        ),
    }
