"""Surfaces of generated planes against 10,000 evaluations each: a script, with seeds to begin at.

``python tests/regions/surface_campaign.py FIRST COUNT``: for each seed a plane (normal data, grids
of integers with duplicates, unscaled features, few or many rows, weights spread over orders of
magnitude), for some metrics the best value. It must not be worse than the metric at any of
100 x 100 points, and must be what a fit from scratch gives at the best point.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import weightpath as wp

CLASSES = ("zero_one", "f1", "matthews", "hinge", "auc", "average_precision")
NUMBERS = ("squared", "absolute")


def data_of(rng, seed):
    n = int(rng.integers(12, 60))
    if seed % 3 == 1:
        X = rng.integers(0, 3, size=(n, 2)).astype(float)
    else:
        X = rng.normal(size=(n, 2)) * (1.0 if seed % 3 else (1.0, 10.0))
    return X, np.round(np.sin(X[:, 0]) + 0.5 * rng.normal(size=n), 1 if seed % 2 else 12)


def run(seed):
    rng = np.random.default_rng(seed)
    X, y = data_of(rng, seed)
    new, target = data_of(rng, seed)
    weight = 10.0 ** rng.uniform(-2, 1, len(X)) if seed % 5 == 0 else np.ones(len(X))
    gamma, C = 10.0 ** rng.uniform(-1, 0.5), 10.0 ** rng.uniform(-1.5, 0.5)
    wrong = 0
    if seed % 4:
        y, target = np.where(y > np.median(y), 1, -1), np.where(target > np.median(target), 1, -1)
        if min((y > 0).sum(), (y < 0).sum()) == 0 or abs(target.mean()) == 1:
            return 0, 0
        model = wp.SVC(C=C, gamma=gamma).fit(X, y, sample_weight=weight)
        axes, metrics = [{"class_weight": {-1: 20}}, {"class_weight": {1: 20}}], CLASSES
    else:
        model = wp.SVR(C=C, gamma=gamma, epsilon=0.01).fit(X, y, sample_weight=weight)
        axes, metrics = [{"C": 20 * C}, {"epsilon": 0.5}], NUMBERS
    plane = wp.region_map(model, axes)
    chosen = rng.choice(metrics, 2, replace=False)
    for metric in chosen:
        surface = plane.surface(new, target, metric)
        best, grid = surface.best, surface.sampled(100)
        sign = 1.0 if surface.metric.greater_is_better else -1.0
        gap = (sign * grid).max() - sign * best.value
        z, size = best.z, np.abs(grid).max()
        if metrics is CLASSES:
            factors = {-1: 1 + 19 * z[0], 1: 1 + 19 * z[1]}
            fit = wp.SVC(C=C, gamma=gamma, class_weight=factors)
            values = fit.fit(X, y, sample_weight=weight).decision_function(new)
        else:
            fit = wp.SVR(C=C * (1 + 19 * z[0]), gamma=gamma, epsilon=0.01 + 0.49 * z[1])
            values = fit.fit(X, y, sample_weight=weight).predict(new)
        if metric in ("auc", "average_precision"):
            # Equal scores are equal up to rounding.
            order = np.argsort(values)
            close = np.append(False, np.diff(values[order]) <= 1e-12 * np.abs(values).max())
            values[order] = values[order][np.flatnonzero(~close)[np.cumsum(~close) - 1]]
        off = abs(surface.metric.at(values, surface.rows, **surface.options) - best.value)
        if gap > 1e-9 * size or off > 1e-6 * size:
            wrong += 1
            print(f"seed {seed}, {metric}: grid better by {gap:.3g}, refit off by {off:.3g}", plane)
    return len(chosen), wrong


def main(first, count):
    began, total, wrong = time.process_time(), 0, 0
    for seed in range(first, first + count):
        try:
            done, bad = run(seed)
        except wp.PathError as error:
            print(f"seed {seed}: {error}")
            continue
        total, wrong = total + done, wrong + bad
    print(f"{total} surfaces, {wrong} wrong, {time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
