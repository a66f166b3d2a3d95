"""The path over C, one C for all rows, against one fit at its end.

The artificial data of the paper's section 4.1; C goes from 0.001 to 10.
"""

from __future__ import annotations

import sys

from sklearn.svm import SVC

import weightpath as wp
from benchmarks.speed import CACHE_MB
from benchmarks.turns import medians_ms, timed

# (rows, repetitions)
FULL = ((400, 25), (1600, 15), (6400, 9))
QUICK = ((40, 2), (80, 2))

SMALLEST_C, LARGEST_C = 1e-3, 10.0


def table(plan) -> list[dict]:
    return [measure(n, repetitions) for n, repetitions in plan]


def measure(n: int, repetitions: int) -> dict:
    print(f"C path, n = {n}", file=sys.stderr, flush=True)
    toy = wp.datasets.make_toy(n, random_state=0)
    options = {"gamma": toy.gamma, "cache_size": CACHE_MB}

    def follow():
        model = wp.SVC(C=SMALLEST_C, **options).fit(toy.X, toy.y)
        return timed(lambda: model.move(C=LARGEST_C))

    def fit() -> float:
        model = SVC(C=LARGEST_C, **options)
        return timed(lambda: model.fit(toy.X, toy.y))[0]

    path = follow()[1]
    ms = medians_ms({"path": lambda: follow()[0], "fit": fit}, repetitions)
    return {
        "n": n,
        "events": path.n_events,
        "path ms": ms["path"],
        "us an event": 1e3 * ms["path"] / max(1, path.n_events),
        "one SVC fit ms": ms["fit"],
        "path / SVC fit": ms["path"] / ms["fit"],
        "violation of the path": path.kkt_violation(),
    }
