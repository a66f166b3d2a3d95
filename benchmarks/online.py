"""Arrivals at an online model against fitting its window again.

A stream of ``make_classification`` with 20 features, 8 of them informative; the window has 1,000
rows, the weights are those of the default forgetting, all parameters are the defaults. The refit
is of the same window with the same weights. A refit leaves nothing of the model in the processor's
caches, so arrivals are timed twice: with a refit after every few of them, and many in a row, as a
stream has them. By default the end of the way is found without the way, which is followed when it
is read; some turns follow it at once.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.turns import medians_ms, timed

# Rows of the window; rows that arrive together, arrivals in a row, after which there is one refit,
# how often that is done, and whether the path is followed at once.
FULL = (
    1000,
    (
        (1, 4, 25, False),
        (1, 100, 7, False),
        (20, 2, 25, False),
        (20, 25, 7, False),
        (1, 100, 7, True),
        (20, 25, 7, True),
    ),
)
QUICK = (60, ((1, 4, 2, False), (20, 2, 2, True)))


def make_stream(n: int):
    return make_classification(n, 20, n_informative=8, random_state=0)


def table(plan) -> list[dict]:
    window, turns = plan
    return [measure(window, *turn) for turn in turns]


def measure(window: int, at_once: int, in_a_row: int, turns: int, follows: bool) -> dict:
    print(f"online, {at_once} at once, {in_a_row} in a row", file=sys.stderr, flush=True)
    X, y = make_stream(window + at_once * in_a_row * turns)
    model = wp.OnlineSVC(window=window, follow_paths=follows)
    model.fit(X[:window], y[:window])
    margins, events = [], []

    def arrive() -> float:
        new = slice(model.n_seen_, model.n_seen_ + at_once)
        return timed(lambda: model.partial_fit(X[new], y[new]))[0]

    def refit() -> float:
        events.append(model.path_.n_events)
        margins.append(model.path_.margin_size()[1][-1])
        rival = SVC(C=model.C, gamma=model.gamma_, cache_size=model.cache_size)
        data = model.window_X_, model.window_y_, model.window_weight_
        return timed(lambda: rival.fit(*data))[0]

    ms = medians_ms({"arrival": arrive, "refit": refit}, turns, often={"arrival": in_a_row})
    return {
        "window": window,
        "arrivals at once": at_once,
        "in a row": in_a_row,
        "path": "followed" if follows else "when read",
        "times": in_a_row * turns,
        "events, mean": float(np.mean(events)),
        "margin, mean": float(np.mean(margins)),
        "arrival ms": ms["arrival"],
        "scikit-learn refit ms": ms["refit"],
        "refit / arrival": ms["refit"] / ms["arrival"],
        "violation at the end": model.svc_.kkt_violation(),
    }
