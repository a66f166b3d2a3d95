"""What a first exact solution costs, against scikit-learn's approximate ones.

Each data set is fitted by both in turns, with the same parameters and cache; scikit-learn stops at
its default tolerance, weightpath goes on to the exact solution. A linear kernel on many rows is
compared with LIBLINEAR, which penalises the bias, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.datasets import load_diabetes, load_digits

import weightpath as wp
from benchmarks.ordinary_data import ORDINARY
from benchmarks.speed import CACHE_MB

# (repetitions, rows of the artificial data, rows of the Gaussian and of the linear data, classes,
# rows of ordinary data)
FULL = (15, (400, 1600, 6400), 5000, 20_000, 10, None)
QUICK = (1, (40, 80), 60, 100, 3, 60)

# Repetitions of fits that take seconds.
SEVERAL = 5

# LIBLINEAR's passes over the data, enough to converge without a warning.
PASSES = 1_000_000


@dataclass(frozen=True)
class Case:
    """Data, and two estimators to fit to them; ``allowed`` is the ratio that is asked for."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    data: tuple
    weight: np.ndarray | None = None
    allowed: float = 1.0
    most_repetitions: int = 1000

    def seconds(self, make: Callable[[], Any]) -> tuple[float, Any]:
        model = make()
        begin = process_time()
        model.fit(*self.data, sample_weight=self.weight)
        return process_time() - begin, model


def alike(name: str, kind: str, data: tuple, weight=None, **options) -> Case:
    """Return a case in which both estimators have the same name and parameters."""
    options["cache_size"] = CACHE_MB
    ours, theirs = getattr(wp, kind), getattr(svm, kind)
    return Case(name, lambda: ours(**options), lambda: theirs(**options), data, weight)


def cases(plan) -> list[Case]:
    _, sizes, n_gaussian, n_linear, n_classes, n_ordinary = plan
    made = []
    for n in sizes:
        toy = wp.datasets.make_toy(n, random_state=0)
        options = {"C": toy.C, "gamma": toy.gamma}
        made.append(alike(f"artificial, n = {n}", "SVC", (toy.X, toy.y), toy.w_new, **options))
    random = np.random.default_rng(0)
    y = np.arange(n_gaussian) % 2
    X = random.normal(size=(n_gaussian, 10)) + np.where(y == 1, 0.5, -0.5)[:, None] / np.sqrt(10)
    made.append(alike(f"two Gaussians, {n_gaussian} x 10", "SVC", (X, y), gamma=0.1))
    X, y = load_digits(n_class=n_classes, return_X_y=True)
    made.append(alike(f"digits, {n_classes} classes", "SVC", (X, y)))
    made.append(alike("diabetes", "SVR", load_diabetes(return_X_y=True)))
    for case in ORDINARY:
        X, y = case.load(n_ordinary)
        name = f"{case.name}, {X.shape[0]} x {X.shape[1]}, {case.settings}"
        both = alike(name, case.estimator, (X, y), **case.options)
        made.append(replace(both, most_repetitions=SEVERAL))
    X = random.normal(size=(n_linear, 20))
    y = X @ random.normal(size=20) + 2.0 * random.normal(size=n_linear) > 0
    linear = {"kernel": "linear", "C": 0.01, "cache_size": CACHE_MB}
    made.append(
        Case(
            f"linear, {n_linear} x 20",
            lambda: wp.SVC(**linear),
            lambda: svm.LinearSVC(loss="hinge", C=0.01, max_iter=PASSES),
            (X, y),
            allowed=5.0,
        )
    )
    return made


def table(plan) -> list[dict]:
    return [measure(case, repetitions=plan[0]) for case in cases(plan)]


def measure(case: Case, repetitions: int) -> dict:
    print(f"fits, {case.name}", file=sys.stderr, flush=True)
    ours, theirs = [], []
    for _ in range(min(repetitions, case.most_repetitions)):
        seconds, model = case.seconds(case.ours)
        ours.append(seconds)
        theirs.append(case.seconds(case.theirs)[0])
    ms, their_ms = 1e3 * median(ours), 1e3 * median(theirs)
    return {
        "data": case.name,
        "estimator": type(model).__name__,
        "beside": type(case.theirs()).__name__,
        "weightpath fit ms": ms,
        "scikit-learn fit ms": their_ms,
        "weightpath / scikit-learn": ms / their_ms,
        "asked": case.allowed,
        "KKT violation": model.kkt_violation(),
    }
