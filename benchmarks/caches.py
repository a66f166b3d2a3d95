"""Whether a larger cache of kernel columns ever costs time.

The paper's artificial example: `fit` at the first weights and the path to the new ones, with
caches from a few megabytes to several gigabytes. All sizes take turns in one process, and the
order is turned round each time, so that a busy moment of the machine hits all of them alike.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

import weightpath as wp

SIZES_MB = (50.0, 200.0, 1000.0, 2000.0, 4000.0)

# (rows, repetitions)
FULL = ((400, 25), (1600, 11), (6400, 7), (12_800, 5), (25_600, 3))
QUICK = ((40, 2), (80, 1))


def table(plan) -> list[dict]:
    return [row for n, repetitions in plan for row in measure(n, repetitions)]


def measure(n: int, repetitions: int, sizes_mb=SIZES_MB) -> list[dict]:
    """Time fit and path with every size of the cache; a row for each."""
    print(f"caches, n = {n}", file=sys.stderr, flush=True)
    data = wp.datasets.make_toy(n, random_state=0)
    fits: dict[float, list[float]] = {size: [] for size in sizes_mb}
    paths: dict[float, list[float]] = {size: [] for size in sizes_mb}
    for repetition in range(repetitions):
        for size in sizes_mb[:: 1 if repetition % 2 else -1]:
            fit, path = run(data, size)
            fits[size].append(fit)
            paths[size].append(path)
    rows: list[dict] = []
    for size in sizes_mb:
        row = {"n": n, "cache MB": size, "fit s": median(fits[size]), "path s": median(paths[size])}
        row["both s"] = median(a + b for a, b in zip(fits[size], paths[size], strict=True))
        # Beside the best of all smaller caches: above 1.1 a larger cache would be a loss.
        for name in ("path", "both"):
            smaller = [other[f"{name} s"] for other in rows]
            row[f"{name} / best smaller"] = row[f"{name} s"] / min(smaller) if smaller else 1.0
        rows.append(row)
    return rows


def run(data, size_mb: float) -> tuple[float, float]:
    """Return the seconds of a fit and of the path after it."""
    model = wp.SVC(C=data.C, gamma=data.gamma, cache_size=size_mb)
    begin = process_time()
    model.fit(data.X, data.y, sample_weight=data.w_old)
    fitted = process_time()
    model.reweight(data.w_new)
    return fitted - begin, process_time() - fitted
