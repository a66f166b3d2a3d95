"""Small changes of a model against fitting it again: one weight, one more row, many of both.

The artificial data of the paper's section 4.1, all rows with C = 10. A row whose weight is halved
has a coefficient, as other rows cost less.
"""

from __future__ import annotations

import sys
from time import perf_counter, process_time

import numpy as np
from scipy.sparse import csr_array
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.speed import CACHE_MB
from benchmarks.turns import medians_ms, timed

# (rows, turns) of the changes one by one
FULL = ((400, 25), (1600, 15), (6400, 9))
QUICK = ((40, 2), (80, 2))

# (rows, paths, repetitions) of many changes in one call
BATCH_FULL = (400, 1000, 51)
BATCH_QUICK = (40, 30, 2)

# Changes in a turn, in which there is one fit.
CHANGES = 10


def table(plan) -> list[dict]:
    return [measure(n, turns) for n, turns in plan]


def measure(n: int, turns: int) -> dict:
    print(f"small changes, n = {n}", file=sys.stderr, flush=True)
    toy = wp.datasets.make_toy(n, random_state=0)
    changing = _OneWeight(toy)
    adding = _OneMore(toy, turns * CHANGES)

    def fit() -> float:
        model = SVC(C=toy.C, gamma=toy.gamma, cache_size=CACHE_MB)
        return timed(lambda: model.fit(toy.X, toy.y, sample_weight=toy.w_new))[0]

    ms = medians_ms(
        {"weight": changing, "add": adding, "fit": fit},
        turns,
        often={"weight": CHANGES, "add": CHANGES},
    )
    return {
        "n": n,
        "one weight ms": ms["weight"],
        "events of one weight, mean": float(np.mean(changing.events)),
        "one addition ms": ms["add"],
        "events of an addition, mean": float(np.mean(adding.events)),
        "one SVC fit ms": ms["fit"],
        "SVC fit / one weight": ms["fit"] / ms["weight"],
        "SVC fit / addition": ms["fit"] / ms["add"],
        "largest violation at the end": max(
            changing.model.kkt_violation(), adding.model.kkt_violation()
        ),
    }


def refitted(toy):
    """A model at the new weights, by a fit."""
    model = wp.SVC(C=toy.C, gamma=toy.gamma, cache_size=CACHE_MB)
    return model.fit(toy.X, toy.y, sample_weight=toy.w_new)


class _OneWeight:
    """Halves the weight of a row that has a coefficient; the way back is not timed."""

    def __init__(self, toy):
        self.model = refitted(toy)
        self.support, self.weight = self.model.support_, toy.w_new
        self.random, self.events = np.random.default_rng(0), []

    def __call__(self) -> float:
        changed = self.weight.copy()
        changed[self.random.choice(self.support)] *= 0.5
        seconds, path = timed(lambda: self.model.reweight(changed))
        self.events.append(path.n_events)
        self.model.reweight(self.weight)
        return seconds


class _OneMore:
    """Adds one new row after the other; each turn begins with a fresh fit, which is not timed."""

    def __init__(self, toy, count: int):
        new = wp.datasets.make_toy(count + (-count) % 4, random_state=1, like=toy)
        order = np.random.default_rng(1).permutation(len(new.y))
        self.rows = iter([(new.X[i : i + 1], new.y[i : i + 1]) for i in order])
        self.toy, self.events = toy, []

    def __call__(self) -> float:
        if len(self.events) % CHANGES == 0:
            self.model = refitted(self.toy)
        X, y = next(self.rows)
        seconds, path = timed(lambda: self.model.add(X, y))
        self.events.append(path.n_events)
        return seconds


def batch(plan) -> list[dict]:
    """Many changes of one weight each, in one call; with two threads by the clock."""
    n, count, repetitions = plan
    print(f"many changes, n = {n}", file=sys.stderr, flush=True)
    toy = wp.datasets.make_toy(n, random_state=0)
    model = refitted(toy)
    changes = one_weight_each(n, count)

    def follow(n_jobs: int, clock):
        return lambda: timed(lambda: wp.follow_many(model, changes, n_jobs=n_jobs), clock)[0]

    ms = medians_ms(
        {
            "work of one": follow(1, process_time),
            "work of two": follow(2, process_time),
            "one": follow(1, perf_counter),
            "two": follow(2, perf_counter),
        },
        repetitions,
    )
    many = wp.follow_many(model, changes, n_jobs=1)
    return [
        {
            "n": n,
            "paths": count,
            "events": int(many.n_events.sum()),
            "us each": 1e3 * ms["work of one"] / count,
            "us each, two threads": 1e3 * ms["work of two"] / count,
            "one thread, clock ms": ms["one"],
            "two threads, clock ms": ms["two"],
            "gain of two threads": ms["one"] / ms["two"],
        }
    ]


def one_weight_each(n: int, count: int) -> csr_array:
    """Return changes of weights of one: each takes one of them to somewhere between 0 and 2."""
    random = np.random.default_rng(0)
    rows = random.integers(n, size=count)
    return csr_array((random.uniform(-1.0, 1.0, count), (np.arange(count), rows)), (count, n))
