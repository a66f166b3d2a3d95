"""Maps of all kinds, with a metric."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from page.cases import HOSTILE
from weightpath.page.judged_data import Judged
from weightpath.page.map_document import map_page_data
from weightpath.regions.validation import outputs_of_map


@dataclass
class MapCase:
    """A map, and what is shown of it."""

    map: Any
    X: Any
    y: Any = None
    metric: str | None = None
    weight: Any = None
    options: dict = field(default_factory=dict)

    @property
    def surface(self):
        if self.metric is None:
            return None
        return self.map.surface(self.X, self.y, self.metric, self.weight, **self.options)

    def data(self):
        surface = self.surface
        judged = Judged() if surface is not None else Judged(self.X, self.y)
        outputs = outputs_of_map(self.map)
        return map_page_data(self.map, outputs, surface, judged, title="A map", n_checks=4)

    def write(self, file, **options):
        surface = self.surface
        given = () if surface is not None else (self.X, self.y)
        self.map.to_html(file, surface, *given, n_checks=4, **options)


@cache
def _cost_map():
    toy = wp.datasets.make_toy(40, random_state=0)
    names = [*HOSTILE, *(f"person {i}" for i in range(32))]
    frame = pd.DataFrame(toy.X, columns=["x", "y"], index=pd.Index(names, dtype=object))
    model = wp.SVC(C=0.1, gamma=0.5).fit(frame, toy.y)
    return wp.region_map(model, [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}]), toy


def class_costs(metric="zero_one", weighted=False, **options):
    plane, toy = _cost_map()
    new = wp.datasets.make_toy(60, random_state=1, like=toy)
    weight = np.random.default_rng(4).uniform(0.1, 2.0, 60) if weighted else None
    rows = pd.DataFrame(new.X, columns=["x", "y"])
    return MapCase(plane, rows, new.y, metric, weight, options)


def regression(metric="squared"):
    rng = np.random.default_rng(3)
    X = rng.uniform(-3, 3, size=(30, 1))
    y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=30)
    model = wp.SVR(C=0.5, epsilon=0.02, gamma=1).fit(X, y)
    plane = wp.region_map(model, [{"C": 5.0}, {"epsilon": 0.4}])
    new = rng.uniform(-3, 3, size=(25, 1))
    return MapCase(plane, new, np.sinc(new[:, 0]), metric)


def quantile():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=30)
    model = wp.QuantileSVR(C=1, quantile=0.7, gamma=0.3).fit(X, y)
    axes = [{"C": 3.0}, rng.uniform(-0.5, 2.0, 30)]
    plane = wp.region_map(model, axes, bounds=((-0.2, 1.0), (0.0, 0.8)))
    return MapCase(plane, rng.normal(size=(20, 3)), rng.normal(size=20), "pinball")


def detector():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 2))
    model = wp.OneClassSVM(nu=0.3, gamma=0.5).fit(X)
    axes = [np.where(X[:, 0] > 0, 2.0, 0.0), np.where(X[:, 1] > 0, 3.0, 0.0)]
    return MapCase(wp.region_map(model, axes), 1.5 * rng.normal(size=(30, 2)))


def duplicates():
    """Ties on every edge: rows are equal, targets are moved to tell regions apart."""
    rng = np.random.default_rng(7)
    X = np.repeat(rng.integers(-2, 3, size=(12, 2)).astype(float), 2, axis=0)
    y = np.sign(X[:, 0] + 0.5 + rng.integers(-1, 2, 24))
    model = wp.SVC(C=0.5, gamma=0.4).fit(X, y)
    plane = wp.region_map(model, [{"class_weight": {-1.0: 8}}, {"class_weight": {1.0: 8}}])
    return MapCase(
        plane, rng.normal(size=(20, 2)), np.where(rng.random(20) < 0.5, -1.0, 1.0), "hinge"
    )


def pipeline():
    rng = np.random.default_rng(8)
    X = 50 + 20 * rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 10 * rng.normal(size=40) > 50, "b", "a")
    model = make_pipeline(
        StandardScaler(), wp.SVC(C=1, kernel="poly", degree=2, coef0=1, gamma=0.5)
    )
    axes = [{"C": 5.0}, {"class_weight": {"b": 6.0}}]
    return MapCase(wp.region_map(model.fit(X, y), axes), X[:15], y[:15], "f1")


def own_kernel():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0.2 * rng.normal(size=30), 1, -1)

    def kernel(A, B):
        return np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2))

    model = wp.SVC(C=1, kernel=kernel).fit(X, y)
    plane = wp.region_map(model, [{"class_weight": {-1: 5}}, {"class_weight": {1: 5}}])
    return MapCase(
        plane, rng.normal(size=(20, 2)), np.where(rng.random(20) < 0.5, -1, 1), "accuracy"
    )


MAP_CASES = {
    "class-costs": class_costs,
    "regression": regression,
    "quantile": quantile,
    "detector": detector,
    "duplicates": duplicates,
    "pipeline": pipeline,
    "own-kernel": own_kernel,
}
