"""Many rows: fits, reweightings and removals beside a fit of scikit-learn.

Every row of the table is measured in a process of its own, so that its memory is seen alone.
"""

from __future__ import annotations

import atexit
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from statistics import median
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import SVC, LinearSVC

import weightpath as wp
from benchmarks.own_process import answer_of, peak_mb
from benchmarks.turns import timed
from weightpath.engine import Options

# The data and their numbers of rows.
FULL = (
    ("Nystroem", 100_000),
    ("million", 1_000_000),
    ("mapped", 4_000_000),
    ("text", 4000),
    ("wide text", 4000),
    ("Gaussian", 50_000),
)
QUICK = (
    ("Nystroem", 600),
    ("million", 5000),
    ("mapped", 6000),
    ("text", 150),
    ("wide text", 150),
    ("Gaussian", 200),
)

# Rows that are removed one after the other, and the share that is reweighted or removed together.
REMOVALS = 5
SHARE = 100
FACTOR = 1.5

# Rows that are written to a file at a time.
BLOCK = 100_000

# With so many rows no rival is asked: it would take minutes.
RIVAL_ROWS = 200_000


class Case(NamedTuple):
    """Data, a model for them and, to be compared with, one of scikit-learn."""

    X: Any
    y: np.ndarray
    model: wp.SVC
    rival: Any


def table(plan) -> list[dict]:
    rows = []
    for name, n in plan:
        print(f"scale, {name}, n = {n}", file=sys.stderr, flush=True)
        rows.append(answer_of("benchmarks.scale", name, str(n)))
    return rows


def measure(name: str, n: int) -> dict:
    case = CASES[name](n)
    before, model = peak_mb(), case.model
    seconds, _ = timed(lambda: model.fit(case.X, case.y))
    random = np.random.default_rng(1)
    weight = np.ones(n)
    weight[random.choice(n, max(1, n // SHARE), replace=False)] = FACTOR
    touched, events = rows_touched(model, weight)
    reweighting, _ = timed(lambda: model.reweight(weight))
    violation = model.kkt_violation()
    removal = median(timed(partial(model.remove, [row]))[0] for row in rows_of(model, random))
    peak = peak_mb()
    left = model.training_set_.shape[0]
    many = random.choice(left, max(1, n // SHARE), replace=False)
    removals, _ = timed(lambda: model.remove(many))
    rival = None
    if n <= RIVAL_ROWS:
        rival, _ = timed(lambda: case.rival.fit(case.X, case.y))
    return {
        "data": name,
        "n": n,
        "features": case.X.shape[1],
        "margin": len(model.subproblems_[0].state.margin),
        "rival fit s": rival,
        "fit s": seconds,
        "fit / rival": None if rival is None else seconds / rival,
        "1 % reweighted s": reweighting,
        "reweighted / rival": None if rival is None else reweighting / rival,
        "events": events,
        "rows touched %": 100 * touched,
        "one row removed ms": 1e3 * removal,
        "1 % removed s": removals,
        "violation": max(violation, model.kkt_violation()),
        "data MB": data_mb(case.X),
        "peak MB": peak,
        "before MB": before,
    }


def rows_touched(model: wp.SVC, weight: np.ndarray) -> tuple[float, int]:
    """The mean share of the rows that an event of a reweighting looks at; its events."""
    (subproblem,) = model.subproblems_
    quantities = {**model.quantities_, "weight": model.C * weight}
    end = model.problem_.staircase(
        model.training_set_, subproblem.rows, subproblem.reading, quantities
    )
    _, trace = subproblem.follow(end, Options())
    events = trace.counts["n_events"]
    return trace.counts["rows_touched"] / (max(1, events) * len(weight)), events


def rows_of(model: wp.SVC, random: np.random.Generator) -> list[int]:
    # From the last to the first, so that the numbers of the others stay.
    support = np.flatnonzero(model.subproblems_[0].state.beta)
    chosen = random.choice(support, min(REMOVALS, support.size), replace=False)
    return sorted(chosen.tolist(), reverse=True)


def data_mb(X) -> float:
    arrays = (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)
    return sum(array.nbytes for array in arrays) / 1e6


# The data ---------------------------------------------------------------------------------------


def nystroem(n: int, rank: int = 200) -> Case:
    """A product of two of eight features plus noise, in a Gaussian kernel of low rank."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 8))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * random.normal(size=n) > 0, 1, -1)
    low = Nystroem(gamma=0.1, n_components=min(rank, n // 3), random_state=0).fit_transform(X)
    return linear_case(np.ascontiguousarray(low), y, 0.05)


def million(n: int, p: int = 100) -> Case:
    """Normal features in single precision, a noisy linear label."""
    random = np.random.default_rng(0)
    X = random.standard_normal((n, p), dtype=np.float32)
    normal = random.normal(size=p).astype(np.float32) / np.sqrt(p, dtype=np.float32)
    y = np.where(X @ normal + 0.5 * random.standard_normal(n) > 0, 1, -1)
    return linear_case(X, y, 1000.0 / n)


def mapped(n: int, p: int = 50) -> Case:
    """The same with fewer features, in a file that is mapped into memory."""
    file = Path(mkdtemp(), "X.npy")
    X = np.lib.format.open_memmap(file, "w+", np.float32, (n, p))
    random = np.random.default_rng(0)
    normal = random.normal(size=p).astype(np.float32) / np.sqrt(p, dtype=np.float32)
    y = np.empty(n, dtype=int)
    for first in range(0, n, BLOCK):
        rows = random.standard_normal((min(BLOCK, n - first), p), dtype=np.float32)
        X[first : first + BLOCK] = rows
        value = rows @ normal + 0.5 * random.standard_normal(len(rows))
        y[first : first + BLOCK] = np.where(value > 0, 1, -1)
    X.flush()
    atexit.register(rmtree, file.parent)
    return linear_case(np.load(file, mmap_mode="r"), y, 1000.0 / n)


def text(n: int, p: int = 20_000, words: int = 74) -> Case:
    """Words by Zipf's law, weighted by TF-IDF, with a noisy linear label."""
    random = np.random.default_rng(0)
    share = 1.0 / np.arange(1, p + 1) ** 0.9
    column = random.choice(p, size=n * words, p=share / share.sum())
    row = np.repeat(np.arange(n), words)
    counts = csr_matrix((np.ones(n * words), (row, column)), shape=(n, p))
    X = csr_matrix(TfidfTransformer().fit_transform(counts))
    y = np.where(X @ random.normal(size=p) + 0.3 * random.normal(size=n) > 0, 1, -1)
    return linear_case(X, y, 1.0)


def linear_case(X, y, C: float) -> Case:
    if not hasattr(X, "indptr"):
        # So that it is not copied.
        X.setflags(write=False)
    rival = LinearSVC(loss="hinge", C=C, max_iter=1_000_000)
    return Case(X, y, wp.SVC(kernel="linear", C=C), rival)


def gaussian(n: int) -> Case:
    X, y = make_classification(n, n_features=20, n_informative=8, random_state=0)
    X.setflags(write=False)
    return Case(X, y, wp.SVC(cache_size=1000), SVC(cache_size=1000))


CASES: dict[str, Callable[[int], Case]] = {
    "Nystroem": nystroem,
    "million": million,
    "mapped": mapped,
    "text": text,
    "wide text": lambda n: text(n, 100_000),
    "Gaussian": gaussian,
}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
