"""How the time of an event grows with the rows, with sleeping rows and without.

Without them a linear kernel has whole columns, as long as there are rows, and a Gaussian one looks
at all rows at every event.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from weightpath.datasets import make_toy
from weightpath.engine import Options, first_solution, follow, solve
from weightpath.kernels import Kernel
from weightpath.kernels._feature_columns import FeatureColumns
from weightpath.kernels._feature_rows import FeatureRows
from weightpath.problems import hinge_staircase

# A linear kernel: rows, features, the largest number of rows that whole columns are asked for. A
# Gaussian kernel: rows of the toy data.
FULL = (
    ((4000, 16_000, 64_000, 250_000, 1_000_000), 50, 64_000),
    (1600, 6400, 25_600, 100_000),
)
QUICK = (((300, 600), 5, 600), (300, 1200))

# The weights of so many rows change, so that there are some hundred events at every size.
MOVED = 2000
CACHE_MB = 400.0
TOY_CACHE_MB = 1000.0


def table(plan) -> list[dict]:
    (sizes, p, most), toy_sizes = plan
    return [linear(n, p, n <= most) for n in sizes] + [gaussian(n) for n in toy_sizes]


def gaussian(n: int) -> dict:
    """The toy data of the paper; some of the weights move as there."""
    print(f"growth, Gaussian, n = {n}", file=sys.stderr, flush=True)
    toy, random = make_toy(n, random_state=0), np.random.default_rng(0)
    weight = toy.C_old.copy()
    start = hinge_staircase(toy.y, weight)
    moved = random.choice(n, min(n, MOVED), replace=False)
    weight[moved] = toy.C_new[moved]
    end, kernel = hinge_staircase(toy.y, weight), Kernel("rbf", gamma=toy.gamma)
    columns = kernel.columns(toy.X, TOY_CACHE_MB)
    state = solve(columns, start, *first_solution(columns, start, 1e-3))
    us = {}
    for sleep in (True, False):
        # Columns that nobody has asked for yet.
        fresh = kernel.columns(toy.X, TOY_CACHE_MB)
        options = Options(sleep=sleep)
        us[sleep], trace = us_an_event(fresh, start, end, state, options)
        if sleep:
            row = row_of("Gaussian", toy.X, trace)
    return {**row, "us an event": us[True], "us an event, none asleep": us[False]}


def row_of(kernel: str, X: np.ndarray, trace) -> dict:
    events = max(1, trace.counts["n_events"])
    return {
        "kernel": kernel,
        "n": X.shape[0],
        "features": X.shape[1],
        "events": trace.counts["n_events"],
        "mean margin": trace.counts["margin_sum"] / events,
        "rows touched %": 100 * trace.counts["rows_touched"] / (X.shape[0] * events),
    }


def linear(n: int, p: int, compares: bool) -> dict:
    """Normal features in single precision, a noisy linear label."""
    print(f"growth, linear, n = {n}", file=sys.stderr, flush=True)
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
        **row_of("linear", X, trace),
        "us an event": asleep,
        "us an event, none asleep": None,
    }
    if compares:
        columns = kernel.columns(X, CACHE_MB)
        state = solve(columns, start, state.beta, state.bias)
        row["us an event, none asleep"], _ = us_an_event(columns, start, end, state)
    return row


def us_an_event(columns, start, end, state, options=None):
    begin = process_time()
    trace = follow(columns, start, end, state, options or Options())
    return 1e6 * (process_time() - begin) / max(1, trace.counts["n_events"]), trace
