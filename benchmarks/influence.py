"""Leave-one-out along paths against fitting again without each instance.

The breast cancer data of scikit-learn, 569 rows, and its diabetes data, 442 rows, standardised. All
contenders run in one thread and in turns, and the time of the processor is taken.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

import numpy as np
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from benchmarks.turns import medians_ms, timed

# (repetitions, instances between two that are refitted)
FULL = (15, 1)
QUICK = (2, 60)

# (repetitions, rows, instances between two that are refitted) of regression
REGRESSION_FULL = (15, 442, 10)
REGRESSION_QUICK = (2, 60, 20)
# The defaults, which hardly learn these targets, and parameters that do.
REGRESSIONS = ({"C": 1.0, "epsilon": 0.1}, {"C": 10.0, "epsilon": 5.0})

# What a refit of scikit-learn that is worth comparing with must be asked for.
TIGHT = 1e-6


def table(plan) -> list[dict]:
    repetitions, step = plan
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return [measure(kernel, X, y, repetitions, step) for kernel in ("rbf", "linear")]


def measure(kernel: str, X, y, repetitions: int, step: int) -> dict:
    print(f"influence, {kernel}", file=sys.stderr, flush=True)
    model = wp.SVC(kernel=kernel).fit(X, y)
    fits, removals = [], []
    for _ in range(repetitions):
        begin = process_time()
        svm.SVC(kernel=kernel, gamma=model.gamma_).fit(X, y)
        fits.append(process_time() - begin)
        begin = process_time()
        found = wp.leave_one_out(model, n_jobs=1)
        removals.append(process_time() - begin)
    options = {"kernel": kernel, "gamma": model.gamma_}
    judged = np.arange(0, len(y), step)
    ours, _ = refits(wp.SVC(**options), X, y, judged)
    theirs, seconds = refits(svm.SVC(**options, tol=TIGHT), X, y, judged)
    ms, fit_ms = 1e3 * median(removals), 1e3 * median(fits)
    value = found.decision_values[judged]
    return {
        "kernel": kernel,
        "n": len(y),
        "paths": found.n_paths,
        "events": found.n_events,
        "error": found.error,
        "leave-one-out ms": ms,
        "one SVC fit ms": fit_ms,
        "leave-one-out / SVC fit": ms / fit_ms,
        "refits": len(judged),
        "n refits of SVC ms": 1e3 * float(np.mean(seconds)) * len(y),
        "largest difference from refits": float(np.abs(value - ours).max()),
        "largest difference from SVC": float(np.abs(value - theirs).max()),
    }


def refits(model, X, y, judged):
    """Return the decision value of each instance without it, and the seconds of each fit."""
    values, seconds = [], []
    for i in judged:
        keep = np.arange(len(y)) != i
        begin = process_time()
        model.fit(X[keep], y[keep])
        seconds.append(process_time() - begin)
        values.append(model.decision_function(X[[i]])[0])
    return np.array(values), seconds


def regression(plan) -> list[dict]:
    """Leave-one-out of support vector regression on the diabetes data."""
    repetitions, n, step = plan
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:n]), y[:n]
    return [measure_regression(options, X, y, repetitions, step) for options in REGRESSIONS]


def measure_regression(options: dict, X, y, repetitions: int, step: int) -> dict:
    name = f"SVR(C={options['C']:g}, epsilon={options['epsilon']:g})"
    print(f"influence, {name}", file=sys.stderr, flush=True)
    model = wp.SVR(**options).fit(X, y)
    found = wp.leave_one_out(model, n_jobs=1)
    ms = medians_ms(
        {
            "leave": lambda: timed(lambda: wp.leave_one_out(model, n_jobs=1))[0],
            "fit": lambda: timed(lambda: svm.SVR(**options, gamma=model.gamma_).fit(X, y))[0],
        },
        repetitions,
    )
    apart = []
    for i in range(0, len(y), step):
        keep = np.arange(len(y)) != i
        without = wp.SVR(**options, gamma=model.gamma_).fit(X[keep], y[keep])
        apart.append(abs(found.decision_values[i] - without.predict(X[[i]])[0]))
    return {
        "estimator": name,
        "n": len(y),
        "paths": found.n_paths,
        "events": found.n_events,
        "leave-one-out ms": ms["leave"],
        "one SVR fit ms": ms["fit"],
        "leave-one-out / SVR fit": ms["leave"] / ms["fit"],
        "refits": len(apart),
        "largest difference from refits": float(max(apart)),
    }
