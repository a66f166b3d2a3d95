"""Paths on which most rows, and at the end almost all, are on the margin.

Support vector regression of noisy targets with a narrow tube: as C grows the function comes near
every target. At the end of the path a reweighting follows that is too small for an event, so that
what surrounds the events is seen alone.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import make_friedman1

import weightpath as wp
from benchmarks.turns import medians_ms, timed

# (rows, first C, last C, repetitions)
FULL = (2000, 25.0, 1000.0, 3)
QUICK = (60, 1.0, 5.0, 2)

EPSILON = 0.01
# How far, relatively, weights are moved that must not reach an event.
SMALL = 1e-8
# Reweightings without events in a turn, in which there is one path.
MOVES = 5


def table(plan) -> list[dict]:
    n, first, last, repetitions = plan
    print(f"large margins, n = {n}", file=sys.stderr, flush=True)
    X, y = make_friedman1(n, noise=1.0, random_state=0)
    random = np.random.default_rng(0)
    kept: dict = {}

    def follow() -> float:
        model = wp.SVR(C=first, epsilon=EPSILON).fit(X, y)
        seconds, path = timed(lambda: model.move(C=last))
        kept.update(model=model, path=path)
        return seconds

    def still() -> float:
        weight = 1.0 + SMALL * random.uniform(size=n)
        seconds, path = timed(lambda: kept["model"].reweight(weight))
        if path.n_events:
            raise RuntimeError(f"{path.n_events} events where there should be none.")
        return seconds

    ms = medians_ms({"path": follow, "still": still}, repetitions, often={"still": MOVES})
    path, model = kept["path"], kept["model"]
    margins = path.margin_size()[1]
    return [
        {
            "n": n,
            "C": f"{first:g} to {last:g}",
            "first margin": int(margins[0]),
            "last margin": int(margins[-1]),
            "events": path.n_events,
            "path ms": ms["path"],
            "ms an event": ms["path"] / max(1, path.n_events),
            "no events ms": ms["still"],
            "violation of the path": path.kkt_violation(),
            "violation at the end": model.kkt_violation(),
        }
    ]
