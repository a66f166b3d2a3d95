"""The toy data of the paper with very many rows: the whole path beside one fit of scikit-learn.

A fit of scikit-learn takes minutes at the largest size: everything is timed once.
"""

from __future__ import annotations

import sys
from time import process_time

from sklearn.svm import SVC

import weightpath as wp

# Rows and megabytes of kernel columns, for both.
FULL = ((25_600, 200.0), (25_600, 2000.0), (100_000, 1000.0))
QUICK = ((400, 200.0),)


def table(plan) -> list[dict]:
    return [measure(n, cache_mb) for n, cache_mb in plan]


def measure(n: int, cache_mb: float) -> dict:
    print(f"large toy, n = {n}, cache of {cache_mb:g} MB", file=sys.stderr, flush=True)
    data = wp.datasets.make_toy(n, random_state=0)
    model = wp.SVC(C=data.C, gamma=data.gamma, cache_size=cache_mb)
    rival = SVC(C=data.C, gamma=data.gamma, cache_size=cache_mb)
    begin = process_time()
    model.fit(data.X, data.y, sample_weight=data.w_old)
    fitted = process_time()
    path = model.reweight(data.w_new)
    followed = process_time()
    rival.fit(data.X, data.y, sample_weight=data.w_new)
    refit = process_time() - followed
    return {
        "n": n,
        "cache MB": cache_mb,
        "fit s": fitted - begin,
        "path s": followed - fitted,
        "events": path.n_events,
        "us an event": 1e6 * (followed - fitted) / max(1, path.n_events),
        "scikit-learn fit s": refit,
        "paths a scikit-learn fit": refit / (followed - fitted),
        "violation": model.kkt_violation(),
    }
