"""Conformal prediction along paths, in milliseconds a new row, beside refits.

One thread, the time of the processor, medians of runs in turns with one refit of the same model to
the training rows and one more. What is found is compared with refits at other targets: cutoffs and
jackknife+ intervals by their values, full conformal sets by labels just inside and just outside
the ends of their intervals.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from benchmarks.turns import medians_ms, timed
from weightpath.conformal import ConditionalConformal, FullConformal, JackknifePlus

# (repetitions, rows of conditional cutoffs, of full sets, of jackknife+, new rows of each, judged)
FULL = (5, (1000, 1000), (400, 100), (442, 100), 10)
QUICK = (1, (60, 5), (40, 4), (40, 4), 2)

ALPHA = 0.1

# Ends of sets are judged this far from them, in units of the largest target.
BESIDE = 1e-6


def table(plan) -> list[dict]:
    repetitions, cutoffs, full, left_out, judged = plan
    X, y, x = made(*full)
    rows = [conditional(*cutoffs, repetitions, judged)]
    for name, estimator, labels in (
        ("full conformal, SVR", wp.SVR(C=1.0, gamma=0.2, epsilon=0.1), y),
        ("full conformal, SVR, wide tubes", wp.SVR(C=1.0, gamma=0.2, epsilon=0.8), y),
        ("full conformal, QuantileSVR", wp.QuantileSVR(C=1.0, gamma=0.2), y),
        ("full conformal, Lasso", wp.Lasso(alpha=0.05), y),
        ("full conformal, SVC", wp.SVC(C=1.0, gamma=0.2), y > np.median(y)),
    ):
        rows.append(full_sets(name, estimator, X, labels, x, repetitions, judged))
    return [*rows, jackknife(*left_out, repetitions)]


def made(n: int, count: int) -> tuple[Any, Any, Any]:
    """Return rows of five features with a smooth target, and new rows."""
    rng = np.random.default_rng(0)
    X, x = rng.normal(size=(n, 5)), rng.normal(size=(count, 5))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n), x


def conditional(n: int, count: int, repetitions: int, judged: int) -> dict:
    X, _, x = made(n, count)
    scores = np.abs(np.random.default_rng(1).normal(size=n)) * (0.5 + np.abs(X[:, 0]))
    conformal = ConditionalConformal("rbf", 0.2, 1.0, ALPHA).fit(X, scores)
    found = conformal.cutoff(x)
    model = wp.QuantileSVR(C=1.0, quantile=1 - ALPHA, gamma=0.2)

    def refit(k: int, score: float) -> Any:
        return clone(model).fit(np.vstack([X, x[k]]), np.append(scores, score))

    # A row of any larger score is fitted at the cutoff.
    wrong = max(
        abs(float(refit(k, found[k] + 1.0).predict(x[[k]])[0] - found[k])) for k in range(judged)
    )
    return row(
        "conditional cutoffs",
        n,
        count,
        lambda: conformal.cutoff(x),
        lambda: refit(0, 0.0),
        repetitions,
        events=float(conformal.n_events_.mean()),
        wrong=wrong,
    )


def full_sets(name: str, estimator: Any, X, y, x, repetitions: int, judged: int) -> dict:
    conformal = FullConformal(estimator, ALPHA).fit(X, y)
    found = conformal.predict_set(x)
    wrong = 0.0
    for k in range(judged):
        rows = np.vstack([X, x[k]])
        for label, expected in to_judge(found[k], y):
            both = np.append(y, label)
            wrong += is_kept(clone(estimator).fit(rows, both), rows, both) != expected
    return row(
        name,
        len(y),
        len(x),
        lambda: conformal.predict_set(x),
        lambda: clone(estimator).fit(np.vstack([X, x[0]]), np.append(y, y[0])),
        repetitions,
        wrong=wrong,
    )


def to_judge(found, y) -> list[tuple[Any, bool]]:
    """Return labels with whether they are in a set: all classes, or targets beside its ends."""
    if y.dtype == bool:
        return [(label, label in found) for label in (False, True)]
    step = BESIDE * np.abs(y).max()
    inside = [(end, True) for low, high in found for end in (low + step, high - step)]
    return [*inside, (found[0, 0] - step, False), (found[-1, 1] + step, False)]


def is_kept(model, X, y) -> bool:
    if y.dtype == bool:
        score = 1.0 - np.where(y, 1.0, -1.0) * model.decision_function(X)
    else:
        score = np.abs(y - model.predict(X))
    return bool(np.sum(score >= score[-1] - 1e-9 * np.abs(score).max()) / len(y) > ALPHA)


def jackknife(n: int, count: int, repetitions: int) -> dict:
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:n]), y[:n]
    x = X[np.arange(count) % n] + 0.1 * np.random.default_rng(0).normal(size=(count, X.shape[1]))
    estimator = wp.SVR(C=100.0, gamma=0.05, epsilon=5.0)

    def intervals() -> Any:
        return JackknifePlus(estimator, ALPHA).fit(X, y).predict_interval(x)

    low, high = [], []
    for i in range(n):
        keep = np.arange(n) != i
        model = clone(estimator).fit(X[keep], y[keep])
        error = abs(y[i] - model.predict(X[[i]])[0])
        low.append(model.predict(x) - error)
        high.append(model.predict(x) + error)
    rank = int(ALPHA * (n + 1))
    expected = np.column_stack([np.sort(low, axis=0)[rank - 1], np.sort(high, axis=0)[n - rank]])
    wrong = float(np.abs(intervals() - expected).max())
    return row(
        "jackknife+, diabetes",
        n,
        count,
        intervals,
        lambda: clone(estimator).fit(X[1:], y[1:]),
        repetitions,
        wrong=wrong,
    )


def row(
    name: str,
    n: int,
    count: int,
    call: Callable[[], Any],
    refit: Callable[[], Any],
    repetitions: int,
    *,
    wrong: float,
    events: float | None = None,
) -> dict:
    print(f"conformal, {name}", file=sys.stderr, flush=True)
    ms = medians_ms({"all": lambda: timed(call)[0], "refit": lambda: timed(refit)[0]}, repetitions)
    return {
        "method": name,
        "n": n,
        "new rows": count,
        "all ms": ms["all"],
        "ms a row": ms["all"] / count,
        "one refit ms": ms["refit"],
        "refit / row": ms["refit"] * count / ms["all"],
        "events a row": "" if events is None else events,
        "wrong": wrong,
    }
