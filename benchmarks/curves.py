"""Exact validation curves: what they cost beside the path, and where the best weights lie.

The artificial example of the paper's section 4.1 with 1,000 validation rows. The time of the
processor is taken, path and curves in turns.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

import numpy as np

from benchmarks.speed import fitted
from weightpath.datasets import make_toy

# (training rows, validation rows, repetitions)
FULL = (1600, 1000, 15)
QUICK = (80, 48, 2)

# (training rows, validation rows, data sets) of the paper's figure
EXAMPLE_FULL = (400, 1000, 10)
EXAMPLE_QUICK = (40, 48, 2)

METRICS = {
    "zero_one": {},
    "hinge": {},
    "auc": {},
    "average_precision": {},
    "ndcg": {"k": 10},
    "precision_at_k": {"k": 50},
}

# The paper's figure has the weight of the rows of cost 1 on its axis, from 0 to this.
LARGEST = 10.0


def table(plan) -> list[dict]:
    n, n_validation, repetitions = plan
    print(f"curves, n = {n}", file=sys.stderr, flush=True)
    train = make_toy(n, random_state=0)
    new = make_toy(n_validation, random_state=1, like=train)
    paths, seconds = [], {metric: [] for metric in METRICS}
    for _ in range(repetitions):
        model = fitted(train)
        begin = process_time()
        path = model.reweight(train.w_new)
        paths.append(process_time() - begin)
        curves = {}
        for metric, options in METRICS.items():
            begin = process_time()
            curves[metric] = path.curve(new.X, new.y, metric, **options)
            seconds[metric].append(process_time() - begin)
    path_ms = 1e3 * median(paths)
    return [
        {
            "metric": metric,
            "n": n,
            "validation rows": n_validation,
            "segments of the path": len(path),
            "intervals of the curve": len(curves[metric]),
            "path ms": path_ms,
            "curve ms": 1e3 * median(seconds[metric]),
            "curve / path": 1e3 * median(seconds[metric]) / path_ms,
        }
        for metric in METRICS
    ]


def example(plan) -> list[dict]:
    n, n_validation, n_sets = plan
    rows = []
    for seed in range(n_sets):
        train = make_toy(n, random_state=seed)
        new = make_toy(n_validation, random_state=1000 + seed, like=train)
        model = fitted(train)
        path = model.reweight(train.w_new)
        curve = path.curve(new.X, new.y, "zero_one", new.cost)
        best = curve.best
        low, high = (LARGEST * end for end in best.interval)
        near = curve(np.linspace(0.0, 1.0, 1001)) <= best.value * 1.02
        span = LARGEST * np.flatnonzero(near)[[0, -1]] / 1000
        rows.append(
            {
                "data set": seed,
                "intervals": len(curve),
                "error at C1 = 0": curve(0.0),
                "error at C1 = 10": curve(1.0),
                "lowest error": best.value,
                "best C1 from": low,
                "to": high,
                "within 2 % of it from": float(span[0]),
                "up to": float(span[1]),
            }
        )
    return rows
