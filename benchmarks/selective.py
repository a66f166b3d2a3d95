"""Selective inference of the lasso beside parametric-si, the code of the method's authors.

It is installed by ``pip install --no-deps parametric-si portion sortedcontainers`` (one of the
packages that it names has gone); without it the columns about it are empty. Both select, find all
p-values and 95 % intervals, in turns and in one thread.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
from scipy.stats import kstest

import weightpath as wp
from weightpath import inference

# (rows, features, alpha), how many problems of each, and how many p-values under the null
FULL = (((60, 10, 0.1), (100, 20, 0.1), (100, 50, 0.15), (200, 100, 0.15)), 20, 10_000)
QUICK = (((40, 5, 0.2),), 2, 30)

# Beyond so many standard deviations the sums of parametric-si lose their digits.
FAR = 5.0


def table(plan) -> list[dict]:
    cases, count, _ = plan
    return [measure(*case, count) for case in cases]


def measure(n: int, p: int, alpha: float, count: int) -> dict:
    print(f"selective, n = {n}, p = {p}", file=sys.stderr, flush=True)
    other = parametric_si()
    own_seconds, other_seconds, apart = 0.0, 0.0, 0.0
    features = events = unanswered = 0
    for seed in range(count + 1):
        X, y = problem(seed, n, p)
        begin = process_time()
        model = wp.Lasso(alpha=alpha, fit_intercept=False).fit(X, y)
        found = inference.selective(model, 1.0)
        middle = process_time()
        try:
            expected = other.parametric_lasso_si(X, y, alpha) if other else None
        except ValueError:
            # Its search for an interval meets a quotient of zeros.
            unanswered += 1
            continue
        end = process_time()
        if seed == 0:
            continue  # first calls load what is used
        own_seconds += middle - begin
        other_seconds += end - middle
        features, events = features + len(found), events + found.n_events
        if expected is not None and len(found):
            near = np.abs(found.estimates / found.standard_errors) < FAR
            differences = np.abs(found.p_values - np.array(expected.p_values, dtype=float))
            apart = max(apart, float(differences[near].max(initial=0.0)))
    ratio = other_seconds / own_seconds
    return {
        "n": n,
        "p": p,
        "problems": count,
        "unanswered": unanswered,
        "features": features,
        "events": events,
        "ms a feature": 1e3 * own_seconds / features,
        "parametric-si ms a feature": 1e3 * other_seconds / features if other else float("nan"),
        "parametric-si / weightpath": ratio if other else float("nan"),
        "largest difference of p-values": apart if other else float("nan"),
    }


def null(plan) -> list[dict]:
    """p-values under the null, one of each problem: they are uniform."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 6))
    rows = []
    for condition in ("set", "signs"):
        print(f"selective, null, {condition}", file=sys.stderr, flush=True)
        p_values = []
        while len(p_values) < plan[2]:
            model = wp.Lasso(alpha=0.15).fit(X, rng.normal(size=30))
            if len(model.active_):
                found = inference.selective(model, 1.0, condition=condition)
                p_values.append(found.p_values[rng.integers(len(found))])
        test = kstest(p_values, "uniform")
        rows.append(
            {
                "given": condition,
                "p-values": len(p_values),
                "Kolmogorov-Smirnov": float(test.statistic),
                "p-value of uniform": float(test.pvalue),
                "share below 0.05": float(np.mean(np.array(p_values) < 0.05)),
            }
        )
    return rows


def problem(seed: int, n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, :4] @ np.full(4, 0.3) + rng.normal(size=n)


def parametric_si():
    # It uses a name that NumPy 2 has dropped.
    if not hasattr(np, "Inf"):
        vars(np)["Inf"] = np.inf
    try:
        import parametric_si
    except ImportError:
        return None
    return parametric_si
