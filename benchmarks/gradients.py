"""Gradients with respect to the weights of all rows, against fits.

Decision values of 100 new rows, with a random cotangent, after a fit of 1,600 rows with random
weights: the paper's toy data, 20 features with a large margin, and the same as a regression. All
run in one thread and in turns, and the time of the processor is taken.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import svm

import weightpath as wp
from benchmarks.turns import medians_ms, timed

# (rows, repetitions)
FULL = (1600, 15)
QUICK = (80, 2)

N_NEW = 100
# Half the width of central differences; where two of them differ by more than this fraction, there
# is a breakpoint nearby.
WIDTH = 1e-4
SMOOTH = 2e-8


def table(plan) -> list[dict]:
    n, repetitions = plan
    return [measure(name, n, repetitions) for name in ("toy", "20 features", "regression")]


def measure(name: str, n: int, repetitions: int) -> dict:
    print(f"gradients, {name}", file=sys.stderr, flush=True)
    X, y, new, ours, theirs = problem(name, n)
    random = np.random.default_rng(1)
    weight, cotangent = random.uniform(0.5, 1.5, n), random.normal(size=N_NEW)
    model = ours().fit(X, y, weight)
    times = medians_ms(
        {
            "fit": lambda: seconds(lambda: ours().fit(X, y, weight)),
            "sklearn": lambda: seconds(lambda: theirs().fit(X, y, weight)),
            "gradient": lambda: seconds(lambda: model.gradient(new, cotangent)),
            "values": lambda: seconds(lambda: evaluated(model, new)),
        },
        repetitions,
        {"gradient": 5, "values": 5},
    )
    return {
        "data": name,
        "n": n,
        "margin": len(model.subproblems_[0].state.margin),
        "gradient ms": times["gradient"],
        "decision values ms": times["values"],
        "fit ms": times["fit"],
        "scikit-learn fit ms": times["sklearn"],
        "% of a fit": 100.0 * times["gradient"] / times["fit"],
        "% of scikit-learn's fit": 100.0 * times["gradient"] / times["sklearn"],
        "largest difference from fits": error(model, ours, X, y, weight, new, cotangent),
    }


def problem(name: str, n: int) -> tuple[Any, ...]:
    """Return rows, labels or targets, new rows, and what makes estimators of both libraries."""
    random = np.random.default_rng(0)
    if name == "toy":
        toy = wp.datasets.make_toy(n, random_state=0)
        new = wp.datasets.make_toy(N_NEW, random_state=1, like=toy).X
        options = {"C": 1.0, "gamma": 0.5}
        return toy.X, toy.y, new, lambda: wp.SVC(**options), lambda: svm.SVC(**options)
    X, new = random.normal(size=(n, 20)), random.normal(size=(N_NEW, 20))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n)
    options = {"C": 1.0, "gamma": 0.05}
    if name == "regression":
        return X, score, new, lambda: wp.SVR(**options), lambda: svm.SVR(**options)
    y = np.where(score > 0, 1, -1)
    return X, y, new, lambda: wp.SVC(**options), lambda: svm.SVC(**options)


def evaluated(model: Any, X: Any) -> Any:
    return (getattr(model, "decision_function", None) or model.predict)(X)


def error(model, ours, X, y, weight, new, cotangent, n_judged: int = 8) -> float:
    """Return the largest difference from central differences of fits, relative to the gradient."""
    found = model.gradient(new, cotangent)["sample_weight"]
    worst, scale = 0.0, float(np.abs(found).max())
    for i in np.random.default_rng(2).choice(np.flatnonzero(found), n_judged, replace=False):
        slopes = []
        for width in (WIDTH, 0.5 * WIDTH):
            ends = []
            for sign in (1.0, -1.0):
                moved = weight.copy()
                moved[i] += sign * width
                ends.append(cotangent @ evaluated(ours().fit(X, y, moved), new))
            slopes.append((ends[0] - ends[1]) / (2.0 * width))
        if abs(slopes[0] - slopes[1]) <= SMOOTH * scale:
            # No breakpoint nearby.
            worst = max(worst, abs(slopes[1] - found[i]) / scale)
    return worst


def seconds(call: Callable[[], Any]) -> float:
    return timed(call)[0]
