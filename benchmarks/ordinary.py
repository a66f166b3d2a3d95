"""A path over all weights against one fit, on data whose margins are large.

After a fit with equal weights all of them go to others, uniform between 0.5 and 1.5. Beside it,
one fit of scikit-learn at the new weights, with the same parameters, kernel and cache.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn import svm

import weightpath as wp
from benchmarks.ordinary_data import OrdinaryCase
from benchmarks.turns import medians_ms, timed
from weightpath.datasets import DataNotFoundError

# (repetitions, rows at most)
FULL = (5, None)
QUICK = (1, 60)

ABSENT = "-"


def table(plan, cases: tuple[OrdinaryCase, ...]) -> list[dict]:
    """Measure the cases; one whose data are not there is a line that says so."""
    repetitions, n = plan
    rows: list[dict] = []
    for case in cases:
        print(f"ordinary data, {case.name}, {case.settings}", file=sys.stderr, flush=True)
        try:
            X, y = case.load(n)
        except DataNotFoundError:
            print(f"{case.name}: skipped, its files are not there", file=sys.stderr, flush=True)
            name = f"{case.name}: skipped, not in the folder that WEIGHTPATH_DATA names"
            rows.append({**dict.fromkeys(rows[0], ABSENT), "data": name})
        else:
            rows.append(measure(case, X, y, repetitions))
    return rows


def measure(case: OrdinaryCase, X, y, repetitions: int) -> dict:
    ours, theirs = getattr(wp, case.estimator), getattr(svm, case.estimator)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    fits = []

    def follow():
        seconds, model = timed(lambda: ours(**case.options).fit(X, y))
        fits.append(seconds)
        return timed(lambda: model.reweight(weight))

    def refit() -> float:
        model = theirs(**case.options)
        return timed(lambda: model.fit(X, y, sample_weight=weight))[0]

    path = follow()[1]
    ms = medians_ms({"path": lambda: follow()[0], "fit": refit}, repetitions)
    margins = path.margin_size()[1]
    return {
        "data": case.name,
        "estimator": case.settings,
        "n": len(y),
        "events": path.n_events,
        "mean margin": float(np.mean(margins)),
        "weightpath fit ms": 1e3 * float(np.median(fits)),
        "path ms": ms["path"],
        "ms an event": ms["path"] / max(1, path.n_events),
        "scikit-learn fit ms": ms["fit"],
        "path / scikit-learn fit": ms["path"] / ms["fit"],
        "asked": ABSENT if case.asked is None else f"{case.asked:g}",
        "violation of the path": path.kkt_violation(),
    }
