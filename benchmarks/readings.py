"""What it costs to read a path: a model somewhere on it, and its whole certificate.

The path of the table "speed". *Building an estimator* is what any way to a fitted model at a place
of the path has to do: the solution there, a clone of scikit-learn's SVC, and its attributes set,
the support vectors copied from the data. The model of the path is timed until the same attributes
were read.
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.speed import CACHE_MB, fitted
from benchmarks.turns import medians_ms, timed

# (rows, turns)
FULL = ((400, 15), (1600, 9), (6400, 5))
QUICK = ((40, 2), (80, 2))

# Models read in a turn, in which there is one path and one certificate.
MODELS = 7


def table(plan) -> list[dict]:
    return [measure(n, turns) for n, turns in plan]


def measure(n: int, turns: int) -> dict:
    print(f"readings, n = {n}", file=sys.stderr, flush=True)
    toy = wp.datasets.make_toy(n, random_state=0)
    path = fitted(toy).reweight(toy.w_new)
    places = np.random.default_rng(0)
    violations, first = [], []

    def follow() -> float:
        model = fitted(toy)
        seconds, fresh = timed(lambda: model.reweight(toy.w_new))
        first.append(timed(lambda: read(fresh.model_at(places.uniform())))[0])
        return seconds

    def certify() -> float:
        # A path that nobody has read: what a certificate needs is made here.
        fresh = fitted(toy).reweight(toy.w_new)
        seconds, found = timed(fresh.kkt_violation)
        violations.append(found)
        return seconds

    ms = medians_ms(
        {
            "path": follow,
            "certificate": certify,
            "model": lambda: timed(lambda: read(path.model_at(places.uniform())))[0],
            "building": lambda: timed(lambda: build(toy, path, places.uniform()))[0],
        },
        turns,
        often={"model": MODELS, "building": MODELS},
    )
    return {
        "n": n,
        "first model_at of a path ms": 1e3 * median(first),
        "model_at ms": ms["model"],
        "building an estimator ms": ms["building"],
        "model_at / building": ms["model"] / ms["building"],
        "path ms": ms["path"],
        "certificate of the path ms": ms["certificate"],
        "certificate / path": ms["certificate"] / ms["path"],
        "violation of the path": max(violations),
    }


def read(model) -> tuple:
    return model.support_, model.support_vectors_, model.dual_coef_, model.intercept_


def build(toy, path, theta: float) -> SVC:
    """Make a scikit-learn estimator at the solution there."""
    solution = path.at(theta)
    model = clone(SVC(C=toy.C, gamma=toy.gamma, cache_size=CACHE_MB))
    model.support_ = np.flatnonzero(solution.dual_coef)
    model.support_vectors_ = toy.X[model.support_]
    model.dual_coef_ = solution.dual_coef[model.support_][np.newaxis]
    model.intercept_ = np.array([solution.intercept])
    return model
