"""How the time of an event grows with the rows, with sleeping rows and without.

With a linear kernel the second is what whole columns take, as long as there are rows.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from weightpath.engine import Options, first_solution, follow, solve
from weightpath.kernels import Kernel
from weightpath.kernels._feature_columns import FeatureColumns
from weightpath.kernels._feature_rows import FeatureRows
from weightpath.problems import hinge_staircase

# Rows, features, the largest number of rows that whole columns are asked for.
FULL = ((4000, 16_000, 64_000, 250_000, 1_000_000), 50, 64_000)
QUICK = ((300, 600), 5, 600)

# The weights of so many rows change, so that there are some hundred events at every size.
MOVED = 2000
CACHE_MB = 400.0


def table(plan) -> list[dict]:
    sizes, p, most = plan
    return [measure(n, p, n <= most) for n in sizes]


def measure(n: int, p: int, compares: bool) -> dict:
    print(f"growth, n = {n}", file=sys.stderr, flush=True)
    random = np.random.default_rng(0)
    X = random.standard_normal((n, p), dtype=np.float32)
    normal = random.normal(size=p).astype(np.float32) / np.sqrt(p, dtype=np.float32)
    y = np.where(X @ normal + 0.5 * random.standard_normal(n) > 0, 1.0, -1.0)
    # As many rows as there are share the same weight.
    weight = np.full(n, 1000.0 / n)
    start = hinge_staircase(y, weight)
    moved = random.choice(n, min(n, MOVED), replace=False)
    weight[moved] *= random.uniform(0.0, 2.0, moved.size)
    end, kernel = hinge_staircase(y, weight), Kernel("linear")
    columns = FeatureColumns(FeatureRows(X), kernel, CACHE_MB)
    state = solve(columns, start, *first_solution(columns, start, 1e-3))
    asleep, trace = us_an_event(columns, start, end, state)
    row = {
        "n": n,
        "features": p,
        "events": trace.counts["n_events"],
        "mean margin": trace.counts["margin_sum"] / max(1, trace.counts["n_events"]),
        "rows touched %": 100
        * trace.counts["rows_touched"]
        / (n * max(1, trace.counts["n_events"])),
        "us an event": asleep,
        "us an event, whole columns": None,
    }
    if compares:
        columns = kernel.columns(X, CACHE_MB)
        state = solve(columns, start, state.beta, state.bias)
        row["us an event, whole columns"], _ = us_an_event(columns, start, end, state)
    return row


def us_an_event(columns, start, end, state):
    begin = process_time()
    trace = follow(columns, start, end, state, Options())
    return 1e6 * (process_time() - begin) / max(1, trace.counts["n_events"]), trace
