"""What one more instance costs, against fitting again with it.

A model of n rows gets further rows one by one, each along its exact path; the same enlarged data
are fitted from scratch by scikit-learn and by weightpath. Classification on the paper's artificial
data, regression on Friedman's first function.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

import numpy as np
from sklearn import svm
from sklearn.datasets import make_friedman1

import weightpath as wp
from benchmarks.speed import CACHE_MB

# (rows, additions, fits)
FULL = (2000, 40, 5)
QUICK = (60, 3, 1)

# Parameters of the models; the noise of the regression is one, so that the narrow tube leaves a
# large margin.
MODELS = (
    ("SVC", {"C": 10.0, "gamma": 0.5}),
    ("SVR", {"C": 10.0, "gamma": 1.0, "epsilon": 1.0}),
    ("SVR", {"C": 10.0, "gamma": 1.0, "epsilon": 0.1}),
)


def make_data(name: str, n: int):
    if name == "SVC":
        # Shuffled, as the rows come class by class.
        data = wp.datasets.make_toy(n + (-n) % 4, random_state=0)
        order = np.random.default_rng(0).permutation(len(data.y))
        return data.X[order], data.y[order]
    return make_friedman1(n, n_features=10, noise=1.0, random_state=0)


def table(plan) -> list[dict]:
    return [measure(plan, name, {**options, "cache_size": CACHE_MB}) for name, options in MODELS]


def measure(plan, name: str, options: dict) -> dict:
    n, n_more, n_fits = plan
    print(f"additions, {name}", file=sys.stderr, flush=True)
    X, y = make_data(name, n + n_more)
    ours, theirs = getattr(wp, name), getattr(svm, name)
    fits: dict = {ours: [], theirs: []}
    for _ in range(n_fits):
        for kind, seconds in fits.items():
            begin = process_time()
            kind(**options).fit(X[: n + 1], y[: n + 1])
            seconds.append(process_time() - begin)
    model = ours(**options).fit(X[:n], y[:n])
    added, events = [], []
    for i in range(n, n + n_more):
        begin = process_time()
        path = model.add(X[i : i + 1], y[i : i + 1])
        added.append(process_time() - begin)
        events.append(path.n_events)
    ms, fit_ms = 1e3 * median(added), {kind: 1e3 * median(fits[kind]) for kind in fits}
    return {
        "estimator": f"{name}, epsilon = {options['epsilon']}" if "epsilon" in options else name,
        "n": n,
        "additions": n_more,
        "events, mean": float(np.mean(events)),
        "margin at the end": int(path.margin_size()[1][-1]),
        "one addition ms": ms,
        "scikit-learn fit ms": fit_ms[theirs],
        "weightpath fit ms": fit_ms[ours],
        "addition / scikit-learn fit": ms / fit_ms[theirs],
        "addition / weightpath fit": ms / fit_ms[ours],
        "KKT violation at the end": model.kkt_violation(),
    }
