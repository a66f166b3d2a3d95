"""Small planes for the tests of surfaces."""

from __future__ import annotations

from functools import cache

import numpy as np

import weightpath as wp
from tests.judges.planes import JudgeMap
from weightpath.metrics import Outputs, get
from weightpath.metrics.registry import resolve
from weightpath.metrics.validation import check_rows
from weightpath.regions.surface import Surface

COSTS = [{"class_weight": {-1: 50}}, {"class_weight": {1: 50}}]


@cache
def judged_classes(seed=0, n=20):
    """The plane of two class costs, by the judge; C from 0.1 to 5."""
    toy = wp.datasets.make_toy(n, random_state=seed)
    weight = np.zeros((n, 3))
    weight[:, 0] = 0.1
    weight[toy.y > 0, 2] = weight[toy.y < 0, 1] = 4.9
    return JudgeMap(toy.X, toy.y.astype(float), weight)


@cache
def judged_tubes(seed=0, n=9):
    """The plane of C and epsilon of a regression, by the judge."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    weight, epsilon = np.zeros((n, 3)), np.zeros((n, 3))
    weight[:, 0], weight[:, 1] = 0.5, 3.0
    epsilon[:, 0], epsilon[:, 2] = 0.05, 0.3
    return JudgeMap(X, y, weight, epsilon)


def surface(plane, X, y, metric, sample_weight=None, **options):
    """A surface over a judge's plane."""
    if plane.epsilon is None:
        outputs = Outputs.of_classes(np.array([-1, 1]))
    else:
        outputs = Outputs()
    chosen = get(metric, outputs)
    rows = check_rows(X, y, sample_weight, outputs)
    return Surface(plane, X, rows, chosen, resolve(chosen, options, rows))
