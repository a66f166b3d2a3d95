"""From raw rows to a chosen model: fit, reweight, curve and search, on data of ordinary kinds.

Each line is a pipeline as a user would write it, with its training rows and rows to judge by.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from benchmarks.own_process import answer_of, peak_mb
from benchmarks.scale import text
from benchmarks.turns import timed
from weightpath.datasets import DataNotFoundError, load_spambase

__all__ = ["CASES", "FULL", "QUICK", "measure", "table"]

FULL = (("spambase", 4601), ("covtype-like", 50_000), ("text-like", 4000))
QUICK = (("spambase", 150), ("covtype-like", 300), ("text-like", 150))

# One row out of so many judges the others; the search has so many folds.
HELD_OUT = 4
FOLDS = 3

# Every weight moves by up to this part.
MOVED = 0.2


class Case(NamedTuple):
    """Rows, labels and what is fitted to them."""

    X: Any
    y: np.ndarray
    pipeline: Any


def table(plan) -> list[dict]:
    rows = []
    for name, n in plan:
        print(f"end-to-end, {name}, n = {n}", file=sys.stderr, flush=True)
        rows.append(answer_of("benchmarks.end_to_end", name, str(n)))
    return rows


def measure(name: str, n: int) -> dict:
    """Go all the way with one set of data, and time each part."""
    case = CASES[name](n)
    held_out = np.arange(case.X.shape[0]) % HELD_OUT == 0
    X, y = case.X[~held_out], case.y[~held_out]
    X_new, y_new = case.X[held_out], case.y[held_out]
    weight = np.random.default_rng(1).uniform(1.0 - MOVED, 1.0 + MOVED, len(y))
    pipeline = clone(case.pipeline)
    fitting, _ = timed(lambda: pipeline.fit(X, y))
    before = pipeline[-1].kkt_violation()
    following, path = timed(lambda: wp.reweight(pipeline, weight))
    reading, curve = timed(lambda: path.curve(X_new, y_new, "zero_one"))
    search = wp.PathSearchCV(clone(case.pipeline), cv=FOLDS)
    searching, _ = timed(lambda: search.fit(X, y, start=np.ones(len(y)), end=weight))
    return {
        "data": name,
        "n": len(y),
        "features": X.shape[1],
        "margin": len(pipeline[-1].subproblems_[0].state.margin),
        "fit s": fitting,
        "reweight s": following,
        "events": path.n_events,
        "curve s": reading,
        "least error": float(curve.best.value),
        "search s": searching,
        "violation": max(before, path.kkt_violation(0.0), path.kkt_violation(1.0)),
        "peak MB": peak_mb(),
    }


# The data ---------------------------------------------------------------------------------------


def spambase(n: int) -> Case:
    """Spambase, where it is found, in the units it has; otherwise rows of the same kind."""
    model = make_pipeline(StandardScaler(), wp.SVC(C=1.0, gamma=1.0 / 57.0))
    try:
        data = load_spambase()
        X, y = data.data, data.target
    except DataNotFoundError:
        X, y = spambase_like()
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return Case(X[rows], y[rows], model)


def spambase_like(n: int = 4601) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies of words, mostly zero, and three counts that reach into the thousands."""
    random = np.random.default_rng(0)
    y = (random.random(n) < 0.4).astype(int)
    rate = random.exponential(0.3, (2, 54))
    words = random.exponential(1.0, (n, 54)) * (random.random((n, 54)) < 0.2) * 4.0 * rate[y]
    counts = np.exp(random.normal([1.0, 2.5, 4.5], 1.0, (n, 3)) + 0.7 * y[:, None])
    return np.column_stack([np.round(words, 2), np.round(counts, 3)]), y


def covtype_like(n: int) -> Case:
    """Ten measurements in their own units, and 44 columns of zeros and ones."""
    random = np.random.default_rng(0)
    middle = [2960, 156, 14, 270, 46, 2350, 212, 223, 142, 1980]
    spread = [280, 112, 7.5, 212, 58, 1559, 27, 20, 38, 1324]
    measured = np.round(random.normal(middle, spread, (n, 10)))
    area, soil = random.integers(0, 4, n), random.integers(0, 40, n)
    marks = np.zeros((n, 44))
    marks[np.arange(n), area] = marks[np.arange(n), 4 + soil] = 1.0
    height = (measured[:, 0] - 2960) / 280 + random.normal(size=40)[soil] + 0.5 * (area - 1.5)
    y = np.where(height + 0.7 * random.normal(size=n) > 0.0, 2, 1)
    X = np.hstack([measured, marks])
    return Case(X, y, make_pipeline(StandardScaler(), wp.SVC(kernel="linear", C=0.01)))


def text_like(n: int) -> Case:
    """Texts of 74 words out of 100,000, weighted by TF-IDF."""
    X, y, model, _ = text(n, 100_000)
    return Case(X, y, make_pipeline(model))


CASES: dict[str, Callable[[int], Case]] = {
    "spambase": spambase,
    "covtype-like": covtype_like,
    "text-like": text_like,
}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
