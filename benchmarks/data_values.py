"""Shapley and Banzhaf values of rows beside refits of scikit-learn, in one thread.

The toy data, 200 rows to train on and 200 to validate on, accuracy. Refits are measured along some
permutations and scaled up; on these the models are compared, too.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
from sklearn import svm

import weightpath as wp
from benchmarks.turns import timed

# (rows, permutations or subsets, permutations that are refitted)
FULL = (200, 1000, 4)
QUICK = (40, 4, 1)

CASES = ({"C": 10.0, "gamma": 0.5}, {"C": 1.0, "gamma": 5.0})


def table(plan) -> list[dict]:
    n, count, refitted = plan
    train = wp.datasets.make_toy(n, random_state=0)
    new = wp.datasets.make_toy(n, random_state=1, like=train)
    return [measure(case, train, new, count, refitted) for case in CASES]


def measure(case: dict, train, new, count: int, refitted: int) -> dict:
    print(f"data values, {case}", file=sys.stderr, flush=True)
    given = (wp.SVC(**case), train.X, train.y, new.X, new.y, "accuracy", count, 0)
    seconds, shapley = timed(lambda: wp.data_shapley(*given))
    banzhaf_seconds, _ = timed(lambda: wp.data_banzhaf(*given))
    two = wp.data_shapley(*given[:6], min(count, 20), 0, n_jobs=2)
    one = wp.data_shapley(*given[:6], min(count, 20), 0, n_jobs=1)
    refit_seconds, differences = refits(case, train, new, refitted)
    scaled = refit_seconds / refitted * count
    return {
        "model": f"C = {case['C']:g}, gamma = {case['gamma']:g}",
        "n": len(train.y),
        "permutations": count,
        "Shapley s": seconds,
        "us an addition": 1e6 * seconds / shapley.n_steps,
        "Banzhaf s": banzhaf_seconds,
        "SVC refits s": scaled,
        "refits / Shapley": scaled / seconds,
        "largest standard error": float(shapley.standard_errors.max()),
        "equal on two threads": "yes" if (one.values == two.values).all() else "NO",
        "largest difference of a worth": differences,
    }


def refits(case: dict, train, new, count: int) -> tuple[float, float]:
    """Return the seconds of refits along permutations, and how far the worths are from ours."""
    seconds, worst = 0.0, 0.0
    for seed in range(count):
        order, worths = own_worths(case, train, new, seed)
        begin = process_time()
        worths_of_refits(svm.SVC(**case), train, new, order)
        seconds += process_time() - begin
        # Fits of the library: scikit-learn puts a bias that is not unique elsewhere.
        exact = worths_of_refits(wp.SVC(**case), train, new, order)
        worst = max(worst, float(np.abs(worths - exact).max()))
    return seconds, worst


def worths_of_refits(model, train, new, order) -> np.ndarray:
    """Return the accuracy of a refit for each beginning of a permutation."""
    worths = []
    for k in range(1, len(order) + 1):
        rows = order[:k]
        if len(set(train.y[rows])) == 1:
            predicted = train.y[rows[0]]
        else:
            predicted = model.fit(train.X[rows], train.y[rows]).predict(new.X)
        worths.append(np.mean(predicted == new.y))
    return np.array(worths)


def own_worths(case: dict, train, new, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return one permutation of `data_shapley`, and the worths along it: sums of its gains."""
    found = wp.data_shapley(wp.SVC(**case), train.X, train.y, new.X, new.y, "accuracy", 1, seed)
    own = int(np.random.RandomState(seed).randint(0, 2**31 - 1, size=1)[0])
    order = np.random.default_rng(own).permutation(len(train.y))
    return order, found.empty_worth + np.cumsum(found.values[order])
