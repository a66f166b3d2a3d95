"""Arrivals at an online model against fitting its window again.

A stream of ``make_classification`` with 20 features, 8 of them informative; the window has 1,000
rows, the weights are those of the default forgetting, all parameters are the defaults. The refit
is of the same window with the same weights.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.turns import medians_ms, timed

# (rows of the window, turns)
FULL = (1000, 25)
QUICK = (60, 2)

# Rows that arrive together, and arrivals in a turn, in which there is one refit.
AT_ONCE = {1: 4, 20: 2}


def make_stream(n: int):
    return make_classification(n, 20, n_informative=8, random_state=0)


def table(plan) -> list[dict]:
    return [measure(*plan, at_once, often) for at_once, often in AT_ONCE.items()]


def measure(window: int, turns: int, at_once: int, often: int) -> dict:
    print(f"online, {at_once} at once", file=sys.stderr, flush=True)
    X, y = make_stream(window + at_once * often * turns)
    model = wp.OnlineSVC(window=window).fit(X[:window], y[:window])
    margins, events = [], []

    def arrive() -> float:
        new = slice(model.n_seen_, model.n_seen_ + at_once)
        seconds = timed(lambda: model.partial_fit(X[new], y[new]))[0]
        events.append(model.path_.n_events)
        margins.append(model.path_.margin_size()[1][-1])
        return seconds

    def refit() -> float:
        rival = SVC(C=model.C, gamma=model.gamma_, cache_size=model.cache_size)
        data = model.window_X_, model.window_y_, model.window_weight_
        return timed(lambda: rival.fit(*data))[0]

    ms = medians_ms({"arrival": arrive, "refit": refit}, turns, often={"arrival": often})
    return {
        "window": window,
        "arrivals at once": at_once,
        "times": len(events),
        "events, mean": float(np.mean(events)),
        "margin, mean": float(np.mean(margins)),
        "arrival ms": ms["arrival"],
        "scikit-learn refit ms": ms["refit"],
        "refit / arrival": ms["refit"] / ms["arrival"],
        "violation at the end": model.svc_.kkt_violation(),
    }
